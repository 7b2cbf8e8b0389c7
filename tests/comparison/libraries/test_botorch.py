"""BoTorch's features: the kernels are those of GPyTorch."""

from __future__ import annotations

import numpy as np
import pytest

from kernelspec.exchange.library_samplers import BOTORCH as SAMPLERS


def test_kernels_are_those_of_the_library() -> None:
    gpytorch, torch = pytest.importorskip("gpytorch"), pytest.importorskip("torch")
    rows = np.random.default_rng(0).gamma(2, size=(5, 4))
    kernels = {
        "gen_kernel_features(RBF)": gpytorch.kernels.RBFKernel(),
        "gen_kernel_features(Matern, ν = 3/2)": gpytorch.kernels.MaternKernel(nu=1.5),
    }
    for name, kernel in kernels.items():
        kernel.double().lengthscale = 1.0
        expected = kernel(torch.as_tensor(rows)).to_dense().detach().numpy()
        np.testing.assert_allclose(
            SAMPLERS[name].kernel(rows, rows), expected, atol=1e-7
        )  # a distance of 1e-15 is added
