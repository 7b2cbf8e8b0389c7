"""tilt(k, by): what it becomes."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.elaboration.scope import Columns
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaves.cosh_gaussian import CoshGaussian
from kernelspec.kernels.nodes.product import Product
from kernelspec.kernels.nodes.tilt import Tilt

X = np.random.default_rng(5).normal(size=(5, 2))


def kernel(text: str) -> Kernel:
    return ks.parse(text).kernel(Columns(2))


@pytest.mark.parametrize(
    "text", ["gaussian(2)", "laplace()", "matern(1.5)[1]", "gaussian() - 0.5 * laplace()", "cauchy() * gaussian()"]
)
def test_scales_the_rows(text: str) -> None:
    rise = np.exp(X @ [0.5, -1])
    found = ks.parse(f"tilt({text}, by=[0.5, -1])").gram(X)
    np.testing.assert_allclose(found, rise[:, None] * ks.parse(text).gram(X) / rise, rtol=1e-12)


def test_a_named_kernel_where_there_is_one() -> None:
    assert kernel("tilt(gaussian(2), by=0.3)") == kernel("cosh_gaussian(scale=2, by=0.3)")
    product = kernel("tilt(laplace() * gaussian(2), by=0.3)")
    assert isinstance(product, Product)
    assert isinstance(product.factors[1], CoshGaussian)


def test_zero_and_there_and_back() -> None:
    assert kernel("tilt(laplace(), by=0)") == kernel("laplace()")
    assert kernel("tilt(tilt(laplace(), by=1), by=-1)") == kernel("laplace()")
    assert kernel("tilt(tilt(laplace(), by=1), by=[1, 2])") == kernel("tilt(laplace(), by=[2, 3])")
    assert isinstance(kernel("tilt(laplace()[1], by=1)"), Tilt)


def test_refusals() -> None:
    with pytest.raises(ks.KernelspecError, match="apply it to the other factors"):
        kernel("tilt(match(), by=1)")
    with pytest.raises(ks.KernelspecError, match="3 entries for 2 columns"):
        kernel("tilt(gaussian(), by=[1, 2, 3])")
