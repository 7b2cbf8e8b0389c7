"""Formulas of one lag or of the distance that are kernels of the catalogue, or sums and products of them."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from kernelspec.elaboration.arithmetic import exact_number
from kernelspec.elaboration.operators import weighted_sum
from kernelspec.expressions.arguments import Scalar
from kernelspec.expressions.formula import Formula, Operation
from kernelspec.expressions.polya_criterion import polya_criterion
from kernelspec.expressions.symbolic import formula_expression, matern_size, power_of, simplified
from kernelspec.kernels.formula import FormulaProduct
from kernelspec.kernels.leaf import load_kernel
from kernelspec.kernels.leaves.bochner import Bochner
from kernelspec.kernels.leaves.coordinatewise import Cauchy, Laplace, Sinc, Triangle
from kernelspec.kernels.leaves.discrete import Cosine
from kernelspec.kernels.leaves.gaussian import Gaussian
from kernelspec.kernels.leaves.radial import Matern
from kernelspec.kernels.nodes.columns_and_lags import Select
from kernelspec.kernels.nodes.product import Product
from kernelspec.limits import MAX_FACTORS

if TYPE_CHECKING:
    from kernelspec.elaboration.arithmetic import Arithmetic
    from kernelspec.elaboration.scope import Columns
    from kernelspec.kernels.kernel import Kernel
    from kernelspec.loading import Span

__all__ = ["CatalogueKernel", "monomial", "radial_catalogue_terms", "recognized", "recognized_radial"]

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

    from kernelspec.distributions.symmetric import StudentT

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


_MOST_FACTORS = 6
_MOST_POWERS = 1000


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
        return ((simplified(weight * size), factors),)
    for form in (rest, sympy.expand(rest)):
        if form.func is sympy.Add:
            parts = [_terms(part, r, on_line) for part in form.as_ordered_terms()]
            if all(part is not None for part in parts):
                return tuple((weight * w, factors) for part in parts for w, factors in part or ())
    return None


def _factors(f: Any, r: Any, on_line: bool) -> tuple[Any, tuple[CatalogueKernel, ...]] | None:
    """f(0) and the factors of f/f(0), where all have names."""
    import sympy

    named = _named_of_distance(f, r, on_line)
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
        found = _named_of_distance(part, r, on_line)
        if found is None:
            rest *= part
        else:
            size, factors = size * found[0], [*factors, found[1]]
    if rest == 1:
        return size, tuple(factors)
    # what is left may be a factor with one of the exponentials
    for i, part in enumerate(parts):
        if part.func is sympy.exp or part.has(sympy.sin):
            found = _named_of_distance(rest * part, r, on_line)
            if found is not None:
                others = [_named_of_distance(other, r, on_line) for j, other in enumerate(parts) if j != i]
                known = [other for other in others if other is not None]
                for w, _ in known:
                    found = (found[0] * w, found[1])
                return found[0], (found[1], *(name for _, name in known))
    return None


def _named_of_distance(f: Any, r: Any, on_line: bool) -> tuple[Any, CatalogueKernel] | None:
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
    matern = _matern_of_distance(rest, r)
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
    if _is_not_a_positive_constant(quotient, r):
        return None
    coefficient = simplified(quotient)
    return coefficient if coefficient.is_positive and not coefficient.has(r) else None


def _is_not_a_positive_constant(expression: Any, r: Any) -> bool:
    """Whether values at three places rule it out. Most expressions fail here, without a costly simplification."""
    import sympy

    if expression.free_symbols != {r}:
        return False
    if any(power.exp.is_number and abs(power.exp) > _MOST_POWERS for power in expression.atoms(sympy.Pow)):
        return True  # whose numbers would have as many digits
    found = [expression.subs(r, sympy.Rational(*at)).evalf() for at in ((9, 7), (13, 5), (47, 6))]
    if any(value.is_zero for value in found):
        return True
    if not all(value.is_Float for value in found):
        return False
    return bool(max(found) - min(found) > 1e-6 * max(map(abs, found)))


def _matern_of_distance(f: Any, r: Any) -> tuple[Any, CatalogueKernel] | None:
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
