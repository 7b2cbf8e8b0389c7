"""The pairs of rows on which candidate plans are compared."""

from __future__ import annotations

import numpy as np

from kernelspec.data import Layout
from kernelspec.hashing import hash_numbers
from kernelspec.kernels.pairs import NumericPairs
from kernelspec.rows import Rows

__all__ = ["reference_pairs"]

_PAIRS = 256
_CATEGORIES = 4


def reference_pairs(layout: Layout, data: Rows | None) -> tuple[NumericPairs, str]:
    """256 pairs to compare plans on, and what they are in words.

    Random pairs of different rows of the data; without data, pairs of independent standard normal rows, which is
    what two rows of standardised columns look like, with four equally likely categories.
    """
    generator = np.random.default_rng(0)
    if data is not None and len(data) > 1:
        first = generator.integers(0, len(data), _PAIRS)
        second = (first + generator.integers(1, len(data), _PAIRS)) % len(data)
        return NumericPairs(data.take(first), data.take(second), grid=False), f"{_PAIRS} random pairs of rows"
    sides = []
    for _ in range(2):
        numbers = generator.standard_normal((_PAIRS, layout.dim))
        codes = {i: hash_numbers(generator.integers(0, _CATEGORIES, _PAIRS)) for i in layout.categorical}
        sides.append(Rows(numbers, codes))
    return NumericPairs(sides[0], sides[1], grid=False), f"{_PAIRS} pairs of standard normal rows (no data given)"
