"""Formulas of one lag or of the distance that are kernels of the catalogue, or sums and products of them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from kernelspec.catalogue import KERNELS
from kernelspec.distributions.distribution import load_distribution
from kernelspec.elaboration.arithmetic import Arithmetic, exact_number
from kernelspec.elaboration.operators import factor_count, weighted_sum
from kernelspec.elaboration.scope import Columns
from kernelspec.expressions.arguments import Scalar, declared
from kernelspec.expressions.formula import Formula, factorizations
from kernelspec.expressions.polya_criterion import polya_criterion
from kernelspec.expressions.symbolic import MOST_CALLS, expanded, formula_expression, simplified, within
from kernelspec.kernels.formula import FormulaProduct
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaf import load_kernel
from kernelspec.kernels.nodes.columns_and_lags import Select
from kernelspec.kernels.nodes.sums_and_products import Product
from kernelspec.limits import MAX_FACTORS
from kernelspec.loading import Span, sympy

__all__ = ["on_each_column", "radial_catalogue_terms", "recognized", "recognized_radial"]

_MOST_TERMS = 60
"""Longer formulas are left to the rules for formulas: SymPy would take long over them."""


def recognized(formula: Formula, dim: Scalar, arithmetic: Arithmetic, span: Span | None) -> Kernel | None:
    """The kernel ∏ f(|Δ_i|) in terms of the catalogue, for f with f(0) = 1; None if f is none of these.

    e^{−ct}, e^{−ct²}, 1/(1 + ct²), cos ct, sin(ct)/ct, max(0, 1 − ct), e^{−ct} times the polynomial of a Matérn kernel
    of half-integer order, and products of them and of other Polya kernels.
    """
    if formula.size() > _MOST_TERMS or formula.has_open_numbers():
        return None
    found = _recognized(formula, dim, arithmetic, span)
    return None if isinstance(found, FormulaProduct) else found


def _expression(formula: Formula, t: Any) -> Any | None:
    """f(t) in SymPy; None if SymPy takes long to write it, as exp(-sqrt(5000*log(1 + t) + 1))."""
    return within(MOST_CALLS, lambda: formula_expression(formula, t), lambda: None)


_IN_POLYA_KERNELS = ("exp", "max", "cosh")
"""Of these are the Polya kernels of the catalogue, e^{−ct} and max(0, 1 − ct)."""


def _recognized(formula: Formula, dim: Scalar, arithmetic: Arithmetic, span: Span | None) -> Kernel | None:
    is_polya = polya_criterion(formula).is_proved
    if is_polya and formula.operations().isdisjoint(_IN_POLYA_KERNELS):  # without SymPy
        return FormulaProduct(shape=formula, dim=dim, span=span)
    t = sympy.Symbol("t", positive=True)
    f = _expression(formula, t)
    found = None if f is None else _named(f, t, dim, arithmetic, span)
    if found is None and is_polya:
        return FormulaProduct(shape=formula, dim=dim, span=span)
    if found is None and dim == 1:
        found = recognized_radial(formula, Columns(1), arithmetic, span)
    elif found is None:
        found = _product_of_named(formula, dim, arithmetic, span)
    if found is not None:
        return found
    for parts in factorizations(formula.body):
        factors = [_recognized(Formula(part, formula.variable), dim, arithmetic, span) for part in parts]
        known = tuple(factor for factor in factors if factor is not None)
        if len(known) == len(factors):
            return Product(factors=known, dim=dim, span=span)
    return None


def _product_of_named(formula: Formula, dim: Scalar, arithmetic: Arithmetic, span: Span | None) -> Kernel | None:
    """A product of kernels that act on each column, such as (sin(t)/t)²."""
    terms = radial_catalogue_terms(formula, True)
    if terms is None or len(terms) > 1 or terms[0][0] != 1:
        return None
    factors = terms[0][1]
    classes = [load_kernel(factor.name) for factor in factors]
    if not all("product" in cls.recognized_in and cls.acts_on_each_column for cls in classes):
        return None
    return Product(factors=tuple(factor.kernel(dim, arithmetic, span) for factor in factors), dim=dim, span=span)


def _named(f: Any, t: Any, dim: Scalar, arithmetic: Arithmetic, span: Span | None) -> Kernel | None:
    found = _catalogue_kernel("product", f, t)
    if found is None or simplified(sympy.S(found[0]) - 1) != 0:  # a factor may have another size
        return None
    named = found[1]
    if load_kernel(named.name).acts_on_each_column:
        return named.kernel(dim, arithmetic, span)
    return on_each_column(named.kernel(1, arithmetic, span), dim, span)


def on_each_column(line: Kernel, dim: Scalar, span: Span | None) -> Kernel | None:
    """∏ k(Δ_i) for a kernel of one column; None for an unknown number of columns, or too many factors."""
    if dim == 1:
        return line
    if not isinstance(dim, int) or dim * factor_count(line) > MAX_FACTORS:
        return None
    return Product(factors=tuple(Select(base=line, positions=(i,), dim=dim) for i in range(dim)), dim=dim, span=span)


_MOST_FACTORS = 6


class CatalogueKernel(NamedTuple):
    """A kernel of the catalogue and its arguments in SymPy; a distribution by its name and its arguments."""

    name: str
    arguments: Mapping[str, Any]

    def kernel(self, dim: Scalar, arithmetic: Arithmetic, span: Span | None) -> Kernel:
        """The kernel on `dim` columns, with numbers of the given arithmetic."""
        cls = load_kernel(self.name)
        given: dict[str, Any] = {}
        for name, value in self.arguments.items():
            kind = declared(cls)[name][0].kind
            if kind == "distribution":
                law, numbers = value
                own = {each: arithmetic.argument(number) for each, number in numbers.items()}
                given[name] = load_distribution(law)(**own, span=span)
            else:
                given[name] = (arithmetic.argument(value),) if kind == "vector" else arithmetic.argument(value)
        return cls(**given, dim=dim, span=span)


def _catalogue_kernel(form: str, f: Any, t: Any) -> tuple[Any, CatalogueKernel] | None:
    """f(0), and the kernel of the catalogue that f(t)/f(0) is in a form of the language; None if there is none."""
    for cls in map(load_kernel, KERNELS):
        found = cls.recognized(f, t) if form in cls.recognized_in else None
        if found is not None:
            return found[0], CatalogueKernel(cls.name, found[1])
    return None


Terms = tuple[tuple[Any, tuple[CatalogueKernel, ...]], ...]
"""Weights, and the factors of the terms."""


def recognized_radial(formula: Formula, columns: Columns, arithmetic: Arithmetic, span: Span | None) -> Kernel | None:
    """f(‖Δ‖) in terms of the catalogue; None if f is none of these.

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
    r = sympy.Symbol("r", positive=True)
    f = _expression(formula, r)
    if f is None:
        return None
    f = f.replace(_is_less_cosine, lambda part: 2 * part.args[0] * sympy.sin(_angle(part) / 2) ** 2)
    return _terms(f, r, on_line)


