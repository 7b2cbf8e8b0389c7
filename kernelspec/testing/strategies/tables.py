"""Tables of numbers, in which categories repeat."""

from __future__ import annotations

from typing import TYPE_CHECKING

import hypothesis.strategies as st
from hypothesis.extra import numpy as arrays

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["tables"]


def tables(dim: int, *, min_rows: int = 1, max_rows: int = 8) -> st.SearchStrategy[NDArray[np.float64]]:
    """Tables of `dim` columns of numbers between −3 and 3, many of them whole, so that categories repeat."""
    entries = st.integers(-3, 3).map(float) | st.floats(-3, 3, allow_subnormal=False)
    rows = st.integers(min_rows, max_rows)
    return rows.flatmap(lambda n: arrays.arrays("float64", (n, dim), elements=entries))
