"""What is known of a spec, found once for all tests of reports: they render one list of facts."""

from __future__ import annotations

from functools import cache

import kernelspec as ks
from kernelspec.analysis.facts import Facts

__all__ = ["analyzed"]


@cache
def analyzed(text: str, dim: int | None = None) -> Facts:
    """The facts of a spec, which nobody may change."""
    return ks.analyze(text, dim=dim)
