"""Tests of `elaboration/forms/lags.py`."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.elaboration.scope import Columns
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaves.gaussian_directions import CoshGaussian, ShiftGaussian
from kernelspec.kernels.nodes.columns_and_lags import Shift, Tilt
from kernelspec.kernels.nodes.product import Product
from kernelspec.kernels.nodes.sum import Sum

X = np.random.default_rng(5).normal(size=(5, 2))
LAGS = X[:, None, :] - X[None, :, :]


def test_multiplies_by_a_cosine() -> None:
    expected = np.exp(-np.abs(LAGS).sum(-1)) * np.cos(LAGS @ [1, 2])
    np.testing.assert_allclose(ks.parse("modulate(laplace(), [1, 2])").gram(X), expected, rtol=1e-12, atol=1e-15)


def test_a_number_is_the_constant_vector() -> None:
    np.testing.assert_allclose(
        ks.parse("modulate(laplace(), 3)").gram(X), ks.parse("modulate(laplace(), by=[3, 3])").gram(X), rtol=1e-14
    )


def test_moves_half_of_the_density_each_way() -> None:
    omega = np.array([[0.0], [1.3], [2.0]])
    normal = ks.analyze("gaussian()", dim=1).spectral_density_at
    found = ks.analyze("modulate(gaussian(), by=2)", dim=1).spectral_density_at(omega)
    np.testing.assert_allclose(found, (normal(omega - 2) + normal(omega + 2)) / 2, rtol=1e-13)


def test_a_vector_of_the_wrong_length_is_refused() -> None:
    with pytest.raises(ks.KernelspecError, match="3 entries for 2 columns"):
        ks.parse("modulate(gaussian(), [1, 2, 3])").gram(X)


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


@pytest.mark.parametrize(
    ("by", "mapped"),
    [
        ("2", LAGS / 2),
        ("[1, 4]", LAGS / [1, 4]),
        ("[[1, 1], [0, 2]]", np.stack([LAGS.sum(-1), 2 * LAGS[..., 1]], axis=-1)),
        ("[[1, -1]]", (LAGS[..., 0] - LAGS[..., 1])[..., None]),
    ],
)
def test_values(by: str, mapped: np.ndarray) -> None:
    expected = np.exp(-np.abs(mapped).sum(-1))
    np.testing.assert_allclose(ks.parse(f"stretch(laplace(), {by})").gram(X), expected, rtol=1e-12)


@pytest.mark.parametrize(
    ("by", "said"),
    [
        ("0", "must be greater than 0, not 0"),
        ("[1, -2]", "must be greater than 0, not -2"),
        ("[[1, 2], [3]]", "the rows of the matrix differ in length"),
        ("[[1, 2, 3]]", "has 3 columns for 2 columns of data"),
        ("[1, 2, 3]", "3 entries for 2 columns"),
    ],
)
def test_refusals_stretch(by: str, said: str) -> None:
    with pytest.raises(ks.KernelspecError, match=said):
        ks.parse(f"stretch(gaussian(), {by})").gram(X)


@pytest.mark.parametrize(
    "text", ["gaussian(2)", "laplace()", "matern(1.5)[1]", "gaussian() - 0.5 * laplace()", "cauchy() * gaussian()"]
)
def test_scales_the_rows(text: str) -> None:
    rise = np.exp(X @ [0.5, -1])
    found = ks.parse(f"tilt({text}, by=[0.5, -1])").gram(X)
    np.testing.assert_allclose(found, rise[:, None] * ks.parse(text).gram(X) / rise, rtol=1e-12)


def test_a_named_kernel_where_there_is_one_tilt() -> None:
    assert kernel("tilt(gaussian(2), by=0.3)") == kernel("cosh_gaussian(scale=2, by=0.3)")
    product = kernel("tilt(laplace() * gaussian(2), by=0.3)")
    assert isinstance(product, Product)
    assert isinstance(product.factors[1], CoshGaussian)


def test_zero_and_there_and_back_tilt() -> None:
    assert kernel("tilt(laplace(), by=0)") == kernel("laplace()")
    assert kernel("tilt(tilt(laplace(), by=1), by=-1)") == kernel("laplace()")
    assert kernel("tilt(tilt(laplace(), by=1), by=[1, 2])") == kernel("tilt(laplace(), by=[2, 3])")
    assert isinstance(kernel("tilt(laplace()[1], by=1)"), Tilt)


def test_refusals_tilt() -> None:
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
