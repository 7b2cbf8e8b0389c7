"""The two tests of an unbiased estimate with a predicted variance, from M independent estimates of many values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Deviations", "normal_limit", "variance_interval"]

_RARE = 16
"""Fewer events than this among all maps (by excess kurtosis: M/κ) are too few for a limit theorem."""


_EVENTS = 64
"""As few events that might have been expected and were not met: the chance of none is e⁻⁶⁴."""


@dataclass(frozen=True)
class Deviations:
    """M independent estimates of P values minus the values, `errors` (M, P), and their `predicted` variance (P,).

    `rounding` (P,) is what is lost in the predicted variance to floating-point cancellation.
    """

    errors: NDArray[np.float64]
    predicted: NDArray[np.float64]
    rounding: NDArray[np.float64]

    @property
    def n_maps(self) -> int:
        """M."""
        return len(self.errors)

    def z_scores(self) -> NDArray[np.float64]:
        """Mean error over its predicted standard deviation, (P,)."""
        deviation = np.sqrt((self.predicted + self.rounding) / self.n_maps)
        return np.asarray(self.errors.mean(axis=0) / deviation)

    def z_limits(self, level: float) -> NDArray[np.float64]:
        """The two-sided limit of |z| at a level, (P,): the normal one, wider for skewed estimates [Cornish-Fisher]."""
        limit = normal_limit(level)
        second = self._moment(2)
        skewness = np.divide(self._moment(3), second**1.5, out=np.zeros_like(second), where=self._varies(second))
        return np.asarray(limit + np.abs(skewness) / np.sqrt(self.n_maps) * (limit**2 - 1) / 6)

    def can_judge(self, jumps: NDArray[np.float64] | None = None) -> NDArray[np.bool_]:
        """False where the variance hangs on a few rare events among all maps, met or not, (P,).

        If all of it came from samples that change the estimate by `jumps` (P,), there would be M·predicted/jumps².
        """
        met = (self._kurtosis() - 3) * _RARE <= self.n_maps
        if jumps is None:
            return np.asarray(met)
        return np.asarray(met & (self.n_maps * self.predicted >= _EVENTS * jumps**2))

    def ratios(self) -> NDArray[np.float64]:
        """Observed variance over the predicted one, (P,)."""
        m = self.n_maps
        return self._moment(2) * m / (m - 1) / self.predicted

    def degrees_of_freedom(self) -> NDArray[np.float64]:
        """ν for which χ²_ν/ν has the variance of the ratio, (P,): 2/(2/(M − 1) + excess kurtosis/M) [Box 1953].

        An excess that stems from rare events is as large as their predicted number makes it: it grows with a
        ratio above 1.
        """
        excess = np.maximum(self._kurtosis() - 3, -1.0)
        excess = np.where(excess > 0, excess * np.maximum(self.ratios(), 1), excess)
        return 2 / (2 / (self.n_maps - 1) + excess / self.n_maps)

    def pooled_ratio(self) -> tuple[float, float]:
        """The mean of the ratios over all P values, and its degrees of freedom.

        The values of one map depend on each other, the maps do not: the spread is taken over maps.
        """
        centred = self.errors - self.errors.mean(axis=0)
        m = self.n_maps
        per_map = (centred**2 / self.predicted).mean(axis=1) * m / (m - 1)
        ratio = float(per_map.mean())
        spread = float(per_map.var(ddof=1)) / ratio**2 if ratio > 0 else 0.0
        return ratio, 2 * m / max(spread, 1 / m)

    def _moment(self, order: int) -> NDArray[np.float64]:
        moment: NDArray[np.float64] = ((self.errors - self.errors.mean(axis=0)) ** order).mean(axis=0)
        return moment

    def _kurtosis(self) -> NDArray[np.float64]:
        second = self._moment(2)
        return np.divide(self._moment(4), second**2, out=np.full_like(second, 3.0), where=self._varies(second))

    def _varies(self, second: NDArray[np.float64]) -> NDArray[np.bool_]:
        return np.asarray(second > 1e-6 * self.predicted)  # what is less is rounding, and has no shape


def normal_limit(level: float) -> float:
    """z with P(|Z| > z) = level for standard normal Z."""
    from scipy.special import ndtri

    return float(-ndtri(level / 2))


def variance_interval(
    dof: NDArray[np.float64] | float, level: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The interval that χ²_ν/ν leaves, on either side, with probability level/2."""
    from scipy.special import gammainccinv, gammaincinv

    half = np.asarray(dof, dtype=float) / 2
    return gammaincinv(half, level / 2) / half, gammainccinv(half, level / 2) / half
