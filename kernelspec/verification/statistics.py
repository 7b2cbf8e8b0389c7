"""The two tests of an unbiased estimate with a predicted variance, and bounds on samples.

For N independent numbers x of mean 0 and variance at most σ², and ψ(u) = sign(u) ln(1 + |u| + u²/2), each exp(±ψ(αx))
has mean at most 1 + α²σ²/2. So Σ ψ(αx_i) exceeds N ln(1 + α²σ²/2) + ln(2/p) on either side with probability at most p,
for any law. The best α is √(2 ln(2/p) / Nσ²). Reference: Catoni 2012, Challenging the empirical mean.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from kernelspec.expressions.pairs import ExponentialOf, NumericPairs
from kernelspec.laws.columns_and_lags import SelectedLaw, StretchLaw
from kernelspec.laws.compositional.neurons import NeuronLaw
from kernelspec.laws.coordinate import CoordinateLaw
from kernelspec.laws.exact_features import ExactFeaturesLaw
from kernelspec.laws.joint import JointLaw
from kernelspec.laws.law import Law
from kernelspec.laws.sums_and_products import MixtureLaw, ProductLaw
from kernelspec.laws.translation import SinhRowsLaw, TiltLaw, TranslationLaw

__all__ = [
    "ALIKE",
    "LARGE",
    "ROUNDING",
    "Deviations",
    "detectable_shift",
    "largest_sample",
    "mean_limit",
    "samples_needed",
    "variance_interval",
    "varies_often",
]

Numbers = NDArray[np.float64]

LARGE = 0.3
"""The share of its size from which a kernel value is large; such pairs determine the power."""

ROUNDING = 4e-15
"""Share of size² that cancellation may cost a predicted variance."""

ALIKE = 1e-6
"""Tolerance for estimates without variance, as a share of the size: below √ROUNDING, small variances look like none."""

POWER = 0.999
"""The probability with which a detectable effect is detected."""

_TO_POWER = 3.0902323061678132
"""The standard normal quantile of POWER."""


def mean_scores(deviations: Numbers, variance: Numbers, level: float) -> Numbers:
    """The scores (P,) of numbers (N, P) minus their claimed means, under their claimed variances (P,), all positive.

    Σ ψ(αx)/(α σ √N): the z-score if all x are small compared to √N σ, and less otherwise.
    """
    size = np.sqrt(variance)
    rate = np.sqrt(2 * np.log(2 / level) / len(deviations))
    scaled = deviations * (rate / size)
    magnitude = np.abs(scaled)
    total = np.copysign(np.log1p(magnitude + magnitude**2 / 2), scaled).sum(axis=0)
    return np.asarray(total / (rate * np.sqrt(len(deviations))))


def mean_limit(n: int, level: float) -> float:
    """The limit that the score of n numbers exceeds with probability at most p = `level`: just below √(2 ln(2/p))."""
    share = float(np.log(2 / level))
    return (n * float(np.log1p(share / n)) + share) / float(np.sqrt(2 * share))


def detectable_shift(n: int, level: float) -> float:
    """The shift of the mean, in standard deviations of one number, that is detected with probability POWER."""
    return (mean_limit(n, level) + _TO_POWER) / float(np.sqrt(n))


def samples_needed(shift: float, level: float) -> int:
    """The number of samples that detects a shift of `shift` standard deviations with probability POWER."""
    share = 2 * float(np.log(2 / level))
    return int(np.ceil(max(share, ((np.sqrt(share) + _TO_POWER) / shift) ** 2)))


def largest_sample(law: Law, pairs: NumericPairs) -> Numbers:
    """A bound on |p(x, y)|, of the shape of the pairs; infinite if unknown.

    `magnitude`, unless amplitudes depend on the rows: for tilts the bound is then e^{β·Δ}, for inner products on d
    columns d·max|x_i|·max|y_i|, and the bounds of sums, products and the like follow. Normal neurons have none.
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
            # features that share columns have one sign each: their sum is at most √n times the root of the sum of
            # squares
            terms = law.n_terms if law.has_key else 1
            return np.asarray(np.sqrt(terms * np.asarray(law.moments(pairs).a, dtype=float)))
        case CoordinateLaw():
            rows = [side.on_unit_sphere() if law.kernel.of_directions else side for side in (pairs.x, pairs.y)]
            x, y = (np.abs(side.dense()).max(axis=1) for side in rows)
            product = np.multiply.outer(x, y) if pairs.grid else x * y
            return np.asarray(pairs.dim * product)
    return np.full(pairs.shape, np.inf)


