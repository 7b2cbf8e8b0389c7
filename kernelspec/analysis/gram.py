"""The exact kernel matrix, block by block, and a spec on a set of columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from kernelspec.catalogue import FaultsNamed, blame, package_of
from kernelspec.elaboration.column_functions import Elaborated
from kernelspec.elaboration.scope import Columns
from kernelspec.elaboration.valued_program import ValuedProgram
from kernelspec.errors import DataError
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.expressions.symbolic_pairs import SymbolicPairs
from kernelspec.kernels.kernel import Kernel
from kernelspec.measures.measure import Measure, measure_of
from kernelspec.tables.cells import FROM_ZERO
from kernelspec.tables.column_types import Missing
from kernelspec.tables.rows import Rows
from kernelspec.tables.table_kinds import as_table

__all__ = ["Reading", "blocks_of_rows", "evaluate_blocks", "gram", "gram_blocks"]


@dataclass(frozen=True)
class Reading:
    """The kernel trees and spectral measures of one spec on one set of columns, each built on demand."""

    spec: ValuedProgram
    columns: Columns

    @cached_property
    def mapped(self) -> Columns:
        """The columns of the kernel: those of the table, or the functions of them that it uses."""
        return self.spec.mapped(self.columns)

    @cached_property
    def _elaborated(self) -> Elaborated:
        """The kernel in SymPy expressions; free parameters and an unknown number of columns are symbols."""
        return self.spec.symbolic(self.columns)

    @property
    def _symbolic(self) -> Kernel:
        return self._elaborated.kernel

    @cached_property
    def _symbolic_measure(self) -> Measure:
        """Raises NotStationaryError."""
        return measure_of(self._symbolic)

    @cached_property
    def _numeric(self) -> Kernel:
        """The kernel in numbers. Raises ParameterError for free parameters, DimensionError for a free d."""
        return self.spec.kernel(self.columns)

    @cached_property
    def _measure(self) -> Measure:
        """The spectral measure in numbers. Raises NotStationaryError."""
        return measure_of(self._numeric)

    @property
    def _pairs(self) -> SymbolicPairs:
        """One row x and one row y in symbols."""
        return SymbolicPairs.between(self._symbolic.dim, self.mapped.names)

    @property
    def _frequency(self) -> SymbolicPairs:
        """One frequency ω in symbols."""
        return SymbolicPairs.frequency(self._symbolic.dim, self.mapped.names)


_ENTRIES = 2**20  # entries of one block: a few arrays of this size are held at a time


@FaultsNamed()
def gram(
    spec: ValuedProgram,
    X: Any,
    Y: Any = None,
    columns: Sequence[str] | None = None,
    text: Sequence[str | int] = (),
    missing: Missing = "refuse",
) -> np.ndarray:
    """k(x_i, y_j) as one array (n, m), with observation noise on the diagonal if Y is not given.

    Raises DataError, also where a value overflows; SpecError.
    """
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
    from kernelspec.elaboration.data_columns import on_table
    from kernelspec.tables.layout import column_names

    X = as_table(X)
    named = columns is not None or column_names(X) is not None
    shape: tuple[int, ...] = () if named else np.shape(X)
    if not named and len(shape) != 2:
        raise DataError(f"Expected 2D array, got {len(shape)}D array instead: a table has rows and columns")
    table = spec.columns(None if named else shape[1], columns, column_names(X))
    found, layout = on_table(spec, table)
    layout = layout.pinned(text, missing)
    yield from blocks_of_rows(found, layout.read(X), None if Y is None else layout.read(Y))


def blocks_of_rows(found: Elaborated, x: Rows, y: Rows | None = None) -> Iterator[tuple[slice, np.ndarray]]:
    """The same for rows that have been read. Raises DataError if a value overflows."""
    for part, values in evaluate_blocks(found.kernel, x, x if y is None else y):
        if y is None and found.noise:
            values[np.arange(len(values)), np.arange(part.start, part.start + len(values))] += float(found.noise)
        if not np.isfinite(values).all():
            row, other = np.argwhere(~np.isfinite(values))[0]
            first, second, others = part.start + int(row), int(other), x if y is None else y
            _blame_plugin(found.kernel, x.take(slice(first, first + 1)), others.take(slice(second, second + 1)))
            raise DataError(
                f"k(x, y) overflows for rows {part.start + row} and {other}{FROM_ZERO}: "
                "divide the columns by a number, or use smaller weights, tilts or translations"
            )
        yield part, values


def _blame_plugin(kernel: Kernel, x: Rows, y: Rows) -> None:
    """Raise PluginError if a leaf of a plug-in is NaN for this pair of rows."""
    from kernelspec.kernels.parts import leaves_seen

    with suppress(TypeError):  # from a node that does not say what its leaves see
        for leaf, pair in leaves_seen(kernel, NumericPairs(x, y)):
            if package_of(type(leaf)) is not None and np.isnan(np.asarray(leaf.value(pair))).any():
                blame([leaf], "k(x, y) is NaN")


def evaluate_blocks(kernel: Kernel, x: Rows, y: Rows) -> Iterator[tuple[slice, np.ndarray]]:
    """k(x_i, y_j) for rows in hand, in blocks of rows of x."""
    for part, block in x.blocks(max(1, _ENTRIES // max(1, len(y)))):
        pairs = NumericPairs(block, y)
        with np.errstate(over="ignore", invalid="ignore"):  # callers check the values
            values = np.asarray(kernel.value(pairs), dtype=float)
        yield part, np.broadcast_to(values, pairs.shape).copy()
