"""Tests of `laws/exact_features.py`."""

from __future__ import annotations

from dataclasses import replace
from math import comb
from typing import Literal

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import Ridge

import kernelspec as ks
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.kernels.leaves.gaussian import Gaussian
from kernelspec.kernels.leaves.of_rows import Binary, Linear
from kernelspec.laws.exact_features import ExactFeaturesLaw, exact
from kernelspec.laws.finite_features import Feature, finite_features
from kernelspec.laws.law import Collisions
from kernelspec.maps.feature_map import draw_map
from kernelspec.random.streams import Stream
from kernelspec.samples.frequencies import UnitColumn
from kernelspec.samples.samples import mean_products
from kernelspec.tables.rows import Rows
from kernelspec.testing.laboratory import assert_mean
from tests.laws.texts import kernel_of
from tests.thoroughness import sweep

X = np.random.default_rng(0).standard_normal((4, 3))
BUCKETS = 8


def test_estimates_are_exact_for_any_seed() -> None:
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    for text, table, expected in (
        ("linear()", X, X @ X.T),
        ("normalize(linear())", X, unit @ unit.T),
        ("sphere()", unit, unit @ unit.T),
    ):
        for seed in range(3):
            fmap = ks.compile(text, dim=3, n_features=7, method="exact", seed=seed)
            np.testing.assert_allclose(fmap.approximate(table), expected, atol=1e-14)


def test_which_kernels_have_it() -> None:
    assert exact(Linear(dim=3)) == ExactFeaturesLaw(Linear(dim=3))
    assert exact(Binary(dim=1)) is None
    assert exact(Gaussian(dim=3)) is None
    power = kernel_of("(linear() + constant()) ** 2", 3)
    assert exact(power) == ExactFeaturesLaw(power)
    # the terms of a sum have features of their own, unless they share some
    assert exact(kernel_of("linear() + constant()", 3)) is None
    assert exact(kernel_of("linear() + (linear() + constant()) ** 2", 3)) is not None
    # exact without it; a list of atoms, which has a scheme of its own; no finite list; nothing is left
    for text in (
        "match()[0] * match()[1]",
        "linear()[0] * match()[1]",
        "(cosine(by=1)[0] + constant()) ** 2",
        "linear() * gaussian()",
        "linear()[0]**2 - linear()[0]*linear()[0]",
    ):
        assert exact(kernel_of(text, 3)) is None, text


def test_products_have_a_term_for_every_column() -> None:
    text = "linear() * gaussian(scale=3)"
    fmap = ks.compile(text, dim=3, n_features=600, method="exact")
    assert fmap.n_columns == 600
    assert fmap.plan.chosen.counts == (100,)
    random = ks.compile(text, dim=3, n_features=600, method="paired")
    assert fmap.predicted_variance(X).mean() < random.predicted_variance(X).mean()


def test_parts_are_stored_alike() -> None:
    whole = ExactFeaturesLaw(kernel_of("(cosine(by=1)[0] + linear()[0, 1] + match()[2]) ** 2", 3))
    parts = whole.parts()
    assert [(part.has_key, part.has_phasor, part.n_terms, part.compared((5, 6, 7))) for part in parts] == [
        (False, False, 4, frozenset({()})),  # ½ from the square of the cosine, and x², xz, z²
        (False, True, 3, frozenset({()})),
        (True, False, 3, frozenset({(7,)})),
        (True, True, 1, frozenset({(7,)})),
    ]
    assert sum(part.n_terms for part in parts) == whole.n_terms
    assert whole.compared((5, 6, 7)) == frozenset({(), (7,)})
    rows = Rows(np.column_stack([X[:, :2], [0, 1, 0, 1]]))
    for pairs in (NumericPairs(rows, rows), NumericPairs(rows, rows.take(np.array([1, 2, 3, 0])), grid=False)):
        value = whole.kernel.value(pairs)
        np.testing.assert_allclose(whole.value(pairs), value, rtol=1e-12)
        np.testing.assert_allclose(sum(part.value(pairs) for part in parts), value, rtol=1e-12)
        for law in (whole, *parts):
            assert np.abs(law.variance(pairs, 1, "paired")).max() == 0
            draws = [mean_products(law.draw(Stream(seed), 3, (0, 1, 2)), rows, rows, 3) for seed in range(3)]
            for drawn in draws:
                np.testing.assert_allclose(drawn, np.diagonal(law.value(NumericPairs(rows, rows))), rtol=1e-12)
    ExactFeaturesLaw(whole.kernel, 3).validate()
    for wrong in (ExactFeaturesLaw(whole.kernel, 4), ExactFeaturesLaw(kernel_of("gaussian()", 3))):
        with pytest.raises(ValueError, match="has no finite list of features"):
            wrong.validate()


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    sweep(["match()[2]*(linear()[0, 1] + constant())**2", "match()[2]*(cosine(by=1)[0] + linear()[1])**2"], every=2),
)
def test_variance_where_categories_share_columns(text: str) -> None:
    """Every feature has signs of its own. Against the features of many maps."""
    law = ExactFeaturesLaw(kernel_of(text, 3))
    table = np.column_stack([X[:, :2], [0, 1, 0, 2]])
    pairs = NumericPairs(Rows(table), Rows(table))
    plan = ks.compile(text, dim=3, n_features=2 * law.n_terms, method="exact", buckets=BUCKETS).plan
    one = replace(plan, strata=(replace(plan.strata[0], law=law),), chosen=replace(plan.chosen, counts=(1,)))
    products = []
    for seed in range(1000):
        features = draw_map(replace(one, seed=seed)).left(table)
        dense = features if isinstance(features, np.ndarray) else features.toarray()
        products.append((dense @ dense.T).ravel())
    expected = law.variance(pairs, 1, "paired", Collisions.of(BUCKETS, None)).ravel()
    assert expected.any()
    value = law.value(pairs).ravel()
    assert_mean(np.array(products), value)
    assert_mean(np.square(np.array(products) - value), expected)


