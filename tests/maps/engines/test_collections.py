"""Streams of record batches: the features of every row, the schema that is stated, and what is refused."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from scipy.sparse import csr_array

import kernelspec as ks
from kernelspec.errors import DataError, PlanError

ROWS = np.random.default_rng(0).standard_normal((50, 2))
TABLE = pa.table({"id": range(50), "c": ["x", "y"] * 25, "b": ROWS[:, 1], "a": ROWS[:, 0]})
DENSE = ks.compile("gaussian()[a, b]", columns=["a", "b"], n_features=8)


def batches(size: int = 7) -> list[pa.RecordBatch]:
    return TABLE.to_batches(max_chunksize=size)


@pytest.mark.parametrize("size", [1, 7, 50])
def test_dense_features_have_a_column_each(size: int) -> None:
    found = DENSE.map_batches(iter(batches(size)), keep=["c", "id"])
    assert found.schema == DENSE.batch_schema(TABLE.schema, keep=["c", "id"])
    table = found.read_all()
    table.validate(full=True)
    assert table.column_names == ["c", "id", *DENSE.names()]
    assert table.select(["c", "id"]).equals(TABLE.select(["c", "id"]))
    own = np.column_stack([table.column(name).to_numpy() for name in DENSE.names()])
    np.testing.assert_array_equal(own, DENSE.transform(ROWS))


@pytest.mark.long
def test_sparse_features_are_lists() -> None:
    fmap = ks.compile("laplace()[a]*match()[c]", data=TABLE, n_features=8, method="binning")
    assert fmap.is_sparse
    table = fmap.map_batches(TABLE).read_all()
    table.validate(full=True)
    assert table.schema == fmap.batch_schema()
    values, indices = (table.column(name).combine_chunks() for name in ("values", "indices"))
    parts = (values.flatten().to_numpy(), indices.flatten().to_numpy())
    found = csr_array((*parts, np.cumsum([0, *map(len, values.to_pylist())])), shape=(50, fmap.n_columns))
    assert (found != fmap.transform(TABLE)).nnz == 0


@pytest.mark.slow
def test_precision_is_the_higher_one_of_data_and_stream() -> None:
    single = TABLE.set_column(2, "b", pa.array(ROWS[:, 1].astype(np.float32)))
    single = single.set_column(3, "a", pa.array(ROWS[:, 0].astype(np.float32)))
    rows = ROWS.astype(np.float32)
    for table, dtype, expected in (
        (single, "float32", DENSE.transform(rows)),
        (single, "float64", DENSE.transform(rows.astype(np.float64))),
        (TABLE, "float32", DENSE.transform(ROWS).astype(np.float32)),
    ):
        found = DENSE.map_batches(table, dtype=dtype).read_all()
        own = np.column_stack([found.column(name).to_numpy() for name in DENSE.names()])
        assert own.dtype == np.dtype(dtype)
        np.testing.assert_array_equal(own, expected)


def test_batches_without_rows_and_streams_without_batches() -> None:
    assert DENSE.map_batches([batches()[0].slice(0, 0), batches()[1]]).read_all().num_rows == 7
    assert DENSE.map_batches([]).read_all().schema == DENSE.batch_schema()
    nothing = DENSE.map_batches(TABLE[:0], keep=["id"]).read_all()
    assert nothing.schema == DENSE.batch_schema(TABLE.schema, keep=["id"])
    unknown = DENSE.map_batches(iter([]), keep=["id"]).read_all()  # as of an empty partition of Spark
    assert (unknown.num_rows, unknown.column_names) == (0, ["id", *DENSE.names()])
    assert unknown.schema.field("id").type == pa.null()


def test_batches_are_taken_one_at_a_time() -> None:
    taken: list[int] = []

    def stream():
        for i, batch in enumerate(batches()):
            taken.append(i)
            yield batch

    reader = DENSE.map_batches(stream())
    assert taken == []
    reader.read_next_batch()
    assert taken == [0]


def test_sides() -> None:
    shifted = ks.compile("shift(gaussian(), by=1/2)[a, b]", columns=["a", "b"], n_features=8)
    with pytest.raises(PlanError, match="asymmetric"):
        shifted.map_batches(TABLE)
    both = shifted.map_batches(TABLE, side="both").read_all()
    np.testing.assert_array_equal(
        np.column_stack([column.to_numpy() for column in both.columns]), shifted.transform(ROWS, side="both")
    )


def test_what_is_refused() -> None:
    with pytest.raises(DataError, match="keep= names unknown or repeated column 'idd'; did you mean 'id'"):
        DENSE.map_batches(TABLE, keep=["idd"])
    with pytest.raises(DataError, match="also the name of a feature"):
        DENSE.batch_schema(pa.schema({"cos0": pa.int64()}), keep=["cos0"])
    with pytest.raises(DataError, match="expected Arrow record batches, not None"):
        DENSE.map_batches(None)  # type: ignore[arg-type]
    with pytest.raises(DataError, match="keep must be a list of names, not <generator"):
        DENSE.map_batches(TABLE, keep=(name for name in ["id"]))  # type: ignore[arg-type]
    with pytest.raises(DataError, match=r"a list of names, as in keep=\['id'\]"):
        DENSE.map_batches(TABLE, keep="id")
    with pytest.raises(DataError, match="'id' twice"):
        DENSE.map_batches(TABLE, keep=["id", "id"])
    with pytest.raises(PlanError, match="side must be 'left', 'right' or 'both', not 'up'"):
        DENSE.map_batches(TABLE, side="up")
    with pytest.raises(PlanError, match="no complex numbers"):
        ks.compile("gaussian()", 2, 8, method="complex").map_batches(TABLE)
    with pytest.raises(PlanError, match="'float32' or 'float64', not 'float16'"):
        DENSE.map_batches(TABLE, dtype="float16")
    bad = [batches()[0], pa.record_batch({"a": [1.0, 2.0], "b": [1.0, None]})]
    with pytest.raises(DataError, match=r"batch 1: .*row 1"):
        DENSE.map_batches(bad).read_all()


def test_one_batch_is_a_stream() -> None:
    assert DENSE.map_batches(batches()[0]).read_all().equals(DENSE.map_batches(TABLE[:7]).read_all())


@pytest.mark.parametrize(
    ("stream", "said"),
    [
        (TABLE.to_pandas(), "not a DataFrame: convert it to a pyarrow.Table"),
        ([TABLE], "batch 0: expected an Arrow record batch, not a Table"),
        ([batches()[0], ROWS], "batch 1: expected an Arrow record batch, not a ndarray"),
        ([batches()[0], batches()[1].select(["a", "b"])], "batch 1: keep= needs one column 'id' of type int64"),
        (
            [batches()[0], pa.record_batch({"a": [1.0], "b": [1.0], "id": ["x"]})],
            "batch 1: keep= needs one column 'id'",
        ),
    ],
)
def test_what_is_no_stream_of_batches(stream: object, said: str) -> None:
    with pytest.raises(DataError, match=said):
        DENSE.map_batches(stream, keep=["id"]).read_all()
