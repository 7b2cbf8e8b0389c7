"""The feature map: a plan with its random numbers drawn, and what it predicts on given rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import PlanError
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.laws.keys import Collisions
from kernelspec.maps.columns.learned import CategoryBlocks
from kernelspec.maps.drawn_plan import DrawnPlan
from kernelspec.maps.evaluation import (
    check_estimates,
    evaluate_anchored,
    evaluate_dense,
    losses_of_keyed,
    warn_of_rounding,
)
from kernelspec.maps.landmarks import warn_of_kept_rows
from kernelspec.maps.transformed_rows import ReusedFeatures, features_of_table, rows_at_a_time
from kernelspec.numerics.threads import single_threaded
from kernelspec.planning.landmarks.landmarks import ROUNDING, CompiledPairs, Residual
from kernelspec.planning.landmarks.simulated import (
    JudgedRows,
    MeasuredError,
    PairWeights,
    RowsScatter,
    can_simulate,
    error_interval,
)
from kernelspec.planning.plan import plan_rows
from kernelspec.planning.strata import kernel_value
from kernelspec.rendering.notebooks import coloured, folded, html_rows, latex_rows, preformatted
from kernelspec.samples.samples import Side
from kernelspec.tables.pieces import pieces_of
from kernelspec.tables.table_kinds import is_foreign_array, is_lazy

if TYPE_CHECKING:
    import pyarrow as pa
    from scipy.sparse import csr_array

    from kernelspec.maps.analyze import Analysis
    from kernelspec.maps.engines.collections import Precision
    from kernelspec.planning.plan import Plan
    from kernelspec.random.streams import Hashes
    from kernelspec.tables.rows import Rows

__all__ = ["ErrorOnRows", "FeatureMap", "predict_variance"]

_SIDE_BY_SIDE = 512
"""Rows of x per block."""

_SIMULATED = 512
"""Rows on either side on which draws are simulated: all, or a sample with those far from the landmarks."""


def predict_variance(plan: Plan, x: Rows, y: Rows, collisions: Collisions | None = None) -> NDArray[np.float64]:
    """Variance of the estimate of k(x_i, y_j), (n, m); with `collisions`, of features with hashed keys."""
    blocks = [plan.variance(NumericPairs(block, y), collisions) for _, block in x.blocks(_SIDE_BY_SIDE)]
    return np.concatenate(blocks)


@dataclass(frozen=True, eq=False)
class ErrorOnRows:
    """‖K̂ − K‖_F / ‖K‖_F for K = (k(x_i, y_j)): √ of its mean square over maps, and where that of some maps lies.

    By formula where there is one. The errors of coupled samples and of what landmarks leave are simulated on these very
    rows: a ratio to independent samples that was measured on other rows does not hold for rows far from them.
    `more_variance`, in all, is added to what the plan predicts.
    """

    plan: Plan
    x: Rows
    y: Rows
    collisions: Collisions | None = None
    more_variance: float = 0.0

    def predicted(self) -> float:
        """√E‖K̂ − K‖²_F / ‖K‖_F; 0 only where K is zero, or the plan is exact."""
        if self._is_simulated:
            measured, size, _ = self._measured
            error = measured.total + self.more_variance
        else:
            error, size = self._by_formula()
        found = float(np.sqrt(error / size)) if size else 0.0
        return found if self.plan.exactness or not size else max(found, ROUNDING)

    def simulated_parts(self) -> list[float] | None:
        """What every stratum adds to E‖K̂ − K‖²_F; None if there is a formula."""
        if not self._is_simulated:
            return None
        return [factor * own.variance for factor, own, _ in self._measured[0].parts]

    def interval(self, coverage: float, maps: int) -> tuple[float, float]:
        """Where √ of the mean square of ‖K̂ − K‖_F / ‖K‖_F over `maps` maps lies, with a probability of `coverage`."""
        error = self.predicted()
        if not can_simulate(self.plan.strata) or self.plan.normalized or self.plan.chosen.is_biased:
            return error, error
        found, _, rows = self._measured
        low, high = error_interval(error, found, maps=maps, coverage=coverage, rows=rows)
        return (low, high) if self.plan.exactness else (max(low, ROUNDING), max(high, ROUNDING))

    @property
    def _is_simulated(self) -> bool:
        plan, chosen = self.plan, self.plan.chosen
        if not plan.is_measured or chosen.is_biased or plan.normalized or not can_simulate(plan.strata):
            return False
        return plan.anchors is not None or plan.form == "paired" or not chosen.is_complex  # else there are offsets, too

    def _by_formula(self) -> tuple[float, float]:
        """E‖K̂ − K‖²_F and ‖K‖²_F."""
        error, size = self.more_variance, 0.0
        for _, block in self.x.blocks(_SIDE_BY_SIDE):
            pairs = NumericPairs(block, self.y)
            error += self.plan.variance_summed(pairs, self.collisions) + float(
                np.square(self.plan.bias_on(pairs)).sum()
            )
            size += float(np.square(kernel_value(self.plan.strata, pairs)).sum())
        return error, size

    @cached_property
    def _measured(self) -> tuple[MeasuredError, float, RowsScatter | None]:
        """The error on all pairs of rows, Σ k² of these, and what the choice of some of the rows adds."""
        with single_threaded():  # the matrices are small: more threads wait for each other
            x = JudgedRows.among(self.x, _SIMULATED, self._left(self.x))
            y = x if self.y is self.x else JudgedRows.among(self.y, _SIMULATED, self._left(self.y))
            weights = x.of_pairs(len(self.x)) if y is x else PairWeights(x.weights, y.weights)
            pairs, anchors = CompiledPairs(x.rows, y.rows), self.plan.anchors
            if anchors is None:
                residual = Residual.without_landmarks(pairs)
            else:
                residual = Residual.on(pairs, anchors, self.plan.strata)
            size, samples = np.square(kernel_value(self.plan.strata, pairs)), sum(self.plan.chosen.counts)
            is_part = y is x and len(x.rows) < len(self.x)
            rows = RowsScatter(x, size, samples, known=len(x.rows)) if is_part else None
            return MeasuredError.of(self.plan.parts, residual, weights), weights.total(size), rows

    def _left(self, rows: Rows) -> NDArray[np.float64] | None:
        """What landmarks leave of k(x, x), for rows of which some are chosen."""
        anchors = self.plan.anchors
        if anchors is None or len(rows) <= _SIMULATED or anchors.right is not None:
            return None
        strata, kept = self.plan.strata, anchors.left.rows
        own = kernel_value(strata, NumericPairs(rows, rows, grid=False))
        blocks = [kernel_value(strata, CompiledPairs(block, kept)) for _, block in rows.blocks(_SIDE_BY_SIDE)]
        columns = np.concatenate([anchors.columns(values, "left") for values in blocks])
        return np.asarray(np.abs(own - np.square(columns) @ anchors.signs))


@dataclass(frozen=True, eq=False, repr=False)
class FeatureMap(DrawnPlan):
    """left(X) · diag(signs) · right(Y)' estimates the kernel matrix; for symmetric kernels left is right.

    Without keys the features are a dense array, with keys CSR, if the plan does not say otherwise.
    """

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
        if rows is not None and (not isinstance(rows, Integral) or isinstance(rows, bool) or rows < 1):
            raise ValueError(f"a block has a whole number of rows, one at least, not {rows!r:.60}")
        self.check_side(side)
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
        from kernelspec.maps.engines.collections import transform_batches

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
        from kernelspec.maps.engines.collections import batch_schema

        return batch_schema(self, given, dtype, side, keep)

    def left(self, X: Any) -> NDArray[Any] | csr_array:
        """Features of the first argument of k(x, y), (n, n_columns). Of Dask's collections as `transform`."""
        if is_lazy(X) or is_foreign_array(X):
            return self._elsewhere(X, None, "left")
        return features_of_table(self, X, "left")

    def right(self, Y: Any) -> NDArray[Any] | csr_array:
        """Features of the second argument of k(x, y), (m, n_columns). Of Dask's collections as `transform`."""
        if is_lazy(Y) or is_foreign_array(Y):
            return self._elsewhere(Y, None, "right")
        return features_of_table(self, Y, "right")

    def approximate(self, X: Any, Y: Any = None) -> NDArray[np.float64]:
        """The estimate of k(x_i, y_j), (n, m). Keys are compared themselves, not their buckets.

        Raises DataError, also where numbers are too large for the kernel.
        """
        x, y = self._read(X, Y)
        total = np.zeros((len(x), len(y)))
        with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is refused
            if self.anchored is not None:
                left = evaluate_anchored(self, self.anchored, x, "left")
                right = evaluate_anchored(self, self.anchored, y, "right")
                total += (left * self.signs) @ right.T
            elif self.dense is not None:
                left, form = evaluate_dense(self, x, "left"), self.plan.form
                alike = y is x and not self.dense.sided(form).any()
                right = left if alike else evaluate_dense(self, y, "right")
                total += ((left * self.dense.signs(form)) @ right.conj().T).real
            for features in self.keyed:
                total += features.inner_products(x, y, self.plan.form)
        check_estimates(total, x, y, self.plan.layout)
        for rows in (x,) if y is x else (x, y):
            warn_of_rounding(losses_of_keyed(self, rows, np.dtype(np.float64)), rows, self.plan.layout)
        return total

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
        Both ends are the predicted error for maps with keys, normalized rows, or landmarks alone: how much the errors
        of single maps scatter about it is not estimated for these.
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

    def with_columns_of(self, blocks: Iterable[Rows]) -> FeatureMap:
        """The same for rows that come in blocks, which are gone through once for every part of the samples."""
        from kernelspec.maps.columns.learned import learn_columns

        if not self.keyed:
            return self
        own = self.occupied or (None,) * len(self.keyed)
        return replace(
            self,
            occupied=tuple(
                found if isinstance(found, CategoryBlocks) else learn_columns(part, blocks)
                for part, found in zip(self.keyed, own, strict=True)
            ),
        )

    def count_unmet(self, X: Any) -> int:
        """How many (row, sample) entries of X have a key that was not met, where columns are those of keys that were.

        They share a few columns with random signs: products with them are unbiased, and vary more.
        """
        rows = self.plan.layout.read(X)
        return sum(encoding.count_unmet(part, rows) for part, encoding in self.encoded)

    def save(self, path: str | Path) -> None:
        """Write the map to a file (NumPy arrays and a JSON header; no pickle). Raises FileError.

        Warns KeptRowsWarning of a map with landmarks, which are rows of the data.
        """
        from kernelspec.maps.saved.map_file import save_map

        warn_of_kept_rows(self.plan)
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
        from kernelspec.maps.engines.array_features import transform_array
        from kernelspec.maps.engines.collections import transform_collection

        if out is not None:
            raise PlanError(f"the features of a {type(X).__name__} are not NumPy's: they cannot be written to out")
        transform = transform_collection if is_lazy(X) else transform_array
        features: NDArray[Any] = transform(self, X, side)  # with the methods of an array
        return features

    def _read(self, X: Any, Y: Any) -> tuple[Rows, Rows]:
        x = self.plan.layout.read(X)
        return x, x if Y is None else self.plan.layout.read(Y)

    def _error_on(self, X: Any, Y: Any, hashed: bool) -> ErrorOnRows:
        x, y = self._read(X, Y)
        sharing = float(np.sum(self._of_sharing(x, y, hashed)))
        return ErrorOnRows(self.plan, x, y, self._collisions(hashed), sharing)

    def _collisions(self, hashed: bool) -> Collisions | None:
        """What hashing adds to the variance; nothing where columns are learnt."""
        learnt = any(own is not None and not isinstance(own, CategoryBlocks) for own in self.occupied or ())
        return None if not hashed else Collisions.none() if learnt else self.plan.collisions or Collisions.none()

    def _of_sharing(self, x: Rows, y: Rows, hashed: bool) -> NDArray[np.float64] | float:
        """What keys add to the variance that were not met when columns were learnt."""
        if not hashed or self.occupied is None:
            return 0.0
        parts = [own.variance_of_sharing(part, x, y, self.plan.form) for part, own in self.encoded]
        return np.sum(parts, axis=0) if parts else 0.0
