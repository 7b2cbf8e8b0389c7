"""Dask collections and streams of Arrow record batches, chunk by chunk through one map.

A row's features depend on the row alone, so it does not matter where chunks begin. The map travels once to every
worker, as a node of the graph that all chunks depend on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from math import isnan
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from kernelspec.errors import DataError, PlanError
from kernelspec.loading import suggest
from kernelspec.maps.evaluation import empty_features, feature_type
from kernelspec.maps.transformed_rows import features_of_table
from kernelspec.numerics.threads import in_this_thread
from kernelspec.tables.parquet import feature_columns, feature_fields
from kernelspec.tables.rows import Rows
from kernelspec.tables.table_kinds import refuse_complex

if TYPE_CHECKING:
    import pyarrow as pa

    from kernelspec.maps.drawn_plan import DrawnPlan
    from kernelspec.samples.samples import Side

__all__ = ["Precision", "batch_schema", "transform_batches", "transform_collection"]


def transform_collection(drawn: DrawnPlan, X: Any, side: Side | Literal["both"] | None) -> Any:
    """`FeatureMap.transform` of a Dask array or data frame: a dask.array (n, columns) that nothing is computed for.

    Its chunks are those of the rows of X, arrays or, where the map has keys, CSR blocks. Columns in several chunks are
    brought together first. Raises DataError for any other collection, and for columns that do not fit the map; all
    others that `transform` raises come when chunks are computed, and name the chunk.
    """
    from dask import delayed

    ndim = getattr(type(X), "ndim", None) and X.ndim  # a delayed object has every attribute, of any name
    if ndim != 2 or not (hasattr(X, "map_blocks") or hasattr(X, "map_partitions")):
        raise DataError(
            f"Dask's {type(X).__name__} is no table of rows and columns: give a dask.array of two dimensions, or a "
            "dask.dataframe"
        )
    n_columns = drawn.n_columns_of(side)
    if hasattr(X, "map_blocks"):
        if isnan(X.shape[1]):
            raise DataError("how many columns the dask.array has is not known: call X.compute_chunk_sizes() first")
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
    meta = empty_features(drawn, n_columns, kind)  # of frames Dask keeps the shape of it only
    return type(features)(features.dask, features.name, features.chunks, dtype=kind, meta=meta)


class _Applied:
    """A map, the side that is asked for, and what comes out."""

    def __init__(
        self, drawn: DrawnPlan, side: Side | Literal["both"] | None, n_columns: int, kind: np.dtype[Any]
    ) -> None:
        self._drawn, self._side, self._n_columns, self._kind = drawn, side, n_columns, kind

    def features_of(self, rows: Any, where: str) -> Any:
        """The features of one chunk. Raises what `transform` does, with the name of the chunk."""
        if not rows.shape[0]:
            return empty_features(self._drawn, self._n_columns, self._kind)
        try:
            with in_this_thread():  # Dask has other chunks for the other processors
                features = features_of_table(self._drawn, rows, self._side)
        except DataError as error:
            raise type(error)(f"{where}: {error}") from None
        if features.dtype != self._kind:
            raise DataError(f"{where}: its features are {features.dtype}, and by the types of the whole {self._kind}")
        return features


def features_of_chunk(rows: Any, applied: _Applied, block_id: tuple[int, ...] | None = None) -> Any:
    return applied.features_of(rows, "a chunk" if block_id is None else f"chunk {block_id[0]}")


def features_of_partition(rows: Any, applied: _Applied, partition_info: dict[str, int] | None = None) -> Any:
    return applied.features_of(
        rows, "a partition" if partition_info is None else f"partition {partition_info['number']}"
    )


Precision = Literal["float32", "float64"]
"""The type of the features in a stream, which is settled before the first row is seen."""


def batch_schema(
    drawn: DrawnPlan,
    given: pa.Schema | None,
    dtype: Precision,
    side: Side | Literal["both"] | None,
    keep: Sequence[str],
) -> pa.Schema:
    """The columns of `given` that are kept, and then the features; `given` may be None where nothing is kept.

    Dense features have a column each; sparse ones the columns `indices` and `values`, lists of equal length.
    Raises DataError for a column to keep that is not there or is called like a feature; PlanError for complex features.
    """
    import pyarrow as pa

    kind = _checked(drawn, dtype)
    if drawn.is_sparse:
        fields = [
            pa.field("indices", _list_type(pa.int32()), nullable=False),
            pa.field("values", _list_type(pa.from_numpy_dtype(kind)), nullable=False),
        ]
    else:
        fields = feature_fields(drawn.names(side or "left"), kind)
    if isinstance(keep, str):
        raise DataError(f"keep is a list of names, as in keep=['{keep}']")
    if not isinstance(keep, Sequence):
        raise DataError(f"keep is a list of names, not {keep!r:.60}")
    own, taken = [] if given is None else given.names, {field.name for field in fields}
    for i, name in enumerate(keep):
        if own.count(name) != 1:
            raise DataError(f"there is no one column '{name}' to keep{suggest(name, own)}")
        if name in taken:
            raise DataError(f"the column '{name}' cannot be kept: a column of the features has its name")
        if name in keep[:i]:
            raise DataError(f"the column '{name}' is to be kept twice")
    return pa.schema([*(given.field(name) for name in keep), *fields] if given is not None else fields)


def transform_batches(
    drawn: DrawnPlan,
    batches: Iterable[Any],
    dtype: Precision,
    side: Side | Literal["both"] | None,
    keep: Sequence[str],
) -> pa.RecordBatchReader:
    """The features of every batch, as it is asked for: a reader, which is an iterator that states its schema.

    Where there is neither a batch nor a schema, as in an empty partition of Spark, columns that are kept have Arrow's
    type null. Raises what `batch_schema` does, and DataError for anything else than batches; as batches are read, what
    `transform` does, with the number of the batch.
    """
    import pyarrow as pa

    if isinstance(batches, pa.RecordBatch):
        batches = pa.Table.from_batches([batches])
    if hasattr(type(batches), "columns") and not isinstance(batches, pa.Table):
        raise DataError(f"record batches of Arrow are needed, not a {type(batches).__name__}: make it a pyarrow.Table")
    given = batches.schema if isinstance(batches, pa.RecordBatchReader | pa.Table) else None
    if not isinstance(batches, Iterable | pa.Table):
        raise DataError(f"record batches of Arrow are needed, not {batches!r:.60}")
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
    import pyarrow as pa

    kind = _checked(drawn, dtype)
    for number, batch in enumerate(stream):
        _check_batch(number, batch)
        for name in keep:
            kept, own = schema.field(name).type, batch.schema.names.count(name)
            if own != 1 or batch.schema.field(name).type != kept:
                raise DataError(f"batch {number}: has no one column '{name}' of type {kept}, which is to be kept")
        try:
            features = _features(drawn, batch, kind, side)
        except DataError as error:
            raise type(error)(f"batch {number}: {error}") from None
        kept = [batch.column(name) for name in keep]
        columns = _lists(features, kind) if drawn.is_sparse else feature_columns(features, kind)
        yield pa.RecordBatch.from_arrays([*kept, *columns], schema=schema)


def _check_batch(number: int, batch: Any) -> None:
    import pyarrow as pa

    if not isinstance(batch, pa.RecordBatch):
        raise DataError(f"batch {number}: a record batch of Arrow is needed, not a {type(batch).__name__}")


def _features(drawn: DrawnPlan, batch: Any, kind: np.dtype[Any], side: Side | Literal["both"] | None) -> Any:
    """The features of a batch, computed in the precision of its numbers or, if that is higher, of what is asked for."""
    import pyarrow as pa

    if not batch.num_rows:
        return empty_features(drawn, drawn.n_columns_of(side), kind)
    rows = drawn.plan.layout.read(pa.Table.from_batches([batch]))
    if kind == np.float64:
        rows = Rows(rows.numbers.astype(np.float64, copy=False), rows.categories)
    return features_of_table(drawn, rows, side)


def _lists(features: Any, kind: np.dtype[Any]) -> list[pa.Array]:
    """The indices and the values of sparse features, a list for every row."""
    import pyarrow as pa

    starts = pa.array(features.indptr.astype(np.int32))
    return [
        pa.ListArray.from_arrays(starts, pa.array(features.indices.astype(np.int32)), type=_list_type(pa.int32())),
        pa.ListArray.from_arrays(
            starts, pa.array(features.data.astype(kind)), type=_list_type(pa.from_numpy_dtype(kind))
        ),
    ]


def _list_type(kind: pa.DataType) -> pa.DataType:
    import pyarrow as pa

    return pa.list_(pa.field("item", kind, nullable=False))


def _checked(drawn: DrawnPlan, dtype: Precision) -> np.dtype[Any]:
    if dtype not in ("float32", "float64"):
        raise PlanError(f"dtype must be 'float32' or 'float64', not {dtype!r:.60}")
    kind = np.dtype(dtype)
    if feature_type(drawn, kind).kind == "c":
        raise PlanError("the features are complex, and Arrow has no complex numbers: use method='paired' or 'phase'")
    return kind
