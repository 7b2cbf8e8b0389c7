"""Tests of `activations/formula.py`."""

from __future__ import annotations

import time
from collections.abc import Callable
from fractions import Fraction
from math import erf, exp, gamma, inf, pi, sqrt

import numpy as np
import pytest
import sympy

import kernelspec as ks
from kernelspec.activations.activation import Activation
from kernelspec.activations.analytic import Exp, Gaussian, Sin
from kernelspec.activations.formula import MOST_DEGREES, FormulaActivation, expand, gauss_panels
from kernelspec.activations.piecewise import LeakyRelu, Relu, Sign
from kernelspec.errors import RangeError
from kernelspec.expressions.formula import Constant, Formula
from kernelspec.random.streams import Stream
from tests.activations.standard import NODES, WEIGHTS, plane_mean, written
from tests.laboratory import assert_proportions
from tests.processor import seconds_since

RHO = np.array([-1.0, -0.6, 0.0, 0.2, 0.9, 1.0])

SMOOTH: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "x -> 1/(1 + exp(-x))": lambda x: 1 / (1 + np.exp(-x)),
    "x -> log(1 + exp(x))": lambda x: np.logaddexp(0, x),
    "x -> sin(x) + x**2/3": lambda x: np.sin(x) + x**2 / 3,
    "x -> tanh(x)": np.tanh,
    "x -> x/sqrt(1 + x**2)": lambda x: x / np.sqrt(1 + x**2),
}
KINKED: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "x -> max(0, x)*x": lambda x: np.maximum(x, 0) * x,
    "x -> max(x, exp(min(x, 0)) - 1)": lambda x: np.where(x > 0, x, np.expm1(np.minimum(x, 0))),
    "x -> max(0, x) + cos(x)": lambda x: np.maximum(x, 0) + np.cos(x),
    "x -> x/abs(x)": np.sign,
}


@pytest.mark.parametrize("text", SMOOTH)
def test_smooth_formulas_are_exact(text: str) -> None:
    activation = FormulaActivation(function=written(text))
    function = SMOOTH[text]
    whole = plane_mean(function, 1.0)
    assert activation.is_complete
    assert activation.omitted < 1e-12
    expected = [plane_mean(function, rho) / whole for rho in RHO]
    np.testing.assert_allclose(activation.dual(RHO), expected, atol=1e-12)
    np.testing.assert_allclose(activation.evaluate(3 * RHO), function(3 * RHO) / np.sqrt(whole), rtol=1e-12)


@pytest.mark.long
@pytest.mark.parametrize("text", KINKED)
def test_kinks_and_jumps_leave_as_much_out_as_is_said(text: str) -> None:
    activation = FormulaActivation(function=written(text))
    whole = plane_mean(KINKED[text], 1.0)
    assert 1e-12 < activation.omitted < 1e-2 or "x)*x" in text
    assert activation.is_complete == ("x)*x" in text or "exp" in text)  # f is differentiable
    expected = np.array([plane_mean(KINKED[text], rho) / whole for rho in RHO])
    np.testing.assert_allclose(activation.dual(RHO), expected, atol=2 * activation.omitted + 1e-12, rtol=0)
    assert activation.dual(np.array(1.0)) == pytest.approx(1, abs=1e-15)
    # away from ±1 only the normalisation differs
    kept = 1 - activation.omitted
    np.testing.assert_allclose(activation.dual(RHO[1:5]) * kept, expected[1:5], atol=1e-11)


