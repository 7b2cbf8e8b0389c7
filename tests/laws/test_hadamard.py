"""Tests of `laws/hadamard.py`."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest
from scipy.stats import betaprime, chi2, kstest

from kernelspec.errors import PlanError
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.laws.hadamard import hadamard, hadamard_bias, isotropic, lengths_of, structured, uniform_direction_mean
from kernelspec.laws.joint import JointLaw
from kernelspec.random.coupled import HadamardStream
from kernelspec.random.streams import Stream
from kernelspec.samples.hadamard_frequencies import HadamardBlocks, HadamardFrequencies
from kernelspec.tables.rows import Rows
from kernelspec.testing.laboratory import z_threshold
from tests.laws.texts import law

CHANCE = 1e-7
"""Of a false alarm, for every Kolmogorov–Smirnov test."""

D = 70
COLUMNS = tuple(range(D))

MATRIX = [[(3 * i + 5 * j * j) % 7 - 3 for j in range(D)] for i in range(66)]

STRUCTURED = [
    "gaussian(scale=3)",
    "matern(nu=3/2, scale=2)",
    "rational_quadratic(alpha=0.7)",
    "exponential(scale=2)[2:68]",
    "bochner(student_t(dof=3), isotropic=True)",
    "stretch(gaussian(), 2)",
    "stretch(matern(nu=1/2), " + str([1 + i / 7 for i in range(D)]) + ")",
    "stretch(gaussian()[" + ", ".join(map(str, range(69, 4, -1))) + "], 0.5)",
    f"stretch(gaussian(), {MATRIX})",
    f"stretch(stretch(exponential()[1:66], {MATRIX}), 2)",
]


@pytest.mark.slow
@pytest.mark.parametrize("text", STRUCTURED)
def test_frequencies_are_those_of_the_law_from_the_same_stream(text: str) -> None:
    """By two ways: signs and lengths here, vectors through the kernel's own draws there."""
    own, stream = law(text, D), Stream(5, (2, 1))
    together = hadamard(own, stream, 150, COLUMNS)
    assert isinstance(together, HadamardStream)
    (plain,), (drawn,) = own.draw(together, 150, COLUMNS), JointLaw(own, "hadamard").draw(stream, 150, COLUMNS)
    assert plain.phasors is not None
    assert drawn.phasors is not None
    found = drawn.phasors.frequencies
    assert isinstance(found, HadamardFrequencies)
    assert drawn.phasors.columns == plain.phasors.columns
    np.testing.assert_allclose(np.asarray(found), np.asarray(plain.phasors.frequencies), rtol=1e-9, atol=1e-12)
    assert np.array_equal(drawn.weight, plain.weight)


@pytest.mark.parametrize(
    "text",
    [
        "gaussian()[0:63]",
        "laplace()",
        "gaussian()*matern(nu=3/2)",
        "gaussian()*match()[0]",
        "shift(gaussian(), by=1)",
        "radial(r -> exp(-sqrt(1 + r**2)))",
        f"stretch(gaussian(), {[[1] * D] * 63})",
        "minmax()",
    ],
)
def test_other_laws_have_none(text: str) -> None:
    own = law(text, D)
    assert isotropic(own) is None
    assert hadamard(own, Stream(0), 3, COLUMNS) is None
    with pytest.raises(PlanError, match="draws='hadamard' changes nothing for these samples"):
        structured(own, Stream(0), 3, COLUMNS)


def test_radii_are_those_of_the_kernel() -> None:
    """‖ω‖² of the whole row of p = 128: χ²_p σ⁻², and for Student's t with 3 degrees of freedom p F(p, 3)."""
    gaussian, student = (isotropic(law(text, 100)) for text in ("gaussian(scale=2)", "matern(nu=3/2)"))
    assert gaussian is not None
    assert student is not None
    squares = 128 * np.square(lengths_of(gaussian.leaf, HadamardStream(0), 4000))
    assert kstest(4 * squares, chi2(128).cdf).pvalue > CHANCE
    squares = 128 * np.square(lengths_of(student.leaf, HadamardStream(0), 4000)[::128])  # stratified within blocks
    assert kstest(squares / 3, betaprime(64, 1.5).cdf).pvalue > CHANCE


def test_rows_of_a_block_are_orthogonal_and_as_long_as_their_radii() -> None:
    (drawn,) = structured(law("gaussian()", 64), Stream(3), 100, tuple(range(64)))
    assert drawn.phasors is not None
    frequencies = drawn.phasors.frequencies
    assert isinstance(frequencies, HadamardFrequencies)
    (blocks,) = frequencies.parts
    assert isinstance(blocks, HadamardBlocks)
    rows = np.asarray(frequencies)
    for part in (slice(0, 64), slice(64, 100)):
        expected = np.diag(64 * np.square(blocks.lengths[part]))
        np.testing.assert_allclose(rows[part] @ rows[part].T, expected, atol=1e-11)


