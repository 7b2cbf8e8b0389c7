"""Few rows that disprove a kernel, with equal and different categories."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.elaboration.data_columns import kernel_and_layout
from kernelspec.elaboration.scope import Columns
from kernelspec.elaboration.valued_program import ValuedProgram
from kernelspec.errors import DataError
from kernelspec.expressions.columns import CodedColumn
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.tables.layout import Layout
from kernelspec.verdicts.witness import ROUNDING, Points

__all__ = ["few_rows_against"]

Matrix = NDArray[np.float64]

_MOST_ROWS, _LONGEST_LINE, _CATEGORIES = 200, 24, (0, 1, 2)
"""Rows of a lattice and values of a numeric column, at most, and the values of a column that is compared."""

_SPACINGS = 4.0 ** np.arange(-10, 11)
_FEW, _CLEAR, _SHARE = 12, 1e-3, 0.2
"""The number of rows, at most; their eigenvalue is this share of the largest entry, or per row of the lattice's."""

_LONGEST_TEXT = 160


def few_rows_against(spec: ValuedProgram, columns: Columns) -> Points | None:
    """Few rows of a table that disprove a kernel numerically; None if none of those tried do. Raises SpecError.

    Lattices of a few categories and of multiples of a spacing; if they are too large, rows drawn from them. Of the one
    with the least eigenvalue per row, the best two rows, then always the row that lowers the eigenvalue most.
    """
    kernel, layout = kernel_and_layout(spec, replace(columns, by_name=False))
    coded = {own.position: own.levels for own in spec.elaborated(columns).sources if isinstance(own, CodedColumn)}
    size, found = float(kernel.magnitude()), []
    for spacing in _SPACINGS if layout.numeric else (1.0,):
        table = _lattice(layout, coded, spacing)
        try:
            rows = layout.read(table)
        except DataError:  # outside the domain of a function
            continue
        i, j = np.triu_indices(len(table))
        with np.errstate(all="ignore"):
            value = kernel.value(NumericPairs(rows.take(i), rows.take(j), grid=False))
        matrix = np.empty((len(table),) * 2)
        matrix[i, j] = matrix[j, i] = value
        if np.isfinite(matrix).all() and (share := _share(matrix, size)) < 0:
            found.append((share, table, matrix))
    if not found:
        return None
    share, table, matrix = min(found, key=lambda one: one[0])
    for few in _chosen(matrix):
        inner = matrix[np.ix_(few, few)]
        least = _share(inner, size) * len(few)
        if least < 0 and least <= max(-_CLEAR, _SHARE * share * len(few)):
            return _points(table[few], inner)
    return None


def _lattice(layout: Layout, coded: dict[int, tuple[Any, ...]], spacing: float) -> NDArray[Any]:
    compared = {i: coded.get(i, _CATEGORIES) for i in layout.categorical if i not in layout.numeric}
    kept = 3 if len(compared) < 3 else 2
    room = float(np.prod([float(len(own[:kept])) for own in compared.values()]))
    count = max((n for n in range(3, _LONGEST_LINE) if room * float(n) ** len(layout.numeric) <= _MOST_ROWS), default=3)
    start = -count // 2 if layout.domains else 1  # domains are fitted to numbers of both signs
    values: list[list[Any]] = [[0]] * layout.dim
    for column in layout.numeric:
        values[column] = [float(f"{n * spacing:.6g}") for n in range(start, start + count)]
    for column, categories in compared.items():
        values[column] = list(categories[:kept])
    if room * float(count) ** len(layout.numeric) <= _MOST_ROWS:
        rows = list(product(*values))
    else:
        generator = np.random.default_rng(0)
        rows = [tuple(own[generator.integers(len(own))] for own in values) for _ in range(_MOST_ROWS)]
    is_plain = layout.mapped is layout
    return layout.fitted(np.array(rows, dtype=float)) if is_plain else np.array(rows, dtype=object)


def _share(matrix: Matrix, size: float) -> float:
    """The least eigenvalue per row, as a share of the largest entry; 0 unless it is negative beyond rounding."""
    least, largest = float(np.linalg.eigvalsh(matrix)[0]), float(np.abs(matrix).max())
    # an eigenvalue moves by at most the norm of the perturbation [Weyl 1912]
    return least / (len(matrix) * largest) if least < -ROUNDING * len(matrix) * max(size, largest) else 0.0


def _chosen(matrix: Matrix) -> Iterator[list[int]]:
    """One row, two rows, and so on."""
    diagonal = np.diag(matrix)
    yield [int(np.argmin(diagonal))]
    least = np.add.outer(diagonal, diagonal) / 2 - np.hypot(np.subtract.outer(diagonal, diagonal) / 2, matrix)
    np.fill_diagonal(least, np.inf)
    rows = [int(i) for i in np.unravel_index(int(np.argmin(least)), matrix.shape)]
    while len(rows) <= min(_FEW, len(matrix) - 1):
        yield rows
        others = np.setdiff1d(np.arange(len(matrix)), rows)
        with_each = np.column_stack([np.tile(rows, (len(others), 1)), others])
        found = np.linalg.eigvalsh(matrix[with_each[:, :, None], with_each[:, None, :]])[:, 0]
        rows = [*rows, int(others[np.argmin(found)])]


def _points(table: NDArray[Any], matrix: Matrix) -> Points:
    rows = tuple(map(tuple, table.tolist()))
    shown = ([f'"{x}"' if isinstance(x, str) else f"{x:g}" for x in row] for row in rows)
    words = "[" + ", ".join("[" + ", ".join(row) + "]" for row in shown) + "]"
    values, vectors = np.linalg.eigh(matrix)
    v = np.round(vectors[:, 0], 2)
    weights, square = ", ".join(f"{x:g}" for x in v), float(v @ matrix @ v)
    steps = (f"the rows {words} with the weights v = ({weights}): v'Kv = {square:.6g} < 0",) if square < 0 else ()
    short = words if len(words) <= _LONGEST_TEXT else f"{words[:_LONGEST_TEXT]}… ({len(rows)} in the witness)"
    return Points(rows, short, float(values[0]), steps)
