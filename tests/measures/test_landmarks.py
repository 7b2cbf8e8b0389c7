"""Where the transform of a measure has its peaks and kinks."""

from __future__ import annotations

import numpy as np
import pytest

from kernelspec.measures.lag_features import landmarks
from tests.measures import oracles as o


@pytest.mark.parametrize(
    ("text", "lags"),
    [
        ("laplace()", {0}),
        ("tilt(laplace(), by=0.2)", {0}),
        ("shift(laplace(), by=3)", {-3}),
        ("stretch(shift(laplace(), by=3), 2)", {-6}),
        ("shift_gaussian(by=2)", {0, 2, -2}),
        ("shift(laplace(), by=3)*gaussian() - 0.5*shift(matern(1.5), by=-1)", {0, -3, 1}),
        ("shift(laplace(), by=1e6)*shift(matern(0.3), by=1e6)", {0, -1e6}),
    ],
)
def test_where_k_changes(text: str, lags: set[float]) -> None:
    assert landmarks(o.measure_of_text(text, 1)) == lags


@pytest.mark.long
def test_peaks_far_from_zero_are_found() -> None:
    measure = o.measure_of_text("shift(laplace(), by=1e6)*shift(laplace(), by=1000001)", 1)
    values, errors = measure.density_and_error(np.zeros((1, 1)))
    # ∫ e^{−|t| − |t + 1|} dt = 2/e, on either side and between
    assert abs(values[0] - 2 / 2.718281828459045 / 6.283185307179586) <= errors[0] + 1e-12
    assert errors[0] < 1e-9


def test_a_measure_without_a_rule_is_no_silent_zero() -> None:
    with pytest.raises(TypeError, match="no rule says"):
        landmarks(object())  # type: ignore[arg-type]
