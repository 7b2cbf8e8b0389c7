"""Scrambled Sobol' points: even together, each alone uniform; through quantiles each number has its law."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import expon, gamma, kstest, laplace, norm, qmc

from kernelspec.random.sobol import RecordingStream, SobolRunsStream, SobolStream, sobol_points, sobol_points_of_runs
from kernelspec.random.streams import Stream, UnevenRuns
from kernelspec.testing.laboratory import assert_mean

CHANCE = 1e-7
"""Of a false alarm, for every Kolmogorov–Smirnov test."""


def points(n: int, dim: int, seed: int) -> np.ndarray:
    return sobol_points(np.random.default_rng(seed), n, dim)


@pytest.mark.parametrize("dim", [1, 2, 7])
def test_every_interval_has_its_point(dim: int) -> None:
    found = points(64, dim, 0)
    assert found.shape == (64, dim)
    assert ((found > 0) & (found < 1)).all()
    assert (np.sort(np.floor(found * 64), axis=0) == np.arange(64)[:, None]).all()


def test_every_square_of_two_coordinates_has_its_point() -> None:
    """The first two coordinates are a (0, m, 2)-net: 8 × 8, 4 × 16 and so on hold one each."""
    found = points(64, 2, 5)
    for i in range(7):
        cells = np.floor(found[:, 0] * 2**i) * 2 ** (6 - i) + np.floor(found[:, 1] * 2 ** (6 - i))
        assert len(np.unique(cells)) == 64


@pytest.mark.slow
def test_each_point_alone_is_uniform() -> None:
    drawn = np.stack([points(4, 3, seed) for seed in range(2000)])
    for j in range(4):
        for i in range(3):
            assert kstest(drawn[:, j, i], "uniform").pvalue > CHANCE
        centred = drawn[:, j] - 0.5
        pairs = [centred[:, a] * centred[:, b] for a, b in ((0, 1), (0, 2), (1, 2))]
        assert_mean(np.stack(pairs, axis=1), np.zeros(3))


def test_the_first_points_of_a_power_of_two_do_not_depend_on_how_many_follow() -> None:
    many = points(256, 5, 3)
    for n in (1, 2, 64, 100, 255):
        assert np.array_equal(points(n, 5, 3), many[:n])
    assert points(0, 5, 3).shape == (0, 5)


@pytest.mark.parametrize(("n", "dim"), [(0, 2), (1, 1), (2, 3), (64, 7), (100, 40)])
def test_they_are_those_of_scipy(n: int, dim: int) -> None:
    engine = qmc.Sobol(dim, bits=52, seed=np.random.default_rng(9))
    expected = engine.random_base2(max(0, n - 1).bit_length())[:n]
    assert np.array_equal(points(n, dim, 9) - 2.0**-53, expected)


def test_every_run_is_such_a_net_with_a_scrambling_of_its_own() -> None:
    found = sobol_points_of_runs(np.random.default_rng(0), 16, 2, 400).reshape(400, 16, 2)
    assert ((found > 0) & (found < 1)).all()
    for i in range(5):
        cells = np.floor(found[:, :, 0] * 2**i) * 2 ** (4 - i) + np.floor(found[:, :, 1] * 2 ** (4 - i))
        assert (np.sort(cells, axis=1) == np.arange(16)).all()
    # each point alone is uniform, also given another one's cell: digits below the net's are random
    for j in (0, 5, 15):
        assert kstest(found[:, j, 1], "uniform").pvalue > CHANCE
        assert kstest(found[:, j, 0] * 16 % 1, "uniform").pvalue > CHANCE
    centred = found[:, :2] - 0.5
    assert_mean(
        np.stack([centred[:, 0, 0] * centred[:, 0, 1], centred[:-1, 0, 0][np.arange(400) - 1] * centred[:, 0, 0]], 1),
        np.zeros(2),
    )
    assert sobol_points_of_runs(np.random.default_rng(0), 1, 3, 5).shape == (5, 3)


def test_runs_are_not_mixed() -> None:
    """Numbers that are not one for every sample belong to no run, as where a mixture's parts have some of them."""
    points = sobol_points_of_runs(np.random.default_rng(0), 4, 2, 3)
    stream = SobolRunsStream(0, (), points, {((), "x"): (0, 2)})
    assert np.array_equal(stream.uniform("x", (12, 2)), points)
    with pytest.raises(UnevenRuns):
        stream.uniform("x", (8, 2))
    assert stream.uniform("another", 5).shape == (5,)


def test_parts_of_a_mixture_have_the_first_points_of_their_run() -> None:
    points = sobol_points_of_runs(np.random.default_rng(0), 4, 3, 3)
    stream = SobolRunsStream(0, (), points, {((1,), "x"): (1, 2)}, (4, 4, 4))
    part = stream.part(1, np.array([2, 4, 6, 7]), 12)
    assert np.array_equal(part.uniform("x", (4, 2)), points[[0, 4, 5, 6], 1:])
    with pytest.raises(UnevenRuns):
        stream.part(1, np.array([2]), 8)


LAWS: dict[str, tuple[Callable[[Stream, tuple[int, ...]], np.ndarray], Callable]] = {
    "normal": (lambda stream, shape: stream.normal("x", shape), norm.cdf),
    "uniform": (lambda stream, shape: stream.uniform("x", shape), lambda u: u),
    "gamma": (lambda stream, shape: stream.gamma("x", 2.5, shape), gamma(2.5).cdf),
    "exponential": (lambda stream, shape: stream.exponential("x", shape), expon.cdf),
    "laplace": (lambda stream, shape: stream.laplace("x", shape), laplace.cdf),
}


@pytest.mark.parametrize("name", LAWS)
def test_numbers_are_quantiles_of_the_points(name: str) -> None:
    draw, cdf = LAWS[name]
    u = points(128, 5, 1)
    stream = SobolStream(0, (4,), u, {((4,), "x"): (2, 3)})
    np.testing.assert_allclose(cdf(draw(stream, (128, 3))), u[:, 2:5], rtol=1e-9)
    np.testing.assert_allclose(cdf(draw(stream, (10, 3))), u[:10, 2:5], rtol=1e-9)


@pytest.mark.parametrize("name", LAWS)
def test_what_has_no_coordinates_is_independent(name: str) -> None:
    draw, _ = LAWS[name]
    stream = SobolStream(0, (4,), points(16, 2, 1), {((4,), "other"): (0, 2)})
    assert np.array_equal(draw(stream, (16, 2)), draw(Stream(0, (4,)), (16, 2)))
    assert np.array_equal(draw(stream.apart(), (16, 2)), draw(Stream(0, (4,)), (16, 2)))
    assert type(stream.apart()) is Stream


def test_what_is_asked_for_is_recorded_in_order() -> None:
    trial = RecordingStream(0, (1,))
    trial.normal("direction", (1, 3))
    trial.child(0).gamma("mixing", 1.5, 1)
    trial.child(1).laplace("rates", (1, 2))
    trial.child(1).uniform("choice", 1)
    trial.apart().normal("multiplied", (1, 9))
    places, count = trial.coordinates()
    assert places == {
        ((1,), "direction"): (0, 3),
        ((1, 0), "mixing"): (3, 1),
        ((1, 1), "rates"): (4, 2),
        ((1, 1), "choice"): (6, 1),
    }
    assert count == 7
    assert trial.vectors == [3]
