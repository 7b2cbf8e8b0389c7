"""Rows become columns, in numbers of any type."""

from __future__ import annotations

import numpy as np
import pytest

from kernelspec.numerics.arrays import write_columns


@pytest.mark.parametrize("kind", ["f2", "f4", "f8", "c8", "c16", "i4", "u8", "i1"])
@pytest.mark.parametrize("shape", [(0, 3), (1, 1), (40, 33), (17, 70)])
@pytest.mark.parametrize("first", [0, 5])
def test_every_number_has_its_place(kind: str, shape: tuple[int, int], first: int) -> None:
    block = (100 * np.random.default_rng(0).standard_normal(shape)).astype(kind)
    columns = np.zeros((shape[1], first + shape[0] + 2), dtype=kind)
    write_columns(block, columns, first)
    assert np.array_equal(columns[:, first : first + shape[0]], block.T)
    assert not columns[:, :first].any()
    assert not columns[:, first + shape[0] :].any()


def test_no_bit_changes() -> None:
    words = np.array([[0x7FF0000000000001, 0xFFF8000000000000], [1, 2**63]], dtype=np.uint64)  # signalling, and signs
    columns = np.zeros((2, 2), dtype=np.float64)
    write_columns(words.view(np.float64), columns)
    assert np.array_equal(columns.view(np.uint64), words.T)
