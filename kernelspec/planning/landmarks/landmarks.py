"""Landmarks: rows of the data that explain most of a kernel, and what they leave of it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from kernelspec.expressions.arguments import Scalar
from kernelspec.expressions.pairs import NumericPairs, PairFunction
from kernelspec.numerics.arrays import distances
from kernelspec.planning.known_rows import numbered
from kernelspec.planning.strata import Stratum, kernel_value, least_spread, smallest_share
from kernelspec.random.streams import Stream
from kernelspec.samples.declared_arrays import array, check_signs, places
from kernelspec.samples.factor import amplitude_values, has_sides
from kernelspec.samples.frequencies import Stored, compiled_phasors, spread
from kernelspec.samples.samples import Samples, Side
from kernelspec.tables.rows import Rows

__all__ = [
    "NEGLIGIBLE",
    "ChosenLandmarks",
    "CompiledPairs",
    "LandmarkRows",
    "Residual",
    "Seen",
    "have_sides",
    "rounding_of",
]

_KEPT = 2**20
"""At most this many values, 8 MB, are cached for other nodes of a kernel."""


@dataclass(frozen=True)
class CompiledPairs(NumericPairs):
    """`NumericPairs` up to rounding, but several times as fast once the loops are loaded or compiled.

    All nodes of a kernel share selected columns and the distances of a block of rows, and from the second use on the
    values of equal leaves.
    """

    _known: dict[Any, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def select(self, positions: tuple[int, ...]) -> NumericPairs:
        if positions not in self._known:
            selected = super().select(positions)
            if selected is self:  # not cached, for a circle of references would keep the rows
                return self
            self._known[positions] = selected
        found: NumericPairs = self._known[positions]
        return found

    def map(self, matrix: Sequence[Scalar] | Sequence[Sequence[Scalar]] | Scalar) -> NumericPairs:
        if not isinstance(matrix, int | float):
            return super().map(matrix)
        if ("map", matrix) not in self._known:
            self._known["map", matrix] = super().map(matrix)
        mapped: NumericPairs = self._known["map", matrix]
        return mapped

    def of(self, leaf: PairFunction) -> np.ndarray:
        try:
            known = self._known.get(leaf)
        except TypeError:  # an unhashable argument
            return super().of(leaf)
        if known is not None:
            return np.asarray(known)
        values = super().of(leaf)
        if leaf in self._known:
            return self._kept(leaf, values)
        self._known[leaf] = None
        return values

    def squared_norm(self) -> np.ndarray:
        return self._distances("squared") if self.grid else super().squared_norm()

    def absolute_sum(self) -> np.ndarray:
        return self._distances("absolute") if self.grid else super().absolute_sum()

    def _distances(self, kind: Literal["squared", "absolute"]) -> np.ndarray:
        if kind in self._known:
            return np.asarray(self._known[kind])
        if self._is_wide:
            return self._kept(kind, super().squared_norm() if kind == "squared" else super().absolute_sum())
        return self._kept(kind, distances(self.x.dense(), self.y.dense(), kind))

    def _kept(self, key: object, values: np.ndarray) -> np.ndarray:
        if values.size <= _KEPT:
            values.flags.writeable = False
            self._known[key] = values
        return values


@dataclass(frozen=True, eq=False)
class Seen:
    """Cached results by object identity; holds the objects, so that their ids stay valid."""

    _met: dict[Hashable, tuple[tuple[Any, ...], NDArray[Any]]] = field(default_factory=dict)

    def values(self, stratum: Stratum, pairs: NumericPairs) -> NDArray[np.float64]:
        """k(x, y) of a stratum, without its weight, of the shape of the pairs."""

        def compute() -> NDArray[np.float64]:
            return np.asarray(np.broadcast_to(np.asarray(stratum.value(pairs), dtype=float), pairs.shape))

        law = stratum.independent.law
        return self._once((law, pairs.x, pairs.y), (stratum.positions, pairs.grid), compute)

    def amplitudes(self, batch: Samples, rows: Rows, side: Side) -> NDArray[Any]:
        """√weight times z_L or z_R, (rows, samples)."""
        return self._once((batch, rows), (side,), lambda: amplitude_values(batch, rows, side, compiled_phasors))

    def _once(
        self, objects: tuple[Any, ...], others: tuple[Hashable, ...], compute: Callable[[], NDArray[Any]]
    ) -> NDArray[Any]:
        key = (*map(id, objects), *others)
        if key not in self._met:
            self._met[key] = (objects, compute())
        return self._met[key][1]


@dataclass(frozen=True, eq=False)
class LandmarkRows:
    """The columns that a kernel reads, for some rows of a table of `width` columns; nothing else of the data is kept.

    `numbers` (m, p), dense or CSR, are the columns `positions`; `codes` (m, c) the 64-bit codes of the category columns
    `coded`.
    """

    width: int
    positions: tuple[int, ...] = places("columns")
    coded: tuple[int, ...] = places("coded columns")
    numbers: Stored = array("float64", "rows", "columns", sparse=True)
    codes: NDArray[np.uint64] = array("uint64", "rows", "coded columns")

    @classmethod
    def of(cls, rows: Rows, positions: tuple[int, ...]) -> LandmarkRows:
        """The columns `positions` of the rows."""
        coded = tuple(sorted(set(rows.categories) & set(positions)))
        codes = np.zeros((len(rows), len(coded)), dtype=np.uint64)
        for place, position in enumerate(coded):
            codes[:, place] = rows.categories[position]
        numbers = rows.numbers[:, list(positions)].astype(np.float64)
        return cls(rows.n_columns, positions, coded, numbers, codes)

    def validate(self) -> None:
        """Raise ValueError unless the columns are distinct columns of the table."""
        for columns in (self.positions, self.coded):
            if len(set(columns)) < len(columns) or max(columns, default=-1) >= self.width:
                raise ValueError(f"columns {columns} are not distinct columns of a table with {self.width}")

    def __len__(self) -> int:
        return int(self.numbers.shape[0])

    @cached_property
    def rows(self) -> Rows:
        """The rows of a table whose other columns are all zero."""
        codes = {position: self.codes[:, place] for place, position in enumerate(self.coded)}
        return Rows(spread(self.numbers, self.positions, range(self.width)), codes)


NEGLIGIBLE = 1e-10
"""Eigenvalues below this, relative to the largest, are rounding, and are dropped, and so is what pivots leave of a
trace, unless a term is far smaller than the kernel.
"""


def have_sides(strata: Sequence[Stratum], seed: int) -> bool:
    """Whether some sample has two sides, because the kernel is not symmetric."""
    drawn = (stratum.law.draw(Stream(seed), 64, stratum.positions) for stratum in strata)
    return any(has_sides(batch) for batches in drawn for batch in batches)


def rounding_of(strata: Sequence[Stratum], rows: Rows) -> float:
    """The share of the kernel that counts as rounding, less if a term is far smaller than the others."""
    own = kernel_value(strata, NumericPairs(rows, rows, grid=False))
    share = smallest_share(least_spread(strata, rows), float(np.mean(own)))
    return max(NEGLIGIBLE * share, 4 * float(np.finfo(float).eps))


@dataclass(frozen=True, eq=False)
class ChosenLandmarks:
    """h(x) = V'k(R, x) on the left and U'k(L, y) on the right, with h_l(x) diag(s) h_r(y)' for the kernel's main part.

    L and R are the landmark rows, P a regularised inverse of the matrix k(L, R); with a = k(x, R) P, b = P k(L, y),

        k(x, y) ≈ a k(L, y) + k(x, R) b − a k(L, R) b = k(x, R) N k(L, y),   N = 2P − P k(L, R) P.

    N = V diag(s) U' with the signs s, and P = V diag(s c) U'. For any P, the kernel is exactly the mean of this plus
    (φ_l(x) − a φ_l(L)) · (φ_r(y) − b' φ_r(R)), φ samples of the kernel: no approximation error remains, even far from
    the landmarks. If k is symmetric, L = R, V = U, and one side suffices.
    """

    left: LandmarkRows
    right: LandmarkRows | None
    right_root: NDArray[np.float64] = array("float64", "left rows", "columns")
    left_root: NDArray[np.float64] = array("float64", "right rows", "columns")
    signs: NDArray[np.float64] = array("float64", "columns", at_least=-1, at_most=1)
    shares: NDArray[np.float64] = array("float64", "columns", at_least=0, at_most=1)

    def validate(self) -> None:
        """Raise ValueError unless the roots match the numbers of rows, and the signs are ±1."""
        if len(self.right_root) != len(self.left) or len(self.left_root) != len(self.rows_for_left):
            raise ValueError("landmarks and roots have different numbers of rows")
        check_signs(self.signs)

    @property
    def rows_for_left(self) -> LandmarkRows:
        """R, with which rows on the left are compared."""
        return self.left if self.right is None else self.right

    @property
    def n_columns(self) -> int:
        """The number of columns of h."""
        return len(self.signs)

    @classmethod
    def of(
        cls,
        left: LandmarkRows,
        right: LandmarkRows | None,
        values: NDArray[np.float64],
        ridge: float,
        rounding: float = NEGLIGIBLE,
    ) -> ChosenLandmarks:
        """The landmarks L = `left` and R = `right` (None: the same, k symmetric), with k(L, R) = `values` (m, m).

        P = V diag(1/(λ + ridge)) U' for the singular values λ, in units of the kernel; with ridge 0, the parts of P and
        N are the same. Those up to `rounding` times the largest are dropped.
        """
        if right is None:
            eigenvalues, vectors = np.linalg.eigh((values + values.T) / 2)
            sizes, turned = np.abs(eigenvalues), np.sign(eigenvalues)
            u = v = vectors
        else:
            u, sizes, transposed = np.linalg.svd(values)
            v, turned = transposed.T, np.ones(len(sizes))
        kept = sizes > rounding * sizes.max(initial=0.0)
        u, v, sizes, turned = u[:, kept], v[:, kept], sizes[kept], turned[kept]
        inverse = 1 / (sizes + ridge)
        whole = inverse * (2 - inverse * sizes)
        root = np.sqrt(whole)
        return cls(left, right, u * root, v * root, turned, inverse / whole)

    def for_kernel(self, strata: Sequence[Stratum]) -> ChosenLandmarks:
        """The same rows for the kernel of these strata, with a ridge of the same share of the largest singular value.

        That value σ with the ridge ρ has the share (σ + ρ)/(σ + 2ρ).
        """
        left, right = self.left.rows, self.rows_for_left.rows
        values = kernel_value(strata, CompiledPairs(left, right))
        share = float(self.shares.max(initial=0.5 + NEGLIGIBLE))
        ridge = (1 - share) / (2 * share - 1) * float(np.linalg.norm(values, 2))
        return ChosenLandmarks.of(self.left, self.right, values, ridge, rounding_of(strata, left))

    def columns(self, values: NDArray[np.float64], side: Side) -> NDArray[np.float64]:
        """h of rows with values k(x, R), on the left, or k(L, y)', on the right, (n, m)."""
        return values @ (self.left_root if side == "left" else self.right_root)

    def weights(self, values: NDArray[np.float64], side: Side) -> NDArray[np.float64]:
        """a on the left, b' on the right, (n, m), from the same values."""
        other = self.right_root if side == "left" else self.left_root
        return (self.columns(values, side) * (self.signs * self.shares)) @ other.T


@dataclass(frozen=True)
class Residual:
    """`pairs` of rows x and y, and what the landmarks L and R explain: a = k(x, R) P and b' = k(L, y)'P', (n, m).

    The landmarks are the first m of the given rows.
    """

    pairs: NumericPairs
    left_landmarks: Rows
    right_landmarks: Rows
    a: NDArray[np.float64]
    b: NDArray[np.float64]
    seen: Seen = field(default_factory=Seen)

    @classmethod
    def on(cls, pairs: NumericPairs, landmarks: ChosenLandmarks, strata: Sequence[Stratum]) -> Residual:
        """The remainder for pairs of any rows, for the kernel of these strata."""
        x, y, left, right = numbered(pairs.x, pairs.y, landmarks.left.rows, landmarks.rows_for_left.rows)
        pairs = replace(pairs, x=x, y=y)
        a = landmarks.weights(kernel_value(strata, CompiledPairs(x, right)), "left")
        if y is x and landmarks.right is None:  # both sides are the same, and are computed once
            return cls(pairs, left, left, a, a)
        b = landmarks.weights(kernel_value(strata, CompiledPairs(left, y)).T, "right")
        return cls(pairs, left, right, a, b)

    @classmethod
    def without_landmarks(cls, pairs: NumericPairs) -> Residual:
        """The whole kernel."""
        x, y = numbered(pairs.x, pairs.y)
        pairs, same = replace(pairs, x=x, y=y), y is x
        none, weights = x.take(slice(0, 0)), np.zeros((len(x), 0))
        return cls(pairs, none, none, weights, weights if same else np.zeros((len(pairs.y), 0)))

    def kernel(self, stratum: Stratum) -> NDArray[np.float64]:
        """k(x, y) - a k(L, y) - k(x, R) b + a k(L, R) b of one term: the mean of its samples' remainders."""
        x, y, left, right = self.pairs.x, self.pairs.y, self.left_landmarks, self.right_landmarks
        m, values = self.a.shape[1], self.seen.values
        if not m:
            return values(stratum, self.pairs)
        among = values(stratum, CompiledPairs(left, right))[:m, :m]
        beyond = values(stratum, CompiledPairs(x, right))[:, :m] - self.a @ among
        beside_left = values(stratum, self.pairs) - self._products(
            self.a, values(stratum, CompiledPairs(left, y))[:m].T
        )
        return np.asarray(beside_left - self._products(beyond, self.b))

    def whole(self, strata: Sequence[Stratum]) -> NDArray[np.float64]:
        """The same for the weighted sum of these terms."""
        if len(strata) == 1:  # its values are cached
            return strata[0].weight * self.kernel(strata[0])
        values_of_pairs, m = kernel_value(strata, self.pairs), self.a.shape[1]
        if not m:
            return values_of_pairs
        left, right = (rows.take(slice(0, m)) for rows in (self.left_landmarks, self.right_landmarks))
        to_right = kernel_value(strata, CompiledPairs(self.pairs.x, right))
        to_left = to_right if self._is_symmetric else kernel_value(strata, CompiledPairs(left, self.pairs.y)).T
        beyond = to_right - self.a @ kernel_value(strata, CompiledPairs(left, right))
        return np.asarray(values_of_pairs - self._products(self.a, to_left) - self._products(beyond, self.b))

    def sides(self, batch: Samples) -> tuple[NDArray[Any], NDArray[Any]]:
        """φ_l(x) - a φ_l(L) and φ_r(y) - b' φ_r(R) of every row and sample, (rows, samples) each."""
        m, amplitudes = self.a.shape[1], self.seen.amplitudes
        left = amplitudes(batch, self.pairs.x, "left")
        if not m:
            is_same = self._is_symmetric and not has_sides(batch)
            return left, left if is_same else amplitudes(batch, self.pairs.y, "right")
        left = left - _times(self.a, amplitudes(batch, self.left_landmarks, "left")[:m])
        if self._is_symmetric and not has_sides(batch):
            return left, left
        right = amplitudes(batch, self.pairs.y, "right")
        return left, right - _times(self.b, amplitudes(batch, self.right_landmarks, "right")[:m])

    def products(self, left: NDArray[Any], right: NDArray[Any]) -> NDArray[np.float64]:
        """Re Σ_j l_j(x) conj r_j(y), of the shape of the pairs."""
        products = self._products(left.real, right.real)
        return products + self._products(left.imag, right.imag) if np.iscomplexobj(left) else products

    def some(self, n: int) -> Residual:
        """The same for the first n rows of either side, all with all."""
        m, a, same = self.a.shape[1], self.a[:n], self._is_symmetric
        x, left = self.pairs.x.take(slice(0, n)), self.left_landmarks.take(slice(0, m))
        y, right = (x, left) if same else (self.pairs.y.take(slice(0, n)), self.right_landmarks.take(slice(0, m)))
        return Residual(CompiledPairs(x, y), left, right, a, a if same else self.b[:n])

    def forgetting(self) -> Residual:
        """The same without cached values, for samples that are used once."""
        return Residual(self.pairs, self.left_landmarks, self.right_landmarks, self.a, self.b)

    @property
    def _is_symmetric(self) -> bool:
        """Whether both sides are the same rows and landmarks."""
        return self.b is self.a and self.pairs.y is self.pairs.x and self.right_landmarks is self.left_landmarks

    def _products(self, left: NDArray[Any], right: NDArray[Any]) -> NDArray[np.float64]:
        return np.asarray(left @ right.T if self.pairs.grid else (left * right).sum(axis=1))


def _times(weights: NDArray[np.float64], amplitudes: NDArray[Any]) -> NDArray[Any]:
    """The product of real and complex numbers, with half of NumPy's work."""
    if not np.iscomplexobj(amplitudes):
        return np.asarray(weights @ amplitudes)
    halves = np.ascontiguousarray(amplitudes).view(np.float64)
    return np.asarray((weights @ halves).view(np.complex128))
