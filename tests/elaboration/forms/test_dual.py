"""dual(activation, k): what may stand where, and what is said of the rest."""

from __future__ import annotations

import math

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.errors import ArgumentError, RangeError, SpecError, TypeMismatchError
from kernelspec.kernels.nodes.dual import Dual


def dual_of(text: str) -> Dual:
    spec = ks.parse(text)
    kernel = spec.kernel(spec.columns(2, None))
    assert isinstance(kernel, Dual)
    return kernel


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("dual(relu)", ArgumentError, "dual() needs the argument 'kernel'"),
        ("dual(gaussian())", ArgumentError, "dual() needs the argument 'kernel'"),
        ("dual(relu, gaussian(), max_degree=1.5)", RangeError, "'max_degree' must be a whole number from 0 to 10000"),
        ("dual(relu, gaussian(), max_degree=100000)", RangeError, "'max_degree' must be a whole number"),
        ("dual(relu, gaussian(), degree=3)", ArgumentError, "dual() has no argument 'degree'"),
        ("dual(relu, 2)", TypeMismatchError, "a number stands where a kernel is needed"),
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


def test_texts_print_and_parse_again() -> None:
    for text in ("dual(exp(c=0.25), gaussian(), max_degree=7)", "layer(relu, circle()[0], match()[1])"):
        assert str(ks.parse(str(ks.parse(text)))) == str(ks.parse(text))


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
