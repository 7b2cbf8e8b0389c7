"""NumPy's functions of another library's numbers are that library's, or refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.special import kve

from kernelspec.maps.arrays import ArrayValues

xp = pytest.importorskip("array_api_strict")

NUMBERS = np.array([[-2.5, -0.3, 0.0], [0.4, 0.9, 7.0]])
VALUES = ArrayValues(xp.asarray(NUMBERS), xp, None)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: 1 - 0.5 * np.exp(-np.square(x)) / (1 + x**2),
        lambda x: np.fmod(x, 2) + np.fmod(x, -0.7),
        lambda x: np.sqrt(np.abs(x)) + np.log1p(np.maximum(x, 0)) - np.expm1(np.minimum(x, np.ones((2, 3)))),
        lambda x: np.where((x > 0) & ~(x == 7), x, -1.0) + np.where(np.array([True, False, True]), 0, x),
        lambda x: np.clip(x, -1, 2) + np.polyval([2.0, 0.0, -1.0], x),
        lambda x: np.arcsin(x / 8) + np.arctan2(x, 2) + np.copysign(3, x) * np.sign(x),
        lambda x: np.hstack([x, 2 * x]),
        lambda x: x @ np.arange(6.0).reshape(3, 2) + (np.ones((3, 2)).T @ x.T),
    ],
)
def test_what_kernels_are_written_in(function: Callable[[Any], Any]) -> None:
    found = function(VALUES)
    assert type(found.values) is type(VALUES.values)
    assert found.values.dtype == xp.float64
    np.testing.assert_allclose(np.asarray(found.values), function(NUMBERS), rtol=1e-15, atol=1e-15)
    assert np.shape(found) == function(NUMBERS).shape


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (np.asarray, "NumPy array"),
        (lambda x: np.asarray(x, dtype=float), "NumPy array"),
        (lambda x: np.multiply(np.ones((2, 3)), x, out=np.ones((2, 3))), "multiply"),
        (lambda x: np.add.outer(x, x), "add"),
        (np.frexp, "frexp"),
        (np.median, "median"),
        (lambda x: np.where(x, x, x, other=1), "where|other"),
        (lambda x: x[0], "NumPy array"),
        (lambda x: 1 if x > 0 else 2, "numbers"),
        (float, "float"),
    ],
)
def test_all_else_is_refused_and_nothing_fetched(function: Callable[[Any], Any], said: str) -> None:
    with pytest.raises(TypeError, match=said):
        function(VALUES)


def test_scipys_functions_are_refused_by_name() -> None:
    with pytest.raises(TypeError, match="kve has no counterpart"):
        kve(1.3, VALUES)
