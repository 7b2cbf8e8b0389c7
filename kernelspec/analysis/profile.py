"""A kernel along one column: its values at a lag, the law of that column's frequency, and where both happen."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernelspec.analysis.facts import Facts, analyze
from kernelspec.analysis.line_spectrum import LineSpectrum, line_spectrum
from kernelspec.analysis.variances.skeletons import skeletons_in
from kernelspec.errors import ColumnError, DimensionError, NotStationaryError

if TYPE_CHECKING:
    from kernelspec.elaboration.valued_program import ValuedProgram

__all__ = ["Profile"]

_MOST_COLUMNS = 64
"""Positions up to which a spec is searched for its number of columns."""

_EVERY_LAG = np.geomspace(1e-9, 1e9, 1081)
_LEVELS = ((0.02, 1.0), (0.1, 2.5), (0.5, 25.0))
"""A kernel ends where |k| stays below 2 % of its maximum, or a little after 10 % or 50 %, if the tail is long."""

_SETTLED = 180
"""Values of the last decades by which a kernel is seen to be constant there."""

_PERIODS = 3
_FINEST = 64
_MOST_LAGS = 2**17


@dataclass(frozen=True)
class Profile:
    """The kernel t ↦ k(t e) for the unit vector e of column `axis`; all other columns stay at lag 0."""

    facts: Facts
    axis: int = 0

    @classmethod
    def of(cls, spec: ValuedProgram) -> Profile:
        """The profile along the first column that the spec names, or else on which the kernel depends.

        Raises NotStationaryError for a kernel that is no function of x − y, ParameterError for a parameter without
        value, and any other SpecError.
        """
        facts = _facts(spec)
        profiles = [cls(facts, axis) for axis in range(facts.columns.count or 1)]
        return next((profile for profile in profiles if profile._varies()), profiles[0])

    @property
    def column(self) -> str | None:
        """The column in words, where there are several: `age`, `column 2`."""
        columns = self.facts.columns
        if (columns.count or 1) == 1:
            return None
        return columns.names[self.axis] if columns.names is not None else f"column {self.axis}"

    @property
    def is_even(self) -> bool:
        """Whether k(−t) = k(t) is known."""
        return self.facts.verdict.symmetric is True

    def kernel(self, lags: ArrayLike) -> NDArray[Any]:
        """k(t e) = ∫ exp(i ω t) ν(dω) at lags (n,) → (n,)."""
        lags = np.asarray(lags, dtype=np.float64)
        return self.facts.characteristic_function(lags[:, None] * np.eye(int(self.facts.columns.dim))[self.axis])

    @cached_property
    def spectrum(self) -> LineSpectrum:
        """ν, the law of the column's frequency: its density, its atoms, and what can be said of neither.

        Of a kernel whose measure has no closed form, the atom at 0 alone: the value at which k(t e) comes to rest.
        """
        try:
            return line_spectrum(self.facts, self.axis)
        except NotStationaryError as error:
            last = self.kernel(_EVERY_LAG[-_SETTLED:])
            rests = float(np.ptp(last)) < 1e-9 * float(np.abs(self.kernel([0.0]))[0])
            weights = last[-1:] if rests else np.zeros(0)
            return LineSpectrum(None, np.zeros(len(weights)), weights, str(error))

    @cached_property
    def lag_reach(self) -> float:
        """The lag at which the kernel has fallen to about 2 %, or which shows three periods; 1 where it is constant."""
        points, weights = self.spectrum.points, np.abs(self.spectrum.weights)
        turning = np.abs(points)[(points != 0) & (weights > 1e-3 * weights.max(initial=0))]
        reaches = [_PERIODS * 2 * math.pi / turning.min()] if len(turning) else []
        if self._diffuse_end is not None:
            reaches.append(self._diffuse_end)
        return max(reaches, default=1.0)

    @cached_property
    def frequency_reach(self) -> float:
        """The frequency below which most of |ν| lies: 99.5 %, or eight times the median where the tail is long."""
        weights = np.abs(self.spectrum.weights)
        order = np.argsort(np.abs(self.spectrum.points), kind="stable")
        mass = np.cumsum(weights[order])
        reaches = []
        if len(mass) and mass[-1] > 0:
            last = int(np.searchsorted(mass, 0.995 * mass[-1]))
            reaches.append(float(np.abs(self.spectrum.points[order])[last]))
        if self._diffuse_end is not None:
            median, nearly_all = self._diffuse_quantiles
            reaches.append(min(nearly_all, 8 * median))
        return max(reaches, default=0.0) * 1.1 or 1.0

    @cached_property
    def has_heavy_tail(self) -> bool:
        """Whether the density falls so slowly that a range with nearly all of it would show nothing else."""
        if self._diffuse_end is None:
            return False
        median, nearly_all = self._diffuse_quantiles
        return nearly_all > 8 * median

    def _varies(self) -> bool:
        values = self.kernel(np.concatenate([[0.0], _EVERY_LAG[::90]]))
        return bool(np.ptp(values) > 0)

    def _diffuse(self, lags: NDArray[Any]) -> NDArray[Any]:
        """The transform of ν without its atoms."""
        waves = np.exp(1j * lags[:, None] * self.spectrum.points)
        return np.asarray(self.kernel(lags) - np.real(waves @ self.spectrum.weights))

    @cached_property
    def _diffuse_size(self) -> NDArray[np.float64]:
        """|·| of the same at every lag, relative to its maximum; all zero where ν consists of atoms."""
        size = np.abs(self._diffuse(_EVERY_LAG))
        if not self.is_even:
            size = np.maximum(size, np.abs(self._diffuse(-_EVERY_LAG)))
        # what atoms leave behind is rounding
        largest = size.max()
        floor = 1e-6 * np.abs(self.spectrum.weights).sum()
        return size / largest if largest > floor else np.zeros_like(size)

    @cached_property
    def _diffuse_end(self) -> float | None:
        """The lag where the part without atoms has ended; None if there is no such part."""
        size = self._diffuse_size
        if not size.any():
            return None
        ends = []
        for level, factor in _LEVELS:
            last = int(np.flatnonzero(size > level)[-1])
            if last < len(size) - 60:  # it does not end where it is still above the level after nine decades
                ends.append(factor * float(_EVERY_LAG[last]))
        return min(ends) if ends else 10 * self._half_lag

    @property
    def _half_lag(self) -> float:
        """The first lag at which the part without atoms is below half of its maximum."""
        peak = int(np.argmax(self._diffuse_size))
        below = np.flatnonzero(self._diffuse_size[peak:] < 0.5)
        return float(_EVERY_LAG[peak + below[0]]) if len(below) else 1.0

    @cached_property
    def _diffuse_quantiles(self) -> tuple[float, float]:
        """The frequencies below which 50 % and 99.5 % of the part without atoms lie, from a discrete Fourier transform.

        Parzen's weights, a cubic B-spline, keep the transform of a positive measure positive, and blur it so little
        that light tails stay light.
        """
        step, end = self._half_lag / _FINEST, self._diffuse_end or 1.0
        n = int(min(max(8 * end / step, 1024), _MOST_LAGS))
        lags = np.arange(-n, n).astype(np.float64) * step
        u = np.abs(lags) / (n * step)
        taper = np.where(u < 0.5, 1 - 6 * u**2 * (1 - u), 2 * (1 - u) ** 3)
        density = np.abs(np.fft.rfft(np.fft.ifftshift(self._diffuse(lags) * taper)))
        density[0] /= 2  # the half of its cell that lies on this side
        mass = np.cumsum(density)
        median, nearly_all = np.interp([0.5 * mass[-1], 0.995 * mass[-1]], mass, np.arange(n + 1) + 0.5)
        return float(median) * math.pi / (n * step), float(nearly_all) * math.pi / (n * step)


def _facts(spec: ValuedProgram) -> Facts:
    """The facts on the columns that the spec names, else on as few as it can have."""
    named = spec.columns()
    if named.names is not None:
        return _stationary(analyze(spec, columns=named.names))
    first: ColumnError | DimensionError | None = None
    for count in sorted({*range(1, _MOST_COLUMNS + 1), *_image_sizes(spec)}):
        try:
            return _stationary(analyze(spec, count))
        except (ColumnError, DimensionError) as error:
            first = first or error
    assert first is not None
    raise first


def _image_sizes(spec: ValuedProgram) -> set[int]:
    """The numbers of columns that the skeletons of a spec read."""
    return {skeleton.image.n_nodes for skeleton in skeletons_in(spec.provisional_kernel())}


def _stationary(facts: Facts) -> Facts:
    try:
        facts.characteristic_function(np.zeros((1, int(facts.columns.dim))))
    except NotStationaryError as error:
        raise NotStationaryError(f"there is no k(t), a function of the lag alone: {error}") from None
    return facts
