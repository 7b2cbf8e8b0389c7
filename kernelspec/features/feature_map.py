"""The feature map: a plan with its random numbers drawn. Arrays and nothing symbolic."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import PlanError
from kernelspec.features.dense import DenseFeatures
from kernelspec.features.samples import Side
from kernelspec.kernels.pairs import NumericPairs
from kernelspec.planning.plan import Plan
from kernelspec.rows import Rows

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from kernelspec.features.encoding import Encoding
    from kernelspec.features.exact_columns import Exact
    from kernelspec.features.keyed import KeyedFeatures
    from kernelspec.hashing import Hashes

__all__ = ["FeatureMap"]

_SIDES: tuple[Side, Side] = ("left", "right")

_SIDE_BY_SIDE = 512
"""Rows of x per block when the whole kernel matrix is estimated or its error predicted."""


@dataclass(frozen=True, eq=False)
class FeatureMap:
    """left(X) · diag(signs) · right(Y)' estimates the kernel matrix; for symmetric kernels left is right.

    Without keys the features are a dense array, with keys CSR. `occupied` has the columns of every keyed part where
    they were learnt from data; None means hashed buckets.
    """

    plan: Plan
    dense: DenseFeatures | None
    keyed: tuple[KeyedFeatures, ...]
    occupied: tuple[Exact, ...] | None = None

    # -- what it is --------------------------------------------------------------------------------------------------

    @property
    def method(self) -> str:
        """`paired`, `phase`, `complex`, or another way to sample: `binning`, …"""
        return self.plan.method

    @cached_property
    def is_sparse(self) -> bool:
        """Whether features are CSR: some sample may have a key, whether or not one was drawn."""
        return any(stratum.sampler().has_key for stratum in self.plan.strata)

    @property
    def unbiased(self) -> bool:
        """Whether E left·signs·right' is the kernel for every pair of rows. See `explain` for the reason."""
        return self.occupied is None and self.plan.unbiased

    @cached_property
    def n_columns(self) -> int:
        """Columns of the features."""
        return len(self.signs)

    @property
    def n_merged(self) -> int:
        """Samples that were drawn and are columns of others, equal ones, with their weight: they cost nothing."""
        kept = sum(len(part) for part in self.keyed) + (0 if self.dense is None else len(self.dense.weight))
        return max(0, sum(self.plan.chosen.counts) - kept)

    @cached_property
    def signs(self) -> NDArray[np.float64]:
        """+1 or −1 for every column."""
        form = self.plan.form
        parts = [] if self.dense is None else [self.dense.signs(form)]
        parts += [encoding.signs(part, form) for part, encoding in self._encoded]
        return np.concatenate(parts) if parts else np.ones(1)

    @cached_property
    def sided(self) -> NDArray[np.bool_]:
        """For every column whether left and right may differ in it."""
        form = self.plan.form
        parts = [] if self.dense is None else [self.dense.sided(form)]
        parts += [np.full(encoding.n_columns(part, form), part.has_sides) for part, encoding in self._encoded]
        return np.concatenate(parts) if parts else np.zeros(1, dtype=bool)

    @property
    def is_one_sided(self) -> bool:
        """Whether inner products of one set of features are the estimate: left is right, and all signs are +1.

        Constant columns do not count: `transform` leaves them empty.
        """
        return not self.sided.any() and not (np.delete(self.signs, self._constant) < 0).any()

    @cached_property
    def _constant(self) -> list[int]:
        """The columns that take the chance agreement of bits off."""
        found, first = [], 0 if self.dense is None else self.dense.n_columns(self.plan.form)
        for part, encoding in self._encoded:
            found += [first + column for column in encoding.constant_columns(part)]
            first += encoding.n_columns(part, self.plan.form)
        return found

    def names(self, side: Side | Literal["both"] = "left") -> list[str]:
        """A name for every column; of `transform(X, side="both")`, with the columns of the right side at the end."""
        own = self._names()
        if side != "both":
            return own
        return own + [f"right_{name}" for name, sided in zip(own, self.sided, strict=True) if sided]

    def _names(self) -> list[str]:
        form, names = self.plan.form, [] if self.dense is None else self.dense.names(self.plan.form)
        for i, (part, encoding) in enumerate(self._encoded):
            own = encoding.names(part, form)
            names += [f"g{i}_{name}" for name in own] if len(self.keyed) > 1 else own
        return names or ["zero"]

    def explain(self) -> str:
        """The plan in words: strata, budget, predicted variance, alternatives, and why this one."""
        from kernelspec.planning.explain import explain_plan

        unknown = self.is_sparse and self.plan.collisions is None and self.occupied is None
        shown = explain_plan(self.plan, None if unknown else self.n_columns, learnt=self.occupied is not None)
        if not self.n_merged:
            return shown
        return f"{shown}\n  {self.n_merged} samples are equal to others: merged with them, with their weight"

    # -- what it does ------------------------------------------------------------------------------------------------

    def transform(
        self, X: Any, out: NDArray[Any] | None = None, *, side: Side | Literal["both"] | None = None
    ) -> NDArray[Any] | csr_array:
        """Features whose inner products estimate the kernel: (n, n_columns), of X's floating type.

        `out`, for dense features, is written to and returned. `side="left"` and "right" are left(X) and right(X).
        `side="both"`, for linear models on asymmetric and indefinite kernels, has the left columns and then, for those
        columns whose sides differ, the right ones; both of these times √½, so that rows keep their size. Its inner
        products are those of a positive definite kernel with the same features, not of the kernel itself: a linear
        model finds the signs (columns of sign −1, of negative parts, are there like all others) and the pairing.
        Without a side the constant columns that go with `bits` stay empty: all inner products are larger by the same
        number, which an intercept absorbs.
        Raises DataError; PlanError for an asymmetric or indefinite kernel if no side is named: one set of features
        alone would silently be that of another kernel.
        """
        if side is None and not self.is_one_sided:
            what = "asymmetric" if self.sided.any() else "indefinite"
            raise PlanError(
                f"the kernel is {what}: one set of features alone is that of another kernel. Use left(X), right(Y) and "
                'signs; for a linear model transform(X, side="both")'
            )
        rows = self.plan.layout.read(X)
        if side == "both":
            return self._both(rows, out)
        features = self._features(rows, side or "left", out)
        if side is None and self._constant and not isinstance(features, np.ndarray):
            features.data[np.isin(features.indices, self._constant)] = 0
            features.eliminate_zeros()
        return features

    def left(self, X: Any) -> NDArray[Any] | csr_array:
        """Features of the first argument of k(x, y), (n, n_columns)."""
        return self._features(self.plan.layout.read(X), "left", None)

    def right(self, Y: Any) -> NDArray[Any] | csr_array:
        """Features of the second argument of k(x, y), (m, n_columns)."""
        return self._features(self.plan.layout.read(Y), "right", None)

    def approximate(self, X: Any, Y: Any = None) -> NDArray[np.float64]:
        """The estimate of k(x_i, y_j), (n, m). Keys are compared themselves, not their buckets."""
        x = self.plan.layout.read(X)
        y = x if Y is None else self.plan.layout.read(Y)
        total = np.zeros((len(x), len(y)))
        if self.dense is not None:
            left, right = self._dense_features(x, "left"), self._dense_features(y, "right")
            total += ((left * self.dense.signs(self.plan.form)) @ right.conj().T).real
        for features in self.keyed:
            total += features.inner_products(x, y, self.plan.form)
        return total

    def keys(self, X: Any, side: Side = "left") -> Hashes:
        """The keys of the rows, (n, samples), those of all keyed parts side by side: for locality-sensitive indexes.

        For a kernel of keys alone, two rows share the key of a sample with probability k(x, y), where `side` matters:
        key_L(x) = key_R(y). With factors of other kinds that is the probability for the keys' factor. Keys of
        different samples are never equal; all bits of a key are as good as random, so an index may take any of them.
        Raises DataError; PlanError for a map without keys.
        """
        if not self.is_sparse:
            raise PlanError("the samples of this kernel have no keys: its features are dense")
        rows = self.plan.layout.read(X)
        parts = [part.keys(rows, side) for part in self.keyed]
        return np.hstack(parts) if parts else np.empty((len(rows), 0), dtype=np.uint64)

    def predicted_variance(self, X: Any, Y: Any = None, *, hashed: bool = False) -> NDArray[np.float64]:
        """Variance of `approximate(X, Y)`, (n, m); with `hashed`, that of the features' inner products."""
        x = self.plan.layout.read(X)
        y = x if Y is None else self.plan.layout.read(Y)
        collisions = self.plan.collisions if hashed and self.occupied is None else None
        blocks = [self.plan.variance(NumericPairs(block, y), collisions) for _, block in x.blocks(_SIDE_BY_SIDE)]
        return np.concatenate(blocks)

    def predicted_error(self, X: Any, Y: Any = None, *, hashed: bool = False) -> float:
        """√E‖K̂ − K‖²_F / ‖K‖_F of the kernel matrix of X and Y.

        Compare it with the root mean square over many maps: one map alone scatters about it.
        """
        x = self.plan.layout.read(X)
        y = x if Y is None else self.plan.layout.read(Y)
        collisions = self.plan.collisions if hashed and self.occupied is None else None
        error = size = 0.0
        for _, block in x.blocks(_SIDE_BY_SIDE):
            pairs = NumericPairs(block, y)
            error += float(self.plan.variance(pairs, collisions).sum())
            value = sum(s.weight * np.asarray(s.value(pairs), dtype=float) for s in self.plan.strata)
            size += float(np.square(value).sum())
        return float(np.sqrt(error / size)) if size else 0.0

    def with_columns(self, X: Any) -> FeatureMap:
        """The same map with a column for every key met in X, instead of buckets; a map without keys is itself."""
        from kernelspec.features.exact_columns import learn_columns

        if not self.is_sparse:
            return self
        rows = self.plan.layout.read(X)
        return replace(self, occupied=tuple(learn_columns(part, rows) for part in self.keyed))

    def save(self, path: str | Path) -> None:
        """Write the map to a file (NumPy arrays and a JSON header; no pickle). Raises FileError."""
        from kernelspec.features.saving import save_map

        save_map(self, Path(path))

    # -- how ---------------------------------------------------------------------------------------------------------

    @property
    def _buckets(self) -> int:
        if self.plan.buckets is None:
            raise PlanError("the map was planned for exact columns: learn them with with_columns(X)")
        return self.plan.buckets

    def _both(self, rows: Rows, out: NDArray[Any] | None) -> NDArray[Any] | csr_array:
        """The left columns, and the right ones that differ."""
        left, right = (self._features(rows, side, None) for side in _SIDES)
        half = left.real.dtype.type(np.sqrt(0.5))
        scale = np.where(self.sided, half, 1).astype(left.real.dtype)
        if isinstance(left, np.ndarray) and isinstance(right, np.ndarray):
            features = np.hstack([left * scale, right[:, self.sided] * half])
            if out is None:
                return features
            if out.shape != features.shape or out.dtype != features.dtype:
                raise PlanError(f"out must have shape {features.shape} and type {features.dtype}")
            out[...] = features
            return out
        if out is not None:
            raise PlanError("the features of this kernel are sparse: they cannot be written to out")
        from scipy.sparse import csr_array, diags_array, hstack

        kept = np.flatnonzero(self.sided)
        return csr_array(hstack([left @ diags_array(scale), right[:, kept] * half], format="csr"))

    def _features(self, rows: Rows, side: Side, out: NDArray[Any] | None) -> NDArray[Any] | csr_array:
        if not self.is_sparse:
            return self._dense_features(rows, side, out)
        if out is not None:
            raise PlanError("the features of this kernel are sparse: they cannot be written to out")
        return self._sparse_features(rows, side)

    @cached_property
    def _encoded(self) -> tuple[tuple[KeyedFeatures, Encoding], ...]:
        """Every keyed part with how its keys become columns."""
        if not self.keyed:
            return ()
        if self.occupied is not None:
            return tuple(zip(self.keyed, self.occupied, strict=True))
        from kernelspec.features.bits import Bits
        from kernelspec.features.buckets import Buckets

        encoding = Bits(self.plan.bits) if self.plan.bits is not None else Buckets(self._buckets)
        return tuple((part, encoding) for part in self.keyed)

    def _sparse_features(self, rows: Rows, side: Side) -> csr_array:
        """Dense columns, then those of every keyed part, all written into one matrix."""
        from kernelspec.features.sparse_table import SparseTable

        form, dtype = self.plan.form, self._dtype(rows)
        n_dense = 0 if self.dense is None else self.dense.n_columns(form)
        has_amplitudes = self.dense is not None or any(part.has_amplitudes for part in self.keyed)
        kind = np.result_type(dtype, np.complex64) if form == "complex" and has_amplitudes else dtype
        length = n_dense + sum(encoding.entries(part, form) for part, encoding in self._encoded)
        table = SparseTable.empty(len(rows), length, self.n_columns, kind)
        if self.dense is not None:
            self.dense.evaluate(rows, side, form, dtype, table.data[:, :n_dense])
            table.indices[:, :n_dense] = np.arange(n_dense)
        entry = column = n_dense
        missing = 0
        for part, encoding in self._encoded:
            missing += encoding.write(part, rows, side, form, table, entry, column)
            entry += encoding.entries(part, form)
            column += encoding.n_columns(part, form)
        return table.finished(missing)

    def _dense_features(self, rows: Rows, side: Side, out: NDArray[Any] | None = None) -> NDArray[Any]:
        dtype = self._dtype(rows)
        columns = 1 if self.dense is None else self.dense.n_columns(self.plan.form)
        kind = np.result_type(dtype, np.complex64) if self.plan.form == "complex" else dtype
        if out is None:
            out = np.empty((len(rows), columns), dtype=kind)
        elif out.shape != (len(rows), columns) or out.dtype != kind:
            raise PlanError(f"out must have shape {(len(rows), columns)} and type {kind}")
        if self.dense is None:
            out[...] = 0
        else:
            self.dense.evaluate(rows, side, self.plan.form, dtype, out)
        if self.plan.normalized:
            out *= (np.sqrt(float(self.plan.strata[0].kernel.diagonal())) / np.linalg.norm(out, axis=1))[:, None]
        return out

    @staticmethod
    def _dtype(rows: Rows) -> np.dtype[Any]:
        return np.dtype(np.float32 if rows.numbers.dtype == np.float32 else np.float64)
