"""What factors of keys and factors of amplitudes have in common: batches that are taken, joined and saved."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

__all__ = ["Factor", "inner_arrays"]


class Factor(ABC):
    """One factor of what each sample in a batch says of a row, with whatever random numbers it was drawn with."""

    @property
    @abstractmethod
    def structure(self) -> Hashable:
        """Factors of equal structure can be joined into one batch."""

    @property
    @abstractmethod
    def columns(self) -> tuple[int, ...]:
        """The columns of the table that are read."""

    @abstractmethod
    def take(self, index: NDArray[np.intp]) -> Self:
        """Some of the samples."""

    @abstractmethod
    def join(self, others: Sequence[Self]) -> Self:
        """This batch and the others, one after the other; all of equal structure."""

    @abstractmethod
    def to_arrays(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """What a saved map keeps: a JSON header (with the `kind`) and arrays."""


def inner_arrays(factor: Factor) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """What `to_arrays` of a factor that is made from another one says of that: its header, its arrays, as `factor`."""
    header, arrays = factor.to_arrays()
    return {"factor": header}, {f"factor_{name}": array for name, array in arrays.items()}
