"""How many examples Hypothesis draws: few by default, ten times as many under `--thorough`."""

from __future__ import annotations

import os

__all__ = ["THOROUGH", "examples"]

THOROUGH = "KERNELSPEC_THOROUGH"
"""The variable of the environment that tests/conftest.py sets for a thorough run, before test modules are read."""


def examples(few: int) -> int:
    """How many where so few are enough to see a mistake that is not rare."""
    return few * (10 if os.environ.get(THOROUGH) else 1)
