"""Which registers the processor has, for tests that read compiled code."""

from __future__ import annotations

import platform

import pytest
from llvmlite.binding import get_host_cpu_features

__all__ = ["needs_wide_registers"]


def _has_wide_registers() -> bool:
    """Whether this is a processor of x86 with AVX2 and fused operations, whose names the tests look for."""
    if platform.machine() not in ("x86_64", "AMD64"):
        return False
    features = get_host_cpu_features()
    return bool(features.get("avx2") and features.get("fma"))


needs_wide_registers = pytest.mark.skipif(not _has_wide_registers(), reason="a processor without wide registers")
