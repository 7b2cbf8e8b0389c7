"""GPyTorch: `RFFKernel`, random Fourier features of the Gaussian kernel."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.comparison.distances import gaussian
from kernelspec.comparison.sampler import COLUMNS, Sampler, variance_of_pairs

__all__ = ["SAMPLERS"]


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


SAMPLERS: Mapping[str, Sampler] = {
    "RFFKernel": Sampler("exp(−r²/2)", _rff, gaussian, lambda X: variance_of_pairs(gaussian, X))
}
"""The name of the class → what it is held against."""
