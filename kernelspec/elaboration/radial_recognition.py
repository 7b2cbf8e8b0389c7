"""Formulas of the distance that are kernels of the catalogue, sums and products of them."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from kernelspec.elaboration.canonical import weighted_sum
from kernelspec.elaboration.written_numbers import exact_number
from kernelspec.formulas.formula import Formula
from kernelspec.formulas.simplification import matern_size, power_of, simplified
from kernelspec.formulas.symbolic_formula import formula_expression
from kernelspec.kernels.catalogue import load_kernel
from kernelspec.kernels.nodes.product import Product
from kernelspec.notation.arguments import Scalar

if TYPE_CHECKING:
    from kernelspec.elaboration.arithmetic import Arithmetic
    from kernelspec.elaboration.scope import Columns
    from kernelspec.kernels.kernel import Kernel
    from kernelspec.source import Span

__all__ = ["CatalogueKernel", "monomial", "radial_catalogue_terms", "recognized_radial"]

_MOST_TERMS = 60
_MOST_FACTORS = 6
_MOST_POWERS = 1000
_LARGEST_HALF_ORDER = 6


class CatalogueKernel(NamedTuple):
    """A kernel of the catalogue and its arguments in SymPy."""

    name: str
    arguments: tuple[tuple[str, Any], ...]

    def kernel(self, dim: Scalar, arithmetic: Arithmetic, span: Span | None) -> Kernel:
        """The kernel on so many columns, its numbers as the arithmetic has them."""
        given: dict[str, Any] = {name: arithmetic.argument(value) for name, value in self.arguments}
        if self.name == "cosine":
            given["by"] = (given["by"],)
        return load_kernel(self.name)(**given, dim=dim, span=span)


Terms = tuple[tuple[Any, tuple[CatalogueKernel, ...]], ...]
"""Weights, and the factors of the terms."""


def recognized_radial(formula: Formula, columns: Columns, arithmetic: Arithmetic, span: Span | None) -> Kernel | None:
    """f(‖Δ‖) in terms of the catalogue; None where f is none of these.

    c e^{−(r/ℓ)^α}, c(1 + ar²)^{−α}, Matérn kernels, on one column also cosine, sinc and triangle; products of them, and
    sums with weights of any sign.
    """
    if formula.size() > _MOST_TERMS or formula.has_open_numbers():
        return None
    terms = radial_catalogue_terms(formula, columns.count == 1)
    if terms is None:
        return None
    made: list[tuple[Scalar, Kernel]] = []
    for weight, factors in terms:
        kernels = tuple(factor.kernel(columns.dim, arithmetic, span) for factor in factors)
        one = kernels[0] if len(kernels) == 1 else Product(factors=kernels, dim=columns.dim, span=span)
        made.append((exact_number(weight, arithmetic), one))
    return weighted_sum(made, columns, span)


@lru_cache(maxsize=256)
def radial_catalogue_terms(formula: Formula, on_line: bool) -> Terms | None:
    """The weights and factors, in numbers of SymPy; `on_line` where there is one column."""
    import sympy

    r = sympy.Symbol("r", positive=True)
    return _terms(formula_expression(formula, r), r, on_line)


def _terms(f: Any, r: Any, on_line: bool) -> Terms | None:
    import sympy

    weight, rest = f.as_independent(r, as_Add=False)
    if rest == 1:
        return ((weight, (CatalogueKernel("constant", ()),)),)
    found = _factors(rest, r, on_line)
    if found is not None:
        size, factors = found
        return ((sympy.simplify(weight * size), factors),)
    for form in (rest, sympy.expand(rest)):
        if form.func is sympy.Add:
            parts = [_terms(part, r, on_line) for part in form.as_ordered_terms()]
            if all(part is not None for part in parts):
                return tuple((weight * w, factors) for part in parts for w, factors in part or ())
    return None


def _factors(f: Any, r: Any, on_line: bool) -> tuple[Any, tuple[CatalogueKernel, ...]] | None:
    """f(0) and the factors of f/f(0), where all have names."""
    import sympy

    named = _named(f, r, on_line)
    if named is not None:
        return named[0], (named[1],)
    parts: list[Any] = []
    for part in sympy.Mul.make_args(sympy.expand_power_exp(f)):
        base, exponent = part.as_base_exp()
        whole = exponent.is_Integer and 1 < exponent <= _MOST_FACTORS and base.func in (sympy.cos, sympy.Max)
        parts += [base] * int(exponent) if whole else [part]
    if not 1 < len(parts) <= _MOST_FACTORS:
        return None
    size, rest = sympy.S.One, sympy.S.One
    factors: list[CatalogueKernel] = []
    for part in parts:
        found = _named(part, r, on_line)
        if found is None:
            rest *= part
        else:
            size, factors = size * found[0], [*factors, found[1]]
    if rest == 1:
        return size, tuple(factors)
    # what is left may be a factor with one of the exponentials
    for i, part in enumerate(parts):
        if part.func is sympy.exp or part.has(sympy.sin):
            found = _named(rest * part, r, on_line)
            if found is not None:
                others = [_named(other, r, on_line) for j, other in enumerate(parts) if j != i]
                known = [other for other in others if other is not None]
                for w, _ in known:
                    found = (found[0] * w, found[1])
                return found[0], (found[1], *(name for _, name in known))
    return None


def _named(f: Any, r: Any, on_line: bool) -> tuple[Any, CatalogueKernel] | None:
    """f(0), and the kernel that f/f(0) is."""
    import sympy

    weight, rest = f.as_independent(r, as_Add=False)
    if rest.func is sympy.exp or (rest.is_Pow and not rest.base.has(r)):
        found = _stable(-sympy.expand_log(sympy.log(rest), force=True), r)
        if found is not None:
            return weight, found
    base, exponent = rest.as_base_exp()
    if exponent.is_negative and not exponent.has(r):
        start = base.subs(r, 0)
        rate = monomial(base / start - 1, r, 2) if start.is_positive else None
        if rate is not None:
            scale = 1 / sympy.sqrt(-2 * exponent * rate)
            return weight * power_of(start, exponent), CatalogueKernel(
                "rational_quadratic", (("alpha", -exponent), ("scale", scale))
            )
    if on_line:
        found_line = _on_line(rest, r)
        if found_line is not None:
            return weight * found_line[0], found_line[1]
    matern = _matern(rest, r)
    return None if matern is None else (weight * matern[0], matern[1])


def _stable(rate: Any, r: Any) -> CatalogueKernel | None:
    """exp(−c r^α)."""
    import sympy

    coefficient, power = rate.as_independent(r, as_Add=False)
    base, alpha = power.as_base_exp()
    if base != r or alpha.has(r) or not coefficient.is_positive:
        return None
    if alpha == 2:
        return CatalogueKernel("gaussian", (("scale", 1 / sympy.sqrt(2 * coefficient)),))
    if alpha == 1:
        return CatalogueKernel("exponential", (("scale", 1 / coefficient),))
    if not (alpha.is_positive and (2 - alpha).is_positive):
        return None
    return CatalogueKernel("powered_exponential", (("alpha", alpha), ("scale", power_of(coefficient, -1 / alpha))))


def _on_line(f: Any, r: Any) -> tuple[Any, CatalogueKernel] | None:
    """cos(cr), sin(cr)/r and max(0, 1 − cr)."""
    import sympy

    if f.func is sympy.cos:
        rate = monomial(f.args[0], r, 1)
        return None if rate is None else (sympy.S.One, CatalogueKernel("cosine", (("by", rate),)))
    if f.func is sympy.Max and len(f.args) == 2 and sympy.S.Zero in f.args:
        (line,) = (part for part in f.args if part != 0)
        start = line.subs(r, 0)
        rate = monomial(1 - line / start, r, 1) if start.is_positive else None
        return None if rate is None else (start, CatalogueKernel("triangle", (("width", 1 / rate),)))
    for wave in f.atoms(sympy.sin):
        rate = monomial(wave.args[0], r, 1)
        if rate is not None and f == wave / r:
            return rate, CatalogueKernel("sinc", (("bandwidth", rate),))
    return None


def monomial(expression: Any, r: Any, power: int) -> Any:
    """c where the expression is c r^power with c > 0; else None."""
    quotient = expression / r**power
    if _varies(quotient, r):
        return None
    coefficient = simplified(quotient)
    return coefficient if coefficient.is_positive and not coefficient.has(r) else None


def _varies(expression: Any, r: Any) -> bool:
    """Whether it has clearly different values at two places: most expressions have, and SymPy is spared simplifying."""
    import sympy

    if expression.free_symbols != {r}:
        return False
    if any(power.exp.is_number and abs(power.exp) > _MOST_POWERS for power in expression.atoms(sympy.Pow)):
        return True  # whose numbers would have as many digits
    one, other = (expression.subs(r, sympy.Rational(*at)).evalf() for at in ((9, 7), (13, 5)))
    if not (one.is_Float and other.is_Float):
        return False
    return bool(abs(one - other) > 1e-6 * (abs(one) + abs(other)))


def _matern(f: Any, r: Any) -> tuple[Any, CatalogueKernel] | None:
    """Polynomials times e^{−cr} of half-integer order, and r^ν K_ν(cr)."""
    import sympy

    for bessel in f.atoms(sympy.besselk):
        nu, rate = bessel.args[0], monomial(bessel.args[1], r, 1)
        if rate is not None and not nu.has(r) and nu.is_positive and f == r**nu * bessel:
            scale = sympy.sqrt(2 * nu) / rate
            return matern_size(nu, rate), CatalogueKernel("matern", (("nu", nu), ("scale", scale)))
    for wave in f.atoms(sympy.exp):
        rate = monomial(-wave.args[0], r, 1)
        if rate is None:
            continue
        rest = simplified(f / wave)
        if not rest.is_polynomial(r):
            continue
        polynomial = sympy.Poly(rest, r)
        start, order = polynomial.coeff_monomial(1), polynomial.degree()
        if not 1 <= order <= _LARGEST_HALF_ORDER or start == 0:
            continue
        if simplified(polynomial.as_expr() / start - _half_matern(order, rate * r)) == 0:
            nu = sympy.Rational(2 * order + 1, 2)
            return start, CatalogueKernel("matern", (("nu", nu), ("scale", sympy.sqrt(2 * nu) / rate)))
    return None


def _half_matern(order: int, x: Any) -> Any:
    """Σ_k n!/(2n)! (n + k)!/(k! (n − k)!) (2x)^{n−k}: the Matérn kernel of order n + ½ is e^{−x} times it."""
    import sympy

    n, factorial = order, sympy.factorial
    return sum(
        factorial(n) / factorial(2 * n) * factorial(n + k) / (factorial(k) * factorial(n - k)) * (2 * x) ** (n - k)
        for k in range(n + 1)
    )
