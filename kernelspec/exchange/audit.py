"""Auditing the samplers of other libraries: the bias and variance of each against the kernel it claims."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import PlanError
from kernelspec.testing.laboratory import z_threshold
from kernelspec.testing.subjects import kernel_matrix, subject_of

__all__ = [
    "COLUMNS",
    "LIBRARIES",
    "Kernel",
    "Measured",
    "Sampler",
    "audit",
    "exponential",
    "gaussian",
    "is_installed",
    "matern_three_halves",
    "measure_sampler",
    "samplers_of",
    "variance_of_pairs",
    "variance_of_phases",
]

COLUMNS = 64
"""Columns of the features of every sampler."""

Kernel = Callable[[Any, Any], NDArray[np.float64]]


@dataclass(frozen=True)
class Sampler:
    """How a sampler is made, what it claims, and the variance predicted of its estimates, where one is known.

    `make` gives an estimator with `fit` and `transform`, or a callable features(X, generator).
    """

    claims: str
    make: Callable[[], Any]
    kernel: Kernel
    variance: Callable[[Any], NDArray[np.float64]] | None = None


def variance_of_phases(kernel: Kernel, X: Any) -> NDArray[np.float64]:
    """Of a mean over n columns √2 cos(ω·x + b): (1 + k(2Δ)/2 − k²)/n, for a kernel of the difference of rows."""
    return np.asarray((1 + _doubled(kernel, X) / 2 - kernel(X, X) ** 2) / COLUMNS)


def variance_of_pairs(kernel: Kernel, X: Any) -> NDArray[np.float64]:
    """Of a mean over n/2 pairs (cos ω·x, sin ω·x): (1 + k(2Δ) − 2k²)/n, for a kernel of the difference of rows."""
    return np.asarray((1 + _doubled(kernel, X) - 2 * kernel(X, X) ** 2) / COLUMNS)


def _doubled(kernel: Kernel, X: Any) -> NDArray[np.float64]:
    return kernel(2 * np.asarray(X), 2 * np.asarray(X))


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


def gaussian(X: Any, Y: Any, gamma: float = 0.5) -> NDArray[np.float64]:
    """exp(−γ r²)."""
    return np.exp(-gamma * _distances(X, Y) ** 2)


def exponential(X: Any, Y: Any) -> NDArray[np.float64]:
    """exp(−r)."""
    return np.exp(-_distances(X, Y))


def matern_three_halves(X: Any, Y: Any, rate: float) -> NDArray[np.float64]:
    """(1 + a r) exp(−a r)."""
    scaled = rate * _distances(X, Y)
    return (1 + scaled) * np.exp(-scaled)


def _distances(X: Any, Y: Any) -> NDArray[np.float64]:
    return np.asarray(np.sqrt(np.square(np.asarray(X)[:, None] - np.asarray(Y)[None]).sum(axis=-1)))


LIBRARIES: Mapping[str, str] = {
    "scikit-learn": "sklearn",
    "datasketch": "datasketch",
    "GSTools": "gstools",
    "GPyTorch": "gpytorch",
    "BoTorch": "botorch",
}
"""The name of a library → the package that is imported; its samplers are in `libraries/`."""


def is_installed(library: str) -> bool:
    """Whether the samplers of a library can be made here."""
    return find_spec(LIBRARIES[library]) is not None


def samplers_of(library: str) -> Mapping[str, Sampler]:
    """The samplers of a library, by name. The library itself is not imported."""
    from kernelspec.exchange.library_samplers import SAMPLERS

    return SAMPLERS[library]


def audit(library: str, n_maps: int = 400, seed: int = 0) -> Iterator[Measured]:
    """Every sampler of a library that is installed, measured on twelve rows of four columns, sizes above zero."""
    rows = np.random.default_rng(0).gamma(2.0, 0.5, (12, 4))
    for name, each in samplers_of(library).items():
        yield measure_sampler(
            each.make(),
            rows,
            each.kernel,
            name=name,
            claims=each.claims,
            variance=each.variance,
            n_maps=n_maps,
            seed=seed,
        )
