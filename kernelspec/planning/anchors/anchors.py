"""Rows that explain a kernel: features of them without any randomness, and what they leave of samples."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kernelspec.planning.anchors.anchor_rows import AnchorRows
from kernelspec.samples.declared_arrays import array, check_signs
from kernelspec.samples.samples import Side

__all__ = ["Anchors"]

_NEGLIGIBLE = 1e-10
"""Of the largest eigenvalue: smaller ones are rounding, and are left out."""


@dataclass(frozen=True, eq=False)
class Anchors:
    """h(x) = V'k(R, x) on the left and U'k(L, y) on the right, with h_l(x) diag(s) h_r(y)' for the kernel's main part.

    L and R are the anchors' rows, P a regularised inverse of the matrix k(L, R); with a = k(x, R) P, b = P k(L, y),

        k(x, y) ≈ a k(L, y) + k(x, R) b − a k(L, R) b = k(x, R) N k(L, y),   N = 2P − P k(L, R) P.

    N = V diag(s) U' with the signs s, and P = V diag(s c) U'. For any P, the kernel is exactly the mean of this plus
    (φ_l(x) − a φ_l(L)) · (φ_r(y) − b' φ_r(R)), φ samples of the kernel: no approximation is left, far from the anchors
    either. Where k is symmetric, L is R, V is U, and one side says all.
    """

    left: AnchorRows
    right: AnchorRows | None
    right_root: NDArray[np.float64] = array("float64", "left rows", "columns")
    left_root: NDArray[np.float64] = array("float64", "right rows", "columns")
    signs: NDArray[np.float64] = array("float64", "columns", at_least=-1, at_most=1)
    shares: NDArray[np.float64] = array("float64", "columns", at_least=0, at_most=1)

    def validate(self) -> None:
        """Raise ValueError unless the roots are those of so many rows, and the signs are signs."""
        if len(self.right_root) != len(self.left) or len(self.left_root) != len(self.rows_for_left):
            raise ValueError("the anchors are other rows than their roots are of")
        check_signs(self.signs)

    @property
    def rows_for_left(self) -> AnchorRows:
        """R, with which rows on the left are compared."""
        return self.left if self.right is None else self.right

    @property
    def n_columns(self) -> int:
        """The columns of h."""
        return len(self.signs)

    @classmethod
    def of(cls, left: AnchorRows, right: AnchorRows | None, values: NDArray[np.float64], ridge: float) -> Anchors:
        """The anchors L = `left` and R = `right` (None: the same, k symmetric), with k(L, R) = `values` (m, m).

        P = V diag(1/(λ + ridge)) U' of the singular values λ, in units of the kernel; with ridge 0 the parts of P and N
        are the same.
        """
        if right is None:
            eigenvalues, vectors = np.linalg.eigh((values + values.T) / 2)
            sizes, turned = np.abs(eigenvalues), np.sign(eigenvalues)
            u = v = vectors
        else:
            u, sizes, transposed = np.linalg.svd(values)
            v, turned = transposed.T, np.ones(len(sizes))
        kept = sizes > _NEGLIGIBLE * sizes.max(initial=0.0)
        u, v, sizes, turned = u[:, kept], v[:, kept], sizes[kept], turned[kept]
        inverse = 1 / (sizes + ridge)
        whole = inverse * (2 - inverse * sizes)
        root = np.sqrt(whole)
        return cls(left, right, u * root, v * root, turned, inverse / whole)

    def columns(self, values: NDArray[np.float64], side: Side) -> NDArray[np.float64]:
        """h of rows whose values k(x, R), on the left, or k(L, y)', on the right, are given (n, m)."""
        return values @ (self.left_root if side == "left" else self.right_root)

    def weights(self, values: NDArray[np.float64], side: Side) -> NDArray[np.float64]:
        """a on the left, b' on the right, (n, m), from the same."""
        other = self.right_root if side == "left" else self.left_root
        return (self.columns(values, side) * (self.signs * self.shares)) @ other.T
