"""The samplers of scikit-learn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.comparison.distances import gaussian
from kernelspec.comparison.sampler import COLUMNS, Sampler, variance_of_phases

__all__ = ["SAMPLERS"]

_GAMMA, _SKEW = 0.5, 1.0


def _sech(X: Any, Y: Any) -> NDArray[np.float64]:
    """∏ sech(Δ/2)."""
    return np.asarray(np.prod(1 / np.cosh((np.asarray(X)[:, None] - np.asarray(Y)[None]) / 2), axis=-1))


def _skewed(X: Any, Y: Any) -> NDArray[np.float64]:
    """∏ 2√(x+c)√(y+c)/(x+y+2c), which is ∏ sech(Δ/2) of the logarithms of x + c."""
    return _sech(np.log(X + _SKEW), np.log(Y + _SKEW))


def _additive(X: Any, Y: Any) -> NDArray[np.float64]:
    x, y = np.asarray(X)[:, None], np.asarray(Y)[None]
    return np.asarray((2 * x * y / (x + y)).sum(axis=-1))


def _polynomial(X: Any, Y: Any) -> NDArray[np.float64]:
    return np.asarray((np.asarray(X) @ np.asarray(Y).T + 1) ** 2)


def _rbf_sampler() -> Any:
    from sklearn.kernel_approximation import RBFSampler

    return RBFSampler(gamma=_GAMMA, n_components=COLUMNS)


def _skewed_sampler() -> Any:
    from sklearn.kernel_approximation import SkewedChi2Sampler

    return SkewedChi2Sampler(skewedness=_SKEW, n_components=COLUMNS)


def _additive_sampler() -> Any:
    from sklearn.kernel_approximation import AdditiveChi2Sampler

    return AdditiveChi2Sampler(sample_steps=2)


def _sketch() -> Any:
    from sklearn.kernel_approximation import PolynomialCountSketch

    return PolynomialCountSketch(gamma=1.0, degree=2, coef0=1, n_components=COLUMNS)


def _nystroem() -> Any:
    from sklearn.kernel_approximation import Nystroem

    return Nystroem(gamma=_GAMMA, n_components=6)


SAMPLERS: Mapping[str, Sampler] = {
    "RBFSampler": Sampler("exp(−γ‖Δ‖²)", _rbf_sampler, gaussian, lambda X: variance_of_phases(gaussian, X)),
    "SkewedChi2Sampler": Sampler(
        "∏ 2√(x+c)√(y+c)/(x+y+2c)", _skewed_sampler, _skewed, lambda X: variance_of_phases(_sech, np.log(X + _SKEW))
    ),
    "AdditiveChi2Sampler": Sampler("Σ 2xy/(x+y)", _additive_sampler, _additive),
    "PolynomialCountSketch": Sampler("(x·y + 1)²", _sketch, _polynomial),
    "Nystroem": Sampler("exp(−γ‖Δ‖²), 6 of 12 rows", _nystroem, gaussian),
}
"""The name of the class → what it is held against."""
