"""Features of dual activations: a random number of independent samples of the kernel below, multiplied."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import PlanError
from kernelspec.laws.compositional.factors_drawn_singly import MOST, MOST_OF_ONE, ONE_BY_ONE, too_many
from kernelspec.laws.runs import multiply_runs, ones
from kernelspec.laws.sampler import Sampler, indented
from kernelspec.samples.samples import gather, multiply

if TYPE_CHECKING:
    from kernelspec.activations.activation import Activation
    from kernelspec.random.streams import Stream
    from kernelspec.samples.samples import Samples

__all__ = ["DualSampler"]


@dataclass(frozen=True)
class DualSampler(Sampler):
    """p = S ∏_{t ≤ l} p_t / m, l ~ a_l m^l / S, S = Σ a_l m^l, for σ̂(k) = Σ a_l k^l and samples p_t of `base`, of k.

    One draw of all Σ l factors, multiplied within each sample. Products of very many factors are drawn at once where
    the base has a law for them (frequencies of Gaussian, Cauchy and cosine laws). With `max_degree`, p is 0 for larger
    l: biased by Σ_{l > max_degree} a_l m^l at most. With `least_degree` samples are given that l is no less. Raises
    PlanError for more factors than can be drawn.
    Reference: Daniely, Frostig, Gupta and Singer 2017, Algorithm 1.
    """

    activation: Activation
    base: Sampler
    mass: float
    max_degree: int | None = None
    least_degree: int = 0

    def draw(self, stream: Stream, n: int) -> list[Samples]:
        degrees = self._degrees(stream.child(1), n)
        size = float(self.activation.dual_absolute(np.array(self.mass)))
        if size == 0:
            raise PlanError(
                f"the values of the activation {self.activation} over a kernel of mass {self.mass:g} are smaller than "
                "any float"
            )
        kept = np.ones(n)
        if self.max_degree is not None:
            kept = np.where(degrees > self.max_degree, 0.0, 1.0)
            degrees = np.where(degrees > self.max_degree, 0, degrees)
        large = np.flatnonzero(degrees > ONE_BY_ONE)
        # the law of a product may not be known: then all factors are drawn
        at_once = self.base.draw_products(stream.child(2), degrees[large]) if len(large) else None
        if at_once is None:
            large = large[:0]
        one_by_one = degrees.copy()
        one_by_one[large] = 0
        self._check(one_by_one)
        drawn = self._factors(stream.child(0), one_by_one)
        if at_once is not None:
            powers = replace(at_once, index=large, weight=at_once.weight * self.mass ** -degrees[large].astype(float))
            rest = ones(np.setdiff1d(np.arange(n), large))
            drawn = multiply(drawn, [powers, rest])
        return [replace(batch, weight=batch.weight * (size * kept[batch.index])) for batch in gather(drawn)]

    @property
    def n_terms(self) -> int:
        return 1 if self.base.n_terms == 1 else MOST  # no budget reaches for a power of a sum

    @property
    def has_phasor(self) -> bool:
        return self.base.has_phasor

    @property
    def has_key(self) -> bool:
        return self.base.has_key

    @property
    def has_amplitude(self) -> bool:
        return self.base.has_amplitude

    def lines(self, names: Sequence[str] | None = None) -> list[str]:
        law = f"l ~ the coefficients of {self.activation}"
        if self.mass != 1:
            law += f" times {self.mass:.3g}^l"
        if self.least_degree:
            law += f", given that l ≥ {self.least_degree}"
        if self.max_degree is not None:
            law += f", cut at l = {self.max_degree} (biased)"
        else:
            mean = self._mean_degree()
            law += f", E l is {'infinite' if np.isinf(mean) else f'{mean:.3g}'}"
        return [f"product of l independent draws, {law}:", *indented(self.base.lines(names))]

    def _mean_degree(self) -> float:
        """E l, given that l is no less than `least_degree`."""
        less = np.arange(self.least_degree, dtype=float)
        shares = self.activation.law(less, self.mass)
        return float((self.activation.mean_degree(self.mass) - less @ shares) / (1 - shares.sum()))

    def _degrees(self, stream: Stream, n: int) -> NDArray[np.int64]:
        """The first n degrees of a sequence that are not too small."""
        most = n
        while True:
            drawn = self.activation.draw_degrees(stream, most, self.mass)
            kept = drawn[drawn >= self.least_degree]
            if len(kept) >= n:
                return np.asarray(kept[:n])
            most = 2 * most + 64

    def _factors(self, stream: Stream, degrees: NDArray[np.int64]) -> list[Samples]:
        n, total = len(degrees), int(degrees.sum())
        if not total:
            return [ones(np.arange(n))]
        owner = np.repeat(np.arange(n), degrees)
        factors = self.base.draw(stream, total)
        if self.mass != 1:
            factors = [replace(batch, weight=batch.weight / self.mass) for batch in factors]
        return multiply_runs(factors, owner, n)

    def _check(self, degrees: NDArray[np.int64]) -> None:
        met = too_many(degrees)
        if met is not None:
            raise PlanError(
                f"the samples of the activation {self.activation} have met {met}, more than can be drawn one by one "
                f"({MOST_OF_ONE:,} in a sample, {MOST:,} in all): the law of their number has a heavy tail. Take "
                "fewer features, or cut it with max_degree=…, which biases the estimate by at most the sum of the "
                "coefficients left out"
            )
