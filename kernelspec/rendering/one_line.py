"""Text of any length on one line, for `repr`."""

from __future__ import annotations

import json

__all__ = ["quoted"]

_MOST = 120


def quoted(text: str) -> str:
    """The text in double quotes, line breaks as Python writes them, cut where it is very long."""
    shown = json.dumps(text.strip(), ensure_ascii=False)
    return shown if len(shown) <= _MOST else f'{shown[:_MOST]}…"'
