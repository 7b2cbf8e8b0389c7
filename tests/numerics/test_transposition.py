"""Rows become columns: all of them, nothing beside them, in arrays of any order in memory."""

from __future__ import annotations

import numpy as np
import pytest

from kernelspec.numerics.transposition import transpose


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize(("m", "n"), [(0, 0), (1, 1), (3, 40), (16, 16), (33, 17), (40, 64)])
@pytest.mark.parametrize("order", ["plain", "apart", "columns"])
def test_every_number_has_its_place(m: int, n: int, order: str, kind: type) -> None:
    source = np.random.default_rng(m).standard_normal((m + 2, n + 3)).astype(kind)
    whole = np.zeros((n + 1, 2 * m + 9), dtype=kind, order="F" if order == "columns" else "C")
    target = whole[:, ::2] if order == "apart" else whole
    transpose(source, m, n, target, 2)
    assert np.array_equal(target[:n, 2 : 2 + m], source[:m, :n].T)
    assert np.count_nonzero(whole) == m * n