def test_the_first_samples_are_the_same_bits_however_many_follow() -> None:
    own = law("matern(nu=3/2)", D)
    (many,) = structured(own, Stream(2, (1,)), 300, COLUMNS)
    assert many.phasors is not None
    for n in (128, 256):
        (few,) = structured(own, Stream(2, (1,)), n, COLUMNS)
        assert few.phasors is not None
        assert np.array_equal(few.phasors.frequencies, many.phasors.frequencies[:n])


def test_several_draws_at_once_have_blocks_of_their_own() -> None:
    own = law("matern(nu=3/2)", D)
    (drawn,) = structured(own, Stream(1), 10, COLUMNS, 3)
    assert drawn.phasors is not None
    frequencies = drawn.phasors.frequencies
    assert isinstance(frequencies, HadamardFrequencies)
    assert [len(part) for part in frequencies.parts] == [10] * 3
    assert np.array_equal(drawn.index, np.arange(30))
    whole = HadamardStream(1, lengths=(10,) * 3).normal("normal", (30, D))
    directions = whole / np.linalg.norm(whole, axis=1, keepdims=True)
    rows = np.asarray(frequencies)
    np.testing.assert_allclose(rows / np.linalg.norm(rows, axis=1, keepdims=True), directions, atol=1e-12)


@pytest.mark.parametrize("p", [64, 256, 4096])
def test_plane_waves_over_uniform_directions(p: int) -> None:
    s = np.array([0, 1e-3, 0.5, 1, 2.5, 4, 8, 20]) * np.sqrt(p)
    expected = [float(mp.hyp0f1(mp.mpf(p) / 2, -(mp.mpf(float(own)) ** 2) / 4)) for own in s]
    np.testing.assert_allclose(
        uniform_direction_mean(s, p), expected, rtol=0, atol=1e-14 + p * 2**-52
    )  # of powers cos^p
    assert uniform_direction_mean(np.array([1e9]), p) == 0


def lags(d: int) -> np.ndarray:
    """Along one axis, two, and none; from near to far."""
    generator = np.random.default_rng(0)
    kinds = [np.eye(d)[0], np.eye(d)[[0, 1]].sum(axis=0) / np.sqrt(2), np.ones(d) / np.sqrt(d)]
    kinds.append((own := generator.standard_normal(d)) / np.linalg.norm(own))
    return np.concatenate([radius * np.array(kinds) for radius in (0.5, 1.5, 2.5)])


def pairs_of(lag: np.ndarray) -> NumericPairs:
    return NumericPairs(Rows(lag), Rows(np.zeros_like(lag)), grid=False)


@pytest.mark.slow
def test_the_mean_of_draws_is_off_by_no_more_than_is_said() -> None:
    """At d = 64, where it is largest: 300 blocks of draws against exp(−r²/2). At each lag 1e-6 for a false alarm."""
    d, lag = 64, lags(64)
    own = JointLaw(law("gaussian()", d), "hadamard")
    bias, error = own.bias(pairs_of(lag))
    assert np.abs(bias).max() < 1e-3
    estimates = np.stack(
        [np.cos(lag @ HadamardStream(seed, (5,)).normal("normal", (d, d)).T).mean(axis=1) for seed in range(300)]
    )
    found = estimates.mean(axis=0) - np.exp(-np.square(lag).sum(axis=1) / 2)
    spread = np.sqrt(estimates.var(axis=0, ddof=1) / 300 + error**2)
    assert (np.abs(found - bias) <= z_threshold(len(lag), 1e-6, 299) * spread).all()


def test_it_is_resolved_and_falls_with_the_columns() -> None:
    """Along an axis, at distance r: −r⁴ e^{−r²/2} / 3p² and terms of higher order in 1/p.

    H D₃ Δ has entries of one size there, and so D₂ makes y a sum of signs: Σ y_k⁴ falls short of that of a uniform
    direction by 4r⁴/p² of 3r⁴/p, and ∏ cos y_k ≈ exp(−Σ y_k²/2 − Σ y_k⁴/12). Five standard errors: 1e-6.
    """
    for d in (64, 256):
        (bias,), (error,) = hadamard_bias(law("gaussian()", d), pairs_of(2 * np.eye(d)[:1]))
        expected = -16 * np.exp(-2) / (3 * d**2)
        assert abs(bias - expected) < 5 * error + 0.25 * abs(expected)
        assert error < abs(expected)


def test_rows_without_a_difference_have_none() -> None:
    same = np.zeros((1, 70))
    bias, _ = hadamard_bias(law("matern(nu=3/2)", 70), pairs_of(same))
    assert abs(bias[0]) < 1e-14
    with pytest.raises(TypeError, match="no structured frequencies"):
        hadamard_bias(law("laplace()", 70), pairs_of(same))


def test_other_draws_have_none() -> None:
    own = JointLaw(law("gaussian()", 3), "orthogonal")
    assert not own.is_biased
    assert not np.any(own.bias(pairs_of(np.ones((2, 3)))))
