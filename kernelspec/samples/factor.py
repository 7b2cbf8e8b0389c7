"""What factors of keys and factors of amplitudes have in common: batches that are taken and joined."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from typing import Self

import numpy as np
from numpy.typing import NDArray

__all__ = ["Factor", "check_inner"]


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

    @property
    @abstractmethod
    def n_samples(self) -> int | None:
        """The samples of the batch; None where it stands for any number of them."""

    @property
    def least_width(self) -> int:
        """The columns that a table must have at least."""
        return max(self.columns, default=-1) + 1

    def validate(self) -> None:  # noqa: B027 -- nothing to say where the arrays are all as declared
        """Raise ValueError unless arrays that are each as declared fit together: a saved map may hold any."""


def check_inner(factor: Factor, n_samples: int, width: int | None = None) -> None:
    """Raise ValueError unless a factor that another one is made from has so many samples, and reads so many columns."""
    if factor.n_samples not in (None, n_samples):
        raise ValueError(f"the factor has {factor.n_samples} samples instead of {n_samples}")
    if width is not None and factor.least_width > width:
        raise ValueError(f"the factor reads {factor.least_width} columns of rows that have {width}")
