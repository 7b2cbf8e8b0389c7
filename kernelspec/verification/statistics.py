"""The two tests of an unbiased estimate with a predicted variance, from M independent estimates of many values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kernelspec.verification.mean_tests import mean_limit, mean_scores

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Deviations", "variance_interval", "varies_often"]

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
