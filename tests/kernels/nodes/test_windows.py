"""Windows over grids, against loops over every place."""

from __future__ import annotations

import numpy as np
import pytest

from kernelspec.kernels.nodes.windows import Padding, Windows

CASES: list[tuple[int, int, int, int, int, Padding]] = [
    (4, 4, 1, 2, 2, "valid"),
    (24, 24, 3, 5, 2, "valid"),
    (5, 7, 2, 3, 1, "valid"),
    (5, 7, 2, 3, 2, "same"),
    (4, 6, 3, 4, 3, "same"),
    (2, 9, 1, 5, 1, "same"),
    (7, 7, 2, 1, 3, "same"),
    (3, 3, 1, 3, 5, "valid"),
]


def naive(height: int, width: int, channels: int, size: int, stride: int, padding: Padding) -> list[list[int]]:
    """The nodes of every window, from the definition: place (i, j) of a window stands at top + i, left + j."""

    def tops(length: int) -> list[int]:
        if padding == "valid":
            return [a for a in range(0, length, stride) if a + size <= length]
        many = -(-length // stride)
        before = max((many - 1) * stride + size - length, 0) // 2
        return [i * stride - before for i in range(many)]

    return [
        [
            (row * width + column) * channels + channel
            for row in range(top, top + size)
            for column in range(left, left + size)
            for channel in range(channels)
            if 0 <= row < height and 0 <= column < width
        ]
        for top in tops(height)
        for left in tops(width)
    ]


@pytest.mark.parametrize("case", CASES)
def test_the_nodes_of_every_window(case: tuple[int, int, int, int, int, Padding]) -> None:
    windows, expected = Windows(*case), naive(*case)
    assert np.prod(windows.shape) == len(expected)
    assert [windows.children(v).tolist() for v in range(len(expected))] == expected
    assert windows.counts.ravel().tolist() == [len(nodes) for nodes in expected]


@pytest.mark.parametrize("case", CASES)
def test_sums(case: tuple[int, int, int, int, int, Padding]) -> None:
    windows = Windows(*case)
    values = np.random.default_rng(0).normal(size=(windows.n_nodes, 3))
    expected = np.array([values[nodes].sum(axis=0) for nodes in naive(*case)]).reshape(*windows.shape, 3)
    by_place = values.reshape(windows.height, windows.width, windows.channels, 3).sum(axis=2)
    np.testing.assert_allclose(windows.sums(by_place), expected, rtol=1e-12, atol=1e-13)


def test_sums_of_ones_are_exact() -> None:
    windows = Windows(24, 24, 3, 5, 2)
    assert (windows.sums(np.full((24, 24), 3.0)) == windows.counts).all()


def test_one_window_without_a_size() -> None:
    windows = Windows(3, 4, 2)
    assert windows.shape == (1, 1)
    assert windows.children(0).tolist() == list(range(24))


def test_a_window_must_fit() -> None:
    with pytest.raises(ValueError, match="a window of 5 × 5 does not fit into a grid of 4 × 6 places"):
        Windows(4, 6, 1, 5)
    assert Windows(4, 6, 1, 5, padding="same").shape == (4, 6)
