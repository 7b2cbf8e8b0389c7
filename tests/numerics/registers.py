"""Which registers the processor has, for tests that read compiled code."""

from __future__ import annotations

import platform

import pytest
from llvmlite.binding import get_host_cpu_features

__all__ = ["needs_wide_registers", "needs_widest_registers"]


def _has(*features: str) -> bool:
    """Whether this is a processor of x86, whose names the tests look for, with these features."""
    if platform.machine() not in ("x86_64", "AMD64"):
        return False
    own = get_host_cpu_features()
    return all(own.get(feature) for feature in features)


needs_wide_registers = pytest.mark.skipif(not _has("avx2", "fma"), reason="a processor without wide registers")
needs_widest_registers = pytest.mark.skipif(not _has("avx512f"), reason="a processor without registers of 512 bits")
