"""The samplers of scikit-learn, each with the kernel it claims, and the variance predicted of it where one is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.comparison.measured import Measured, measure_sampler

__all__ = ["SAMPLERS", "Sampler", "audit"]

_FEATURES = 64
_GAMMA, _SKEW = 0.5, 1.0

Kernel = Callable[[Any, Any], NDArray[np.float64]]


@dataclass(frozen=True)
class Sampler:
    """How a sampler is made, what it claims, and the variance predicted of its estimates, where one is known."""

    claims: str
    make: Callable[[], Any]
    kernel: Kernel
    variance: Callable[[Any], NDArray[np.float64]] | None = None


def audit(n_maps: int = 400, seed: int = 0) -> list[Measured]:
    """Every sampler of the catalogue, measured on twelve rows of four columns, sizes above zero."""
    rows = np.random.default_rng(0).gamma(2.0, 0.5, (12, 4))
    return [
        measure_sampler(
            each.make(),
            rows,
            each.kernel,
            name=name,
            claims=each.claims,
            variance=each.variance,
            n_maps=n_maps,
            seed=seed,
        )
        for name, each in SAMPLERS.items()
    ]


def _of_lags(profile: Callable[[NDArray[np.float64]], NDArray[np.float64]], X: Any, Y: Any) -> NDArray[np.float64]:
    return profile(np.asarray(X)[:, None] - np.asarray(Y)[None])


def _gaussian(X: Any, Y: Any) -> NDArray[np.float64]:
    return _of_lags(lambda lag: np.exp(-_GAMMA * np.square(lag).sum(axis=-1)), X, Y)


def _skewed(X: Any, Y: Any) -> NDArray[np.float64]:
    """∏ 2√(x+c)√(y+c)/(x+y+2c), which is ∏ sech(Δ/2) of the logarithms of x + c."""
    return _of_lags(lambda lag: np.prod(1 / np.cosh(lag / 2), axis=-1), np.log(X + _SKEW), np.log(Y + _SKEW))


def _additive(X: Any, Y: Any) -> NDArray[np.float64]:
    x, y = np.asarray(X)[:, None], np.asarray(Y)[None]
    return np.asarray((2 * x * y / (x + y)).sum(axis=-1))


def _polynomial(X: Any, Y: Any) -> NDArray[np.float64]:
    return np.asarray((np.asarray(X) @ np.asarray(Y).T + 1) ** 2)


def _of_phases(k: NDArray[np.float64], doubled: NDArray[np.float64]) -> NDArray[np.float64]:
    """The variance of cosines with random phases: (1 + k(2Δ)/2 − k²)/n."""
    return (1 + doubled / 2 - k**2) / _FEATURES


def _gaussian_variance(X: Any) -> NDArray[np.float64]:
    return _of_phases(_gaussian(X, X), _gaussian(2 * X, 2 * X))


def _skewed_variance(X: Any) -> NDArray[np.float64]:
    logarithms = np.log(X + _SKEW)
    doubled = _of_lags(lambda lag: np.prod(1 / np.cosh(lag), axis=-1), logarithms, logarithms)
    return _of_phases(_skewed(X, X), doubled)


def _rbf_sampler() -> Any:
    from sklearn.kernel_approximation import RBFSampler

    return RBFSampler(gamma=_GAMMA, n_components=_FEATURES)


def _skewed_sampler() -> Any:
    from sklearn.kernel_approximation import SkewedChi2Sampler

    return SkewedChi2Sampler(skewedness=_SKEW, n_components=_FEATURES)


def _additive_sampler() -> Any:
    from sklearn.kernel_approximation import AdditiveChi2Sampler

    return AdditiveChi2Sampler(sample_steps=2)


def _sketch() -> Any:
    from sklearn.kernel_approximation import PolynomialCountSketch

    return PolynomialCountSketch(gamma=1.0, degree=2, coef0=1, n_components=_FEATURES)


def _nystroem() -> Any:
    from sklearn.kernel_approximation import Nystroem

    return Nystroem(gamma=_GAMMA, n_components=6)


SAMPLERS: Mapping[str, Sampler] = {
    "RBFSampler": Sampler("exp(−γ‖Δ‖²)", _rbf_sampler, _gaussian, _gaussian_variance),
    "SkewedChi2Sampler": Sampler("∏ 2√(x+c)√(y+c)/(x+y+2c)", _skewed_sampler, _skewed, _skewed_variance),
    "AdditiveChi2Sampler": Sampler("Σ 2xy/(x+y)", _additive_sampler, _additive),
    "PolynomialCountSketch": Sampler("(x·y + 1)²", _sketch, _polynomial),
    "Nystroem": Sampler("exp(−γ‖Δ‖²), 6 of 12 rows", _nystroem, _gaussian),
}
"""The name of the class → what it is held against."""
