"""The bias of a sampler with its interval, and its variance against what is predicted of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import PlanError
from kernelspec.testing.laboratory import z_threshold
from kernelspec.testing.subjects import kernel_matrix, subject_of

__all__ = ["Measured", "measure_sampler"]

_BUDGET = 1e-4
"""The chance that any interval of a sampler, over all pairs of rows, misses what it is for."""

_FEWEST = 30
"""Maps, below which no limit theorem applies."""


@dataclass(frozen=True)
class Measured:
    """A sampler over independent maps; sizes are shares of √(k(x,x) k(y,y)), the intervals hold for all pairs together.

    `bias` is that of the pair where it is most certain, and `interval` its own; `ratio` is the mean over pairs of the
    observed over the predicted variance, with `ratio_interval`, or None where nothing is predicted.
    """

    sampler: str
    kernel: str
    n_maps: int
    n_pairs: int
    bias: float
    interval: tuple[float, float]
    pair: tuple[int, int]
    ratio: float | None
    ratio_interval: tuple[float, float] | None

    @property
    def is_biased(self) -> bool:
        """Whether the interval leaves zero out."""
        return self.interval[0] > 0 or self.interval[1] < 0

    def __str__(self) -> str:
        low, high = self.interval
        answer = "biased" if self.is_biased else "no bias seen"
        said = f"{self.sampler} for {self.kernel}: {answer}, {self.bias:+.4f} ({low:+.4f} to {high:+.4f})"
        if self.ratio is None or self.ratio_interval is None:
            return f"{said}; no variance is predicted"
        low, high = self.ratio_interval
        return f"{said}; variance {self.ratio:.3f} of the predicted ({low:.3f} to {high:.3f})"


def measure_sampler(
    sampler: Any,
    X: Any,
    kernel: Any,
    *,
    name: str,
    claims: str,
    variance: Callable[[Any], NDArray[np.float64]] | None = None,
    n_maps: int = 400,
    seed: int = 0,
) -> Measured:
    """Maps of a sampler, with the seeds from `seed` on, fitted to X and compared on all pairs of its rows.

    `sampler` has `fit` and `transform`, or is a callable features(X, generator); `kernel` is a spec, a callable k(X, Y)
    or a matrix; `variance` gives the predicted variance of one estimate of the matrix, (n, n). Intervals are those of
    the limit theorem, simultaneous over all pairs at 1e-4. Raises PlanError for fewer than 30 maps; SpecError.
    """
    if n_maps < _FEWEST:
        raise PlanError(f"n_maps must be at least {_FEWEST}, not {n_maps}")
    exact, subject = kernel_matrix(kernel, X), subject_of(sampler, X)
    upper = np.triu_indices(len(exact))
    size = np.sqrt(np.multiply.outer(np.diagonal(exact), np.diagonal(exact)))[upper]
    estimates = np.array([subject.estimate(X, seed + m)[upper] for m in range(n_maps)])
    errors = (estimates - exact[upper]) / size
    mean, spread = errors.mean(axis=0), errors.std(axis=0, ddof=1) / np.sqrt(n_maps)
    spread = np.maximum(spread, 1e-12)  # what has no variance is known up to rounding
    wide = z_threshold(mean.size + 1, _BUDGET) * spread
    worst = int(np.argmax(np.abs(mean) / spread))
    ratio, ratio_interval = None, None
    if variance is not None:
        predicted = variance(X)[upper] / size**2
        kept = predicted > 1e-12
        ratios = (np.square(errors - mean)[:, kept] / predicted[kept]).mean(axis=1) * n_maps / (n_maps - 1)
        ratio = float(ratios.mean())
        reach = z_threshold(mean.size + 1, _BUDGET) * float(ratios.std(ddof=1)) / np.sqrt(n_maps)
        ratio_interval = (ratio - reach, ratio + reach)
    return Measured(
        sampler=name,
        kernel=claims,
        n_maps=n_maps,
        n_pairs=mean.size,
        bias=float(mean[worst]),
        interval=(float(mean[worst] - wide[worst]), float(mean[worst] + wide[worst])),
        pair=(int(upper[0][worst]), int(upper[1][worst])),
        ratio=ratio,
        ratio_interval=ratio_interval,
    )
