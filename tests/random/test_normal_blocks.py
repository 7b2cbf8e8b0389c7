"""Tests of `random/coupled.py`."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.linalg import hadamard
from scipy.stats import chi2, expon, gamma, kstest, laplace, norm, qmc

from kernelspec.random.coupled import (
    HadamardStream,
    OrthogonalStream,
    RecordingStream,
    SobolRunsStream,
    SobolStream,
    block_size,
    hadamard_rows,
    hadamard_transform,
    signs_of,
    sobol_points,
    sobol_points_of_runs,
)
from kernelspec.random.streams import Stream, UnevenRuns
from kernelspec.testing.laboratory import assert_mean

CHANCE = 1e-7
"""Of a false alarm, for every Kolmogorov–Smirnov test."""


def test_signs_are_the_bits_of_words() -> None:
    words = np.array([[5, 1 << 63]], dtype=np.uint64)
    expected = np.ones(128)
    expected[[0, 2, 127]] = -1
    assert np.array_equal(signs_of(words), expected[None])


@pytest.mark.parametrize(("d", "n"), [(64, 64), (100, 300), (130, 5)])
def test_rows_are_those_of_the_matrix(d: int, n: int) -> None:
    (words,) = HadamardStream(0).diagonals_of_runs("normal", (n, d))
    p = block_size(d)
    H, whole = hadamard(p).astype(float), []
    for first, second, third in signs_of(words):
        whole.append(H @ np.diag(first) @ H @ np.diag(second) @ H @ np.diag(third) / p)
    np.testing.assert_allclose(hadamard_rows(words, n, d), np.vstack(whole)[:n, :d], atol=1e-12)


def test_moments_of_second_order_are_those_of_normal_vectors() -> None:
    found = HadamardStream(1).normal("normal", (64 * 200, 70)).reshape(100, 128, 70)
    for row in (0, 127):  # of independent blocks
        assert_mean(found[:, row], np.zeros(70))
        assert_mean(found[:, row, 0] * found[:, row, 1], [0.0])
        assert_mean(np.square(found[:, row]), np.ones(70))


def assert_orthogonal(rows: np.ndarray) -> None:
    products = rows @ rows.T
    np.testing.assert_allclose(products - np.diag(np.diag(products)), 0, atol=1e-10)


STREAMS: list[tuple[type[OrthogonalStream], int, int]] = [(HadamardStream, 70, 64), (OrthogonalStream, 8, 5)]
"""With samples per run and vectors per block."""


@pytest.mark.parametrize(("kind", "length", "d"), STREAMS)
def test_blocks_end_with_a_run(kind: type[OrthogonalStream], length: int, d: int) -> None:
    stream = kind(0, lengths=(length,) * 3).in_blocks(d)
    vectors, mixing = stream.normal("normal", (3 * length, d)), stream.uniform("mixing", 3 * length)
    for start in range(0, 3 * length, length):
        assert_orthogonal(vectors[start : start + d])
        assert_orthogonal(vectors[start + d : start + length])
        assert len(np.unique(np.floor(d * mixing[start : start + d]))) == d
    assert not np.allclose(vectors[d:length] @ vectors[length : length + 2].T, 0)
    for wrong in (length, 3 * length - 1, 6 * length):
        with pytest.raises(UnevenRuns):
            stream.normal("normal", (wrong, d))


@pytest.mark.parametrize(("kind", "width"), [(HadamardStream, 63), (OrthogonalStream, 1)])
def test_short_vectors_and_single_numbers_are_independent(kind: type[OrthogonalStream], width: int) -> None:
    stream, plain = kind(1, (3,)), Stream(1, (3,))
    for shape in (7, (7,), (7, 1), (7, width)):
        assert np.array_equal(stream.normal("normal", shape), plain.normal("normal", shape))
        assert np.array_equal(stream.uniform("u", shape), plain.uniform("u", shape))
        assert np.array_equal(stream.gamma("g", 1.5, shape), plain.gamma("g", 1.5, shape))
    assert type(stream.child(2)) is kind
    assert stream.apart() == plain
    assert not np.array_equal(stream.child(0).normal("normal", (4, 64)), stream.child(1).normal("normal", (4, 64)))


@pytest.mark.parametrize("bits", [6, 7, 12, 13, 15])
def test_hadamard_transform(bits: int) -> None:
    """Whole numbers, by one pair of sums and differences for every bit."""
    rows = np.random.default_rng(bits).integers(-9, 10, (3, 1 << bits)).astype(float)
    expected = rows
    for bit in range(bits):
        pairs = expected.reshape(3, -1, 2, 1 << bit)
        expected = np.stack([pairs[:, :, 0] + pairs[:, :, 1], pairs[:, :, 0] - pairs[:, :, 1]], axis=2)
    assert np.array_equal(hadamard_transform(rows), expected.reshape(3, -1))


def blocks(n: int, d: int, seed: int = 0) -> np.ndarray:
    return OrthogonalStream(seed, (1,)).normal("normal", (n * d, d)).reshape(n, d, d)


@pytest.mark.parametrize("d", [2, 3, 8])
def test_vectors_of_a_block_are_orthogonal(d: int) -> None:
    found = blocks(50, d)
    products = found @ np.swapaxes(found, 1, 2)
    off = products[:, ~np.eye(d, dtype=bool)]
    np.testing.assert_allclose(off, 0, atol=1e-12)
    different = blocks(50, d)[:-1] @ np.swapaxes(found[1:], 1, 2)
    assert np.abs(different).max() > 0.5


def test_parts_of_a_mixture_keep_to_their_run() -> None:
    """Of three runs of eight samples a part has three, none and seven: blocks end with those, too."""
    stream, chosen = OrthogonalStream(0, lengths=(8, 8, 8)), np.array([0, 3, 7, *range(17, 24)])
    part = stream.part(1, chosen, 24)
    assert isinstance(part, OrthogonalStream)
    assert part.path == (1,)
    assert part.lengths == (3, 0, 7)
    vectors, mixing = part.normal("normal", (10, 5)), part.in_blocks(5).uniform("mixing", 10)
    for block in (slice(0, 3), slice(3, 8), slice(8, 10)):
        assert_orthogonal(vectors[block])
        assert len(np.unique(np.floor(5 * mixing[block]))) == len(vectors[block])
    assert not np.allclose(vectors[:3] @ vectors[3:8].T, 0)
    assert part.normal("another", (10, 5)).std() > 0.5
    assert OrthogonalStream(0).part(1, chosen, 24) == OrthogonalStream(0, (1,))
    with pytest.raises(UnevenRuns):
        stream.part(1, chosen, 23)


@pytest.mark.parametrize("d", [2, 5])
@pytest.mark.parametrize("place", [0, -1])
def test_every_vector_alone_is_normal(d: int, place: int) -> None:
    """At each place of a block: coordinates, the norm, and a direction across."""
    vectors = blocks(20_000, d)[:, place]
    along = np.arange(1, d + 1) / np.linalg.norm(np.arange(1, d + 1))
    for coordinate in (vectors[:, 0], vectors[:, -1], vectors @ along):
        assert kstest(coordinate, "norm").pvalue > CHANCE
    assert kstest(np.square(vectors).sum(axis=1), chi2(d).cdf).pvalue > CHANCE
    assert_mean(vectors, np.zeros(d))
    assert_mean(np.einsum("bi,bj->bij", vectors, vectors).reshape(-1, d * d), np.eye(d).ravel())


def test_the_rotation_has_no_preferred_side() -> None:
    """Haar's law: without the signs of R put right, the diagonal of Q would have one sign."""
    found = blocks(20_000, 3)
    rotations = found / np.linalg.norm(found, axis=2, keepdims=True)
    assert_mean(rotations.reshape(-1, 9), np.zeros(9))
    assert_mean(np.square(rotations).reshape(-1, 9), np.full(9, 1 / 3))
    assert_mean(np.linalg.det(rotations), [0.0])  # as many rotations as reflections
    # entries of two vectors of a block: uncorrelated, whichever
    assert_mean(np.einsum("bi,bj->bij", found[:, 0], found[:, 1]).reshape(-1, 9), np.zeros(9))


