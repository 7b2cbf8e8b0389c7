"""One table for all tests of files: 100 rows, 4 columns."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray


@pytest.fixture
def numbers() -> NDArray[np.float64]:
    """Normal numbers of very different sizes, so that lost digits would show."""
    rng = np.random.default_rng(7)
    return rng.normal(size=(100, 4)) * 10.0 ** rng.integers(-30, 30, size=(100, 4))
