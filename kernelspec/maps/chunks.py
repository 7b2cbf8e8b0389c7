"""Dask collections and streams of Arrow record batches, chunk by chunk through one map.

A row's features only depend on the row, so chunk boundaries do not matter. The map is sent once to every worker, as a
node of the graph that all chunks depend on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from math import isnan
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from kernelspec.errors import DataError, PlanError
from kernelspec.loading import pyarrow as pa
from kernelspec.loading import suggest
from kernelspec.maps.evaluation import empty_features, feature_type
from kernelspec.maps.transformed_rows import features_of_table
from kernelspec.numerics.threads import in_this_thread
from kernelspec.samples.samples import Side
from kernelspec.tables.columnar import feature_columns, feature_fields
from kernelspec.tables.rows import Rows
from kernelspec.tables.table_kinds import refuse_complex

if TYPE_CHECKING:
    from kernelspec.maps.drawn_plan import DrawnPlan

__all__ = ["Precision", "batch_schema", "transform_batches", "transform_collection"]


def transform_collection(drawn: DrawnPlan, X: Any, side: Side | Literal["both"] | None) -> Any:
    """`FeatureMap.transform` for a Dask array or data frame: a lazy dask.array (n, columns).

    Its chunks are those of the rows of X: arrays, or CSR blocks if the map has keys. Columns in several chunks are
    rechunked first. Raises DataError for any other collection, and for columns that do not fit the map; other errors of
    `transform` are raised when chunks are computed, and name the chunk.
    """
    from dask import delayed

    ndim = getattr(type(X), "ndim", None) and X.ndim  # a delayed object has attributes of any name
    if ndim != 2 or not (hasattr(X, "map_blocks") or hasattr(X, "map_partitions")):
        raise DataError(
            f"Dask's {type(X).__name__} is not a table: pass a two-dimensional dask.array, or a dask.dataframe"
        )
    n_columns = drawn.n_columns_of(side)
    if hasattr(X, "map_blocks"):
        if isnan(X.shape[1]):
            raise DataError("the number of columns of the dask.array is unknown: call X.compute_chunk_sizes() first")
        refuse_complex(X)
        kind = feature_type(drawn, drawn.plan.layout.number_type(X))
        node = delayed(_Applied(drawn, side, n_columns, kind), traverse=False)
        return X.rechunk({1: -1}).map_blocks(
            features_of_chunk,
            applied=node,
            dtype=kind,
            chunks=(X.chunks[0], (n_columns,)),
            meta=empty_features(drawn, n_columns, kind),
        )
    kind = feature_type(drawn, drawn.plan.layout.number_type(X._meta))
    node = delayed(_Applied(drawn, side, n_columns, kind), traverse=False)
    dense = np.empty((0, n_columns), dtype=kind)
    features = X.map_partitions(features_of_partition, node, meta=dense)
    if not drawn.is_sparse:
        return features
    meta = empty_features(drawn, n_columns, kind)  # for frames, Dask only keeps its shape
    return type(features)(features.dask, features.name, features.chunks, dtype=kind, meta=meta)


class _Applied:
    """A map, the requested side, and the type of the result."""

    def __init__(
        self, drawn: DrawnPlan, side: Side | Literal["both"] | None, n_columns: int, kind: np.dtype[Any]
    ) -> None:
        self._drawn, self._side, self._n_columns, self._kind = drawn, side, n_columns, kind

    def features_of(self, rows: Any, where: str) -> Any:
        """The features of one chunk. Raises the errors of `transform`, with the name of the chunk."""
        if not rows.shape[0]:
            return empty_features(self._drawn, self._n_columns, self._kind)
        try:
            with in_this_thread():  # Dask has other chunks for the other CPUs
                features = features_of_table(self._drawn, rows, self._side)
        except DataError as error:
            raise type(error)(f"{where}: {error}") from None
        if features.dtype != self._kind:
            raise DataError(
                f"{where}: its features are {features.dtype}, but the types of the collection give {self._kind}"
            )
        return features


def features_of_chunk(rows: Any, applied: _Applied, block_id: tuple[int, ...] | None = None) -> Any:
    return applied.features_of(rows, "a chunk" if block_id is None else f"chunk {block_id[0]}")


def features_of_partition(rows: Any, applied: _Applied, partition_info: dict[str, int] | None = None) -> Any:
    return applied.features_of(
        rows, "a partition" if partition_info is None else f"partition {partition_info['number']}"
    )


Precision = Literal["float32", "float64"]
"""The type of the features in a stream, fixed before the first row."""


def batch_schema(
    drawn: DrawnPlan,
    given: pa.Schema | None,
    dtype: Precision,
    side: Side | Literal["both"] | None,
    keep: Sequence[str],
) -> pa.Schema:
    """The kept columns of `given`, then the features; `given` may be None if nothing is kept.

    Dense features have a column each; sparse ones the columns `indices` and `values`, lists of equal length. Raises
    DataError for a column to keep that is missing or has the name of a feature; PlanError for complex features.
    """
    kind = _checked(drawn, dtype)
    if drawn.is_sparse:
        fields = [
            pa.field("indices", _list_type(pa.int32()), nullable=False),
            pa.field("values", _list_type(pa.from_numpy_dtype(kind)), nullable=False),
        ]
    else:
        fields = feature_fields(drawn.names(side or "left"), kind)
    if isinstance(keep, str):
        raise DataError(f"keep must be a list of names, as in keep=['{keep}']")
    if not isinstance(keep, Sequence):
        raise DataError(f"keep must be a list of names, not {keep!r:.60}")
    own, taken = [] if given is None else given.names, {field.name for field in fields}
    for i, name in enumerate(keep):
        if own.count(name) != 1:
            raise DataError(f"keep= names unknown or repeated column '{name}'{suggest(name, own)}")
        if name in taken:
            raise DataError(f"keep= names column '{name}', which is also the name of a feature")
        if name in keep[:i]:
            raise DataError(f"keep= names column '{name}' twice")
    return pa.schema([*(given.field(name) for name in keep), *fields] if given is not None else fields)


def transform_batches(
    drawn: DrawnPlan, batches: Iterable[Any], dtype: Precision, side: Side | Literal["both"] | None, keep: Sequence[str]
) -> pa.RecordBatchReader:
    """The features of every batch, on demand: a reader, an iterator with a schema.

    If there is neither a batch nor a schema, as in an empty Spark partition, kept columns have Arrow's type null.
    Raises the errors of `batch_schema`, and DataError for anything but batches; while reading batches, the errors of
    `transform`, with the number of the batch.
    """
    if isinstance(batches, pa.RecordBatch):
        batches = pa.Table.from_batches([batches])
    if hasattr(type(batches), "columns") and not isinstance(batches, pa.Table):
        raise DataError(f"expected Arrow record batches, not a {type(batches).__name__}: convert it to a pyarrow.Table")
    given = batches.schema if isinstance(batches, pa.RecordBatchReader | pa.Table) else None
    if not isinstance(batches, Iterable | pa.Table):
        raise DataError(f"expected Arrow record batches, not {batches!r:.60}")
    stream = iter(batches.to_batches() if isinstance(batches, pa.Table) else batches)
    if given is None and keep:
        first = next(stream, None)
        if first is None:
            given = pa.schema([(name, pa.null()) for name in keep])
        else:
            _check_batch(0, first)
            given, stream = first.schema, chain([first], stream)
    schema = batch_schema(drawn, given, dtype, side, keep)
    return pa.RecordBatchReader.from_batches(schema, _transformed(drawn, stream, schema, dtype, side, keep))


def _transformed(
    drawn: DrawnPlan,
    stream: Iterator[Any],
    schema: pa.Schema,
    dtype: Precision,
    side: Side | Literal["both"] | None,
    keep: Sequence[str],
) -> Iterator[pa.RecordBatch]:
    kind = _checked(drawn, dtype)
    for number, batch in enumerate(stream):
        _check_batch(number, batch)
        for name in keep:
            kept, own = schema.field(name).type, batch.schema.names.count(name)
            if own != 1 or batch.schema.field(name).type != kept:
                raise DataError(f"batch {number}: keep= needs one column '{name}' of type {kept}")
        try:
            features = _features(drawn, batch, kind, side)
        except DataError as error:
            raise type(error)(f"batch {number}: {error}") from None
        kept = [batch.column(name) for name in keep]
        columns = _lists(features, kind) if drawn.is_sparse else feature_columns(features, kind)
        yield pa.RecordBatch.from_arrays([*kept, *columns], schema=schema)


def _check_batch(number: int, batch: Any) -> None:
    if not isinstance(batch, pa.RecordBatch):
        raise DataError(f"batch {number}: expected an Arrow record batch, not a {type(batch).__name__}")


def _features(drawn: DrawnPlan, batch: Any, kind: np.dtype[Any], side: Side | Literal["both"] | None) -> Any:
    """The features of a batch, in the precision of its numbers, or the requested one if higher."""
    if not batch.num_rows:
        return empty_features(drawn, drawn.n_columns_of(side), kind)
    rows = drawn.plan.layout.read(pa.Table.from_batches([batch]))
    if kind == np.float64:
        rows = Rows(rows.numbers.astype(np.float64, copy=False), rows.categories)
    return features_of_table(drawn, rows, side)


def _lists(features: Any, kind: np.dtype[Any]) -> list[pa.Array]:
    """The indices and values of sparse features, a list per row."""
    starts = pa.array(features.indptr.astype(np.int32))
    return [
        pa.ListArray.from_arrays(starts, pa.array(features.indices.astype(np.int32)), type=_list_type(pa.int32())),
        pa.ListArray.from_arrays(
            starts, pa.array(features.data.astype(kind)), type=_list_type(pa.from_numpy_dtype(kind))
        ),
    ]


def _list_type(kind: pa.DataType) -> pa.DataType:
    return pa.list_(pa.field("item", kind, nullable=False))


def _checked(drawn: DrawnPlan, dtype: Precision) -> np.dtype[Any]:
    if dtype not in ("float32", "float64"):
        raise PlanError(f"dtype must be 'float32' or 'float64', not {dtype!r:.60}")
    kind = np.dtype(dtype)
    if feature_type(drawn, kind).kind == "c":
        raise PlanError("the features are complex, but Arrow has no complex numbers: use method='paired' or 'phase'")
    return kind
