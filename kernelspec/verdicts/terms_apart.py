"""The rules that split a kernel into terms: indicators, waves over one density, terms and factors of a formula."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import prod
from typing import Any

import numpy as np

from kernelspec.elaboration.operators import weighted_sum, weighted_terms
from kernelspec.elaboration.scope import Columns
from kernelspec.expressions.arguments import Scalar
from kernelspec.expressions.formula import (
    Constant,
    Formula,
    Operation,
    Term,
    depends_on_variable,
    factorizations,
    operation,
)
from kernelspec.expressions.limits import limit
from kernelspec.kernels.formula import FormulaProduct, FormulaRadial
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaf import Leaf, Stationary, is_one
from kernelspec.kernels.leaves.of_rows import InnerProduct
from kernelspec.kernels.nodes.columns_and_lags import Select, Shift, Stretch
from kernelspec.kernels.nodes.dual import Dual
from kernelspec.kernels.nodes.sums_and_products import Power, Product, Sum, one
from kernelspec.loading import mpmath as mp
from kernelspec.loading import sympy
from kernelspec.measures.algebra.pieces import NotClosed
from kernelspec.measures.realization import power, product, total
from kernelspec.special.closed_forms import DIGITS, Falling
from kernelspec.special.closed_numbers import ClosedNumber, NotDecided
from kernelspec.verdicts.decision import decided
from kernelspec.verdicts.densities import RadialLaw, law_of_kernel
from kernelspec.verdicts.exact_signs import chebyshev, commensurable, shown_polynomial, sign_steps
from kernelspec.verdicts.expansion import columns_of, factors_of, product_of
from kernelspec.verdicts.rules import Finding, Question
from kernelspec.verdicts.sturm import Polynomial, sign_on_half_line

__all__ = ["by_formula", "by_indicators", "by_waves"]


def by_indicators(question: Question) -> Finding | None:
    """Σ_S 1[x_S = y_S] h_S(x, y), S sets of columns: positive definite exactly if every h_S is.

    The h_S are continuous and do not read the columns in S. If k is positive definite so is h_S: take rows whose
    columns in S have two nearby values each, with the product of their signs as weight, and many copies of each row
    with other nearby values in the compared columns outside of S. Indicators of subsets of S cancel; others are 0
    except for equal copies, whose share vanishes as their number grows.
    """
    kernel = question.expanded
    if not isinstance(kernel.dim, int):
        return None
    groups: dict[frozenset[int], list[tuple[Scalar, Kernel]]] = {}
    for weight, term in weighted_terms(kernel):
        indicators = [factor for factor in factors_of(term) if _is_indicator(factor)]
        rest = [factor for factor in factors_of(term) if not _is_indicator(factor)]
        compared = frozenset[int]().union(*map(columns_of, indicators))
        if not all(map(_is_continuous, rest)) or any(compared & columns_of(factor) for factor in rest):
            return None
        groups.setdefault(compared, []).append((weight, product_of(rest, kernel)))
    if not any(groups):
        return None
    reasons: list[str] = []
    verdicts = []
    for compared, terms in groups.items():
        verdict = decided(Question(weighted_sum(terms, Columns(kernel.dim), kernel.span)))
        columns = ", ".join(map(str, sorted(compared)))
        where = f"the factor of 1[x = y] on column{'s' * (len(compared) > 1)} {columns}" if compared else "the rest"
        stated = [f"{where}: {reason}" for reason in verdict.reasons]
        if verdict.positive_definite == "disproved":
            return Finding("disproved", (*stated, "rows that differ in the columns compared tell the parts apart"))
        reasons += stated
        verdicts.append(verdict.positive_definite)
    rule = "the factors of the indicators, and the rest, are positive definite [Schur 1911]"
    return Finding("proved", (*reasons, rule)) if set(verdicts) == {"proved"} else None


def _is_indicator(kernel: Kernel) -> bool:
    base = kernel.base if isinstance(kernel, Select) else kernel
    return isinstance(base, Leaf) and base.compares_categories


def _is_continuous(kernel: Kernel) -> bool:
    """Whether k is known to be continuous, on all rows of numbers."""
    nodes = (Select, Stretch, Shift, Product, Power, Sum, Dual)
    for part in kernel.parts():
        proved = isinstance(part, Stationary) and part.verdict().positive_definite == "proved"
        is_leaf = proved or (isinstance(part, InnerProduct) and not part.of_directions)
        if not isinstance(part, nodes) and not (is_leaf and isinstance(part, Leaf) and part.domain is None):
            return False
    return True


def by_waves(question: Question) -> Finding | None:
    """Σ w_j b(Δ + r_j) has the density p(ω) Σ w_j e^{i r_j·ω}: for r_j = m_j r a polynomial in cos(r·ω), if even.

    b is positive definite, for a disproof with a density that is positive everywhere. Sturm's theorem decides for
    y = cos(r·ω) on [−1, 1], with y = (1 − x)/(1 + x).
    """
    kernel = question.expanded
    terms = weighted_terms(kernel)
    if not isinstance(kernel.dim, int) or not any(isinstance(term, Shift) for _, term in terms):
        return None
    bases = {term.base if isinstance(term, Shift) else term for _, term in terms}
    (base,) = bases if len(bases) == 1 else (None,)
    try:
        with mp.workdps(DIGITS):
            if base is None or base.verdict().positive_definite != "proved":
                return None
            is_positive = _is_positive_everywhere(base)
        moves = [list(map(ClosedNumber.of, term.by)) if isinstance(term, Shift) else None for _, term in terms]
        weights = [ClosedNumber.of(weight) for weight, _ in terms]
        counts, unit = _multiples([move for move in moves if move is not None])
        waves: dict[int, ClosedNumber] = {}
        for move, weight in zip(moves, weights, strict=True):
            n = 0 if move is None else counts.pop(0)
            waves[n] = waves.get(n, ClosedNumber.of(0)) + weight
        if any((weight - waves.get(-n, ClosedNumber.of(0))).terms for n, weight in waves.items()):
            return None
        polynomial = _of_cosines({abs(n): weight for n, weight in waves.items()})
        found = sign_on_half_line(polynomial)
    except (NotDecided, NotClosed, TypeError):  # a parameter is a symbol
        return None
    what = (
        f"the spectral density is that of {base} times P(x), x = tan(r·ω/2)², r = ({', '.join(map(str, unit))}), "
        f"over (1 + x)^{len(polynomial) - 1}{shown_polynomial(polynomial)}"
    )
    steps = tuple(sign_steps(polynomial, found))
    if found.is_nonnegative:
        reason = f"{what}: P does not change its sign [Sturm 1829]"
        return Finding("proved", (*base.verdict().reasons, reason), steps=steps)
    if not is_positive:
        return None
    angle = 2 * np.arctan(np.sqrt(float(found.place)))
    size = sum(float(entry) ** 2 for entry in unit)
    at = tuple(angle * float(entry) / size for entry in unit)
    shown = ", ".join(f"{entry:.6g}" for entry in at)
    return Finding("disproved", (f"{what}: P({found.place}) < 0, at ω = ({shown}) [Bochner 1932]",), at, steps)


def _is_positive_everywhere(kernel: Kernel) -> bool:
    law = law_of_kernel(kernel, tuple(range(int(kernel.dim))))
    if law is None or len(law.columns) < int(kernel.dim):
        return False
    return isinstance(law, RadialLaw) or all(isinstance(factor, Falling) for factor in law.factors)


def _multiples(vectors: list[list[ClosedNumber]]) -> tuple[list[int], tuple[Any, ...]]:
    """Whole m_j and a vector r with v_j = m_j r. Raises NotClosed."""
    first = vectors[0]
    place = next((i for i, entry in enumerate(first) if entry.terms), None)
    if place is None or any(
        (v[place] * a - first[place] * b).terms for v in vectors for a, b in zip(first, v, strict=True)
    ):
        raise NotClosed("shifts in several directions")
    unit, counts = commensurable([v[place] for v in vectors])
    return counts, tuple((entry / first[place] * unit).expression() for entry in first)


def _of_cosines(waves: dict[int, ClosedNumber]) -> Polynomial:
    """(1 + x)^M (w_0 + 2 Σ w_m T_m(y)), y = (1 − x)/(1 + x)."""
    one, most = ClosedNumber.of(1), max(waves)
    below, turn = [one, one], [one, -one]
    found: Polynomial = []
    for n, weight in waves.items():
        raised = product(chebyshev(n, turn, below), power(below, most - n))
        found = total(found, [(2 if n else 1) * weight * c for c in raised])
    return found


_LARGEST_POWER = 60
_FAR_ABOVE = Constant(Fraction(10**6))


def by_formula(question: Question) -> Finding | None:
    """A product over the columns by its factor on one; else a formula by its terms, factors, powers and exponentials.

    e^g, and 1/h for g = −h and h(0) > 0, are positive definite if g plus a large constant is [Schoenberg 1942].
    """
    kernel = question.kernel
    if not isinstance(kernel, FormulaProduct | FormulaRadial) or kernel.shape.unknowns():
        return None
    body, is_series = kernel.shape.body, False
    parts: Kernel | None
    if isinstance(kernel, FormulaProduct):
        parts = kernel.line()
        rule = "∏ f(|Δ_i|) is positive definite exactly if f(|t|) is on one column"
    elif (series := _in_series(body)) is not None:
        inner, rule = series
        is_series, parts = True, _of_parts("product", [operation("sum", (inner, _FAR_ABOVE))], kernel)
    else:
        name, terms = (body.name, body.operands) if isinstance(body, Operation) else ("", ())
        written = [terms] if name == "sum" else list(factorizations(body))
        if name == "power" and isinstance(terms[1], Constant) and terms[1].value in range(2, _LARGEST_POWER):
            written = [(terms[0],) * int(terms[1].value)]
        split = (_of_parts("sum" if name == "sum" else "product", each, kernel) for each in written)
        parts = next((each for each in split if each is not None), None)
        rule = f"{kernel}: its terms and factors on this many columns"
    if parts is None or parts == kernel:
        return None
    found = decided(Question(parts))
    if found.positive_definite == "proved":
        return Finding("proved", (*found.reasons, rule))
    if found.positive_definite == "unknown" or is_series:
        return None
    frequency = found.witness.frequency if found.witness is not None and parts.dim == kernel.dim else None
    return Finding("disproved", (*found.reasons, rule), frequency)


def _in_series(body: Term) -> tuple[Term, str] | None:
    """g, for e^g; −h, for c/h and h^−p with p > 0: (A − x)^−p is a power series in x."""
    if not isinstance(body, Operation) or body.name not in ("exp", "quotient", "power"):
        return None
    first, last = body.operands[0], body.operands[-1]
    if body.name == "exp":
        return first, "e^g has a power series in g [Schoenberg 1942]"
    inner, constant = (last, first) if body.name == "quotient" else (first, operation("negation", (last,)))
    if not isinstance(constant, Constant) or constant.value <= 0 or not depends_on_variable(inner):
        return None
    start = limit(Formula(inner), Fraction(0))
    if not isinstance(start, Fraction) or start <= 0:  # h^−2 is 1 at 0 for h(0) = −1 too
        return None
    terms = inner.operands if isinstance(inner, Operation) and inner.name == "sum" else (inner,)
    less = [
        term.operands[0] if isinstance(term, Operation) and term.name == "negation" else operation("negation", (term,))
        for term in terms
    ]
    what = "h^−p has a power series in a constant less h [Schoenberg 1942]"
    return (operation("sum", tuple(less)) if len(less) > 1 else less[0]), what


def _of_parts(name: str, terms: Sequence[Term], kernel: FormulaRadial) -> Kernel | None:
    """The sum or product of the kernels f/f(0), weighted by f(0); None if an f(0) is not a nonzero rational."""
    found: list[tuple[Scalar, Kernel]] = []
    for term in terms:
        start = limit(Formula(term), Fraction(0))
        if not isinstance(start, Fraction) or start == 0:
            return None
        shape = Formula(
            term if start == 1 else operation("product", (Constant(1 / start), term)), kernel.shape.variable
        )
        base = replace(kernel, shape=shape) if depends_on_variable(term) else one(kernel.dim, kernel.span)
        found.append((sympy.Rational(start.numerator, start.denominator), base))
    if name == "product":
        factors = [factor for _, factor in found if not is_one(factor)]
        found = [(prod(size for size, _ in found), product_of(factors, kernel))]
    return weighted_sum(found, Columns(kernel.dim), kernel.span)
