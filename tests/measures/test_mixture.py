"""Tests of `measures/mixture.py`."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from scipy.integrate import trapezoid
from scipy.stats import multivariate_normal, norm

import kernelspec as ks
from kernelspec.errors import NoDensityError, PlanError
from kernelspec.random.streams import Stream
from tests.measures import oracles as o

CASES = [
    ("gaussian()[0]", 2, lambda t: o.gaussian()(t[:, :1])),
    ("laplace(2)[-1]", 7, lambda t: o.laplace(2)(t[:, -1:])),
    ("cosine([1, 2])[2, 0]", 3, o.cosine([2, 0, 1])),
    ("gaussian()[0:2]*periodic(2)[1:3]", 3, lambda t: o.gaussian()(t[:, :2]) * o.periodic(2)(t[:, 1:])),
    ("(laplace()[1] + cauchy())[1:4]", 7, lambda t: o.laplace()(t[:, 2:3]) + o.cauchy()(t[:, 1:4])),
    ("stretch(triangle(3)[1], [[1, 1], [1, -1]])", 2, lambda t: o.triangle(3)(t[:, :1] - t[:, 1:])),
]


def test_other_columns_have_frequency_zero() -> None:
    omega = o.measure_of_text("laplace()[2, 0]", 4).sample(Stream(0), 100)
    assert (omega[:, [1, 3]] == 0).all()
    assert (omega[:, [0, 2]] != 0).all()


def test_no_density_where_a_column_is_ignored() -> None:
    measure = o.measure_of_text("gaussian()[0]", 2)
    with pytest.raises(NoDensityError, match="ignores a column"):
        measure.density(np.zeros((1, 2)))
    first, second = o.frequency_symbols(2)
    expected = sympy.exp(-(first**2) / 2) / sympy.sqrt(2 * sympy.pi) * sympy.DiracDelta(second)
    assert sympy.simplify(o.expression_of("gaussian()[0]", 2) - expected) == 0


def test_columns_in_another_order_keep_the_density() -> None:
    omega = np.random.default_rng(1).normal(size=(4, 2))
    expected = norm.pdf(omega[:, 1], scale=1) * norm.pdf(omega[:, 0], scale=1 / 3)
    found = o.measure_of_text("stretch(gaussian(), [1, 3])[1, 0]", 2).density(omega)
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    o.assert_expression_is_density("stretch(gaussian(), [1, 3])[1, 0]", 2)


def test_second_moment_counts_the_selected_columns() -> None:
    measure = o.measure_of_text("cauchy(2)[0, 2]", 3)
    assert float(measure.second_moment()) == pytest.approx(2 * 2 / 4)
    assert float(measure.second_moment(np.array([1.0, 10.0, 3.0]))) == pytest.approx((1 + 9) * 2 / 4)
    assert float(measure.second_moment(np.array([[1.0, 5.0, 1.0]]))) == pytest.approx(2 * 2 / 4)


CASES_OF_MIXTURE = {
    "0.7*gaussian(scale=2) + 0.3*laplace()": lambda t: 0.7 * o.gaussian(2)(t) + 0.3 * o.laplace()(t),
    "2*matern(nu=1.5) + 0.5*cosine(1)": lambda t: 2 * o.matern(1.5)(t) + 0.5 * o.cosine(1)(t),
    "mean(sinc(2), cauchy(), triangle())": lambda t: (o.sinc(2)(t) + o.cauchy()(t) + o.triangle()(t)) / 3,
    "gaussian()[0] + 0.25*laplace()": lambda t: o.gaussian()(t[:, :1]) + 0.25 * o.laplace()(t),
    "1e-3*cauchy(3) + 5*(gaussian() + 2*exponential())": lambda t: (
        1e-3 * o.cauchy(3)(t) + 5 * o.gaussian()(t) + 10 * o.exponential()(t)
    ),
}


@pytest.mark.parametrize("dim", [1, 2])
def test_density_inverts_to_the_kernel(dim: int) -> None:
    text = "0.7*gaussian(scale=2) + 0.6*cauchy(2)"
    o.assert_density_inverts(text, dim, lambda t: 0.7 * o.gaussian(2)(t) + 0.6 * o.cauchy(2)(t))
    o.assert_expression_is_density(text, dim)


def test_heavy_tails_have_all_their_mass() -> None:
    """∫ over R by ω = tan θ, where no tail is cut off."""
    angle, weight = o.grid(1, np.pi / 2, 4)
    density = o.measure_of_text("0.7*laplace(2) + 0.3*exponential()", 1).density(np.tan(angle))
    np.testing.assert_allclose(weight @ (density / np.cos(angle[:, 0]) ** 2), 1, rtol=1e-10)


def test_the_share_of_a_part_is_its_mass() -> None:
    omega = o.measure_of_text("1*cosine(1) + 2*cosine(2) + 5*cosine(3)", 1).sample(Stream(1), o.DRAWS)
    for size, share in ((1, 1 / 8), (2, 2 / 8), (3, 5 / 8)):
        count = (np.abs(omega[:, 0]) == size).sum()
        z = (count - share * o.DRAWS) / np.sqrt(o.DRAWS * share * (1 - share))
        assert abs(z) < norm.isf(o.SIGNIFICANCE / 6)


def test_atoms_of_a_part_leave_no_density() -> None:
    measure = o.measure_of_text("gaussian() + cosine(1)", 1)
    assert "consists of atoms" in str(measure.without_density())
    with pytest.raises(NoDensityError, match="consists of atoms"):
        measure.density(np.zeros((1, 1)))
    assert measure.atoms() is None


def test_signed_mixture() -> None:
    measure = o.measure_of_text("3*gaussian() - gaussian(scale=2)", 1)
    with pytest.raises(PlanError, match="negative parts"):
        measure.sample(Stream(0), 3)
    at = np.array([[0.0], [0.5]])
    expected = 3 * norm.pdf(at[:, 0]) - norm.pdf(at[:, 0], scale=0.5)
    np.testing.assert_allclose(measure.density(at), expected, rtol=1e-12)


def test_second_moment() -> None:
    # 1·d under the gaussian, d/4 under the wider one, ‖w‖² under the cosine, by mass
    assert float(o.measure_of_text("gaussian() + gaussian(scale=2) + 2*cosine(1)", 3).second_moment()) == pytest.approx(
        (3 + 3 / 4 + 2 * 3) / 4, rel=1e-12
    )
    assert o.measure_of_text("gaussian() + laplace()", 2).second_moment() == np.inf
    assert np.isnan(o.measure_of_text("gaussian() - gaussian(scale=2)", 2).second_moment())


def test_zero_measure() -> None:
    measure = o.measure_of_text("gaussian() - gaussian()", 2)
    assert measure.total_mass() == 0
    assert np.isnan(measure.second_moment())
    assert measure.describe() == "the zero measure"
    np.testing.assert_array_equal(measure.density(np.ones((3, 2))), np.zeros(3))
    np.testing.assert_array_equal(measure.characteristic_function(np.ones((3, 2))), np.zeros(3))
    with pytest.raises(PlanError):
        measure.sample(Stream(0), 1)


def test_description_names_weights_and_parts() -> None:
    assert o.measure_of_text("0.25*gaussian() + 2*laplace()", 1).describe() == (
        "mixture of 0.25 × (gaussian(scale=1): N(0, σ⁻² I)), 2 × (laplace(scale=1): Cauchy(0, 1/σ) in every coordinate)"
    )


SHEAR = np.array([[1.0, 2.0], [0.0, 1.0]])
SINGULAR = np.array([[1.0, 1.0], [2.0, 2.0]])
WIDE = np.array([[1.0, -2.0, 0.5]])
TALL = np.array([[1.0, 1.0], [1.0, 0.0], [0.5, -3.0]])


def mapped(oracle: o.Oracle, matrix: np.ndarray) -> o.Oracle:
    return lambda t: oracle(t @ matrix.T)


CASES_OF_PUSH_FORWARD = [
    ("stretch(gaussian(), 2)", 1, lambda t: o.gaussian()(t / 2)),
    ("stretch(cauchy(), 1/3)", 7, lambda t: o.cauchy()(t * 3)),
    ("stretch(laplace(2), [1, 2, 3])", 3, lambda t: o.laplace(2)(t / [1, 2, 3])),
    ("stretch(matern(nu=1.5), [[1, 2], [0, 1]])", 2, mapped(o.matern(1.5), SHEAR)),
    ("stretch(laplace(), [[1, 1], [2, 2]])", 2, mapped(o.laplace(), SINGULAR)),
    ("stretch(triangle(4), [[1, -2, 0.5]])", 3, mapped(o.triangle(4), WIDE)),
    ("stretch(exponential(), [[1, 1], [1, 0], [0.5, -3]])", 2, mapped(o.exponential(), TALL)),
    ("stretch(stretch(gaussian()*periodic(3), 2), [[0, 1], [1, 0]])", 2, lambda t: o.gaussian(2)(t) * o.periodic(6)(t)),
    (
        "stretch(laplace()[0] + 2*cosine([1, 3]), [0.5, 2])",
        2,
        lambda t: o.laplace()(t[:, :1] * 2) + 2 * o.cosine([2, 1.5])(t),
    ),
]


EVERY = [*CASES, *CASES_OF_PUSH_FORWARD, *((text, d, k) for text, k in CASES_OF_MIXTURE.items() for d in (1, 2, 3, 7))]


@pytest.mark.long
@pytest.mark.parametrize(("text", "dim", "oracle"), EVERY, ids=[f"{text} on {dim}" for text, dim, _ in EVERY])
def test_measure_is_that_of_the_kernel(text: str, dim: int, oracle: o.Oracle) -> None:
    o.assert_same_function(text, dim, oracle)
    o.assert_draws_follow(text, dim, oracle)
    o.assert_prefix_stable(text, dim)


@pytest.mark.long
@pytest.mark.parametrize(
    ("text", "dim", "oracle"),
    [
        ("stretch(cauchy(2), 2)", 1, o.cauchy(4)),
        ("stretch(cauchy(2), [1, 2])", 2, lambda t: o.cauchy(2)(t / [1, 2])),
        ("stretch(gaussian(), [[1, 2], [0, 1]])", 2, mapped(o.gaussian(), SHEAR)),
    ],
)
def test_density(text: str, dim: int, oracle: o.Oracle) -> None:
    o.assert_density_inverts(text, dim, oracle)
    o.assert_expression_is_density(text, dim)


@pytest.mark.parametrize(
    "text",
    [
        "stretch(gaussian(), [[1, 1], [2, 2]])",
        "stretch(gaussian(), [[1, 2]])",
        "stretch(gaussian(), [[1, 0], [0, 1], [1, 1]])",
    ],
)
def test_no_inverse_no_density(text: str) -> None:
    with pytest.raises(NoDensityError, match="has no inverse: the frequencies do not fill the space"):
        o.measure_of_text(text, 2).density(np.zeros((1, 2)))


def test_density_under_a_matrix_is_a_normal_law() -> None:
    omega = np.random.default_rng(0).normal(size=(5, 2))
    expected = multivariate_normal(cov=SHEAR.T @ SHEAR).pdf(omega)
    np.testing.assert_allclose(
        o.measure_of_text("stretch(gaussian(), [[1, 2], [0, 1]])", 2).density(omega), expected, rtol=1e-12
    )


def test_expression_without_density_names_the_law_and_the_matrix() -> None:
    """The law before the map lives on the rows of A: its variables and its dimension are its own."""
    expression = o.expression_of("stretch(gaussian(), [[1, 2]])", 2)
    matrix, law = expression.args
    assert matrix == sympy.Matrix([[1, 2]])
    nu = sympy.Symbol("nu", real=True)
    assert sympy.simplify(law - sympy.exp(-(nu**2) / 2) / sympy.sqrt(2 * sympy.pi)) == 0


@pytest.mark.parametrize(
    ("text", "point"),
    [
        ("stretch(cosine([1, 2]), [[1, 1], [2, 2]])", (5, 5)),
        ("stretch(cosine(3), [[1, 2]])", (3, 6)),
        ("stretch(cosine([1, 2]), 2)", (sympy.S.Half, 1)),
        ("stretch(cosine([1, 2]), [1, 4])", (1, sympy.S.Half)),
    ],
)
def test_atoms_are_moved_exactly(text: str, point: tuple[object, object]) -> None:
    first, second = o.frequency_symbols(2)
    delta = sympy.DiracDelta
    expected = sum(delta(first - s * point[0]) * delta(second - s * point[1]) for s in (1, -1)) / 2
    assert sympy.expand(o.expression_of(text, 2).expand(diracdelta=True) - expected.expand(diracdelta=True)) == 0
    atoms = o.measure_of_text(text, 2).atoms()
    assert sorted(atoms.points.tolist()) == sorted([[float(s * c) for c in point] for s in (1, -1)])


def test_atoms_that_fall_together_are_one() -> None:
    atoms = o.measure_of_text("stretch(cosine([1, -1]), [[1, 1], [1, 1]])", 2).atoms()
    np.testing.assert_array_equal(atoms.points, np.zeros((1, 2)))
    np.testing.assert_array_equal(atoms.weights, [1.0])


@pytest.mark.parametrize(
    ("text", "dim", "covariance"),
    [
        ("stretch(gaussian(2), [[1, 2], [0, 1]])", 2, SHEAR.T @ SHEAR / 4),
        ("stretch(cauchy(), [1, 2, 4])", 3, np.diag([2, 2 / 4, 2 / 16])),
        ("stretch(stretch(gaussian(), 2), [[1, -2, 0.5]])", 3, WIDE.T @ WIDE / 4),
        ("stretch(gaussian()[1], [[1, 1], [1, 0]])", 2, np.array([[1.0, 0], [0, 0]])),
    ],
)
def test_second_moment_is_the_trace(text: str, dim: int, covariance: np.ndarray) -> None:
    measure = o.measure_of_text(text, dim)
    assert float(measure.second_moment()) == pytest.approx(np.trace(covariance))
    scales = np.arange(1.0, dim + 1)
    assert float(measure.second_moment(scales)) == pytest.approx(
        np.trace(np.diag(scales) @ covariance @ np.diag(scales))
    )
    omega = measure.sample(Stream(3), o.DRAWS)
    squares = (omega**2).sum(axis=1)
    assert abs(squares.mean() - np.trace(covariance)) < 5.5 * squares.std() / np.sqrt(o.DRAWS)


def test_free_parameters_in_a_matrix() -> None:
    facts = ks.analyze("param s > 0\nstretch(gaussian(), [[s, 1], [0, 1]])", dim=2)
    s = sympy.Symbol("s", positive=True)
    assert sympy.simplify(facts.second_moment - (s**2 + 2)) == 0
    zero = dict.fromkeys(o.frequency_symbols(2), 0)
    assert sympy.simplify(facts.spectral_density.subs(zero) - 1 / (2 * sympy.pi * s)) == 0


@pytest.mark.parametrize(
    ("text", "weights"),
    [
        ("0.5*((gaussian() + cosine(1))**2)", {0.0: 0.25, 2.0: 0.125}),
        ("(gaussian() + cosine(1))**2 + constant()", {0.0: 1.5, 2.0: 0.25}),
        ("gaussian() + cosine(2)*(gaussian() + cosine(1))", {1.0: 0.25, 3.0: 0.25}),
        ("stretch((gaussian() + cosine(1))**2, 2)", {0.0: 0.5, 1.0: 0.25}),
    ],
)
def test_atoms_of_sums_in_products_are_found(text: str, weights: dict[float, float]) -> None:
    facts = ks.analyze(text, dim=1)
    assert facts.atoms is not None
    points = np.abs(facts.atoms.points[:, 0])
    assert {float(x): float(facts.atoms.weights[points == x][0]) for x in np.unique(points)} == weights
    lag, grid = np.array([[0.7]]), np.linspace(-40, 40, 40_001)
    diffuse = trapezoid(facts.density_beside_atoms_at(grid[:, None]) * np.cos(0.7 * grid), grid)
    discrete = np.cos(0.7 * facts.atoms.points[:, 0]) @ facts.atoms.weights
    np.testing.assert_allclose(diffuse + discrete, facts.characteristic_function(lag)[0], rtol=1e-6)
    assert ks.analyze("gaussian()[0] + 0.5*constant()", dim=2).atoms is not None
