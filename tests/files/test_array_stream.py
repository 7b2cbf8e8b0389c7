"""Rows taken from a stream that gives less, or more, than its header promises."""

from __future__ import annotations

import io
from typing import Literal

import numpy as np
import pytest

from kernelspec.errors import FileError
from kernelspec.tables.npy import ArrayStream


def stream_of(array: np.ndarray, cut: int = 0, more: bytes = b"") -> ArrayStream:
    file = io.BytesIO()
    np.save(file, array)
    content = file.getvalue()
    return ArrayStream(Trickle(content[: len(content) - cut] + more), "here")


class Trickle(io.BytesIO):
    """Never more than seven bytes at a time, as a slow source may."""

    def readinto(self, buffer: memoryview, /) -> int:  # type: ignore[override]
        return super().readinto(buffer[:7])


def test_short_reads() -> None:
    array = np.arange(30.0).reshape(10, 3)
    stream = stream_of(array)
    assert np.array_equal(stream.take(4), array[:4])
    assert np.array_equal(np.concatenate(list(stream.blocks(4))), array[4:])
    assert np.array_equal(np.concatenate(list(stream_of(np.asfortranarray(array)).column_major_blocks(3))), array)


def test_too_little_and_too_much() -> None:
    array = np.arange(30.0).reshape(10, 3)
    with pytest.raises(FileError, match="here: ends in the middle of the data"):
        list(stream_of(array, cut=1).blocks(4))
    with pytest.raises(FileError, match="here: goes on after the 10 rows that its header promises"):
        list(stream_of(array, more=b"!").blocks(4))


def test_nothing_to_take() -> None:
    assert stream_of(np.empty((0, 3))).take(0).shape == (0, 3)


@pytest.mark.parametrize("order", ["C", "F"])
def test_tables_have_their_rows_in_order_whatever_the_layout(order: Literal["C", "F"]) -> None:
    array = np.arange(30.0).reshape(10, 3)
    tables = list(stream_of(np.array(array, order=order)).tables(4))
    assert [table.shape for table in tables] == [(4, 3), (4, 3), (2, 3)]
    assert np.array_equal(np.concatenate(tables), array)


def test_a_vector_is_a_table_of_one_column() -> None:
    assert [table.shape for table in stream_of(np.arange(5.0)).tables(4)] == [(4, 1), (1, 1)]
