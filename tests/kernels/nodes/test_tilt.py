"""Kernels times an exponential of the lag."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest

import kernelspec as ks
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.kernels.nodes.columns_and_lags import Tilt
from kernelspec.laws.rules import law_of
from tests.kernels.asymmetric import rows


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


def test_verdict() -> None:
    spec = ks.parse("laplace()")
    node = Tilt(base=spec.kernel(spec.columns(1)), by=(0.5,), dim=1)
    assert (node.verdict().positive_definite, node.verdict().symmetric) == ("disproved", False)
    signed = ks.parse("gaussian() - 2 * laplace()")
    node = Tilt(base=signed.kernel(signed.columns(1)), by=(0.5,), dim=1)
    assert (node.verdict().positive_definite, node.verdict().symmetric) == ("unknown", None)
