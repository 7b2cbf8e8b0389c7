"""Rows of the data that a plan keeps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kernelspec.samples.declared_arrays import array, places
from kernelspec.samples.frequencies import Stored, spread
from kernelspec.tables.rows import Rows

__all__ = ["AnchorRows"]


@dataclass(frozen=True, eq=False)
class AnchorRows:
    """The columns that a kernel reads, of some rows of a table of `width` columns, and nothing else of the data.

    `numbers` (m, p), dense or CSR, are those of the columns `positions`; `codes` (m, c) the 64-bit codes of the
    categories in the columns `coded`.
    """

    width: int
    positions: tuple[int, ...] = places("columns")
    coded: tuple[int, ...] = places("coded columns")
    numbers: Stored = array("float64", "rows", "columns", sparse=True)
    codes: NDArray[np.uint64] = array("uint64", "rows", "coded columns")

    @classmethod
    def of(cls, rows: Rows, positions: tuple[int, ...]) -> AnchorRows:
        """What the columns `positions` of the rows say."""
        coded = tuple(sorted(set(rows.categories) & set(positions)))
        codes = np.zeros((len(rows), len(coded)), dtype=np.uint64)
        for place, position in enumerate(coded):
            codes[:, place] = rows.categories[position]
        numbers = rows.numbers[:, list(positions)].astype(np.float64)
        return cls(rows.n_columns, positions, coded, numbers, codes)

    def validate(self) -> None:
        """Raise ValueError unless every column is one of the table, each once."""
        for columns in (self.positions, self.coded):
            if len(set(columns)) < len(columns) or max(columns, default=-1) >= self.width:
                raise ValueError(f"the columns {columns} are not those of a table of {self.width}, each once")

    def __len__(self) -> int:
        return int(self.numbers.shape[0])

    @property
    def rows(self) -> Rows:
        """The rows of a table in which all other columns are zero."""
        codes = {position: self.codes[:, place] for place, position in enumerate(self.coded)}
        return Rows(spread(self.numbers, self.positions, range(self.width)), codes)
