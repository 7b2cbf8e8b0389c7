"""Tests of `expressions/evaluation.py`."""

from __future__ import annotations

import mpmath
import mpmath as mp
import numpy as np
import pytest

from kernelspec.expressions import evaluation
from kernelspec.expressions.evaluation import scaled_values, value_at, values
from kernelspec.expressions.formula import evaluate
from kernelspec.expressions.rounding import FLOATS
from kernelspec.limits import counted_work
from tests.expressions.written import POLYA, SMOOTH, written


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


@pytest.mark.parametrize("text", [*POLYA, *SMOOTH])
def test_values_have_all_digits(text: str) -> None:
    function = {**POLYA, **SMOOTH}[text]
    with mp.workdps(40):
        for x in (mp.mpf("0.3"), mp.mpf("1.7")):
            assert mp.almosteq(value_at(written(text), x), function(x), 1e-37, 1e-37)


@pytest.mark.parametrize(
    "text", ["x -> sqrt(-x)", "x -> log(-x)", "x -> (-x)**0.5", "x -> max(sqrt(-x), 1)", "x -> 0/(x - 1)"]
)
def test_what_is_not_real_is_nan(text: str) -> None:
    assert mp.isnan(value_at(written(text), 1))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("x -> 1/(1 - x)", mp.inf),
        ("x -> log(x - 1)", -mp.inf),
        ("x -> (-2*x)**3", -8),
        ("x -> (-2*x)**-2", mp.mpf(1) / 4),
        ("x -> (x - 1)**0.5", 0),
        ("x -> (x - 1)**0", 1),
        ("x -> exp(-exp(exp(exp(exp(10*x)))))", 0),
        ("x -> exp(exp(exp(exp(exp(10*x)))))", mp.inf),
        ("x -> min(x, 2)*abs(-x)", 1),
        ("x -> tanh(-exp(exp(exp(exp(exp(10*x))))))", -1),
    ],
)
def test_corners(text: str, value: object) -> None:
    assert value_at(written(text), 1) == value


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "t -> exp(-t)",
        "t -> exp(-t**2)/(1 + t)",
        "t -> 2/(exp(t) + exp(-t))",
        "t -> exp(-t)*(2 + cos(t))",
        "t -> sqrt(exp(-3*t))",
        "t -> max(exp(-t), exp(-2*t)) + 1/exp(t)",
        "t -> 2**(-3*t)",
        "t -> exp(-t)**(1 + 1/t)",
        "t -> exp(log(1/t)*t)",
        "t -> 1 - t",
    ],
)
def test_logarithms_of_values(text: str) -> None:
    formula, points = (
        written(text),
        np.array([0.5, 3.0, 40.0, 300.0] if "t**2" in text else [0.5, 3.0, 700.0, 800.0, 5000.0]),
    )
    mantissa, exponent = scaled_values(formula, points)
    for t, m, s in zip(points, mantissa, exponent, strict=True):
        with mpmath.workdps(40):
            ratio = value_at(formula, t) / mpmath.exp(mpmath.mpf(s)) / mpmath.mpf(m)
            assert abs(ratio - 1) < 1e-15 * (10 + abs(s))  # the exponent itself is a float


def test_floats_that_suffice_are_left_alone() -> None:
    formula, points = written("t -> exp(-t)*cos(t)"), np.linspace(0, 40, 9)
    mantissa, exponent = scaled_values(formula, points)
    np.testing.assert_array_equal(mantissa, values(formula, points))
    assert not exponent.any()


def test_what_is_exact_needs_no_digits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the end of max(0, 1 − t)^a, and where an exponential is infinite beyond doubt."""
    settled: list[float] = []
    monkeypatch.setattr(evaluation, "_settled", lambda formula, place: settled.append(place) or 0.0)
    far = np.array([10.0, 100.0])
    np.testing.assert_array_equal(values(written("t -> max(0, 1 - t/8)**1.1*(1 + t)**-0.125"), far), 0)
    np.testing.assert_allclose(values(written("t -> 1/(1 + exp(1e50*t)) + exp(-t)"), far), np.exp(-far))
    assert not settled


@pytest.mark.slow
def test_a_product_that_overflows_on_the_way_is_settled() -> None:
    found = values(written("t -> 1e150/(1 + exp(800*t)*1e-200*1e-200)"), np.array([0.5, 2.0]))
    expected = [float(mp.mpf("1e150") / (1 + mp.exp(800 * mp.mpf(t)) * mp.mpf("1e-400"))) for t in ("0.5", "2")]
    np.testing.assert_allclose(found, expected, rtol=1e-14)
