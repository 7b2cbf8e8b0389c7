"""Streams of Arrow record batches: what DuckDB, Polars, Spark and Ray hand over, and take back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from kernelspec.errors import DataError, PlanError
from kernelspec.files.arrow_features import feature_columns, feature_fields
from kernelspec.maps.evaluation import empty_features, feature_type
from kernelspec.suggestion import suggest
from kernelspec.tables.rows import Rows

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped,unused-ignore]

    from kernelspec.maps.feature_map import FeatureMap
    from kernelspec.samples.samples import Side

__all__ = ["Precision", "batch_schema", "transform_batches"]

Precision = Literal["float32", "float64"]
"""The type of the features in a stream, which is settled before the first row is seen."""


def batch_schema(
    fmap: FeatureMap,
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

    kind = _checked(fmap, dtype)
    if fmap.is_sparse:
        fields = [
            pa.field("indices", _list_type(pa.int32()), nullable=False),
            pa.field("values", _list_type(pa.from_numpy_dtype(kind)), nullable=False),
        ]
    else:
        fields = feature_fields(fmap.names(side or "left"), kind)
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
    fmap: FeatureMap,
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
    schema = batch_schema(fmap, given, dtype, side, keep)
    return pa.RecordBatchReader.from_batches(schema, _transformed(fmap, stream, schema, dtype, side, keep))


def _transformed(
    fmap: FeatureMap,
    stream: Iterator[Any],
    schema: pa.Schema,
    dtype: Precision,
    side: Side | Literal["both"] | None,
    keep: Sequence[str],
) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    kind = _checked(fmap, dtype)
    for number, batch in enumerate(stream):
        _check_batch(number, batch)
        for name in keep:
            kept, own = schema.field(name).type, batch.schema.names.count(name)
            if own != 1 or batch.schema.field(name).type != kept:
                raise DataError(f"batch {number}: has no one column '{name}' of type {kept}, which is to be kept")
        try:
            features = _features(fmap, batch, kind, side)
        except DataError as error:
            raise type(error)(f"batch {number}: {error}") from None
        kept = [batch.column(name) for name in keep]
        columns = _lists(features, kind) if fmap.is_sparse else feature_columns(features, kind)
        yield pa.RecordBatch.from_arrays([*kept, *columns], schema=schema)


def _check_batch(number: int, batch: Any) -> None:
    import pyarrow as pa

    if not isinstance(batch, pa.RecordBatch):
        raise DataError(f"batch {number}: a record batch of Arrow is needed, not a {type(batch).__name__}")


def _features(fmap: FeatureMap, batch: Any, kind: np.dtype[Any], side: Side | Literal["both"] | None) -> Any:
    """The features of a batch, computed in the precision of its numbers or, if that is higher, of what is asked for."""
    import pyarrow as pa

    if not batch.num_rows:
        return empty_features(fmap, fmap.n_columns_of(side), kind)
    rows = fmap.plan.layout.read(pa.Table.from_batches([batch]))
    if kind == np.float64:
        rows = Rows(rows.numbers.astype(np.float64, copy=False), rows.categories)
    return fmap.transform(rows, side=side)


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


def _checked(fmap: FeatureMap, dtype: Precision) -> np.dtype[Any]:
    if dtype not in ("float32", "float64"):
        raise PlanError(f"dtype must be 'float32' or 'float64', not {dtype!r:.60}")
    kind = np.dtype(dtype)
    if feature_type(fmap, kind).kind == "c":
        raise PlanError("the features are complex, and Arrow has no complex numbers: use method='paired' or 'phase'")
    return kind
