"""BoTorch: `gen_kernel_features`, Fourier features at scrambled Sobol' points, as used for posterior samples."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.comparison.distances import gaussian, matern_three_halves
from kernelspec.comparison.sampler import COLUMNS, Sampler

__all__ = ["SAMPLERS"]


def _features(name: str, **parameters: float) -> Callable[[Any, np.random.Generator], NDArray[np.float64]]:
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


SAMPLERS: Mapping[str, Sampler] = {
    "gen_kernel_features(RBF)": Sampler("exp(−r²/2)", lambda: _features("RBFKernel"), gaussian),
    "gen_kernel_features(Matern, ν = 3/2)": Sampler(
        "(1 + √3 r) exp(−√3 r)",
        lambda: _features("MaternKernel", nu=1.5),
        lambda X, Y: matern_three_halves(X, Y, rate=np.sqrt(3)),
    ),
}
"""The kernel → what its features are held against."""
