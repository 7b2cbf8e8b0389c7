"""Parts of maps that keep what follows from their fields, but not when they are sent to another process or stored."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

__all__ = ["KeptFields"]


class KeptFields:
    """A dataclass that is pickled and copied as its fields alone: what follows from them is made again."""

    def __getstate__(self) -> dict[str, Any]:
        return {own.name: getattr(self, own.name) for own in fields(self)}  # type: ignore[arg-type]
