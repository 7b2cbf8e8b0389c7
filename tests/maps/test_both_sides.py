"""Asymmetric and indefinite maps: sides, signs, the concatenated map, files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.errors import PlanError
from kernelspec.planning.methods import Method
from kernelspec.testing.assertions import assert_unbiased

X = np.random.default_rng(0).standard_normal((7, 3))
Y = np.random.default_rng(1).standard_normal((4, 3))
TEXTS = [
    "shift_gaussian(scale=1.5, by=[0.5, 1, -0.7])",
    "sinh_gaussian(scale=1.5, by=0.2)",
    "cosh_gaussian(scale=1.5, by=0.2)",
    "shift(laplace(2), by=0.5) * match()[2]",
    "tilt(laplace(2), by=0.2)[0, 1, 2] + match()[2]",
]


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("form", ["paired", "phase", "complex"])
def test_left_signs_right_is_the_estimate(text: str, form: Method) -> None:
    feature_map = ks.compile(text, dim=3, n_features=240, method=form)
    left, right = feature_map.left(X), feature_map.right(Y)
    if feature_map.is_sparse:
        return  # hashed: tested in the mean elsewhere
    product = (left * feature_map.signs) @ np.conj(right).T
    np.testing.assert_allclose(product.real, feature_map.approximate(X, Y), rtol=1e-10, atol=1e-12)


SCHEMES: list[tuple[str, Method]] = [
    (text, method)
    for text, methods in (
        ("shift_gaussian(scale=0.5, by={v})", ("polar", "jordan", "rejection")),
        ("cosh_gaussian(scale=2.2, by={v})", ("polar", "jordan", "rejection", "rows")),
        ("sinh_gaussian(scale=1.4, by={v})", ("polar", "jordan", "rejection", "rows", "shifts")),
        ("shift(laplace(3), by={v})", ("polar", "binning")),
        ("tilt(laplace(3), by={v})", ("paired", "binning")),
    )
    for method in methods
]


@pytest.mark.slow
@pytest.mark.parametrize("dim", [1, 3, *(pytest.param(dim, marks=pytest.mark.long) for dim in (2, 7))])
@pytest.mark.parametrize(("text", "method"), SCHEMES)
def test_unbiased_in_both_orders_with_the_variance_predicted(
    text: str, method: Method, dim: int, thorough: bool
) -> None:
    """By default as many samples, in fewer maps with more of each."""
    by = [round(0.35 - 0.1 * i, 2) for i in range(dim)]
    rows = np.random.default_rng(dim).uniform(-1, 1, (4, dim))
    n_features, n_maps = (24, 2000) if thorough else (40, 130)
    assert_unbiased(text.format(v=by), rows, method=method, n_features=n_features, n_maps=n_maps, budget=1e-8)


@pytest.mark.slow
@pytest.mark.parametrize("text", TEXTS)
def test_one_side_alone_is_refused_with_the_way_out(text: str) -> None:
    feature_map = ks.compile(text, dim=3, n_features=60)
    assert not feature_map.is_one_sided
    with pytest.raises(PlanError, match=r'asymmetric: .* left\(X\), right\(Y\) and signs; .*side="both"'):
        feature_map.transform(X)
    with pytest.raises(PlanError, match="indefinite"):
        ks.compile("gaussian() - 0.5 * laplace()", dim=3, n_features=60).transform(X)
    for side in ("left", "right"):
        expected = getattr(feature_map, side)(X)
        found = feature_map.transform(X, side=side)  # type: ignore[arg-type]
        assert np.array_equal(_dense(found), _dense(expected))


@pytest.mark.parametrize("text", TEXTS)
def test_both_sides_side_by_side(text: str) -> None:
    feature_map = ks.compile(text, dim=3, n_features=60, buckets=16)
    both, left, right = (
        _dense(m) for m in (feature_map.transform(X, side="both"), feature_map.left(X), feature_map.right(X))
    )
    sided = feature_map.sided
    assert both.shape[1] == feature_map.n_columns + sided.sum() == len(feature_map.names("both"))
    np.testing.assert_allclose(both[:, : feature_map.n_columns], left * np.where(sided, np.sqrt(0.5), 1), rtol=1e-12)
    np.testing.assert_allclose(both[:, feature_map.n_columns :], right[:, sided] * np.sqrt(0.5), rtol=1e-12)
    assert np.array_equal(left[:, ~sided], right[:, ~sided])
    # the kernel's estimate is a bilinear form of these features
    form = np.zeros((both.shape[1],) * 2)
    place = np.cumsum(sided) - 1 + feature_map.n_columns
    for column, (sign, two) in enumerate(zip(feature_map.signs, sided, strict=True)):
        form[column, place[column] if two else column] = 2 * sign if two else sign
    if not feature_map.is_sparse:
        np.testing.assert_allclose(both @ form @ both.T, feature_map.approximate(X), atol=1e-10)


def test_a_symmetric_spec_has_equal_sides() -> None:
    for text in ("gaussian()", "laplace() * match()[2]", "gaussian() - laplace()", "shift(laplace(), 0)"):
        feature_map = ks.compile(text, dim=3, n_features=60)
        assert not feature_map.sided.any()
        assert np.array_equal(_dense(feature_map.left(X)), _dense(feature_map.right(X)))
        assert np.array_equal(_dense(feature_map.transform(X, side="both")), _dense(feature_map.left(X)))


@pytest.mark.parametrize(("text", "turned"), [
    ("shift_gaussian(scale=1.5, by=0.5)", "shift_gaussian(scale=1.5, by=-0.5)"),
    ("shift(laplace(), 0.5)", "shift(laplace(), -0.5)"),
    ("cosh_gaussian(by=0.2)", "cosh_gaussian(by=-0.2)"),
])  # fmt: skip
def test_the_transposed_kernel_swaps_left_and_right(text: str, turned: str) -> None:
    # the same frequencies negated: k(y, x) = E conj p(x, y), so left of one is the conjugate of right of the other
    method: Method = "complex"
    one, other = (ks.compile(t, dim=3, n_features=200, method=method) for t in (text, turned))
    np.testing.assert_allclose(ks.parse(turned).gram(Y, X).T, ks.parse(text).gram(X, Y), rtol=1e-12)
    left, right = one.left(X), one.right(Y)
    np.testing.assert_allclose(np.abs(left), np.abs(other.left(X)), rtol=1e-12)
    mean = (one.approximate(X, Y) - ks.parse(text).gram(X, Y)) / np.sqrt(one.predicted_variance(X, Y, hashed=False))
    back = (other.approximate(Y, X).T - ks.parse(text).gram(X, Y)) / np.sqrt(
        other.predicted_variance(Y, X, hashed=False).T
    )
    np.testing.assert_allclose(one.predicted_variance(X, Y), other.predicted_variance(Y, X).T, rtol=1e-10)
    assert max(np.abs(mean).max(), np.abs(back).max()) < 6
    swapped = (np.conj(right) @ left.T * 1).real  # right and left exchanged, frequencies negated
    np.testing.assert_allclose(swapped.T, one.approximate(X, Y), rtol=1e-9, atol=1e-12)


def test_a_kernel_less_itself_is_zero() -> None:
    feature_map = ks.compile("shift_gaussian(by=1) - shift(gaussian(), by=1)", dim=3, n_features=10)
    assert feature_map.n_columns == 1
    assert not feature_map.transform(X).any()


@pytest.mark.parametrize("text", TEXTS)
def test_saved_and_loaded(text: str, tmp_path: Path) -> None:
    method: Method = "rows" if "osh" in text or "sinh" in text else "auto"
    feature_map = ks.compile(text, dim=3, n_features=120, method=method)
    feature_map.save(tmp_path / "map.npz")
    loaded = ks.load_map(tmp_path / "map.npz")
    assert np.array_equal(loaded.approximate(X, Y), feature_map.approximate(X, Y))
    assert np.array_equal(_dense(loaded.right(Y)), _dense(feature_map.right(Y)))
    assert loaded.explain() == feature_map.explain()


@pytest.mark.slow
def test_terms_of_one_sample_have_columns_of_their_own() -> None:
    # three terms of a sinh sample times a key: the keys agree, the columns must not be shared
    text = "sinh_gaussian(scale=1.5, by=0.3) * match()[2]"
    rows = np.random.default_rng(3).integers(0, 2, (5, 3)).astype(float)
    assert_unbiased(text, rows, method="rows", n_features=24, n_maps=200, budget=1e-8)
    assert_unbiased(text, rows, method="rows", n_features=24, n_maps=200, budget=1e-8, hashed=True)
    feature_map = ks.compile(text, dim=3, n_features=24, method="rows")
    assert (
        len({key for part in feature_map.keyed for key in part.identity.tolist()})
        == sum(len(p) for p in feature_map.keyed)
        == 12
    )


def test_out_of_both_sides() -> None:
    feature_map = ks.compile(TEXTS[0], dim=3, n_features=60)
    out = np.empty((7, 120))
    assert feature_map.transform(X, out=out, side="both") is out
    assert np.array_equal(out, feature_map.transform(X, side="both"))
    with pytest.raises(PlanError, match="out must have shape"):
        feature_map.transform(X, out=np.empty((7, 60)), side="both")


def _dense(features: object) -> np.ndarray:
    return features if isinstance(features, np.ndarray) else features.toarray()  # type: ignore[attr-defined]
