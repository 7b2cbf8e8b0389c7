"""Formulas on arrays, against mpmath."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest

from kernelspec.expressions.evaluation import FLOATS, values
from kernelspec.expressions.formula import evaluate
from kernelspec.special.quadrature import counted_work
from tests.formulas.written import POLYA, SMOOTH, written


@pytest.mark.parametrize("text", SMOOTH)
def test_values_on_the_line(text: str) -> None:
    x = np.linspace(-3, 3, 13).reshape(1, 13) + 0.01
    with mp.workdps(40):
        exact = [[float(SMOOTH[text](mp.mpf(float(point)))) for point in x[0]]]
    np.testing.assert_allclose(values(written(text), x), exact, rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize("text", POLYA)
def test_values_on_every_scale(text: str) -> None:
    t = np.geomspace(1e-12, 700, 40)
    with mp.workdps(40):
        exact = [float(POLYA[text](mp.mpf(float(point)))) for point in t]
    np.testing.assert_allclose(values(written(text), t), exact, rtol=1e-12, atol=3e-16)


def test_shapes_and_constants() -> None:
    assert values(written("t -> 1/2"), np.zeros((2, 3))).tolist() == [[0.5] * 3] * 2
    assert values(written("t -> t"), 2.0).shape == ()


def test_overflow_inside_does_not_make_values_undefined() -> None:
    formula, t = written("t -> t**2*exp(-t)"), np.array([1e200, 1.0])
    with np.errstate(all="ignore"):
        assert np.isnan(evaluate(formula, t, FLOATS)[0])
    np.testing.assert_allclose(values(formula, t), [0, np.exp(-1)])


def test_values_beyond_floats_inside_are_those_of_many_digits() -> None:
    """Few of them with mpmath itself, which takes a tenth of a millisecond for each."""
    formula, t = written("t -> exp(-t**2/3)*(1 - 1e308*t**2)"), np.array([1.5, 20.0, 46.5, 1e20, 1e300])
    exact = [float(mp.exp(-(mp.mpf(x) ** 2) / 3) * (1 - mp.mpf(1e308) * mp.mpf(x) ** 2)) for x in t]
    with counted_work() as work:
        np.testing.assert_allclose(values(formula, t), exact, rtol=1e-13)
        values(formula, np.linspace(1.5, 20, 1000))
    assert work.done < 1 or np.finfo(np.longdouble).max == np.finfo(float).max


def test_undefined_is_nan_and_poles_are_infinite() -> None:
    found = values(written("t -> sqrt(t) + 1/(t - 1)"), np.array([-1.0, 1.0, 4.0]))
    np.testing.assert_array_equal(found, [np.nan, np.inf, 2 + 1 / 3])
    assert np.isnan(values(written("t -> log(-t)"), 1.0))