@pytest.mark.parametrize("shape", [4000, (4000, 1)])
def test_numbers_of_vectors_are_stratified_within_a_block(shape) -> None:
    stream = OrthogonalStream(2).in_blocks(4)
    u = stream.uniform("u", shape).ravel()
    assert (np.sort(np.floor(u.reshape(-1, 4) * 4), axis=1) == [0, 1, 2, 3]).all()
    first = u.reshape(-1, 4)[:, 0]  # alone it is anywhere
    assert kstest(first, "uniform").pvalue > CHANCE
    assert kstest(stream.gamma("g", 1.5, shape).ravel()[::4], gamma(1.5).cdf).pvalue > CHANCE
    assert kstest(stream.exponential("e", shape).ravel()[1::4], expon.cdf).pvalue > CHANCE
    assert np.array_equal(stream.uniform("u", 40), u[:40])
    assert np.array_equal(stream.uniform("u", 38), u[:38])


def points(n: int, dim: int, seed: int) -> np.ndarray:
    return sobol_points(np.random.default_rng(seed), n, dim)


@pytest.mark.parametrize("dim", [1, 2, 7])
def test_every_interval_has_its_point(dim: int) -> None:
    found = points(64, dim, 0)
    assert found.shape == (64, dim)
    assert ((found > 0) & (found < 1)).all()
    assert (np.sort(np.floor(found * 64), axis=0) == np.arange(64)[:, None]).all()


@pytest.mark.long
def test_each_point_alone_is_uniform() -> None:
    drawn = np.stack([points(4, 3, seed) for seed in range(2000)])
    for j in range(4):
        for i in range(3):
            assert kstest(drawn[:, j, i], "uniform").pvalue > CHANCE
        centred = drawn[:, j] - 0.5
        pairs = [centred[:, a] * centred[:, b] for a, b in ((0, 1), (0, 2), (1, 2))]
        assert_mean(np.stack(pairs, axis=1), np.zeros(3))


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
