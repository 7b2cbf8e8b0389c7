"""Activations written as a formula."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import sympy

from kernelspec.activations.formula import FormulaActivation
from kernelspec.activations.rectifiers import LeakyRelu, Relu
from kernelspec.random.streams import Stream
from kernelspec.testing.laboratory import assert_proportions
from tests.activations.quadrature import NODES, WEIGHTS, plane_mean
from tests.activations.written import written

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
    assert activation.derivative_at_one() == pytest.approx(activation.mean_degree(), rel=1e-8)
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
        assert activation.derivative_at_one() == pytest.approx(1, rel=1e-12)
        assert activation.mean_degree() < 1


def test_no_convergence_beyond_one_is_claimed() -> None:
    activation = FormulaActivation(function=written("x -> x"))
    assert activation.radius() == 1
    assert float(activation.dual_absolute(np.array(1.5))) == np.inf


def test_jumps_have_an_infinite_slope_and_finitely_many_degrees() -> None:
    activation = FormulaActivation(function=written("x -> x/abs(x)"))
    assert activation.derivative_at_one() == np.inf
    degrees = np.arange(4096)
    assert activation.mean_degree() == pytest.approx(float(degrees @ activation.coefficient(degrees)), rel=1e-12)
    assert activation.draw_degrees(Stream(1), 100_000).max() < 4096


@pytest.mark.long
def test_the_expression_is_the_definition() -> None:
    rho = sympy.Symbol("rho", positive=True)
    activation = FormulaActivation(function=written("x -> x**2"))
    value = activation.dual_expression(rho).subs(rho, sympy.Rational(3, 5)).doit()
    assert sympy.nsimplify(sympy.simplify(value)) == pytest.approx(float(activation.dual(np.array(0.6))), rel=1e-14)


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


def test_shown_as_written_and_equal_by_formula() -> None:
    activation = FormulaActivation(function=written("x -> max(0, x)"))
    assert str(activation) == "activation(x -> max(0, x))"
    assert activation == FormulaActivation(function=written("t -> max(0, t)"))
    assert activation != FormulaActivation(function=written("x -> max(0, 2*x)"))
