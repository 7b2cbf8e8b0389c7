"""Tests of `measures/algebra/members.py`."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import sympy
from scipy.integrate import quad

import kernelspec as ks
from kernelspec.measures.algebra.members import pieces_of
from kernelspec.special.closed_forms import matern_weights, small_whole
from tests.measures.algebra.pieces import NUMBERS, value
from tests.measures.algebra.referees import measure_of_text


def test_orders_are_not_rounded() -> None:
    near = sympy.Rational(1, 10**20)
    assert matern_weights(sympy.Rational(3, 2)) == [1, 1]
    assert small_whole(sympy.Integer(2)) == 2
    assert matern_weights(sympy.Rational(3, 2) + near) is None
    for not_small in (2 + near, 1e9, 0, sympy.Symbol("s")):
        assert small_whole(not_small) is None


MEMBERS = [
    "gaussian(2)", "laplace(0.7)", "exponential(3)", "matern(nu=1/2)", "matern(nu=7/2, scale=2)",
    "triangle(1.5)", "cosine(2)", "powered_exponential(alpha=1, scale=2)",
    "powered_exponential(alpha=2, scale=2)", "shift_gaussian(by=0.5)", "cosh_gaussian(by=0.5, scale=2)",
    "sinh_gaussian(by=0.5)", "cauchy(2)", "rational_quadratic(alpha=3, scale=2)", "sinc(2)",
    "bochner(student_t(dof=5, scale=2))", "bochner(cauchy(scale=2))", "bochner(gaussian(scale=2))",
    "bochner(laplace(scale=2))", "bochner(uniform(-2, 2))", "polya(gamma(shape=2))",
    "polya(gamma(shape=5, scale=2), area=1)", "polya(chi_square(dof=6))",
    "polya(discrete([1, 2], [0.25, 0.75]), area=2)",
]  # fmt: skip


@pytest.mark.parametrize("text", MEMBERS)
def test_the_pieces_of_a_kernel_have_its_values(text: str) -> None:
    """The pieces of a kernel against its values, or those of its density."""
    measure = measure_of_text(text)
    member = pieces_of(measure.kernel, NUMBERS)
    at = np.array([-2.3, -0.6, 0.2, 1.1, 1.7])
    if member.lag is not None:
        expected = measure.characteristic_function(at[:, None])
        found = [complex(value(member.lag, t)) for t in at]
    else:
        expected = measure.density(at[:, None])
        found = [complex(value(member.frequency, t)) for t in at]
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)


WAVES_OVER_POWERS = {
    "radial(r -> 3/r**2*(sin(r)/r - cos(r)))": (1,),
    "radial(r -> 6/r**2*(1 - sin(r)/r))": (1,),
    "radial(r -> 2*(1-cos(3*r))/(3*r)**2)": (3,),
    "product(t -> (2*sin(t)-sin(2*t))/t**3)": (1, 2),
    "product(t -> 2*(cos(t)-cos(2*t))/(3*t**2))": (1, 2),
    "product(t -> (3*sin(t)/t - sin(3*t)/(3*t))/2)": (1, 3),
    "product(t -> (t - t*cos(t))*2/t**3)": (1,),
}


@pytest.mark.parametrize("text", WAVES_OVER_POWERS)
def test_waves_over_powers_are_transforms_of_splines(text: str) -> None:
    """The density, integrated with a cosine between its knots, gives the kernel back."""
    density = ks.analyze(text, 1).spectral_density
    omega = next(iter(density.free_symbols))
    knots = [0, *WAVES_OVER_POWERS[text]]
    beyond = float(density.subs(omega, knots[-1] + sympy.Rational(1, 7)))
    assert beyond == 0
    lags = np.array([0.0, 0.3, 1.7, 11.0])
    for lag, expected in zip(lags, ks.parse(text).gram(lags[:, None], np.zeros((1, 1)))[:, 0], strict=True):
        parts = [
            quad(lambda w, lag=lag: 2 * float(density.subs(omega, w)) * np.cos(w * lag), low, high, epsabs=1e-12)[0]
            for low, high in pairwise(knots)
        ]
        assert sum(parts) == pytest.approx(expected, abs=1e-10)


def test_signs_of_waves_over_powers() -> None:
    """The first is a law on a ball projected to a line; of the last the second sinc is wider than the first."""
    proved = {text: ks.analyze(text, 1).verdict.positive_definite for text in WAVES_OVER_POWERS}
    assert list(proved.values()) == ["proved"] * 5 + ["disproved", "proved"]


@pytest.mark.parametrize("dim", [2, 3])
@pytest.mark.long
def test_laws_on_three_columns_fall_along_a_line(dim: int) -> None:
    """A radial density on R³ is −μ′/2πω of the one on a line: μ must fall, with mass on a sphere at each jump."""
    falling = [text for text in list(WAVES_OVER_POWERS)[:5] if "radial" in text]
    falling += ["radial(r -> 2*(cos(r)-cos(2*r))/(3*r**2))", "radial(r -> (sin(r)/r + 3*(sin(r) - r*cos(r))/r**3)/2)"]
    for text in falling:
        assert ks.analyze(text, dim).verdict.positive_definite == "proved", text
    rising = "radial(r -> 2/7*(2*sin(2*r)/r - (1-cos(r))/r**2))"  # a box less a tent in its middle
    assert ks.analyze(rising, 1).verdict.positive_definite == "proved"
    expected = {2: ("disproved", "unknown"), 3: ("disproved",)}  # on two columns nothing is known
    assert ks.analyze(rising, dim).verdict.positive_definite in expected[dim]


@pytest.mark.parametrize(
    ("text", "dims"),
    [
        ("radial(t -> sin(t)/t + 0.1*(sin(3*t) - sin(2*t))/t)", (2, 3)),
        ("stretch(radial(t -> sin(t)/t + 0.1*sin(3*t)/t - 0.1*sin(2*t)/t), 2)", (3,)),
        ("radial(t -> 1/4*sin(4*t)/t - 1/4*sin(1/2*t)/t)", (2, 3)),
        ("radial(t -> (1-cos(t))/t**2) + 0.1*radial(t -> sin(4*t)/t) - 0.1*radial(t -> sin(3*t)/t)", (2, 3)),
    ],
)
@pytest.mark.long
def test_a_sphere_of_negative_mass_where_the_density_on_a_line_rises(text: str, dims: tuple[int, ...]) -> None:
    """sin(ar)/ar is the law on the sphere of radius a in R³, 1/(2πa √(a² − ω²)) in R²: also where nothing else ends."""
    for dim in dims:
        assert ks.analyze(text, dim).verdict.positive_definite == "disproved"


@pytest.mark.parametrize("dim", [2, 3])
@pytest.mark.parametrize("bandwidth", ["1/2", "1", "sqrt(2)", "pi"])
def test_a_band_as_high_as_a_product_that_falls_is_a_tie(bandwidth: str, dim: int) -> None:
    """Least at the corners of the band b, where the density is p(b)^d − c (1/2b)^d: 0 for c = (2b p(b))^d."""
    for kernel, density in (
        ("gaussian()", f"exp(-({bandwidth})**2/2)/sqrt(2*pi)"),
        ("laplace()", f"1/(pi*(1 + ({bandwidth})**2))"),
    ):
        tie = f"(2*{bandwidth}*{density})**{dim}"
        for factor, expected in (("1", "proved"), ("(1 - 1e-12)", "proved"), ("(1 + 1e-12)", "disproved")):
            text = f"{kernel} - {factor}*({tie})*sinc(bandwidth={bandwidth})"
            assert ks.analyze(text, dim).verdict.positive_definite == expected


@pytest.mark.parametrize(("weight", "dim"), [("449", 3), ("60000", 5)])
def test_powers_of_a_negative_height_are_not_taken_for_negative(weight: str, dim: int) -> None:
    """1 on |ω| < 1 and −½ up to 2: the least of 449 ∏ p − q₁q₂q₃ at the outer corners of its cells is 0.149."""
    found = ks.analyze(f"{weight}*gaussian(scale=0.96) - product(t -> (3*sin(t) - sin(2*t))/t)", dim).verdict
    assert found.positive_definite != "disproved"
