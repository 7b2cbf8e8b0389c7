"""Auditing the samplers of other libraries: the bias and variance of each against the kernel it claims.

A field of n modes is Σ (z₁ cos ω·x + z₂ sin ω·x)/√n with normal z; given the frequencies its covariance is the average
of cos ω·(x − y), which is measured here. If the radius has no closed-form inverse distribution function, the
frequencies come from a Markov chain. The samplers include those of [Ioffe 2010] and [Müller et al. 2022].
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import PlanError
from kernelspec.testing.laboratory import z_threshold
from kernelspec.testing.subjects import kernel_matrix, subject_of

__all__ = ["COLUMNS", "LIBRARIES", "SAMPLERS", "Measured", "audit", "is_installed", "measure_sampler"]

COLUMNS = 64
"""Features of every sampler."""

Matrix = NDArray[np.float64]
Features = Callable[[Any, np.random.Generator], Matrix]


@dataclass(frozen=True)
class Sampler:
    """How a sampler is made, what it claims, and the predicted variance of its estimates, if known.

    `make` returns an estimator with `fit` and `transform`, or a callable features(X, generator); `kernel` is a spec or
    a callable k(X, Y).
    """

    claims: str
    make: Callable[[], Any]
    kernel: Any
    variance: Callable[[Any], Matrix] | None = None


def variance_of_phases(kernel: Any, X: Any) -> Matrix:
    """For an average over n columns √2 cos(ω·x + b): (1 + k(2Δ)/2 − k²)/n, for a kernel of the difference of rows."""
    return np.asarray((1 + kernel_matrix(kernel, 2 * X) / 2 - kernel_matrix(kernel, X) ** 2) / COLUMNS)


def variance_of_pairs(kernel: Any, X: Any) -> Matrix:
    """For an average over n/2 pairs (cos ω·x, sin ω·x): (1 + k(2Δ) − 2k²)/n, for a kernel of the difference of rows."""
    return np.asarray((1 + kernel_matrix(kernel, 2 * X) - 2 * kernel_matrix(kernel, X) ** 2) / COLUMNS)


_BUDGET = 1e-4
"""The probability that any interval of a sampler, over all pairs of rows, misses its target."""

_FEWEST = 30
"""The fewest maps for which the limit theorem applies."""


@dataclass(frozen=True)
class Measured:
    """A sampler over independent maps; sizes are shares of √(k(x,x) k(y,y)), intervals hold for all pairs together.

    `bias` and its `interval` are for the pair with the most significant bias; `ratio` is the average over pairs of
    observed over predicted variance, with `ratio_interval`, or None without a prediction.
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
        """Whether the interval excludes zero."""
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
    variance: Callable[[Any], Matrix] | None = None,
    n_maps: int = 400,
    seed: int = 0,
) -> Measured:
    """Maps of a sampler with seeds from `seed` on, fitted to X and compared on all pairs of its rows.

    `sampler` has `fit` and `transform`, or is a callable features(X, generator); `kernel` is a spec, a callable k(X, Y)
    or a matrix; `variance` returns the predicted variance of one estimate of the matrix, (n, n). Intervals come from
    the central limit theorem, simultaneous over all pairs at 1e-4. Raises PlanError for fewer than 30 maps; SpecError.
    """
    if n_maps < _FEWEST:
        raise PlanError(f"n_maps must be at least {_FEWEST}, not {n_maps}")
    exact, subject = kernel_matrix(kernel, X), subject_of(sampler, X)
    upper = np.triu_indices(len(exact))
    size = np.sqrt(np.multiply.outer(np.diagonal(exact), np.diagonal(exact)))[upper]
    estimates = np.array([subject.estimate(X, seed + m)[upper] for m in range(n_maps)])
    errors = (estimates - exact[upper]) / size
    mean, spread = errors.mean(axis=0), errors.std(axis=0, ddof=1) / np.sqrt(n_maps)
    spread = np.maximum(spread, 1e-12)  # without variance, the mean is known up to rounding
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


LIBRARIES: Mapping[str, str] = {
    "scikit-learn": "sklearn",
    "datasketch": "datasketch",
    "GSTools": "gstools",
    "GPyTorch": "gpytorch",
    "BoTorch": "botorch",
}
"""Library → the package to import."""


def is_installed(library: str) -> bool:
    """Whether the library can be imported."""
    return find_spec(LIBRARIES[library]) is not None


def audit(library: str, n_maps: int = 400, seed: int = 0) -> Iterator[Measured]:
    """Measure every sampler of an installed library on twelve rows of four columns with positive values."""
    rows = np.random.default_rng(0).gamma(2.0, 0.5, (12, 4))
    for name, each in SAMPLERS[library].items():
        options: Any = {"variance": each.variance, "n_maps": n_maps, "seed": seed}
        yield measure_sampler(each.make(), rows, each.kernel, name=name, claims=each.claims, **options)


def _approximation(name: str, **arguments: Any) -> Callable[[], Any]:
    """A class of `sklearn.kernel_approximation` with these arguments."""
    return lambda: getattr(import_module("sklearn.kernel_approximation"), name)(**arguments)


def _of_torch(features: Callable[[Any, int], Any]) -> Callable[[], Features]:
    """Features of rows as a tensor and their number of columns, drawn by PyTorch's generator."""

    def seeded(X: Any, generator: np.random.Generator) -> Matrix:
        import torch

        torch.manual_seed(int(generator.integers(2**31)))
        with torch.no_grad():
            return np.asarray(features(torch.as_tensor(X), X.shape[1]))

    return lambda: seeded


