"""Weighted sums and averages of kernels."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import add
from typing import TYPE_CHECKING

from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.verdict import Verdict
from kernelspec.laws.moments import Moments
from kernelspec.notation.arguments import Scalar, Value
from kernelspec.notation.written import PRODUCT, bracketed, number_text

if TYPE_CHECKING:
    from kernelspec.laws.sampler import Sampler
    from kernelspec.measures.measure import Measure
    from kernelspec.notation.pairs import Pairs

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
        return sum((w * term.value(pairs) for w, term in zip(self.weights, self.terms, strict=True)), 0)

    def diagonal(self) -> Scalar:
        return sum(w * term.diagonal() for w, term in zip(self.weights, self.terms, strict=True))

    def magnitude(self) -> Scalar:
        return sum(self._sizes)

    def probabilities(self) -> tuple[Scalar, ...]:
        """q_i, the chance that a sample is one of term i: in proportion to the most that |w_i p_i| can be."""
        total = self.magnitude()
        return tuple(size / total for size in self._sizes)

    @cached_property
    def _sizes(self) -> list[Scalar]:
        return [abs(w) * term.magnitude() for w, term in zip(self.weights, self.terms, strict=True)]

    def moments(self, pairs: Pairs) -> Moments:
        if not self.terms:
            return Moments(0, 0, 0)
        factors = [w**2 / q for w, q in zip(self.weights, self.probabilities(), strict=True)]
        parts = (term.moments(pairs).scaled(factor) for term, factor in zip(self.terms, factors, strict=True))
        return reduce(add, parts)

    def verdict(self) -> Verdict:
        parts = [term.verdict() for term in self.terms]
        reasons = tuple(reason for part in parts for reason in part.reasons)
        stationary = None if any(part.stationary is None for part in parts) else all(p.stationary for p in parts)
        symmetric = all(part.symmetric for part in parts) or self._is_its_own_transpose()
        if not self.terms:
            return Verdict("proved", ("the zero kernel",))
        if all(_sign(w) == 1 for w in self.weights):
            proved = all(part.positive_definite == "proved" for part in parts)
            rule = "sum with positive weights: positive definite when every term is"
            return Verdict("proved" if proved else "unknown", (*reasons, rule), symmetric, stationary)
        if self._is_negative_on_the_diagonal():
            return Verdict("disproved", (*reasons, "weighted sum: k(x, x) < 0"), symmetric, stationary)
        signed = any(_sign(w) == -1 for w in self.weights)
        rule = "difference of kernels" if signed else "sum with a weight of unknown sign"
        return Verdict("unknown", (*reasons, f"{rule}: no rule decides it"), symmetric, stationary)

    def _is_its_own_transpose(self) -> bool:
        """Whether the terms of k(y, x) are those of k(x, y), in some order: k(Δ + r) + k(Δ − r), say."""
        turned = (term.transposed() for term in self.terms)
        return Counter(zip(self.weights, self.terms, strict=True)) == Counter(zip(self.weights, turned, strict=True))

    def _is_negative_on_the_diagonal(self) -> bool:
        if not self.has_constant_diagonal:
            return False
        size = self.diagonal()
        if isinstance(size, float | int):  # beyond the rounding of terms that cancel
            sizes = [abs(w * term.diagonal()) for w, term in zip(self.weights, self.terms, strict=True)]
            return bool(size < -1e-12 * sum(sizes))
        return _sign(size) == -1

    @property
    def is_stationary(self) -> bool:
        return all(term.is_stationary for term in self.terms)

    def measure(self) -> Measure:
        from kernelspec.measures.mixture import Mixture

        return Mixture(tuple(term.measure() for term in self.terms), self.weights, self.dim)

    def sampler(self, positions: tuple[int, ...]) -> Sampler:
        from kernelspec.laws.mixture import MixtureSampler

        return MixtureSampler(tuple(term.sampler(positions) for term in self.terms), self.weights, self.probabilities())

    def __str__(self) -> str:
        """`0.5*gaussian() - match()`; 0 for the zero kernel."""
        if not self.terms:
            return "0"
        shown = ""
        for weight, term in zip(self.weights, self.terms, strict=True):
            negative = _sign(weight) == -1
            size = -weight if negative else weight
            factor = "" if size == 1 else f"{bracketed(number_text(size), PRODUCT)}*"
            sign = (" - " if negative else " + ") if shown else "-" if negative else ""
            shown += f"{sign}{factor}{bracketed(term, PRODUCT)}"
        return shown


def _sign(weight: Scalar) -> int:
    """1 or −1 where the sign is known (a symbol may be declared positive), else 0."""
    if getattr(weight, "is_positive", None) or (isinstance(weight, float | int) and weight > 0):
        return 1
    if getattr(weight, "is_negative", None) or (isinstance(weight, float | int) and weight < 0):
        return -1
    return 0
