"""How features are stored: as arrays or as CSR, whatever their kernel."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.errors import PlanError
from kernelspec.planning.methods import STORAGES, Storage, check_storage

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
