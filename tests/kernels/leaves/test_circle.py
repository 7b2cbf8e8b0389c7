"""The inner product of points of the circle."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.errors import DimensionError, NoDensityError
from kernelspec.kernels.leaves.inner_products import Circle
from kernelspec.random.streams import Stream
from kernelspec.testing.laboratory import assert_mean, assert_proportions

ANGLES = np.array([[0.0], [1.0], [4.0], [-2.5], [100.0]])


def test_is_the_inner_product_of_points() -> None:
    points = np.hstack([np.cos(ANGLES), np.sin(ANGLES)])
    np.testing.assert_allclose(ks.parse("circle()").gram(ANGLES), points @ points.T, atol=1e-12)
    np.testing.assert_allclose(ks.parse("cosine(1)").gram(ANGLES), points @ points.T, atol=1e-12)


def test_frequencies_are_both_signs() -> None:
    drawn = Circle(dim=1).draw(Stream(0), 10_000)
    assert_proportions([(drawn == -1).sum(), (drawn == 1).sum()], [0.5, 0.5])


def test_sums_of_frequencies() -> None:
    counts = np.array([0, 1, 2, 7, 10**12])
    drawn = np.stack([Circle(dim=1).draw_sums(Stream(seed), counts)[:, 0] for seed in range(2000)])
    assert (drawn[:, 0] == 0).all()
    assert (np.abs(drawn) <= counts).all()
    assert ((drawn - counts) % 2 == 0).all()
    # a sum of l signs has mean 0, mean square l and fourth moment 3l² − 2l
    scaled = drawn[:, 1:] / np.sqrt(counts[1:])
    assert_mean(scaled, np.zeros(4))
    assert_mean(scaled**2, np.ones(4))
    assert_mean(scaled**4, 3 - 2 / counts[1:])


def test_facts() -> None:
    facts = ks.analyze("circle()", dim=1)
    assert facts.verdict.positive_definite == "proved"
    assert facts.second_moment == 1
    assert facts.atoms is not None
    assert sorted(zip(facts.atoms.points[:, 0], facts.atoms.weights, strict=True)) == [(-1, 0.5), (1, 0.5)]
    with pytest.raises(NoDensityError):
        _ = facts.spectral_density


def test_more_columns_are_refused() -> None:
    with pytest.raises(
        DimensionError, match=r"circle\(\) is a kernel on one column of angles, not on 3: select a column"
    ):
        ks.parse("gaussian() + circle()").gram(np.zeros((2, 3)))
