"""The exact kernel matrix, block by block."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelspec.elaboration.layout import layout_of
from kernelspec.errors import DataError
from kernelspec.notation.pairs import NumericPairs
from kernelspec.tables.layout import column_names
from kernelspec.tables.table_kinds import as_table

if TYPE_CHECKING:
    from kernelspec.elaboration.valued_program import ValuedProgram
    from kernelspec.kernels.kernel import Kernel
    from kernelspec.tables.column_types import Missing
    from kernelspec.tables.rows import Rows

__all__ = ["evaluate_blocks", "gram", "gram_blocks"]

_ENTRIES = 2**20
"""Entries of one block: what is held at a time is a few arrays of this size."""


def gram(
    spec: ValuedProgram,
    X: Any,
    Y: Any = None,
    columns: Sequence[str] | None = None,
    text: Sequence[str | int] = (),
    missing: Missing = "refuse",
) -> np.ndarray:
    """k(x_i, y_j) as one array (n, m). Raises DataError, also where a value overflows; SpecError."""
    return np.concatenate([block for _, block in gram_blocks(spec, X, Y, columns, text, missing)])


def gram_blocks(
    spec: ValuedProgram,
    X: Any,
    Y: Any = None,
    columns: Sequence[str] | None = None,
    text: Sequence[str | int] = (),
    missing: Missing = "refuse",
) -> Iterator[tuple[slice, np.ndarray]]:
    """The rows of the kernel matrix in blocks of about a million entries.

    `text` has the columns, by name or position, that hold text whatever they look like; `missing="category"` makes what
    is missing a category of its own in match().
    """
    named = columns is not None or column_names(X) is not None
    shape: tuple[int, ...] = () if named else np.shape(as_table(X))
    if not named and len(shape) != 2:
        raise DataError(f"Expected 2D array, got {len(shape)}D array instead: a table has rows and columns")
    table = spec.columns(None if named else shape[1], columns, column_names(X))
    kernel = spec.kernel(table)
    layout = layout_of(kernel, table).pinned(text, missing)
    x = layout.read(X)
    for part, values in evaluate_blocks(kernel, x, x if Y is None else layout.read(Y)):
        if not np.isfinite(values).all():
            row, other = np.argwhere(~np.isfinite(values))[0]
            raise DataError(
                f"k(x, y) overflows for rows {part.start + row} and {other}: "
                "divide the columns by a number, or take smaller weights, tilts or translations"
            )
        yield part, values


def evaluate_blocks(kernel: Kernel, x: Rows, y: Rows) -> Iterator[tuple[slice, np.ndarray]]:
    """k(x_i, y_j) for rows in hand, in blocks of rows of x."""
    for part, block in x.blocks(max(1, _ENTRIES // max(1, len(y)))):
        pairs = NumericPairs(block, y)
        with np.errstate(over="ignore", invalid="ignore"):  # who asks looks at the values
            values = np.asarray(kernel.value(pairs), dtype=float)
        yield part, np.broadcast_to(values, pairs.shape).copy()