MANY = pd.DataFrame(
    {
        "x": np.random.default_rng(1).standard_normal(60),
        "z": np.random.default_rng(2).standard_normal(60),
        "c": np.random.default_rng(3).choice(list("abc"), 60),
    }
)

POLYNOMIALS = [
    ("(linear()[x] + constant()) ** 2", 3),
    ("(linear()[x, z] + constant()) ** 2", 6),
    ("(linear()[x, z] + constant()) ** 3", 10),
    ("(linear()[x, z] + constant()) ** 4", 15),
    ("mean(linear()[x], constant()) * mean(linear()[z], constant())", 4),
    ("mean(linear()[x], constant()) * mean(linear()[z], noise()[z])", 4),
    ("mean(linear()[x], match()[c]) * mean(linear()[z], constant())", 4),
    ("(linear()[x] + match()[c]) ** 2", 3),
    ("(linear()[x, z] + constant()) ** 2 - linear()[x, z] ** 2", 3),
    ("mean(linear()[x], constant()) * mean(linear()[z], constant()) - 0.5*linear()[x, z]", 4),
    ("linear()[x] + (linear()[x, z] + constant()) ** 2", 6),
    ("dual(polynomial(coefficients=[1, 2, 1]), normalize(linear()))[x, z]", 6),
]


@pytest.mark.parametrize("n_features", [32, 1024])
@pytest.mark.parametrize(("text", "entries"), sweep(POLYNOMIALS, every=2))
def test_products_of_exact_features_are_taken_where_they_fit(text: str, entries: int, n_features: int) -> None:
    features = ks.KernelFeatures(text, n_features=n_features, side="both", random_state=0).fit(MANY)
    fmap = features.feature_map_
    assert fmap.plan.chosen.entries == entries
    assert "has all their products as features" in fmap.plan.exactness
    assert f"exact: {fmap.plan.exactness}" in fmap.explain()
    assert (fmap.plan.chosen.error, fmap.plan.chosen.variance, fmap.predicted_error(MANY)) == (0, 0, 0)
    left, right = (
        side if isinstance(side, np.ndarray) else side.toarray() for side in (fmap.left(MANY), fmap.right(MANY))
    )
    expected = ks.parse(text).gram(MANY)
    np.testing.assert_allclose((left * fmap.signs) @ right.T, expected, atol=1e-13 * np.abs(expected).max())


@pytest.mark.slow
@pytest.mark.parametrize("degree", [2, 3, 4])
@pytest.mark.parametrize("n_features", [32, 64, 1024, "auto"])
def test_a_polynomial_is_fitted(degree: int, n_features: int | Literal["auto"]) -> None:
    x = np.random.default_rng(0).standard_normal((200, 1))
    y = 1 + 2 * x[:, 0] - x[:, 0] ** 2
    error = 0.01 if n_features == "auto" else None
    features = ks.KernelFeatures(
        f"(linear() + constant())**{degree}", n_features=n_features, error=error, random_state=1
    )
    Z = features.fit_transform(x)
    assert Z.shape == (200, degree + 1)
    assert Ridge(1e-9).fit(Z, y).score(Z, y) == pytest.approx(1)


def test_several_frequencies_have_no_random_offsets() -> None:
    """One offset for all features of a sample would correlate their errors: the formulas say nothing of that."""
    plan = ks.compile("(cosine(by=1)[0] + linear()[1])**2 + gaussian()[2]", dim=3, n_features=64).plan
    exact = [one for one in (plan.chosen, *plan.alternatives) if "exact" in one.schemes]
    assert {one.form for one in exact} == {"paired"}
    assert {one.form for one in plan.alternatives} == {"paired", "phase"}


def test_without_data_too() -> None:
    fmap = ks.compile("(linear() + constant()) ** 2", dim=2)
    assert fmap.n_columns == 6
    assert fmap.plan.chosen.variance == 0
    for dim, exactly in ((43, True), (44, False)):  # 990 and 1,035 products
        assert bool(ks.compile("(linear() + constant()) ** 2", dim=dim).plan.exactness) is exactly


