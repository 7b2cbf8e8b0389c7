"""Second moments of Jordan parts."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad

import kernelspec as ks
from kernelspec.measures.jordan import jordan_moments


def moments_of(text: str, dim: int) -> tuple[float, float, float]:
    spec = ks.parse(text)
    found = jordan_moments(spec.kernel(spec.columns(dim)), ks.analyze(text, dim=dim).masses)
    return found.real_positive, found.real_negative, found.imaginary


@pytest.mark.parametrize("text", ["shift_gaussian(0.7, 1.1)", "cosh_gaussian(0.7, 1.1)", "sinh_gaussian(0.7, 1.1)"])
def test_along_one_direction_by_quadrature(text: str) -> None:
    density = ks.analyze(text, dim=1).spectral_density_at
    angle = 1.1 if "shift" in text else 0.7**2 * 1.1
    edges = np.arange(-40, 41) * np.pi / 2 / angle
    edges = np.unique([-14, *edges[np.abs(edges) < 14], 14])

    def moment(part: object) -> float:
        sizes = [
            sum(
                quad(lambda w, p=p: part(density([[w]])[0]) * w**p, lo, hi, epsabs=1e-12)[0]
                for lo, hi in pairwise(edges)
            )  # type: ignore[operator]
            for p in (0, 2)
        ]
        return sizes[1] / sizes[0] if sizes[0] > 1e-15 else 0.0

    expected = (moment(lambda v: max(v.real, 0)), moment(lambda v: max(-v.real, 0)), moment(lambda v: max(v.imag, 0)))
    assert moments_of(text, 1) == pytest.approx(expected, rel=1e-7)


def test_the_orthogonal_directions_are_gaussian() -> None:
    line, space = moments_of("shift_gaussian(2, [1.5])", 1), moments_of("shift_gaussian(2, [0, 1.5, 0])", 3)
    assert np.subtract(space, line) == pytest.approx([2 / 4] * 3, rel=1e-10)


def test_others_by_draws() -> None:
    series, drawn = moments_of("shift_gaussian(by=0.8)", 2), moments_of("shift_gaussian(by=0.8) - 0 * laplace()", 2)
    assert series == drawn  # a zero term is dropped
    spread = moments_of("shift_gaussian(by=0.8) + 0.001 * gaussian()", 2)  # all but the same measure, without a series
    assert spread == pytest.approx(series, rel=0.05)
    assert moments_of("gaussian() - laplace()", 1) == (np.inf, np.inf, np.inf)
