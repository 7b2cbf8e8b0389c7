"""Compiled: keys mixed over consecutive samples. A module of compiled functions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.numerics.compiled import compiled
from kernelspec.numerics.key_kernels import scramble
from kernelspec.random.hashing import WEYL, Hashes

__all__ = ["mix_runs"]

_ODD = np.uint64(WEYL)


@compiled
def mix_runs(keys: Hashes, starts: NDArray[Any]) -> Hashes:
    """The keys (b, t), or (b, 1) for t equal ones, mixed in order from 0 over starts_j up to starts_{j+1}: (b, n)."""
    mixed = np.empty((keys.shape[0], starts.shape[0] - 1), dtype=np.uint64)
    step = 0 if keys.shape[1] == 1 else 1
    for r in range(keys.shape[0]):
        row, out = keys[r], mixed[r]
        for j in range(out.shape[0]):
            key = np.uint64(0)
            for t in range(starts[j], starts[j + 1]):
                key = scramble(scramble(key + _ODD) + row[t * step])
            out[j] = key
    return mixed
