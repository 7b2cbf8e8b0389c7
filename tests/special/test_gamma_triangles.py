"""Mixtures of triangles over powers of gamma variables, against incomplete gamma functions in many digits."""

from __future__ import annotations

import time

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernelspec.special.gamma_triangles import gamma_triangles
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


@pytest.mark.long
@pytest.mark.parametrize(("shape", "power"), [(0.6, 1.0), (3.0, 2.0), (1.0, 0.7), (60.0, 1.0)])
def test_no_loop_over_the_elements(shape: float, power: float) -> None:
    u = np.random.default_rng(3).gamma(shape, size=(1000, 1000)) ** (1 / power)
    z = u**power
    gamma_triangles(shape, power, u[:1], z[:1])
    start = time.process_time()
    gamma_triangles(shape, power, u, z)
    assert time.process_time() - start < 3  # 3 µs a value; a loop in Python would take 10 or more
