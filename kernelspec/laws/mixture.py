"""Sums: every sample is one of the terms, at random."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from operator import add

import numpy as np
from numpy.typing import NDArray

from kernelspec.expressions.arguments import Scalar, Value
from kernelspec.expressions.elementary import known_sign
from kernelspec.expressions.pairs import Pairs
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.nodes.sum import Sum
from kernelspec.laws.law import CombinedLaw, Law, Moments, indented, size_on
from kernelspec.laws.rules import closed_to, own_law
from kernelspec.random.streams import Stream
from kernelspec.samples.samples import Samples, check_weights, gather

__all__ = ["MixtureLaw"]

_LEAST = 1e-300
"""The smallest probability whose inverse is a float."""


@dataclass(frozen=True)
class MixtureLaw(CombinedLaw):
    """p = (w_i / q_i) p_i with probability q_i, for Σ w_i k_i: A = Σ w_i² A_i / q_i, and likewise B.

    q_i is proportional to |w_i| times the bound on |p_i|. A plan may instead divide the budget between the terms of a
    sum: strata, with their weights.
    """

    parts: tuple[Law, ...]
    weights: tuple[Scalar, ...]

    def validate(self) -> None:
        super().validate()
        if len(self.parts) != len(self.weights) or any(part.dim not in (None, self.dim) for part in self.parts):
            raise ValueError("the terms of a sum are on different columns, or do not match the weights")

    @cached_property
    def probabilities(self) -> tuple[Scalar, ...]:
        """q_i, proportional to the bound on |w_i p_i|. Raises RangeError if that is beyond floats."""
        sizes = self._sizes
        total = sum(sizes)
        if isinstance(total, float):
            check_weights(total)
        return tuple(_share(size, total) for size in sizes)

    @property
    def _sizes(self) -> list[Scalar]:
        return [abs(w) * part.magnitude() for w, part in zip(self.weights, self.parts, strict=True)]

    def draw(self, stream: Stream, n: int, columns: tuple[int, ...]) -> list[Samples]:
        drawn = []
        for i, (part, chosen) in enumerate(zip(self.parts, stream.choose(self.probabilities, n), strict=True)):
            factor = float(abs(self.weights[i]) / self.probabilities[i])  # weights may be fractions
            drawn += [
                batch.relabelled(chosen[batch.index], factor, np.sign(float(self.weights[i])))
                for batch in part.draw(stream.part(i, chosen, n), len(chosen), columns)
            ]
        return gather(drawn)

    def draw_products(self, stream: Stream, counts: NDArray[np.int64], columns: tuple[int, ...]) -> Samples | None:
        """Multinomial numbers of draws of each part; the draws of one part are multiplied in one draw."""
        times = stream.generator("times").multinomial(counts, self.probabilities)
        product = None
        for i, part in enumerate(self.parts):
            drawn = part.draw_products(stream.child(i), times[:, i], columns)
            if drawn is None:
                return None
            factor = float(abs(self.weights[i]) / self.probabilities[i])  # weights may be fractions
            turned = np.sign(float(self.weights[i])) ** (times[:, i] % 2)
            own = replace(drawn, weight=drawn.weight * factor ** times[:, i], sign=drawn.sign * turned)
            product = own if product is None else product * own
        return product

    def value(self, pairs: Pairs) -> Value:
        return sum(w * part.value(pairs) for w, part in zip(self.weights, self.parts, strict=True))

    def mean(self, pairs: Pairs) -> Value:
        return sum(w * part.mean(pairs) for w, part in zip(self.weights, self.parts, strict=True))

    def moments(self, pairs: Pairs) -> Moments:
        if not self.parts:
            return Moments(0, 0, 0)
        factors = [size_on(pairs, w**2 / q) for w, q in zip(self.weights, self.probabilities, strict=True)]
        found = (part.moments(pairs).scaled(factor) for part, factor in zip(self.parts, factors, strict=True))
        return reduce(add, found)

    def magnitude(self) -> Scalar:
        return sum(self._sizes)

    def fourier_kernel(self) -> Kernel | None:
        terms = [part.fourier_kernel() for part in self.parts]
        known = tuple(term for term in terms if term is not None)
        if not known or len(known) < len(terms) or any(known_sign(weight) != 1 for weight in self.weights):
            return None
        return Sum(terms=known, weights=self.weights, dim=known[0].dim, span=known[0].span)

    def compared(self, columns: tuple[int, ...]) -> frozenset[tuple[int, ...]] | None:
        """The sets of all parts; a part without keys compares no columns, which differs from comparing some."""
        found = [part.compared(columns) for part in self.parts]
        known = [own for own in found if own is not None]
        return frozenset[tuple[int, ...]]().union(*known) if len(known) == len(found) else None

    @property
    def n_terms(self) -> int:
        return max((part.n_terms for part in self.parts), default=1)

    def work(self, n: int, nonzeros: float) -> float:
        shares = (max(1, round(q * n)) for q in self.probabilities)
        return sum(part.work(share, nonzeros) for part, share in zip(self.parts, shares, strict=True))

    def lines(self, columns: tuple[int, ...], names: Sequence[str] | None = None) -> list[str]:
        shown = []
        for part, q in zip(self.parts, self.probabilities, strict=True):
            first, *rest = part.lines(columns, names)
            shown += indented([f"{q:.3g}: {first}", *rest])
        return ["one of, with probability", *shown]


def _share(size: Scalar, total: Scalar) -> Scalar:
    """size / total; for floats never zero unless the size is, since shares divide."""
    share = size / total
    return max(share, _LEAST) if isinstance(share, float) and size else share


own_law.register(Sum, lambda kernel, below: MixtureLaw(tuple(below(term) for term in kernel.terms), kernel.weights))
closed_to.register(Sum, lambda kernel: frozenset())
