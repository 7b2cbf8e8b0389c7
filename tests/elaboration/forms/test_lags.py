"""Tests of `elaboration/forms/lags.py`."""

from __future__ import annotations

import math

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.elaboration.scope import Columns
from kernelspec.errors import ArgumentError, RangeError, SpecError, TypeMismatchError
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaves.gaussian_directions import CoshGaussian, ShiftGaussian
from kernelspec.kernels.nodes.columns_and_lags import Tilt
from kernelspec.kernels.nodes.sums_and_products import Product


def test_the_degree_of_a_dual_is_needed_in_symbols() -> None:
    """Without it, the kernel of another function would be analyzed."""
    with pytest.raises(ks.ParameterError, match="'max_degree' must be known here: set the parameter"):
        ks.analyze("param n\ndual(relu, sphere(), max_degree=n)", dim=3)


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("dual(relu)", ArgumentError, "dual() needs the argument 'kernel'"),
        ("dual(gaussian())", ArgumentError, "dual() needs the argument 'kernel'"),
        ("dual(relu, gaussian(), max_degree=1.5)", RangeError, "'max_degree' must be a whole number from 0 to 10,000"),
        ("dual(relu, gaussian(), max_degree=100000)", RangeError, "'max_degree' must be a whole number"),
        ("dual(relu, gaussian(), degree=3)", ArgumentError, "dual() has no argument 'degree'"),
        ("dual(relu, 2)", TypeMismatchError, "expected a kernel, not a number"),
        ("dual(relu, 3 * gaussian())", RangeError, "the mass of this kernel is 3: normalize the kernel"),
        # at the radius itself Σ a_l m^l is infinite for these
        ("dual(gelu, 2*gaussian())", RangeError, "converges below 2, and the mass of this kernel is 2: normalize"),
        ("dual(gaussian(1/2), 2*gaussian())", RangeError, "converges below 2, and the mass of this kernel is 2"),
        ("dual(gaussian(1), 1.5*gaussian())", RangeError, "converges below 1.5"),
        ("dual(gaussian(0.3), 1.6/0.6*gaussian())", RangeError, "converges below 2.66667"),
        ("dual(exp(1000), 2*gaussian())", RangeError, "whose mass is 2, is larger than any float: normalize"),
        ("dual(hermite(10000), 2*gaussian())", RangeError, "dual(hermite(n=10000), …) of this kernel, whose mass is 2"),
        ("layer(gelu, 3*gaussian(), laplace())", RangeError, "layer(gelu, …) is a power series that converges below 2"),
        ("dual(gelu, 3*gaussian() + 0.5*laplace() - 0.5*match()[0])", RangeError, "divide the kernel by more than 2"),
    ],
)
def test_messages(text: str, error: type[SpecError], message: str) -> None:
    with pytest.raises(error) as caught:
        ks.parse(text)
    assert message in caught.value.message
    assert caught.value.span is not None


def test_the_bound_is_checked_when_parameters_are_known() -> None:
    spec = ks.parse("param w\ndual(relu, w * gaussian())")
    with pytest.raises(RangeError, match="the mass of this kernel is 2"):
        ks.parse("param w = 2\ndual(relu, w * gaussian())").gram([[1.0], [2.0]])
    assert "asin" in str(ks.analyze(spec, dim=1).kernel)


@pytest.mark.parametrize(
    ("text", "diagonal"),
    [
        ("dual(relu, gaussian())", 1.0),
        ("dual(erf, 1.5*gaussian())", math.pi / 2 / math.asin(2 / 3)),
        ("dual(sign, gaussian())", 1.0),
        ("dual(gelu, 1.9999*gaussian())", None),
        ("dual(gaussian(1000000000000), gaussian())", 1.0),
        ("dual(gaussian(1e60), mean(gaussian(), laplace(), gaussian()))", 1.0),
    ],
)
def test_masses_at_which_the_series_converges(text: str, diagonal: float | None) -> None:
    gram = ks.parse(text).gram([[0.3, 1.0], [2.0, -1.0]])
    assert np.isfinite(gram).all()
    if diagonal is not None:
        assert np.diag(gram) == pytest.approx(diagonal, rel=1e-12)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("dual(relu, gaussian() - gaussian())", 1 / np.pi),  # E relu(X) relu(Y) / E relu², X and Y independent
        ("layer(exp, match(), -match())", np.exp(-1)),
        ("dual(identity, gaussian() - gaussian())", 0.0),
    ],
)
def test_of_the_zero_kernel_is_a_constant(text: str, value: float) -> None:
    np.testing.assert_allclose(ks.parse(text).gram(np.eye(2)), np.full((2, 2), value), rtol=1e-15)
    fmap = ks.compile(text, dim=2, n_features=4)
    np.testing.assert_allclose(fmap.approximate(np.eye(2)), np.full((2, 2), value), rtol=1e-12)
    assert float(ks.analyze(text, dim=2).k0) == pytest.approx(value, rel=1e-15)
    assert ks.analyze(text).verdict.positive_definite == "proved"


