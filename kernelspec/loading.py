"""Things that arrive on first use, named by where they live."""

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = ["load_from"]


def load_from(home: str) -> Any:
    """What `"package.module:attribute"` names."""
    module, _, attribute = home.partition(":")
    return getattr(import_module(module), attribute)
