"""The exact Gaussian process along one column by filtering and smoothing, in time proportional to the rows.

For kernels with a state space (`ks.analyze(spec).state_space`). The numbers agree with those of `exact`: A = K + λW⁻¹,
and with the innovations v of ȳ and of 1 the filter's Σ vv'/s contains ȳ'A⁻¹ȳ, 1'A⁻¹ȳ and 1'A⁻¹1 [Särkkä and Solin 2019,
chapter 12].
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import DataError, NotAvailableYet
from kernelspec.kernels.kernel import Kernel
from kernelspec.measures.measure import measure_of
from kernelspec.models.exact import gram_of, rounding_of, size_of
from kernelspec.models.posterior import LeaveOneOut, Posterior, left_out
from kernelspec.models.ridge import least
from kernelspec.planning.landmarks.landmarks import LandmarkRows
from kernelspec.samples.declared_arrays import array
from kernelspec.tables.rows import Rows

if TYPE_CHECKING:
    from kernelspec.measures.realization import StateSpace
    from kernelspec.models.given import Observations, SpecOnTable

__all__ = ["StateSpaceFilter", "StateSpacePosterior", "fit_state_space", "space_of"]

Numbers = NDArray[np.float64]

_MOST_TOGETHER = 2_048
"""The most rows with a joint covariance."""

_COMPARED, _EXACT = 64, 1e-11
"""Rows, and the share of k(x, x), that tell whether the states describe the kernel exactly."""

_TRIED, _REFINED, _PARABOLAS = 17, 9, 3
"""Noise levels tried, each with a pass over the rows."""

_TOGETHER = 64
"""Columns of the kernel matrix smoothed at a time."""


@dataclass(frozen=True, eq=False)
class StateSpaceFilter:
    """The distinct rows in the order of the column `column`, their targets, and F, H, P of the kernel."""

    training: LandmarkRows
    column: int
    weights: Numbers = array("float64", "rows", above=0)
    targets: Numbers = array("float64", "rows", "columns")
    """ȳ, (u, T), and a column of ones."""
    within: Numbers = array("float64", "targets", at_least=0)
    """Σ w (y − ȳ_i)² over the observations of equal rows, (T,)."""
    generator: Numbers = array("float64", "states", "states")
    output: Numbers = array("float64", "states")
    stationary: Numbers = array("float64", "states", "states")

    def validate(self) -> None:
        """Raise ValueError unless the arrays match the training rows; a saved model may hold anything."""
        rows, targets = self.targets.shape
        if len(self.training) != rows or targets != len(self.within) + 1 or self.column not in self.training.positions:
            raise ValueError("the training rows, their column and their targets do not fit each other")
        if (np.diff(self.times) < 0).any():
            raise ValueError("the training rows are not in the order of their column")

    @cached_property
    def times(self) -> Numbers:
        """(u,)."""
        return self.times_of(self.training.rows)

    def times_of(self, rows: Rows) -> Numbers:
        """The column of other rows."""
        return np.ascontiguousarray(rows.select((self.column,)).dense()[:, 0])

    @cached_property
    def _powers(self) -> Numbers:
        from kernelspec.numerics.filtering import powers_of

        return powers_of(self.generator)

    @cached_property
    def center(self) -> Numbers:
        """The mean target, (T,), and 0 for the column of ones."""
        return np.append(self.weights @ self.targets[:, :-1] / self.weights.sum(), 0.0)

    @cached_property
    def centred(self) -> Numbers:
        """The targets minus `center`."""
        return np.ascontiguousarray(self.targets - self.center)

    def filtered(self, noise: float) -> tuple[Numbers, float]:
        """Σ vv'/s, (T + 1, T + 1), and log det A."""
        from kernelspec.numerics.filtering import filtered

        n_targets, noises = self.targets.shape[1], noise / self.weights
        sums = np.zeros((n_targets, n_targets))
        kept = np.empty((1, n_targets)), np.empty(1), np.empty((1, len(self.output)))
        arrays = self.times, noises, self.centred, self._powers, self.output, self.stationary, sums
        return sums, float(filtered(*arrays, *kept))

    def deviance(self, noises: Numbers) -> Numbers:
        """As that of the exact path, (g, T)."""
        n, found = float(self.weights.sum()), []
        degrees = max(n - 1.0, np.finfo(float).tiny)
        weights = float(np.log(self.weights).sum())
        for noise in noises:
            sums, determinant = self.filtered(float(noise))
            rest = determinant + weights + np.log(sums[-1, -1]) + (n - len(self.times)) * np.log(noise)
            found.append(degrees * (np.log(2 * np.pi * self._quadratic(sums, float(noise)) / degrees) + 1) + rest)
        return np.array(found)

    def _quadratic(self, sums: Numbers, noise: float) -> Numbers:
        """ȳ'Pȳ + Σ w(y − ȳ)²/λ, (T,)."""
        fit = np.diagonal(sums)[:-1] - np.square(sums[-1, :-1]) / sums[-1, -1]
        least = rounding_of(self.centred[:, :-1], self.center[:-1])
        return np.asarray(np.maximum(fit + self.within / noise, least))

    def fit(self, kernel: Kernel, noises: Numbers) -> StateSpacePosterior:
        """The solution with one noise per target (T,)."""
        degrees = max(float(self.weights.sum()) - 1.0, np.finfo(float).tiny)
        sums = [self.filtered(float(noise))[0] for noise in noises]
        pairs = enumerate(zip(sums, noises, strict=True))
        amplitudes = np.array([self._quadratic(each, float(noise))[t] for t, (each, noise) in pairs]) / degrees
        precisions = np.array([each[-1, -1] for each in sums])
        offsets = np.array([each[-1, t] for t, each in enumerate(sums)]) / precisions + self.center[:-1]
        likelihoods = -np.diagonal(self.deviance(noises)) / 2
        return StateSpacePosterior(kernel, self, noises, amplitudes, likelihoods, offsets, precisions)

    def values(self, x: Numbers, y: Numbers) -> Numbers:
        """H e^{F|x_i − y_j|} P H', (n, m): the kernel, as far as the states describe it."""
        from kernelspec.numerics.filtering import covariances

        spans, place = np.unique(np.abs(np.subtract.outer(x, y)), return_inverse=True)
        found = np.empty(len(spans))
        covariances(spans, self._powers, self.output, self.stationary, found)
        return np.asarray(found[place].reshape(len(x), len(y)))

    def smoothed(self, noise: float, targets: Numbers, at: Numbers) -> tuple[Numbers, Numbers]:
        """K_*A⁻¹y for columns y of `targets` (u, R) at times (m,), (m, R), and k − k_*'A⁻¹k_*, (m,).

        Times before the first row are forecast backwards, as k is even: what the smoother subtracts there is nearly
        all of the variance if there is little noise.
        """
        noises, early = noise / self.weights, at < self.times[0]
        found = self._smoothed(self.times, noises, targets, at)
        if early.any():
            before = self._smoothed(-self.times[::-1], noises[::-1], targets[::-1], -at[early])
            for own, better in zip(found, before, strict=True):
                own[early] = better
        return found

    def _smoothed(self, rows: Numbers, given: Numbers, targets: Numbers, at: Numbers) -> tuple[Numbers, Numbers]:
        from kernelspec.numerics.filtering import filtered, smoothed

        order = np.argsort(np.concatenate([rows, at]), kind="stable")
        times = np.concatenate([rows, at])[order]
        noises = np.concatenate([given, np.full(len(at), np.inf)])[order]
        values = np.concatenate([targets, np.zeros((len(at), targets.shape[1]))])[order]
        kept = np.empty(values.shape), np.empty(len(times)), np.empty((len(times), len(self.output)))
        sums = np.zeros((targets.shape[1], targets.shape[1]))
        arrays = times, noises, values, self._powers, self.output
        filtered(*arrays, self.stationary, sums, *kept)
        smoothed(*arrays, *kept)
        place = np.argsort(order)[len(rows) :]
        return kept[0][place], kept[1][place]


