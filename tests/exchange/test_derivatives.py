"""Tests of `exchange/derivatives.py`."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest
import sympy

import kernelspec as ks
from kernelspec.elaboration.scope import Columns
from kernelspec.elaboration.valued_program import as_program
from kernelspec.errors import NoCounterpartError
from kernelspec.exchange.derivatives import Place, compile_numbers, line_slopes, plus, tangents
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.kernels.leaves.discrete import Periodic
from kernelspec.kernels.leaves.radial import Matern, PoweredExponential, RationalQuadratic
from kernelspec.tables.rows import Rows

CASES = [
    (
        RationalQuadratic(alpha=1, scale=1, dim=1),
        ("alpha", "scale"),
        (0.7, 1.3),
        lambda t, a, s: (1 + t**2 / (2 * a * s**2)) ** -a,
    ),
    (
        PoweredExponential(alpha=1, scale=1, dim=1),
        ("alpha", "scale"),
        (1.4, 0.8),
        lambda t, a, s: mp.exp(-((t / s) ** a)),
    ),
    (
        Periodic(period=1, scale=1, dim=1),
        ("period", "scale"),
        (1.7, 0.6),
        lambda t, p, s: mp.exp(-2 * (mp.sin(mp.pi * t / p) / s) ** 2),
    ),
    (
        Matern(nu=sympy.Rational(7, 10), scale=1, dim=1),
        ("scale",),
        (1.3,),
        lambda t, s: 2 ** mp.mpf("0.3") / mp.gamma("0.7") * _matern(mp.mpf("0.7"), mp.sqrt(mp.mpf("1.4")) * t / s),
    ),
]


def _matern(nu: mp.mpf, x: mp.mpf) -> mp.mpf:
    return x**nu * mp.besselk(nu, x)


@pytest.mark.parametrize(("leaf", "names", "values", "formula"), CASES, ids=lambda value: type(value).__name__)
def test_slopes(leaf, names, values, formula) -> None:
    by_lag, by_argument = line_slopes(leaf, names)
    lags = np.array([0.05, 0.4, 1.1, 3.0])
    for place, slope in enumerate((by_lag, *by_argument)):
        expected = []
        for lag in lags:
            with mp.workdps(40):
                at = tuple(map(mp.mpf, (lag, *values)))
                expected.append(float(mp.diff(formula, at, tuple(int(i == place) for i in range(len(at))))))
        np.testing.assert_allclose(slope(lags, *values), expected, rtol=1e-9)


def test_no_closed_form() -> None:
    with pytest.raises(NoCounterpartError, match=r"matern\(\) has no derivative by 'nu'"):
        line_slopes(Matern(nu=1, scale=1, dim=1), ("nu",))


ROWS = np.array([[0.5, 1.0], [0.5, 1.0], [0.5, 2.0], [-1.0, 1.0]])
"""Two equal rows, and two that are equal in one column."""


@pytest.mark.parametrize(
    "text",
    [
        "gaussian(scale=s)",
        "laplace(scale=s)",
        "exponential(scale=s)",
        "matern(nu=1/2, scale=s)",
        "matern(nu=1.3, scale=s)",
        "matern(nu=5/2, scale=s)",
        "cauchy(scale=s)",
        "rational_quadratic(alpha=s, scale=s)",
        "powered_exponential(alpha=s, scale=s)",
        "triangle(width=4*s)",
        "sinc(bandwidth=s)",
        "periodic(period=s, scale=s)",
        "cosine(by=s)",
        "rbf_cosine(gamma=s)",
        "stretch(laplace(), [s, 1])",
        "stretch(exponential(), [s, s**2])",
        "stretch(sinc(), [1, s])",
        "stretch(powered_exponential(alpha=0.5), s)",
    ],
)
def test_gradients_are_finite_and_zero_where_rows_are_equal(text: str) -> None:
    kernel = ks.to_sklearn(f"param s = 1.3\n{text}")
    value, gradient = kernel(ROWS, eval_gradient=True)
    assert np.isfinite(gradient).all()
    np.testing.assert_array_equal(gradient[[0, 0, 1, 1, 2, 3], [0, 1, 0, 1, 2, 3], 0], 0)
    assert np.abs(gradient).max() > 0
    step = 1e-5
    up, down = (kernel.clone_with_theta(kernel.theta + h)(ROWS) for h in (step, -step))
    np.testing.assert_allclose(gradient[..., 0], (up - down) / (2 * step), rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(value, kernel(ROWS), rtol=1e-13)


X = np.random.default_rng(0).standard_normal((5, 2))
Y = np.random.default_rng(1).standard_normal((4, 2))
LAG = X[:, None] - Y[None]


def found(text: str, value: float = 1.5):
    kernel = as_program(f"param s > 0\n{text}").symbolic_kernel(Columns(2))
    numbers = compile_numbers(kernel, ("s",))([value])
    return tangents(kernel, Place(NumericPairs(Rows(X), Rows(Y)), (None,), numbers))


def test_what_no_parameter_reaches_has_no_derivative() -> None:
    value, slopes = found("gaussian() + noise()")
    assert slopes == [None]
    np.testing.assert_allclose(value, np.exp(-(LAG**2).sum(axis=-1) / 2))


def test_weights_products_and_powers() -> None:
    k, m = np.exp(-(LAG**2).sum(axis=-1) / 2), np.exp(-np.abs(LAG).sum(axis=-1))
    np.testing.assert_allclose(found("s**2*gaussian()*laplace()")[1][0], 3 * k * m)
    np.testing.assert_allclose(found("(s*gaussian() + laplace())**3")[1][0], 3 * (1.5 * k + m) ** 2 * k)
    np.testing.assert_allclose(found("(s*gaussian())*(laplace() + s*constant())")[1][0], k * m + 2 * 1.5 * k)


def test_maps_of_the_rows() -> None:
    # d/ds exp(−½ δ₀²/s⁴): 2 δ₀² s⁻⁵ k, through two stretches
    k = np.exp(-0.5 * LAG[..., 0] ** 2 / 1.5**4)
    value, (slope,) = found("stretch(stretch(gaussian(), s), s)[0]")
    np.testing.assert_allclose(value, k)
    np.testing.assert_allclose(slope, 2 * LAG[..., 0] ** 2 / 1.5**5 * k)
    # cos(s δ₀ + 2 δ₁), a row of a matrix
    value, (slope,) = found("stretch(cosine(by=1), [[s, 2]])")
    np.testing.assert_allclose(value, np.cos(1.5 * LAG[..., 0] + 2 * LAG[..., 1]))
    np.testing.assert_allclose(slope, -np.sin(1.5 * LAG[..., 0] + 2 * LAG[..., 1]) * LAG[..., 0])


def test_a_constant_below_a_map() -> None:
    assert found("stretch(constant() + laplace(), s)")[1][0] is not None
    np.testing.assert_allclose(found("s*constant()")[1][0], 1)


def test_a_kernel_without_a_rule() -> None:
    with pytest.raises(NoCounterpartError, match=r"a parameter reaches dual.*whose derivatives are not known"):
        found("dual(relu, gaussian(scale=s))")


def test_plus() -> None:
    one = np.ones(2)
    assert plus(None, None) is None
    assert plus(one, None) is one
    assert plus(None, one) is one
    np.testing.assert_array_equal(plus(one, one), [2, 2])


PROGRAM = as_program("param s > 0\nparam t > 0\ns*t**2*stretch(gaussian(scale=2*s), [t, 1]) + matern(nu=3/2)")


def test_numbers_and_slopes() -> None:
    kernel = PROGRAM.symbolic_kernel(Columns(2))
    numbers = compile_numbers(kernel, ("s", "t"))([3.0, 0.5])
    weight, _ = kernel.weights
    assert numbers.value(weight) == pytest.approx(0.75)
    np.testing.assert_allclose(numbers.slope(weight), [0.25, 3])
    assert numbers.value(7) == 7.0
    np.testing.assert_array_equal(numbers.slope(7), [0, 0])
    first, second = kernel.terms
    assert numbers.depends(first)
    assert not numbers.depends(second)
    entry, fixed = first.matrix
    np.testing.assert_allclose(numbers.slope(entry), [0, -4])
    assert numbers.value(fixed) == 1


def test_the_tree_in_numbers() -> None:
    kernel = PROGRAM.symbolic_kernel(Columns(2))
    numeric = compile_numbers(kernel, ("s", "t"))([3.0, 0.5]).numeric(kernel)
    assert numeric == PROGRAM.with_params({"s": 3, "t": 0.5}).kernel(Columns(2))


def test_without_parameters() -> None:
    kernel = as_program("2*gaussian(scale=3)").symbolic_kernel(Columns(1))
    numbers = compile_numbers(kernel, ())([])
    assert numbers.numeric(kernel) == as_program("2*gaussian(scale=3)").kernel(Columns(1))
    assert not numbers.depends(kernel)
