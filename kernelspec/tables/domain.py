"""The rows that a kernel is defined on, where that is not every row of numbers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import DataError

__all__ = ["Domain", "Signs", "UnitSphere"]


class Domain(ABC):
    """A set of rows in some columns."""

    @abstractmethod
    def check(self, numbers: Any, name: Callable[[int], str]) -> None:
        """Raise DataError for the first row (of (n, p), dense or CSR) outside; `name` names column i of these."""

    @abstractmethod
    def fit(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        """A row of the set for every row (n, p): what stands in for standard normal rows."""


@dataclass(frozen=True)
class Signs(Domain):
    """Rows of −1 and 1."""

    def check(self, numbers: Any, name: Callable[[int], str]) -> None:
        table = numbers if isinstance(numbers, np.ndarray) else numbers.toarray()
        bad = np.argwhere(np.abs(table) != 1)
        if len(bad):
            row, column = bad[0].tolist()
            raise DataError(
                f"row {row}, {name(column)} is {table[row, column]:g}: binary() takes columns of −1 and 1 "
                "(match() compares any two categories)"
            )

    def fit(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.where(numbers < 0, -1.0, 1.0)


@dataclass(frozen=True)
class UnitSphere(Domain):
    """Rows of Euclidean norm 1, to within `tolerance`."""

    tolerance: float = 1e-6

    def validate(self) -> None:
        """Raise ValueError for a tolerance that is none."""
        if not 0 <= self.tolerance < 1:
            raise ValueError(f"the tolerance is {self.tolerance}")

    def check(self, numbers: Any, name: Callable[[int], str]) -> None:
        if isinstance(numbers, np.ndarray):
            squares = np.square(numbers, dtype=np.float64).sum(axis=1)
        else:
            squares = np.asarray(numbers.astype(np.float64).multiply(numbers).sum(axis=1)).ravel()
        norms = np.sqrt(squares)
        bad = np.flatnonzero(~(np.abs(norms - 1) <= self.tolerance))
        if len(bad):
            first, last = name(0), name(numbers.shape[1] - 1)
            columns = first if numbers.shape[1] == 1 else f"{first} to {last}"
            raise DataError(
                f"row {bad[0]} has norm {norms[bad[0]]:.7g} in {columns}, and sphere() takes rows of norm 1: divide "
                "every row by its norm, or write normalize(linear())"
            )

    def fit(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        norms = np.sqrt(np.square(numbers).sum(axis=1, keepdims=True))
        first = np.eye(1, numbers.shape[1])
        return np.where(norms > 0, numbers / np.where(norms > 0, norms, 1), first)
