"""Which laws draw in orthogonal blocks."""

from __future__ import annotations

import numpy as np
import pytest

from kernelspec.expressions.pairs import NumericPairs
from kernelspec.laws.joint import JointLaw, most_gained, orthogonal
from kernelspec.random.normal_blocks import OrthogonalStream
from kernelspec.random.streams import Stream
from tests.laws.texts import law


@pytest.mark.parametrize(
    ("text", "scheme"),
    [
        ("gaussian()", None),
        ("match()[0] * matern(3/2)", None),
        ("gaussian()[0] * exponential()[1, 2]", None),
        ("dual(relu, sphere())", "neurons"),
        ("shift_gaussian(by=1)", "polar"),
    ],
)
def test_laws_with_normal_vectors(text: str, scheme: str | None) -> None:
    found = orthogonal(law(text, 3, scheme), Stream(5, (2, 1)), 10, (0, 1, 2))
    assert isinstance(found, OrthogonalStream)
    assert (found.seed, found.path) == (5, (2, 1))


@pytest.mark.parametrize(
    ("text", "scheme"),
    [
        ("gaussian()[1]", None),
        ("laplace()", None),
        ("laplace()", "binning"),
        ("minmax()", None),
        ("linear()", None),
        ("dual(relu, gaussian())", None),
    ],
)
def test_laws_without(text: str, scheme: str | None) -> None:
    assert orthogonal(law(text, 3, scheme), Stream(5), 10, (0, 1, 2)) is None


@pytest.mark.parametrize("leaf", ["gaussian", "matern(nu=1/2)", "rational_quadratic(alpha=1/2)"])
@pytest.mark.parametrize("distance", [0.2, 1.0, 5.0])
def test_no_more_is_gained_than_the_bound_says(leaf: str, distance: float) -> None:
    """16 samples in R^64 save at most 15/64 of the variance, by 400 draws: a standard error of 0.02 for each ratio."""
    vectors = np.random.default_rng(0).standard_normal((64, 64))
    vectors *= distance / np.linalg.norm(vectors, axis=1, keepdims=True)
    own, columns = law(leaf if "(" in leaf else f"{leaf}()", 64), tuple(range(64))
    bound = most_gained(own, 16, columns)
    assert bound == 15 / 64
    ratio = JointLaw(own, "orthogonal").measured_ratio(NumericPairs.of_vectors(vectors), 16, 400)
    assert 1 - ratio < bound + 5 * 0.02


def test_few_samples_on_many_columns_are_not_measured() -> None:
    own, narrow = (JointLaw(law("gaussian()", d), "orthogonal") for d in (4_096, 784))
    assert own.is_hopeless(100, tuple(range(4_096)))  # they gain 2 %
    assert not own.is_hopeless(200, tuple(range(4_096)))
    assert own.is_hopeless(10_000, tuple(range(4_096)))  # eight draws of them are 2.6 GB
    assert not narrow.is_hopeless(2, tuple(range(784)))
    assert not JointLaw(law("gaussian()", 4_096), "sobol").is_hopeless(100, tuple(range(4_096)))
