"""Tests of `laws/fourier.py`."""

from __future__ import annotations

from dataclasses import replace

import mpmath as mp
import numpy as np
import pytest
from scipy.special import ive
from scipy.stats import skellam

import kernelspec as ks
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.kernels.atoms import Atoms
from kernelspec.laws.atoms import AtomsLaw, OtherAtomsLaw, atoms, atoms_of_factors
from kernelspec.laws.fourier import (
    FourierLaw,
    OppositeAtoms,
    minmax_limit,
    minmax_variance,
    normalized_variance,
    opposite_atoms,
    paired_variance,
    phase_variance,
    rbf_of_cosine,
    rbf_of_minmax,
)
from kernelspec.laws.law import Law
from kernelspec.laws.rules import schemes_of
from kernelspec.laws.sums_and_products import MixtureLaw, OneLaw, ProductLaw
from kernelspec.maps.feature_map import draw_map
from kernelspec.random.streams import Stream
from kernelspec.tables.rows import Rows
from kernelspec.testing.laboratory import assert_mean, z_threshold
from tests.laboratory import assert_variance
from tests.laws.texts import kernel_of, law

RHO = np.array([-0.8, 0.0, 0.3, 0.9, 0.99, 1.0])
CASES = [(rho, gamma) for rho in (-0.5, 0.2, 0.9) for gamma in (0.3, 1.0, 4.0)]


@pytest.mark.parametrize("gamma", [0.1, 1.0, 7.0])
def test_the_kernel_is_the_gaussian_on_unit_vectors(gamma: float) -> None:
    angle = np.arccos(RHO)
    x, y = np.array([1.0, 0.0]), np.stack([np.cos(angle), np.sin(angle)], axis=1)
    expected = np.exp(-gamma * np.square(x - y).sum(axis=1) / 2)
    np.testing.assert_allclose(rbf_of_cosine(RHO, gamma), expected, rtol=1e-12)


@pytest.mark.parametrize("gamma", [0.1, 1.0, 7.0])
def test_pairs_are_never_worse_than_normalized_features(gamma: float) -> None:
    k = rbf_of_cosine(RHO, gamma)
    gap = normalized_variance(RHO, gamma) - paired_variance(RHO, gamma)
    np.testing.assert_allclose(gap, k**2 * (1 - k**2) ** 2 / 4, atol=1e-12)
    assert (gap >= -1e-15).all()


