"""The inner product of rows of norm 1."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.kernels.leaves.inner_products import Sphere
from kernelspec.laws.coordinate import CoordinateLaw
from kernelspec.tables.rows import Rows
from kernelspec.testing.samples import assert_samples

RNG = np.random.default_rng(1)


def unit_rows(d: int) -> np.ndarray:
    x = RNG.standard_normal((6, d))
    return x / np.linalg.norm(x, axis=1, keepdims=True)


@pytest.mark.parametrize("d", [1, 2, 3, 5])
def test_moments_are_those_of_all_samples(d: int) -> None:
    # every sample there is, with its probability: √(d/2)(x_j + i b x_{j+1})
    x, y = unit_rows(d), unit_rows(d)
    pairs = NumericPairs(Rows(x), Rows(y))
    if d == 1:
        samples = [x @ y.T]
    else:
        features = [
            tuple(np.sqrt(d / 2) * (z[:, j] + 1j * b * z[:, (j + 1) % d]) for z in (x, y))
            for j in range(d)
            for b in (1, -1)
        ]
        samples = [np.multiply.outer(left, right.conj()) for left, right in features]
    np.testing.assert_allclose(np.mean(samples, axis=0), x @ y.T, atol=1e-12)
    moments = CoordinateLaw(Sphere(dim=d)).moments(pairs)
    np.testing.assert_allclose(moments.a, np.mean(np.abs(samples) ** 2, axis=0), rtol=1e-12)
    np.testing.assert_allclose(moments.b, np.mean(np.real(np.square(samples)), axis=0), rtol=1e-12, atol=1e-12)
    assert np.array_equal(np.broadcast_to(moments.real, (6, 6)), moments.a if d == 1 else np.zeros((6, 6)))


def test_two_columns_are_the_circle() -> None:
    angles = RNG.uniform(0, 7, (5, 1))
    points = np.hstack([np.cos(angles), np.sin(angles)])
    np.testing.assert_allclose(ks.parse("sphere()").gram(points), ks.parse("circle()").gram(angles), atol=1e-12)
    fmap = ks.compile("sphere()", dim=2, n_features=40, method="paired")
    np.testing.assert_allclose(np.diag(fmap.approximate(points)), 1, rtol=1e-12)  # norm-efficient: |z| = 1


@pytest.mark.slow
@pytest.mark.parametrize("method", ["paired", "phase", "complex", "exact"])
@pytest.mark.parametrize("d", [1, 2, 4])
def test_features(d: int, method: str) -> None:
    if (d, method) != (1, "exact"):
        assert_samples("sphere()", unit_rows(d), methods=[method], n=4000)  # type: ignore[list-item]


def test_symbolic() -> None:
    facts = ks.analyze("sphere()")
    assert facts.verdict.positive_definite == "proved"
    assert not facts.verdict.stationary
    assert "Sum" in str(facts.kernel)
