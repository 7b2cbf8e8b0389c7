"""Tests of `maps/transformed_rows.py`."""

from __future__ import annotations

import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

import kernelspec as ks
from kernelspec.errors import DataError, PlanError
from kernelspec.maps import evaluation as bounded_evaluation
from kernelspec.maps.feature_map import FeatureMap
from kernelspec.maps.transformed_rows import ReusedFeatures, rows_at_a_time
from kernelspec.planning.options import Method
from kernelspec.tables import layout as pieces
from kernelspec.tables.rows import Rows
from kernelspec.testing.assertions import assert_unbiased
from tests.thoroughness import sweep

MIB = 2**20
X = np.random.default_rng(0).integers(-3, 4, (20, 3)).astype(np.float64)


@pytest.mark.parametrize(
    ("text", "n_features", "method", "rows"),
    [
        ("gaussian()", 16, "paired", 16384),  # the most at a time
        ("gaussian()", 1024, "paired", 32 * MIB // (8 * 1024)),
        ("gaussian()", 1024, "complex", 32 * MIB // (16 * 512)),
        ("gaussian()", 14_000, "paired", 256),  # 299 would fit
        ("gaussian()", 100_000, "paired", 41),  # less than a numerical block of 256
        ("match()", 1024, "paired", 32 * MIB // (16 * 1024)),
    ],
)
def test_rows_of_so_many_bytes(text: str, n_features: int, method: Any, rows: int) -> None:
    assert rows_at_a_time(ks.compile(text, dim=1, n_features=n_features, method=method)) == rows


@pytest.mark.parametrize("side", ["left", "both"])
@pytest.mark.parametrize("text", ["gaussian()", "shift_gaussian(by=1)", "match()[0] * gaussian()[1]", "minmax()"])
def test_blocks_are_the_whole(text: str, side: Any) -> None:
    fmap = ks.compile(text, dim=3, n_features=12)
    whole = fmap.transform(X, side=side)
    for rows in (1, 7, None):
        parts = [block.copy() for block in fmap.blocks(X, rows=rows, side=side)]
        assert [part.shape[0] for part in parts] == (
            [20] if rows is None else [rows] * (20 // rows) + [20 % rows] * (20 % rows > 0)
        )
        if isinstance(whole, np.ndarray):
            assert np.array_equal(np.concatenate(parts), whole)
        else:
            assert (vstack(parts, format="csr") != whole).nnz == 0


def test_blocks_share_their_memory(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", X)
    dense = ks.compile("gaussian()", dim=3, n_features=6)
    blocks = list(dense.blocks(np.load(tmp_path / "x.npy", mmap_mode="r"), rows=8))
    assert all(np.shares_memory(blocks[0], block) for block in blocks)
    assert np.array_equal(blocks[2], dense.transform(X)[16:])
    sparse = ks.compile("laplace()", dim=3, n_features=6, method="binning")
    others = list(sparse.blocks(X, rows=8))
    assert all(np.shares_memory(others[0].data, block.data) for block in others)
    assert all(np.shares_memory(others[0].indices, block.indices) for block in others)
    assert (others[2] != sparse.transform(X[16:])).nnz == 0


@pytest.mark.parametrize("keys", ["exact", "bits"])
def test_entries_that_are_dropped_do_not_come_back(keys: Any) -> None:
    """Categories that were not met have no entry, and constant columns that take chance agreement off are emptied."""
    data = X[:4] if keys == "exact" else None
    bits = {"bits": 2} if keys == "bits" else {}
    fmap = ks.compile("match()", dim=3, n_features=12, keys=keys, data=data, **bits)
    whole = fmap.transform(X)
    assert 0 < whole.nnz < 20 * (12 if keys == "exact" else 13)
    parts = [block.copy() for block in fmap.blocks(X, rows=7)]
    assert (vstack(parts, format="csr") != whole).nnz == 0


def test_what_cannot_be_done_is_refused_at_once() -> None:
    fmap = ks.compile("gaussian()", dim=3, n_features=6)
    with pytest.raises(ValueError, match="rows must be a whole number, at least 1, not 0"):
        fmap.blocks(X, rows=0)
    for rows in (1.5, "3", True):
        with pytest.raises(ValueError, match="rows must be a whole number"):
            fmap.blocks(X, rows=rows)
    with pytest.raises(PlanError, match="side must be 'left', 'right' or 'both', not 'up'"):
        fmap.blocks(X, side="up")
    with pytest.raises(DataError, match="NaN in row 19, column 2"):
        fmap.blocks(np.where(np.arange(60).reshape(20, 3) == 59, np.nan, X), rows=4)
    with pytest.raises(PlanError, match="the kernel is asymmetric"):
        ks.compile("shift_gaussian(by=1)", dim=3, n_features=12).blocks(X)


def test_the_buffer_is_made_anew_for_more_rows_or_another_type() -> None:
    fmap = ks.compile("gaussian()", dim=3, n_features=6)
    reused = ReusedFeatures(fmap)
    first = reused.of(Rows(X[:4]))
    assert np.shares_memory(first, reused.of(Rows(X[:2])))
    single = reused.of(Rows(X[:3].astype(np.float32)))
    assert single.dtype == np.float32
    assert np.array_equal(reused.of(Rows(X)), fmap.transform(X))


SPECS = ["gaussian()", "gaussian()[0, 2] * laplace()[1]", "tilt(gaussian(), by=0.1)", "normalized"]


@pytest.mark.slow
@pytest.mark.parametrize("text", SPECS)
def test_memory_does_not_grow_with_rows(text: str) -> None:
    """What is made in C is not counted: the compiled loops take none that depends on the number of rows."""
    options: dict[str, Any] = (
        {"published": ks.Published(normalized=True), "method": "phase"} if text == "normalized" else {}
    )
    fmap = ks.compile("gaussian()" if options else text, dim=3, n_features=64, **options)
    rows = np.random.default_rng(0).standard_normal((200_000, 3))
    out = np.empty((len(rows), fmap.n_columns))
    fmap.transform(rows[:10], side="left")

    def peak(work: Any) -> int:
        tracemalloc.start()
        work()
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    assert out.nbytes > 100 * MIB * 0.9
    assert peak(lambda: fmap.transform(rows, out, side="left")) < 8 * MIB
    assert peak(lambda: [None for _ in fmap.blocks(rows, side="left")]) < 64 * MIB


NORMAL = np.random.default_rng(0).standard_normal((7, 3))
Y = np.random.default_rng(1).standard_normal((4, 3))
TEXTS = [
    "shift_gaussian(scale=1.5, by=[0.5, 1, -0.7])",
    "sinh_gaussian(scale=1.5, by=0.2)",
    "cosh_gaussian(scale=1.5, by=0.2)",
    "shift(laplace(2), by=0.5) * match()[2]",
    "tilt(laplace(2), by=0.2)[0, 1, 2] + match()[2]",
]


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
@pytest.mark.parametrize("dim", [3, *(pytest.param(dim, marks=pytest.mark.long) for dim in (1, 2, 7))])
@pytest.mark.parametrize(("text", "method"), sweep(SCHEMES, every=3))
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
    fmap = ks.compile(text, dim=3, n_features=60)
    assert not fmap.is_one_sided
    with pytest.raises(PlanError, match=r'asymmetric, .* left\(X\), right\(Y\) and signs; .*side="both"'):
        fmap.transform(NORMAL)
    with pytest.raises(PlanError, match="indefinite"):
        ks.compile("gaussian() - 0.5 * laplace()", dim=3, n_features=60).transform(NORMAL)
    with pytest.raises(PlanError, match="indefinite or a difference"):  # positive definite: 1/2 is more than 0.3
        ks.compile("gaussian() - 0.3 * gaussian(2)", dim=1, n_features=60).transform(NORMAL[:, :1])
    for side in ("left", "right"):
        expected = getattr(fmap, side)(NORMAL)
        found = fmap.transform(NORMAL, side=side)  # type: ignore[arg-type]
        assert np.array_equal(_dense(found), _dense(expected))


@pytest.mark.parametrize("text", TEXTS)
def test_both_sides_side_by_side(text: str) -> None:
    fmap = ks.compile(text, dim=3, n_features=60, buckets=16)
    both, left, right = (
        _dense(m) for m in (fmap.transform(NORMAL, side="both"), fmap.left(NORMAL), fmap.right(NORMAL))
    )
    sided = fmap.sided
    assert both.shape[1] == fmap.n_columns + sided.sum() == len(fmap.names("both"))
    np.testing.assert_allclose(both[:, : fmap.n_columns], left * np.where(sided, np.sqrt(0.5), 1), rtol=1e-12)
    np.testing.assert_allclose(both[:, fmap.n_columns :], right[:, sided] * np.sqrt(0.5), rtol=1e-12)
    assert np.array_equal(left[:, ~sided], right[:, ~sided])
    # the kernel's estimate is a bilinear form of these features
    form = np.zeros((both.shape[1],) * 2)
    place = np.cumsum(sided) - 1 + fmap.n_columns
    for column, (sign, two) in enumerate(zip(fmap.signs, sided, strict=True)):
        form[column, place[column] if two else column] = 2 * sign if two else sign
    if not fmap.is_sparse:
        np.testing.assert_allclose(both @ form @ both.T, fmap.approximate(NORMAL), atol=1e-10)


def test_a_symmetric_spec_has_equal_sides() -> None:
    for text in ("gaussian()", "laplace() * match()[2]", "gaussian() - laplace()", "shift(laplace(), 0)"):
        fmap = ks.compile(text, dim=3, n_features=60)
        assert not fmap.sided.any()
        assert np.array_equal(_dense(fmap.left(NORMAL)), _dense(fmap.right(NORMAL)))
        assert np.array_equal(_dense(fmap.transform(NORMAL, side="both")), _dense(fmap.left(NORMAL)))


@pytest.mark.slow
def test_terms_of_one_sample_have_columns_of_their_own() -> None:
    # three terms of a sinh sample times a key: the keys agree, the columns must not be shared
    text = "sinh_gaussian(scale=1.5, by=0.3) * match()[2]"
    rows = np.random.default_rng(3).integers(0, 2, (5, 3)).astype(float)
    assert_unbiased(text, rows, method="rows", n_features=24, n_maps=200, budget=1e-8)
    assert_unbiased(text, rows, method="rows", n_features=24, n_maps=200, budget=1e-8, hashed=True)
    fmap = ks.compile(text, dim=3, n_features=24, method="rows")
    assert len({key for part in fmap.keyed for key in part.identity.tolist()}) == sum(len(p) for p in fmap.keyed) == 12


def test_out_of_both_sides() -> None:
    fmap = ks.compile(TEXTS[0], dim=3, n_features=60)
    out = np.empty((7, 120))
    assert fmap.transform(NORMAL, out=out, side="both") is out
    assert np.array_equal(out, fmap.transform(NORMAL, side="both"))
    with pytest.raises(PlanError, match="out must have shape"):
        fmap.transform(NORMAL, out=np.empty((7, 60)), side="both")


def _dense(features: object) -> np.ndarray:
    return features if isinstance(features, np.ndarray) else features.toarray()  # type: ignore[attr-defined]


ROWS = np.random.default_rng(0).standard_normal((200, 20))
DENSE: dict[str, dict[str, Any]] = {
    "gaussian()": {},
    "rbf_cosine()": {},
    "rbf_cosine()[1:13]": {},
    "dual(relu, normalize(linear()))[1:13]": {},
    "dual(exp(c=1/4), normalize(linear()))[3:20]": {},
    "dual(exp(c=1/4), normalize(linear()))": {"method": "phase"},
    "layer(relu, normalize(linear())[0:12], gaussian()[12:20])": {},
    "gaussian()-gaussian(scale=2)": {},
    "shift(gaussian(), by=1/2)": {},
    "tilt(gaussian(), by=0.1)": {},
    "gaussian(scale=3)": {"published": ks.Published(normalized=True)},
}


def map_of(text: str) -> FeatureMap:
    return ks.compile(text, dim=20, n_features=32, **DENSE[text])


def side_of(fmap: FeatureMap) -> Any:
    return None if fmap.is_one_sided else "both"


def forms(rows: np.ndarray) -> dict[str, Any]:
    """The same numbers, stored otherwise."""
    wide = np.zeros((len(rows), 41), rows.dtype)
    wide[:, 1::2] = rows
    return {
        "Fortran order": np.asfortranarray(rows),
        "strided": wide[:, 1::2],
        "reversed twice": rows[::-1].copy()[::-1],
        "other order of bytes": rows.astype(rows.dtype.newbyteorder(">")),
        "frame": pd.DataFrame(rows),
    }


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["f4", "f8"])
@pytest.mark.parametrize("text", sweep(DENSE, every=2))
def test_the_same_bits_in_every_form_and_batch(text: str, kind: str) -> None:
    fmap, rows = map_of(text), ROWS.astype(kind)
    side, whole = side_of(fmap), map_of(text).transform(rows, side=side_of(map_of(text)))
    assert whole.dtype == rows.dtype
    for name, form in forms(rows).items():
        np.testing.assert_array_equal(fmap.transform(form, side=side), whole, err_msg=name)
    alone = np.vstack([fmap.transform(rows[i : i + 1], side=side) for i in range(len(rows))])
    np.testing.assert_array_equal(alone, whole)
    blocks = np.vstack([block.copy() for block in fmap.blocks(rows, rows=7, side=side)])
    np.testing.assert_array_equal(blocks, whole)
    for out in (np.empty(whole.shape, kind, order="F"), np.empty((len(rows), 2 * whole.shape[1]), kind)[:, ::2]):
        assert fmap.transform(rows, side=side, out=out) is out
        np.testing.assert_array_equal(out, whole)


@pytest.mark.slow
@pytest.mark.parametrize("text", sweep(DENSE, every=3))
def test_the_same_bits_a_few_rows_at_a_time(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    fmap = map_of(text)
    side = side_of(fmap)
    for table in (ROWS, np.round(10 * ROWS).astype(np.int16), pd.DataFrame(ROWS)):
        whole = fmap.transform(table, side=side)
        with monkeypatch.context() as patched:
            patched.setattr(bounded_evaluation, "_BYTES", 20_000)
            patched.setattr(pieces, "_BYTES", 8 * 20 * 11)
            np.testing.assert_array_equal(fmap.transform(table, side=side), whole)
            np.testing.assert_array_equal(fmap.left(table), fmap.transform(table, side="left"))
            blocks = np.vstack([block.copy() for block in fmap.blocks(table, rows=30, side=side)])
            np.testing.assert_array_equal(blocks, whole)


def test_rows_are_counted_over_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded_evaluation, "_BYTES", 20_000)
    monkeypatch.setattr(pieces, "_BYTES", 8 * 20 * 11)
    fmap = map_of("rbf_cosine()")
    for kind, value in (("f8", 0.0), (">f8", 0.0), (">f8", np.nan)):
        rows = ROWS.astype(kind)
        rows[150] = value
        for evaluate in (fmap.transform, lambda X: list(fmap.blocks(X, rows=40))):
            with pytest.raises(DataError, match="row 150"):
                evaluate(rows)


class _ArrayLike:
    def __init__(self, numbers: NDArray[Any]) -> None:
        self._numbers = numbers

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        del dtype, copy
        return self._numbers


def test_out_apart_from_the_rows() -> None:
    fmap = ks.compile("linear()", dim=4, n_features=4)
    rows = ROWS[:, :4].copy()
    for out in (rows, rows[::-1]):
        with pytest.raises(PlanError, match="shares memory with the rows"):
            fmap.transform(rows, out=out)
    sparse = csr_array(np.ones((5, 4)))
    with pytest.raises(PlanError, match="shares memory with the rows"):
        fmap.transform(sparse, out=sparse.data.reshape(5, 4))
    for wrapped in (memoryview(rows), _ArrayLike(rows), Rows(rows)):
        with pytest.raises(PlanError, match="shares memory with the rows"):
            fmap.transform(wrapped, out=rows)
    beside = np.zeros((200, 12))
    beside[:, :4] = rows
    np.testing.assert_array_equal(fmap.transform(beside[:, :4], out=beside[:, 8:]), fmap.transform(rows))


def test_out_apart_from_the_columns_of_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "_BYTES", 2**10)
    fmap = ks.compile("gaussian()", dim=3, n_features=8)
    memory = np.zeros((200, 8))
    numbers = memory.reshape(-1)[:600].reshape(3, 200).T
    numbers[:] = ROWS[:, :3]
    apart, arrow = np.zeros((200, 8)), pa.table({name: numbers[:, i] for i, name in enumerate("abc")})
    for frame in (pd.DataFrame(numbers, copy=False), arrow, pl.from_arrow(arrow)):
        np.testing.assert_array_equal(fmap.transform(frame, out=apart), fmap.transform(ROWS[:, :3].copy()))
        with pytest.raises(PlanError, match="shares memory with the rows"):
            fmap.transform(frame, out=memory)


def test_frames_of_single_precision_without_a_number() -> None:
    rows = np.array([[1.0], [2.0], [1.0]], dtype=np.float32)
    fmap = ks.compile("match()", data=rows, n_features=8, keys="hashed")
    for X in (rows, pd.DataFrame(rows), pl.DataFrame(rows)):
        assert fmap.transform(X).dtype == np.float32
    text = pd.DataFrame({"a": ["x", "y"]})
    assert ks.compile("match()[a]", n_features=8).transform(text).dtype == np.float64


@pytest.mark.slow
def test_heavy_sparse_rows_are_not_copied() -> None:
    X = csr_array(np.ones((5000, 1000)))
    fmap = ks.compile("gaussian(scale=50)", dim=1000, n_features=4)
    fmap.transform(X[:1])
    for evaluate in (fmap.transform, lambda rows: [len(block) for block in fmap.blocks(rows)]):
        tracemalloc.start()
        evaluate(X)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 2**24, "the entries have 60 MB"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "options", "value", "said"),
    [
        (
            "normalize(linear())**2*gaussian()",
            {"method": "landmarks", "data": ROWS[:, :3]},
            0.0,
            "row 145 is all zeros, so it has",
        ),
        ("tilt(matern(nu=3/2), [0.1, 0.1, 0.1])", {}, 1e4, r"row 145 is scaled by e\^3000,"),
    ],
)
def test_rows_are_named_by_their_number_in_the_whole(
    text: str, options: dict[str, Any], value: float, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fmap = ks.compile(text, n_features=64, **({"dim": 3} | options if "data" not in options else options))
    rows = ROWS[:, :3].copy()
    rows[145] = value
    for evaluate in (fmap.left, lambda X: list(fmap.blocks(X, rows=40, side="left"))):
        with pytest.raises(DataError, match=f"^{said}"):
            evaluate(rows)
    monkeypatch.setattr(pieces, "_BYTES", 2**10)
    for X in (pd.DataFrame(rows), rows.astype(">f8")):
        with pytest.raises(DataError, match=f"^{said}"):
            fmap.left(X)


def test_what_features_cannot_be_written_to() -> None:
    fmap = map_of("gaussian()")
    whole = fmap.transform(ROWS)
    closed = np.empty(whole.shape)
    closed.flags.writeable = False
    for out, said in (
        (whole.tolist(), "out must be a NumPy array without a mask, not a list"),
        (np.ma.masked_array(np.empty(whole.shape), mask=True), "without a mask, not a MaskedArray"),
        (closed, "out is read-only"),
        (whole[:, 1:], "out must have shape"),
        (np.lib.stride_tricks.as_strided(whole, whole.shape, (0, 8)), "overlap in memory"),
        (np.lib.stride_tricks.as_strided(whole, whole.shape, (8, 8)), "overlap in memory"),
    ):
        with pytest.raises(PlanError, match=said):
            fmap.transform(ROWS, out=out)


@pytest.mark.slow
def test_repeated_entries_are_added_in_a_copy() -> None:
    parts = (np.array([1.0, 2, 3, 4, 5, 6]), np.array([0, 0, 4, 5, 5, 5]), np.array([0, 3, 6]))
    matrix = csr_array(parts, shape=(2, 20))
    for text in DENSE:
        fmap = map_of(text)
        expected = fmap.left(csr_array(matrix.toarray()))
        np.testing.assert_array_equal(fmap.left(matrix), expected)
    np.testing.assert_array_equal(matrix.data, [1, 2, 3, 4, 5, 6])
    np.testing.assert_array_equal(matrix.indptr, [0, 3, 6])


@pytest.mark.parametrize("place", [-1, 20, 40_000_000])
def test_entries_beyond_a_matrix_are_refused(place: int) -> None:
    matrix = csr_array((np.ones(2), np.array([0, 1], np.int32), np.array([0, 2], np.int32)), shape=(1, 20))
    matrix.indices[1] = place
    with pytest.raises(DataError, match="damaged: it has entries beyond its rows or columns"):
        map_of("gaussian()").transform(matrix)
    matrix.indices[1], matrix.indptr[1] = 1, 9
    with pytest.raises(DataError, match="damaged"):
        map_of("gaussian()").transform(matrix)


def test_features_stored_as_sparse_lack_zeros_alone() -> None:
    fmap = ks.compile("linear()", dim=20, n_features=20, storage="sparse")
    rows = np.where(ROWS > 0, ROWS, 0.0)
    found, expected = fmap.transform(rows), ks.compile("linear()", dim=20, n_features=20).transform(rows)
    np.testing.assert_array_equal(found.toarray(), expected)
    assert found.nnz == np.count_nonzero(expected)


FIVE = np.random.default_rng(0).standard_normal((5, 2))


def test_sparse_features_are_not_written_to_arrays() -> None:
    sparse = ks.compile("match()", dim=2, n_features=4)
    for out in (np.empty((5, 4)), []):
        for side in (None, "left", "both"):
            with pytest.raises(PlanError, match="the features of this kernel are sparse"):
                sparse.transform(FIVE, out, side=side)  # type: ignore[arg-type]


MANY = np.floor(3 * np.random.default_rng(1).standard_normal((200, 2)))
SPARSE: dict[str, dict[str, Any]] = {
    "match()": {},
    "match()-1/2*match()[0]": {"keys": "bits"},
    "laplace()": {"method": "binning"},
    "laplace()*match()": {"keys": "exact"},
    "gaussian()*match()": {},
    "linear()": {"storage": "sparse"},
    "tilt(laplace(), by=0.1)": {"method": "binning"},
    "gaussian()-gaussian(scale=2)": {"storage": "sparse"},
}


@pytest.mark.slow
@pytest.mark.parametrize("form", ["array", "whole numbers", "frame"])
@pytest.mark.parametrize("text", sweep(SPARSE, every=2))
def test_sparse_features_a_few_rows_at_a_time(text: str, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    table = {"array": MANY, "whole numbers": MANY.astype(np.int16), "frame": pd.DataFrame(MANY)}[form]
    fmap = ks.compile(text, data=MANY[:150], n_features=16, **SPARSE[text])
    if not fmap.has_columns:
        fmap = fmap.fit(MANY[:150])
    sides: list[Any] = ["left", "right", "both", *([None] if fmap.is_one_sided else [])]
    for side in sides:
        whole = fmap.transform(table, side=side)
        with monkeypatch.context() as patched:
            patched.setattr(bounded_evaluation, "_BYTES", 20_000)
            patched.setattr(pieces, "_BYTES", 5_000)
            found = fmap.transform(table, side=side)
            blocks = [block.toarray() for block in fmap.blocks(table, rows=60, side=side)]
        assert (found != whole).nnz == 0
        assert (found.dtype, found.indices.dtype, found.nnz) == (whole.dtype, whole.indices.dtype, whole.nnz)
        found.check_format(full_check=True)
        np.testing.assert_array_equal(np.vstack(blocks), whole.toarray())
