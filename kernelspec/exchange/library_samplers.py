"""The samplers of other libraries that an audit measures, such as those of [Ioffe 2010] and [Müller et al. 2022].

A field of n modes is Σ (z₁ cos ω·x + z₂ sin ω·x)/√n with normal z; given the frequencies its covariance is the mean of
cos ω·(x − y), which is what is measured. Where the radius has no inverse distribution function in closed form, the
frequencies come from a Markov chain.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.exchange.audit import (
    COLUMNS,
    Kernel,
    Sampler,
    exponential,
    gaussian,
    matern_three_halves,
    variance_of_pairs,
    variance_of_phases,
)

__all__ = ["BOTORCH", "DATASKETCH", "GPYTORCH", "GSTOOLS", "SAMPLERS", "SCIKIT_LEARN"]


def _kernel_features(name: str, **parameters: float) -> Callable[[Any, np.random.Generator], NDArray[np.float64]]:
    import torch
    from botorch.sampling.pathwise.features.generators import gen_kernel_features
    from gpytorch import kernels

    def features(X: Any, generator: np.random.Generator) -> NDArray[np.float64]:
        torch.manual_seed(int(generator.integers(2**31)))
        kernel = getattr(kernels, name)(**parameters).double()
        kernel.lengthscale = 1.0
        with torch.no_grad():
            return np.asarray(gen_kernel_features(kernel, X.shape[1], COLUMNS)(torch.as_tensor(X)))

    return features


BOTORCH: Mapping[str, Sampler] = {
    "gen_kernel_features(RBF)": Sampler("exp(−r²/2)", lambda: _kernel_features("RBFKernel"), gaussian),
    "gen_kernel_features(Matern, ν = 3/2)": Sampler(
        "(1 + √3 r) exp(−√3 r)",
        lambda: _kernel_features("MaternKernel", nu=1.5),
        lambda X, Y: matern_three_halves(X, Y, rate=np.sqrt(3)),
    ),
}
"""The kernel → what its features are held against."""


def _min_max(X: Any, Y: Any) -> NDArray[np.float64]:
    x, y = np.asarray(X)[:, None], np.asarray(Y)[None]
    return np.asarray(np.minimum(x, y).sum(axis=-1) / np.maximum(x, y).sum(axis=-1))


def _variance(X: Any) -> NDArray[np.float64]:
    """Of a share of equal samples: k(1 − k)/n."""
    k = _min_max(X, X)
    return np.asarray(k * (1 - k) / COLUMNS)


def _minhash() -> Any:
    """Indicators of the samples met, over √n: their inner products are the share of equal samples."""
    from datasketch import WeightedMinHashGenerator

    def features(X: Any, generator: np.random.Generator) -> NDArray[np.float64]:
        sketches = WeightedMinHashGenerator(X.shape[1], COLUMNS, seed=int(generator.integers(2**31)))
        samples = np.stack([sketch.hashvalues for sketch in sketches.minhash_many(X)])
        first = (samples[:, None] == samples).all(axis=-1).argmax(axis=1)  # the first row with the same sample
        return np.asarray(np.eye(len(X))[first].reshape(len(X), -1) / np.sqrt(COLUMNS))

    return features


DATASKETCH: Mapping[str, Sampler] = {"WeightedMinHash": Sampler("Σ min/Σ max", _minhash, _min_max, _variance)}
"""The name of the class → what it is held against."""


def _rff() -> Any:
    import torch
    from gpytorch.kernels import RFFKernel

    def features(X: Any, generator: np.random.Generator) -> NDArray[np.float64]:
        torch.manual_seed(int(generator.integers(2**31)))
        kernel = RFFKernel(num_samples=COLUMNS // 2, num_dims=X.shape[1]).double()
        kernel.lengthscale = 1.0
        with torch.no_grad():
            return np.asarray(kernel._featurize(torch.as_tensor(X), normalize=True))

    return features


GPYTORCH: Mapping[str, Sampler] = {
    "RFFKernel": Sampler("exp(−r²/2)", _rff, gaussian, lambda X: variance_of_pairs(gaussian, X))
}
"""The name of the class → what it is held against."""


def _modes(model: str, **parameters: float) -> Callable[[Any, np.random.Generator], NDArray[np.float64]]:
    """cos ω·x and sin ω·x of the modes of a field, over √n."""
    import gstools
    from gstools.field.generator import RandMeth

    def features(X: Any, generator: np.random.Generator) -> NDArray[np.float64]:
        covariance = getattr(gstools, model)(dim=X.shape[1], len_scale=1, **parameters)
        modes = RandMeth(covariance, mode_no=COLUMNS // 2, seed=int(generator.integers(2**31)))
        angles = X @ np.asarray(modes._cov_sample)
        return np.asarray(np.hstack([np.cos(angles), np.sin(angles)]) / np.sqrt(COLUMNS // 2))

    return features


def _of(claims: str, make: Callable[[], Any], kernel: Kernel) -> Sampler:
    return Sampler(claims, make, kernel, lambda X: variance_of_pairs(kernel, X))


GSTOOLS: Mapping[str, Sampler] = {
    "RandMeth(Gaussian)": _of("exp(−πr²/4)", lambda: _modes("Gaussian"), lambda X, Y: gaussian(X, Y, gamma=np.pi / 4)),
    "RandMeth(Exponential)": _of("exp(−r)", lambda: _modes("Exponential"), exponential),
    "RandMeth(Matern, ν = 3/2)": _of(
        "(1 + √1.5 r) exp(−√1.5 r)",
        lambda: _modes("Matern", nu=1.5),
        lambda X, Y: matern_three_halves(X, Y, rate=np.sqrt(1.5)),
    ),
}
"""The covariance model → what its frequencies are held against."""


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


SCIKIT_LEARN: Mapping[str, Sampler] = {
    "RBFSampler": Sampler("exp(−γ‖Δ‖²)", _rbf_sampler, gaussian, lambda X: variance_of_phases(gaussian, X)),
    "SkewedChi2Sampler": Sampler(
        "∏ 2√(x+c)√(y+c)/(x+y+2c)", _skewed_sampler, _skewed, lambda X: variance_of_phases(_sech, np.log(X + _SKEW))
    ),
    "AdditiveChi2Sampler": Sampler("Σ 2xy/(x+y)", _additive_sampler, _additive),
    "PolynomialCountSketch": Sampler("(x·y + 1)²", _sketch, _polynomial),
    "Nystroem": Sampler("exp(−γ‖Δ‖²), 6 of 12 rows", _nystroem, gaussian),
}
"""The name of the class → what it is held against."""

SAMPLERS: Mapping[str, Mapping[str, Sampler]] = {
    "scikit-learn": SCIKIT_LEARN,
    "datasketch": DATASKETCH,
    "GSTools": GSTOOLS,
    "GPyTorch": GPYTORCH,
    "BoTorch": BOTORCH,
}
"""Library → its samplers by name."""
