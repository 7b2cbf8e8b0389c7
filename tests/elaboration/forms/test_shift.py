"""shift(k, by): what it becomes."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.elaboration.scope import Columns
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaves.gaussian_directions import ShiftGaussian
from kernelspec.kernels.nodes.columns_and_lags import Shift
from kernelspec.kernels.nodes.sum import Sum

X = np.random.default_rng(5).normal(size=(5, 2))


def kernel(text: str) -> Kernel:
    return ks.parse(text).kernel(Columns(2))


@pytest.mark.parametrize(
    "text", ["gaussian(2)", "laplace()", "matern(1.5)[1]", "gaussian() - 0.5 * laplace()", "cauchy() * gaussian()"]
)
def test_moves_the_lag(text: str) -> None:
    found = ks.parse(f"shift({text}, by=[0.5, -1])").gram(X)
    np.testing.assert_allclose(found, ks.parse(text).gram(X + np.array([0.5, -1]), X), rtol=1e-12)


def test_a_named_kernel_where_there_is_one() -> None:
    assert isinstance(kernel("shift(gaussian(2), by=1)"), ShiftGaussian)
    assert kernel("shift(gaussian(2), by=1)") == kernel("shift_gaussian(scale=2, by=1)")
    assert kernel("shift(shift_gaussian(by=1), by=[1, 0])") == kernel("shift_gaussian(by=[2, 1])")


def test_zero_and_there_and_back() -> None:
    assert kernel("shift(laplace(), by=0)") == kernel("laplace()")
    assert kernel("shift(shift(laplace(), by=1), by=-1)") == kernel("laplace()")
    assert kernel("shift(shift(laplace(), by=1), by=[1, 2])") == kernel("shift(laplace(), by=[2, 3])")
    assert kernel("shift(laplace() - laplace(), by=1)") == kernel("laplace() - laplace()")
    assert kernel("shift(gaussian(), 1) - shift_gaussian(by=1)") == kernel("gaussian() - gaussian()")


def test_sums_are_moved_term_by_term() -> None:
    moved = kernel("shift(2 * gaussian() - laplace(), by=1)")
    assert isinstance(moved, Sum)
    assert moved.weights == (2.0, -1.0)
    assert isinstance(moved.terms[1], Shift)


def test_refusals() -> None:
    with pytest.raises(ks.KernelspecError, match="apply it to the other factors"):
        kernel("shift(gaussian() * match(), by=1)")
    with pytest.raises(ks.KernelspecError, match="3 entries for 2 columns"):
        kernel("shift(gaussian(), by=[1, 2, 3])")
    with pytest.raises(ks.KernelspecError, match="needs the argument 'by'"):
        kernel("shift(gaussian())")


def test_the_text_is_checked_without_columns() -> None:
    for text in (
        "normalize(shift(laplace(), by=1))",
        "shift(cosh_gaussian(by=[1, 2, 3])[0:3], by=1)",
        "param r\nshift(laplace(), r)",
    ):
        ks.parse(text)
