"""Lengths of kernels, and the distances that they see."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.expressions.arguments import declared
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaf import KERNELS, load_kernel
from kernelspec.kernels.parts import leaves_seen, measured

LAGS = np.array([[3.0, -4.0], [1.0, 0.0], [6.0, 8.0]])
PAIRS = NumericPairs.of_vectors(LAGS)


def kernel(text: str, dim: int = 2) -> Kernel:
    spec = ks.parse(text)
    return spec.kernel(spec.columns(dim))


@pytest.mark.parametrize(
    ("text", "length", "distance"),
    [
        ("gaussian(scale=2)", 2, 5),
        ("laplace(scale=2)", 2, 7),
        ("exponential(scale=2)", 2, 5),
        ("triangle(width=3)", 3, 7),
        ("periodic(period=3, scale=7)", 3, 5),
        ("polya(gamma(shape=2, scale=3))", 6, 7),
        ("polya(gamma(shape=2, scale=3), area=5)", 5, 7),
        ("stretch(gaussian(), [2, 1])", 1, np.sqrt(1.5**2 + 4**2)),
        ("laplace(scale=3)[1]", 3, 4),
        ("shift(gaussian(), by=9)", 1, 5),
        ("dual(relu, gaussian(scale=2))", 2, 5),
    ],
)
def test_lengths_and_median_distances(text: str, length: float, distance: float) -> None:
    (found,) = measured(kernel(text), PAIRS)
    assert found is not None
    assert (found.length, found.distance) == pytest.approx((length, distance))
    assert found.ratio == pytest.approx(distance / length)


@pytest.mark.parametrize("text", ["match()", "linear()", "sinc()", "rbf_cosine()", "polya(pareto(1))"])
def test_no_length(text: str) -> None:
    assert measured(kernel(text), PAIRS) == [None]


def test_leaves_come_in_the_order_of_the_text() -> None:
    seen = [leaf for leaf, _ in leaves_seen(kernel("gaussian(2)*match() + 3*laplace(5)"), PAIRS)]
    assert [leaf.length for leaf in seen] == [2, None, 5]


LENGTHS = [name for name in KERNELS if any(argument.is_length for argument, _ in declared(load_kernel(name)).values())]


@pytest.mark.parametrize("name", [name for name in LENGTHS if "by" not in declared(load_kernel(name))])
def test_a_length_has_the_unit_of_the_columns(name: str) -> None:
    """k(Δ) does not change where Δ and the length are multiplied by one number: what a declared length means."""
    texts = {
        "matern": "matern(nu=2, scale={})",
        "periodic": "periodic({}, scale=2)",
        "rational_quadratic": "rational_quadratic(2, {})",
        "powered_exponential": "powered_exponential(1.5, {})",
    }
    text = texts.get(name, f"{name}({{}})")
    one, three = kernel(text.format(2)).value(PAIRS), kernel(text.format(6)).value(NumericPairs.of_vectors(3 * LAGS))
    np.testing.assert_allclose(one, three, rtol=1e-12)


def test_what_has_a_length() -> None:
    assert set(LENGTHS) == {
        "cauchy", "cosh_gaussian", "exponential", "gaussian", "laplace", "matern", "periodic", "powered_exponential",
        "rational_quadratic", "shift_gaussian", "sinh_gaussian", "triangle",
    }  # fmt: skip
