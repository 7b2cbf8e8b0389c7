"""Tests of `special/gamma_triangles.py`."""

from __future__ import annotations

from math import gamma, pi

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernelspec.special.gamma_triangles import (
    gamma_triangles,
    gamma_triangles_transform,
    polya_transform_on_ray,
)
from tests.thoroughness import examples

TOLERANCE = 1e-12
SHAPES = [0.05, 0.3, 0.5, 1.0, 1 - 1e-9, 1 + 1e-9, 1.5, 2.0, 2 + 1e-9, 7.7, 41.0, 60.0, 200.0]
NAKAGAMI = [0.05, 0.3, 0.5, 0.5 + 1e-9, 0.5 - 1e-10, 1.0, 2.2, 10.0, 60.0, 200.0]
WEIBULL = [0.05, 0.1, 1 / 3, 0.3333333, 0.5, 0.5 + 1e-9, 0.9, 1 - 1e-9, 1 + 1e-9, 1.3, 5.0, 30.0, 200.0]
CASES = [(a, 1.0) for a in SHAPES] + [(a, 2.0) for a in NAKAGAMI] + [(1.0, k) for k in WEIBULL]


def in_many_digits(shape: float, power: float, u: float) -> float:
    """[Γ(a, u^k) − u Γ(a − 1/k, u^k)] / Γ(a), with digits until the difference has enough of them."""
    for digits in (40, 80, 400, 1000):
        with mpmath.workdps(digits):
            a, k, exact = mpmath.mpf(shape), mpmath.mpf(power), mpmath.mpf(u)
            first = mpmath.gammainc(a, exact**k) / mpmath.gamma(a)
            value = first - exact * mpmath.gammainc(a - 1 / k, exact**k) / mpmath.gamma(a)
            if abs(value) > abs(first) * mpmath.mpf(10) ** (20 - digits):
                break
    return float(value)


@pytest.mark.long
@pytest.mark.parametrize(("shape", "power"), CASES)
def test_from_zero_to_the_far_tail(shape: float, power: float) -> None:
    spread = shape + np.sqrt(shape) * np.array([-8, -5.4, -3, 0, 2, 6, 12])
    z = np.concatenate([np.geomspace(1e-12, 690 + shape, 6), [0.999, 1.001, 2.5, 6], spread[spread > 0]])
    u = np.concatenate([[1e-300, 1e-100], z ** (1 / power)])
    found = gamma_triangles(shape, power, u, u**power)
    expected = np.array([in_many_digits(shape, power, lag) for lag in u])
    seen = expected > 1e-300
    np.testing.assert_allclose(found[seen], expected[seen], rtol=TOLERANCE)
    assert (found[~seen] < 1e-299).all()
    assert seen.sum() > len(u) - 3


LAWS = st.one_of(
    st.tuples(st.floats(0.05, 200), st.just(1.0)),
    st.tuples(st.floats(0.05, 200), st.just(2.0)),
    st.tuples(st.just(1.0), st.floats(0.05, 200)),
    st.tuples(st.floats(0.05, 5), st.floats(0.2, 5)),
)


@pytest.mark.long
@settings(max_examples=examples(100), derandomize=True)
@given(LAWS, st.floats(-30, np.log(600)))
def test_whatever_the_law(law: tuple[float, float], log_z: float) -> None:
    u = np.exp(log_z / law[1])
    expected = in_many_digits(*law, u)
    assert gamma_triangles(*law, np.array(u), np.array(u ** law[1])) == pytest.approx(expected, rel=TOLERANCE)


def test_shape_one_thousand() -> None:
    """Γ(n, 1): a sum of Poisson chances, as whole shapes have."""
    u = np.array([700.0, 830.0, 900.0, 1000.0, 1100.0, 1500.0, 1800.0])
    expected = [in_many_digits(1000.0, 1.0, lag) for lag in u]
    np.testing.assert_allclose(gamma_triangles(1000.0, 1.0, u, u), expected, rtol=TOLERANCE)


@pytest.mark.parametrize(("shape", "power"), [(0.05, 1.0), (1.0, 1.0), (200.0, 1.0), (1.0, 0.05), (1.0, 200.0)])
def test_the_ends(shape: float, power: float) -> None:
    u = np.array([0.0, 5e-324, 1e308])
    with np.errstate(over="ignore"):
        values = gamma_triangles(shape, power, u, u**power)
    assert values[0] == 1
    assert 0.9 < values[1] <= 1
    assert values[2] == 0
    assert gamma_triangles(shape, power, np.zeros((0, 3)), np.zeros((0, 3))).shape == (0, 3)


FREQUENCIES = np.array([1e-8, 1e-4, 0.03, 0.3, 1.0, 2.0, 5.0, 20.0, 300.0, 1e4, 1e6])


def of_gamma(s: float, w: float) -> float:
    with mpmath.workdps(80):
        shape, x = mpmath.mpf(s), mpmath.mpf(w)
        if s == 1:
            return float(mpmath.log(1 + x**2) / x**2)
        return float(2 / ((shape - 1) * x**2) * (1 - mpmath.re((1 - 1j * x) ** (1 - shape))))


