"""Functions of the columns of a table, k[log(income)], as they are kept in maps and evaluated on rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import DataError
from kernelspec.expressions.evaluation import FLOATS
from kernelspec.expressions.formula import Column, Formula, Operation, Term, Variable, evaluate, terms_of
from kernelspec.tables.cells import FROM_ZERO, ColumnFunction

__all__ = ["ComputedColumn", "Limits"]

_DEEPEST = 400
"""Operations inside each other, in a map from a file: what the language allows, several selections deep."""


def _columns(term: Term) -> frozenset[int]:
    return frozenset(part.position for part in terms_of(term) if isinstance(part, Column))


@dataclass(frozen=True)
class Limits:
    """The numbers that a part of a function must lie between: a latitude between −90 and 90."""

    body: Term
    low: float
    high: float
    what: str


@dataclass(frozen=True)
class ComputedColumn(ColumnFunction):
    """The value of `body` in every row, written as `text`."""

    body: Term
    text: str
    limits: tuple[Limits, ...] = ()

    def validate(self) -> None:
        """Raise ValueError for a function of no column, or one nested too deep to be evaluated."""
        if not self.reads():
            raise ValueError(f"{self.text} reads no column")
        for term in (self.body, *(limit.body for limit in self.limits)):
            if any(isinstance(part, Variable) for part in terms_of(term)):
                raise ValueError(f"{self.text} has a variable that stands for nothing")
            level, depth = [term], 0
            while level:
                level, depth = [part for own in level if isinstance(own, Operation) for part in own.operands], depth + 1
            if depth > _DEEPEST:
                raise ValueError(f"{self.text} is nested more than {_DEEPEST} levels deep")

    def reads(self) -> frozenset[int]:
        return _columns(self.body).union(*(_columns(limit.body) for limit in self.limits))

    def values(
        self, columns: Mapping[int, NDArray[np.float64]], name: Callable[[int], str], dtype: np.dtype[Any]
    ) -> NDArray[Any]:
        n = len(columns[min(self.reads())])
        with np.errstate(all="ignore"):
            own: Any = columns
            for limit in self.limits:
                found = np.broadcast_to(evaluate(Formula(limit.body), own, FLOATS), n)
                outside = np.flatnonzero(~((found >= limit.low) & (found <= limit.high)))
                if len(outside):
                    row = int(outside[0])
                    places = " and ".join(map(name, sorted(_columns(limit.body))))
                    raise DataError(
                        f"the {limit.what} is {found[row]:g} in row {row}, {places}: it must lie between {limit.low:g} "
                        f"and {limit.high:g}{FROM_ZERO}"
                    )
            exact = np.broadcast_to(evaluate(Formula(self.body), own, FLOATS), n)
            values = exact.astype(dtype)
        lost = np.flatnonzero(~np.isfinite(values))
        if len(lost):
            row = int(lost[0])
            what = "is not a real number" if np.isnan(exact[row]) else "is infinite, or too large for a float,"
            raise DataError(f"{self.text} {what} in row {row}, {self._cells(columns, name, row)}{FROM_ZERO}")
        return values

    def _cells(self, columns: Mapping[int, NDArray[np.float64]], name: Callable[[int], str], row: int) -> str:
        return " and ".join(f"{name(i)} ({columns[i][row]:g})" for i in sorted(self.reads()))