def _grows(law: Law) -> bool:
    """Whether samples may exceed their `magnitude`, on some rows or for some draws."""
    if isinstance(law, CoordinateLaw):
        return not law.kernel.of_signs
    own = isinstance(law, ExactFeaturesLaw | NeuronLaw | SinhRowsLaw | TiltLaw)
    return own or any(_grows(below) for below in law.children())


_RARE = 16
"""Fewer events than this among all maps (by excess kurtosis: M/κ) are too few for a limit theorem."""

_COARSE = 1.25
"""An allowed relative deviation of the variance that is too wide to count as judged."""


@dataclass(frozen=True)
class Deviations:
    """M independent estimates of P values minus the values, `errors` (M, P), and their `predicted` variance (P,).

    `rounding` (P,) is the error of the predicted variance from floating-point cancellation, `fourth` (P,) an upper
    bound on the mean of errors⁴, infinite if unknown.
    """

    errors: Numbers
    predicted: Numbers
    rounding: Numbers
    fourth: Numbers

    @property
    def n_maps(self) -> int:
        """M."""
        return len(self.errors)

    def take(self, which: NDArray[np.bool_]) -> Deviations:
        """Some of the values."""
        return Deviations(self.errors[:, which], self.predicted[which], self.rounding[which], self.fourth[which])

    def z_scores(self, level: float) -> Numbers:
        """The scores of the mean errors, (P,), for a test at this level; mean_limit(M, level) is their limit."""
        return mean_scores(self.errors, self.predicted + self.rounding, level)

    def ratio_scores(self, level: float) -> Numbers:
        """The scores of the variances, (P,): those of errors² minus the prediction; requires finite `spread`."""
        return mean_scores(self.errors**2 - self.predicted, (self.spread() * self.predicted) ** 2, level)

    def ratios(self, level: float) -> Numbers:
        """Observed over predicted variance, (P,), with less weight on single large errors."""
        return np.asarray(1 + self.ratio_scores(level) * self.spread() / np.sqrt(self.n_maps))

    def reach(self, level: float) -> Numbers:
        """How far a ratio may be from one, (P,)."""
        return np.asarray(mean_limit(self.n_maps, level) * self.spread() / np.sqrt(self.n_maps))

    def spread(self) -> Numbers:
        """An upper bound on the standard deviation of errors² over their mean, (P,): √(m₄/V² − 1); estimated without
        m₄.

        An estimate is infinite if it depends on a few rare events.
        """
        with np.errstate(over="ignore"):
            bound = np.sqrt(np.maximum(self.fourth / self.predicted**2 - 1, 1e-3))
        excess = _excess(self.errors, 1e-6 * self.predicted)  # a smaller variance is rounding, and has no shape
        found = np.sqrt(np.maximum(excess + 2, 1e-3))
        estimated = np.where(excess * _RARE <= self.n_maps, found, np.inf)
        return np.asarray(np.where(np.isfinite(self.fourth), bound, estimated))

    def can_judge_variance(self, level: float) -> NDArray[np.bool_]:
        """Whether a variance slightly over twice the predicted one would be found, (P,).

        Otherwise the variance may depend on a few rare events among all maps, seen or not.
        """
        return np.asarray(self.reach(level) <= _COARSE)

    def pooled_ratio(self) -> tuple[float, float]:
        """The average of errors²/predicted over all P values, and its degrees of freedom.

        The values of one map are dependent, but the maps are independent: the spread is taken over maps.
        """
        m = self.n_maps
        per_map = (self.errors**2 / self.predicted).mean(axis=1)
        ratio = float(per_map.mean())
        spread = float(per_map.var(ddof=1)) / ratio**2 if ratio > 0 else 0.0
        return ratio, 2 * m / max(spread, 1 / m)


def variance_interval(dof: Numbers | float, level: float) -> tuple[Numbers, Numbers]:
    """The interval outside which χ²_ν/ν lies with probability level/2 on either side."""
    from scipy.special import gammainccinv, gammaincinv

    half = np.asarray(dof, dtype=float) / 2
    return gammaincinv(half, level / 2) / half, gammainccinv(half, level / 2) / half


def varies_often(estimates: Numbers) -> NDArray[np.bool_]:
    """False if the variation of the estimates (M, P) stems from fewer than sixteen events, by excess kurtosis."""
    return np.asarray(_excess(estimates, 0.0) * _RARE <= len(estimates))


def _excess(numbers: Numbers, least: Numbers | float) -> Numbers:
    """The excess kurtosis of numbers (M, P); 0 if their variance is at most `least`."""
    squares = np.square(numbers - numbers.mean(axis=0))
    second, fourth = squares.mean(axis=0), np.square(squares).mean(axis=0)
    return np.asarray(np.divide(fourth, second**2, out=np.full_like(second, 3.0), where=second > least) - 3)
