"""Tests of `verdicts/bounds.py`: densities that fall, times cosines, of several kinds."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

import kernelspec as ks

Density = Callable[[NDArray[np.float64]], NDArray[np.float64]]


def gauss(s: float) -> Density:
    return lambda w: s / np.sqrt(2 * np.pi) * np.exp(-((s * w) ** 2) / 2)


def laplace(s: float) -> Density:
    return lambda w: s / np.pi / (1 + (s * w) ** 2)


def cauchy(s: float) -> Density:
    return lambda w: s / 2 * np.exp(-s * np.abs(w))


def matern(s: float) -> Density:
    return lambda w: 6 * np.sqrt(3) * s / np.pi / (3 + (s * w) ** 2) ** 2


def moved(p: Density, by: float) -> Density:
    return lambda w: (p(w - by) + p(w + by)) / 2


SUMS: dict[str, list[tuple[float, Density]]] = {
    "gaussian()*cosine(1) - 0.31*gaussian(scale=1.5)": [(1, moved(gauss(1), 1)), (-0.31, gauss(1.5))],
    "laplace(1.5)*cosine(0.25) - 0.83*cauchy(0.75) + 0.88*matern(3/2, scale=0.75)": [
        (1, moved(laplace(1.5), 0.25)), (-0.83, cauchy(0.75)), (0.88, matern(0.75)),
    ],
    "laplace(1.75)*cosine(1.5) - 0.47*laplace(2)*cosine(0.5) + 0.73*cauchy(1.25) + 0.57*laplace(0.25)": [
        (1, moved(laplace(1.75), 1.5)), (-0.47, moved(laplace(2), 0.5)), (0.73, cauchy(1.25)), (0.57, laplace(0.25)),
    ],
    "cauchy()*cosine(2) - 1/10*gaussian(2)*cosine(1)": [(1, moved(cauchy(1), 2)), (-0.1, moved(gauss(2), 1))],
    "cauchy()*cosine(2) - 3/10*gaussian(2)*cosine(1)": [(1, moved(cauchy(1), 2)), (-0.3, moved(gauss(2), 1))],
    "matern(3/2)*cosine(1) - 1/2*gaussian()*cosine(1/2)": [(1, moved(matern(1), 1)), (-0.5, moved(gauss(1), 0.5))],
}  # fmt: skip


@pytest.mark.parametrize("text", SUMS)
def test_beside_formulas_on_a_grid(text: str) -> None:
    grid = np.concatenate([np.linspace(0, 20, 4001), np.geomspace(20, 1e4, 1000)])
    values = np.array([weight * p(grid) for weight, p in SUMS[text]])
    size = np.abs(values).sum(axis=0)
    share = (values.sum(axis=0)[size > 1e-200] / size[size > 1e-200]).min()
    assert abs(share) > 1e-3
    assert ks.analyze(text, dim=1).verdict.positive_definite == ("proved" if share > 0 else "disproved")


@pytest.mark.parametrize(
    "text",
    [
        "2*gaussian()*cosine(1) - 0.01*gaussian(scale=1 - 1e-40)",
        "2*gaussian()*cosine(1) - 0.01*gaussian(scale=1 - 1e-12)*cosine(1/2)",
        "2*cauchy()*cosine(1) - 1e-3*cauchy(scale=1 - 1e-40)",
        "2*matern(3/2)*cosine(1) - 1e-3*matern(3/2 - 1e-40)",
        "2*gaussian()*cosine(1) + gaussian(scale=2) - 0.01*gaussian()*cosine(1 + 1e-40)",
    ],
)
def test_a_tail_that_is_heavier_by_little_is_not_overlooked(text: str) -> None:
    """The negative term outweighs the others far out, where numbers differ that floats take for equal."""
    assert ks.analyze(text, dim=1).verdict.positive_definite != "proved"
