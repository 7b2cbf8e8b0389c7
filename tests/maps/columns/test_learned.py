"""Tests of `maps/learned_columns.py`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.errors import PlanError
from kernelspec.maps.feature_map import draw_map
from kernelspec.maps.learned_columns import CategoryBlocks, Exact
from kernelspec.planning.options import Method
from kernelspec.testing.laboratory import assert_mean
from tests.laboratory import assert_variance
from tests.maps.parts import there_and_back
from tests.thoroughness import sweep

RNG = np.random.default_rng(0)
X = np.column_stack([RNG.standard_normal((40, 2)), RNG.integers(0, 3, 40), RNG.integers(0, 2, 40)])
NEW = np.column_stack([0.5 * RNG.standard_normal((7, 2)), [0, 1, 8, 8, 9, 10, 0], [0, 1, 0, 0, 1, 1, 5]])
TEXT = "0.5 * gaussian()[0:2] * match()[2] + 0.3 * match()[2, 3] + 0.2 * laplace()[0] - 0.1 * cauchy()[1] * match()[3]"


def products(fmap: Any, x: Any, y: Any) -> np.ndarray:
    left, right = fmap.left(x), fmap.right(y)
    return np.asarray(((left * fmap.signs) @ right.conj().T).toarray().real)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["paired", "phase", "complex"])
def test_inner_products_are_the_estimate_on_rows_that_were_met(method: Method) -> None:
    fmap = ks.compile(TEXT, data=X, n_features=60, method=method)
    assert fmap.unbiased
    assert np.abs(products(fmap, X, X[::-1]) - fmap.approximate(X, X[::-1])).max() <= 1e-14
    assert len(set(fmap.names())) == fmap.n_columns
    assert fmap.count_unmet(X) == 0
    assert not fmap.left(X).toarray()[:, fmap.shared_columns].any()  # type: ignore[union-attr]


def test_one_column_a_category_and_a_few_for_others() -> None:
    fmap = ks.compile("match()[2]", data=X)
    assert fmap.n_columns == 3 + 4
    features: Any = fmap.transform(X)
    assert features.nnz == len(X)
    assert np.array_equal((features @ features.T).toarray(), np.equal.outer(X[:, 2], X[:, 2]))
    assert fmap.predicted_error(X) == 0
    assert fmap.plan.chosen.error == 0


def test_a_product_is_a_block_of_columns_a_category() -> None:
    fmap = ks.compile("gaussian()[0:2] * match()[2]", data=X, n_features=30, method="paired")
    assert fmap.n_columns == (3 + 1) * 30
    features: Any = fmap.transform(X)
    features.check_format(full_check=True)
    blocks = features.indices.reshape(40, 30) // 30
    assert (blocks == blocks[:, :1]).all()
    assert np.array_equal(np.equal.outer(blocks[:, 0], blocks[:, 0]), np.equal.outer(X[:, 2], X[:, 2]))
    np.testing.assert_allclose(np.square(features.data.reshape(40, 30)).sum(axis=1), 1, rtol=1e-13)


@pytest.mark.slow
def test_nothing_depends_on_the_order_of_rows_or_on_pieces() -> None:
    fmap = ks.compile(TEXT, data=X, n_features=60)
    order = RNG.permutation(len(X))
    again = ks.compile(TEXT, data=X[order], n_features=60)
    assert fmap.plan.categories == again.plan.categories
    assert len(fmap.plan.categories.met) == 3
    both = np.concatenate([X, NEW])
    whole: Any = fmap.transform(both, side="left")
    pieces: list[Any] = [fmap.transform(both[i : i + 9], side="left") for i in range(0, len(both), 9)]
    assert np.array_equal(np.concatenate([piece.toarray() for piece in pieces]), whole.toarray())


@pytest.mark.slow
@pytest.mark.parametrize("method", ["paired", pytest.param("phase", marks=pytest.mark.long)])
def test_categories_that_are_not_known_are_unbiased_with_the_variance_predicted(method: Method, thorough: bool) -> None:
    fmap = ks.compile(TEXT, data=X, n_features=40, method=method)
    assert fmap.count_unmet(NEW) > 0
    maps = [draw_map(replace(fmap.plan, seed=seed)) for seed in range(6000 if thorough else 200)]
    upper = np.triu_indices(len(NEW))
    estimates = np.stack([products(one, NEW, NEW)[upper] for one in maps])
    assert_mean(estimates, ks.parse(TEXT).gram(NEW)[upper])
    predicted = fmap.predicted_variance(NEW)[upper]
    compared = fmap.predicted_variance(NEW, hashed=False)[upper]
    assert (predicted > compared + 1e-6).sum() > 5
    varying = predicted > 1e-12
    assert_variance(estimates[:, varying], predicted[varying])
    assert np.abs(estimates - ks.parse(TEXT).gram(NEW)[upper])[:, ~varying].max(initial=0) <= 1e-12


def test_rows_of_one_unknown_category_agree_exactly() -> None:
    fmap = ks.compile("gaussian()[0:2] * match()[2]", data=X, n_features=16)
    same = NEW[[2, 3]]
    assert np.abs(products(fmap, same, same) - fmap.approximate(same)).max() <= 1e-14
    assert (np.diff(fmap.transform(NEW).indptr) == 16).all()  # type: ignore[union-attr]  # no row is empty
    assert fmap.count_unmet(NEW) == 4 * fmap.plan.chosen.counts[0]


def test_both_sides_of_an_asymmetric_product() -> None:
    fmap = ks.compile("shift_gaussian(by=1)[0] * match()[2]", data=X, n_features=40)
    assert np.abs(products(fmap, X, NEW) - fmap.approximate(X, NEW)).max() <= 1e-14
    features: Any = fmap.transform(X, side="both")
    assert features.shape == (40, len(fmap.names("both")))


@pytest.mark.slow
def test_tilts_and_amplitudes_stand_in_the_blocks() -> None:
    fmap = ks.compile("tilt(match()[2] * gaussian()[0, 1], by=[0.2, -0.1, 0, 0])", data=X, n_features=40)
    assert np.abs(products(fmap, X, X) - fmap.approximate(X)).max() <= 1e-13
    duals = ks.compile("dual(step, sphere())[0, 1] * match()[2]", data=_unit(X), n_features=40, method="neurons")
    assert isinstance((duals.occupied or (None,))[0], CategoryBlocks)
    assert np.abs(products(duals, _unit(X), _unit(X)) - duals.approximate(_unit(X))).max() <= 1e-13


@pytest.mark.slow
def test_float32_rows_have_float32_features() -> None:
    fmap = ks.compile(TEXT, data=X, n_features=60)
    single: Any = fmap.left(X.astype(np.float32))
    assert single.dtype == np.float32
    assert np.abs(single.toarray() - fmap.left(X).toarray()).max() < 1e-5  # type: ignore[union-attr]


def test_what_a_saved_map_may_hold() -> None:
    fmap = ks.compile("gaussian()[0:2] * match()[2]", data=X, n_features=8)
    (part,), (own,) = fmap.keyed, fmap.occupied or ()
    assert isinstance(own, CategoryBlocks)
    assert there_and_back(own) == own
    with pytest.raises(ValueError, match="invalid number of shared blocks: 0"):
        replace(own, shared=0).validate()
    other = CategoryBlocks(replace(own.known, positions=(3,)), 1)
    with pytest.raises(ValueError, match="keys use columns"):
        other.check(part)
    with pytest.raises(ValueError, match="keys use columns"):
        replace(fmap, occupied=(other,)).validate()
    with pytest.raises(ValueError, match="categories belong to columns"):
        replace(fmap.plan.strata[0], known=other.known).validate()


def test_columns_learnt_afterwards_leave_the_categories_alone() -> None:
    fmap = ks.compile("match()[2] + laplace()[0]", data=X, n_features=12, method="binning")
    learnt = fmap.with_columns(X)
    kinds = [type(own).__name__ for own in learnt.occupied or ()]
    assert sorted(kinds) == ["CategoryBlocks", "Exact"]
    assert np.abs(products(learnt, X, X) - fmap.approximate(X)).max() <= 1e-14


def _unit(rows: np.ndarray) -> np.ndarray:
    turned = rows.copy()
    turned[:, :2] /= np.linalg.norm(rows[:, :2], axis=1)[:, None]
    return turned


EXACT_TEXT = "gaussian()[0:2] * match()[2] + 0.5 * match()[2] + laplace()"
GENERATOR = np.random.default_rng(0)
SEEN = np.column_stack([GENERATOR.standard_normal((25, 2)), GENERATOR.integers(0, 4, 25)])
UNSEEN = np.column_stack([GENERATOR.standard_normal((10, 2)), np.full(10, 9.0)])


@pytest.mark.parametrize("method", ["paired", "phase", "complex"])
def test_inner_products_are_the_estimate_on_rows_that_were_met_exact_columns(method: Method) -> None:
    fmap = ks.compile(EXACT_TEXT, dim=3, n_features=40, method=method, keys="exact").with_columns(SEEN)
    left, right = fmap.left(SEEN), fmap.right(SEEN[::-1])
    assert left.shape == (25, fmap.n_columns)
    products = ((left * fmap.signs) @ right.conj().T).toarray().real  # type: ignore[union-attr]
    assert np.abs(products - fmap.approximate(SEEN, SEEN[::-1])).max() <= 1e-13
    assert len(set(fmap.names())) == fmap.n_columns
    assert fmap.unbiased


def test_unmet_keys_share_columns_and_are_counted() -> None:
    fmap = ks.compile("gaussian()[0:2] * match()[2]", dim=3, n_features=16, method="paired").with_columns(SEEN)
    (part,) = fmap.keyed
    new = np.concatenate([SEEN[:3], UNSEEN])
    assert fmap.count_unmet(new) == len(UNSEEN) * len(part)
    features = fmap.transform(new)
    assert np.array_equal(np.diff(features.indptr), [16] * 13)  # type: ignore[union-attr]
    shared = fmap.shared_columns
    assert shared.sum() == 16
    assert not features[:3].toarray()[:, shared].any()  # type: ignore[union-attr]
    assert not features[3:].toarray()[:, ~shared].any()  # type: ignore[union-attr]
    # rows of one key that was not met have the same signs
    products = (features[3:] @ features[3:].T).toarray()  # type: ignore[union-attr]
    assert np.abs(products - fmap.approximate(UNSEEN)).max() <= 1e-12


def test_without_shared_columns_keys_that_were_not_met_are_lost() -> None:
    learnt = ks.compile("match()", dim=3, n_features=1, keys="exact").with_columns(SEEN)
    (own,) = learnt.occupied or ()
    assert isinstance(own, Exact)
    fmap = replace(learnt, occupied=(replace(own, shared=0),))
    features = fmap.transform(UNSEEN)
    assert features.shape == (10, 25)
    assert features.nnz == 0  # type: ignore[union-attr]
    assert not fmap.unbiased
    assert "biased low" in fmap.explain()
    assert learnt.transform(UNSEEN).shape == (10, 29)
    assert learnt.transform(UNSEEN).nnz == 10  # type: ignore[union-attr]


@pytest.mark.slow
@pytest.mark.parametrize("method", sweep(["paired", "phase", "binning"], every=3))
def test_unmet_keys_are_unbiased_with_the_variance_predicted(method: Method, thorough: bool) -> None:
    text = "gaussian()[0] * match()[2] + laplace()[1]" if method == "binning" else "gaussian()[0] * match()[2]"
    rng = np.random.default_rng(5)
    new = np.column_stack([0.4 * rng.standard_normal((6, 2)), [0, 1, 8, 8, 9, 10]])
    exact = ks.parse(text).gram(new)
    products, predicted = [], []
    plan = ks.compile(text, data=SEEN, n_features=8, method=method, keys="exact").plan
    for seed in range(4000 if thorough else 300):
        fmap = draw_map(replace(plan, seed=seed)).with_columns(SEEN)
        features: Any = fmap.transform(new)
        products.append((features @ features.T).toarray())
        predicted.append(fmap.predicted_variance(new, hashed=True))
    upper = np.triu_indices(6)
    estimates, variance = np.stack(products)[:, upper[0], upper[1]], np.mean(predicted, axis=0)[upper]
    assert_mean(estimates, exact[upper], what=text)
    varying = variance > 1e-12
    assert varying.sum() > 5
    assert_variance(estimates[:, varying], variance[varying], what=text)


def test_every_column_has_the_sign_of_its_sample() -> None:
    learnt = ks.compile("(gaussian() - 0.5 * laplace()) * match()[2]", dim=3, n_features=40).with_columns(SEEN)
    assert set(learnt.signs) == {-1.0, 1.0}
    products = ((learnt.left(SEEN) * learnt.signs) @ learnt.right(SEEN).conj().T).toarray().real  # type: ignore[union-attr]
    assert np.abs(products - learnt.approximate(SEEN)).max() <= 1e-13


def test_columns_must_be_learnt_first() -> None:
    fmap = ks.compile(EXACT_TEXT, dim=3, n_features=40, keys="exact")
    for ask in (fmap.transform, fmap.left, fmap.right):
        with pytest.raises(PlanError, match=r"with_columns\(X\)"):
            ask(SEEN)
    assert fmap.approximate(SEEN).shape == (25, 25)
    assert fmap.predicted_error(SEEN) > 0
    assert "learned from data later" in fmap.explain()


def test_a_map_without_keys_is_itself() -> None:
    fmap = ks.compile("gaussian()", dim=3)
    assert fmap.with_columns(SEEN) is fmap
    assert fmap.unbiased
