"""Keys that are the category of one column, another one for every sample."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from kernelspec.samples.declared_arrays import array
from kernelspec.samples.keys.drawn_key import DrawnKey

if TYPE_CHECKING:
    from kernelspec.random.hashing import Hashes
    from kernelspec.samples.samples import Side
    from kernelspec.tables.rows import Rows

__all__ = ["ChosenKey"]


@dataclass(frozen=True)
class ChosenKey(DrawnKey):
    """The category of column `chosen`_j of the table for sample j, mixed with nothing."""

    kind: ClassVar[str] = "chosen"

    chosen: NDArray[np.intp] = array("int64", "samples", at_least=0)

    @property
    def columns(self) -> tuple[int, ...]:
        return tuple(np.unique(self.chosen).tolist())

    def keys(self, rows: Rows, side: Side) -> Hashes:
        del side
        codes = np.stack([rows.codes(position) for position in self.columns], axis=1)
        return np.asarray(codes[:, np.searchsorted(self.columns, self.chosen)])
