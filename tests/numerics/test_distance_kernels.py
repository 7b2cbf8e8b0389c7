"""The compiled sums of differences, added to what is there."""

from __future__ import annotations

import numpy as np
import pytest

from kernelspec.numerics.distances import pack_weights
from kernelspec.numerics.projection_kernels import add_differences


@pytest.mark.parametrize("squared", [True, False])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_whole_numbers(kind: type, squared: bool) -> None:
    generator = np.random.default_rng(2)
    rows, others = (generator.integers(-9, 9, shape).astype(kind) for shape in ((5, 130), (70, 130)))
    packed = pack_weights(others, np.dtype(kind))
    sums = np.ones((8, packed[:, 0].size), dtype=kind)
    add_differences(rows, packed, squared, sums)
    differences = rows[:, None] - others
    assert np.array_equal(sums[:5, :70], 1 + (differences**2 if squared else np.abs(differences)).sum(axis=2))
