"""Tables that several tests of files share."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.sparse import csr_array


@pytest.fixture
def numbers() -> NDArray[np.float64]:
    """100 rows, 4 columns: normal numbers of very different sizes, so that lost digits would show."""
    rng = np.random.default_rng(7)
    return rng.normal(size=(100, 4)) * 10.0 ** rng.integers(-30, 30, size=(100, 4))


def sparse_numbers(rows: int, columns: int) -> csr_array:
    """About a tenth of the entries are there, uniform between 0 and 1; some rows have none."""
    rng = np.random.default_rng(0)
    there = rng.random((rows, columns)) < 0.1
    return csr_array(np.where(there, rng.random((rows, columns)), 0))
