"""Second moments of products with an asymmetric factor, against differences of k."""

from __future__ import annotations

import mpmath as mp
import pytest
import sympy

import kernelspec as ks
from kernelspec.measures.algebra.lag_moments import second_moment_on_line
from tests.measures.algebra import referees as r

FINITE = {
    "shift_gaussian(by=1)*matern(nu=5/2)": r.product(r.shifted(r.gaussian(), 1), r.matern(5)),
    "sinh_gaussian(by=1/2)*cosine(2)": lambda t: mp.exp(-t * t / 2) * (1 + mp.sinh(t / 2)) * mp.cos(2 * t),
    "tilt(matern(nu=5/2), by=1/2)*gaussian(2)": r.product(r.tilted(r.matern(5), 0.5), r.gaussian(2)),
    "tilt(matern(nu=3/2), by=1/2)*cosh_gaussian(by=1)": r.product(
        r.tilted(r.matern(3), 0.5), r.tilted(r.gaussian(), 1)
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("text", FINITE)
def test_against_differences(text: str) -> None:
    k = FINITE[text]
    with mp.workdps(40):
        h = mp.mpf(10) ** -8
        expected = float(-(k(h) - 2 * k(mp.mpf(0)) + k(-h)) / h**2 / k(mp.mpf(0)))
    exact = second_moment_on_line(r.measure_of_text(text, symbolic=True))
    assert exact is not None
    assert not exact.has(sympy.Float)
    assert float(sympy.re(exact.evalf(20))) == pytest.approx(expected, rel=1e-6)
    assert second_moment_on_line(r.measure_of_text(text)) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("text", ["shift_gaussian(by=1)*laplace()", "shift(triangle(2), 0.5)*gaussian()"])
def test_not_integrable(text: str) -> None:
    assert second_moment_on_line(r.measure_of_text(text)) is None


def test_the_fact() -> None:
    """e^{−t²/2 + t}·e^{−t²/2}: k″(0) = 1 − 2."""
    found = ks.analyze("cosh_gaussian(by=1)*gaussian()*cosine(1)", dim=1).second_moment
    assert sympy.simplify(found - 2) == 0
