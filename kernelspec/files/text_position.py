"""How far a pass over a text file, plain or gzipped, has come."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["TextPosition", "text_size"]

_TRAILER = 4


class TextPosition:
    """Rows that came out of a text, and the bytes of the file that they took.

    `size` is that of the file, `text` that of the text in it, as far as known.
    """

    def __init__(self, size: int, text: int) -> None:
        self.size = size
        self.text = text
        self.rows = 0
        self._share = 0.0

    def add(self, rows: int, text_end: int, fetched: int) -> None:
        """Note rows that end at byte `text_end` of the text, when `fetched` bytes of the file have been read.

        Readers fetch ahead; and of gzip data with several members only the size of the last is known. So the smaller
        share counts.
        """
        self.rows += rows
        self._share = min(1.0, text_end / max(self.text, 1), fetched / max(self.size, 1))

    def bytes_before(self, rows: int) -> int:
        """How many bytes of the file the first rows take, if all that came out so far are equally long."""
        return round(self._share * self.size * rows / self.rows) if self.rows else 0


def text_size(path: Path, size: int, *, compressed: bool) -> int:
    """The bytes of the text in a file of `size` bytes: of gzip data, what the last member says of itself."""
    if not compressed or size < _TRAILER:
        return size
    with path.open("rb") as file:
        file.seek(size - _TRAILER)
        said = int.from_bytes(file.read(_TRAILER), "little")
    return said or size  # an empty last member says nothing of those before it