def _kernel_features(name: str, **parameters: float) -> Callable[[], Features]:
    def features(rows: Any, dim: int) -> Any:
        from botorch.sampling.pathwise.features.generators import gen_kernel_features
        from gpytorch import kernels

        kernel = getattr(kernels, name)(**parameters).double()
        kernel.lengthscale = 1.0
        return gen_kernel_features(kernel, dim, COLUMNS)(rows)

    return _of_torch(features)


def _rff(rows: Any, dim: int) -> Any:
    from gpytorch.kernels import RFFKernel

    kernel = RFFKernel(num_samples=COLUMNS // 2, num_dims=dim).double()
    kernel.lengthscale = 1.0
    return kernel._featurize(rows, normalize=True)


def _minhash(X: Any, generator: np.random.Generator) -> Matrix:
    """Indicators of the samples seen, over √n: their inner products are the share of equal samples."""
    from datasketch import WeightedMinHashGenerator

    sketches = WeightedMinHashGenerator(X.shape[1], COLUMNS, seed=int(generator.integers(2**31)))
    samples = np.stack([sketch.hashvalues for sketch in sketches.minhash_many(X)])
    first = (samples[:, None] == samples).all(axis=-1).argmax(axis=1)  # the first row with the same sample
    return np.asarray(np.eye(len(X))[first].reshape(len(X), -1) / np.sqrt(COLUMNS))


def _share_variance(X: Any) -> Matrix:
    """For the share of equal samples: k(1 − k)/n."""
    k = kernel_matrix("minmax()", X)
    return np.asarray(k * (1 - k) / COLUMNS)


def _modes(model: str, **parameters: float) -> Callable[[], Features]:
    """cos ω·x and sin ω·x of the modes of a field, over √n."""

    def features(X: Any, generator: np.random.Generator) -> Matrix:
        import gstools
        from gstools.field.generator import RandMeth

        covariance = getattr(gstools, model)(dim=X.shape[1], len_scale=1, **parameters)
        modes = RandMeth(covariance, mode_no=COLUMNS // 2, seed=int(generator.integers(2**31)))
        angles = X @ np.asarray(modes._cov_sample)
        return np.asarray(np.hstack([np.cos(angles), np.sin(angles)]) / np.sqrt(COLUMNS // 2))

    return lambda: features


def _of(claims: str, make: Callable[[], Any], kernel: str) -> Sampler:
    return Sampler(claims, make, kernel, lambda X: variance_of_pairs(kernel, X))


_SKEW = 1.0


def _sech(X: Any, Y: Any) -> Matrix:
    """∏ sech(Δ/2)."""
    return np.asarray(np.prod(1 / np.cosh((X[:, None] - Y) / 2), axis=-1))


def _skewed(X: Any, Y: Any) -> Matrix:
    """∏ 2√(x+c)√(y+c)/(x+y+2c), which is ∏ sech(Δ/2) of the logarithms of x + c."""
    return _sech(np.log(X + _SKEW), np.log(Y + _SKEW))


def _additive(X: Any, Y: Any) -> Matrix:
    return np.asarray((2 * X[:, None] * Y / (X[:, None] + Y)).sum(axis=-1))


SAMPLERS: Mapping[str, Mapping[str, Sampler]] = {
    "scikit-learn": {
        "RBFSampler": Sampler(
            "exp(−γ‖Δ‖²)",
            _approximation("RBFSampler", gamma=0.5, n_components=COLUMNS),
            "gaussian()",
            lambda X: variance_of_phases("gaussian()", X),
        ),
        "SkewedChi2Sampler": Sampler(
            "∏ 2√(x+c)√(y+c)/(x+y+2c)",
            _approximation("SkewedChi2Sampler", skewedness=_SKEW, n_components=COLUMNS),
            _skewed,
            lambda X: variance_of_phases(_sech, np.log(X + _SKEW)),
        ),
        "AdditiveChi2Sampler": Sampler("Σ 2xy/(x+y)", _approximation("AdditiveChi2Sampler", sample_steps=2), _additive),
        "PolynomialCountSketch": Sampler(
            "(x·y + 1)²",
            _approximation("PolynomialCountSketch", gamma=1.0, degree=2, coef0=1, n_components=COLUMNS),
            "(linear() + constant())**2",
        ),
        "Nystroem": Sampler(
            "exp(−γ‖Δ‖²), 6 of 12 rows", _approximation("Nystroem", gamma=0.5, n_components=6), "gaussian()"
        ),
    },
    "datasketch": {"WeightedMinHash": Sampler("Σ min/Σ max", lambda: _minhash, "minmax()", _share_variance)},
    "GSTools": {
        "RandMeth(Gaussian)": _of("exp(−πr²/4)", _modes("Gaussian"), "gaussian(scale=sqrt(2/pi))"),
        "RandMeth(Exponential)": _of("exp(−r)", _modes("Exponential"), "exponential()"),
        "RandMeth(Matern, ν = 3/2)": _of(
            "(1 + √1.5 r) exp(−√1.5 r)", _modes("Matern", nu=1.5), "matern(nu=3/2, scale=sqrt(2))"
        ),
    },
    "GPyTorch": {"RFFKernel": _of("exp(−r²/2)", _of_torch(_rff), "gaussian()")},
    "BoTorch": {
        "gen_kernel_features(RBF)": Sampler("exp(−r²/2)", _kernel_features("RBFKernel"), "gaussian()"),
        "gen_kernel_features(Matern, ν = 3/2)": Sampler(
            "(1 + √3 r) exp(−√3 r)", _kernel_features("MaternKernel", nu=1.5), "matern(nu=3/2)"
        ),
    },
}
"""Library → its samplers, by class or model: what each claims, and the reference."""
