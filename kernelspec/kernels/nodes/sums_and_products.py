"""Weighted sums, averages over subsets of columns, products and whole powers of kernels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, reduce
from math import comb
from operator import mul
from typing import ClassVar, TypeVar

import numpy as np

from kernelspec.expressions.arguments import Scalar, Value
from kernelspec.expressions.elementary import is_integral, known_number, known_sign, whole_power
from kernelspec.expressions.pairs import NumericPairs, Pairs
from kernelspec.expressions.structured_pairs import ATOM, PRODUCT, bracketed, number_text
from kernelspec.kernels.kernel import Kernel, OnBase, Verdict, joint_stationarity, joint_symmetry
from kernelspec.kernels.leaf import load_kernel
from kernelspec.loading import Span
from kernelspec.special.elementary import Scaled

__all__ = ["Additive", "Power", "Product", "Sum", "elementary_symmetric", "one"]


_COUNTED = 3  # the fewest columns of equal weight whose equal categories are counted together


@dataclass(frozen=True, kw_only=True)
class Sum(Kernel):
    """Σ w_i k_i. The empty sum is the zero kernel; a single term is a scaled kernel.

    Measures add: Σ w_i μ_i. A sample draws term i with probability q_i and has the weight w_i / q_i.
    """

    terms: tuple[Kernel, ...]
    weights: tuple[Scalar, ...]

    def validate(self) -> None:
        super().validate()
        if len(self.weights) != len(self.terms):
            raise ValueError(f"a sum has {len(self.terms)} terms and {len(self.weights)} weights")

    def value(self, pairs: Pairs) -> Value:
        if isinstance(pairs, NumericPairs) and self.grows_exponentially:
            return self.scaled_value(pairs).value()
        total, rest = 0, list(zip(self.weights, self.terms, strict=True))
        if isinstance(pairs, NumericPairs) and self._counted is not None:
            weight, columns, rest = self._counted
            total = weight * pairs.count_equal(columns)
        return sum((w * term.value(pairs) for w, term in rest), total)

    @cached_property
    def _counted(self) -> tuple[Scalar, list[int], list[tuple[Scalar, Kernel]]] | None:
        """The commonest weight of terms that compare one column each, these columns, and the other terms.

        Counting equal columns in one pass is several times as fast as adding a matrix for each. None for few.
        """
        compared = [term.compared_column() for term in self.terms]
        weights = Counter(w for w, column in zip(self.weights, compared, strict=True) if column is not None)
        weight, count = max(weights.items(), key=lambda own: own[1], default=(0, 0))
        if count < _COUNTED:
            return None
        alike = [w == weight and column is not None for w, column in zip(self.weights, compared, strict=True)]
        columns = [column for column, own in zip(compared, alike, strict=True) if own and column is not None]
        rest = [(w, term) for w, term, own in zip(self.weights, self.terms, alike, strict=True) if not own]
        return weight, columns, rest

    def scaled_value(self, pairs: NumericPairs) -> Scaled:
        total = Scaled(np.zeros(()), np.zeros(()))
        for weight, term in zip(self.weights, self.terms, strict=True):
            total = total.plus(term.scaled_value(pairs), float(weight))
        return total

    def diagonal(self) -> Scalar:
        return sum(w * term.diagonal() for w, term in zip(self.weights, self.terms, strict=True))

    def magnitude(self) -> Scalar:
        return sum(self._sizes)

    def shares(self) -> tuple[Scalar, ...]:
        """The share of every term in the magnitude of the sum."""
        total = self.magnitude()
        return tuple(size / total for size in self._sizes)

    @cached_property
    def _sizes(self) -> list[Scalar]:
        return [abs(w) * term.magnitude() for w, term in zip(self.weights, self.terms, strict=True)]

    def verdict(self) -> Verdict:
        parts = [term.verdict() for term in self.terms]
        reasons = tuple(reason for part in parts for reason in part.reasons)
        if not self.terms:
            return Verdict("proved", ("the zero kernel",))
        kind = (self._symmetry(parts), *joint_stationarity(parts))
        sign = "positive" if all(known_sign(w) == 1 for w in self.weights) else "nonnegative"
        rule = f"sum with {sign} weights: positive definite when every term is"
        if self._has_nonnegative_weights and all(p.positive_definite == "proved" for p in parts):
            return Verdict("proved", (*reasons, rule), *kind)
        if self._is_negative_on_the_diagonal:
            return Verdict("disproved", (*reasons, "weighted sum: k(x, x) < 0"), *kind)
        if kind[0] is False:
            return Verdict("disproved", (*reasons, "sum of symmetric terms and one that is not symmetric"), *kind)
        if self._has_nonnegative_weights:
            return Verdict("unknown", (*reasons, rule), *kind)
        signed = any(known_sign(w) == -1 for w in self.weights)
        rule = "difference of kernels" if signed else "sum with a weight of unknown sign"
        return Verdict("unknown", (*reasons, f"{rule}: no rule decides it"), *kind)

    @property
    def _has_nonnegative_weights(self) -> bool:
        """Also those of parameters that may be 0."""
        return all(known_sign(w) in (0, 1) or getattr(w, "is_nonnegative", None) for w in self.weights)

    def _symmetry(self, parts: list[Verdict]) -> bool | None:
        if self._is_its_own_transpose():
            return True
        known = all(known_sign(w) in (1, -1) for w in self.weights)  # a weight that may be 0 may remove its term
        symmetric = joint_symmetry(parts, linear=True)
        return symmetric if symmetric or known else None

    def _is_its_own_transpose(self) -> bool:
        """Whether the terms of k(y, x) are those of k(x, y), in some order, as for k(Δ + r) + k(Δ − r)."""
        turned = (term.transposed() for term in self.terms)
        return Counter(zip(self.weights, self.terms, strict=True)) == Counter(zip(self.weights, turned, strict=True))

    @cached_property
    def _is_negative_on_the_diagonal(self) -> bool:
        if not self.has_constant_diagonal:
            return False
        if any(is_integral(term.diagonal()) for term in self.terms):
            return False  # SymPy might compute its digits forever
        size = self.diagonal()
        if isinstance(size, float | int):  # exceeds the rounding of terms that cancel
            sizes = [abs(w * term.diagonal()) for w, term in zip(self.weights, self.terms, strict=True)]
            return bool(size < -1e-12 * sum(sizes))
        return known_sign(size) == -1

    def __str__(self) -> str:
        """`0.5*gaussian() - match()`; 0 for the zero kernel."""
        if not self.terms:
            return "0"
        shown = ""
        for weight, term in zip(self.weights, self.terms, strict=True):
            negative = known_sign(weight) == -1
            size = -weight if negative else weight
            factor = "" if size == 1 else f"{bracketed(number_text(size), PRODUCT)}*"
            sign = (" - " if negative else " + ") if shown else "-" if negative else ""
            shown += f"{sign}{factor}{bracketed(term, PRODUCT)}"
        return shown


Term = TypeVar("Term")


def elementary_symmetric(terms: Iterable[Term], order: int, one: Term) -> Term | None:
    """The sum over all sets of `order` terms of their product, in O(terms · order); None for fewer terms.

    Terms support + and *; `one` is the unit.
    """
    found: list[Term | None] = [one, *([None] * order)]
    for term in terms:
        for q in range(order, 0, -1):
            below = found[q - 1]
            if below is not None:
                product = term if q == 1 else below * term  # type: ignore[operator]
                found[q] = product if found[q] is None else found[q] + product  # type: ignore[operator]
    return found[order]


_ROUNDING = 1e-9


@dataclass(frozen=True, kw_only=True)
class Additive(OnBase):
    """The average over all sets S of `order` columns of ∏_{i∈S} k(x_i, y_i), k = `base` a one-column kernel.

    e_q(k(x_1, y_1), …, k(x_d, y_d)) / C(d, q) with the elementary symmetric polynomial e_q. A sample draws S uniformly.
    Reference: Duvenaud, Nickisch and Rasmussen 2011.
    """

    order: int

    def children(self) -> Iterator[Kernel]:
        """Empty, because the base is a kernel on a single column."""
        return iter(())

    def bases(self) -> Iterator[Kernel]:
        return iter((self.base,))

    def validate(self) -> None:
        super().validate()
        if self.base.dim != 1 or not 1 <= self.order <= self.dim:
            raise ValueError(f"sets of {self.order} of {self.dim} columns, of a kernel on {self.base.dim} columns")

    @property
    def n_sets(self) -> int:
        """C(d, q)."""
        return comb(int(self.dim), self.order)

    def average(self, of_column: Iterable[Term], one: Term) -> Term:
        """The average over the sets of products of the columns' values."""
        total = elementary_symmetric(of_column, self.order, one)
        return total * (1 / self.n_sets) if isinstance(total, np.ndarray | float) else total * Fraction(1, self.n_sets)  # type: ignore

    def value(self, pairs: Pairs) -> Value:
        return self.average((self.base.value(pairs.select((i,))) for i in range(int(self.dim))), 1)

    @property
    def grows_exponentially(self) -> bool:
        return self.base.grows_exponentially

    @property
    def has_constant_diagonal(self) -> bool:
        return self.base.has_constant_diagonal

    def diagonal(self) -> Scalar:
        return self.base.diagonal() ** self.order

    def magnitude(self) -> Scalar:
        return self.base.magnitude() ** self.order

    def verdict(self) -> Verdict:
        part = self.base.verdict()
        sets = f"{self.n_sets:,} sets of {self.order} columns" if isinstance(self.dim, int) else "sets of columns"
        rule = f"average over {sets}: positive definite when the base is [Schur 1911]"
        found = replace(part, reasons=(*part.reasons, rule), witness=None)
        if part.positive_definite == "proved":
            return found
        if part.symmetric is not False:
            return replace(found, positive_definite="unknown")
        # of rows that differ in one column, k is k(x, x)^(q−1) times the base in this column, plus a constant
        height = known_number(self.base.diagonal() ** (self.order - 1)) if self.has_constant_diagonal else None
        if self.order > 1 and (height is None or abs(height) < _ROUNDING):
            return replace(found, positive_definite="unknown", symmetric=None)
        reasons = (*found.reasons, "the base is not symmetric, and neither is the average")
        return replace(found, positive_definite="disproved", reasons=reasons)

    def __str__(self) -> str:
        return f"each({self.base})" if self.order == 1 else f"additive({self.base}, order={self.order})"


