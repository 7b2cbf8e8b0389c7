"""Moments from k near zero, against derivatives of k by mpmath and integrals of the density."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest
import sympy

import kernelspec as ks
from kernelspec.errors import DataError, DimensionError, NotAvailableYet
from kernelspec.measures.algebra.even_moments import even_moment
from tests.measures.algebra import referees as r

SMOOTH = {
    "gaussian()*cauchy(2)": r.product(r.gaussian(), r.cauchy(2)),
    "sinc(2)*rational_quadratic(alpha=2)*cosine(1)": r.product(r.sinc(2), r.rational_quadratic(2), r.cosine(1)),
    "cosh_gaussian(by=1/2)*gaussian(2)": r.product(r.tilted(r.gaussian(), 0.5), r.gaussian(2)),
}


@pytest.mark.slow
@pytest.mark.parametrize("text", SMOOTH)
def test_against_derivatives(text: str) -> None:
    measure = r.measure_of_text(text, symbolic=True)
    for order in (2, 4, 6):
        found = even_moment(measure, order, positive_definite=False)
        assert not found.has(sympy.Float)
        with mp.workdps(60):
            # sinc is written as a quotient: around 0 the derivative is an integral over a circle
            k = SMOOTH[text]
            turns = [mp.expjpi(mp.mpf(2 * i) / 64) for i in range(64)]
            expected = mp.factorial(order) * mp.fsum(k(z / 2) * z**-order for z in turns) / 64 * 2**order
        assert float(found.evalf(20)) == pytest.approx((-1) ** (order // 2) * float(expected.real), rel=1e-12)


@pytest.mark.slow
def test_with_a_density_of_finite_smoothness() -> None:
    """matern(5/2) times Cauchy: the second and fourth moment by quadrature, the sixth infinite."""
    facts = ks.analyze("matern(nu=5/2)*cauchy()", dim=1)
    x, w = np.polynomial.legendre.leggauss(40)
    cuts = np.concatenate([[0.0], 2.0 ** np.arange(-2, 16)])
    places, widths = (cuts[:-1, None] + cuts[1:, None]) / 2, np.diff(cuts)[:, None] / 2
    omega = (places + widths * x).ravel()
    values = facts.spectral_density_at(omega[:, None]) * (widths * w).ravel()
    assert float(facts.moment(2)) == pytest.approx(2 * float(values @ omega**2), rel=1e-10)
    assert facts.moment(2) == facts.second_moment
    assert float(facts.moment(4)) == pytest.approx(2 * float(values @ omega**4), rel=1e-3)  # the rest falls like 1/Ω
    assert facts.moment(6) == sympy.oo


def test_with_symbols() -> None:
    s = sympy.Symbol("s", positive=True)
    found = ks.analyze("param s > 0\ngaussian(s)*cosine(1)", dim=1).moment(4)
    assert sympy.expand(found - (3 / s**4 + 6 / s**2 + 1).subs(s, next(iter(found.free_symbols)))) == 0


def test_undefined_and_unknown() -> None:
    assert ks.analyze("shift(laplace(), by=1)*gaussian()", dim=1).moment(2) == sympy.nan
    assert ks.analyze("gaussian() - gaussian(2)", dim=1).moment(2) == sympy.nan  # k(0) is 0
    with pytest.raises(NotAvailableYet):
        ks.analyze("powered_exponential(alpha=1.5)", dim=1).moment(2)
    with pytest.raises(DimensionError, match="one column"):
        ks.analyze("gaussian()", dim=2).moment(4)
    with pytest.raises(DataError, match="2, 4"):
        ks.analyze("gaussian()", dim=1).moment(3)
