"""Features as NPY: rows appended to a plain file, the number of rows put into the header at the end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kernelspec.files.faults import closed_quietly
from kernelspec.files.feature_writer import FeatureWriter, raw_bytes, streamed_file
from kernelspec.files.npy_header import header_bytes

if TYPE_CHECKING:
    from contextlib import ExitStack
    from pathlib import Path

__all__ = ["NpyWriter"]


class NpyWriter(FeatureWriter):
    """One C-ordered array. Plain writes: pages of a memory map would count as resident memory."""

    def _begin(self, temporary: Path, stack: ExitStack) -> None:
        self._file = stack.enter_context(closed_quietly(streamed_file(temporary)))
        self._file.write(self._header())

    def _append(self, block: Any) -> None:
        self._file.write(raw_bytes(self._dense(block)))

    def _finish(self) -> None:
        self._file.seek(0)
        self._file.write(self._header())
        self._file.close()

    def _header(self) -> bytes:
        return header_bytes((self.rows_written, len(self.names)), self.dtype)
