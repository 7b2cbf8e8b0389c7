"""tilt(k, by): what it becomes."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.elaboration.scope import Columns
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaves.gaussian_directions import CoshGaussian
from kernelspec.kernels.nodes.columns_and_lags import Tilt
from kernelspec.kernels.nodes.product import Product

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


@pytest.mark.slow
def test_categories_may_stand_in_columns_where_nothing_grows() -> None:
    text = "tilt(match()[0]*gaussian()[1], by=[0, 1])"
    table = np.array([["a", 0.5], ["b", -1.0], ["a", 2.0]], dtype=object)
    t = table[:, 1].astype(float)
    lag = t[:, None] - t
    expected = (table[:, 0][:, None] == table[:, 0]) * np.exp(lag - lag**2 / 2)
    np.testing.assert_allclose(ks.parse(text).gram(table), expected, rtol=1e-13)
    verdict = ks.analyze(text, dim=2).verdict
    assert (verdict.positive_definite, verdict.symmetric) == ("disproved", False)
    fmap = ks.compile(text, data=table, n_features=20_000, seed=3, draws="independent")
    np.testing.assert_allclose(fmap.approximate(table), expected, atol=0.1)
    for refused in ("by=[1, 0]", "by=1", "by=[1, 1]"):
        with pytest.raises(ks.KernelspecError, match=r"match\(\) compares categories"):
            ks.analyze(f"tilt(match()[0]*gaussian()[1], {refused})", dim=2)


def test_named_columns_of_categories() -> None:
    text = "(tilt(match()[plan]*gaussian()[age], by=[0, 1]))[plan, age]"
    assert ks.analyze(text).verdict.symmetric is False
