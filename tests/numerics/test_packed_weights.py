"""Weights in panels: all there, filled up with zeros."""

from __future__ import annotations

import numpy as np
import pytest

from kernelspec.numerics.distances import ROWS, filled_up, pack_weights


@pytest.mark.parametrize(("kind", "panel"), [(np.float32, 64), (np.float64, 32)])
@pytest.mark.parametrize(("n", "p"), [(1, 1), (33, 4), (512, 5), (520, 0)])
def test_panels(n: int, p: int, kind: type, panel: int) -> None:
    weights = np.random.default_rng(n).standard_normal((n, p))
    packed = pack_weights(weights, np.dtype(kind))
    assert packed.shape == (-(-n // panel), max(p, 1), panel)
    assert packed.ctypes.data % 64 == 0
    flat = packed.transpose(0, 2, 1).reshape(-1, max(p, 1))
    assert np.array_equal(flat[:n, :p], weights.astype(kind))
    assert not flat[n:].any()
    assert not flat[:, p:].any()


def test_heights_are_whole_groups_of_rows() -> None:
    assert [filled_up(n) for n in (0, 1, ROWS, ROWS + 1)] == [0, ROWS, ROWS, 2 * ROWS]
