"""Polya kernels."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest
import sympy

import kernelspec as ks
from kernelspec.errors import RangeError
from tests.kernels.standard import over_columns, standard_kernel_tests


def _mixture_of_triangles(density, points=()):
    """φ(t) = ∫ max(0, 1 − |t|/r) dF(r), by quadrature of the density."""

    def factor(lag):
        t = mp.mpf(abs(lag))
        cuts = [t, *[p for p in points if p > t], mp.inf] if t > 0 else [mp.mpf(0), *points, mp.inf]
        return mp.quad(lambda r: (1 - t / r) * density(r), cuts) if t > 0 else mp.mpf(1)

    return factor


def _gamma_half(lag):
    # Γ(s, x)-free closed form of shape ½: by substitution r = u²
    t = mp.mpf(abs(lag))
    if t == 0:
        return mp.mpf(1)
    x = t / 2
    return mp.erfc(mp.sqrt(x)) - x * mp.gammainc(mp.mpf(-1) / 2, x) / mp.sqrt(mp.pi)


def _shifted_poisson(lag):
    t = mp.mpf(abs(lag))
    rate = mp.mpf("1.5")
    terms = range(max(1, int(mp.floor(t)) + 1), int(mp.floor(t)) + 120)
    return mp.fsum((1 - t / n) * mp.exp(-rate) * rate ** (n - 1) / mp.factorial(n - 1) for n in terms)


test_standard = standard_kernel_tests(
    {
        "polya(gamma(2, 1.5))": over_columns(lambda t: mp.exp(-abs(t) / mp.mpf("1.5"))),
        "polya(gamma(0.5, 2))": over_columns(_gamma_half),
        "polya(exponential)": over_columns(lambda t: mp.exp(-abs(t)) - abs(t) * mp.e1(abs(t)) if t else mp.mpf(1)),
        "polya(shifted_poisson(1.5))": over_columns(_shifted_poisson),
        "polya(gamma(2), area=1)": over_columns(lambda t: mp.exp(-2 * abs(t))),
    },
    leave_out=("relative_values", "symbolic_parameters"),
)


@pytest.mark.slow
def test_the_area_is_set():
    for text in ("gamma(3, 2)", "weibull(0.7)", "nakagami(0.3)", "discrete([1, 4], [1, 2])"):
        kernel = ks.parse(f"polya({text}, area=2.5)").kernel(ks.parse("gaussian()").columns(1))
        lag = np.linspace(0, 400, 2_000_001)
        values = kernel.factor(lag)
        area = 2 * np.trapezoid(values, lag)
        assert area == pytest.approx(2.5, rel=1e-3), text
        assert kernel.law.mean() == pytest.approx(2.5, rel=1e-12)
        assert kernel.factor_density(np.zeros(1))[0] == pytest.approx(2.5 / (2 * np.pi), rel=1e-12)


def test_symbols():
    facts = ks.analyze("param s > 0\npolya(gamma(shape=2, scale=s))", dim=1)
    s, x, y = sympy.Symbol("s", positive=True), *sympy.symbols("x y", real=True)
    assert sympy.simplify(facts.kernel - sympy.exp(-sympy.Abs(x - y) / s)) == 0
    assert facts.mean == 2 * s
    omega = sympy.Symbol("omega", real=True)
    assert sympy.simplify(facts.spectral_density - s / (sympy.pi * (1 + s**2 * omega**2))) == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("polya(laplace())", "laplace.* has mass below 0"),
        ("polya(uniform(-1, 1))", "has mass below 0, down to -1"),
        ("polya(discrete([0, 1], [1, 1]))", "has mass at 0, where the triangle has no width"),
        ("polya(discrete([-1, 1], [1, 1]))", "has mass below 0"),
        ("polya(pareto(shape=1), area=1)", "has an infinite mean"),
        ("polya(gamma(shape=2), area=0)", "'area' of polya\\(\\) must be a number greater than 0"),
    ],
)
def test_what_has_no_polya_kernel(text, message):
    with pytest.raises(RangeError, match=message):
        ks.parse(text).gram(np.zeros((1, 1)))


def test_other_polya_kernels_are_recognised():
    for text, mean in (("laplace(scale=3)", 6), ("triangle(width=3)", 3), ("exponential(scale=3)", 6)):
        assert ks.analyze(text, dim=1).mean == mean
    assert ks.analyze("exponential()", dim=2).mean is None
    assert ks.analyze("gaussian()", dim=1).mean is None