@dataclass(frozen=True, eq=False)
class StateSpacePosterior(Posterior):
    """The exact posterior along one column, with one noise λ per target."""

    solver: ClassVar[Literal["state-space"]] = "state-space"
    kernel: Kernel
    path: StateSpaceFilter
    noises: Numbers = array("float64", "targets", above=0)
    amplitudes: Numbers = array("float64", "targets", at_least=0)
    log_likelihoods: Numbers = array("float64", "targets")
    offsets: Numbers = array("float64", "targets")
    """m, (T,)."""
    precisions: Numbers = array("float64", "targets", above=0)
    """1'A⁻¹1, (T,)."""

    def validate(self) -> None:
        """Raise ValueError unless the parts are consistent; a saved model may hold anything."""
        if len(self.noises) != len(self.path.within) or self.kernel.dim != self.path.training.width:
            raise ValueError("the kernel, the noises and the observations do not fit each other")

    @property
    def width(self) -> int:
        """The columns of a table."""
        return self.path.training.width

    @property
    def kept_rows(self) -> int:
        """The number of data rows that are kept: all."""
        return len(self.path.training)

    def mean(self, rows: Rows) -> Numbers:
        return np.stack([mean for mean, _, _ in self._smoothed(rows)], axis=1)

    def variance(self, rows: Rows) -> Numbers:
        return np.stack([variance for _, variance, _ in self._smoothed(rows)], axis=1)

    def _smoothed(self, rows: Rows) -> Iterator[tuple[Numbers, Numbers, Numbers]]:
        """For each target the mean, its variance, and 1 − k_*'A⁻¹1."""
        at = self.path.times_of(rows)
        for target, noise in enumerate(self.noises):
            values, own = self.path.smoothed(float(noise), self.path.centred[:, [target, -1]], at)
            missed, center = 1.0 - values[:, 1], self.path.center[target]
            mean = center + values[:, 0] + (self.offsets[target] - center) * missed
            yield mean, np.maximum(own, 0.0) + np.square(missed) / self.precisions[target], missed

    def covariance(self, rows: Rows, target: int) -> Numbers:
        if len(rows) > _MOST_TOGETHER:
            raise DataError(f"a covariance, and functions drawn together, take at most {_MOST_TOGETHER:,} rows")
        at, noise, known = self.path.times_of(rows), float(self.noises[target]), self.path.training.rows
        size = self.path.values(np.zeros(1), np.zeros(1))[0, 0]
        few = rows.take(slice(0, _COMPARED))
        apart = np.abs(gram_of(self.kernel, few, few) - self.path.values(at[:_COMPARED], at[:_COMPARED])).max()
        # all of it by one kernel: a variance of the states less what another kernel explains may be negative
        is_exact = apart < _EXACT * size
        prior = gram_of(self.kernel, rows, rows) if is_exact else self.path.values(at, at)
        explained = []
        for start in range(0, len(rows), _TOGETHER):
            part = slice(start, start + _TOGETHER)
            values = (
                gram_of(self.kernel, known, rows.take(part))
                if is_exact
                else self.path.values(self.path.times, at[part])
            )
            explained.append(self.path.smoothed(noise, values, at)[0])
        missed = [missed for _, _, missed in self._smoothed(rows)][target]
        return np.asarray(
            prior - np.concatenate(explained, axis=1) + np.outer(missed, missed) / self.precisions[target]
        )

    def leave_one_out(self, observations: Observations) -> LeaveOneOut:
        found = list(self._smoothed(observations.rows))
        fitted, spread = (np.stack([part[i] for part in found], axis=1) for i in (0, 1))
        return left_out(observations, fitted, spread / self.noises, self.noises, self.amplitudes)


