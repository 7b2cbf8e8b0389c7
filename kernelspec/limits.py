"""The bounds of the language. Text from anywhere is safe to parse, because none of them can be passed."""

from __future__ import annotations

__all__ = [
    "LANGUAGE_VERSION",
    "MAX_DEPTH",
    "MAX_DIGITS",
    "MAX_EXPONENT",
    "MAX_NAME",
    "MAX_NESTING",
    "MAX_TEXT",
    "MAX_TOKENS",
]

LANGUAGE_VERSION = 1
"""What `#! kernelspec 1` on the first line asks for."""

MAX_TEXT = 1_000_000
"""Characters in a spec."""

MAX_TOKENS = 200_000
"""Words, signs and line ends in a spec; a sum of 20,000 kernels is within it. Bounds the time of parsing to seconds."""

MAX_NESTING = 200
"""Brackets open at once."""

MAX_DEPTH = 100
"""Nodes on the longest path from the root of an expression to a leaf.

Comparing, showing and pickling a tree take up to four and a half of Python's 1000 frames per level, and
later passes may recurse; the caller's own frames have to fit as well.
"""

MAX_DIGITS = 100
"""Digits of a number, before any `e`."""

MAX_EXPONENT = 308
"""Numbers lie between 1e-308 and 1e308, so that every one is a float too."""

MAX_NAME = 100
"""Characters in a name."""
