"""Inversion in two columns, against closed forms, the radius alone, and quadrature over the columns."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest

import kernelspec as ks
from kernelspec.errors import NoDensityError
from kernelspec.measures.inversion import invert_plane, invert_radial
from tests.measures.algebra.referees import measure_of_text

OMEGA = np.array([[0.0, 0.0], [0.7, -0.2], [-1.5, 2.0], [3.0, 3.0]])


@pytest.mark.parametrize(
    "text", ["laplace()*gaussian()", "shift_gaussian(by=[0.5, -1])*laplace()", "matern(nu=1/2)*matern(nu=7/2)"]
)
def test_against_closed_forms(text: str) -> None:
    values, errors, peak = invert_plane(measure_of_text(text, 2), OMEGA)
    exact = measure_of_text(text, 2).density(OMEGA)
    assert (np.abs(values - exact) <= errors).all()
    assert (errors <= 1e-12 * peak).all()


@pytest.mark.long
def test_against_the_radius_alone() -> None:
    """Two laws of the radius that are not elementary."""
    measure = measure_of_text("matern(nu=1)*powered_exponential(alpha=3/2)", 2)
    values, errors, peak = invert_plane(measure, OMEGA)
    expected, doubt, _ = invert_radial(measure, np.linalg.norm(OMEGA, axis=1))
    assert (np.abs(values - expected) <= errors + doubt).all()
    assert (errors <= 1e-9 * peak).all()


@pytest.mark.long
def test_a_radial_kernel_times_a_product_over_the_columns() -> None:
    """exp(−‖Δ‖)·exp(−|Δ₁| − |Δ₂|): in polar coordinates the radius integrates in closed form, and mpmath the angle."""
    omega = (0.7, -0.2)
    found = ks.analyze("exponential()*laplace()", dim=2)
    value, error = found.spectral_density_at([omega])[0], found.spectral_density_error_at([omega])[0]

    def over_radii(angle):
        c, s = mp.cos(angle), mp.sin(angle)
        return 1 / (1 + abs(c) + abs(s) + 1j * (omega[0] * c + omega[1] * s)) ** 2

    exact = mp.quad(over_radii, [n * mp.pi / 2 for n in range(5)]).real / (4 * mp.pi**2)
    assert 0 < error < 1e-12
    assert abs(value - float(exact)) <= error


@pytest.mark.long
@pytest.mark.parametrize("text", ["triangle()*gaussian()", "shift(laplace(), by=0.4)*gaussian()"])
def test_errors_hold_where_the_rule_does_not_fit(text: str) -> None:
    """Corners off the axes: in closed form, so that the error can be seen."""
    measure = measure_of_text(text, 2)
    values, errors, _ = invert_plane(measure, OMEGA)
    assert (np.abs(values - measure.density(OMEGA)) <= errors).all()


def test_what_is_refused() -> None:
    with pytest.raises(NoDensityError, match="at most 500,000"):
        invert_plane(measure_of_text("cauchy()*cauchy(2)", 2), OMEGA)
    with pytest.raises(NoDensityError, match="at most 500,000"):
        invert_plane(measure_of_text("laplace()*gaussian()", 2), np.array([[1e4, 0.0]]))
    with pytest.raises(NoDensityError, match="does not fall"):
        invert_plane(measure_of_text("constant()", 2), OMEGA)
    with pytest.raises(NoDensityError):  # corners, and so an error beyond a millionth of the peak
        ks.analyze("triangle(2)*exponential()", dim=2).spectral_density_at(OMEGA)
