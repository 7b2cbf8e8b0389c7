"""The two tests of an unbiased estimate with a predicted variance, and how large a sample can be.

With N independent numbers x of mean 0 and variance at most σ², and ψ(u) = sign(u) ln(1 + |u| + u²/2), each exp(±ψ(αx))
has a mean of at most 1 + α²σ²/2. So Σ ψ(αx_i) exceeds N ln(1 + α²σ²/2) + ln(2/p) on either side with probability p at
most, whatever the law. The best α is √(2 ln(2/p) / Nσ²). Reference: Catoni 2012, Challenging the empirical mean.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from kernelspec.expressions.pairs import ExponentialOf
from kernelspec.laws.columns_and_lags import SelectedLaw, StretchLaw
from kernelspec.laws.compositional.neurons import NeuronLaw
from kernelspec.laws.coordinate import CoordinateLaw
from kernelspec.laws.exact_features import ExactFeaturesLaw
from kernelspec.laws.joint import JointLaw
from kernelspec.laws.mixture import MixtureLaw
from kernelspec.laws.polar import SinhRowsLaw
from kernelspec.laws.product import ProductLaw
from kernelspec.laws.translation import TiltLaw, TranslationLaw

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernelspec.expressions.pairs import NumericPairs
    from kernelspec.laws.law import Law
    from kernelspec.tables.rows import Rows

__all__ = [
    "POWER",
    "Deviations",
    "detectable_shift",
    "largest_sample",
    "mean_limit",
    "mean_scores",
    "samples_needed",
    "variance_interval",
    "varies_often",
]

POWER = 0.999
"""The probability with which what is called detectable is detected."""

_TO_POWER = 3.0902323061678132
"""The standard normal quantile of POWER."""


def mean_scores(deviations: NDArray[np.float64], variance: NDArray[np.float64], level: float) -> NDArray[np.float64]:
    """The scores (P,) of numbers (N, P) less their claimed means, under their claimed variances (P,), all positive.

    Σ ψ(αx)/(α σ √N): the z-score where all x are small against √N σ, and less where some are large.
    """
    size = np.sqrt(variance)
    rate = np.sqrt(2 * np.log(2 / level) / len(deviations))
    scaled = deviations * (rate / size)
    magnitude = np.abs(scaled)
    total = np.copysign(np.log1p(magnitude + magnitude**2 / 2), scaled).sum(axis=0)
    return np.asarray(total / (rate * np.sqrt(len(deviations))))


def mean_limit(n: int, level: float) -> float:
    """What the score of n numbers exceeds in size with probability p = `level` at most: a little below √(2 ln(2/p))."""
    share = float(np.log(2 / level))
    return (n * float(np.log1p(share / n)) + share) / float(np.sqrt(2 * share))


def detectable_shift(n: int, level: float) -> float:
    """The shift of the mean, in standard deviations of one number, that is found with probability POWER."""
    return (mean_limit(n, level) + _TO_POWER) / float(np.sqrt(n))


def samples_needed(shift: float, level: float) -> int:
    """How many numbers find a shift of so many standard deviations with probability POWER; fewer find none."""
    share = 2 * float(np.log(2 / level))
    return int(np.ceil(max(share, ((np.sqrt(share) + _TO_POWER) / shift) ** 2)))


def largest_sample(law: Law, pairs: NumericPairs) -> NDArray[np.float64]:
    """A bound on |p(x, y)|, of the shape of the pairs; infinite where none is known.

    `magnitude`, unless amplitudes depend on the rows: then that of tilts is e^{β·Δ}, of inner products on d columns
    d·max|x_i|·max|y_i|, and those of sums, products and the like follow. Of normal neurons there is none.
    """
    if not _grows(law):
        return np.full(pairs.shape, float(law.magnitude()))
    match law:
        case MixtureLaw():
            shares = zip(law.weights, law.probabilities, law.parts, strict=True)
            sizes = [abs(float(w)) / float(q) * largest_sample(part, pairs) for w, q, part in shares if q > 0]
            return np.asarray(np.max(sizes, axis=0))
        case ProductLaw():
            return np.asarray(prod(largest_sample(factor, pairs) for factor in law.factors))
        case SelectedLaw():
            return largest_sample(law.base, pairs.select(law.positions))
        case StretchLaw():
            return largest_sample(law.base, pairs.map(law.matrix))
        case TranslationLaw():
            return largest_sample(law.base, pairs.translated(law.by))
        case JointLaw():
            return largest_sample(law.base, pairs)
        case TiltLaw():
            rise = np.asarray(pairs.of(ExponentialOf(law.by)), dtype=float)
            return np.asarray(rise * largest_sample(law.base, pairs))
        case SinhRowsLaw():
            rise = np.asarray(pairs.of(ExponentialOf(law.by)), dtype=float)
            return np.asarray(np.abs(1 + (rise - 1 / rise) / 2))
        case ExactFeaturesLaw():
            # features that share columns have a sign each: their sum is at most √n times the root of the sum of squares
            terms = law.n_terms if law.has_key else 1
            return np.asarray(np.sqrt(terms * np.asarray(law.moments(pairs).a, dtype=float)))
        case CoordinateLaw():
            sides = [_largest_entry(rows, directions=law.kernel.of_directions) for rows in (pairs.x, pairs.y)]
            product = np.multiply.outer(*sides) if pairs.grid else sides[0] * sides[1]
            return np.asarray(pairs.dim * product)
    return np.full(pairs.shape, np.inf)


def _grows(law: Law) -> bool:
    """Whether samples may be larger than their `magnitude`, on some rows or by some draws."""
    if isinstance(law, CoordinateLaw):
        return not law.kernel.of_signs
    own = isinstance(law, ExactFeaturesLaw | NeuronLaw | SinhRowsLaw | TiltLaw)
    return own or any(_grows(below) for below in law.children())


def _largest_entry(rows: Rows, *, directions: bool) -> NDArray[np.float64]:
    table = np.abs((rows.on_unit_sphere() if directions else rows).dense())
    return np.asarray(table.max(axis=1))


_RARE = 16
"""Fewer events than this among all maps (by excess kurtosis: M/κ) are too few for a limit theorem."""

_COARSE = 1.25
"""An allowed deviation of the variance, as a share of it, that is too wide to call the variance judged."""


@dataclass(frozen=True)
class Deviations:
    """M independent estimates of P values minus the values, `errors` (M, P), and their `predicted` variance (P,).

    `rounding` (P,) is what is lost in the predicted variance to floating-point cancellation, `fourth` (P,) an upper
    bound on the mean of errors⁴, infinite where none is known.
    """

    errors: NDArray[np.float64]
    predicted: NDArray[np.float64]
    rounding: NDArray[np.float64]
    fourth: NDArray[np.float64]

    @property
    def n_maps(self) -> int:
        """M."""
        return len(self.errors)

    def take(self, which: NDArray[np.bool_]) -> Deviations:
        """Some of the values."""
        return Deviations(self.errors[:, which], self.predicted[which], self.rounding[which], self.fourth[which])

    def z_scores(self, level: float) -> NDArray[np.float64]:
        """The scores of the mean errors, (P,), for a test at this level; mean_limit(M, level) is their limit."""
        return mean_scores(self.errors, self.predicted + self.rounding, level)

    def ratio_scores(self, level: float) -> NDArray[np.float64]:
        """The scores of the variances, (P,): those of errors² less what was predicted; for `spread` finite."""
        return mean_scores(self.errors**2 - self.predicted, (self.spread() * self.predicted) ** 2, level)

    def ratios(self, level: float) -> NDArray[np.float64]:
        """Observed variance over the predicted one, (P,), with less weight on single large errors."""
        return np.asarray(1 + self.ratio_scores(level) * self.spread() / np.sqrt(self.n_maps))

    def reach(self, level: float) -> NDArray[np.float64]:
        """How far a ratio may be from one, (P,)."""
        return np.asarray(mean_limit(self.n_maps, level) * self.spread() / np.sqrt(self.n_maps))

    def spread(self) -> NDArray[np.float64]:
        """The standard deviation of errors² over their mean, (P,), at most: √(m₄/V² − 1); estimated without a bound.

        Where it is estimated, infinite if it hangs on a few rare events.
        """
        with np.errstate(over="ignore"):
            bound = np.sqrt(np.maximum(self.fourth / self.predicted**2 - 1, 1e-3))
        excess = self._kurtosis() - 3
        found = np.sqrt(np.maximum(excess + 2, 1e-3))
        estimated = np.where(excess * _RARE <= self.n_maps, found, np.inf)
        return np.asarray(np.where(np.isfinite(self.fourth), bound, estimated))

    def can_judge_variance(self, level: float) -> NDArray[np.bool_]:
        """Where a variance a little over twice the predicted one would be found, (P,).

        Elsewhere the variance may hang on a few rare events among all maps, met or not.
        """
        return np.asarray(self.reach(level) <= _COARSE)

    def pooled_ratio(self) -> tuple[float, float]:
        """The mean of errors²/predicted over all P values, and its degrees of freedom.

        The values of one map depend on each other, the maps do not: the spread is taken over maps.
        """
        m = self.n_maps
        per_map = (self.errors**2 / self.predicted).mean(axis=1)
        ratio = float(per_map.mean())
        spread = float(per_map.var(ddof=1)) / ratio**2 if ratio > 0 else 0.0
        return ratio, 2 * m / max(spread, 1 / m)

    def _kurtosis(self) -> NDArray[np.float64]:
        centred = self.errors - self.errors.mean(axis=0)
        second = np.square(centred).mean(axis=0)
        varies = second > 1e-6 * self.predicted  # what is less is rounding, and has no shape
        fourth = (np.square(centred) ** 2).mean(axis=0)
        return np.asarray(np.divide(fourth, second**2, out=np.full_like(second, 3.0), where=varies))


def variance_interval(
    dof: NDArray[np.float64] | float, level: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The interval that χ²_ν/ν leaves, on either side, with probability level/2."""
    from scipy.special import gammainccinv, gammaincinv

    half = np.asarray(dof, dtype=float) / 2
    return gammaincinv(half, level / 2) / half, gammainccinv(half, level / 2) / half


def varies_often(estimates: NDArray[np.float64]) -> NDArray[np.bool_]:
    """False where the variation of the estimates (M, P) stems from fewer than sixteen events, by excess kurtosis."""
    centred = estimates - estimates.mean(axis=0)
    second, fourth = np.square(centred).mean(axis=0), (np.square(centred) ** 2).mean(axis=0)
    excess = np.divide(fourth, second**2, out=np.full_like(second, 3.0), where=second > 0) - 3
    return np.asarray(excess * _RARE <= len(estimates))
