"""Weighted sums and averages of kernels."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from kernelspec.expressions.arguments import Scalar, Value
from kernelspec.expressions.elementary import is_integral, known_sign
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.expressions.structured_pairs import PRODUCT, bracketed, number_text
from kernelspec.kernels.kernel import Kernel, Verdict, joint_stationarity, joint_symmetry
from kernelspec.special.elementary import Scaled

if TYPE_CHECKING:
    from kernelspec.expressions.pairs import Pairs

__all__ = ["Sum"]


@dataclass(frozen=True, kw_only=True)
class Sum(Kernel):
    """Σ w_i k_i. With no term at all it is the zero kernel; a single term is a scaled kernel.

    Measures add: Σ w_i μ_i. A sample draws term i with probability q_i and carries the weight
    w_i / q_i.
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
        return sum((w * term.value(pairs) for w, term in zip(self.weights, self.terms, strict=True)), 0)

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
        if all(known_sign(w) == 1 for w in self.weights) and all(p.positive_definite == "proved" for p in parts):
            rule = "sum with positive weights: positive definite when every term is"
            return Verdict("proved", (*reasons, rule), *kind)
        if self._is_negative_on_the_diagonal:
            return Verdict("disproved", (*reasons, "weighted sum: k(x, x) < 0"), *kind)
        if kind[0] is False:
            return Verdict("disproved", (*reasons, "sum of symmetric terms and one that is not symmetric"), *kind)
        if all(known_sign(w) == 1 for w in self.weights):
            rule = "sum with positive weights: positive definite when every term is"
            return Verdict("unknown", (*reasons, rule), *kind)
        signed = any(known_sign(w) == -1 for w in self.weights)
        rule = "difference of kernels" if signed else "sum with a weight of unknown sign"
        return Verdict("unknown", (*reasons, f"{rule}: no rule decides it"), *kind)

    def _symmetry(self, parts: list[Verdict]) -> bool | None:
        if self._is_its_own_transpose():
            return True
        known = all(known_sign(w) in (1, -1) for w in self.weights)  # a weight that may be 0 takes its term away
        symmetric = joint_symmetry(parts, linear=True)
        return symmetric if symmetric or known else None

    def _is_its_own_transpose(self) -> bool:
        """Whether the terms of k(y, x) are those of k(x, y), in some order: k(Δ + r) + k(Δ − r), say."""
        turned = (term.transposed() for term in self.terms)
        return Counter(zip(self.weights, self.terms, strict=True)) == Counter(zip(self.weights, turned, strict=True))

    @cached_property
    def _is_negative_on_the_diagonal(self) -> bool:
        if not self.has_constant_diagonal:
            return False
        if any(is_integral(term.diagonal()) for term in self.terms):
            return False  # SymPy would compute digits of it, maybe forever
        size = self.diagonal()
        if isinstance(size, float | int):  # beyond the rounding of terms that cancel
            sizes = [abs(w * term.diagonal()) for w, term in zip(self.weights, self.terms, strict=True)]
            return bool(size < -1e-12 * sum(sizes))
        return known_sign(size) == -1

    @property
    def is_stationary(self) -> bool:
        return all(term.is_stationary for term in self.terms)

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
