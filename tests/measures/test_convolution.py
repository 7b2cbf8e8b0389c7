"""Tests of `measures/convolution.py`."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest
import sympy
from scipy.integrate import quad
from scipy.special import j0, voigt_profile
from scipy.stats import cauchy as cauchy_law
from scipy.stats import norm

import kernelspec as ks
from kernelspec.errors import NoDensityError
from kernelspec.measures.convolution import Convolution, independent_blocks
from kernelspec.measures.measure import Spectral
from kernelspec.measures.mixture import Embedding
from tests.measures import oracles as o


def parts_of(text: str, dim: int) -> tuple:
    measure = o.measure_of_text(text, dim)
    assert isinstance(measure, Convolution)
    return measure.parts


def test_a_chain_of_overlaps_is_one_block() -> None:
    blocks = independent_blocks(parts_of("gaussian()[0, 1]*laplace()[1, 2]*cauchy()[4]*exponential()[2, 3]", 5))
    assert sorted(columns for columns, _ in blocks) == [(0, 1, 2, 3), (4,)]
    (chain,) = [parts for columns, parts in blocks if len(columns) == 4]
    assert sorted(part.positions for part in chain) == [(0, 1), (1, 2), (2, 3)]
    assert all(isinstance(part, Embedding) and part.space == 4 for part in chain)


CASES = {
    "gaussian()*laplace(scale=2)": lambda t: o.gaussian()(t) * o.laplace(2)(t),
    "3*gaussian()*(2*periodic(period=2))": lambda t: 6 * o.gaussian()(t) * o.periodic(2)(t),
    "triangle(2)*cauchy()*exponential(4)": lambda t: o.triangle(2)(t) * o.cauchy()(t) * o.exponential(4)(t),
    "sinc(2)*gaussian()": lambda t: o.sinc(2)(t) * o.gaussian()(t),
    "cosine(1)*cosine(2)": lambda t: o.cosine(1)(t) * o.cosine(2)(t),
    "cauchy()**3": lambda t: o.cauchy()(t) ** 3,
    "(gaussian() + laplace())**2": lambda t: (o.gaussian()(t) + o.laplace()(t)) ** 2,
    "modulate(matern(nu=2.5), by=1)": lambda t: o.matern(2.5)(t) * o.cosine(1)(t),
    "(gaussian()*sinc() + laplace())*triangle()": lambda t: (
        (o.gaussian()(t) * o.sinc()(t) + o.laplace()(t)) * o.triangle()(t)
    ),
}


@pytest.mark.long
@pytest.mark.parametrize("dim", [1, 2, 3, 7])
@pytest.mark.parametrize("text", CASES)
def test_measure_is_that_of_the_kernel(text: str, dim: int) -> None:
    o.assert_same_function(text, dim, CASES[text])
    o.assert_draws_follow(text, dim, CASES[text])
    o.assert_prefix_stable(text, dim)


@pytest.mark.parametrize("text", ["laplace()*laplace(2)", "gaussian(2)*gaussian()", "exponential()**3"])
def test_products_within_a_family_are_one_measure(text: str) -> None:
    assert isinstance(o.measure_of_text(text, 2), Spectral)


def test_voigt_profiles_side_by_side() -> None:
    """A product of coordinatewise kernels has independent coordinates in every dimension."""
    omega = np.random.default_rng(2).normal(size=(4, 3))
    expected = voigt_profile(omega, 1, 1).prod(axis=1)
    np.testing.assert_allclose(o.measure_of_text("gaussian()*laplace()", 3).density(omega), expected, rtol=1e-7)


def test_a_column_stretched_into_several() -> None:
    """exp(−|t| − 2|t|) is laplace() of scale ⅓, and its image has no density of its own."""
    omega = np.array([[0.0], [1.5], [-4.0]])
    facts = ks.analyze("gaussian(1.5)*stretch(laplace(), [[1], [2]])", dim=1)
    np.testing.assert_allclose(facts.spectral_density_at(omega), voigt_profile(omega[:, 0], 1 / 1.5, 3), rtol=1e-9)
    assert "push_forward" in str(facts.spectral_density)


REFEREED = {
    "cauchy()*laplace(3)*gaussian(2)": lambda t: mp.exp(-t / 3 - t * t / 8) / (1 + t * t),
    "sinc()*laplace()*cosine(2)": lambda t: mp.sinc(t) * mp.exp(-t) * mp.cos(2 * t),
}


@pytest.mark.long
@pytest.mark.parametrize("text", REFEREED)
def test_inverted_density_against_mpmath(text: str) -> None:
    kernel = REFEREED[text]
    for omega in (0.0, 0.9, 3.3):
        pieces = mp.linspace(0, 40, 81)
        expected = mp.quad(lambda t: kernel(t) * mp.cos(omega * t), pieces) / mp.pi  # noqa: B023
        found = o.measure_of_text(text, 1).density(np.array([[omega]]))[0]
        assert found == pytest.approx(float(expected), rel=1e-6, abs=1e-9)


@pytest.mark.long
def test_atoms_shift_a_density() -> None:
    """matern · periodic: Student t densities at the harmonics, weights from the Jacobi–Anger expansion."""
    omega = np.array([0.0, 1.0, 4.0])
    density = o.measure_of_text("matern(nu=1.5)*periodic(period=2)", 1).density(omega[:, None])

    def student(w: mp.mpf) -> mp.mpf:
        return 2 / (mp.pi * mp.sqrt(3)) / (1 + w * w / 3) ** 2

    for w, found in zip(omega, density, strict=True):
        terms = [mp.exp(-1) * mp.besseli(n, 1) * student(w - mp.pi * n) for n in range(-30, 31)]
        assert found == pytest.approx(float(mp.fsum(terms)), rel=1e-10)


@pytest.mark.slow
@pytest.mark.parametrize("dim", [1, 2])
def test_modulated_gaussian_density(dim: int) -> None:
    text = "modulate(gaussian(), by=2)"
    o.assert_density_inverts(text, dim, lambda t: o.gaussian()(t) * o.cosine(2)(t), reach=12)
    o.assert_expression_is_density(text, dim)


def test_disjoint_columns_give_a_product_density() -> None:
    omega = np.random.default_rng(1).normal(size=(6, 3))
    measure = o.measure_of_text("gaussian(2)[2]*laplace()[0]*cauchy()[1]", 3)
    expected = norm.pdf(omega[:, 2], scale=1 / 2) * cauchy_law.pdf(omega[:, 0]) * np.exp(-np.abs(omega[:, 1])) / 2
    np.testing.assert_allclose(measure.density(omega), expected, rtol=1e-12)
    o.assert_expression_is_density("gaussian(2)[2]*laplace()[0]*cauchy()[1]", 3)


def test_atoms_across_blocks_shift_their_product() -> None:
    omega = np.random.default_rng(4).normal(size=(5, 2))
    w = np.array([1.0, 2.0])
    shifted = [norm.pdf(at[:, 0]) * cauchy_law.pdf(at[:, 1]) for at in (omega - w, omega + w)]
    found = o.measure_of_text("gaussian()[0]*laplace()[1]*cosine([1, 2])", 2).density(omega)
    np.testing.assert_allclose(found, (shifted[0] + shifted[1]) / 2, rtol=1e-12)


@pytest.mark.parametrize(
    ("text", "dim", "reason"),
    [
        ("gaussian()[0]*laplace()[0]", 2, "ignores a column"),
        ("cosine(1)*periodic(2)", 1, "consists of atoms"),
        ("gaussian()[0]*cosine(1)", 2, "atoms"),
        ("stretch(gaussian(), [[1, 1]])*laplace()[0]", 2, "no inverse"),
    ],
)
def test_without_density(text: str, dim: int, reason: str) -> None:
    measure = o.measure_of_text(text, dim)
    with pytest.raises(NoDensityError, match=reason):
        measure.density(np.zeros((1, dim)))


@pytest.mark.parametrize(("text", "dim"), [("gaussian()[0]*laplace()", 2), ("cosine(1)[1]*matern(nu=1)", 2)])
def test_one_density_is_enough(text: str, dim: int) -> None:
    measure = o.measure_of_text(text, dim)
    assert measure.without_density() is None
    assert np.isfinite(measure.density(np.ones((1, dim)))).all()


def test_no_closed_form_in_several_dimensions_is_said() -> None:
    with pytest.raises(NoDensityError, match="without closed form"):
        o.measure_of_text("exponential()*laplace()", 3).density(np.zeros((1, 3)))


def test_expression_is_closed_and_of_that_value() -> None:
    expression = o.expression_of("gaussian()*laplace()", 1)
    assert not expression.has(sympy.Integral)
    assert expression.free_symbols == set(o.frequency_symbols(1))
    assert float(expression.subs(o.frequency_symbols(1)[0], 0.5).evalf()) == pytest.approx(voigt_profile(0.5, 1, 1))


def test_nested_integrals_keep_their_variables_apart() -> None:
    """A product of three that does not close: the variables of its integrals are three different ones."""
    expression = o.expression_of("gaussian()*laplace()*cauchy()*powered_exponential(alpha=3/2)", 1)
    assert expression.free_symbols == set(o.frequency_symbols(1))
    names = [limit[0].name for limit in expression.limits]
    assert len(set(names)) == len(names) == 3


def test_cases_do_not_leave_their_integral() -> None:
    """The cases of the sinc density depend on a variable of integration, and must stay below its sign."""
    for text in ("gaussian()*laplace()*sinc()", "(gaussian()*sinc() + laplace())*triangle()"):
        assert o.expression_of(text, 1).free_symbols == set(o.frequency_symbols(1))


def test_atoms_are_written_out() -> None:
    (omega,) = o.frequency_symbols(1)
    delta = sympy.DiracDelta
    expected = (delta(omega - 3) + delta(omega + 3) + delta(omega - 1) + delta(omega + 1)) / 4
    assert sympy.expand(o.expression_of("cosine(1)*cosine(2)", 1) - expected) == 0


def test_second_moments_add() -> None:
    measure = o.measure_of_text("gaussian(2)*cosine([1, 2])*periodic(period=2)[0]", 2)
    assert float(measure.second_moment()) == pytest.approx(2 / 4 + 5 + np.pi**2)
    assert float(measure.second_moment(np.array([[1.0, 0.0]]))) == pytest.approx(1 / 4 + 1 + np.pi**2)
    assert isinstance(measure, Convolution)
    assert measure.describe().startswith("convolution of gaussian(scale=2): N(0, σ⁻² I), cosine(")


def test_a_factor_that_is_infinite_is_nothing_beside_one_that_is() -> None:
    """The law of besselj(0, t) is infinite at its end: 1/(π√(1 − ω²)) inside, nothing outside."""
    measure = o.measure_of_text("product(t -> besselj(0, t))", 2)
    values, errors = measure.density_and_error(np.array([[0.6, 0.8], [1.0, 0.5], [1.0, 2.0]]))
    np.testing.assert_allclose(values[0], 1 / (np.pi**2 * 0.8 * 0.6), rtol=1e-12)
    assert values[1:].tolist() == [np.inf, 0]
    assert not np.isnan(errors).any()


@pytest.mark.parametrize(("dim", "orders"), [(2, (2, 2)), (3, (2, 2)), (3, (1, 5 / 2))])
def test_rational_quadratic_kernels_of_one_width_have_one_density(dim: int, orders: tuple[float, float]) -> None:
    """(1 + r²/4)^−(α + β), by its Hankel transform."""
    text = "*".join(f"rational_quadratic({order}, scale=sqrt({2 / order}))" for order in orders)
    total = sum(orders)
    for rho in (0.4, 1.7):

        def wave(r: float, rho: float = rho) -> float:
            return float(j0(rho * r) / (2 * np.pi) if dim == 2 else np.sin(rho * r) / (rho * r) / (2 * np.pi**2))

        expected = quad(
            lambda r, wave=wave: r ** (dim - 1) * (1 + r * r / 4) ** -total * wave(r), 1e-9, 200, limit=2000
        )[0]
        found = ks.analyze(text, dim=dim).spectral_density_at([[rho] + [0.0] * (dim - 1)])
        np.testing.assert_allclose(found, expected, rtol=1e-6)
