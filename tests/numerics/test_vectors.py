"""The registers of a processor: powers of two that fill one another, and numbers that change places within them."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit, types
from numba.extending import intrinsic

from kernelspec.numerics.compiled import INTEGER, Vectors, memory


@intrinsic
def interleave(context, a, b, out):
    """The first vectors of two arrays, interleaved into a third; how many numbers a vector has."""

    def generate(context, builder, signature, values):
        first, second, target = memory(context, builder, signature.args, values)
        vectors = Vectors(context, builder, signature.args[0].dtype)
        assert vectors.lanes * signature.args[0].dtype.bitwidth == 8 * vectors.size
        low, high = vectors.interleaved(vectors.load(first, INTEGER(0)), vectors.load(second, INTEGER(0)))
        vectors.store(low, target, INTEGER(0))
        vectors.store(high, target, INTEGER(vectors.lanes))
        return INTEGER(vectors.lanes)

    return types.int64(a, b, out), generate


@njit
def interleaved(a, b, out):
    return interleave(a, b, out)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_interleaved(kind: type) -> None:
    a, b, out = np.arange(16, dtype=kind), 100 + np.arange(16, dtype=kind), np.zeros(32, dtype=kind)
    lanes = interleaved(a, b, out)
    assert lanes in (2, 4, 8, 16)
    assert np.array_equal(out[: 2 * lanes], np.stack([a[:lanes], b[:lanes]], axis=1).ravel())
    assert not out[2 * lanes :].any()