def of_nakagami(m: float, w: float) -> float:
    with mpmath.workdps(100):
        shape, x, half = mpmath.mpf(m), mpmath.mpf(w), mpmath.mpf(1) / 2
        if m == 0.5:
            return float(mpmath.gamma(1) / mpmath.gamma(half) * mpmath.hyp2f2(1, 1, 3 * half, 2, -(x**2) / 4))
        inverse = mpmath.gamma(shape - half) / mpmath.gamma(shape)
        return float(2 * inverse / x**2 * (1 - mpmath.hyp1f1(shape - half, half, -(x**2) / 4)))


def by_quadrature(shape: float, power: float, w: float) -> float:
    """E[(1 − cos ωR)/R] on the ray of the angle (π/2)(k/(1 + k)), in the logarithm of Y."""
    with mpmath.workdps(25):
        a, k, x = mpmath.mpf(shape), mpmath.mpf(power), mpmath.mpf(w)
        angle = mpmath.pi * k / (2 * (1 + k))

        def integrand(q: mpmath.mpf) -> mpmath.mpf:
            y = mpmath.exp(q + 1j * angle)
            return mpmath.re(-mpmath.expm1(1j * x * y ** (1 / k)) * y ** (a - 1 / k) * mpmath.exp(-y))

        total = mpmath.quad(integrand, mpmath.linspace(-45 / a, mpmath.log(200), 9))
        return float(2 / x**2 / mpmath.gamma(a) * total)


@pytest.mark.parametrize("shape", [0.001, 0.05, 0.49, 0.5, 0.9, 1.0, 1 + 1e-9, 1 - 1e-9, 2.0, 7.3, 200.0])
def test_gamma(shape: float) -> None:
    expected = [of_gamma(shape, w) for w in FREQUENCIES]
    np.testing.assert_allclose(gamma_triangles_transform(shape, 1, FREQUENCIES), expected, rtol=3e-15)


@pytest.mark.parametrize("shape", [0.01, 0.05, 0.3, 0.5, 0.5 + 1e-9, 0.5 - 1e-9, 1.0, 3.3, 30.0, 200.0])
def test_nakagami(shape: float) -> None:
    expected = [of_nakagami(shape, w) for w in FREQUENCIES]
    np.testing.assert_allclose(gamma_triangles_transform(shape, 2, FREQUENCIES), expected, rtol=1e-12)


@pytest.mark.long
@pytest.mark.parametrize(("shape", "power"), [(1.0, 0.1), (1.0, 0.5), (1.0, 1.4), (2.5, 0.7), (0.4, 1.7)])
def test_others(shape: float, power: float) -> None:
    frequencies = np.array([1e-3, 0.4, 30.0])
    expected = [by_quadrature(shape, power, w) for w in frequencies]
    np.testing.assert_allclose(gamma_triangles_transform(shape, power, frequencies), expected, rtol=1e-12)


@pytest.mark.parametrize("shape", [0.3, 1.0, 2.0, 40.0])
def test_the_ray_is_the_closed_form(shape: float) -> None:
    """k next to 1 is by quadrature, k = 1 not; the two sides of it average to it."""
    low, there, high = (gamma_triangles_transform(shape, k, FREQUENCIES) for k in (1 - 1e-8, 1.0, 1 + 1e-8))
    np.testing.assert_allclose((low + high) / 2, there, rtol=1e-12)


@pytest.mark.parametrize(("shape", "power"), [(0.05, 1.0), (0.05, 2.0), (1.0, 0.05), (1.0, 200.0), (1000.0, 1.0)])
def test_the_ends_gamma_triangles_transform(shape: float, power: float) -> None:
    values = gamma_triangles_transform(shape, power, np.array([[0.0, 1e-300, 1e-60], [1.0, -1.0, 1e100]]))
    mean = float(mpmath.gamma(shape + 1 / power) / mpmath.gamma(shape))
    np.testing.assert_allclose(values[0], mean, rtol=1e-12)
    assert values[1, 0] == values[1, 1]
    assert 0 <= values[1, 2] < 1e-100
    assert gamma_triangles_transform(shape, power, np.zeros((0, 3))).shape == (0, 3)


def gamma_density(shape):
    return lambda r: r ** (shape - 1) * np.exp(-r) / gamma(shape)


@pytest.mark.parametrize("shape", [0.4, 1.5, 2.0, 4.5])
def test_gamma_laws(shape):
    frequencies = np.array([[1e-8, 1e-3, 0.4], [3.0, 50.0, 1e6]])
    found = polya_transform_on_ray(frequencies, gamma_density(shape), pi / 6, (-110.0, 5.0), 2 * pi * pi / 6 / 42)
    for frequency, value in zip(frequencies.ravel(), found.ravel(), strict=True):
        with mpmath.workdps(50):
            w, s = mpmath.mpf(frequency), mpmath.mpf(shape)
            exact = 2 / ((s - 1) * w**2) * (1 - mpmath.re(mpmath.mpc(1, -w) ** (1 - s)))
        assert value == pytest.approx(float(exact), rel=1e-12)
    assert found.shape == (2, 3)
