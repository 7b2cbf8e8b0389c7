"""Arrays that grow on disk until they are put into an NPZ archive."""

from __future__ import annotations

import tempfile
import zipfile
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from kernelspec.files.faults import closed_quietly
from kernelspec.files.feature_writer import raw_bytes
from kernelspec.files.npy_header import header_bytes

if TYPE_CHECKING:
    from contextlib import ExitStack
    from pathlib import Path

    from numpy.typing import NDArray

__all__ = ["GrowingArray", "write_array"]

_VALUES_PER_CHUNK = 2**16
_FIRST_ZIP_DATE = (1980, 1, 1, 0, 0, 0)


class GrowingArray:
    """An array whose length is known only at the end, in an unnamed temporary file in `folder`.

    A member of an archive cannot be rewritten, and its header, with the length, comes first.
    """

    def __init__(self, folder: Path, dtype: np.dtype[Any], stack: ExitStack) -> None:
        self.dtype = dtype
        self.n_bytes = 0
        # The file has no name, so that even a killed process leaves nothing behind.
        file: IO[bytes] = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115
        self._file = stack.enter_context(closed_quietly(file))

    def append(self, values: NDArray[Any]) -> None:
        """Add values of the right dtype (C order)."""
        self.n_bytes += self._file.write(raw_bytes(values))

    def move_into(
        self, archive: zipfile.ZipFile, name: str, shape: tuple[int, ...], dtype: np.dtype[Any] | None = None
    ) -> None:
        """Copy the array into the archive, as `dtype` if one is given, and free its temporary file."""
        wanted = self.dtype if dtype is None else dtype
        self._file.seek(0)
        with archive.open(_member(name), "w", force_zip64=True) as member:
            member.write(header_bytes(shape, wanted))
            while values := self._file.read(_VALUES_PER_CHUNK * self.dtype.itemsize):
                member.write(np.frombuffer(values, self.dtype).astype(wanted, copy=False).tobytes())
        self._file.close()


def write_array(archive: zipfile.ZipFile, name: str, array: NDArray[Any]) -> None:
    """Put a small array into the archive."""
    archive.writestr(_member(name), header_bytes(array.shape, array.dtype) + array.tobytes())


def _member(name: str) -> zipfile.ZipInfo:
    """Stored, not deflated: random features hardly shrink. A fixed date: equal features are equal files."""
    return zipfile.ZipInfo(f"{name}.npy", _FIRST_ZIP_DATE)
