"""Closed densities of radial products, in SymPy and in numbers."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest
import sympy

from kernelspec.expressions.symbolic_pairs import SymbolicPairs
from kernelspec.measures.algebra.numeric_density import RadialNumbers
from kernelspec.measures.algebra.symbolic_density import radial_expression
from tests.measures.algebra import referees as r
from tests.thoroughness import sweep


@pytest.mark.long
@pytest.mark.parametrize(
    "text",
    [
        "gaussian()*exponential()",
        "gaussian()*matern(nu=5/2)",
        "sinh_gaussian(by=1/3)*matern(nu=3/2)",
        "shift_gaussian(by=1/3)*exponential()",
        "0.5*gaussian()*exponential() + gaussian(2)",
        "exponential()*cosh_gaussian(by=1/3)",
        "tilt(matern(nu=3/2), by=1/4)*exponential()",
    ],
)
def test_the_form_has_the_values(text: str) -> None:
    form = radial_expression(r.measure_of_text(text, 3, symbolic=True), SymbolicPairs.frequency(3))
    numbers = RadialNumbers(r.measure_of_text(text, 3), 3)
    for row in ([0, 0, 0], [1, -2, 3]):
        stated = r.value_of(form, [sympy.Rational(v, 5) for v in row])
        assert stated == pytest.approx(complex(numbers(np.array([row]) / 5)[0]), rel=1e-10)


@pytest.mark.parametrize("text", ["gaussian()*matern(nu=3/2)", "sinh_gaussian(by=1)*matern(nu=3/2)"])
def test_products_of_two_are_short(text: str) -> None:
    """Without the imaginary unit outside a real or imaginary part, where the kernel is symmetric."""
    form = radial_expression(r.measure_of_text(text, 3, symbolic=True), SymbolicPairs.frequency(3))
    assert form.count_ops() <= 300
    real = form.replace(sympy.re, lambda e: sympy.S.One).replace(sympy.im, lambda e: sympy.S.One)
    assert real.has(sympy.I) == ("sinh" in text)


def test_scales_may_be_symbols() -> None:
    text = "param s > 0\nmatern(nu=3/2, scale=s)*exponential()"
    form = radial_expression(r.measure_of_text(text, 2, symbolic=True), SymbolicPairs.frequency(2))
    assert {symbol.name for symbol in form.free_symbols} == {"s", "omega_1", "omega_2"}


@pytest.mark.long
@pytest.mark.parametrize("text", ["gaussian()*exponential()", "gaussian()*matern(nu=5/2)"])
def test_twelve_decades_in_three_columns(text: str) -> None:
    """Against −S₁′/2πρ, S₁ the density on the line, by a contour down the imaginary direction for high frequencies."""
    k = r.product(r.gaussian(), r.laplace() if "exp" in text else r.matern(5))
    found = RadialNumbers(r.measure_of_text(text, 3), 3)
    with mp.workdps(40):
        for radius in (1e-6, 1e-3, 0.1, 2.0):
            expected = mp.quad(lambda t, w=radius: t * mp.sin(w * t) * k(t), [0, 1, 3, 6, 14]) / (2 * mp.pi**2 * radius)
            assert found(np.array([[radius, 0, 0]]))[0] == pytest.approx(float(expected), rel=1e-11)
        for radius in (300.0, 1e4, 1e6):
            half = lambda t: mp.exp(-t * t / 2) * (mp.exp(-t) if "exp" in text else r.matern(5)(mp.mpc(t)))  # noqa: E731
            depth = mp.mpf(90) / radius
            parts = [depth * i / 6 for i in range(7)]
            whole = mp.quad(lambda y, w=radius, half=half: -1j * y * half(-1j * y) * mp.exp(-w * y), parts) * -1j
            expected = -whole.imag / (2 * mp.pi**2 * radius)
            assert found(np.array([[0, radius, 0]]))[0] == pytest.approx(float(expected), rel=1e-11)


def test_many_columns() -> None:
    found = RadialNumbers(r.measure_of_text("matern(nu=3/2)*exponential(2)", 200), 200)
    assert np.isfinite(found(np.full((3, 200), 0.1))).all()


@pytest.mark.parametrize(
    "text", sweep(["gaussian()*exponential()", "gaussian(2)*matern(nu=3/2) - 0.1*gaussian()"], every=2)
)
def test_many_radii_in_five_columns(text: str) -> None:
    """Those near 0, where sums cancel, and far out too: against ∫ r (sin ρr − ρr cos ρr) k(r) dr / 4π³ρ³."""
    k = r.product(r.gaussian(), r.laplace())
    if "matern" in text:
        k = lambda t: r.gaussian(2)(t) * r.matern(3)(t) - r.gaussian()(t) / 10  # noqa: E731
    radii = np.concatenate([[1e-7, 1e-3], np.linspace(0.05, 6, 60), [25.0]])
    found = RadialNumbers(r.measure_of_text(text, 5), 5)(radii[:, None] * np.eye(1, 5))
    with mp.workdps(45):
        for i in (0, 1, 10, 61, 62):
            w = mp.mpf(radii[i])
            pieces = mp.linspace(0, 24, 13 + int(3 * w))
            whole = mp.quad(lambda t, w=w: t * (mp.sin(w * t) - w * t * mp.cos(w * t)) * k(t), pieces, maxdegree=5)
            assert found[i] == pytest.approx(float(whole / (4 * mp.pi**3 * w**3)), rel=1e-10)
