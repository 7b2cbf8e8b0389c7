"""Features of a table: of a row the same bits however it is stored and whatever comes with it, where they may go."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.typing import NDArray
from scipy.sparse import csr_array

import kernelspec as ks
from kernelspec.errors import DataError, PlanError
from kernelspec.maps import evaluation as bounded_evaluation
from kernelspec.maps.feature_map import FeatureMap
from kernelspec.tables import pieces
from kernelspec.tables.rows import Rows

ROWS = np.random.default_rng(0).standard_normal((200, 20))
SPECS: dict[str, dict[str, Any]] = {
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
    return ks.compile(text, dim=20, n_features=32, **SPECS[text])


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


@pytest.mark.parametrize("kind", ["f4", "f8"])
@pytest.mark.parametrize("text", SPECS)
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


@pytest.mark.parametrize("text", SPECS)
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


@pytest.mark.parametrize(
    ("text", "options", "value", "said"),
    [
        (
            "normalize(linear())**2*gaussian()",
            {"method": "anchored", "data": ROWS[:, :3]},
            0.0,
            "row 145 has only zeros",
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
        (np.lib.stride_tricks.as_strided(whole, whole.shape, (0, 8)), "on top of one another"),
        (np.lib.stride_tricks.as_strided(whole, whole.shape, (8, 8)), "on top of one another"),
    ):
        with pytest.raises(PlanError, match=said):
            fmap.transform(ROWS, out=out)


def test_repeated_entries_are_added_in_a_copy() -> None:
    parts = (np.array([1.0, 2, 3, 4, 5, 6]), np.array([0, 0, 4, 5, 5, 5]), np.array([0, 3, 6]))
    matrix = csr_array(parts, shape=(2, 20))
    for text in SPECS:
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


def test_signs_are_those_of_the_map() -> None:
    with pytest.raises(ValueError, match="read-only"):
        map_of("gaussian()-gaussian(scale=2)").signs[0] = 0