def _columns(rho: float, gamma: float, shape: tuple[int, int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Projections of both rows and offsets."""
    rng = np.random.default_rng(int(1000 * gamma) + int(100 * (rho + 1)))
    first, second = np.sqrt(gamma) * rng.standard_normal((2, *shape))
    return first, rho * first + np.sqrt(1 - rho**2) * second, 2 * np.pi * rng.random(shape)


@pytest.mark.parametrize(("rho", "gamma"), CASES)
def test_phase_and_paired_columns(rho: float, gamma: float) -> None:
    u, v, b = _columns(rho, gamma, (200_000, 1))
    k = rbf_of_cosine(rho, gamma)
    phase = 2 * np.cos(u + b) * np.cos(v + b)
    assert_mean(phase, [k])
    assert_variance(phase, [phase_variance(rho, gamma)])
    assert_variance(np.cos(u - v) * np.sqrt(2), [paired_variance(rho, gamma)])


@pytest.mark.parametrize(("rho", "gamma"), CASES)
def test_normalized_columns(rho: float, gamma: float) -> None:
    # the linearised estimate has exactly the asymptotic variance
    u, v, b = _columns(rho, gamma, (200_000, 1))
    k = rbf_of_cosine(rho, gamma)
    x, y = np.sqrt(2) * np.cos(u + b), np.sqrt(2) * np.cos(v + b)
    assert_variance(x * y - k / 2 * (x**2 + y**2), [normalized_variance(rho, gamma)])


@pytest.mark.slow
def test_a_thousand_normalized_columns_have_that_variance() -> None:
    u, v, b = _columns(0.6, 1.0, (4_000, 1_000))
    x, y = np.cos(u + b), np.cos(v + b)
    estimate = (x * y).sum(axis=1) / np.sqrt((x**2).sum(axis=1) * (y**2).sum(axis=1))
    # order 1/k corrections to the variance are 0.1 %, far below its standard error of 2 %
    assert_variance(np.sqrt(1_000) * estimate[:, None], [normalized_variance(0.6, 1.0)])


@pytest.mark.slow
@pytest.mark.parametrize("rho", [-0.4, 0.5, 0.95])
def test_the_limit_of_the_minmax_kernel(rho: float) -> None:
    rng = np.random.default_rng(3)
    u, w = rng.standard_normal((2, 400, 5_000))
    v = rho * u + np.sqrt(1 - rho**2) * w
    sides = [np.concatenate([np.maximum(row, 0), np.maximum(-row, 0)], axis=1) for row in (u, v)]
    least, most = np.minimum(*sides).sum(axis=1), np.maximum(*sides).sum(axis=1)
    # a ratio of sums: the linearised estimate is unbiased for the limit
    g = minmax_limit(rho)
    assert_mean((least - g * most)[:, None], [0.0])
    assert rbf_of_minmax(g, 2.0) == pytest.approx(float(rbf_of_cosine(rho, 2.0)))


@pytest.mark.parametrize(("rho", "gamma"), CASES)
def test_the_variance_of_the_estimate_from_keys(rho: float, gamma: float) -> None:
    # the delta method: V_g = g(1 − g) · (d/dX e^{…})², the derivative by differences
    g, step = float(minmax_limit(rho)), 1e-5
    slope = float(rbf_of_minmax(g + step, gamma) - rbf_of_minmax(g - step, gamma)) / (2 * step)
    assert float(minmax_variance(rho, gamma)) == pytest.approx(g * (1 - g) * slope**2, rel=1e-6)


def line(columns: tuple[int, ...]) -> str:
    return FourierLaw(kernel_of("gaussian()", len(columns))).lines(columns)[0]


def test_lines_name_columns_as_ranges() -> None:
    assert line((2, 3, 4, 5, 6)).endswith("on columns 2:7")
    assert line((2, 4)).endswith("on columns 2, 4")
    assert line((0, 1, 2, 7)).endswith("on columns 0, 1, 2, 7")


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("gaussian()[1] * laplace()[3]", (1, 3)),
        ("(gaussian()[2] + laplace()[0]) * cauchy()[0]", (0, 2)),
        ("stretch(gaussian()[1], [1, 2, 3, 4])", (1,)),
        ("(gaussian()[0] * laplace()[1])[3, 2]", (2, 3)),
        ("stretch(gaussian()[0], [[0, 1, 0, 0], [0, 0, 1, 0]])", (0, 1, 2, 3)),
    ],
)
def test_columns_that_are_not_selected_are_not_read(text: str, columns: tuple[int, ...]) -> None:
    feature_map = ks.compile(text, dim=4, n_features=8)
    assert feature_map.dense is not None
    assert feature_map.dense.columns == columns
    if len(columns) < 4:
        X = np.full((2, 4), np.nan)
        X[:, list(columns)] = 1
        assert np.allclose(feature_map.approximate(X), ks.parse(text).gram(np.ones((1, 4))), rtol=1e-13)


X = np.random.default_rng(4).uniform(-2, 2, (5, 2))


def found_in(text: str, dim: int = 2) -> OppositeAtoms:
    found = opposite_atoms(kernel_of(text, dim))
    assert found is not None
    return found


def test_the_fourier_series_of_a_periodic_kernel() -> None:
    # e^{z cos θ} = I_0(z) + 2 Σ I_n(z) cos nθ [Abramowitz and Stegun 9.6.34], z = 1/ℓ²
    found, z = found_in("periodic(period=3, scale=1/2)", 1), mp.mpf(4)
    orders = range(1, len(found) + 1)
    assert found.constant == pytest.approx(float(mp.exp(-z) * mp.besseli(0, z)), rel=1e-14)
    np.testing.assert_allclose(found.frequencies[:, 0], [2 * np.pi * n / 3 for n in orders], rtol=1e-14)
    np.testing.assert_allclose(found.weights, [float(2 * mp.exp(-z) * mp.besseli(n, z)) for n in orders], rtol=1e-12)
    assert 1 - 2e-16 <= found.constant + found.weights.sum() <= 1 + 2e-15


@pytest.mark.parametrize(
    "text",
    [
        "periodic(period=3, scale=1/2)[0]",
        "periodic(period=3, scale=1)",
        "cosine(by=1)[0] * periodic(period=1)[0] * cosine(by=[0.5, 2])",
        "stretch(cosine(by=3)*circle()[0], 2)[1]",
        "(0.3*cosine(by=[1, 2]) + 0.2*circle()[0]) ** 3",
    ],
)
@pytest.mark.parametrize("grid", [True, False])
def test_all_together_are_the_kernel(text: str, grid: bool) -> None:
    pairs, found = NumericPairs(Rows(X), Rows(X[::-1]), grid=grid), found_in(text)
    value = np.asarray(kernel_of(text, 2).value(pairs))
    np.testing.assert_allclose(found.constant + found.cosines(pairs, 0), value, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(
        found.cosines(pairs, 0, 1) + found.cosines(pairs, 1), found.cosines(pairs, 0), rtol=1e-12
    )
    assert (np.diff(found.weights) <= 0).all()
    assert (found.weights > 0).all()


def test_a_light_constant_is_one_of_the_pairs() -> None:
    found = opposite_atoms(kernel_of("cosine(by=5) * periodic(period=2, scale=2)", 1))
    assert found is not None
    assert found.constant == 0
    assert (found.frequencies == 0).any() or found.frequencies.min() > 0
    pairs = NumericPairs(Rows(X[:, :1]), Rows(X[:, :1]))
    value = kernel_of("cosine(by=5) * periodic(period=2, scale=2)", 1).value(pairs)
    np.testing.assert_allclose(found.cosines(pairs, 0), value, atol=1e-14)


def test_others_have_none() -> None:
    for text in (
        "gaussian()",
        "periodic(period=1)*gaussian()",
        "cosine(by=[1, 0]) - 0.5*periodic(period=1)",
        "linear()",
    ):
        assert opposite_atoms(kernel_of(text, 2)) is None, text
    # lists that leave something out
    assert opposite_atoms(kernel_of("periodic(period=1, scale=1/1000)", 1)) is None
    assert OppositeAtoms.of(Atoms(np.array([[1.0], [-1.0]]), np.array([0.5, 0.5]), omitted=1e-9)) is None
    assert OppositeAtoms.of(Atoms(np.array([[1.0], [-1.0]]), np.array([0.5j, 0.5]))) is None


X_OF_ATOMS = np.random.default_rng(5).uniform(-2, 2, (5, 2))


def test_which_kernels_have_it() -> None:
    found = law("periodic(period=1)", 1, "atoms")
    assert isinstance(found, MixtureLaw)
    assert [type(part) for part in found.parts] == [OneLaw, AtomsLaw, OtherAtomsLaw]
    finite = law("cosine(by=[1, 2]) ** 2", 2, "atoms")
    assert isinstance(finite, MixtureLaw)
    assert [type(part) for part in finite.parts] == [OneLaw, AtomsLaw]
    # one pair is exact by itself
    for text in (
        "cosine(by=[1, 2])",
        "circle()[0]",
        "gaussian()",
        "gaussian() * cosine(by=1)",
        "shift(periodic(period=1), by=[1, 0])",
    ):
        assert atoms(kernel_of(text, 2)) is None
        assert "atoms" not in schemes_of(kernel_of(text, 2)), text


def test_numbers_that_there_are_not() -> None:
    kernel = kernel_of("cosine(by=1) ** 2", 1)
    for wrong in (0, 2, True):
        with pytest.raises(ValueError, match="pairs of atoms"):
            AtomsLaw(kernel, wrong).validate()
    with pytest.raises(ValueError, match="are not known"):
        AtomsLaw(kernel_of("gaussian()", 1), 1).validate()


def test_the_same_bits_in_any_batch_and_under_another_name_of_the_columns() -> None:
    fmap = ks.compile("periodic(period=1, scale=1/3)[0] * cosine(by=2)[1]", dim=2, n_features=33, seed=4)
    assert "atoms" in fmap.plan.chosen.schemes
    whole = fmap.transform(X_OF_ATOMS)
    assert np.array_equal(whole, np.concatenate([fmap.transform(X_OF_ATOMS[:2]), fmap.transform(X_OF_ATOMS[2:])]))


def divided(text: str) -> MixtureLaw:
    found = law(text, 2, "atoms")
    assert isinstance(found, MixtureLaw)
    return found


def test_weights_are_those_of_the_harmonics() -> None:
    # exp((cos t - 1)/ℓ²) = e^{-1/ℓ²} (I_0 + 2 Σ I_n cos(nt)) at 1/ℓ²; of ℓ = 1 those of n > 2 have less than a 20th
    found = divided("periodic(period=3)[0] * gaussian(scale=10)")
    constant, first, second, rest = found.weights
    np.testing.assert_allclose([constant, first, second], [ive(0, 1), 2 * ive(1, 1), 2 * ive(2, 1)], rtol=1e-12)
    others = found.parts[3]
    assert isinstance(others, ProductLaw)
    assert rest == 1
    assert float(others.magnitude()) == pytest.approx(1 - ive(0, 1) - 2 * ive(1, 1) - 2 * ive(2, 1), rel=1e-12)


def test_which_kernels_have_it_atoms_of_factors() -> None:
    for text in (
        "cosine(by=[1, 2]) * gaussian()",
        "gaussian() * laplace()",
        "shift(periodic(period=1), by=[1, 0]) * gaussian()",
    ):
        kernel = kernel_of(text, 2)
        assert atoms_of_factors(kernel) is None
        assert "atoms" not in schemes_of(kernel), text
    # two heavy pairs and nothing else: every stratum is one of them
    assert not any(isinstance(part, OtherAtomsLaw) for part in divided("cosine(by=[1, 2])**2 * gaussian()").parts)


@pytest.mark.slow
def test_plans_with_data_take_it_and_know_its_error() -> None:
    rows = np.random.default_rng(2).standard_normal((64, 2))
    text = "periodic(period=3) * gaussian(scale=10)"
    plan = ks.compile(text, data=rows, n_features=16, draws="independent", landmarks="never").plan
    assert plan.method == "atoms"
    plain = ks.compile(text, data=rows, n_features=16, draws="independent", landmarks="never", method="paired").plan
    assert plan.chosen.error is not None
    assert plain.chosen.error is not None
    assert plan.chosen.error < plain.chosen.error / 2
    exact = ks.parse(text).gram(rows)
    drawn = (draw_map(replace(plan, seed=seed)).approximate(rows) for seed in range(64))
    squares = [np.square(estimate - exact).sum() / np.square(exact).sum() for estimate in drawn]
    # predicted from a half of the rows: within 10 %, and three standard errors of the 64 draws
    spread = 3 * np.std(squares) / 8
    assert abs(np.mean(squares) - plan.chosen.error**2) < 0.2 * plan.chosen.error**2 + spread


KERNEL = kernel_of("periodic(period=1, scale=1/4)", 1)
OTHERS = OtherAtomsLaw(KERNEL, 3)
"""All harmonics but 0 and 1, 2, 3, up and down."""


def harmonics(law: Law, seed: int, n: int) -> np.ndarray:
    (batch,) = law.draw(Stream(seed), n, (0,))
    assert batch.phasors is not None
    assert isinstance(batch.phasors.frequencies, np.ndarray)
    return batch.phasors.frequencies[:, 0] / (2 * np.pi)


def test_the_law_is_that_of_the_measure_without_the_exact_ones() -> None:
    # a Skellam law given that |n| > 3; with Sobol' points every sample alone has it too
    cells = np.concatenate([np.arange(-12, -3), np.arange(4, 13)])
    chance = skellam(8, 8).pmf(cells)
    given = chance / (1 - skellam(8, 8).pmf(np.arange(-3, 4)).sum())
    drawn = harmonics(OTHERS, 7, 20_000)
    np.testing.assert_allclose(drawn, np.round(drawn), atol=1e-9)
    counts = (np.round(drawn)[:, None] == cells).sum(axis=0)
    deviation = (counts - 20_000 * given) / np.sqrt(20_000 * given * (1 - given))
    assert np.abs(deviation).max() <= z_threshold(len(cells), 1e-8)
    assert not (np.abs(np.round(drawn)) <= 3).any()


def test_numbers_that_there_are_not_other_atoms() -> None:
    OtherAtomsLaw(KERNEL, 0).validate()
    for wrong in (-1, len(OTHERS.all_atoms)):
        with pytest.raises(ValueError, match="pairs of atoms"):
            OtherAtomsLaw(KERNEL, wrong).validate()
