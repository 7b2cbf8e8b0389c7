"""Tests of `laws/keys.py`."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import kernelspec as ks
from kernelspec.errors import PlanError
from kernelspec.kernels.leaves.of_rows import Match, MinMax
from kernelspec.laws.keys import CategoryPhasesLaw, GcwsLaw, MatchLaw, PoissonLaw
from kernelspec.laws.law import Collisions
from kernelspec.laws.rules import schemes_of
from kernelspec.random.streams import Stream
from kernelspec.samples.amplitudes import CategoryPhases
from kernelspec.samples.keys import MatchKey
from kernelspec.tables.rows import Rows
from kernelspec.testing.assertions import assert_unbiased
from kernelspec.testing.laboratory import assert_mean, z_threshold
from tests.laboratory import assert_proportions
from tests.laws.texts import kernel_of
from tests.samples.key_laws import drawn, standard_minmax_tests
from tests.thoroughness import sweep

X_OF_BINNING = np.array([[0.0, 0.0, 0.0], [0.4, -0.3, 0.0], [1.1, 0.6, 1.0], [-0.7, 1.0, 1.0], [0.2, -1.5, 2.0]])


def test_no_polya_kernel_no_binning() -> None:
    for text in ("gaussian()", "cauchy()", "exponential()", "sinc()"):
        assert "binning" not in schemes_of(kernel_of(text, 2))


TEXTS = [
    "laplace(scale=2)",
    "triangle(width=4)[0] * laplace(scale=3)[1, 2]",
    "polya(gamma(0.5, 6)) + 0.5 * gaussian()",
    "polya(weibull(2, 3))[0] * gaussian(scale=2)[1] * match()[2]",
]


@pytest.mark.slow
@pytest.mark.parametrize("text", sweep(TEXTS, every=2))
def test_hashed_features_are_unbiased_with_the_variance_predicted(text: str) -> None:
    assert_unbiased(text, X_OF_BINNING, method="binning", n_features=32, n_maps=150, hashed=True)


def test_offsets_are_uniform_and_streams_apart() -> None:
    key = drawn(20_000, 2)
    counts = np.histogram(key.offsets, bins=20, range=(0, 1))[0]
    assert_proportions(counts, np.full(20, 0.05))
    assert ((key.pitches >= 1) & (key.pitches <= 2)).all()
    correlation = np.corrcoef(np.hstack([key.pitches, key.offsets]).T)[np.triu_indices(4, 1)]
    assert np.abs(correlation * np.sqrt(20_000)).max() <= z_threshold(6)
    assert not np.array_equal(drawn(5, 2, seed=1).offsets, drawn(5, 2).offsets)


@pytest.mark.parametrize("columns", [2, 3, 16])
@pytest.mark.parametrize("signed", [True, False])
def test_second_moment(columns: int, signed: bool) -> None:
    # samples of weight 0.7 that agree with chance 0.3
    rng = np.random.default_rng(columns)
    agree = rng.random(200_000) < 0.3
    same_column = agree | (rng.random(200_000) < 1 / columns)
    if signed:
        estimate = 0.7 * same_column * np.where(agree, 1, rng.choice([-1, 1], 200_000))
    else:
        estimate = 0.7 * (columns * same_column - 1) / (columns - 1)
    predicted = Collisions(columns, signed).second_moment(0.49 * 0.3, 0.49)
    assert_mean(estimate[:, None], [0.7 * 0.3])
    assert_mean(np.square(estimate)[:, None], [predicted])


@pytest.mark.parametrize(("buckets", "bits"), [(1, None), (0, None), (2, 0), (2, 25)])
def test_refusals(buckets: int, bits: int | None) -> None:
    with pytest.raises(PlanError, match="must be"):
        Collisions.of(buckets, bits)


TestLaw = standard_minmax_tests(GcwsLaw)


def test_work_grows_with_every_nonzero_and_sample_and_where_tables_are_not_kept():
    narrow, wide = GcwsLaw(MinMax(dim=100)), GcwsLaw(MinMax(dim=10**6))
    assert narrow.work(512, 100) == 2 * narrow.work(512, 50)
    assert narrow.work(512, 100) - narrow.work(256, 100) == narrow.work(256, 100) - narrow.work(0, 100)
    assert wide.work(512, 100) > 10 * narrow.work(512, 100)


ROWS = Rows(np.array([[i, j, k] for i in range(3) for j in range(3) for k in range(3)], dtype=float))


@pytest.mark.parametrize("positions", [(1,), (2, 0)])
def test_a_power_of_a_match_is_the_match(positions: tuple[int, ...]) -> None:
    counts = np.array([3, 0, 10**12, 1])
    samples = MatchLaw(Match(dim=len(positions))).draw_products(Stream(0), counts, positions)
    (key,) = samples.keys
    keys = key.keys(ROWS, "left")
    rows = ROWS.dense()[:, list(positions)]
    agree = (rows[:, None] == rows[None]).all(axis=2)
    for j, count in enumerate(counts):
        assert np.array_equal(keys[:, None, j] == keys[None, :, j], agree if count else np.ones_like(agree))
    assert samples.weight.tolist() == samples.sign.tolist() == [1] * 4


@pytest.mark.parametrize(
    "base", ["match()[0]", "match()[2, 0]", "mean(match()[0], match()[1])", "mean(match()[0], circle()[1])"]
)
def test_the_dual_of_a_step_meets_no_limit(base: str) -> None:
    # P(l > n) ≈ ¼/√n: degrees far beyond all that could be drawn one by one
    fmap = ks.compile(f"dual(step, {base})", dim=3, n_features=10_000, seed=1, method="phase")
    k = ks.parse(base).gram(ROWS.dense())
    variance = fmap.predicted_variance(ROWS, hashed=False)
    error = fmap.approximate(ROWS) - (0.5 + np.arcsin(k) / np.pi)
    assert (np.abs(error) < 6 * np.sqrt(variance) + 1e-12).all()


PRODUCTS = ["match()[0] * match()[1]", "match()[0] * match()[0]", "match() ** 2", "match()[2, 0]"]


@pytest.mark.parametrize("text", PRODUCTS)
def test_products_of_matches_are_exact(text: str) -> None:
    spec = ks.parse(text)
    for seed in range(5):
        feature_map = ks.compile(spec, dim=3, n_features=3, seed=seed)
        assert np.abs(feature_map.approximate(ROWS) - spec.gram(ROWS.dense())).max() <= 1e-14
        assert not feature_map.predicted_variance(ROWS, hashed=False).any()


def test_text_and_numbers() -> None:
    frame = {"country": ["fr", "de", "fr", "1"], "kind": [1, 1, 1.0, True]}

    table = pd.DataFrame(frame)
    gram = ks.compile("match()[country] * match()[kind]", data=table, n_features=1).approximate(table)
    assert np.array_equal(gram, [[1, 0, 1, 0], [0, 1, 0, 0], [1, 0, 1, 0], [0, 0, 0, 1]])


TestLawOfPoisson = standard_minmax_tests(PoissonLaw)


@pytest.mark.parametrize(
    ("nonzeros", "n", "pays"),
    [(100, 1024, False), (1000, 64, False), (1000, 4096, False), (10_000, 64, False), (10_000, 1024, True)],
)
def test_pays_for_many_nonzeros_and_many_samples_only(nonzeros, n, pays):
    kernel = MinMax(dim=nonzeros)  # measured on dense rows, by benchmarks/minmax.py
    assert (PoissonLaw(kernel).work(n, nonzeros) < GcwsLaw(kernel).work(n, nonzeros)) == pays


def test_a_product_of_samples_is_one_sample() -> None:
    law = CategoryPhasesLaw(Match(dim=1))
    products = law.draw_products(Stream(0), np.array([1, 50, 2]), (0,))
    assert products is not None
    assert len(products) == 3
    assert law.draw_products(Stream(0), np.array([1, 0]), (0,)) is None
    assert law.has_phasor
    assert not law.has_key
    (factor,) = products.amplitudes
    assert isinstance(factor, CategoryPhases)
    assert factor.categories == MatchKey((0,))