def space_of(given: SpecOnTable) -> tuple[StateSpace, int]:
    """The state space of the kernel, and the column that it uses.

    Raises NotAvailableYet, also for a kernel not proved positive definite, which the filter would not notice. Raises
    NotStationaryError.
    """
    from kernelspec.measures.state_space import columns_of, state_space

    if given.verdict.positive_definite != "proved":
        raise NotAvailableYet(f"no state space: {given.kernel} is not proved positive definite")
    measure = measure_of(given.kernel)
    return state_space(measure), next(iter(columns_of(measure)), 0)


def fit_state_space(
    given: SpecOnTable, found: tuple[StateSpace, int], observations: Observations
) -> StateSpacePosterior:
    """The posterior with a given noise variance, or the maximum-likelihood one for each target; `found` as by
    `space_of`.
    """
    space, column = found
    order = np.argsort(observations.rows.select((column,)).dense()[:, 0], kind="stable")
    rows = observations.rows.take(order)
    targets = np.concatenate([observations.means, np.ones((len(order), 1))], axis=1)
    used = given.layout.mapped.used
    path = StateSpaceFilter(
        LandmarkRows.of(rows, used if column in used else (column,)),
        column,
        observations.totals[order],
        np.ascontiguousarray(targets[order]),
        observations.within,
        space.F,
        space.H[0],
        space.P,
    )
    size = size_of(given.kernel, rows)
    if given.noise is None:
        return path.fit(given.kernel, least(path.deviance, size, grid=_TRIED, refined=_REFINED, parabolas=_PARABOLAS))
    return path.fit(given.kernel, np.full(len(observations.within), size.raised(given.noise)))
