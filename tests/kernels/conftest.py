"""Rows that several tests of kernels share."""

from __future__ import annotations

import numpy as np
import pytest


@pytest.fixture
def rows() -> np.ndarray:
    """Forty lags in three columns, of all sizes."""
    rng = np.random.default_rng(7)
    return rng.standard_normal((40, 3)) * np.geomspace(1e-3, 10, 40)[:, None]
