"""Sums, of which every sample is one of the terms, and products, of independent samples of the factors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from math import prod
from operator import add, mul
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from kernelspec.expressions.arguments import Scalar, Value
from kernelspec.expressions.elementary import known_sign, whole_power
from kernelspec.expressions.pairs import NumericPairs, Pairs
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaves.discrete import Constant
from kernelspec.kernels.nodes.sums_and_products import Power, Product, Sum
from kernelspec.laws.fourier import FourierLaw
from kernelspec.laws.law import CombinedLaw, Law, Moments, indented, size_on
from kernelspec.laws.rules import OF_SHARES, Below, closed_to, own_law
from kernelspec.limits import spend
from kernelspec.random.streams import Stream
from kernelspec.samples.frequencies import Growth, run_sums
from kernelspec.samples.keys import MatchKey, RunKey
from kernelspec.samples.samples import Phasors, Samples, check_weights, gather, multiply

__all__ = ["MixtureLaw", "OneLaw", "ProductLaw", "multiply_runs", "ones"]


_LEAST = 1e-300  # the smallest probability whose inverse is a float


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

    @property
    def is_one_sided(self) -> bool:
        return super().is_one_sided and all(float(weight) >= 0 for weight in self.weights)

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


def ones(index: NDArray[np.intp]) -> Samples:
    """Samples that are 1 for all rows."""
    return Samples(index, np.ones(len(index)), np.ones(len(index)))


def multiply_runs(batches: Sequence[Samples], owner: NDArray[np.intp], n: int) -> list[Samples]:
    """∏ p_t over all t with owner_t = j, for j = 0, …, n − 1: samples 0, …, n − 1 of the product.

    The batches partition the indices t; `owner` (T,) is nondecreasing. A j that owns nothing gives 1.
    """
    found = [ones(np.arange(n))]
    for batch in batches:
        product = _within(batch.take(np.argsort(batch.index, kind="stable")), owner)
        is_left = np.ones(n, dtype=bool)
        is_left[product.index] = False
        found = multiply(found, [product, ones(np.flatnonzero(is_left))])
    return found


def _within(batch: Samples, owner: NDArray[np.intp]) -> Samples:
    own = owner[batch.index]
    first = np.flatnonzero(np.concatenate([[True], own[1:] != own[:-1]]))
    starts, growth = np.append(first, len(own)), batch.growth
    phasors = batch.phasors
    if phasors is not None:
        left, right = (np.add.reduceat(angles, first) for angles in (phasors.left, phasors.right))
        phasors = Phasors(phasors.columns, run_sums(phasors.frequencies, first), left, right)
    return Samples(
        own[first],
        np.multiply.reduceat(batch.weight, first),
        np.multiply.reduceat(batch.sign, first),
        phasors=phasors,
        # categories are the same key for every draw, so one copy suffices
        keys=tuple(key.take(first) if isinstance(key, MatchKey) else RunKey(key, starts) for key in batch.keys),
        growth=None if growth is None else Growth(growth.columns, np.add.reduceat(growth.rates, first, axis=0)),
        amplitudes=tuple(factor.runs(starts) for factor in batch.amplitudes),
    )


@dataclass(frozen=True)
class OneLaw(Law):
    """p = 1 for all rows: one constant column, without variance."""

    has_phasor: ClassVar[bool] = False
    has_key: ClassVar[bool] = False

    @property
    def dim(self) -> None:
        return None

    def draw(self, stream: Stream, n: int, columns: tuple[int, ...]) -> list[Samples]:
        return [ones(np.arange(n))]

    def value(self, pairs: Pairs) -> Value:
        return np.ones(pairs.shape) if isinstance(pairs, NumericPairs) else 1

    def moments(self, pairs: Pairs) -> Moments:
        return Moments(1, 1, 1)

    def magnitude(self) -> Scalar:
        return 1

    @property
    def exactness(self) -> str:
        return "a constant has one column"

    def lines(self, columns: tuple[int, ...], names: Sequence[str] | None = None) -> list[str]:
        return ["a constant, exactly"]


own_law.register(Constant, lambda kernel, below: OneLaw())


_OPERATIONS = 150_000
"""Two batches of samples with fewer samples than this are small: a power of a sum with keys has one
batch per sample.
"""

_MOST_COMPARED = 64
"""Most sets of columns compared by the keys of a product; products of sums over many columns have
exponentially many.
"""


@dataclass(frozen=True)
class ProductLaw(CombinedLaw):
    """p = ∏ p_i with independent draws: phasors fuse into one frequency, keys are mixed in order. A = ∏ A_i, B = ∏ B_i.

    A power is the product of several draws of one law.
    """

    factors: tuple[Law, ...]

    def validate(self) -> None:
        super().validate()
        if not self.factors or any(part.dim not in (None, self.dim) for part in self.factors):
            raise ValueError("the factors of a product are on different columns")

    def draw(self, stream: Stream, n: int, columns: tuple[int, ...]) -> list[Samples]:
        draws = (factor.draw(stream.child(i), n, columns) for i, factor in enumerate(self.factors))
        return reduce(_multiplied, draws)

    def draw_products(self, stream: Stream, counts: NDArray[np.int64], columns: tuple[int, ...]) -> Samples | None:
        """The products of the factors' draws, if all of them support it."""
        drawn = [factor.draw_products(stream.child(i), counts, columns) for i, factor in enumerate(self.factors)]
        known = [samples for samples in drawn if samples is not None]
        return reduce(mul, known) if len(known) == len(drawn) else None

    def value(self, pairs: Pairs) -> Value:
        if self._is_power:
            return whole_power(self.factors[0].value(pairs), len(self.factors))
        return reduce(mul, (factor.value(pairs) for factor in self.factors))

    def mean(self, pairs: Pairs) -> Value:
        if self._is_power:
            return whole_power(self.factors[0].mean(pairs), len(self.factors))
        return reduce(mul, (factor.mean(pairs) for factor in self.factors))

    def moments(self, pairs: Pairs) -> Moments:
        if self._is_power:
            return self.factors[0].moments(pairs) ** len(self.factors)
        return reduce(mul, (factor.moments(pairs) for factor in self.factors))

    def magnitude(self) -> Scalar:
        return reduce(mul, (factor.magnitude() for factor in self.factors))

    @property
    def exactness(self) -> str:
        """The rules of all factors, if all are exact; two phasors would each have their own sign."""
        rules = [factor.exactness for factor in self.factors]
        exact = all(rules) and sum(factor.has_phasor for factor in self.factors) < 2
        return "; ".join(dict.fromkeys(rules)) if exact else ""

    def compared(self, columns: tuple[int, ...]) -> frozenset[tuple[int, ...]] | None:
        """The unions of one set per factor, since the factors of a sample are drawn independently."""
        found = frozenset[tuple[int, ...]]({()})
        for factor in self.factors:
            own = factor.compared(columns)
            if own is None:
                return None
            found = frozenset(tuple(sorted({*a, *b})) for a in found for b in own)
            if len(found) > _MOST_COMPARED:
                return None
        return found

    @property
    def n_terms(self) -> int:
        return prod(factor.n_terms for factor in self.factors)

    def work(self, n: int, nonzeros: float) -> float:
        return sum(factor.work(n, nonzeros) for factor in self.factors)

    def lines(self, columns: tuple[int, ...], names: Sequence[str] | None = None) -> list[str]:
        if self._is_power:
            own = indented(self.factors[0].lines(columns, names))
            return [f"product of {len(self.factors)} independent draws of", *own]
        return ["product of", *(line for factor in self.factors for line in indented(factor.lines(columns, names)))]

    @property
    def _is_power(self) -> bool:
        return all(factor is self.factors[0] for factor in self.factors)


def _multiplied(left: list[Samples], right: list[Samples]) -> list[Samples]:
    spend(_OPERATIONS * float(len(left)) * len(right))
    return multiply(left, right)


@own_law.register
def _(kernel: Product, below: Below) -> Law:
    laws = [(law, law.fourier_kernel()) for law in map(below, kernel.factors)]
    first = [law for law, own in laws if own is not None]
    if len(first) > 1:  # measures convolve: one frequency for all of these factors
        smooth = tuple(own for _, own in laws if own is not None)
        first = [FourierLaw(kernel if len(smooth) == len(laws) else replace(kernel, factors=smooth))]
    factors = (*first, *(law for law, own in laws if own is None))
    return factors[0] if len(factors) == 1 else ProductLaw(factors)


@own_law.register
def _(kernel: Power, below: Below) -> Law:
    base = below(kernel.base)
    return ProductLaw((base,) * kernel.exponent) if base.fourier_kernel() is None else FourierLaw(kernel)


closed_to.register(Product, lambda kernel: OF_SHARES)
closed_to.register(Power, lambda kernel: OF_SHARES)