def one(dim: Scalar, span: Span | None) -> Kernel:
    """The kernel 1, the empty product."""
    return load_kernel("constant")(dim=dim, span=span)


@dataclass(frozen=True, kw_only=True)
class Product(Kernel):
    """∏ k_i. Measures convolve; of independent draws, frequencies add and keys are mixed."""

    factors: tuple[Kernel, ...]

    def validate(self) -> None:
        super().validate()
        if not self.factors:
            raise ValueError("a product has no factors")

    def value(self, pairs: Pairs) -> Value:
        if isinstance(pairs, NumericPairs) and self._may_overflow:
            return self.scaled_value(pairs).value()
        return reduce(mul, (factor.value(pairs) for factor in self.factors))

    @cached_property
    def _may_overflow(self) -> bool:
        """Cached `grows_exponentially`, which inspects all factors."""
        return self.grows_exponentially

    def scaled_value(self, pairs: NumericPairs) -> Scaled:
        return reduce(Scaled.times, (factor.scaled_value(pairs) for factor in self.factors))

    def diagonal(self) -> Scalar:
        return reduce(mul, (factor.diagonal() for factor in self.factors))

    def magnitude(self) -> Scalar:
        return reduce(mul, (factor.magnitude() for factor in self.factors))

    def verdict(self) -> Verdict:
        parts = [factor.verdict() for factor in self.factors]
        reasons = tuple(reason for part in parts for reason in part.reasons)
        proved = all(part.positive_definite == "proved" for part in parts)
        rule = "product: positive definite when every factor is [Schur 1911]"
        symmetric = self._is_its_own_transpose() or joint_symmetry(parts, linear=False)
        return Verdict("proved" if proved else "unknown", (*reasons, rule), symmetric, *joint_stationarity(parts))

    def _is_its_own_transpose(self) -> bool:
        """Whether the factors of k(y, x) are those of k(x, y), in some order."""
        return Counter(self.factors) == Counter(factor.transposed() for factor in self.factors)

    def __str__(self) -> str:
        return "*".join(bracketed(factor, PRODUCT) for factor in self.factors)


