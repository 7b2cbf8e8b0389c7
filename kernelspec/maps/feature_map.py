"""The feature map: a plan with its random numbers drawn, and what it predicts on given rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import PlanError
from kernelspec.laws.law import Collisions
from kernelspec.maps.draw import draw_plan
from kernelspec.maps.drawn_plan import DrawnPlan
from kernelspec.planning.plan import plan_rows
from kernelspec.rendering.notebooks import coloured, folded, html_rows, latex_rows, preformatted
from kernelspec.samples.samples import Side
from kernelspec.tables.table_kinds import is_foreign_array, is_lazy

if TYPE_CHECKING:
    import pyarrow as pa
    from scipy.sparse import csr_array

    from kernelspec.maps.analyze import Analysis
    from kernelspec.maps.chunks import Precision
    from kernelspec.maps.description import MapDescription
    from kernelspec.maps.predicted_error import ErrorOnRows
    from kernelspec.planning.plan import Plan
    from kernelspec.random.streams import Hashes
    from kernelspec.tables.rows import Rows

__all__ = ["FeatureMap", "draw_map", "load_map"]


def draw_map(plan: Plan) -> FeatureMap:
    """The feature map of a plan: the same for the same plan."""
    return FeatureMap.of(draw_plan(plan))


def load_map(path: str | Path, *, redraw: bool = False) -> FeatureMap:
    """Read a map written by `FeatureMap.save`.

    A file from a stranger may hold a map of another kernel than it says, and nothing worse: all of it is checked before
    it is used, and no text in it is parsed. With `redraw` the text of its spec is parsed, the map is planned and drawn
    again as far as no data are needed, and a file that differs is refused.
    Raises FileError for a file that is missing, damaged, edited, not a feature map, or of another format version.
    """
    from kernelspec.maps.map_file import read_map

    drawn = read_map(path)
    if redraw:
        from kernelspec.maps.redrawn import check_redrawn

        check_redrawn(drawn, str(path))
    return FeatureMap.of(drawn)


@dataclass(frozen=True, eq=False, repr=False)
class FeatureMap(DrawnPlan):
    """left(X) · diag(signs) · right(Y)' estimates the kernel matrix; for symmetric kernels left is right.

    Without keys the features are a dense array, with keys CSR, if the plan does not say otherwise.
    """

    @classmethod
    def of(cls, drawn: DrawnPlan) -> Self:
        """The map whose samples these are."""
        return cls(drawn.plan, drawn.dense, drawn.keyed, drawn.occupied, drawn.correction, drawn.origin)

    def transform(
        self, X: Any, out: NDArray[Any] | None = None, *, side: Side | Literal["both"] | None = None
    ) -> NDArray[Any] | csr_array:
        """Features whose inner products estimate the kernel: (n, n_columns), of X's floating type.

        `out`, for dense features, is written to and returned; it is written to, too, where a row is refused later.
        `side="left"` and "right" are left(X) and right(X).
        `side="both"`, for linear models on asymmetric and indefinite kernels, has the left columns and then, for those
        columns whose sides differ, the right ones; both of these times √½, so that rows keep their size. Its inner
        products are those of a positive definite kernel with the same features, not of the kernel itself: a linear
        model finds the signs (columns of sign −1, of negative parts, are there like all others) and the pairing.
        Without a side the constant columns that go with `bits` stay empty: all inner products are larger by the same
        number, which an intercept absorbs.
        Raises DataError; PlanError for an `out` of another shape or type, read-only, or in the memory of X, and for an
        asymmetric or indefinite kernel if no side is named: one set of features alone would silently be that of another
        kernel.
        Of a `dask.array` or `dask.dataframe` it is a dask.array, computed when Dask is asked to: the same bits, however
        the rows are cut into chunks; sparse features in CSR blocks. Of an array of another library, torch's for one, it
        is one of that library on the same device, up to rounding; maps with keys have none.
        """
        from kernelspec.maps.transformed_rows import features_of_table

        self.check_side(side)
        if type(X) is not np.ndarray and (is_lazy(X) or is_foreign_array(X)):
            return self._elsewhere(X, out, side)

        return features_of_table(self, X, side, out)

    def blocks(
        self, X: Any, *, rows: int | None = None, side: Side | Literal["both"] | None = None
    ) -> Iterator[NDArray[Any] | csr_array]:
        """The features of consecutive rows, block by block: what `transform` gives for the whole, bit by bit.

        Blocks share one buffer, which the next block overwrites: use a block, or copy it, before asking for more.
        (Sparse blocks of both sides, and of a kernel without keys, have memory of their own.) Beyond X and that buffer
        there are at most 64 MB for each processor in memory, however many rows there are; a sparse matrix of another
        format than CSR is converted as a whole. `rows` at a time: by default as many as have features of about 32 MiB,
        and no more numbers than 16 MiB where these are copied. Raises ValueError for less than one; all that
        `transform` does, for a row when its block is asked for if rows are copied.
        """
        from kernelspec.maps.transformed_rows import ReusedFeatures, rows_at_a_time

        if rows is not None and (not isinstance(rows, Integral) or isinstance(rows, bool) or rows < 1):
            raise ValueError(f"a block has a whole number of rows, one at least, not {rows!r:.60}")
        self.check_side(side)
        from kernelspec.tables.layout import pieces_of

        most, reused = rows_at_a_time(self), ReusedFeatures(self, side)
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
        """Features of a stream of Arrow record batches, batch by batch: a reader, which is an iterator with a schema.

        What DuckDB, Polars, Spark's `mapInArrow` and Ray Data call (docs/engines.md). Any iterable of record batches
        goes in; a batch of features comes out for each, with the columns to `keep` before them: `batch_schema`. Columns
        are read by name where the map has names. Features are computed in the precision of the data or, if that is
        higher, of `dtype`. Raises PlanError for complex features, DataError; for a batch, what `transform` does.
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
        """The schema of what `map_batches` gives for batches whose schema is `given` (needed only for what is kept).

        A column of numbers for every feature; where features are sparse, the lists `indices` and `values` of a row.
        Raises PlanError for complex features; DataError for a column to keep that is not there, or is called like one
        of the features.
        """
        from kernelspec.maps.chunks import batch_schema

        return batch_schema(self, given, dtype, side, keep)

    def left(self, X: Any) -> NDArray[Any] | csr_array:
        """Features of the first argument of k(x, y), (n, n_columns). Of Dask's collections as `transform`."""
        from kernelspec.maps.transformed_rows import features_of_table

        if is_lazy(X) or is_foreign_array(X):
            return self._elsewhere(X, None, "left")

        return features_of_table(self, X, "left")

    def right(self, Y: Any) -> NDArray[Any] | csr_array:
        """Features of the second argument of k(x, y), (m, n_columns). Of Dask's collections as `transform`."""
        from kernelspec.maps.transformed_rows import features_of_table

        if is_lazy(Y) or is_foreign_array(Y):
            return self._elsewhere(Y, None, "right")

        return features_of_table(self, Y, "right")

    def approximate(self, X: Any, Y: Any = None) -> NDArray[np.float64]:
        """The estimate of k(x_i, y_j), (n, m). Keys are compared themselves, not their buckets.

        Raises DataError, also where numbers are too large for the kernel.
        """
        from kernelspec.maps.evaluation import approximate

        return approximate(self, *self._read(X, Y))

    def keys(self, X: Any, side: Side = "left") -> Hashes:
        """The keys of the rows, (n, samples), those of all keyed parts side by side: for locality-sensitive indexes.

        For a kernel of keys alone, two rows share the key of a sample with probability k(x, y), where `side` matters:
        key_L(x) = key_R(y). With factors of other kinds that is the probability for the keys' factor. Keys of
        different samples are never equal; all bits of a key are as good as random, so an index may take any of them.
        Raises DataError; PlanError for a map without keys.
        """
        if not self.has_keys:
            raise PlanError("the samples of this kernel have no keys: its features are dense")
        rows = self.plan.layout.read(X)
        parts = [part.keys(rows, side) for part in self.keyed]
        if len(parts) == 1:
            return parts[0]
        return np.hstack(parts) if parts else np.empty((len(rows), 0), dtype=np.uint64)

    def predicted_variance(self, X: Any, Y: Any = None, *, hashed: bool = True) -> NDArray[np.float64]:
        """Variance of the inner products of the features of X and Y, (n, m).

        With `hashed=False`, that of `approximate(X, Y)`, which compares the keys themselves: it leaves out what keys
        that share a column add, in buckets or because their categories are new.
        """
        from kernelspec.maps.predicted_error import predict_variance

        x, y = self._read(X, Y)
        return predict_variance(self.plan, x, y, self._collisions(hashed)) + self._of_sharing(x, y, hashed)

    def predicted_error(self, X: Any, Y: Any = None, *, hashed: bool = True) -> float:
        """√E‖K̂ − K‖²_F / ‖K‖_F of the kernel matrix of X and Y, K̂ the inner products of their features.

        By formula, or, for coupled samples and landmarks, as simulated on up to 512 of the rows. Compare it with the
        root mean square over many maps: one map alone scatters about it. `hashed=False` is about `approximate(X, Y)`
        instead, as in `predicted_variance`.
        """
        return self._error_on(X, Y, hashed).predicted()

    def predicted_error_interval(
        self, X: Any, Y: Any = None, *, coverage: float = 0.95, maps: int = 1, hashed: bool = True
    ) -> tuple[float, float]:
        """Where the relative error of this map on X and Y lies, with a probability of `coverage`.

        Or, with `maps`, the root mean square of the errors of this many maps of the plan, drawn independently.
        For maps with keys, and for normalized rows, 32 draws of the plan show how much the errors of maps scatter. Both
        ends are the predicted error for landmarks alone, which are not random.
        """
        return self._error_on(X, Y, hashed).interval(coverage, maps)

    def analyze(self, X: Any, *, replicates: int = 64) -> Analysis:
        """EXPLAIN ANALYZE: for landmarks and every stratum the share of the error, predicted and measured, and time.

        The error is E‖K̂ − K‖²_F / ‖K‖²_F on up to 128 of the rows of X, of every part as if the others were exact; they
        add up, as parts are independent. It is measured on `replicates` new draws of each part, and stands beside its
        standard error. What keys without columns add (`with_columns`) is left out. Raises DataError; PlanError for
        published estimators, whose mean is another, and fewer than 2 replicates.
        """
        from kernelspec.maps.analyze import analyze

        return analyze(self, self.plan.layout.read(X), replicates)

    def residual(self, X: Any) -> NDArray[np.float64]:
        """r(x) = k(x, x) - ‖h(x)‖² of every row, (n,), h the columns of the landmarks: what these leave, not negative.

        For any two rows |k(x, y) - h(x)·h(y)| ≤ √(r(x) r(y)) by Cauchy and Schwarz: a bound without statistics, on the
        error of method='nystrom', and on what the samples of method='landmarks' have to estimate. In floating point add
        1e-12 k(0) to each r. Raises DataError; PlanError for a map without landmarks, or a kernel that is a
        difference or asymmetric.
        """
        from kernelspec.maps.landmarks import residual

        return residual(self, self.plan.layout.read(X))

    def with_columns(self, X: Any) -> FeatureMap:
        """The same map with a column for every key met in X, instead of buckets; a map without keys is itself.

        Keys that are not met share a few columns, with random signs. Categories that the plan knows keep theirs.
        """
        return self.with_columns_of([self.plan.layout.read(X)])

    def count_unmet(self, X: Any) -> int:
        """How many (row, sample) entries of X have a key that was not met, where columns are those of keys that were.

        They share a few columns with random signs: products with them are unbiased, and vary more.
        """
        rows = self.plan.layout.read(X)
        return sum(encoding.count_unmet(part, rows) for part, encoding in self.encoded)

    def describe(self) -> MapDescription:
        """What the map is: spec, columns with types, categories by name, plan, rows planned on, and its file.

        `print` it, or take `to_dict()`. `kernelspec show FILE` prints the same.
        """
        from kernelspec.maps.description import MapDescription

        return MapDescription.of(self)

    def save(self, path: str | Path) -> None:
        """Write the map to a file (NumPy arrays and a JSON header; no pickle). Raises FileError.

        Warns KeptRowsWarning of a map with landmarks, which are rows of the data.
        """
        from kernelspec.maps.landmarks import kept_rows_shown, warn_of_kept_rows
        from kernelspec.maps.map_file import save_map

        warn_of_kept_rows(kept_rows_shown(self.plan))
        save_map(self, Path(path))

    def __repr__(self) -> str:
        return f"FeatureMap({self._size()}, {self.method}, seed {self.plan.seed})"

    def _repr_html_(self) -> str:
        """The spec, the size, the plan, and the whole explanation to be unfolded."""
        rows = html_rows("Feature map", self._rows())
        return coloured(self.plan.text) + rows + folded("explain()", preformatted(self.explain()))

    def _repr_latex_(self) -> str:
        return latex_rows(self._rows())

    def _rows(self) -> list[tuple[str, str]]:
        kind = "CSR" if self.is_sparse else "dense"
        return [("features", f"{self._size()}, {kind}"), *plan_rows(self.plan)]

    def _size(self) -> str:
        if not self.has_columns:
            return "columns to be learnt"
        return f"{self.n_columns} column{'s' if self.n_columns != 1 else ''}"

    def _elsewhere(
        self, X: Any, out: NDArray[Any] | None, side: Side | Literal["both"] | None
    ) -> NDArray[Any] | csr_array:
        from kernelspec.maps.array_features import transform_array
        from kernelspec.maps.chunks import transform_collection

        if out is not None:
            raise PlanError(f"the features of a {type(X).__name__} are not NumPy's: they cannot be written to out")
        transform = transform_collection if is_lazy(X) else transform_array
        features: NDArray[Any] = transform(self, X, side)  # with the methods of an array
        return features

    def _read(self, X: Any, Y: Any) -> tuple[Rows, Rows]:
        x = self.plan.layout.read(X)
        return x, x if Y is None else self.plan.layout.read(Y)

    def _error_on(self, X: Any, Y: Any, hashed: bool) -> ErrorOnRows:
        from kernelspec.maps.predicted_error import ErrorOnRows

        x, y = self._read(X, Y)
        sharing = float(np.sum(self._of_sharing(x, y, hashed)))
        return ErrorOnRows(self.plan, x, y, self._collisions(hashed), sharing)

    def _collisions(self, hashed: bool) -> Collisions | None:
        """What hashing adds to the variance; nothing where columns are learnt."""
        learnt = any(own is not None and not own.of_known_categories for own in self.occupied or ())
        return None if not hashed else Collisions.none() if learnt else self.plan.collisions or Collisions.none()

    def _of_sharing(self, x: Rows, y: Rows, hashed: bool) -> NDArray[np.float64] | float:
        """What keys add to the variance that were not met when columns were learnt."""
        if not hashed or self.occupied is None:
            return 0.0
        parts = [own.variance_of_sharing(part, x, y, self.plan.form) for part, own in self.encoded]
        return np.sum(parts, axis=0) if parts else 0.0
