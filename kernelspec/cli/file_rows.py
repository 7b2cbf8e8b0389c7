"""All rows of data files, as often as they are asked for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kernelspec.cli.streaming import checked_blocks
from kernelspec.cli.tables import opened
from kernelspec.errors import NoRowsError

if TYPE_CHECKING:
    from kernelspec.tables.layout import Layout
    from kernelspec.tables.rows import Rows

__all__ = ["FileRows"]


@dataclass(frozen=True)
class FileRows:
    """The rows of files in blocks, one file after the other, read anew each time; some of several may have none.

    Raises FileError, DataError as they are read.
    """

    paths: tuple[str, ...]
    layout: Layout
    header: bool | None = None

    def __iter__(self) -> Iterator[Rows]:
        n_empty = 0
        for path in self.paths:
            try:
                with opened(path, self.layout, self.header) as reader:
                    yield from (rows for _, rows in checked_blocks(self.layout, reader))
            except NoRowsError:
                n_empty += 1
                if n_empty == len(self.paths):
                    raise
