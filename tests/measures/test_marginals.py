"""What reduces a measure to the line: independent coordinates, or rotations."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from kernelspec.measures.inversion import common_marginal, is_radial, marginals
from tests.measures import oracles as o


@pytest.mark.parametrize(
    ("text", "radial"),
    [
        ("exponential()*gaussian()", True),
        ("stretch(matern(nu=1), 2) + exponential()", True),
        ("stretch(matern(nu=1), [1, 2])", False),
        ("laplace()*gaussian()", False),
        ("exponential()[0]", False),
    ],
)
def test_is_radial(text: str, radial: bool) -> None:
    assert is_radial(o.measure_of_text(text, 2)) is radial


def test_common_marginal() -> None:
    law = common_marginal(o.measure_of_text("stretch(laplace()*cauchy(), 2)", 3))
    assert law is not None
    assert law.dim == 1
    at = np.array([[0.3], [1.2]])
    np.testing.assert_allclose(law.characteristic_function(at), o.laplace(2)(at) * o.cauchy(2)(at))
    assert common_marginal(o.measure_of_text("exponential()*laplace()", 3)) is None
    assert common_marginal(o.measure_of_text("laplace() + cauchy()", 3)) is None


@pytest.mark.parametrize(
    "text", ["stretch(laplace(), [1, 3])*cauchy()[0]", "gaussian()[1]*laplace()[0]", "laplace()[1, 0]*sinc()"]
)
def test_coordinates_are_independent(text: str) -> None:
    measure = o.measure_of_text(text, 2)
    first, second = marginals(measure) or (None, None)
    at = np.random.default_rng(0).normal(size=(6, 2))
    product = first.characteristic_function(at[:, :1]) * second.characteristic_function(at[:, 1:])
    np.testing.assert_allclose(measure.characteristic_function(at), product, rtol=1e-12)


@pytest.mark.parametrize(
    "text", ["matern(nu=1)", "laplace()[0]", "stretch(laplace(), [[1, 1], [0, 1]])", "cosine([1, 2])"]
)
def test_no_marginals(text: str) -> None:
    assert marginals(o.measure_of_text(text, 2)) is None


def test_gaussians_scaled_apart_and_smoothed() -> None:
    """N(0, 1/s_i²) in every column, through a convolution that is inverted coordinate by coordinate."""
    omega = np.array([[0.2, 0.4], [1.0, -2.0]])
    expected = norm.pdf(omega[:, 0], scale=np.sqrt(1 + 1)) * norm.pdf(omega[:, 1], scale=np.sqrt(1 + 1 / 9))
    found = o.measure_of_text("stretch(gaussian(), [1, 3])*gaussian()", 2).density(omega)
    np.testing.assert_allclose(found, expected, rtol=1e-6)
