"""Leaves are the whole catalogue."""

from __future__ import annotations

from kernelspec.kernels.leaf import KERNELS
from kernelspec.testing.strategies import LEAVES

OF_THEIR_OWN = {"binary", "circle", "linear", "rbf_cosine", "sphere"}
"""Kernels that do not take rows of any numbers in any number of columns, or have no size to be divided by."""


def test_strategies_cover_the_catalogue() -> None:
    assert set(LEAVES) | OF_THEIR_OWN == set(KERNELS) | OF_THEIR_OWN
