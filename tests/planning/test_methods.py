"""Tests of `planning/methods.py`."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.errors import PlanError
from kernelspec.laws.rules import DRAWS, SCHEMES
from kernelspec.numerics.phasor import Form
from kernelspec.planning.methods import (
    ANCHORED,
    DRAW_NAMES,
    FORMS,
    KEYS,
    METHODS,
    STORAGES,
    Keys,
    Storage,
    buckets_and_bits,
    check_storage,
    whole_number,
)


@pytest.mark.parametrize(
    ("keys", "expected"),
    [("auto", (16, None)), ("hashed", (16, None)), ("bits", (None, 3)), ("exact", (None, None))],
)
def test_what_is_used(keys: Keys, expected: tuple[int | None, int | None]) -> None:
    assert buckets_and_bits(keys, 16, 3) == expected
    plan = ks.compile("match()", dim=2, n_features=8, keys=keys, buckets=16, bits=3).plan
    assert (plan.buckets, plan.bits) == expected
    assert keys in KEYS


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("buckets", 16, 3), "keys must be one of 'auto', 'exact', 'hashed', 'bits', not 'buckets'"),
        (("auto", 1, 3), "buckets must be at least 2"),
        (("bits", 16, 2.5), "bits must be a whole number"),
        (("bits", 16, 10**30), "bits must be at most 24"),
        (("hashed", 10**30, 8), "buckets must be at most 2,147,483,648"),
        ((None, 16, 3), "keys must be one of"),
    ],
)
def test_what_is_refused(given: tuple[Any, Any, Any], message: str) -> None:
    with pytest.raises(PlanError, match=message):
        buckets_and_bits(*given)


def test_methods() -> None:
    schemes = METHODS[1 + len(FORMS) : -len(ANCHORED)]
    assert ("auto", *FORMS, *schemes, *ANCHORED) == METHODS
    assert ("auto", "independent", *DRAWS) == DRAW_NAMES
    assert get_args(Form) == FORMS
    assert set(schemes) == set(SCHEMES)
    assert list(schemes) == sorted(schemes)
    assert len(set(METHODS)) == len(METHODS)


def test_a_name_that_is_no_method_is_refused() -> None:
    with pytest.raises(PlanError, match="method"):
        ks.compile("gaussian()", dim=2, method="pared")


RNG = np.random.default_rng(0)
X = np.column_stack([RNG.standard_normal((40, 2)), RNG.integers(0, 4, 40)])
CATEGORIES = "0.5 * gaussian()[0:2] * match()[2] + 0.3 * match()[2] + 0.2 * cauchy()[0]"


@pytest.mark.slow
@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("text", ["gaussian()", CATEGORIES, "match()[2]", "gaussian() - gaussian()"])
def test_features_are_what_is_asked_for(text: str, storage: Storage) -> None:
    fmap = ks.compile(text, data=X, n_features=60, storage=storage)
    features: Any = fmap.left(X)
    assert isinstance(features, np.ndarray) == (storage == "dense" or (storage == "auto" and "match" not in text))
    array = features if isinstance(features, np.ndarray) else features.toarray()
    assert array.shape == (40, fmap.n_columns)
    assert np.abs((array * fmap.signs) @ array.T - fmap.approximate(X)).max() <= 1e-13
    assert fmap.is_sparse == (not isinstance(features, np.ndarray))


def test_other_ways_are_refused() -> None:
    check_storage("dense")
    with pytest.raises(PlanError, match="storage must be one of 'auto', 'dense', 'sparse', not 'csr'"):
        ks.compile("gaussian()", dim=2, storage="csr")  # type: ignore[arg-type]


def test_where_zeros_are_stored_they_count() -> None:
    fmap = ks.compile("gaussian()[0:2] * match()[2]", data=X, n_features=60, storage="dense", method="paired")
    assert fmap.plan.chosen.counts == (60 // (2 * 5),)
    assert fmap.n_columns == 60
    hashed = ks.compile("match()[2]", dim=3, n_features=60, buckets=16, storage="dense", method="paired")
    assert hashed.n_columns == 3 * 16
    bits = ks.compile("minmax()", dim=3, n_features=60, keys="bits", bits=2, storage="dense")
    assert bits.n_columns == 60 // 4 * 4 + 1
    with pytest.raises(PlanError, match="one sample of this kernel takes 256"):
        ks.compile("match()[2]", dim=3, n_features=60, storage="dense", method="paired")
    exact = ks.compile("match()[2]", data=X, storage="dense")
    assert (exact.n_columns, exact.plan.chosen.error) == (8, 0)


@pytest.mark.slow
def test_a_named_storage_lets_all_plans_compete() -> None:
    assert not ks.compile("laplace()", data=X, n_features=64).is_sparse
    assert ks.compile("laplace()", data=X, n_features=64, storage="sparse").plan.method == "binning"
    plan = ks.compile(CATEGORIES, data=X, n_features=64, storage="dense").plan
    assert plan.chosen.variance == min(
        plan.chosen.variance,
        *(other.variance for other in plan.alternatives if other.variance < np.inf and not other.is_biased),
    )
    assert "of an array" in ks.compile(CATEGORIES, data=X, storage="dense").explain()
    assert "of a CSR matrix" in ks.compile("gaussian()", dim=2, storage="sparse").explain()


@pytest.mark.slow
def test_arrays_are_written_to_out_in_any_pieces() -> None:
    fmap = ks.compile(CATEGORIES, data=X, n_features=60, storage="dense")
    out = np.full((40, fmap.n_columns), np.nan)
    assert fmap.transform(X, out) is out
    assert np.array_equal(out, fmap.transform(X))
    pieces = [fmap.transform(X[i : i + 7]) for i in range(0, 40, 7)]
    assert np.array_equal(np.concatenate(pieces), out)  # type: ignore[arg-type]
    assert np.array_equal(np.concatenate([block.copy() for block in fmap.blocks(X, rows=16)]), out)  # type: ignore[arg-type]
    with pytest.raises(PlanError, match="out must have shape"):
        fmap.transform(X, out[:, 1:])
    with pytest.raises(PlanError, match="cannot be written to out"):
        ks.compile("gaussian()", dim=3, storage="sparse").transform(X, out)


def test_bits_leave_the_constant_column_empty_in_arrays_too() -> None:
    options: Any = {"dim": 3, "n_features": 60, "keys": "bits", "bits": 2, "method": "gcws"}
    dense = ks.compile("minmax()", storage="dense", **options)
    sparse = ks.compile("minmax()", **options | {"n_features": dense.plan.chosen.counts[0]})
    assert np.array_equal(dense.transform(X), sparse.transform(X).toarray())  # type: ignore[union-attr]
    assert np.array_equal(dense.left(X), sparse.left(X).toarray())  # type: ignore[union-attr]


@pytest.mark.slow
def test_saved_maps_keep_it(tmp_path: Path) -> None:
    for storage in STORAGES:
        fmap = ks.compile(CATEGORIES, data=X, n_features=60, storage=storage, method="paired")
        fmap.save(tmp_path / "map.npz")
        again = ks.load_map(tmp_path / "map.npz", redraw=True)
        assert again.plan == fmap.plan
        assert again.is_sparse == fmap.is_sparse


def test_both_sides_as_arrays() -> None:
    fmap = ks.compile("shift_gaussian(by=1)[0] * match()[2]", data=X, n_features=60, storage="dense", method="paired")
    features = fmap.transform(X, side="both")
    assert isinstance(features, np.ndarray)
    assert features.shape == (40, len(fmap.names("both")))


def test_certificates_judge_the_features_that_are_stored() -> None:
    spec = "gaussian()[0] * match()[2]"
    certificate = ks.verify(spec, X, storage="dense", method="paired", n_maps=200, n_features=2048)
    assert [check.hashed for check in certificate.checks] == [False, True]
    assert certificate.passed


@pytest.mark.parametrize("given", [3, np.int16(3), np.uint64(3), True + 2])
def test_whole_numbers_become_ints(given: Any) -> None:
    assert type(whole_number("n", given, 3, 3)) is int
    assert whole_number("n", given, 3, 3) == 3


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (2, "n must be at least 3, not 2"),
        (4001, "n must be at most 4,000, not 4,001"),
        (3.0, "n must be a whole number, not 3.0"),
        ("3", "n must be a whole number, not '3'"),
        (None, "n must be a whole number, not None"),
    ],
)
def test_others_are_refused(given: Any, message: str) -> None:
    with pytest.raises(PlanError, match=message):
        whole_number("n", given, 3, 4000)
