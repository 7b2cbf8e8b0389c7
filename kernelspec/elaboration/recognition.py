"""Formulas of one lag that are kernels of the catalogue under another name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kernelspec.elaboration.radial_recognition import monomial
from kernelspec.formulas.criterion import polya_criterion
from kernelspec.formulas.formula import Formula, Operation
from kernelspec.formulas.simplification import simplified
from kernelspec.formulas.symbolic_formula import formula_expression
from kernelspec.kernels.families.formula_product import FormulaProduct
from kernelspec.kernels.leaves.bochner import Bochner
from kernelspec.kernels.leaves.cauchy import Cauchy
from kernelspec.kernels.leaves.cosine import Cosine
from kernelspec.kernels.leaves.gaussian import Gaussian
from kernelspec.kernels.leaves.laplace import Laplace
from kernelspec.kernels.leaves.matern import Matern
from kernelspec.kernels.leaves.sinc import Sinc
from kernelspec.kernels.leaves.triangle import Triangle
from kernelspec.kernels.nodes.product import Product
from kernelspec.kernels.nodes.select import Select
from kernelspec.limits import MAX_FACTORS

if TYPE_CHECKING:
    from kernelspec.elaboration.arithmetic import Arithmetic
    from kernelspec.kernels.kernel import Kernel
    from kernelspec.notation.arguments import Scalar
    from kernelspec.source import Span

__all__ = ["recognized"]

_MOST_TERMS = 60
"""Longer formulas are left to the rules for formulas: SymPy would take long over them."""

_LARGEST_HALF_ORDER = 6


def recognized(formula: Formula, dim: Scalar, arithmetic: Arithmetic, span: Span | None) -> Kernel | None:
    """The kernel ∏ f(|Δ_i|) in terms of the catalogue, for f with f(0) = 1; None where f is none of these.

    e^{−ct²}, 1/(1 + ct²), cos ct, sin(ct)/ct, e^{−ct} times the polynomial of a Matérn kernel of half-integer order,
    and products of them and of Polya kernels. A Polya kernel by itself stays a formula, unless it has free parameters:
    e^{−ct} and max(0, 1 − ct) are known with those, too.
    """
    if formula.size() > _MOST_TERMS or polya_criterion(formula).is_proved:
        return None
    if formula.has_open_numbers():
        return None
    return _recognized(formula, dim, arithmetic, span)


def _recognized(formula: Formula, dim: Scalar, arithmetic: Arithmetic, span: Span | None) -> Kernel | None:
    import sympy

    if polya_criterion(formula).is_proved:
        return FormulaProduct(shape=formula, dim=dim, span=span)
    t = sympy.Symbol("t", positive=True)
    found = _named(formula_expression(formula, t), t, dim, arithmetic, span)
    body = formula.body
    if found is not None or not isinstance(body, Operation) or body.name != "product":
        return found
    factors = [_recognized(Formula(part, formula.variable), dim, arithmetic, span) for part in body.operands]
    known = tuple(factor for factor in factors if factor is not None)
    return Product(factors=known, dim=dim, span=span) if len(known) == len(factors) else None


def _named(f: Any, t: Any, dim: Scalar, arithmetic: Arithmetic, span: Span | None) -> Kernel | None:
    import sympy

    rate = monomial(-sympy.expand_log(sympy.log(f), force=True), t, 2)
    if rate is not None:
        return Gaussian(scale=arithmetic.argument(1 / sympy.sqrt(2 * rate)), dim=dim, span=span)
    rate = monomial(1 / f - 1, t, 2)
    if rate is not None:
        return Cauchy(scale=arithmetic.argument(1 / sympy.sqrt(rate)), dim=dim, span=span)
    wave = f.args[0] if f.func is sympy.cos else None
    rate = None if wave is None else monomial(wave, t, 1)
    if rate is not None:
        return _cosine(arithmetic.argument(rate), dim, span)
    for wave in f.atoms(sympy.sin):
        rate = monomial(wave.args[0], t, 1)
        if rate is not None and simplified(f - sympy.sin(rate * t) / (rate * t)) == 0:
            return Sinc(bandwidth=arithmetic.argument(rate), dim=dim, span=span)
    rate = monomial(-sympy.expand_log(sympy.log(f), force=True), t, 1)
    if rate is not None:
        return Laplace(scale=arithmetic.argument(1 / rate), dim=dim, span=span)
    if f.func is sympy.Max and len(f.args) == 2 and sympy.S.Zero in f.args:
        rate = monomial(1 - f.args[1 - f.args.index(sympy.S.Zero)], t, 1)
        return None if rate is None else Triangle(width=arithmetic.argument(1 / rate), dim=dim, span=span)
    return _matern(f, t, dim, arithmetic, span)


def _cosine(rate: Scalar, dim: Scalar, span: Span | None) -> Kernel | None:
    """∏ cos(cΔ_i), on a known number of columns, with which a product may have as many factors."""
    if dim == 1:
        return Cosine(by=(rate,), dim=1, span=span)
    if not isinstance(dim, int) or dim > MAX_FACTORS:
        return None
    line = Cosine(by=(rate,), dim=1, span=span)
    return Product(factors=tuple(Select(base=line, positions=(i,), dim=dim) for i in range(dim)), dim=dim, span=span)


def _matern(f: Any, t: Any, dim: Scalar, arithmetic: Arithmetic, span: Span | None) -> Kernel | None:
    """Σ a_k (ct)^k e^{−ct} with the polynomial of order n + ½: Student's t of 2n + 1 degrees of freedom."""
    import sympy

    from kernelspec.distributions.student_t import StudentT

    for wave in f.atoms(sympy.exp):
        rate = monomial(-wave.args[0], t, 1)
        if rate is None:
            continue
        rest = simplified(f * sympy.exp(rate * t))
        if not rest.is_polynomial(t):
            continue
        order = sympy.degree(rest, t)
        if not 1 <= order <= _LARGEST_HALF_ORDER:
            continue
        nu = sympy.Rational(2 * int(order) + 1, 2)
        matern = Matern(nu=nu, scale=sympy.sqrt(2 * nu) / rate, dim=1).profile_expression(t)
        if simplified(f - matern) == 0:
            scale = arithmetic.argument(rate / sympy.sqrt(2 * nu))
            dof = arithmetic.argument(2 * nu)
            return Bochner(distribution=StudentT(dof=dof, scale=scale, span=span), dim=dim, span=span)
    return None
