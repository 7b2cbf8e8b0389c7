"""Tests of `laws/atoms.py`."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import ive
from scipy.stats import skellam

import kernelspec as ks
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.laws.atoms import AtomsLaw, OtherAtomsLaw, atoms, atoms_of_factors
from kernelspec.laws.joint import JointLaw
from kernelspec.laws.law import Law
from kernelspec.laws.mixture import MixtureLaw
from kernelspec.laws.product import OneLaw, ProductLaw
from kernelspec.laws.rules import schemes_of
from kernelspec.maps.feature_map import draw_map
from kernelspec.random.streams import Stream
from kernelspec.samples.inner_products import mean_products
from kernelspec.tables.rows import Rows
from kernelspec.testing.assertions import assert_unbiased
from kernelspec.testing.laboratory import z_threshold
from tests.laws.texts import kernel_of, law

X = np.random.default_rng(5).uniform(-2, 2, (5, 2))


def test_every_sample_is_all_of_them_without_variance() -> None:
    own, rows = AtomsLaw(kernel_of("periodic(period=1, scale=1/2)[0] * cosine(by=[1, 3])", 2), 5), Rows(X)
    others = Rows(X[::-1])
    pairs = NumericPairs(rows, others, grid=False)
    for seed in range(3):
        drawn = own.draw(Stream(seed), 2, (0, 1))
        np.testing.assert_allclose(mean_products(drawn, rows, others, 2), own.value(pairs), rtol=1e-12, atol=1e-14)
    assert not own.variance(pairs, 1, "paired").any()
    assert own.n_terms == 5
    assert own.magnitude() == pytest.approx(float(own.value(NumericPairs(rows, rows))[0, 0]), rel=1e-14)


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


@pytest.mark.parametrize(
    ("text", "n_features"),
    [
        ("periodic(period=1, scale=1/4)[0]", 9),
        ("0.7*periodic(period=1, scale=1/4)[0] - 0.3*stretch(periodic(period=1, scale=1/2)[1], 3) + gaussian()", 24),
    ],
)
def test_mean_and_variance(text: str, n_features: int) -> None:
    assert_unbiased(text, X, method="atoms", n_features=n_features, n_maps=200, budget=1e-8)


def test_the_words() -> None:
    line = AtomsLaw(kernel_of("periodic(period=1, scale=1)", 1), 3).lines((0,))[0]
    assert line.startswith(
        "the 3 heaviest of 14 pairs of frequencies of periodic(period=1, scale=1) on columns 0, exactly"
    )
    # 1 − 2/e (I_4(1) + I_5(1) + …), I_4 to I_7 being .00273712, .00027146, .00002249, .00000160
    assert line.endswith("with the constant 0.997769 of its mass")


def test_the_same_bits_in_any_batch_and_under_another_name_of_the_columns() -> None:
    fmap = ks.compile("periodic(period=1, scale=1/3)[0] * cosine(by=2)[1]", dim=2, n_features=33, seed=4)
    assert "atoms" in fmap.plan.chosen.schemes
    whole = fmap.transform(X)
    assert np.array_equal(whole, np.concatenate([fmap.transform(X[:2]), fmap.transform(X[2:])]))


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


@pytest.mark.parametrize(
    "text",
    [
        "periodic(period=3) * gaussian(scale=10)",
        "periodic(period=2)[0] * cosine(by=2)[1] * laplace(scale=3)",
        "cosine(by=[1, 2])**2 * matern(nu=3/2)",
        "circle()[0] * periodic(period=3)[0] * match()[1]",
    ],
)
def test_the_parts_are_the_kernel(text: str) -> None:
    pairs = NumericPairs(Rows(X), Rows(X[::-1]))
    found = divided(text)
    total = sum(w * np.asarray(part.value(pairs)) for w, part in zip(found.weights, found.parts, strict=True))
    np.testing.assert_allclose(total, np.asarray(kernel_of(text, 2).value(pairs)), atol=1e-13)


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
def test_mean_and_variance_atoms_of_factors() -> None:
    for text in ("periodic(period=2)[0] * gaussian()", "0.7*periodic(period=2)[0]*polya(gamma(2))[1] - 0.2*gaussian()"):
        assert_unbiased(text, X, method="atoms", n_features=24, n_maps=200, budget=1e-8)


def test_plans_with_data_take_it_and_know_its_error() -> None:
    rows = np.random.default_rng(2).standard_normal((64, 2))
    text = "periodic(period=3) * gaussian(scale=10)"
    plan = ks.compile(text, data=rows, n_features=16, draws="independent", anchors="never").plan
    assert plan.method == "atoms"
    plain = ks.compile(text, data=rows, n_features=16, draws="independent", anchors="never", method="paired").plan
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


def test_prefixes() -> None:
    for each in (OTHERS, JointLaw(OTHERS, "sobol")):
        np.testing.assert_array_equal(harmonics(each, 3, 5), harmonics(each, 3, 32)[:5])
    assert not np.array_equal(harmonics(OTHERS, 3, 32), harmonics(OTHERS, 4, 32))


def test_value_and_moments() -> None:
    x = np.linspace(-1, 1, 7)[:, None]
    pairs = NumericPairs(Rows(x), Rows(x))
    exact = np.asarray(AtomsLaw(KERNEL, 3).value(pairs)) + OTHERS.all_atoms.constant
    np.testing.assert_allclose(OTHERS.value(pairs), np.asarray(KERNEL.value(pairs)) - exact, atol=1e-14)
    assert OTHERS.magnitude() == pytest.approx(1 - exact[0, 0], rel=1e-13)


def test_numbers_that_there_are_not_other_atoms() -> None:
    OtherAtomsLaw(KERNEL, 0).validate()
    for wrong in (-1, len(OTHERS.all_atoms)):
        with pytest.raises(ValueError, match="pairs of atoms"):
            OtherAtomsLaw(KERNEL, wrong).validate()
