"""Hermite coefficients of formulas, against closed forms."""

from fractions import Fraction
from math import gamma

import mpmath
import numpy as np
import pytest
import scipy.special

from kernelspec.activations.activation import Activation
from kernelspec.activations.analytic import Exp, Gaussian, Sin
from kernelspec.activations.formula import MOST_DEGREES, expand, mean_square_slope
from kernelspec.activations.rectifiers import LeakyRelu, Relu
from kernelspec.activations.steps import Sign
from kernelspec.errors import RangeError
from kernelspec.expressions.formula import Constant, Formula
from tests.activations.quadrature import NODES, WEIGHTS
from tests.activations.written import written

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
    assert mean_square_slope(written(text)) == pytest.approx(same.derivative_at_one(), rel=1e-10)


def test_smooth_formulas_leave_nothing_out() -> None:
    for text in ("x -> 1/(1 + exp(-x))", "x -> sqrt(1 + x**2)", "x -> log(1 + exp(x))", "x -> x*exp(-x**2/9)"):
        assert expand(written(text)).omitted < 1e-12
        assert len(expand(written(text)).shares) < 200


def test_the_norm() -> None:
    assert expand(written("x -> 3*x**2")).norm == pytest.approx(np.sqrt(27), rel=1e-14)
    assert expand(written("x -> abs(x)**-0.2")).norm > 1
    assert expand(written("x -> max(0, 1 - 40*abs(x - 1))")).norm == pytest.approx(
        np.sqrt(2 / 120 * np.exp(-0.5) / np.sqrt(2 * np.pi)), rel=1e-4
    )


def slope_of_ramp(at: int, steepness: int) -> float:
    """E f′²/E f² for max(−1, min(1, c(x − a)))."""
    with mpmath.workdps(40):
        ends = [at - mpmath.mpf(1) / steepness, at, at + mpmath.mpf(1) / steepness]
        inside = mpmath.quad(mpmath.npdf, ends)
        square = mpmath.quad(lambda x: (steepness * (x - at)) ** 2 * mpmath.npdf(x), ends)
        return float(steepness**2 * inside / (1 - inside + square))


def slope_of_tail(at: int) -> float:
    """E f′²/E f² for max(0, x − a): P(X > a) = Q and E f² = (1 + a²)Q − aφ(a)."""
    with mpmath.workdps(40):
        beyond = mpmath.ncdf(-at)
        return float(beyond / ((1 + at**2) * beyond - at * mpmath.npdf(at)))


@pytest.mark.long
@pytest.mark.parametrize(
    ("text", "slope"),
    [
        ("x -> exp(-abs(x - 0.3))", 1.0),  # f′² = f²
        ("x -> max(0, x)/abs(x)", np.inf),
        ("x -> (x + 1)/abs(x + 1)", np.inf),
        ("x -> sqrt(abs(x))", np.inf),  # f′² = 1/4|x|
        # 9/16 E|X|^{−1/2} / E|X|^{3/2}, E|X|^p = 2^{p/2} Γ((p + 1)/2)/√π
        ("x -> abs(x)**0.75", 9 / 16 * 2**-0.25 * gamma(0.25) / (2**0.75 * gamma(1.25))),
        ("x -> x**2*abs(x - 1)/abs(x - 1)", 4 / 3),
        ("x -> 7", 0.0),
        # kinks that are close together, at zero and off it
        ("x -> max(-1, min(1, 1000000*x))", slope_of_ramp(0, 10**6)),
        ("x -> max(-1, min(1, 1000000000000*x))", slope_of_ramp(0, 10**12)),
        ("x -> max(-1, min(1, 1000000*(x - 3)))", slope_of_ramp(3, 10**6)),
        # next to nothing of the normal law lies beyond these kinks
        ("x -> max(0, x - 9)", slope_of_tail(9)),
        ("x -> max(0, x - 20)", slope_of_tail(20)),
        # branches that are equal but for rounding meet at thousands of points
        ("x -> max(log(exp(x)), x)", 1.0),
        # small jumps beside steep and large parts
        ("x -> x + 0.00000001*(x - 3)/abs(x - 3)", np.inf),
        ("x -> max(0, x - 9)/abs(x - 9)", np.inf),
        ("x -> abs(sin(20*x))", 800 / (1 - np.exp(-800)) * (1 + np.exp(-800)) / 2),
    ],
)
def test_slopes(text: str, slope: float) -> None:
    assert mean_square_slope(written(text)) == pytest.approx(slope, rel=1e-8)


def test_slopes_where_a_part_overflows() -> None:
    """f = log(1 + e^{cx}), at cx > 709: f′ is the logistic function of cx."""
    total, slopes = 0.0, 0.0
    for low in np.arange(-20, 20, 0.125):
        x = low + 0.0625 * (1 + NODES)
        density = 0.0625 * WEIGHTS * np.exp(-np.square(x) / 2)
        total += float(density @ np.logaddexp(0, 30 * x) ** 2)
        slopes += float(density @ np.square(30 * scipy.special.expit(30 * x)))
    assert mean_square_slope(written("x -> log(1 + exp(30*x))")) == pytest.approx(slopes / total, rel=1e-8)


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


def test_free_parameters_are_refused() -> None:
    with pytest.raises(RangeError, match="while a parameter is free"):
        expand(Formula(Constant(float("nan"))))
    assert expand(Formula(Constant(Fraction(2)))).shares.tolist() == pytest.approx([1])