def test_a_list_of_features_has_at_most_1024_keys() -> None:
    """Of 44 columns there are 990 products of one or two, of 45 columns 1,035."""
    for width, listed in ((44, True), (45, False)):
        text = f"({' + '.join(f'match()[{i}]' for i in range(width))})**2"
        found = exact(kernel_of(text, width))
        assert (found is not None) == listed
        assert found is None or len(found.parts()) == width * (width + 1) // 2


def test_terms_that_do_not_fit_are_sampled_and_the_others_stay_exact() -> None:
    plan = ks.compile("linear() + 1e-5*(linear() + constant()) ** 4 + 0.1*gaussian()", dim=30, n_features=512).plan
    kinds = {type(stratum.law) for stratum, _ in plan.parts}
    assert ExactFeaturesLaw in kinds
    assert plan.chosen.schemes == ("exact", None, None)
    assert not plan.exactness
    assert plan.chosen.variance > 0


GENERATOR = np.random.default_rng(3)
X_OF_FINITE_FEATURES = np.column_stack([GENERATOR.standard_normal((12, 2)), GENERATOR.integers(0, 2, (12, 2))])
"""Two columns of numbers, and two that hold 0 and 1: numbers as well as categories."""


def evaluated(features: dict[Feature, float], x: np.ndarray, y: np.ndarray) -> float:
    """Σ c m(x) m(y), from what a feature says that it is."""
    total = 0.0
    for feature, coefficient in features.items():
        value = coefficient * float(all(x[i] == y[i] for i in feature.compared))
        value *= np.cos(sum(entry * (x[i] - y[i]) for i, entry in feature.wave))
        for read in feature.reads:
            if isinstance(read, UnitColumn):
                norms = (np.linalg.norm(row[list(read.among)]) for row in (x, y))
                value *= x[read.position] * y[read.position] / np.prod(list(norms))
            else:
                value *= x[read] * y[read]
        total += value
    return total


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("linear()", 4),
        ("(linear()[0] + constant()) ** 4", 5),
        ("(linear()[0, 1] + 2*constant()) ** 2", 6),
        ("(linear() + constant()) ** 3", comb(7, 3)),
        ("mean(linear()[0], constant()) * mean(linear()[1], constant())", 4),
        ("mean(linear()[0], match()[2]) * mean(linear()[0], match()[2])", 3),
        ("(match()[2] + match()[3] + constant()) ** 2", 4),  # 1, c, d and cd: equality is idempotent
        ("(linear()[0, 1] + constant()) ** 2 - linear()[0, 1] ** 2", 3),
        ("(linear()[0] - constant()) ** 3", 4),
        ("cosine(by=2)[0] * cosine(by=2)[0]", 2),  # ½ and ½ cos(4Δ)
        ("(cosine(by=2)[0] + linear()[1]) ** 2", 4),
        ("(periodic(period=1, scale=2)[0] + constant()) * linear()[1]", 11),
        ("(normalize(linear())[0, 1] + constant()) ** 2", 6),
        ("dual(polynomial(coefficients=[1, 2, 1]), normalize(linear()))[0, 1]", 6),
        ("dual(hermite(3), normalize(linear()))[0, 1] * noise()[0]", 4),
    ],
)
def test_the_features_sum_to_the_kernel_of(text: str, count: int) -> None:
    found = finite_features(kernel_of(text, 4))
    assert found is not None
    assert len(found) == count
    expected = ks.parse(text).gram(X_OF_FINITE_FEATURES)
    estimate = [[evaluated(dict(found), x, y) for y in X_OF_FINITE_FEATURES] for x in X_OF_FINITE_FEATURES]
    np.testing.assert_allclose(estimate, expected, atol=1e-12 * np.abs(expected).max())


@pytest.mark.parametrize(
    "text",
    [
        "gaussian()",
        "linear() + laplace()",
        "linear() * gaussian()",
        "minmax()",
        "stretch(gaussian(), 2)",
        "shift(gaussian(), by=1)",
        "tilt(gaussian(), by=1)",
        "dual(relu, sphere())",
        "dual(hermite(2), sphere(), max_degree=1)",
        "full(relu, input=image(2, 2, 1, base=circle()))",
    ],
)
def test_others_have_no_finite_list(text: str) -> None:
    assert finite_features(kernel_of(text, 4)) is None


def test_a_list_that_is_too_long_is_not_formed() -> None:
    assert finite_features(kernel_of("linear() ** 2", 1000)) is None
    assert finite_features(kernel_of("(linear() + constant()) ** 100", 40)) is None
    found = finite_features(kernel_of("linear() ** 2", 200))
    assert found is not None
    assert len(found) == comb(201, 2)


def test_what_cancels_is_left_out() -> None:
    assert finite_features(kernel_of("(linear()[0] + constant()) * (linear()[0] - constant())", 4)) == {
        Feature(): -1,
        Feature(reads=(0, 0)): 1,
    }
    assert finite_features(kernel_of("linear()[0]**2 - linear()[0]*linear()[0]", 4)) == {}
