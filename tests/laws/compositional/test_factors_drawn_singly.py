"""Limits of what is drawn one by one."""

from __future__ import annotations

import numpy as np

from kernelspec.laws.compositional.dual import too_many


def test_one_sample_or_all_of_them() -> None:
    assert too_many(np.full(100, 10_000)) is None
    assert too_many(np.zeros(0, dtype=np.int64)) is None
    assert too_many(np.array([1, 10_001])) == "a sample of 10,001 factors"
    assert too_many(np.full(101, 10_000)) == "1,010,000 factors"
    # the sum of degrees that are cut at 2⁶² does not overflow
    assert too_many(np.full(4, 2**62)) == f"a sample of {2**62:,} factors"
