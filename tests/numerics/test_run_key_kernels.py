"""Compiled mixing of runs, against the hash written in NumPy."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from kernelspec.numerics.key_kernels import mix_runs
from kernelspec.random.streams import mix

KEYS = np.random.default_rng(0).integers(0, 2**64, (4, 5), dtype=np.uint64)


@pytest.mark.parametrize("starts", [[0, 5], [0, 1, 3, 5], [0, 0, 5, 5]])
def test_is_mix_in_order(starts: list[int]) -> None:
    found = mix_runs(KEYS, np.array(starts))
    for j, (a, b) in enumerate(itertools.pairwise(starts)):
        expected = np.zeros(4, dtype=np.uint64)
        for t in range(a, b):
            expected = mix(expected, KEYS[:, t])
        assert np.array_equal(found[:, j], expected)


def test_one_key_for_all_samples() -> None:
    spread = np.repeat(KEYS[:, :1], 5, axis=1)
    starts = np.array([0, 2, 5])
    assert np.array_equal(mix_runs(KEYS[:, :1].copy(), starts), mix_runs(spread, starts))
