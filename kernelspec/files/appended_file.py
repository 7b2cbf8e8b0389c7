"""A file that grows at its end and reaches the disk meanwhile, past the memory in which the system keeps files."""

from __future__ import annotations

import io
import mmap
import os
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from concurrent.futures import Future

    from _typeshed import ReadableBuffer

__all__ = ["AppendedFile"]

_PIECE, _PIECES = 2**22, 6
"""Bytes that go to the disk together, and how many times as many wait for it at most."""

_BETWEEN_FLUSHES = 2**25


class AppendedFile(io.RawIOBase):
    """Bytes appended to an empty file, opened without a buffer (`path.open("r+b", buffering=0)`).

    A thread of its own writes them, 4 MiB at a time, while others are computed. Whole pieces go to the disk past the
    pages that the system keeps of files in memory (`O_DIRECT`), where system and disk allow that, on Linux mostly: on
    the virtual machine of the benchmarks those pages took half of the time of writing features. Elsewhere they are
    written as usual, and every 32 MiB are flushed, so that nobody waits for all of it at the end.

    Errors of the disk are raised as OSError, by a later call perhaps; at the latest by `flush` and `close`.
    """

    def __init__(self, file: io.FileIO) -> None:
        super().__init__()
        self._file = file
        self._thread = ThreadPoolExecutor(1, "kernelspec-write")
        self._is_direct = _set_direct(self._file.fileno(), True)
        self._piece, self._held, self._length = _new_piece(), 0, 0
        self._waiting: deque[tuple[memoryview, Future[None]]] = deque()
        self._unflushed = 0

    def writable(self) -> bool:
        """Yes."""
        return True

    def tell(self) -> int:
        """How many bytes have been appended."""
        return self._length

    def write(self, data: ReadableBuffer, /) -> int:
        """Append all of the bytes, which may be overwritten afterwards. Raises OSError."""
        rest = memoryview(data).cast("B")
        n_bytes = len(rest)
        while len(rest):
            taken = min(len(rest), _PIECE - self._held)
            self._piece[self._held : self._held + taken] = rest[:taken]
            self._held, rest = self._held + taken, rest[taken:]
            if self._held == _PIECE:
                self._hand_over()
        self._length += n_bytes
        return n_bytes

    def flush(self) -> None:
        """Wait until the file has all bytes. Raises OSError."""
        if self._file.closed:
            return
        while self._waiting:
            self._waiting.popleft()[1].result()
        held, self._held = self._held, 0
        if held:
            self._is_direct = _set_direct(self._file.fileno(), False)  # the end fills no whole blocks of the disk
            self._put(self._piece[:held])

    def replace_beginning(self, data: bytes) -> None:
        """Put bytes in the place of as many that were appended first. Raises OSError."""
        self.flush()
        self._is_direct = _set_direct(self._file.fileno(), False)
        self._file.seek(0)
        self._put(memoryview(data))
        self._file.seek(0, os.SEEK_END)

    def close(self) -> None:
        """Write what is left. Raises OSError; the file is closed nonetheless."""
        try:
            super().close()  # flushes
        finally:
            self._thread.shutdown()
            self._file.close()

    def _hand_over(self) -> None:
        self._waiting.append((self._piece, self._thread.submit(self._put, self._piece)))
        self._held = 0
        if len(self._waiting) < _PIECES:
            self._piece = _new_piece()
            return
        self._piece, written = self._waiting.popleft()
        written.result()

    def _put(self, data: memoryview) -> None:
        while len(data):
            try:
                n_bytes = self._file.write(data) or 0
            except OSError:
                if not self._is_direct:
                    raise
                n_bytes = 0
            if n_bytes < len(data):  # refused, or the disk is nearly full: the usual way says which
                self._is_direct = _set_direct(self._file.fileno(), False)
            data = data[n_bytes:]
            self._unflushed += n_bytes
        if not self._is_direct and self._unflushed >= _BETWEEN_FLUSHES and hasattr(os, "fdatasync"):
            os.fdatasync(self._file.fileno())
            self._unflushed = 0


def _new_piece() -> memoryview:
    """Memory that begins with a page, as the disk asks for; a large one if possible, as a write locks each of them."""
    memory = mmap.mmap(-1, _PIECE)
    if hasattr(mmap, "MADV_HUGEPAGE"):
        with suppress(OSError):
            memory.madvise(mmap.MADV_HUGEPAGE)
    return memoryview(memory)


def _set_direct(file: int, direct: bool) -> bool:
    """Whether the file is written without the system's memory from now on, where that is asked for."""
    if not hasattr(os, "O_DIRECT"):
        return False
    import fcntl

    flags = fcntl.fcntl(file, fcntl.F_GETFL)
    with suppress(OSError):  # a file system that knows no such writing
        fcntl.fcntl(file, fcntl.F_SETFL, flags | os.O_DIRECT if direct else flags & ~os.O_DIRECT)
        return direct
    return False