X = np.random.default_rng(0).standard_normal((4, 3))


def test_is_the_dual_of_the_mean() -> None:
    for parts in ("gaussian()", "gaussian(), match()[0], circle()[1]", "gaussian(), gaussian(), laplace()"):
        layer, dual = f"layer(relu, {parts})", f"dual(relu, mean({parts}))"
        np.testing.assert_allclose(ks.parse(layer).gram(X), ks.parse(dual).gram(X), rtol=1e-14)
    cut = ks.parse("layer(relu, gaussian(), max_degree=4)")
    assert cut.kernel(cut.columns(3, None)).max_degree == 4  # type: ignore[attr-defined]


def test_layers_nest() -> None:
    text = "layer(relu, layer(exp(c=1/4), circle()[0], circle()[1]), layer(exp(c=1/4), circle()[1], circle()[2]))"
    means = [
        np.exp(
            0.25 * ((np.cos(np.subtract.outer(X[:, i], X[:, i])) + np.cos(np.subtract.outer(X[:, j], X[:, j]))) / 2 - 1)
        )
        for i, j in ((0, 1), (1, 2))
    ]
    angle = np.arccos(np.clip(sum(means) / 2, -1, 1))
    np.testing.assert_allclose(
        ks.parse(text).gram(X), (np.sin(angle) + (np.pi - angle) * np.cos(angle)) / np.pi, atol=1e-8
    )


def test_messages_layer() -> None:
    with pytest.raises(ArgumentError, match=r"layer\(\) needs an activation and one or more kernels"):
        ks.parse("layer(relu)")
    with pytest.raises(ArgumentError, match=r"layer\(\) has no argument 'max_degre'; did you mean 'max_degree'"):
        ks.parse("layer(relu, gaussian(), max_degre=3)")
    with pytest.raises(RangeError, match=r"layer\(relu, …\) is a power series that converges up to 1"):
        ks.parse("layer(relu, 3 * gaussian(), gaussian())")


def test_weights_are_exact() -> None:
    assert str(ks.analyze("mean(gaussian(), gaussian(), laplace())", dim=1).k0) == "1"


X_OF_LAGS = np.random.default_rng(5).normal(size=(5, 2))
LAGS_OF_LAGS = X_OF_LAGS[:, None, :] - X_OF_LAGS[None, :, :]


def test_moves_half_of_the_density_each_way() -> None:
    omega = np.array([[0.0], [1.3], [2.0]])
    normal = ks.analyze("gaussian()", dim=1).spectral_density_at
    found = ks.analyze("modulate(gaussian(), by=2)", dim=1).spectral_density_at(omega)
    np.testing.assert_allclose(found, (normal(omega - 2) + normal(omega + 2)) / 2, rtol=1e-13)


@pytest.mark.parametrize("form", ["modulate", "shift", "tilt"])
def test_refusals(form: str) -> None:
    for given, message in (
        ("gaussian()*match(), by=1", "apply it to the other factors"),
        ("gaussian(), by=[1, 2, 3]", "3 entries for 2 columns"),
        ("gaussian()", "needs the argument 'by'"),
    ):
        with pytest.raises(ks.KernelspecError, match=message):
            kernel(f"{form}({given})")


def kernel(text: str) -> Kernel:
    return ks.parse(text).kernel(Columns(2))


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
        ("2", LAGS_OF_LAGS / 2),
        ("[1, 4]", LAGS_OF_LAGS / [1, 4]),
        ("[[1, 1], [0, 2]]", np.stack([LAGS_OF_LAGS.sum(-1), 2 * LAGS_OF_LAGS[..., 1]], axis=-1)),
        ("[[1, -1]]", (LAGS_OF_LAGS[..., 0] - LAGS_OF_LAGS[..., 1])[..., None]),
    ],
)
def test_values(by: str, mapped: np.ndarray) -> None:
    expected = np.exp(-np.abs(mapped).sum(-1))
    np.testing.assert_allclose(ks.parse(f"stretch(laplace(), {by})").gram(X_OF_LAGS), expected, rtol=1e-12)


@pytest.mark.parametrize(
    "text", ["gaussian(2)", "laplace()", "matern(1.5)[1]", "gaussian() - 0.5 * laplace()", "cauchy() * gaussian()"]
)
def test_scales_the_rows(text: str) -> None:
    rise = np.exp(X_OF_LAGS @ [0.5, -1])
    found = ks.parse(f"tilt({text}, by=[0.5, -1])").gram(X_OF_LAGS)
    np.testing.assert_allclose(found, rise[:, None] * ks.parse(text).gram(X_OF_LAGS) / rise, rtol=1e-12)


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
