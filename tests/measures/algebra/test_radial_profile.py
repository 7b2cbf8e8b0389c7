"""Radial measures as functions of the distance times an exponential of the lag."""

from __future__ import annotations

import numpy as np
import pytest

from kernelspec.measures.algebra.pieces import NotClosed
from kernelspec.measures.algebra.radial import radial_terms
from tests.measures.algebra.pieces import NUMBERS, value
from tests.measures.algebra.referees import measure_of_text


@pytest.mark.parametrize(
    "text",
    [
        "matern(nu=3/2)*exponential(2)",
        "stretch(matern(nu=5/2), 2)*gaussian()",
        "shift_gaussian(by=[1, 0.5])*exponential()",
        "sinh_gaussian(by=[0.3, 0.2])*matern(nu=3/2)",
        "tilt(matern(nu=3/2), [0.2, 0.3])*cosh_gaussian(by=[0.1, 0])",
        "(gaussian() - 0.5*exponential())**2",
    ],
)
def test_the_terms_add_to_the_kernel(text: str) -> None:
    measure = measure_of_text(text, 2)
    lags = np.array([[0.3, -0.2], [1.0, 0.4]])
    found = [
        sum(
            float(value(term.profile, float(np.linalg.norm(lag))).real)
            * np.exp(sum(float(b) * x for b, x in zip(term.tilt, lag, strict=False)))
            for term in radial_terms(measure, NUMBERS)
        )
        for lag in lags
    ]
    np.testing.assert_allclose(found, measure.characteristic_function(lags), rtol=1e-12)


@pytest.mark.parametrize(
    "text", ["laplace()*exponential()", "exponential()[0]*gaussian()", "rational_quadratic(alpha=2)*gaussian()"]
)
def test_others_have_none(text: str) -> None:
    with pytest.raises(NotClosed):
        radial_terms(measure_of_text(text, 2), NUMBERS)