def test_a_kink_off_zero() -> None:
    """E f(X)f(Y) as an iterated integral, split at the kink in both."""
    activation = FormulaActivation(function=written("x -> exp(-abs(x - 0.3))"))

    def function(x: np.ndarray) -> np.ndarray:
        return np.exp(-np.abs(x - 0.3))

    def split(at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        half = np.stack([(at + 14) / 2, (14 - at) / 2])[..., None]
        start = np.stack([np.full_like(at, -14), at])[..., None]
        return start + half * (1 + NODES), half * WEIGHTS

    for rho in (-0.5, 0.3, 0.8):
        x, w = (part.ravel() for part in split(np.array(0.3)))
        z, v = split(np.clip((0.3 - rho * x) / np.sqrt(1 - rho**2), -14, 14))
        y = rho * x[:, None] + np.sqrt(1 - rho**2) * z
        inner = (v * function(y) * np.exp(-(z**2) / 2)).sum(axis=(0, 2))
        joint = w @ (function(x) * np.exp(-(x**2) / 2) * inner) / (2 * np.pi)
        whole = w @ (function(x) ** 2 * np.exp(-(x**2) / 2)) / np.sqrt(2 * np.pi)
        kept = 1 - activation.omitted
        assert float(activation.dual(np.array(rho))) * kept == pytest.approx(joint / whole, abs=1e-11)


def test_degrees() -> None:
    activation = FormulaActivation(function=written("x -> log(1 + exp(2*x))"))
    degrees = np.arange(200)
    for weight in (1.0, 0.4):
        drawn = activation.draw_degrees(Stream(1), 100_000, weight)
        masses = activation.coefficient(degrees) * weight**degrees
        counts = np.bincount(drawn, minlength=200)
        assert len(counts) == 200
        assert_proportions(counts, masses / masses.sum(), budget=1e-8)
    assert np.array_equal(activation.draw_degrees(Stream(1), 9), activation.draw_degrees(Stream(1), 900)[:9])


def test_the_catalogue_written_out() -> None:
    degrees = np.arange(3000)
    for text, same in (("x -> max(0, x)", Relu()), ("x -> max(x, -x/2)", LeakyRelu(slope=-0.5))):
        activation = FormulaActivation(function=written(text))
        found = activation.coefficient(degrees) * (1 - activation.omitted)
        np.testing.assert_allclose(found, same.coefficient(degrees), rtol=1e-6, atol=1e-14)
        assert activation.mean_degree() < 1


@pytest.mark.long
def test_the_variables_of_integration_are_its_own() -> None:
    """At ρ = y x, names that a kernel of one column has."""
    x, y, z = sympy.symbols("x y z", real=True)
    value = FormulaActivation(function=written("x -> x**2 + x")).dual_expression(x * y * z)
    assert value.free_symbols == {x, y, z}
    exact = (sympy.Rational(1, 6) ** 2 * 2 + sympy.Rational(1, 6) + 1) / 4  # He_2 + He_1 + 1
    found = value.subs({x: sympy.Rational(1, 2), y: sympy.Rational(1, 3), z: 1}).doit()
    assert float(found) == pytest.approx(float(exact), rel=1e-12)


def test_a_number_of_it_is_no_integral_that_sympy_would_compute() -> None:
    activation = FormulaActivation(function=written("x -> x**2 + x"))
    value = activation.dual_expression(sympy.Rational(1, 2))
    assert str(value) == "dual_of_activation(x -> x**2 + x)(1/2)"
    assert value.is_positive
    assert activation.dual_expression(sympy.Rational(-1, 2)).is_positive is None
    with pytest.raises(TypeError):
        float(value)


@pytest.mark.parametrize(
    ("function", "breaks", "mean_square"),
    [
        (np.ones_like, (), 1),
        (lambda x: x**5, (), 945),
        (np.exp, (), exp(2)),
        (lambda x: np.sin(40 * x), (), (1 - exp(-3200)) / 2),
        (np.abs, (0.0,), 1),
        (lambda x: np.sqrt(np.abs(x)), (0.0,), sqrt(2 / pi)),
        (lambda x: np.abs(x) ** -0.2, (0.0,), 2**-0.2 * gamma(0.3) / sqrt(pi)),
        (lambda x: (x > 0.7).astype(float), (0.7,), (1 - erf(0.7 / sqrt(2))) / 2),
        (lambda x: (x > 0.7).astype(float), (), (1 - erf(0.7 / sqrt(2))) / 2),
        (lambda x: np.exp(-500 * x**2), (), 1 / sqrt(2001)),
    ],
)
def test_mean_squares(function, breaks, mean_square) -> None:
    panels = gauss_panels(function, breaks)
    assert panels.mean_square == pytest.approx(mean_square, rel=1e-12)
    assert abs(panels.mean_square - mean_square) <= panels.error + 1e-14 * mean_square
    assert (np.diff(panels.nodes) >= 0).all()


def test_means_are_found_where_only_the_square_is_smooth() -> None:
    panels = gauss_panels(lambda x: np.sqrt(np.abs(x)), (0.0,))
    half = np.exp(-np.square(panels.nodes) / 4) / (2 * pi) ** 0.25
    assert panels.weights @ (panels.values * half) == pytest.approx(2**0.25 * gamma(0.75) / sqrt(pi), rel=1e-13)


@pytest.mark.parametrize("function", [lambda x: 1 / x, lambda x: 1 / (x - 1.03), lambda x: np.full_like(x, inf)])
def test_what_is_not_integrable_has_an_error(function) -> None:
    panels = gauss_panels(function, (0.0,))
    assert not panels.error <= 1e-6 * panels.mean_square


SAME: list[tuple[str, Activation]] = [
    ("x -> 3*exp(x/2)", Exp(c=0.25)),
    ("x -> sin(20*x)", Sin(a=20.0)),
    ("x -> exp(-2*x**2)*1e200", Gaussian(a=2.0)),
    ("x -> 1e-200*max(0, x)", Relu()),
    ("x -> max(x, x/10)", LeakyRelu(slope=0.1)),
    ("x -> x/abs(x)", Sign()),
]


@pytest.mark.parametrize(("text", "same"), SAME, ids=[text for text, _ in SAME])
def test_shares(text: str, same: Activation) -> None:
    expansion = expand(written(text))
    degrees = np.arange(MOST_DEGREES)
    expected = same.coefficient(degrees)
    found = np.zeros(MOST_DEGREES)
    found[: len(expansion.shares)] = expansion.shares
    np.testing.assert_allclose(found, expected, atol=1e-13)
    left_out = max(0.0, 1 - float(expected[: len(expansion.shares)].sum()))
    assert expansion.omitted == pytest.approx(left_out, rel=1e-6, abs=2e-13)


def test_the_norm() -> None:
    assert expand(written("x -> 3*x**2")).norm == pytest.approx(np.sqrt(27), rel=1e-14)
    assert expand(written("x -> abs(x)**-0.2")).norm > 1
    assert expand(written("x -> max(0, 1 - 40*abs(x - 1))")).norm == pytest.approx(
        np.sqrt(2 / 120 * np.exp(-0.5) / np.sqrt(2 * np.pi)), rel=1e-4
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x -> log(x)", "no real value at -"),
        ("x -> exp(x**2)", "infinite"),
        ("x -> exp(x**2/4)", "infinite"),
        ("x -> 1/x", "was not found"),
        ("x -> 1/(x - 1)", "was not found"),
        ("x -> sin(10000000*x)", "was not found"),
        ("x -> x - x", "is zero"),
        ("x -> max(0, 1 - 1000*abs(x - 1))", "degree 4096 and beyond"),
    ],
)
def test_refused(text: str, message: str) -> None:
    with pytest.raises(RangeError, match=message):
        expand(written(text))


def test_a_pole_away_from_zero_is_refused_in_seconds() -> None:
    """x − 1 loses nothing, as 1 is a float: nothing near the pole needs more digits, which took minutes."""
    start = time.process_time()
    with pytest.raises(RangeError, match="was not found"):
        ks.compile("dual(activation(x -> 1/(x - 1)), gaussian())", dim=2)
    assert seconds_since(start, bound=10) < 10


def test_free_parameters_are_refused() -> None:
    with pytest.raises(RangeError, match="while a parameter is free"):
        expand(Formula(Constant(float("nan"))))
    assert expand(Formula(Constant(Fraction(2)))).shares.tolist() == pytest.approx([1])