def _is_less_cosine(part: Any) -> bool:
    """c − c cos(x)."""
    if not (part.is_Add and len(part.args) == 2 and part.args[0].is_number):
        return False
    wave = -part.args[1] / part.args[0]
    return bool(wave.func is sympy.cos)


def _angle(part: Any) -> Any:
    return (-part.args[1] / part.args[0]).args[0]


def _terms(f: Any, r: Any, on_line: bool) -> Terms | None:
    weight, rest = f.as_independent(r, as_Add=False)
    if rest == 1:
        return ((weight, (CatalogueKernel("constant", {}),)),)
    found = _factors(rest, r, on_line)
    if found is not None:
        size, factors = found
        return ((simplified(weight * size), factors),)
    for form in (rest, expanded(rest, most=_MOST_SUMMANDS)):
        if form.func is sympy.Add and len(form.args) <= _MOST_SUMMANDS:
            parts = [_terms(part, r, on_line) for part in form.as_ordered_terms()]
            if all(part is not None for part in parts):
                return tuple((weight * w, factors) for part in parts for w, factors in part or ())
    return None


_MOST_SUMMANDS = 64
"""Cap on the terms of a sum that are looked up in the catalogue one by one."""


def _factors(f: Any, r: Any, on_line: bool) -> tuple[Any, tuple[CatalogueKernel, ...]] | None:
    """f(0) and the factors of f/f(0), where all have names."""
    count, root = _whole_root(f)
    for n, form in ((1, f), (count, root)) if count > 1 else ((1, f),):
        named = _named_of_distance(form, r, on_line)
        if named is not None:
            return named[0] ** n, (named[1],) * n
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
    named = _named_of_distance(rest, r, on_line)
    if named is not None:  # sin(r)/r
        return size * named[0], (*factors, named[1])
    # what is left may be a factor with one of the exponentials
    for i, part in enumerate(parts):
        if part.func is sympy.exp or part.has(sympy.sin):
            found = _named_of_distance(rest * part, r, on_line)
            if found is not None:
                others = [_named_of_distance(other, r, on_line) for j, other in enumerate(parts) if j != i]
                known = [other for other in others if other is not None]
                size = found[0] * sympy.Mul(*(w for w, _ in known))
                return size, (found[1], *(name for _, name in known))
    return None


def _whole_root(f: Any) -> tuple[int, Any]:
    """The largest n up to 6 for which a product is seen to be gⁿ, such as (sin(r)/r)², and g."""
    powers = [part.as_base_exp() for part in sympy.Mul.make_args(f)]
    if not all(n.is_Integer for _, n in powers):
        return 1, f
    count = int(sympy.igcd(*(n for _, n in powers), 0))
    return (count, sympy.Mul(*[base ** (n / count) for base, n in powers])) if 1 < count <= _MOST_FACTORS else (1, f)


def _named_of_distance(f: Any, r: Any, on_line: bool) -> tuple[Any, CatalogueKernel] | None:
    """f(0), and the kernel that f/f(0) is."""
    weight, rest = f.as_independent(r, as_Add=False)
    for form in ("radial", "radial on a line") if on_line else ("radial",):
        found = _catalogue_kernel(form, rest, r)
        if found is not None:
            return weight * found[0], found[1]
    return None
