"""Tests of `kernels/nodes/columns_and_lags.py`."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
import sympy

import kernelspec as ks
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.kernels.leaves.coordinatewise import Laplace
from kernelspec.kernels.leaves.gaussian import Gaussian
from kernelspec.kernels.nodes.columns_and_lags import Select, Shift, Stretch, Tilt
from kernelspec.kernels.nodes.sums_and_products import Sum
from kernelspec.laws.rules import law_of
from kernelspec.measures.measure import measure_of
from kernelspec.tables.rows import Rows
from tests.kernels.asymmetric import rows

X = np.array([[1.0, np.nan, 2.0], [0.5, np.nan, 2.0]])


def test_other_columns_are_not_looked_at():
    kernel = Select(base=Gaussian(scale=2.0, dim=1), positions=(0,), dim=3)
    pairs = NumericPairs(Rows(X), Rows(X))
    np.testing.assert_allclose(kernel.value(pairs), np.exp(-np.array([[0, 0.25], [0.25, 0]]) / 8), rtol=1e-14)
    np.testing.assert_allclose(law_of(kernel).moments(pairs).b[0, 1], np.exp(-4 * 0.25 / 8), rtol=1e-14)
    assert (kernel.diagonal(), kernel.magnitude()) == (1, 1)


def shifted(text: str, dim: int, by: tuple[float, ...]) -> Shift:
    spec = ks.parse(text)
    return Shift(base=spec.kernel(spec.columns(dim)), by=by, dim=dim)


@pytest.mark.parametrize("text", ["laplace(2)", "(gaussian() - 0.5 * laplace())[1]", "gaussian()[0] * cauchy()"])
def test_is_the_kernel_of_moved_rows(text: str) -> None:
    node, by = shifted(text, 2, (0.5, -1.0)), np.array([0.5, -1.0])
    x, y = rows(2).dense(), rows(2, seed=9).dense()
    moved = ks.parse(text).gram(x + by, y)
    pairs = NumericPairs(rows(2), rows(2, seed=9))
    np.testing.assert_allclose(node.value(pairs), moved, rtol=1e-13)
    turned = NumericPairs(rows(2, seed=9), rows(2))
    np.testing.assert_allclose(np.asarray(node.transposed().value(turned)).T, moved, rtol=1e-12)
    assert node.diagonal() == pytest.approx(float(ks.parse(text).gram(by[None], np.zeros((1, 2)))[0, 0]), rel=1e-13)
    base = law_of(node.base).moments(pairs.translated((0.5, -1.0)))
    np.testing.assert_allclose(law_of(node).moments(pairs).b, base.b)


@pytest.mark.parametrize(
    ("text", "by", "state", "symmetric"),
    [
        ("laplace()", sympy.Rational(1, 2), "disproved", False),
        ("periodic(2)", sympy.Integer(4), "proved", True),
        ("cosine(1)", sympy.pi, "disproved", True),
        ("cosine(1)", 2 * sympy.pi, "proved", True),
        ("cosine(1)", sympy.Integer(1), "disproved", False),
        ("2*gaussian() - laplace()", sympy.Integer(1), "unknown", None),
    ],
)
def test_verdict(text: str, by: sympy.Expr, state: str, symmetric: bool | None) -> None:
    spec = ks.parse(text)
    exact = Shift(base=spec.symbolic_kernel(spec.columns(1)), by=(by,), dim=1).verdict()
    assert (exact.positive_definite, exact.symmetric) == (state, symmetric)
    # a float stands for all numbers that are rounded to it: what it leaves open is never decided otherwise
    rounded = shifted(text, 1, (float(by),)).verdict()
    assert rounded.positive_definite in (state, "unknown")
    assert rounded.symmetric in (symmetric, None)


def test_symbols() -> None:
    d = sympy.Symbol("d", integer=True, positive=True)
    r = sympy.Symbol("r", positive=True)
    size = Shift(base=Laplace(scale=sympy.S.One, dim=d), by=(r,), dim=d).diagonal()
    assert sympy.simplify(size.subs(d, 3).doit() - sympy.exp(-3 * r)) == 0
    assert Shift(base=Laplace(scale=sympy.S.One, dim=2), by=(r, 2 * r), dim=2).diagonal() == sympy.exp(-3 * r)


LAGS = np.array([[0.3, -0.4], [1.0, 2.0]])


@pytest.mark.parametrize(
    ("matrix", "mapped"),
    [
        (0.5, LAGS / 2),
        ((0.5, 2.0), LAGS * [0.5, 2.0]),
        (((1.0, 1.0), (0.0, 2.0)), np.array([[-0.1, -0.8], [3.0, 4.0]])),
        (((1.0, 1.0),), np.array([[-0.1], [3.0]])),
    ],
)
def test_value(matrix, mapped):
    kernel = Stretch(base=Laplace(scale=1.0, dim=mapped.shape[1]), matrix=matrix, dim=2)
    expected = np.exp(-np.abs(mapped).sum(axis=1))
    np.testing.assert_allclose(kernel.value(NumericPairs.of_vectors(LAGS)), expected, rtol=1e-14)
    np.testing.assert_allclose(measure_of(kernel).characteristic_function(LAGS), expected, rtol=1e-14)
    assert kernel.verdict().positive_definite == "proved"
    assert kernel.is_matrix == (np.ndim(matrix) == 2)


def test_a_failure_of_the_base_may_be_lost_in_a_singular_matrix():
    base = Sum(terms=(Gaussian(scale=1.0, dim=2),), weights=(-1.0,), dim=2)
    singular = ((0.0, 0.0), (0.0, 0.0))
    assert Stretch(base=base, matrix=0.5, dim=2).verdict().positive_definite == "disproved"
    assert Stretch(base=base, matrix=singular, dim=2).verdict().positive_definite == "unknown"


@pytest.mark.parametrize("text", ["laplace(2)", "(gaussian() - 0.5 * laplace())[1]", "gaussian()[0] * cauchy()"])
def test_is_the_kernel_with_scaled_rows(text: str) -> None:
    spec, beta = ks.parse(text), np.array([0.5, -0.25])
    node = Tilt(base=spec.kernel(spec.columns(2)), by=tuple(beta), dim=2)
    x, y = rows(2).dense(), rows(2, seed=9).dense()
    expected = np.exp(x @ beta)[:, None] * spec.gram(x, y) * np.exp(-(y @ beta))
    pairs, turned = NumericPairs(rows(2), rows(2, seed=9)), NumericPairs(rows(2, seed=9), rows(2))
    np.testing.assert_allclose(node.value(pairs), expected, rtol=1e-12)
    np.testing.assert_allclose(np.asarray(node.transposed().value(turned)).T, expected, rtol=1e-12)
    square = np.exp(2 * ((x @ beta)[:, None] - y @ beta))
    base = law_of(node.base).moments(pairs)
    np.testing.assert_allclose(law_of(node).moments(pairs).a, base.a * square, rtol=1e-12)
    np.testing.assert_allclose(law_of(node).moments(pairs).b, base.b * square, rtol=1e-12)
    assert node.diagonal() == node.base.diagonal()


def gamma_triangles(t: mp.mpf, shape: mp.mpf) -> mp.mpf:
    """E max(0, 1 − t/R), R ~ Gamma(shape, 1)."""
    return (mp.gammainc(shape, t) - t * mp.gammainc(shape - 1, t)) / mp.gamma(shape)


def triangles(density: Callable[[mp.mpf], mp.mpf], t: mp.mpf) -> mp.mpf:
    """The same for any density, far out, where it falls by e within a tenth."""
    return mp.quad(lambda r: (1 - t / r) * density(r), [t + mp.mpf(i * i) / 500 for i in range(30)])


def shifted_poisson(t: mp.mpf) -> mp.mpf:
    """E max(0, 1 − t/R), R − 1 ~ Poisson(2)."""
    return mp.fsum((1 - t / n) * mp.exp(-2) * mp.mpf(2) ** (n - 1) / mp.factorial(n - 1) for n in range(201, 400))


def matern_5_halves(t: mp.mpf) -> mp.mpf:
    x = mp.sqrt(5) * t
    return (1 + x + x * x / 3) * mp.exp(-x)


def rice(r: mp.mpf) -> mp.mpf:
    return r * mp.exp(-(r * r + 1) / 2) * mp.besseli(0, r)


FAR = [
    ("polya(gamma(shape=2))", 1, 900, lambda t: mp.exp(-t)),
    ("polya(gamma(shape=5))", 1, 900, lambda t: gamma_triangles(t, mp.mpf(5))),
    ("polya(gamma(shape=5/2))", Fraction(9, 10), 2900, lambda t: gamma_triangles(t, mp.mpf(5) / 2)),
    ("polya(gamma(shape=2), area=3)", Fraction(3, 5), 2500, lambda t: gamma_triangles(2 * t / 3, mp.mpf(2))),
    ("polya(rayleigh(scale=1))", 37, 42, lambda t: triangles(lambda r: r * mp.exp(-r * r / 2), t)),
    ("polya(rice(nu=1, sigma=1))", 36, 43, lambda t: triangles(rice, t)),
    ("polya(shifted_poisson(rate=2))", 6, Fraction(401, 2), shifted_poisson),
    ("product(t -> exp(-t))", 1, 900, lambda t: mp.exp(-t)),
    ("product(t -> exp(-t)/(1 + t))", 1, 900, lambda t: mp.exp(-t) / (1 + t)),
    ("product(t -> exp(-t**(3/2)))", 30, 900, lambda t: mp.exp(-t * mp.sqrt(t))),
    ("bochner(gaussian(scale=2))", 80, 41, lambda t: mp.exp(-2 * t * t)),
    ("bochner(cauchy())", 1, 900, lambda t: mp.exp(-t)),
    ("bochner(student_t(dof=5))", Fraction(11, 5), 900, matern_5_halves),
]
"""Kernel, β, a lag at which k alone is below all floats, and k in mpmath."""


@pytest.mark.slow
@pytest.mark.parametrize(("text", "rate", "lag", "exact"), FAR, ids=[case[0] for case in FAR])
def test_nothing_underflows(
    text: str, rate: Fraction | int, lag: Fraction | int, exact: Callable[[mp.mpf], mp.mpf]
) -> None:
    t = Fraction(lag)
    found = float(ks.parse(f"tilt({text}, by={rate})").gram([[float(t)]], [[0.0]])[0, 0])
    with mp.workdps(60):
        t, rate = mp.mpf(t.numerator) / t.denominator, mp.mpf(Fraction(rate).numerator) / Fraction(rate).denominator
        expected = exact(t) * mp.exp(rate * t)
    assert found == pytest.approx(float(expected), rel=1e-11)  # of e^x with x near 1000, rounded
    assert float(exact(t)) < 1e-250
    two = ks.parse(f"tilt({text}, by=[{rate}, 0])").gram([[float(t), 0.0]], [[0.0, 0.0]])[0, 0]
    assert two == pytest.approx(found, rel=1e-12)


def test_verdict_tilt() -> None:
    spec = ks.parse("laplace()")
    node = Tilt(base=spec.kernel(spec.columns(1)), by=(0.5,), dim=1)
    assert (node.verdict().positive_definite, node.verdict().symmetric) == ("disproved", False)
    signed = ks.parse("gaussian() - 2 * laplace()")
    node = Tilt(base=signed.kernel(signed.columns(1)), by=(0.5,), dim=1)
    assert (node.verdict().positive_definite, node.verdict().symmetric) == ("unknown", None)
