"""Numbers that need a second look: the large ones, and those that are none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kernelspec.numerics.projection_kernels import count_beyond


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("n", [0, 1, 7, 100])
def test_as_with_numpy(n: int, kind: Any) -> None:
    numbers = np.resize(np.array([0.5, -0.75, 0.7500001, -9, np.inf, -np.inf, np.nan, -0.0, 1e-320]), n).astype(kind)
    assert count_beyond(numbers, 0.75) == np.count_nonzero(~(np.abs(numbers) <= 0.75))
    assert count_beyond(numbers, np.inf) == np.count_nonzero(np.isnan(numbers))
    assert count_beyond(numbers, 0.0) == np.count_nonzero(numbers)
