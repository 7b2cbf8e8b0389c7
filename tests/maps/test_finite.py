"""Features that overflow are refused with their row; nothing else is."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

import kernelspec as ks
from kernelspec.errors import DataError
from kernelspec.maps.finite import check_finite
from kernelspec.tables.layout import Layout
from kernelspec.tables.rows import Rows

LAYOUT = Layout(3, ("a", "b", "c"), (0, 1), (2,))
ROWS = Rows(np.array([[1.0, 2.0, 3e308], [-1e300, 5.0, 0.0]]))


def test_a_finite_array_passes_even_if_its_sum_does_not() -> None:
    check_finite(np.full((2, 3), 1e308), ROWS, LAYOUT)
    check_finite(csr_array(np.full((2, 3), 1e308)), ROWS, LAYOUT)
    check_finite(np.zeros((2, 0)), ROWS, LAYOUT)


@pytest.mark.parametrize("kind", [np.asarray, csr_array])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_the_row_and_its_largest_number_are_named(kind, value) -> None:
    features = np.ones((2, 3))
    features[1, 2] = value
    with pytest.raises(DataError, match=r"lost in row 1, column 'a': a number of size 1e\+300 .* float64"):
        check_finite(kind(features), ROWS, LAYOUT)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("text", "method"),
    [
        ("gaussian(scale=0.01)", "paired"),
        ("gaussian(scale=0.01)", "phase"),
        ("gaussian(scale=0.01)", "complex"),
        ("laplace()", "auto"),
        ("match()[0] * gaussian(scale=0.01)[1:3]", "auto"),
        ("gaussian(scale=0.01)[1:3] + match()[0]", "auto"),
        ("dual(relu, gaussian(scale=0.01))", "auto"),
        ("stretch(gaussian(scale=0.01), [1, 2, 3])", "auto"),
    ],
)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_every_way_out_of_a_map_is_guarded(text: str, method, dtype) -> None:
    table = np.ones((300, 3), dtype=dtype)
    table[277, 1:] = np.finfo(dtype).max, -np.finfo(dtype).max
    fmap = ks.compile(text, dim=3, n_features=64, method=method)
    for evaluate in (fmap.transform, fmap.left, fmap.right, *[fmap.approximate] * (dtype == np.float64)):
        with pytest.raises(DataError, match=r"lost in row 277, column [12]: a number of size (1\.79|3\.4)"):
            evaluate(table)
    assert np.isfinite(fmap.approximate(table[:277])).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("rows", [np.asarray, csr_array])
def test_angles_that_rounding_takes_are_refused(rows, dtype) -> None:
    """From 2⁵² turns on, 2²³ in single precision, every angle is a whole turn, and unequal rows look alike."""
    fmap = ks.compile("gaussian(scale=0.1)", dim=1, n_features=64)
    size = 1e9 if dtype == np.float32 else 1e17
    with pytest.raises(DataError, match=r"row 1, column 0: a number of size 1e\+(09|17) is too large for this kernel"):
        fmap.transform(rows(np.array([[1.0], [size], [2.0]], dtype=dtype)))
    assert np.isfinite(fmap.approximate([[1e12]], [[2e12]])).all()
