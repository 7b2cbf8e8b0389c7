"""Tests of `activations/standard.py`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
import sympy
from numpy.polynomial import hermite_e

from kernelspec.activations.activation import LARGEST_DEGREE, Activation
from kernelspec.elaboration.arithmetic import NumberArithmetic
from kernelspec.elaboration.elaborate import SpecElaborator
from kernelspec.elaboration.formulas import build_formula
from kernelspec.elaboration.scope import Columns, Definitions
from kernelspec.errors import RangeError
from kernelspec.expressions.arguments import declared
from kernelspec.expressions.formula import Formula
from kernelspec.language import nodes
from kernelspec.language.parser import parse_program
from kernelspec.random.streams import Stream
from tests.laboratory import assert_proportions
from tests.standard_checks import check_parameters
from tests.thoroughness import first_of_each

__all__ = ["exceedances_test", "line_mean", "plane_mean", "standard_activation_tests", "written"]

Function = Callable[[np.ndarray], np.ndarray]

SEED = 20_251_122
BUDGET = 1e-8
DRAWS = 200_000
CELLS = 300
RHO = np.array([-1.0, -0.93, -0.4, 0.0, 0.17, 0.5, 0.8, 0.99, 1.0])
GAPS = np.array([1e-4, 1e-7, 1e-10, 1e-13, 1.2e-16])


def standard_activation_tests(cases: Sequence[tuple[Activation, Function]]) -> Callable[..., None]:
    """One test for every check and every pair of an activation and a multiple of it, written for arrays.

    All but the first of every class are for the long run.
    """

    @pytest.mark.parametrize("check", check_parameters(CHECKS))
    @pytest.mark.parametrize(
        ("activation", "written"), first_of_each(cases), ids=[str(activation) for activation, _ in cases]
    )
    def test(activation: Activation, written: Function, check: Callable[[Activation, Function], None]) -> None:
        check(activation, written)

    return test


def evaluate(activation: Activation, written: Function) -> None:
    """A multiple of the function, of mean square one."""
    x = np.array([-3.0, -1.1, -0.2, 0.3, 0.9, 2.4])
    norm = np.sqrt(line_mean(lambda x: written(x) ** 2))
    np.testing.assert_allclose(activation.evaluate(x), written(x) / norm, rtol=1e-11, atol=1e-14)
    assert line_mean(lambda x: activation.evaluate(x) ** 2) == pytest.approx(1, abs=1e-12)


def dual(activation: Activation, written: Function) -> None:
    """The definition, over the plane."""
    whole = plane_mean(written, 1.0)
    expected = [plane_mean(written, rho) / whole for rho in RHO]
    np.testing.assert_allclose(activation.dual(RHO), expected, atol=1e-11)


def dual_near_one(activation: Activation, written: Function) -> None:
    """To 1e-14 of the expression in 50 digits, however near ±1."""
    rho = sympy.Symbol("rho", real=True)
    expression = activation.dual_expression(rho)
    points = np.concatenate([1 - GAPS, GAPS - 1, RHO])
    exact = [float(sympy.re(expression.subs(rho, sympy.Rational(float(p))).evalf(30))) for p in points]
    np.testing.assert_allclose(activation.dual(points), exact, atol=1e-14)


def rounding(activation: Activation, written: Function) -> None:
    """Arguments a little beyond ±1 count as ±1; far beyond there is no dual, and NaN stays."""
    np.testing.assert_array_equal(
        activation.dual(np.array([1 + 1e-15, -1 - 1e-15])), activation.dual(np.array([1.0, -1.0]))
    )
    assert activation.dual(np.array([1.0]))[0] == pytest.approx(1, abs=3e-16)
    assert np.isnan(activation.dual(np.array([1.01, -1.01, np.nan]))).all()
    assert activation.dual(np.array([[0.5], [0.2]])).shape == (2, 1)


def deep_stack(activation: Activation, written: Function) -> None:
    values = np.array([-1.0, 1.0, 0.999999, 0.0])
    for _ in range(100):
        values = activation.dual(values)
        assert (np.abs(values) <= 1).all()
    assert values[1] == pytest.approx(1, abs=1e-9 if activation.mean_degree() <= 1.1 else 1)


def coefficients(activation: Activation, written: Function) -> None:
    """Squared normalised Hermite coefficients; whole series at 0.9; nothing at other degrees."""
    total = line_mean(lambda x: written(x) ** 2)
    expected, factorial = [], 1.0
    for degree in range(9):
        factorial *= max(1, degree)
        basis = np.eye(9)[degree]
        b = line_mean(lambda x, basis=basis: written(x) * hermite_e.hermeval(x, basis))
        expected.append(b**2 / factorial / total)
    np.testing.assert_allclose(activation.coefficient(np.arange(9)), expected, atol=1e-11)
    assert (activation.coefficient(np.array([-1, -2, -10])) == 0).all()
    degrees = np.arange(1000)
    found = activation.coefficient(degrees)
    assert (found >= 0).all()
    rho = np.array([-0.9, 0.33, 0.9])
    np.testing.assert_allclose(found @ rho ** degrees[:, None], activation.dual(rho), atol=1e-13)


def total(activation: Activation, written: Function) -> None:
    """Σ a_l = 1: below 2000 one by one; then, for even and odd degrees, as integrals up to 1e12; then as a power."""
    start = 2000
    found = float(activation.coefficient(np.arange(start)).sum())
    for parity in (0, 1):
        degrees = start + parity + 2 * np.unique(np.geomspace(1, 5e11, 20_000).astype(np.int64) - 1)
        heights = activation.coefficient(degrees)
        # Euler and Maclaurin: the sum over every other degree is half the integral and half the first term
        scaled = heights * degrees
        found += float(np.trapezoid(scaled, np.log(degrees))) / 2 + heights[0] / 2
        if heights[-1] > 0:
            power = -np.log(heights[-1] / heights[-3000]) / np.log(degrees[-1] / degrees[-3000])
            found += scaled[-1] / (power - 1) / 2
    assert found == pytest.approx(1, abs=2e-8)


def slope_at_one(activation: Activation, written: Function) -> None:
    """σ̂′(1): the quotient of differences, and Σ l a_l."""
    slope = activation.mean_degree()
    steps = np.array([1e-7, 1e-9])
    quotients = (1 - activation.dual(1 - steps)) / steps
    if np.isinf(slope):
        assert quotients[1] > 8 * quotients[0]
    else:
        np.testing.assert_allclose(quotients, slope, rtol=1e-3)
        degrees = np.arange(200_000)
        assert float(degrees @ activation.coefficient(degrees)) == pytest.approx(slope, rel=2e-3)


def mean_degrees(activation: Activation, written: Function) -> None:
    """m σ̂′(m)/σ̂(m), the expression differentiated in 30 digits; the law has this mean."""
    rho, far = sympy.Symbol("rho", real=True), float(activation.radius())
    expression = activation.dual_expression(rho)
    mean = rho * expression.diff(rho) / expression
    for weight in (0.01, 0.4, 0.97, 1 - 1e-9, 1 + 0.6 * (min(far, 2.5) - 1)):
        if weight < far and weight != 1:
            exact = complex(mean.subs(rho, sympy.Rational(weight)).evalf(30)).real
            found = activation.mean_degree(weight)
            assert isinstance(found, float)
            assert found == pytest.approx(exact, rel=1e-9)
    degrees = np.arange(2000)
    assert float(degrees @ activation.law(degrees, 0.9)) == pytest.approx(activation.mean_degree(0.9), rel=1e-12)
    assert activation.law(degrees, 0.9).sum() == pytest.approx(1, rel=1e-12)


def at_the_radius(activation: Activation, written: Function) -> None:
    """a_l m^l ~ l^{−p}: the series diverges for p ≤ 1, and the mean is infinite for p ≤ 2."""
    far = float(activation.radius())
    if far == np.inf:
        return
    degrees = np.arange(10, 1000)
    a = activation.coefficient(degrees)
    degrees, a = degrees[a > 1e-290], a[a > 1e-290]
    logarithms = np.log(a) + degrees * np.log(far)
    half = len(degrees) // 2
    power = -(logarithms[-1] - logarithms[half]) / np.log(degrees[-1] / degrees[half])
    assert abs(power - round(power)) > 0.4  # ½, 3/2 or 5/2 for all in closed form
    end = np.array(far)
    assert (activation.mean_degree(far) == np.inf) == (power < 2)
    assert (activation.dual_absolute(end) == np.inf) == (power < 1)
    assert np.isnan(activation.dual_at(-end)) == (power < 1)
    assert activation.diverges_at_radius == (power < 1)
    if power < 1:
        with pytest.raises(RangeError, match="law of degrees"):
            activation.draw_degrees(Stream(SEED), 10, far)
    else:
        near = float(activation.dual_absolute(end * (1 - 1e-12)))
        assert float(activation.dual_absolute(end)) == pytest.approx(near, rel=1e-5)
        assert len(activation.draw_degrees(Stream(SEED), 10, far)) == 10


def radius(activation: Activation, written: Function) -> None:
    """The root test, the series inside the radius, infinity outside."""
    found = float(activation.radius())
    degrees = np.arange(5000)
    with np.errstate(divide="ignore"):
        logarithms = np.log(activation.coefficient(degrees))
    late = degrees[100:][np.isfinite(logarithms[100:])]
    if found < np.inf:
        last = late[-1]
        assert logarithms[last] / last == pytest.approx(-np.log(found), abs=0.02)
        outside = np.array([found * 1.001, 1e9])
        assert (activation.dual_absolute(outside) == np.inf).all()
        assert np.isnan(activation.dual_at(-outside)).all()
    elif len(late):
        assert logarithms[late[-1]] < -2 * late[-1]
    x = 1 + 0.75 * (min(found, 3.0) - 1)
    for inside in (0.4, x):
        logs = np.where(degrees < 2000, logarithms + degrees * np.log(inside), -np.inf)
        expected = float(np.exp(logs[: 2000 if x > 1 else 1000]).sum())
        if inside < found:
            assert float(activation.dual_absolute(np.array(inside))) == pytest.approx(expected, rel=1e-11)
            assert float(activation.dual_at(np.array(inside))) == pytest.approx(expected, rel=1e-11)


def degrees(activation: Activation, written: Function) -> None:
    """χ² with all degrees from 300 on as one cell, at several weights."""
    far = float(activation.radius())
    for weight in (1.0, 0.3, 0.97, 1 + 0.6 * (min(far, 2.5) - 1)):
        drawn = activation.draw_degrees(Stream(SEED), DRAWS, weight)
        assert drawn.dtype == np.int64
        assert drawn.min() >= 0
        masses = activation.coefficient(np.arange(CELLS)) * weight ** np.arange(CELLS, dtype=float)
        chances = masses / float(activation.dual_absolute(np.array(weight)))
        counts = np.bincount(np.minimum(drawn, CELLS), minlength=CELLS + 1)
        chances = np.append(chances, max(0.0, 1 - chances.sum()))
        if chances.max() > 1 - 1e-12:
            assert counts[np.argmax(chances)] == DRAWS
        else:
            assert_proportions(counts, chances, budget=BUDGET, what=f"degrees at the weight {weight:g}")


def prefix(activation: Activation, written: Function) -> None:
    for weight in (1.0, 0.7):
        few, many = (activation.draw_degrees(Stream(SEED), n, weight) for n in (40, 4000))
        np.testing.assert_array_equal(few, many[:40])
        assert len(activation.draw_degrees(Stream(SEED), 0, weight)) == 0


def refused_weights(activation: Activation, written: Function) -> None:
    radius = float(activation.radius())
    for weight in (0.0, -0.5, np.nan, radius * 1.01, *([radius] if activation.diverges_at_radius else [])):
        with pytest.raises(RangeError, match="law of degrees"):
            activation.draw_degrees(Stream(SEED), 10, weight)


def symbols(activation: Activation, written: Function) -> None:
    """With symbols for arguments: the same expression and slope once numbers are put in."""
    names = [name for name, (argument, _) in declared(type(activation)).items() if argument.kind == "number"]
    if not names:
        return
    parameters = {name: sympy.Symbol(name, positive=True) for name in names}
    numbers = {symbol: sympy.Float(getattr(activation, name), 30) for name, symbol in parameters.items()}
    symbolic = type(activation)(**parameters)
    rho = sympy.Symbol("rho", real=True)
    value: Any = symbolic.dual_expression(rho).subs(numbers).subs(rho, sympy.Rational(7, 10))
    assert float(value.evalf(20)) == pytest.approx(float(activation.dual(np.array(0.7))), rel=1e-13)
    slope: Any = symbolic.dual_expression(rho).diff(rho).subs(rho, 1)
    for found, stated in ((slope, activation.mean_degree()), (symbolic.radius(), activation.radius())):
        assert float(sympy.S(found).subs(numbers).evalf(20)) == pytest.approx(float(stated), rel=1e-13)


CHECKS = [
    evaluate,
    dual,
    dual_near_one,
    rounding,
    deep_stack,
    coefficients,
    total,
    slope_at_one,
    mean_degrees,
    radius,
    at_the_radius,
    degrees,
    prefix,
    refused_weights,
    symbols,
]


NODES, WEIGHTS = np.polynomial.legendre.leggauss(64)


def _panels(corners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    half = np.diff(corners)[:, None] / 2
    return (corners[:-1, None] + half * (1 + NODES)).ravel(), (half * WEIGHTS).ravel()


def line_mean(f: Function) -> float:
    """E f(X)."""
    x, w = _panels(np.linspace(-24, 24, 49))
    return float(w @ (f(x) * np.exp(-(x**2) / 2)) / np.sqrt(2 * np.pi))


def plane_mean(f: Function, rho: float) -> float:
    """E f(X)f(Y), in polar coordinates: X = r cos θ, Y = r cos(θ − α), ρ = cos α, on the sectors between the kinks."""
    alpha = np.arccos(rho)
    cuts = np.sort(np.mod(np.array([1, 3, 1, 3]) * np.pi / 2 + np.array([0, 0, alpha, alpha]), 2 * np.pi))
    angle, turn = _panels(np.append(cuts, cuts[0] + 2 * np.pi))
    r, w = _panels(np.linspace(0, 18, 10))
    inner = f(r[:, None] * np.cos(angle)) * f(r[:, None] * np.cos(angle - alpha)) @ turn
    return float(w @ (r * np.exp(-(r**2) / 2) * inner) / (2 * np.pi))


DRAWS_OF_HEAVY_TAILS = 2_000_000
LEVELS = [10**2, 10**4, 10**6]


def exceedances_test(activation: Activation, tail: float) -> Callable[[], None]:
    """P(l > n) at 1e2, 1e4 and 1e6, from all coefficients up to there, and ≈ `tail`/√n."""

    def test() -> None:
        below = np.cumsum(activation.coefficient(np.arange(LEVELS[-1] + 1)))[LEVELS]
        exceeded = 1 - below
        assert exceeded * np.sqrt(LEVELS) == pytest.approx(tail, rel=1e-2)
        drawn = activation.draw_degrees(Stream(3), DRAWS_OF_HEAVY_TAILS)
        counts = np.histogram(drawn, [0, *(level + 1 for level in LEVELS), LARGEST_DEGREE + 1])[0]
        assert_proportions(counts, np.diff([0, *below, 1]), budget=1e-8, what="exceedances")
        # and far beyond what can be summed
        far = [10**8, 10**10]
        probabilities = np.diff([0, *(1 - tail / np.sqrt(far)), 1])
        counts = np.histogram(drawn, [0, *(level + 1 for level in far), LARGEST_DEGREE + 1])[0]
        assert_proportions(counts, probabilities, budget=1e-8, what="far exceedances")
        assert set(np.unique(drawn[drawn > 0] % 2)) == {1}

    return test


def written(text: str) -> Formula:
    """The formula of `x -> …`."""
    program = parse_program(f"product({text})", "<test>")
    assert isinstance(program.body, nodes.Call)
    (node,) = program.body.positional
    assert isinstance(node, nodes.Lambda)
    return build_formula(SpecElaborator(NumberArithmetic()), node, Columns(1), Definitions())
