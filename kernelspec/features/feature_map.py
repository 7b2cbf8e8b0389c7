"""The feature map: a plan with its random numbers drawn. Arrays and nothing symbolic."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import PlanError
from kernelspec.features.dense import DenseFeatures, Side
from kernelspec.kernels.pairs import NumericPairs
from kernelspec.planning.plan import Plan
from kernelspec.rows import Rows

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from kernelspec.features.keyed import KeyedFeatures
    from kernelspec.hashing import Hashes

__all__ = ["FeatureMap"]

_SIDE_BY_SIDE = 512
"""Rows of x per block when the whole kernel matrix is estimated or its error predicted."""


@dataclass(frozen=True, eq=False)
class FeatureMap:
    """left(X) · diag(signs) · right(Y)' estimates the kernel matrix; for symmetric kernels left is right.

    Without keys the features are a dense array, with keys CSR. `occupied` has the keys that own a column where the
    columns were learnt from data; None means hashed buckets.
    """

    plan: Plan
    dense: DenseFeatures | None
    keyed: tuple[KeyedFeatures, ...]
    occupied: tuple[Hashes, ...] | None = None

    # -- what it is --------------------------------------------------------------------------------------------------

    @property
    def method(self) -> str:
        """`paired`, `phase` or `complex`."""
        return self.plan.form

    @cached_property
    def is_sparse(self) -> bool:
        """Whether features are CSR: some sample may have a key, whether or not one was drawn."""
        return any(stratum.sampler().has_key for stratum in self.plan.strata)

    @property
    def unbiased(self) -> bool:
        """Whether E left·signs·right' is the kernel for every pair of rows. See `explain` for the reason."""
        return self.occupied is None

    @cached_property
    def n_columns(self) -> int:
        """Columns of the features."""
        return len(self.signs)

    @cached_property
    def signs(self) -> NDArray[np.float64]:
        """+1 or −1 for every column."""
        parts = [] if self.dense is None else [self.dense.signs(self.plan.form)]
        for i, features in enumerate(self.keyed):
            per_sample = features.entries(self.plan.form)
            if self.occupied is not None:
                parts.append(features.signs_of(self.occupied[i], per_sample))
            else:
                parts.append(np.repeat(features.sign, per_sample * self._buckets))
        return np.concatenate(parts) if parts else np.ones(1)

    def names(self) -> list[str]:
        """A name for every column."""
        form, names = self.plan.form, [] if self.dense is None else self.dense.names(self.plan.form)
        for i, features in enumerate(self.keyed):
            own = (
                features.bucket_names(form, self._buckets)
                if self.occupied is None
                else features.key_names(form, len(self.occupied[i]))
            )
            names += [f"g{i}_{name}" for name in own] if len(self.keyed) > 1 else own
        return names or ["zero"]

    def explain(self) -> str:
        """The plan in words: strata, budget, predicted variance, alternatives, and why this one."""
        from kernelspec.planning.explain import explain_plan

        unknown = self.is_sparse and self.plan.buckets is None and self.occupied is None
        return explain_plan(self.plan, None if unknown else self.n_columns, learnt=self.occupied is not None)

    # -- what it does ------------------------------------------------------------------------------------------------

    def transform(self, X: Any, out: NDArray[Any] | None = None) -> NDArray[Any] | csr_array:
        """Features whose inner products estimate the kernel: (n, n_columns), of X's floating type.

        `out`, for dense features, is written to and returned. Raises DataError; PlanError for an indefinite kernel,
        whose one-sided features would silently be those of another kernel.
        """
        if (self.signs < 0).any():
            raise PlanError(
                "the kernel is indefinite: one set of features alone is that of another kernel. Use left(X), right(Y) "
                "and signs"
            )
        return self._features(self.plan.layout.read(X), "left", out)

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

    def predicted_variance(self, X: Any, Y: Any = None, *, hashed: bool = False) -> NDArray[np.float64]:
        """Variance of `approximate(X, Y)`, (n, m); with `hashed`, that of the features' inner products."""
        from kernelspec.planning.variance import estimate_variance

        x = self.plan.layout.read(X)
        y = x if Y is None else self.plan.layout.read(Y)
        buckets = self._buckets if hashed and self.is_sparse and self.occupied is None else None
        blocks = [
            estimate_variance(self.plan.parts, NumericPairs(block, y), self.plan.form, buckets)
            for _, block in x.blocks(_SIDE_BY_SIDE)
        ]
        return np.concatenate(blocks)

    def predicted_error(self, X: Any, Y: Any = None, *, hashed: bool = False) -> float:
        """√E‖K̂ − K‖²_F / ‖K‖_F of the kernel matrix of X and Y.

        Compare it with the root mean square over many maps: one map alone scatters about it.
        """
        from kernelspec.planning.variance import estimate_variance

        x = self.plan.layout.read(X)
        y = x if Y is None else self.plan.layout.read(Y)
        buckets = self._buckets if hashed and self.is_sparse and self.occupied is None else None
        error = size = 0.0
        for _, block in x.blocks(_SIDE_BY_SIDE):
            pairs = NumericPairs(block, y)
            error += float(estimate_variance(self.plan.parts, pairs, self.plan.form, buckets).sum())
            value = sum(s.weight * np.asarray(s.value(pairs), dtype=float) for s in self.plan.strata)
            size += float(np.square(value).sum())
        return float(np.sqrt(error / size)) if size else 0.0

    def with_columns(self, X: Any, block: int = 8192) -> FeatureMap:
        """The same map with a column for every key met in X, instead of buckets; a map without keys is itself."""
        from kernelspec.features.exact_columns import occupied_keys

        if not self.is_sparse:
            return self
        rows = self.plan.layout.read(X)
        met = tuple(occupied_keys(features, (part for _, part in rows.blocks(block))) for features in self.keyed)
        return replace(self, occupied=met)

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

    def _features(self, rows: Rows, side: Side, out: NDArray[Any] | None) -> NDArray[Any] | csr_array:
        if not self.is_sparse:
            return self._dense_features(rows, side, out)
        if out is not None:
            raise PlanError("the features of this kernel are sparse: they cannot be written to out")
        from scipy.sparse import csr_array, hstack

        form, dtype = self.plan.form, self._dtype(rows)
        parts = [] if self.dense is None else [csr_array(self._dense_features(rows, side))]
        for i, features in enumerate(self.keyed):
            if self.occupied is None:
                parts.append(features.bucketed(rows, side, form, dtype, self._buckets))
            else:
                from kernelspec.features.exact_columns import exact_features

                parts.append(exact_features(features, self.occupied[i], rows, side, form, dtype))
        return parts[0] if len(parts) == 1 else hstack(parts, format="csr")

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
        return out

    @staticmethod
    def _dtype(rows: Rows) -> np.dtype[Any]:
        return np.dtype(np.float32 if rows.numbers.dtype == np.float32 else np.float64)
