"""Kernels with finitely many features: each list against the kernel itself, and as short as it can be."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.laws.finite_features import Feature, finite_features
from kernelspec.samples.frequencies import UnitColumn
from tests.laws.texts import kernel_of

GENERATOR = np.random.default_rng(3)
X = np.column_stack([GENERATOR.standard_normal((12, 2)), GENERATOR.integers(0, 2, (12, 2))])
"""Two columns of numbers, and two that hold 0 and 1: numbers as well as categories."""


def evaluated(features: dict[Feature, float], x: np.ndarray, y: np.ndarray) -> float:
    """Σ c m(x) m(y), from what a feature says that it is."""
    total = 0.0
    for feature, coefficient in features.items():
        value = coefficient * float(all(x[i] == y[i] for i in feature.compared))
        value *= np.cos(sum(entry * (x[i] - y[i]) for i, entry in feature.wave))
        for read in feature.reads:
            if isinstance(read, UnitColumn):
                norms = (np.linalg.norm(row[list(read.among)]) for row in (x, y))
                value *= x[read.position] * y[read.position] / np.prod(list(norms))
            else:
                value *= x[read] * y[read]
        total += value
    return total


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("linear()", 4),
        ("(linear()[0] + constant()) ** 4", 5),
        ("(linear()[0, 1] + 2*constant()) ** 2", 6),
        ("(linear() + constant()) ** 3", comb(7, 3)),
        ("mean(linear()[0], constant()) * mean(linear()[1], constant())", 4),
        ("mean(linear()[0], match()[2]) * mean(linear()[0], match()[2])", 3),
        ("(match()[2] + match()[3] + constant()) ** 2", 4),  # 1, c, d and cd: equality is idempotent
        ("(linear()[0, 1] + constant()) ** 2 - linear()[0, 1] ** 2", 3),
        ("(linear()[0] - constant()) ** 3", 4),
        ("cosine(by=2)[0] * cosine(by=2)[0]", 2),  # ½ and ½ cos(4Δ)
        ("(cosine(by=2)[0] + linear()[1]) ** 2", 4),
        ("(periodic(period=1, scale=2)[0] + constant()) * linear()[1]", 11),
        ("(normalize(linear())[0, 1] + constant()) ** 2", 6),
        ("dual(polynomial(coefficients=[1, 2, 1]), normalize(linear()))[0, 1]", 6),
        ("dual(hermite(3), normalize(linear()))[0, 1] * noise()[0]", 4),
    ],
)
def test_the_features_sum_to_the_kernel_of(text: str, count: int) -> None:
    found = finite_features(kernel_of(text, 4))
    assert found is not None
    assert len(found) == count
    expected = ks.parse(text).gram(X)
    estimate = [[evaluated(dict(found), x, y) for y in X] for x in X]
    np.testing.assert_allclose(estimate, expected, atol=1e-12 * np.abs(expected).max())


def test_they_are_in_order() -> None:
    found = finite_features(kernel_of("(match()[2] + linear()[1, 0]) ** 2", 4))
    assert found is not None
    assert list(found) == [
        Feature(reads=(0, 0)),
        Feature(reads=(0, 1)),
        Feature(reads=(1, 1)),
        Feature(compared=(2,)),
        Feature(compared=(2,), reads=(0,)),
        Feature(compared=(2,), reads=(1,)),
    ]
    assert list(found.values()) == [1, 2, 1, 1, 2, 2]


@pytest.mark.parametrize(
    "text",
    [
        "gaussian()",
        "linear() + laplace()",
        "linear() * gaussian()",
        "minmax()",
        "stretch(gaussian(), 2)",
        "shift(gaussian(), by=1)",
        "tilt(gaussian(), by=1)",
        "dual(relu, sphere())",
        "dual(hermite(2), sphere(), max_degree=1)",
        "full(relu, input=image(2, 2, 1, base=circle()))",
    ],
)
def test_others_have_no_finite_list(text: str) -> None:
    assert finite_features(kernel_of(text, 4)) is None


def test_a_list_that_is_too_long_is_not_formed() -> None:
    assert finite_features(kernel_of("linear() ** 2", 1000)) is None
    assert finite_features(kernel_of("(linear() + constant()) ** 100", 40)) is None
    found = finite_features(kernel_of("linear() ** 2", 200))
    assert found is not None
    assert len(found) == comb(201, 2)


def test_what_cancels_is_left_out() -> None:
    assert finite_features(kernel_of("(linear()[0] + constant()) * (linear()[0] - constant())", 4)) == {
        Feature(): -1,
        Feature(reads=(0, 0)): 1,
    }
    assert finite_features(kernel_of("linear()[0]**2 - linear()[0]*linear()[0]", 4)) == {}
