"""Dense features as NPZ: the array `features`, and `names` beside it."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelspec.files.feature_writer import FeatureWriter
from kernelspec.files.npz_members import GrowingArray, write_array

if TYPE_CHECKING:
    from contextlib import ExitStack
    from pathlib import Path

__all__ = ["NpzWriter"]


class NpzWriter(FeatureWriter):
    """What `numpy.load` opens as `features` and `names`; needs twice the space while it is being written."""

    _features: GrowingArray
    _temporary: Path

    def _begin(self, temporary: Path, stack: ExitStack) -> None:
        self._temporary = temporary
        self._features = GrowingArray(temporary.parent, self.dtype, stack)

    def _append(self, block: Any) -> None:
        self._features.append(self._dense(block))

    def _finish(self) -> None:
        with zipfile.ZipFile(self._temporary, "w") as archive:
            self._features.move_into(archive, "features", (self.rows_written, len(self.names)))
            write_array(archive, "names", np.array(self.names, dtype=np.str_))
