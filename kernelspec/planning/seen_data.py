"""What a map is made with from data."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kernelspec.tables.rows import Rows

__all__ = ["SeenData"]


@dataclass(frozen=True)
class SeenData:
    """Rows to compare plans on, if there are any, and all rows whose keys are met, in blocks, as often as needed."""

    rows: Rows | None
    blocks: Iterable[Rows]
