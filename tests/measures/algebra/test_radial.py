"""Tests of `measures/algebra/radial.py`."""

from __future__ import annotations

import numpy as np
import pytest

from kernelspec.measures.algebra.pieces import NotClosed
from kernelspec.measures.algebra.radial import (
    derivatives_of_line,
    fractions,
    has_curvature,
    radial_terms,
    require_radial,
)
from tests.measures.algebra import referees as r
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


@pytest.mark.parametrize("dim", [1, 2, 3, 6, 9])
@pytest.mark.parametrize("text", ["exponential(2)", "matern(nu=3/2)", "matern(nu=7/2, scale=3)"])
def test_matern_is_student(text: str, dim: int) -> None:
    measure = r.measure_of_text(text, dim)
    (term,) = radial_terms(measure, NUMBERS)
    ((c, weights),) = fractions(term.profile, dim)
    for radius in (0.0, 0.7, 50.0):
        h, q = NUMBERS.context.mpf(dim + 1) / 2, c**2 + radius**2
        found = NUMBERS.context.gamma(h) / (NUMBERS.context.pi * q) ** h * NUMBERS.polynomial(weights, c**2 / q).real
        expected = measure.density(np.eye(1, dim) * radius)[0]
        assert float(found) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("dim", [3, 5, 7])
def test_odd_dimensions_agree_with_fractions(dim: int) -> None:
    (term,) = radial_terms(r.measure_of_text("matern(nu=5/2)", dim), NUMBERS)
    for radius in (0.3, 4.0):
        found = derivatives_of_line(term.profile, dim, NUMBERS.frequency(radius), NUMBERS)
        expected = r.measure_of_text("matern(nu=5/2)", dim).density(np.eye(1, dim) * radius)[0]
        assert float(found.real) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(("text", "dim"), [("gaussian()*exponential()", 2), ("gaussian()*exponential()", 4)])
def test_even_dimensions_are_refused(text: str, dim: int) -> None:
    (term,) = radial_terms(r.measure_of_text(text, dim), NUMBERS)
    assert has_curvature(term.profile)
    with pytest.raises(NotClosed, match="odd"):
        require_radial(term.profile, dim)
