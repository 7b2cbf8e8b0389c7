"""The series far out: its leading term is the lowest derivative that jumps."""

from __future__ import annotations

import numpy as np
import pytest

from kernelspec.measures.algebra.line import line_members
from kernelspec.measures.algebra.series import tail_series
from tests.measures.algebra.pieces import NUMBERS
from tests.measures.algebra.referees import measure_of_text


@pytest.mark.parametrize(
    ("text", "order", "jump"),
    [
        ("gaussian()*laplace(2)", 2, -1.0),
        ("laplace()*cauchy()", 2, -2.0),
        ("matern(nu=3/2)*matern(nu=5/2)", 4, 6 * np.sqrt(3)),
        ("triangle(2)*gaussian()", 2, -1.0),
    ],
)
def test_leading_term(text: str, order: int, jump: float) -> None:
    """μ ≈ J/(2π (iω)^order) from the point zero; the jump of |t|³ c₃ is 12 c₃, c₃ = √3/2·(…) by hand."""
    series = tail_series(line_members(measure_of_text(text), NUMBERS), NUMBERS)
    assert series is not None
    at = int(np.argmin(np.abs(series.points)))
    row = series.jumps[at] * series.scale ** np.arange(1, series.jumps.shape[1] + 1)
    assert np.flatnonzero(np.abs(row) > 0)[0] == order - 1
    if order == 2:
        assert row[order - 1].real == pytest.approx(jump, rel=1e-12)
    else:
        # k = 1 − (3/2 + 5/6) t² + √3 t³ + …: of the two, ν = 3/2 alone has a cubic term, 3√3/3
        assert row[order - 1].real == pytest.approx(12 * np.sqrt(3), rel=1e-12)


def test_without_breakpoints_there_is_none() -> None:
    assert tail_series(line_members(measure_of_text("gaussian()*cosine(2)"), NUMBERS), NUMBERS) is None


@pytest.mark.long
def test_the_bound_holds() -> None:
    series = tail_series(line_members(measure_of_text("laplace()*matern(nu=3/2)"), NUMBERS), NUMBERS)
    omega = np.array([1.0, 3.0, 10.0, 1e3])
    value, error, _ = series.at(omega)
    exact = measure_of_text("laplace()*matern(nu=3/2)").density(omega[:, None])
    assert (np.abs(value - exact) <= error + 1e-14 * exact).all()
    assert error[-1] < 1e-12 * exact[-1]
