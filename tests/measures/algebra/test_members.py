"""Every kernel with a rule: its pieces are its values in the lag, or its density in the frequency."""

from __future__ import annotations

import numpy as np
import pytest

from kernelspec.measures.algebra.members import pieces_of
from kernelspec.measures.algebra.pieces import NotClosed
from tests.measures.algebra.pieces import NUMBERS, value
from tests.measures.algebra.referees import measure_of_text

__all__ = ["assert_pieces_are_the_values"]

MEMBERS = [
    "gaussian(2)",
    "laplace(0.7)",
    "exponential(3)",
    "matern(nu=1/2)",
    "matern(nu=7/2, scale=2)",
    "triangle(1.5)",
    "cosine(2)",
    "powered_exponential(alpha=1, scale=2)",
    "powered_exponential(alpha=2, scale=2)",
    "shift_gaussian(by=0.5)",
    "cosh_gaussian(by=0.5, scale=2)",
    "sinh_gaussian(by=0.5)",
    "cauchy(2)",
    "rational_quadratic(alpha=3, scale=2)",
    "sinc(2)",
]


def assert_pieces_are_the_values(text: str) -> None:
    """The pieces of a kernel against its values, or those of its density."""
    measure = measure_of_text(text)
    member = pieces_of(measure.kernel, NUMBERS)
    at = np.array([-2.3, -0.6, 0.2, 1.1, 1.7])
    if member.lag is not None:
        expected = measure.characteristic_function(at[:, None])
        found = [complex(value(member.lag, t)) for t in at]
    else:
        expected = measure.density(at[:, None])
        found = [complex(value(member.frequency, t)) for t in at]
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("text", MEMBERS)
def test_values(text: str) -> None:
    assert_pieces_are_the_values(text)


@pytest.mark.parametrize(
    "text",
    [
        "matern(nu=1)",
        "rational_quadratic(alpha=3/2)",
        "periodic(2)",
        "powered_exponential(alpha=3/2)",
    ],
)
def test_others_have_none(text: str) -> None:
    with pytest.raises(NotClosed):
        pieces_of(measure_of_text(text).kernel, NUMBERS)
