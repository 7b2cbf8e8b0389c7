"""The feature map: a drawn plan, with its transforms and predictions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from kernelspec.catalogue import FaultsNamed, names_faults
from kernelspec.errors import PlanError
from kernelspec.laws.law import Collisions
from kernelspec.maps.draw import draw_plan
from kernelspec.maps.drawn_plan import DrawnPlan
from kernelspec.maps.landmarks import kept_rows_shown, warn_of_kept_rows
from kernelspec.planning.options import check_coverage
from kernelspec.planning.plan import Plan, plan_rows
from kernelspec.random.streams import Hashes
from kernelspec.rendering.notebooks import coloured, folded, html_rows, latex_rows, preformatted
from kernelspec.samples.samples import SIDES, Side
from kernelspec.tables.layout import pieces_of
from kernelspec.tables.rows import Rows
from kernelspec.tables.table_kinds import as_table, is_foreign_array, is_lazy

if TYPE_CHECKING:
    import pyarrow as pa
    from matplotlib.figure import Figure
    from scipy.sparse import csr_array

    from kernelspec.maps.analyze import Analysis
    from kernelspec.maps.chunks import Precision
    from kernelspec.maps.description import MapDescription
    from kernelspec.maps.pictures import WhatOfMaps
    from kernelspec.maps.predicted_error import ErrorOnRows

__all__ = ["FeatureMap", "draw_map", "load_map"]


def draw_map(plan: Plan) -> FeatureMap:
    """The feature map of a plan: the same for the same plan."""
    return FeatureMap.of(draw_plan(plan))


@FaultsNamed()
def load_map(path: str | Path, *, redraw: bool = False) -> FeatureMap:
    """Read a map written by `FeatureMap.save`.

    A file from an untrusted source may contain a map of another kernel than it says, but nothing worse: everything is
    checked before use, and no text in it is parsed. With `redraw`, the spec in the file is parsed, and the map is
    planned and drawn again as far as no data are needed; a file that differs is rejected. Raises FileError for a file
    that is missing, damaged, edited, not a feature map, or of another format version.
    """
    from kernelspec.maps.map_file import read_map

    drawn = read_map(path)
    if redraw:
        from kernelspec.maps.redrawn import check_redrawn

        check_redrawn(drawn, str(path))
    return FeatureMap.of(drawn)


@names_faults
@dataclass(frozen=True, eq=False, repr=False)
class FeatureMap(DrawnPlan):
    """left(X) · diag(signs) · right(Y)' estimates the kernel matrix; for symmetric kernels left is right.

    Without keys the features are a dense array, with keys CSR, unless the plan says otherwise.
    """

    @classmethod
    def of(cls, drawn: DrawnPlan) -> Self:
        """The map whose samples these are."""
        return cls(drawn.plan, drawn.dense, drawn.keyed, drawn.occupied, drawn.correction, drawn.origin)

    def transform(
        self, X: Any, out: NDArray[Any] | None = None, *, side: Side | Literal["both"] | None = None
    ) -> NDArray[Any] | csr_array:
        """Compute features whose inner products estimate the kernel: (n, n_columns), of X's floating type.

        `out`, for dense features, is written to and returned, also if a later row is rejected. `side="left"` and
        "right" are left(X) and right(X). `side="both"`, for linear models on asymmetric and indefinite kernels, has the
        left columns and then, for those columns whose sides differ, the right ones; both of these times √½, so that
        rows keep their norm. Its inner products are those of a positive definite kernel with the same features, not of
        the kernel itself: a linear model finds the signs (columns of sign −1, from negative parts, are included) and
        the pairing. Without a side, the constant columns of `bits` stay empty, so all inner products are larger by the
        same number, which an intercept absorbs.

        For a `dask.array` or `dask.dataframe` the result is a dask.array, computed lazily: the same bits for any
        chunks; sparse features in CSR blocks. For an array of another library, such as torch, it is an array of that
        library on the same device, equal up to rounding; maps with keys do not support this.

        Raises DataError; PlanError for an `out` of another shape or type, read-only, or in the memory of X, and for an
        asymmetric or indefinite kernel without a side: one set of features alone would silently represent another
        kernel.
        """
        from kernelspec.maps.transformed_rows import features_of_table

        self.check_side(side)
        if type(X) is np.ndarray or not (is_lazy(X) or is_foreign_array(X)):
            return features_of_table(self, X, side, out)
        from kernelspec.maps.array_features import transform_array
        from kernelspec.maps.chunks import transform_collection

        if out is not None:
            raise PlanError(
                f"the features of a {type(X).__name__} are not NumPy arrays, so they cannot be written to out"
            )
        features: NDArray[Any] = (transform_collection if is_lazy(X) else transform_array)(self, X, side)
        return features  # an array type with all methods

    def to_onnx(self) -> Any:
        """The map as an `onnx.ModelProto`: from named columns (n, 1) to the output `features`, (n, n_columns), dense.

        Inputs are text or float64, with dates as days since 1970-01-01. Equal to `transform` up to rounding, without
        its checks of rows; but features that `transform` hashes for categories not in the data are 0. Raises
        MissingPackageError without onnx; PlanError, naming it, for what ONNX cannot compute: hashed keys and special
        functions.
        """
        from kernelspec.maps.onnx import onnx_model

        return onnx_model(self, lambda features, _: {"features": features})

    def blocks(
        self, X: Any, *, rows: int | None = None, side: Side | Literal["both"] | None = None
    ) -> Iterator[NDArray[Any] | csr_array]:
        """Yield the features of consecutive rows in blocks, bit for bit those of `transform`.

        Blocks share one buffer, which the next block overwrites: use or copy a block before requesting the next.
        (Sparse blocks of both sides, and of a kernel without keys, have their own memory.) Besides X and that buffer,
        at most 64 MB per CPU are used, for any number of rows; a sparse matrix of another format than CSR is converted
        as a whole. `rows` at a time: by default as many as have features of about 32 MiB, and at most 16 MiB of numbers
        if these are copied. Raises ValueError for `rows` below one, and the errors of `transform`; if rows are copied,
        when their block is requested.
        """
        from kernelspec.maps.transformed_rows import ReusedFeatures, rows_at_a_time

        if rows is not None and (not isinstance(rows, Integral) or isinstance(rows, bool) or rows < 1):
            raise ValueError(f"rows must be a whole number, at least 1, not {rows!r:.60}")
        self.check_side(side)
        most, reused = rows_at_a_time(self), ReusedFeatures(self, side)
        X = X if isinstance(X, Rows) else as_table(X)  # a stream can be read only once
        parts = pieces_of(self.plan.layout, X, rows, most=most)
        return (reused.of(part) for _, part in parts or self.plan.layout.read(X).blocks(rows or most))

    def map_batches(
        self,
        batches: Iterable[Any],
        *,
        dtype: Precision = "float64",
        side: Side | Literal["both"] | None = None,
        keep: Sequence[str] = (),
    ) -> pa.RecordBatchReader:
        """Features of a stream of Arrow record batches, batch by batch: a reader, an iterator with a schema.

        For DuckDB, Polars, Spark's `mapInArrow` and Ray Data (docs/how-to/scale_out.md). Accepts any iterable of record
        batches, and returns a batch of features for each, with the columns to `keep` first: `batch_schema`. Columns are
        read by name if the map has names. Features have the precision of the data, or that of `dtype` if higher. Raises
        PlanError for complex features, DataError; for a batch, the errors of `transform`.
        """
        from kernelspec.maps.chunks import transform_batches

        self.check_side(side)
        return transform_batches(self, batches, dtype, side, keep)

    def batch_schema(
        self,
        given: pa.Schema | None = None,
        *,
        dtype: Precision = "float64",
        side: Side | Literal["both"] | None = None,
        keep: Sequence[str] = (),
    ) -> pa.Schema:
        """The schema of `map_batches` for batches with schema `given` (needed only for kept columns).

        A numeric column per feature; if features are sparse, the lists `indices` and `values` of a row. Raises
        PlanError for complex features; DataError for a column to keep that is missing, or has the name of a feature.
        """
        from kernelspec.maps.chunks import batch_schema

        return batch_schema(self, given, dtype, side, keep)

    def left(self, X: Any) -> NDArray[Any] | csr_array:
        """Features of the first argument of k(x, y), (n, n_columns). Dask collections: see `transform`."""
        return self.transform(X, side="left")

    def right(self, Y: Any) -> NDArray[Any] | csr_array:
        """Features of the second argument of k(x, y), (m, n_columns). Dask collections: see `transform`."""
        return self.transform(Y, side="right")

    def approximate(self, X: Any, Y: Any = None) -> NDArray[np.float64]:
        """The estimate of k(x_i, y_j), (n, m), comparing keys themselves, not their buckets.

        Raises DataError, also if numbers are too large for the kernel.
        """
        from kernelspec.maps.evaluation import approximate

        return approximate(self, *self._read(X, Y))

    def keys(self, X: Any, side: Side = "left") -> Hashes:
        """The hash keys of the rows, (n, samples), of all keyed parts: for locality-sensitive indexes.

        For a kernel of keys alone, two rows share the key of a sample with probability k(x, y) (key_L(x) = key_R(y) if
        sides differ). With factors of other kinds, it is the probability of the keys' factor. Keys of different samples
        are never equal; all bits of a key look random, so an index may use any of them. Raises DataError; PlanError for
        a map without keys.
        """
        if side not in SIDES:
            raise PlanError(f"side must be 'left' or 'right', not {side!r:.60}")
        if not self.has_keys:
            raise PlanError("the samples of this kernel have no keys: its features are dense")
        rows = self.plan.layout.read(X)
        parts = [part.keys(rows, side) for part in self.keyed]
        if len(parts) == 1:
            return parts[0]
        return np.hstack(parts) if parts else np.empty((len(rows), 0), dtype=np.uint64)

    def predicted_variance(self, X: Any, Y: Any = None, *, hashed: bool = True) -> NDArray[np.float64]:
        """Variance of the inner products of the features of X and Y, (n, m).

        With `hashed=False`, that of `approximate(X, Y)`, which compares keys themselves: it excludes the variance of
        keys that share a column, in buckets or because they are unknown.
        """
        from kernelspec.maps.predicted_error import predict_variance

        x, y = self._read(X, Y)
        return predict_variance(self.plan, x, y, self._collisions(hashed)) + self._of_sharing(x, y, hashed)

    def predicted_error(self, X: Any, Y: Any = None, *, hashed: bool = True) -> float:
        """√E‖K̂ − K‖²_F / ‖K‖_F of the kernel matrix of X and Y, K̂ the inner products of their features.

        By formula or, for coupled samples and landmarks, simulated on up to 512 of the rows. Compare it with the root
        mean square over many maps: single maps scatter around it. `hashed=False` refers to `approximate(X, Y)` instead,
        as in `predicted_variance`. Infinite if single samples have no second moment. Raises PlanError for shortened
        keys (`zero_bit=True`), whose bias has no formula.
        """
        return self._error_on(X, Y, hashed).predicted()

    def predicted_error_interval(
        self, X: Any, Y: Any = None, *, coverage: float = 0.95, maps: int = 1, hashed: bool = True
    ) -> tuple[float, float]:
        """An interval, with probability `coverage`, for the relative error of this map on X and Y.

        Or, with `maps`, for the root mean square of the errors of that many independent maps of the plan. For maps with
        keys, and for normalized rows, 32 draws of the plan show the scatter of the errors. For landmarks alone, which
        are not random, both ends equal the predicted error. Raises PlanError for a coverage outside (0, 1), and fewer
        than one map.
        """
        check_coverage(coverage)
        if not isinstance(maps, Integral) or maps < 1:
            raise PlanError(f"maps must be a whole number from 1 on, not {maps!r:.60}")
        return self._error_on(X, Y, hashed).interval(coverage, maps)

    def analyze(self, X: Any, *, replicates: int = 64) -> Analysis:
        """EXPLAIN ANALYZE: for landmarks and every stratum, the share of the error, predicted and measured, and time.

        The error is E‖K̂ − K‖²_F / ‖K‖²_F on up to 128 of the rows of X, of every part as if the others were exact;
        they add up, because parts are independent. It is measured on `replicates` new draws of each part, with its
        standard error. Excludes the variance of keys without columns (`with_columns`). Raises DataError; PlanError for
        published (biased) estimators, and fewer than 2 replicates.
        """
        from kernelspec.maps.analyze import analyze

        return analyze(self, self.plan.layout.read(X), replicates)

    def plot(self, X: Any = None, what: WhatOfMaps | None = None, *, dark: bool | None = None) -> Figure:
        """Pictures of the map, side by side; or `what`, one of "features", "bins", "landmarks", "error".

        Features are the sampled frequencies (on one column their histogram, else the first two columns), bins those of
        the keys along a column, landmarks those among the rows of X. The error is ‖K̂ − K‖_F / ‖K‖_F on up to 128 rows
        of X, predicted and measured on six maps, for the plan with a 16th, an 8th, … of its samples. `dark` is for dark
        backgrounds; None follows matplotlib's style. Raises DataError, PlanError for a picture that the map does not
        have, MissingPackageError without matplotlib.
        """
        from kernelspec.maps.pictures import plot_map

        return plot_map(self, None if X is None else self.plan.layout.read(X), what, dark)

    def residual(self, X: Any) -> NDArray[np.float64]:
        """r(x) = k(x, x) - ‖h(x)‖² of every row, (n,), h the landmark columns: their remainder, which is nonnegative.

        For any two rows |k(x, y) - h(x)·h(y)| ≤ √(r(x) r(y)) by Cauchy and Schwarz: a deterministic bound on the error
        of method='nystrom', and on what the samples of method='landmarks' have to estimate. Add 1e-12 k(0) to each r
        for rounding. Raises DataError; PlanError for a map without landmarks, or a kernel that is a difference or
        asymmetric.
        """
        from kernelspec.maps.landmarks import residual

        return residual(self, self.plan.layout.read(X))

    def with_columns(self, X: Any) -> FeatureMap:
        """The same map with a column for every key in X, instead of buckets; a map without keys returns itself.

        Unknown keys share a few columns, with random signs. Categories in the plan keep their columns.
        """
        return self.with_columns_of([self.plan.layout.read(X)])

    def count_unmet(self, X: Any) -> int:
        """The number of (row, sample) entries of X with unknown keys, if columns belong to known ones.

        They share a few columns with random signs: products with them are unbiased, but vary more.
        """
        rows = self.plan.layout.read(X)
        return sum(encoding.count_unmet(part, rows) for part, encoding in self.encoded)

    def describe(self) -> MapDescription:
        """Describe the map: spec, columns with types, categories by name, plan, rows planned on, and its file.

        `print` it, or use `to_dict()`. `kernelspec show FILE` prints the same.
        """
        from kernelspec.maps.description import MapDescription

        return MapDescription.of(self)

    def save(self, path: str | Path) -> None:
        """Write the map to a file (NumPy arrays and a JSON header; no pickle). Raises FileError.

        Warns KeptRowsWarning for a map with landmarks, which are rows of the data.
        """
        from kernelspec.maps.map_file import save_map

        warn_of_kept_rows(kept_rows_shown(self.plan))
        save_map(self, path)

    def __repr__(self) -> str:
        return f"FeatureMap({self._size()}, {self.method}, seed {self.plan.seed})"

    def _repr_html_(self) -> str:
        """The spec, the size, the plan, and the expandable full explanation."""
        rows = html_rows("Feature map", self._rows())
        return coloured(self.plan.text) + rows + folded("explain()", preformatted(self.explain()))

    def _repr_latex_(self) -> str:
        return latex_rows(self._rows())

    def _rows(self) -> list[tuple[str, str]]:
        kind = "CSR" if self.is_sparse else "dense"
        return [("features", f"{self._size()}, {kind}"), *plan_rows(self.plan)]

    def _size(self) -> str:
        if not self.has_columns:
            return "columns not learned yet"
        return f"{self.n_columns} column{'s' if self.n_columns != 1 else ''}"

    def _read(self, X: Any, Y: Any) -> tuple[Rows, Rows]:
        x = self.plan.layout.read(X)
        return x, x if Y is None else self.plan.layout.read(Y)

    def _error_on(self, X: Any, Y: Any, hashed: bool) -> ErrorOnRows:
        from kernelspec.maps.predicted_error import ErrorOnRows

        x, y = self._read(X, Y)
        sharing = float(np.sum(self._of_sharing(x, y, hashed)))
        return ErrorOnRows(self.plan, x, y, self._collisions(hashed), sharing)

    def _collisions(self, hashed: bool) -> Collisions | None:
        """The variance added by hashing; None if columns are learned."""
        learnt = any(own is not None and not own.of_known_categories for own in self.occupied or ())
        return None if not hashed else Collisions.none() if learnt else self.plan.collisions or Collisions.none()

    def _of_sharing(self, x: Rows, y: Rows, hashed: bool) -> NDArray[np.float64] | float:
        """The variance added by keys that were unknown when columns were learned."""
        if not hashed or self.occupied is None:
            return 0.0
        parts = [own.variance_of_sharing(part, x, y, self.plan.form) for part, own in self.encoded]
        return np.sum(parts, axis=0) if parts else 0.0
