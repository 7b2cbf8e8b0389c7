"""Arrow tables of numbers alone, opened without narwhals: to import that takes as long as reading a small file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["ArrowNumbers", "NumberColumn", "arrow_values", "is_arrow_table"]


def is_arrow_table(X: Any) -> bool:
    """Whether X is a `pyarrow.Table`, told without importing PyArrow."""
    kind = type(X)
    return kind.__name__ == "Table" and kind.__module__.split(".")[0] == "pyarrow"


def arrow_values(column: Any) -> NDArray[Any] | None:
    """The numbers of a chunked array as they lie there; None where there are none, gaps, or cells of another type."""
    if not _is_plain(column):
        return None
    parts = [np.from_dlpack(chunk) for chunk in column.chunks if len(chunk)]
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _is_plain(column: Any) -> bool:
    import pyarrow as pa

    return (
        len(column) > 0
        and column.type in (pa.float64(), pa.float32(), pa.int64(), pa.int32())
        and not column.null_count
    )


@dataclass(frozen=True, slots=True, eq=False)
class NumberColumn:
    """Numbers without gaps, with what is asked of a narwhals Series."""

    native: Any

    def to_native(self) -> Any:
        """The chunked array."""
        return self.native

    def null_count(self) -> int:
        """How many cells are empty."""
        return 0


@dataclass(frozen=True, slots=True, eq=False)
class ArrowNumbers:
    """A table of such columns, with what is asked of a narwhals DataFrame."""

    table: Any

    @classmethod
    def of(cls, table: Any) -> ArrowNumbers | None:
        """The table, if it has rows and all of its columns are numbers without gaps."""
        return cls(table) if table.num_columns and all(map(_is_plain, table.itercolumns())) else None

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def iter_columns(self) -> Iterator[NumberColumn]:
        """The columns in order."""
        return map(NumberColumn, self.table.itercolumns())
