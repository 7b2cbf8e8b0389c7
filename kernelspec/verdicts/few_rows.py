"""Few rows that disprove a kernel, with equal and different categories."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
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
from kernelspec.kernels.kernel import Kernel
from kernelspec.tables.layout import Layout
from kernelspec.verdicts.witness import ROUNDING, Points, rounded

__all__ = ["few_rows_against"]

_MOST_ROWS, _LONGEST_LINE, _CATEGORIES = 200, 24, (0, 1, 2)
"""Rows of a lattice and values of a numeric column, at most, and the values of a column that is compared."""

_SPACINGS = (1 / 16, 1 / 4, 1 / 2, 1.0, 2.0, 4.0, 16.0)
_LENGTHS = 2.0 ** np.arange(-40, 41)
_FEW, _CLEAR, _SHARE = 12, 1e-3, 0.2
"""The number of rows, at most; their eigenvalue is this share of the largest entry, or per row of the lattice's."""

_DIGITS, _LONGEST_TEXT = 2, 160


def few_rows_against(spec: ValuedProgram, columns: Columns) -> Points | None:
    """Few rows of a table that disprove a kernel numerically; None if none of those tried do. Raises SpecError.

    Lattices of a few categories and of multiples of a spacing, about as long as the kernel changes over and about 1;
    if they are too large, rows drawn from them. Of the lattice with the least eigenvalue per row, the best two rows,
    then always the row that lowers the eigenvalue most.
    """
    kernel, layout = kernel_and_layout(spec, replace(columns, by_name=False))
    coded = {own.position: own.levels for own in spec.elaborated(columns).sources if isinstance(own, CodedColumn)}
    compared = {i: coded.get(i, _CATEGORIES) for i in layout.categorical if i not in layout.numeric}
    size = float(kernel.magnitude())
    tried = _Lattices(kernel, layout, compared).tried()
    shares = [(share, table, matrix) for table, matrix in tried if (share := _share(matrix, size)) < 0]
    if not shares:
        return None
    share, table, matrix = min(shares, key=lambda one: one[0])
    for rows in _chosen(matrix):
        few = matrix[np.ix_(rows, rows)]
        found = _share(few, size) * len(rows)
        if found < 0 and found <= max(-_CLEAR, _SHARE * share * len(rows)):
            return _points(table[rows], few)
    return None


def _share(matrix: NDArray[np.float64], size: float) -> float:
    """The least eigenvalue per row, as a share of the largest entry; 0 unless it is negative beyond rounding."""
    least, largest = float(np.linalg.eigvalsh(matrix)[0]), float(np.abs(matrix).max())
    # an eigenvalue moves by at most the norm of the perturbation [Weyl 1912]
    return least / (len(matrix) * largest) if least < -ROUNDING * len(matrix) * max(size, largest) else 0.0


def _chosen(matrix: NDArray[np.float64]) -> Iterator[list[int]]:
    """One row, two rows, and so on."""
    diagonal = np.diag(matrix)
    yield [int(np.argmin(diagonal))]
    half, gap = np.add.outer(diagonal, diagonal) / 2, np.subtract.outer(diagonal, diagonal) / 2
    least = half - np.hypot(gap, matrix)
    np.fill_diagonal(least, np.inf)
    rows = [int(i) for i in np.unravel_index(int(np.argmin(least)), matrix.shape)]
    while len(rows) <= min(_FEW, len(matrix) - 1):
        yield rows
        others = np.setdiff1d(np.arange(len(matrix)), rows)
        with_each = np.column_stack([np.tile(rows, (len(others), 1)), others])
        found = np.linalg.eigvalsh(matrix[with_each[:, :, None], with_each[:, None, :]])[:, 0]
        rows = [*rows, int(others[np.argmin(found)])]


@dataclass(frozen=True)
class _Lattices:
    """Tables of rows, and the kernel matrix of each that the kernel is defined on."""

    kernel: Kernel
    layout: Layout
    compared: dict[int, tuple[Any, ...]]

    def tried(self) -> Iterator[tuple[NDArray[Any], NDArray[np.float64]]]:
        numbers = len(self.layout.numeric)
        categories = np.prod([float(len(values[: self._kept])) for values in self.compared.values()])
        count = max((n for n in range(3, _LONGEST_LINE + 1) if categories * n**numbers <= _MOST_ROWS), default=3)
        for unit, share in product(self._units() if numbers else [1.0], _SPACINGS if numbers else (1.0,)):
            table = self._table(rounded(unit * share), count)
            if (matrix := self._matrix(table)) is not None:
                yield table, matrix

    @property
    def _kept(self) -> int:
        return 3 if len(self.compared) < 3 else 2

    def _units(self) -> list[float]:
        """1, and the length over which k changes, all numbers moving together."""
        line = self._table(1.0, 1)[[0] * (len(_LENGTHS) + 1)]
        for column in self.layout.numeric:
            line[1:, column] += _LENGTHS
        matrix = self._matrix(line)
        if matrix is None:
            return [1.0]
        change = np.abs(matrix[0, 1:] - matrix[0, 0])
        place = int(np.argmax(change >= change.max() / 4))
        return [1.0] if not 0 < place < len(_LENGTHS) - 4 else sorted({1.0, float(_LENGTHS[place])})

    def _table(self, spacing: float, count: int) -> NDArray[Any]:
        values: list[list[Any]] = [[0]] * self.layout.dim
        start = -count // 2 if self.layout.domains else 1  # domains are fitted to numbers of both signs
        for column in self.layout.numeric:
            values[column] = [float(f"{n * spacing:.6g}") for n in range(start, start + count)]
        for column, categories in self.compared.items():
            values[column] = list(categories[: self._kept])
        if np.prod([float(len(own)) for own in values]) <= _MOST_ROWS:
            rows = list(product(*values))
        else:
            generator = np.random.default_rng(0)
            rows = [tuple(own[generator.integers(len(own))] for own in values) for _ in range(_MOST_ROWS)]
        if self.layout.mapped is not self.layout:
            return np.array(rows, dtype=object)
        return self.layout.fitted(np.array(rows, dtype=float))

    def _matrix(self, table: NDArray[Any]) -> NDArray[np.float64] | None:
        try:
            rows = self.layout.read(table)
        except DataError:  # outside the domain of a function
            return None
        with np.errstate(all="ignore"):
            value = np.asarray(self.kernel.value(NumericPairs(rows, rows)), dtype=float)
        matrix = np.broadcast_to(value, (len(table), len(table)))
        return matrix / 2 + matrix.T / 2 if np.isfinite(matrix).all() else None


def _points(table: NDArray[Any], matrix: NDArray[np.float64]) -> Points:
    rows = tuple(tuple(table.tolist()[i]) for i in range(len(table)))
    words = "[" + ", ".join("[" + ", ".join(map(_text, row)) + "]" for row in rows) + "]"
    values, vectors = np.linalg.eigh(matrix)
    vector = np.round(vectors[:, 0], _DIGITS)
    square = float(vector @ matrix @ vector)
    weights = ", ".join(f"{entry:g}" for entry in vector)
    steps = (f"the rows {words} with the weights v = ({weights}): v'Kv = {square:.6g} < 0",) if square < 0 else ()
    short = words if len(words) <= _LONGEST_TEXT else f"{words[:_LONGEST_TEXT]}… ({len(rows)} in the witness)"
    return Points(rows, short, float(values[0]), steps)


def _text(cell: Any) -> str:
    return f'"{cell}"' if isinstance(cell, str) else f"{cell:g}"
