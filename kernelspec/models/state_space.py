"""The exact Gaussian process along one column by filtering and smoothing, in time proportional to the rows.

For kernels with a state space (`ks.analyze(spec).state_space`). The numbers are those of `exact`: A = K + λW⁻¹, and
with the innovations v of ȳ and of 1 the filter's Σ vv'/s holds ȳ'A⁻¹ȳ, 1'A⁻¹ȳ and 1'A⁻¹1 [Särkkä and Solin 2019,
chapter 12].
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import DataError
from kernelspec.measures.measure import measure_of
from kernelspec.measures.state_space import StateSpace, columns_of, state_space
from kernelspec.models.exact import diagonal_of, gram_of
from kernelspec.models.posterior import LeaveOneOut, drawn_with, left_out, without_own
from kernelspec.models.ridge import least

if TYPE_CHECKING:
    from kernelspec.kernels.kernel import Kernel
    from kernelspec.models.given_table import Observations
    from kernelspec.tables.rows import Rows

__all__ = ["StateSpacePosterior", "fit_state_space"]

Numbers = NDArray[np.float64]

_MOST_TOGETHER = 2_048
"""Rows that have a covariance."""

_TRIED, _REFINED = 17, 9
"""Noises that are tried: each takes a pass over the rows."""

_TOGETHER = 64
"""Columns of the kernel matrix that are smoothed at a time."""


@dataclass(frozen=True, eq=False)
class _Path:
    """The distinct rows in the order of time, and the filter over them."""

    space: StateSpace
    times: Numbers
    """(u,)."""
    targets: Numbers
    """ȳ, (u, T), and a column of ones."""
    weights: Numbers
    within: Numbers

    def filtered(self, noise: float) -> tuple[Numbers, float]:
        """Σ vv'/s, (T + 1, T + 1), and log det A."""
        from kernelspec.numerics.filtering import filtered, powers_of

        n_targets, space = self.targets.shape[1], self.space
        sums = np.zeros((n_targets, n_targets))
        kept = np.empty((1, n_targets)), np.empty(1), np.empty((1, space.n_states))
        noises = noise / self.weights
        determinant = filtered(self.times, noises, self.targets, powers_of(space.F), space.H[0], space.P, sums, *kept)
        return sums, float(determinant)

    def deviance(self, noises: Numbers) -> Numbers:
        """As that of the exact path, (g, T)."""
        n, found = float(self.weights.sum()), []
        degrees = max(n - 1.0, np.finfo(float).tiny)
        for noise in noises:
            sums, determinant = self.filtered(float(noise))
            quadratic = self._quadratic(sums, float(noise))
            rest = determinant + np.log(self.weights).sum() + np.log(sums[-1, -1])
            rest += (n - len(self.times)) * np.log(noise)
            found.append(degrees * (np.log(2 * np.pi * quadratic / degrees) + 1) + rest)
        return np.array(found)

    def _quadratic(self, sums: Numbers, noise: float) -> Numbers:
        fit = np.diagonal(sums)[:-1] - np.square(sums[-1, :-1]) / sums[-1, -1]
        size = np.abs(self.targets[:, :-1]).max(axis=0, initial=0.0) ** 2 + np.finfo(float).tiny
        return np.asarray(np.maximum(fit + self.within / noise, np.finfo(float).eps * size))

    def amplitudes(self, noises: Numbers) -> Numbers:
        """a for one noise for each target, (T,)."""
        degrees = max(float(self.weights.sum()) - 1.0, np.finfo(float).tiny)
        found = [self._quadratic(self.filtered(float(noise))[0], float(noise))[t] for t, noise in enumerate(noises)]
        return np.array(found) / degrees

    def smoothed(self, noise: float, targets: Numbers, at: Numbers) -> tuple[Numbers, Numbers]:
        """K_*A⁻¹y for columns y of `targets` (u, R) at times (m,), (m, R), and k − k_*'A⁻¹k_*, (m,)."""
        from kernelspec.numerics.filtering import filtered, powers_of, smoothed

        order = np.argsort(np.concatenate([self.times, at]), kind="stable")
        times = np.concatenate([self.times, at])[order]
        noises = np.concatenate([noise / self.weights, np.full(len(at), np.inf)])[order]
        values = np.concatenate([targets, np.zeros((len(at), targets.shape[1]))])[order]
        space, powers = self.space, powers_of(self.space.F)
        kept = np.empty(values.shape), np.empty(len(times)), np.empty((len(times), space.n_states))
        sums = np.zeros((targets.shape[1], targets.shape[1]))
        filtered(times, noises, values, powers, space.H[0], space.P, sums, *kept)
        smoothed(times, noises, values, powers, space.H[0], *kept)
        place = np.argsort(order)[len(self.times) :]
        return kept[0][place], kept[1][place]


