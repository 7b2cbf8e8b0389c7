"""How the keys of one part of a map become columns: the contract."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from kernelspec.maps.columns.sparse_table import SparseTable
    from kernelspec.maps.keyed import KeyedFeatures
    from kernelspec.numerics.phasor import Form
    from kernelspec.samples.samples import Side
    from kernelspec.tables.rows import Rows

__all__ = ["Encoding"]


class Encoding(ABC):
    """Columns such that left(x) · diag(signs) · right(y)' has the mean of the estimate that compares the keys."""

    @property
    @abstractmethod
    def unbiased(self) -> bool:
        """Whether that holds for all rows, or only for those whose keys were met."""

    @property
    @abstractmethod
    def stays_bounded(self) -> bool:
        """Whether `write` makes nothing of the size of the rows, and leaves no column missing."""

    @abstractmethod
    def n_columns(self, part: KeyedFeatures, form: Form) -> int:
        """Columns of the part."""

    @abstractmethod
    def signs(self, part: KeyedFeatures, form: Form) -> NDArray[np.float64]:
        """+1 or −1 for every column."""

    @abstractmethod
    def names(self, part: KeyedFeatures, form: Form) -> list[str]:
        """A name for every column."""

    @abstractmethod
    def write(
        self, part: KeyedFeatures, rows: Rows, side: Side, form: Form, table: SparseTable, entry: int, column: int
    ) -> int:
        """Write the features of a part into `table`, from an entry and a column on; returns the missing columns."""

    def check(self, part: KeyedFeatures) -> None:  # noqa: B027 -- nothing to say of an encoding that fits every part
        """Raise ValueError unless this is an encoding for the samples of the part: a saved map may hold any."""

    def entries(self, part: KeyedFeatures, form: Form) -> int:
        """Stored entries of a row, at most."""
        return len(part) * part.entries(form)

    def constant_columns(self, part: KeyedFeatures) -> tuple[int, ...]:
        """Columns with one value for all rows, that take chance agreement off."""
        del part
        return ()

    def shared_columns(self, part: KeyedFeatures, form: Form) -> NDArray[np.bool_]:
        """For every column whether it is one that keys share which were not met."""
        return np.zeros(self.n_columns(part, form), dtype=bool)

    def count_unmet(self, part: KeyedFeatures, rows: Rows) -> int:
        """How many entries (row, sample) have a key that was not met, where columns are those of keys that were."""
        del part, rows
        return 0

    def variance_of_sharing(self, part: KeyedFeatures, x: Rows, y: Rows, form: Form) -> NDArray[np.float64]:
        """What the columns that keys share add to the variance, where the plan does not know of it: (n, m)."""
        del part, form
        return np.zeros((len(x), len(y)))
