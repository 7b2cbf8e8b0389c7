"""Features of kernels whose samples compare different columns, or none: their mean and spread are as promised."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import kernelspec as ks
from kernelspec.errors import PlanError
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.laws.sums_and_products import MixtureLaw
from kernelspec.maps.feature_map import FeatureMap, draw_map
from kernelspec.maps.learned_columns import CategoryBlocks
from kernelspec.testing.assertions import assert_deviations
from kernelspec.testing.laboratory import assert_mean
from kernelspec.verification.judgement import estimate_fourth_moment
from kernelspec.verification.statistics import Deviations
from tests.thoroughness import half

FITTED = pd.DataFrame(
    {
        "c": list("ppqqprqp"),
        "d": list("uvuvuuvu"),
        "x": [0.1, 0.4, 0.1, -0.9, 0.3, 1.2, 0.4, 0.1],
        "z": [1.0, 2.0, 1.0, 0.5, 0.3, 2.2, 1.0, 1.0],
    }
)
NEW = pd.DataFrame({"c": list("psstq"), "d": list("uwwuv"), "x": [0.1, 0.4, 0.2, -0.3, 0.4], "z": [1, 1, 0.8, 1, 2.0]})
"""Rows with categories that no fitted row has, some of them twice."""

BOTH = pd.concat([FITTED, NEW], ignore_index=True)

OPTIONS: dict[str, dict[str, Any]] = {
    "auto": {},
    "phase": {"method": "phase"},
    "complex": {"method": "complex"},
    "dense": {"storage": "dense", "buckets": 8},
    "sparse": {"storage": "sparse"},
    "exact": {"keys": "exact"},
    "hashed": {"keys": "hashed", "buckets": 8},
    "bits": {"keys": "bits", "bits": 3},
}

ISSUE = "mean(match()[c], constant())*match()[d]"
SAMPLED = "mean(match()[c], gaussian()[x])*match()[d]"
"""A neighbour that has no finite list of features."""

PARTIAL = [
    "mean(match()[c], constant())*mean(match()[d], constant())",
    "mean(match()[c], gaussian()[x])*match()[d]",
    "mean(match()[c], linear()[x])*match()[d]",
    "mean(match()[c], noise()[x, z])*match()[d]",
    "mean(match()[c], match()[d])*gaussian()[x]",
    "mean(minmax()[x, z], constant())*match()[d]",
    "(0.5*match()[c] + constant())**2*match()[d]",
    "mean(match()[c], constant())*gaussian()[x]",
    "match()[d]*(2*match()[c] - constant())",
    "shift_gaussian(by=0.5)[x]*match()[d]*mean(match()[c], constant())",
    "tilt(gaussian()[x], by=[0, 0, 0.3, 0])*mean(match()[c], constant())*match()[d]",
    "mean(match()[c], mean(match()[c, d], constant())*match()[d])*mean(gaussian()[x], constant())",
]
LEAVES = (
    "match()[c]",
    "match()[d]",
    "match()[c, d]",
    "constant()",
    "gaussian()[x]",
    "linear()[x]",
    "noise()[x, z]",
    "minmax()[x, z]",
    "laplace()[z]",
)


def written(generator: np.random.Generator, depth: int) -> str:
    """A random kernel of sums, means, products and powers."""
    if not depth or generator.random() < 0.15:
        return str(generator.choice(LEAVES))
    first, second = written(generator, depth - 1), written(generator, depth - 1)
    forms: tuple[Callable[[], str], ...] = (
        lambda: f"({first})*({second})",
        lambda: f"({first})*mean({second}, {written(generator, depth - 1)})",
        lambda: f"mean({first}, {second})",
        lambda: f"(0.5*({first}) + 2*({second}))",
        lambda: f"(2*({first}) - 0.5*({second}))",
        lambda: f"(mean({first}, {second}))**2",
    )
    return forms[generator.integers(len(forms))]()


def products(fmap: FeatureMap) -> np.ndarray:
    """Inner products of the features of all rows: of `transform` itself where one set of features is the estimate."""
    if fmap.is_one_sided and not fmap.constant_columns:
        features: Any = fmap.transform(BOTH)
        found: Any = features @ features.conj().T
    else:
        left, right = fmap.left(BOTH), fmap.right(BOTH)
        found = (left * fmap.signs) @ right.conj().T
    return np.asarray(found if isinstance(found, np.ndarray) else found.toarray()).real.ravel()


def check(text: str, option: str, n_maps: int = 40) -> None:
    """Maps of one plan, seed by seed: the mean of their features' products, and how these vary about it."""
    options = OPTIONS[option]
    independent: dict[str, Any] = {
        "draws": "independent",
        "landmarks": "never",
    }  # others have no formula
    try:
        plan = ks.compile(text, data=FITTED, n_features=32, **independent, **options).plan
    except PlanError:  # bits are columns for samples of keys alone
        if option != "bits":
            raise
        return
    exact, estimates, variances = ks.parse(text).gram(BOTH), [], []
    for seed in range(n_maps):
        fmap = draw_map(replace(plan, seed=seed))
        fmap = fmap.with_columns(FITTED) if option == "exact" else fmap
        assert fmap.unbiased
        estimates.append(products(fmap))
        if option == "exact" or not seed:  # what new keys add depends on the keys of the map
            variances.append(fmap.predicted_variance(BOTH).ravel())
    rows = plan.layout.read(BOTH)
    fourth = estimate_fourth_moment(plan, NumericPairs(rows, rows), plan.collisions).ravel()
    fourth = np.full_like(fourth, np.inf) if option == "exact" else fourth
    size = np.full(exact.size, max(np.abs(exact).max(), 1.0))
    errors, rounding = np.array(estimates) - exact.ravel(), 4e-15 * size**2
    kept = Deviations(errors, np.mean(variances, axis=0), rounding, fourth)
    assert_deviations(kept, exact.ravel(), size, budget=1e-9, what=f"{text}, {option}", of="maps")


