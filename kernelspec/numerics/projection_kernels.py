"""Compiled: rows times frequencies, every sum in the order of the columns. A module of compiled functions.

A library of matrix products forms the sums of one row in another order than those of its neighbour, and rounds them
otherwise. Here each sum is a chain of fused products, from the first column to the last: the bits of a row depend on it
alone, and a zero that is not stored changes none of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.numerics.compiled import compiled
from kernelspec.numerics.fused import multiply_add

__all__ = ["project_block", "project_sparse_row"]


@compiled
def _start_columns(rows: NDArray[Any], weights: NDArray[Any], start: NDArray[Any], sums: NDArray[Any]) -> None:
    """start + rows (4, 4) times weights (4, n), into `sums` (4, n): what is loaded of the weights serves four rows."""
    a0, a1, a2, a3 = rows[0, 0], rows[0, 1], rows[0, 2], rows[0, 3]
    b0, b1, b2, b3 = rows[1, 0], rows[1, 1], rows[1, 2], rows[1, 3]
    c0, c1, c2, c3 = rows[2, 0], rows[2, 1], rows[2, 2], rows[2, 3]
    d0, d1, d2, d3 = rows[3, 0], rows[3, 1], rows[3, 2], rows[3, 3]
    first, second, third, fourth = weights[0], weights[1], weights[2], weights[3]
    a, b, c, d = sums[0], sums[1], sums[2], sums[3]
    for j in range(a.shape[0]):
        p, q, r, s, o = first[j], second[j], third[j], fourth[j], start[j]
        a[j] = multiply_add(a3, s, multiply_add(a2, r, multiply_add(a1, q, multiply_add(a0, p, o))))
        b[j] = multiply_add(b3, s, multiply_add(b2, r, multiply_add(b1, q, multiply_add(b0, p, o))))
        c[j] = multiply_add(c3, s, multiply_add(c2, r, multiply_add(c1, q, multiply_add(c0, p, o))))
        d[j] = multiply_add(d3, s, multiply_add(d2, r, multiply_add(d1, q, multiply_add(d0, p, o))))


@compiled
def _add_columns(rows: NDArray[Any], weights: NDArray[Any], sums: NDArray[Any]) -> None:
    """The same, added to what is in `sums`."""
    a0, a1, a2, a3 = rows[0, 0], rows[0, 1], rows[0, 2], rows[0, 3]
    b0, b1, b2, b3 = rows[1, 0], rows[1, 1], rows[1, 2], rows[1, 3]
    c0, c1, c2, c3 = rows[2, 0], rows[2, 1], rows[2, 2], rows[2, 3]
    d0, d1, d2, d3 = rows[3, 0], rows[3, 1], rows[3, 2], rows[3, 3]
    first, second, third, fourth = weights[0], weights[1], weights[2], weights[3]
    a, b, c, d = sums[0], sums[1], sums[2], sums[3]
    for j in range(a.shape[0]):
        p, q, r, s = first[j], second[j], third[j], fourth[j]
        a[j] = multiply_add(a3, s, multiply_add(a2, r, multiply_add(a1, q, multiply_add(a0, p, a[j]))))
        b[j] = multiply_add(b3, s, multiply_add(b2, r, multiply_add(b1, q, multiply_add(b0, p, b[j]))))
        c[j] = multiply_add(c3, s, multiply_add(c2, r, multiply_add(c1, q, multiply_add(c0, p, c[j]))))
        d[j] = multiply_add(d3, s, multiply_add(d2, r, multiply_add(d1, q, multiply_add(d0, p, d[j]))))


@compiled
def project_block(rows: NDArray[Any], weights: NDArray[Any], start: NDArray[Any], sums: NDArray[Any]) -> None:
    """start + Σ_k x_k weights_k for rows (m, p) into the first m of `sums`, whose height is a multiple of four.

    `weights` has its p rows filled up with zeros to a multiple of four.
    """
    m, p = rows.shape
    some = np.zeros((4, 4), rows.dtype)
    for i in range(0, m, 4):
        four = sums[i : i + 4]
        for k in range(0, max(p, 1), 4):
            for r in range(4):
                for c in range(4):
                    some[r, c] = rows[min(i + r, m - 1), k + c] if k + c < p else rows.dtype.type(0)
            if k == 0:
                _start_columns(some, weights[:4], start, four)
            else:
                _add_columns(some, weights[k : k + 4], four)


@compiled
def project_sparse_row(
    columns: NDArray[Any], numbers: NDArray[Any], weights: NDArray[Any], start: NDArray[Any], sums: NDArray[Any]
) -> None:
    """start + Σ_e x_e weights_{column e} for one row with its columns in order, into `sums` (n,)."""
    for j in range(sums.shape[0]):
        sums[j] = start[j]
    e, many = 0, numbers.shape[0]
    while e + 4 <= many:
        a, b, c, d = numbers[e], numbers[e + 1], numbers[e + 2], numbers[e + 3]
        p, q = weights[columns[e]], weights[columns[e + 1]]
        r, s = weights[columns[e + 2]], weights[columns[e + 3]]
        for j in range(sums.shape[0]):
            sums[j] = multiply_add(
                d, s[j], multiply_add(c, r[j], multiply_add(b, q[j], multiply_add(a, p[j], sums[j])))
            )
        e += 4
    while e < many:
        a, p = numbers[e], weights[columns[e]]
        for j in range(sums.shape[0]):
            sums[j] = multiply_add(a, p[j], sums[j])
        e += 1
