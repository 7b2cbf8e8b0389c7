"""The words of the language that stand in no catalogue: constants."""

from __future__ import annotations

__all__ = ["CONSTANTS"]

CONSTANTS = ("d", "pi", "ones")
"""`d` is the number of columns in sight, `ones` the vector of that many ones."""
