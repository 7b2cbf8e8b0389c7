"""Coupled samples: orthogonal blocks and Sobol' points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import PlanError
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.kernels.kernel import Kernel
from kernelspec.laws.columns_and_lags import Derived
from kernelspec.laws.law import Collisions, Law
from kernelspec.laws.rules import DRAWS
from kernelspec.limits import counted_work
from kernelspec.loading import load_from
from kernelspec.numerics.phasor import Form
from kernelspec.random.coupled import (
    OrthogonalStream,
    RecordingStream,
    SobolRunsStream,
    SobolStream,
    sobol_points,
    sobol_points_of_runs,
)
from kernelspec.random.streams import Stream, UnevenRuns
from kernelspec.samples.samples import Samples, means_of_runs

__all__ = [
    "JointLaw",
    "bounded_ratio",
    "draws_for_ratio",
    "joint",
    "orthogonal",
    "samples_at_once",
    "shows_error",
    "sobol",
]

REPLICATES = 32
"""Independent draws on which the variance is measured."""

_FEWEST_DRAWS, _SAMPLES_DRAWN = 16, 2048
"""Fewest draws, and fewest samples in all of them, on which a plan measures the ratio for some data."""

_PAIRS = 256  # most pairs of rows on which it is measured

_MOST_PRODUCTS, _FEWEST_PAIRS = 1 << 25, 8
"""Most samples of all draws times pairs; with more samples there are fewer pairs."""

_MOST_WORK, _FEWEST_REPLICATES, _PROBES = 1000.0, 8, 64
"""Millions of operations for all draws, fewest draws to measure, and samples on which work is counted."""

_ROUNDING, _DOUBT = 2.0**-80, 0.05
"""Squared errors below this, relative to the mean square of a sample, are rounding; and one minus the confidence of a
bound.
"""

_AT_ONCE = 4096  # samples drawn together with those of other draws

_NARROW, _LEAST_GAIN, _MOST_NUMBERS = 1024, 1 / 32, 1 << 28
"""Columns up to which everything is measured; beyond, the gain needed, and the most numbers for 8 draws."""


@dataclass(frozen=True)
class JointLaw(Derived):
    """The samples of `base` with randomness from `draws`: orthogonal blocks, Sobol' points, or structured ones.

    Unbiased if each sample alone has the same distribution as in `base`; else `bias` measures the difference. The
    variance of n of them has no formula: it is `ratio` times that of independent samples or, if this is None, measured
    on demand, on 32 independent draws and up to 256 of the pairs. The standard error of a measured ratio is about
    √(2/32) over the root of the number of pairs that vary independently.
    """

    draws: str
    ratio: float | None = None

    def validate(self) -> None:
        super().validate()
        if self.draws not in DRAWS:
            raise ValueError(f"unknown draws {self.draws!r}")
        if self.ratio is not None and self.ratio < 0:
            raise ValueError(f"invalid ratio {self.ratio} of variances")

    def draw(self, stream: Stream, n: int, columns: tuple[int, ...]) -> list[Samples]:
        if DRAWS[self.draws].samples is not None:
            return self.draw_runs(stream, n, 1, columns)
        together = load_from(DRAWS[self.draws].stream)(self.base, stream, n, columns)
        if together is None:
            raise PlanError(f"draws={self.draws!r} changes nothing for these samples: {self}")
        return self.base.draw(together, n, columns)

    def draw_runs(self, stream: Stream, n: int, runs: int, columns: tuple[int, ...]) -> list[Samples]:
        """`runs` independent draws of n samples each, only for measurements: those of run r have
        the indices r n + j.
        """
        if (home := DRAWS[self.draws].samples) is not None:
            drawn: list[Samples] = load_from(home)(self.base, stream, n, columns, runs)
            return drawn
        if (home := DRAWS[self.draws].runs) is not None:
            try:
                return self.base.draw(load_from(home)(self.base, stream, n, columns, runs), n * runs, columns)
            except UnevenRuns:  # the number of random numbers differs between samples
                pass
        apart = ((run, self.draw(stream.child(run), n, columns)) for run in range(runs))
        return [replace(batch, index=batch.index + run * n) for run, batches in apart for batch in batches]

    def is_hopeless(self, n: int, columns: tuple[int, ...]) -> bool:
        """Whether n samples on these columns are not measured: the gain is too small, or the cost too high."""
        if len(columns) <= _NARROW:
            return False
        if self.draws == "orthogonal" and most_gained(self.base, n, columns) < _LEAST_GAIN:
            return True
        return n * len(columns) * _FEWEST_REPLICATES > _MOST_NUMBERS

    @property
    def is_biased(self) -> bool:
        """Whether a sample alone is distributed differently than in `base`."""
        return DRAWS[self.draws].bias is not None

    def bias(self, pairs: NumericPairs) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """E p(x, y) − k(x, y) measured for pairs (x_i, y_i), and its standard errors: both (pairs,)."""
        home = DRAWS[self.draws].bias
        if home is None:
            return np.zeros(len(pairs.x)), np.zeros(len(pairs.x))
        found: tuple[NDArray[np.float64], NDArray[np.float64]] = load_from(home)(self.base, pairs)
        return found

    def fourier_kernel(self) -> Kernel | None:
        return None  # the samples are not independent frequencies

    def variance(self, pairs: NumericPairs, n: int, form: Form, collisions: Collisions | None = None) -> NDArray[Any]:
        # offsets and buckets are independent, and add the same as always
        alone = self.base.variance(pairs, n, "paired")
        ratio = self.measured_ratio(pairs, n) if self.ratio is None else self.ratio
        gain = (1 - ratio) * np.where(np.isfinite(alone), alone, 0.0)
        return np.asarray(self.base.variance(pairs, n, form, collisions) - gain)

    def measured_ratio(self, pairs: NumericPairs, n: int, replicates: int = REPLICATES) -> float:
        """The mean variance of n coupled samples over that of n independent ones, on some of the pairs.

        Assumed to be 1 if draws cost so much work, as counted on some samples, that few could be made.
        """
        with counted_work() as own:
            self.base.draw(Stream(0), min(n, _PROBES), tuple(range(pairs.x.n_columns)))
        work = own.done * max(1.0, n / _PROBES)
        replicates = min(replicates, int(_MOST_WORK / work)) if work else replicates
        if replicates < _FEWEST_REPLICATES:
            return 1.0
        some = pairs.some(max(_FEWEST_PAIRS, min(_PAIRS, _MOST_PRODUCTS // (n * replicates))))
        alone = float(np.mean(self.base.variance(some, n, "paired")))
        if alone == 0 or not np.isfinite(alone):
            return 1.0
        columns, mean = tuple(range(some.x.n_columns)), np.asarray(self.mean(some), dtype=float)
        squares, at_once = 0.0, max(1, samples_at_once(_AT_ONCE, len(columns)) // n)
        for first in range(0, replicates, at_once):
            runs = min(at_once, replicates - first)
            drawn = self.draw_runs(Stream(first, (0,)), n, runs, columns)
            with np.errstate(over="ignore", invalid="ignore"):  # phases of distant rows overflow
                squares += float(np.square(means_of_runs(drawn, some.x, some.y, n, runs) - mean).sum())
        if not np.isfinite(squares):
            return 1.0
        size = n * alone + float(np.mean(np.square(mean)))
        return bounded_ratio(squares / len(some.x) / replicates, alone, size, replicates)

    def compared(self, columns: tuple[int, ...]) -> frozenset[tuple[int, ...]] | None:
        return self.base.compared(columns)

    def lines(self, columns: tuple[int, ...], names: Sequence[str] | None = None) -> list[str]:
        first, *rest = self.base.lines(columns, names)
        return [f"{first}; {DRAWS[self.draws].words}", *rest]


def draws_for_ratio(n: int) -> int:
    """The number of draws of n samples on which a plan measures the ratio for some data."""
    return max(_FEWEST_DRAWS, _SAMPLES_DRAWN // n)


def samples_at_once(most: int, width: int) -> int:
    """How many samples to draw at a time: `most`, or fewer for wide tables, to bound memory."""
    return max(1, min(most, most * _NARROW // max(1, width)))


def bounded_ratio(joint: float, alone: float, size: float, replicates: int) -> float:
    """The variance `joint`, measured on some draws, over that of independent samples, `alone`.

    Draws without any error, as with Sobol' points if all probabilities are multiples of 1/n, do not prove that there is
    none. If a share p of all draws had an error, as large as that of independent samples, R draws would all be free of
    it with probability (1 − p)^R; the ratio is then the p for which that is 5 %, 1 − 0.05^(1/R), about 3/R. `size` is
    the mean square of one sample, to which rounding is proportional.
    """
    return joint / alone if shows_error(joint, size) else 1 - _DOUBT ** (1 / replicates)


def shows_error(joint: float, size: float) -> bool:
    """Whether a mean squared error exceeds the rounding of samples with mean square `size`."""
    return joint > _ROUNDING * size


def joint(law: Law, draws: str, columns: tuple[int, ...]) -> JointLaw | None:
    """The law with its samples coupled in this way; None if that has no effect."""
    found = load_from(DRAWS[draws].stream)(law, Stream(0), 1, columns)
    return None if found is None else JointLaw(law, draws)


def orthogonal(law: Law, stream: Stream, n: int, columns: tuple[int, ...]) -> Stream | None:
    """The stream with normal vectors in orthogonal blocks; None if no sample has a vector of several entries."""
    del n
    vectors = _recorded(law, stream.path, columns).vectors
    return OrthogonalStream(stream.seed, stream.path) if max(vectors, default=1) > 1 else None


def most_gained(law: Law, n: int, columns: tuple[int, ...]) -> float:
    """A bound on the share of the variance that n orthogonal samples save: Σ (n − 1)/d over the normal vectors in R^d.

    For two Gaussian frequencies in one block, the products have a covariance of −z⁴ e^{−z²}/2d + O(d⁻²), z = ‖Δ‖/σ, and
    a variance of (1 − e^{−z²})²/2, and z⁴ e^{−z²} ≤ (1 − e^{−z²})² [Yu et al. 2016, Theorem 3]. Mixtures of Gaussians
    are n of d strata, which saves no more.
    """
    return sum((n - 1) / d for d in _recorded(law, (0,), columns).vectors if d > 1)


def orthogonal_runs(law: Law, stream: Stream, n: int, columns: tuple[int, ...], runs: int) -> Stream:
    """The same for several draws of n samples each, with independent blocks."""
    del law, columns
    return OrthogonalStream(stream.seed, stream.path, lengths=(n,) * runs)


_MOST_COORDINATES = 256  # beyond some fifty coordinates, Sobol' points gain nothing


def sobol(law: Law, stream: Stream, n: int, columns: tuple[int, ...]) -> Stream | None:
    """The stream with the law's numbers from n points; None if it has no numbers with known quantiles, or too many."""
    coordinates, count = _recorded(law, stream.path, columns).coordinates()
    if not 0 < count <= _MOST_COORDINATES:
        return None
    points = sobol_points(stream.generator("sobol"), n, count)
    return SobolStream(stream.seed, stream.path, points, coordinates)


def sobol_runs(law: Law, stream: Stream, n: int, columns: tuple[int, ...], runs: int) -> Stream:
    """The same for several sequences with n points each, scrambled independently; for laws with known quantiles."""
    coordinates, count = _recorded(law, stream.path, columns).coordinates()
    points = sobol_points_of_runs(stream.generator("sobol"), n, count, runs)
    return SobolRunsStream(stream.seed, stream.path, points, coordinates, (n,) * runs)


def _recorded(law: Law, path: tuple[int, ...], columns: tuple[int, ...]) -> RecordingStream:
    """A stream that has recorded what one sample draws."""
    trial = RecordingStream(0, path)
    law.draw(trial, 1, columns)
    return trial
