"""Waves: the transforms of the uniform law on a sphere."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

from kernelspec.formulas.criteria.statement import Statement
from kernelspec.formulas.formula import Formula
from kernelspec.formulas.simplification import simplified
from kernelspec.formulas.symbolic_formula import formula_expression
from kernelspec.special.symbolic_orders import as_exponent, gamma_function

__all__ = ["Wave", "by_bessel_waves", "wave_of"]

_MOST_TERMS = 40


class Wave(NamedTuple):
    """f(r) = Γ(m/2) (2/br)^{m/2−1} J_{m/2−1}(br): m = `order`, b = `rate`, in SymPy."""

    order: Any
    rate: Any


def by_bessel_waves(formula: Formula) -> Statement | None:
    """Ω_m(br), the transform of the uniform law on the sphere of radius b in R^m, exactly for d ≤ m [Schoenberg 1938].

    Ω₁ = cos r, Ω₂ = J₀(r), Ω₃ = sin(r)/r; m need not be whole.
    """
    wave = wave_of(formula)
    if wave is None or not wave.order.is_number or wave.order < 1:
        return None
    most = int(wave.order)
    if wave.order.is_integer:
        what = f"the transform of the uniform law on a sphere in {most} dimension{'s' * (most > 1)}"
    else:
        what = f"the Bessel wave of {wave.order} dimensions"
    return Statement(most, most + 1, f"{what} [Schoenberg 1938]")


@lru_cache(maxsize=256)
def wave_of(formula: Formula) -> Wave | None:
    """m and b where the formula is a wave with f(0) = 1; else None."""
    import sympy

    if formula.size() > _MOST_TERMS:
        return None
    r = sympy.Symbol("r", positive=True)
    f = formula_expression(formula, r)
    for part in f.atoms(sympy.cos, sympy.sin, sympy.besselj):
        rate = simplified(part.args[-1] / r)
        if rate.has(r) or not rate.is_positive:
            continue
        x = rate * r
        match part.func:
            case sympy.cos:
                order, wave = sympy.Integer(1), sympy.cos(x)
            case sympy.sin:
                order, wave = sympy.Integer(3), sympy.sin(x) / x
            case _:
                nu = part.args[0]
                if nu.has(r) or not (nu + sympy.Rational(1, 2)).is_nonnegative:
                    continue
                order, wave = 2 * nu + 2, gamma_function(nu + 1) * (2 / x) ** as_exponent(nu) * sympy.besselj(nu, x)
        if simplified(f / wave) == 1:
            return Wave(order, rate)
    return None
