"""The words of the language that stand in no catalogue: constants, and what is yet to come."""

from __future__ import annotations

__all__ = ["CONSTANTS", "UPCOMING"]

CONSTANTS = ("d", "pi", "ones")
"""`d` is the number of columns in sight, `ones` the vector of that many ones."""

UPCOMING = frozenset({"radial"})
"""Kernels that the language has and this version cannot analyse."""
