"""A file that is brought to the disk while it is still written, so that nobody waits for all of it at the end."""

from __future__ import annotations

import os
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["EarlyFlush", "flushed_early"]

_BYTES = 2**25


class EarlyFlush:
    """Asks the disk for what is new in an open file whenever that is 32 MiB, in a thread of its own."""

    def __init__(self, file: int, pool: ThreadPoolExecutor) -> None:
        self._file, self._pool = file, pool
        self._flushed = 0
        self._pending: Future[None] | None = None

    def more_written(self) -> None:
        """Look at how long the file is now. Raises OSError if the disk has failed."""
        if self._pending is not None and not self._pending.done():
            return
        self.wait()
        size = os.fstat(self._file).st_size
        if size - self._flushed >= _BYTES:
            self._flushed = size
            self._pending = self._pool.submit(os.fdatasync, self._file)

    def wait(self) -> None:
        """Wait until the disk has what it was asked for. Raises OSError if it failed, which it says only once."""
        pending, self._pending = self._pending, None
        if pending is not None:
            pending.result()


@contextmanager
def flushed_early(path: Path) -> Iterator[EarlyFlush | None]:
    """For a file that somebody else writes; None where the system does not flush data alone (macOS, Windows)."""
    if not hasattr(os, "fdatasync"):
        yield None
        return
    file = os.open(path, os.O_RDWR)
    try:
        with ThreadPoolExecutor(1, "kernelspec-flush") as pool:
            yield EarlyFlush(file, pool)
    finally:
        os.close(file)