@dataclass(frozen=True, kw_only=True)
class Power(Kernel):
    """k ** n, n = 1, 2, … up to `largest`: the product of n independent samples of k."""

    largest: ClassVar[int] = 100

    base: Kernel
    exponent: int

    def validate(self) -> None:
        super().validate()
        if not 1 <= self.exponent <= self.largest:
            raise ValueError(f"the exponent is {self.exponent}")

    def value(self, pairs: Pairs) -> Value:
        return whole_power(self.base.value(pairs), self.exponent)

    def scaled_value(self, pairs: NumericPairs) -> Scaled:
        return self.base.scaled_value(pairs).to_the(self.exponent)

    def diagonal(self) -> Scalar:
        return whole_power(self.base.diagonal(), self.exponent)

    def magnitude(self) -> Scalar:
        return whole_power(self.base.magnitude(), self.exponent)

    def verdict(self) -> Verdict:
        part = self.base.verdict()
        rule = f"power {self.exponent}: positive definite when the base is [Schur 1911]"
        proved = part.positive_definite == "proved"
        # odd powers of different numbers differ; even powers of a and −a are equal
        odd = self.exponent % 2 == 1
        return Verdict(
            "proved" if proved else "disproved" if odd and part.symmetric is False else "unknown",
            (*part.reasons, rule),
            part.symmetric if odd else part.symmetric or None,
            part.stationary if odd or not self.has_constant_diagonal else part.stationary or None,
            part.stationary_in_numbers,
        )

    def __str__(self) -> str:
        return f"{bracketed(self.base, ATOM)}**{self.exponent}"
