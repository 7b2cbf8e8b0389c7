"""Linear images: scales, one scale per column, matrices with and without an inverse."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from scipy.stats import multivariate_normal

from kernelspec.errors import NoDensityError
from kernelspec.random.streams import Stream
from tests.measures import oracles as o

SHEAR = np.array([[1.0, 2.0], [0.0, 1.0]])
SINGULAR = np.array([[1.0, 1.0], [2.0, 2.0]])
WIDE = np.array([[1.0, -2.0, 0.5]])
TALL = np.array([[1.0, 1.0], [1.0, 0.0], [0.5, -3.0]])


def mapped(oracle: o.Oracle, matrix: np.ndarray) -> o.Oracle:
    return lambda t: oracle(t @ matrix.T)


CASES = [
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


@pytest.mark.long
@pytest.mark.parametrize(("text", "dim", "oracle"), CASES, ids=[case[0] for case in CASES])
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
    import kernelspec as ks

    facts = ks.analyze("param s > 0\nstretch(gaussian(), [[s, 1], [0, 1]])", dim=2)
    s = sympy.Symbol("s", positive=True)
    assert sympy.simplify(facts.second_moment - (s**2 + 2)) == 0
    zero = dict.fromkeys(o.frequency_symbols(2), 0)
    assert sympy.simplify(facts.spectral_density.subs(zero) - 1 / (2 * sympy.pi * s)) == 0


def test_description() -> None:
    assert o.measure_of_text("stretch(gaussian(), 2)", 1).describe() == "linear image of gaussian(scale=1): N(0, σ⁻² I)"
