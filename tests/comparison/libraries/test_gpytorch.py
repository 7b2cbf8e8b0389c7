"""GPyTorch's features: the kernel is its own."""

from __future__ import annotations

import numpy as np
import pytest

from kernelspec.exchange.library_samplers import GPYTORCH as SAMPLERS


def test_the_kernel_is_that_of_the_library() -> None:
    gpytorch, torch = pytest.importorskip("gpytorch"), pytest.importorskip("torch")
    rows = np.random.default_rng(0).gamma(2, size=(5, 4))
    kernel = gpytorch.kernels.RBFKernel().double()
    kernel.lengthscale = 1.0
    np.testing.assert_allclose(
        SAMPLERS["RFFKernel"].kernel(rows, rows), kernel(torch.as_tensor(rows)).to_dense().detach().numpy(), atol=1e-10
    )
