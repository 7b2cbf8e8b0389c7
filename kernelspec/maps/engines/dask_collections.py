"""Collections of Dask, lazily: every chunk of rows through the same map, the bits that one machine would have.

A row's features depend on the row alone, so it does not matter where chunks begin. The map travels once to every
worker, as a node of the graph that all chunks depend on.
"""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from kernelspec.errors import DataError
from kernelspec.maps.evaluation import empty_features, feature_type
from kernelspec.numerics.threads import in_this_thread
from kernelspec.tables.table_kinds import refuse_complex

if TYPE_CHECKING:
    from kernelspec.maps.feature_map import FeatureMap
    from kernelspec.samples.samples import Side

__all__ = ["transform_collection"]


def transform_collection(fmap: FeatureMap, X: Any, side: Side | Literal["both"] | None) -> Any:
    """`fmap.transform` of a `dask.array` or `dask.dataframe`: a dask.array (n, columns) that nothing is computed for.

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
    n_columns = fmap.n_columns_of(side)
    if hasattr(X, "map_blocks"):
        if isnan(X.shape[1]):
            raise DataError("how many columns the dask.array has is not known: call X.compute_chunk_sizes() first")
        refuse_complex(X)
        kind = feature_type(fmap, fmap.plan.layout.number_type(X))
        node = delayed(_Applied(fmap, side, n_columns, kind), traverse=False)
        return X.rechunk({1: -1}).map_blocks(
            features_of_chunk,
            applied=node,
            dtype=kind,
            chunks=(X.chunks[0], (n_columns,)),
            meta=empty_features(fmap, n_columns, kind),
        )
    kind = feature_type(fmap, fmap.plan.layout.number_type(X._meta))
    node = delayed(_Applied(fmap, side, n_columns, kind), traverse=False)
    dense = np.empty((0, n_columns), dtype=kind)
    features = X.map_partitions(features_of_partition, node, meta=dense)
    if not fmap.is_sparse:
        return features
    meta = empty_features(fmap, n_columns, kind)  # of frames Dask keeps the shape of it only
    return type(features)(features.dask, features.name, features.chunks, dtype=kind, meta=meta)


class _Applied:
    """A map, the side that is asked for, and what comes out."""

    def __init__(
        self, fmap: FeatureMap, side: Side | Literal["both"] | None, n_columns: int, kind: np.dtype[Any]
    ) -> None:
        self._fmap, self._side, self._n_columns, self._kind = fmap, side, n_columns, kind

    def features_of(self, rows: Any, where: str) -> Any:
        """The features of one chunk. Raises what `transform` does, with the name of the chunk."""
        if not rows.shape[0]:
            return empty_features(self._fmap, self._n_columns, self._kind)
        try:
            with in_this_thread():  # Dask has other chunks for the other processors
                features = self._fmap.transform(rows, side=self._side)
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