@dataclass(frozen=True, eq=False)
class StateSpacePosterior:
    """The exact posterior along the column `column`, for one noise λ for each target."""

    kernel: Kernel
    rows: Rows
    column: int
    path: _Path
    noises: Numbers
    amplitudes: Numbers
    log_likelihoods: Numbers
    offsets: Numbers
    """m, (T,)."""
    precisions: Numbers
    """1'A⁻¹1, (T,)."""

    def mean(self, rows: Rows) -> Numbers:
        return np.stack([mean for mean, _, _ in self._smoothed(rows)], axis=1)

    def variance(self, rows: Rows) -> Numbers:
        return np.stack([variance for _, variance, _ in self._smoothed(rows)], axis=1)

    def _smoothed(self, rows: Rows) -> Iterator[tuple[Numbers, Numbers, Numbers]]:
        """For each target the mean, its variance, and 1 − k_*'A⁻¹1."""
        at = _times(rows, self.column)
        for target, noise in enumerate(self.noises):
            values, own = self.path.smoothed(float(noise), self.path.targets[:, [target, -1]], at)
            missed = 1.0 - values[:, 1]
            mean = values[:, 0] + self.offsets[target] * missed
            yield mean, np.maximum(own, 0.0) + np.square(missed) / self.precisions[target], missed

    def covariance(self, rows: Rows, target: int) -> Numbers:
        if len(rows) > _MOST_TOGETHER:
            raise DataError(f"a covariance, and functions drawn together, take at most {_MOST_TOGETHER:,} rows")
        at, noise = _times(rows, self.column), float(self.noises[target])
        cross = gram_of(self.kernel, rows, self.rows)
        explained = np.concatenate(
            [
                self.path.smoothed(noise, np.ascontiguousarray(cross[i : i + _TOGETHER].T), at)[0].T
                for i in range(0, len(rows), _TOGETHER)
            ]
        )
        missed = [missed for _, _, missed in self._smoothed(rows)][target]
        return np.asarray(
            gram_of(self.kernel, rows, rows) - explained + np.outer(missed, missed) / self.precisions[target]
        )

    def drawn(self, rows: Rows, n_samples: int, generator: np.random.Generator) -> Numbers:
        drawn = [drawn_with(self.covariance(rows, t), n_samples, generator) for t in range(len(self.noises))]
        return np.stack(drawn, axis=1)

    def leave_one_out(self, observations: Observations) -> LeaveOneOut:
        found = list(self._smoothed(observations.rows))
        fitted, spread = (np.stack([part[i] for part in found], axis=1) for i in (0, 1))
        leverage = spread / self.noises
        own = spread / without_own(leverage) + self.noises
        return left_out(observations, fitted, leverage, own * self.amplitudes)


def _times(rows: Rows, column: int) -> Numbers:
    return np.ascontiguousarray(rows.select((column,)).dense()[:, 0])


def fit_state_space(kernel: Kernel, observations: Observations, noise: float | None) -> StateSpacePosterior:
    """The posterior with a given noise variance, or the one of largest likelihood for each target.

    Raises NotAvailableYet where the kernel has no state space, NotStationaryError.
    """
    measure = measure_of(kernel)
    space = state_space(measure)
    column = next(iter(columns_of(measure)), 0)
    times = _times(observations.rows, column)
    order = np.argsort(times, kind="stable")
    targets = np.concatenate([observations.means, np.ones((len(times), 1))], axis=1)
    path = _Path(
        space,
        times[order],
        np.ascontiguousarray(targets[order]),
        observations.totals[order],
        observations.within,
    )
    rows = observations.rows.take(order)
    scale = float(np.mean(diagonal_of(kernel, rows)))
    n_targets = observations.targets.shape[1]
    noises = (
        least(path.deviance, scale, grid=17, refined=9)
        if noise is None
        else np.full(n_targets, max(noise, 1e-10 * scale))
    )
    sums = [path.filtered(float(tried))[0] for tried in noises]
    precisions = np.array([each[-1, -1] for each in sums])
    offsets = np.array([each[-1, t] for t, each in enumerate(sums)]) / precisions
    return StateSpacePosterior(
        kernel,
        rows,
        column,
        path,
        noises,
        path.amplitudes(noises),
        -np.diagonal(path.deviance(noises)) / 2,
        offsets,
        precisions,
    )