@pytest.mark.slow
@pytest.mark.parametrize("option", OPTIONS)
def test_a_product_that_compares_two_columns_or_one(option: str) -> None:
    check(ISSUE, option)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "option"),
    [
        pytest.param(text, option, marks=[pytest.mark.long] if (number + turn) % 6 else [])
        for number, text in enumerate(PARTIAL)
        for turn, option in enumerate(OPTIONS)
    ],
)
def test_products_that_compare_different_columns(text: str, option: str) -> None:
    check(text, option)


def test_a_random_kernel() -> None:
    compare_random_kernel(0)


@pytest.mark.long
@pytest.mark.parametrize("seed", half(range(1, 50)))
def test_random_kernels(seed: int) -> None:
    compare_random_kernel(seed)


def compare_random_kernel(seed: int) -> None:
    generator = np.random.default_rng(seed)
    text = written(generator, 2 + seed % 2)
    for option in generator.choice(sorted(OPTIONS), 2, replace=False):
        check(text, str(option))


@pytest.mark.parametrize("text", [ISSUE, *(pytest.param(text, marks=pytest.mark.long) for text in PARTIAL[:3])])
@pytest.mark.filterwarnings("ignore::kernelspec.models.features.UnmetKeysWarning")
def test_the_estimator_with_every_default(text: str) -> None:
    """The mean over 16 estimators, by its own standard error, at a budget of 1e-6 for all pairs of rows."""
    exact, estimates = ks.parse(text).gram(BOTH).ravel(), []
    for seed in range(16):
        features: Any = ks.KernelFeatures(text, random_state=seed).fit(FITTED).transform(BOTH)
        estimates.append((features @ features.T).toarray().ravel())
    assert_mean(np.array(estimates), exact, what=text)


def test_the_three_rows_of_the_issue() -> None:
    """k of (p, u) and (q, u) is ½: the same second category, and half of a constant."""
    rows = pd.DataFrame({"c": list("ppq"), "d": list("uvu")})
    plan = ks.compile(ISSUE, data=rows, n_features=32, landmarks="never", draws="independent").plan
    maps = [draw_map(replace(plan, seed=seed)) for seed in range(64)]
    features: list[Any] = [fmap.transform(rows) for fmap in maps]
    assert_mean([(z @ z.T)[0, 2] for z in features], [0.5])
    assert_mean([fmap.approximate(rows)[0, 2] for fmap in maps], [0.5])


@pytest.mark.slow
def test_the_fault_is_found_when_it_is_put_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """A mixture that ignores its parts without keys, as it did: refused when it is drawn, and else found as a bias."""

    def without_keyless_parts(law: MixtureLaw, columns: tuple[int, ...]) -> Any:
        return frozenset().union(*(part.compared(columns) or () for part in law.parts if part.has_key))

    monkeypatch.setattr(MixtureLaw, "compared", without_keyless_parts)
    with pytest.raises(ValueError, match="keys use columns"):
        check(SAMPLED, "auto")
    monkeypatch.setattr(CategoryBlocks, "check", lambda self, part: None)
    for option in ("auto", "exact"):  # dense features have no keys here
        with pytest.raises(AssertionError, match="mean of"):
            check(SAMPLED, option)


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("match()[a, b, c]", "auto"),
        pytest.param("match()[a, b, c]", "exact", marks=pytest.mark.long),
        pytest.param("noise()[x]", "auto", marks=pytest.mark.long),
        ("gaussian()[x]*match()[a]", "auto"),
        pytest.param("mean(match()[a], match()[b], match()[c])", "auto", marks=pytest.mark.long),
        pytest.param("noise()[x]*match()[a]", "exact", marks=pytest.mark.long),
        pytest.param("0.5*match()[a, b] + 0.3*gaussian()[x]*match()[c]", "auto", marks=pytest.mark.long),
    ],
)
@pytest.mark.filterwarnings("ignore::kernelspec.models.features.UnmetKeysWarning")
def test_predicted_errors_count_the_columns_that_new_categories_share(text: str, keys: Any) -> None:
    """24 rows fitted, 6 others asked for: the mean square over 64 estimators, at a budget of 1e-6 for each kernel."""
    generator = np.random.default_rng(0)

    def table(n: int, levels: int) -> pd.DataFrame:
        names = {name: generator.choice([f"v{i}" for i in range(levels)], n) for name in "abc"}
        return pd.DataFrame({**names, "x": generator.standard_normal(n)})

    fitted = table(24, 3)
    rows = pd.concat([fitted, table(6, 9)], ignore_index=True)
    exact, squares, predicted = ks.parse(text).gram(rows), [], []
    for seed in range(64):
        estimator = ks.KernelFeatures(text, n_features=32, keys=keys, draws="independent", random_state=seed).fit(
            fitted
        )
        features: Any = estimator.transform(rows)
        squares.append(np.square((features @ features.T).toarray() - exact).sum())
        predicted.append(estimator.feature_map_.predicted_error(rows))
        assert estimator.feature_map_.predicted_error(rows, hashed=False) < predicted[-1]
    assert min(predicted) > 0.02
    assert_mean(squares, [np.mean(np.square(predicted)) * np.square(exact).sum()], what=text)
