"""Tests of `measures/tails.py`."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest

import kernelspec as ks
from kernelspec.errors import NoDensityError
from kernelspec.measures.algebra.pieces import NotClosed
from kernelspec.measures.tails import radial_integrals, tail_exponent
from tests.measures.algebra.referees import measure_of_text
from tests.measures.test_masses import measure_of_text as measure_of_text_of_radial_integrals
from tests.thoroughness import sweep


@pytest.mark.slow
def test_masses_of_a_shifted_kernel_times_a_gaussian() -> None:
    """e^{−|t+1| − t²/2}: its masses by plain quadrature of the density, which falls like ω^{−2} without zeros."""
    masses = ks.analyze("shift(laplace(), by=1)*gaussian()", dim=1).masses
    assert not masses.is_random
    assert masses.error < 1e-9
    measure = measure_of_text("shift(laplace(), by=1)*gaussian()")
    nodes, weights = np.polynomial.legendre.leggauss(16)
    edges = np.linspace(0, 400, 2001)
    places = (edges[:-1, None] + edges[1:, None]) / 2 + 0.1 * nodes
    values = np.abs(measure.density(places.reshape(-1, 1))).reshape(places.shape)
    tail = values[-1].mean() * 400  # |μ| falls like ω^{−2}, with a share of ω^{−1} beside it
    found = 2 * (0.1 * float((values @ weights).sum()) + tail)
    assert float(masses.total_variation) == pytest.approx(found, abs=1e-5)


@pytest.mark.slow
def test_masses_where_the_leading_term_of_the_tail_has_zeros() -> None:
    """e^{−|t+1|−|t|}: |μ| bends near ω = (2n+1)π. The constant: 3,000 periods of
    the density in closed form by graded Gaussian quadrature, and the rest by zeta functions."""
    masses = ks.analyze("shift(laplace(), by=1)*laplace()", dim=1).masses
    assert masses.error < 1e-8
    assert float(masses.total_variation) == pytest.approx(0.466498110717, abs=1e-10)


def test_masses_of_a_tilt() -> None:
    """∫ |p(ω + iβ)| dω for p = 1/π(1 + ω²)."""
    masses = ks.analyze("tilt(laplace(), by=0.5)", dim=1).masses
    expected = mp.quad(lambda w: 1 / abs(1 + mp.mpc(w, 0.5) ** 2), [-mp.inf, -1, 0, 1, mp.inf]) / mp.pi
    assert float(masses.total_variation) == pytest.approx(float(expected), abs=1e-10)
    assert masses.error < 1e-10


def test_a_density_that_is_infinite_within_is_not_known() -> None:
    found = radial_integrals(measure_of_text_of_radial_integrals("product(t -> besselj(0, t)) - 0.2*gaussian()", 1)[0])
    assert np.isinf(found.error)


@pytest.mark.parametrize(
    ("text", "dim", "expected"),
    [
        ("gaussian()*laplace()", 1, 2), ("matern(nu=5/2)*gaussian()", 1, 6),
        ("matern(nu=3/2)*laplace()*cauchy()", 1, 2), ("tilt(matern(nu=3/2), by=0.5)*gaussian()", 1, 4),
        ("matern(nu=5/2)*rational_quadratic(alpha=2)", 1, 6), ("exponential()*matern(nu=3/2)", 2, 3),
        ("matern(nu=3/2)*matern(nu=5/2)", 3, 6), ("matern(nu=3/2)*gaussian()", 3, 6),
        ("powered_exponential(alpha=1.5)", 1, 2.5), ("powered_exponential(alpha=0.5)", 2, 2.5),
        ("matern(nu=1)", 2, 4), ("matern(nu=1.2)*gaussian()", 1, 3.4),
    ],
)  # fmt: skip
def test_slopes(text: str, dim: int, expected: float) -> None:
    measure = measure_of_text(text, dim)
    assert tail_exponent(measure) == expected
    if "laplace()*cauchy" not in text:  # no closed density
        far = np.eye(1, dim) * np.array([[300.0], [3000.0]])
        values = np.abs(measure.density(far))
        assert np.log10(values[0] / values[1]) == pytest.approx(expected, abs=0.02)


@pytest.mark.parametrize("text", ["gaussian()", "cauchy()*gaussian()", "sinc()*cauchy()", "cosine(2)*gaussian()"])
def test_faster_than_any_power(text: str) -> None:
    assert tail_exponent(measure_of_text(text)) == np.inf


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "dim", "expected"),
    [
        ("periodic(2)*laplace()", 1, 2),
        ("0.5*periodic(2)*matern(nu=3/2) + 0.5*periodic(3)*gaussian()", 1, 4),
        ("0.5*periodic(2)*matern(nu=3/2) + 0.5*periodic(3)*matern(nu=3/2)", 1, 4),
        ("(0.5*periodic(2) + 0.5*constant())*matern(nu=3/2)", 2, 5),
        ("shift(periodic(2)*laplace(), by=0.3)", 1, 2),
    ],
)
def test_a_periodic_factor_changes_no_exponent(text: str, dim: int, expected: float) -> None:
    measure = measure_of_text(text, dim)
    assert tail_exponent(measure) == expected
    far = np.eye(1, dim) * np.array([[3000.0], [30000.0]])
    values = np.abs(measure.density(far))
    assert np.log10(values[0] / values[1]) == pytest.approx(expected, abs=0.02)


def test_an_even_density_in_two_columns() -> None:
    """A Gaussian times an exponential has no closed density there, and its tail is that of the exponential."""
    assert ks.analyze("gaussian()*exponential()", dim=2).tail_exponent == 3


def test_what_is_not_known() -> None:
    with pytest.raises(NoDensityError):
        tail_exponent(measure_of_text("cosine(1)"))
    for text, dim in (
        ("periodic(2)*laplace() - periodic(3)*laplace()", 1),  # does cancel
        ("laplace()*triangle()", 2),
        ("tilt(exponential(), by=0.1)*gaussian()", 3),
    ):
        with pytest.raises(NotClosed):
            tail_exponent(measure_of_text(text, dim))


SCALES = ("0.1", "0.3", "1/3", "sqrt(2)", "pi")


@pytest.mark.parametrize(("a", "b"), sweep([(a, b) for a in SCALES for b in SCALES if a != b], every=5))
def test_kinks_that_cancel_are_seen_in_exact_numbers(a: str, b: str) -> None:
    """w/a of w·laplace(a) is the slope at 0: equal ones leave the third derivative, others do not."""
    assert ks.analyze(f"3*({a})*laplace({a}) - 3*({b})*laplace({b})", dim=1).tail_exponent == 4
    assert ks.analyze(f"3*({a})*laplace({a}) - (3 + 1e-30)*({b})*laplace({b})", dim=1).tail_exponent == 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "dim", "expected"),
    sweep(
        [
            ("1.5*laplace(0.3) - 0.5*laplace(0.1)", 1, 4),
            ("2*exponential(2) - exponential()", 3, 6),
            ("0.3*laplace(0.3)*cauchy() - 0.1*laplace(0.1)*cauchy()", 1, 4),
            ("0.1*laplace(0.1) - 0.3*laplace(0.3)*cauchy()", 1, 4),
            ("27*matern(3/2, scale=3) - matern(3/2)", 1, 6),
        ],
        every=2,
    ),
)
def test_differences(text: str, dim: int, expected: float) -> None:
    assert ks.analyze(text, dim=dim).tail_exponent == expected
