"""Facts: SymPy against numbers, numbers against simulation, verdicts against mathematics."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from scipy.special import kv
from scipy.stats import norm

import kernelspec as ks
from kernelspec.analysis.scope import Columns
from kernelspec.errors import DataError, NoDensityError, NotStationaryError, ParameterError
from kernelspec.streams import Stream

from .specs import ALL, STATIONARY

RNG = np.random.default_rng(8)
X, Y = RNG.normal(size=(2, 6, 2))
X[3:, 1] = Y[3:, 1] = 2.0  # some rows agree in a column, for match()
N = 100_000
FUNCTIONS = {"same": lambda a, b: 1.0 * (a == b), "besselk": kv}


def evaluate(expression: sympy.Expr) -> np.ndarray:
    """A SymPy expression in x and y on row i of X with row i of Y."""
    names = [sympy.Symbol(f"{letter}_{i}", real=True) for letter in "xy" for i in (1, 2)]
    assert expression.free_symbols <= set(names)
    expression = expression.replace(sympy.KroneckerDelta, sympy.Function("same"))
    function = sympy.lambdify(names, expression, modules=[FUNCTIONS, "scipy", "numpy"])
    return np.broadcast_to(function(*X.T, *Y.T), (len(X),))


@pytest.mark.parametrize("text", ALL)
def test_the_expression_is_the_kernel(text: str) -> None:
    expected = np.diag(ks.parse(text).gram(X, Y))
    np.testing.assert_allclose(evaluate(ks.analyze(text, dim=2).kernel), expected, rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize("text", STATIONARY)
def test_characteristic_function_is_the_kernel(text: str) -> None:
    found = ks.analyze(text, dim=2).characteristic_function(X - Y)
    np.testing.assert_allclose(found, np.diag(ks.parse(text).gram(X, Y)), rtol=1e-9, atol=1e-12)


def assert_variance(samples: np.ndarray, expected: np.ndarray, mean: np.ndarray) -> None:
    """Mean and variance of independent samples (N, pairs), by z-scores; the variance's own from the fourth moment."""
    deviations = samples - mean
    spread = np.sqrt((deviations**2).mean(axis=0))
    limit = norm.isf(1e-6 / (4 * len(mean)))
    fixed = spread < 1e-12
    np.testing.assert_allclose(expected[fixed], 0, atol=1e-12)
    moving = ~fixed
    assert (np.abs(deviations.mean(axis=0))[moving] < limit * spread[moving] / np.sqrt(N)).all()
    squares = deviations[:, moving] ** 2
    assert (np.abs(squares.mean(axis=0) - expected[moving]) < limit * squares.std(axis=0) / np.sqrt(N)).all()


@pytest.mark.parametrize("text", [t for t in STATIONARY if t.count("(") < 12])
def test_variance_of_fourier_features(text: str) -> None:
    facts = ks.analyze(text, dim=2)
    omega = ks.parse(text).kernel(Columns(2)).measure().sample(Stream(4), N)
    k0, mean = float(facts.k0), np.diag(ks.parse(text).gram(X, Y))
    paired = k0 * np.cos(omega @ (X - Y).T)
    assert_variance(paired, evaluate(facts.variance["paired"]), mean)
    offset = np.random.default_rng(1).uniform(0, 2 * np.pi, (N, 1))
    phase = 2 * k0 * np.cos(omega @ X.T + offset) * np.cos(omega @ Y.T + offset)
    assert_variance(phase, evaluate(facts.variance["phase"]), mean)


def test_variance_of_a_difference() -> None:
    """2g − l by choice: a sample of weight 3, a minus sign for one in three."""
    rng = np.random.default_rng(2)
    minus = rng.random(N) < 1 / 3
    omega = np.where(minus[:, None], rng.standard_cauchy((N, 2)), rng.standard_normal((N, 2)))
    samples = np.where(minus, -3, 3)[:, None] * np.cos(omega @ (X - Y).T)
    mean = np.diag(ks.parse("2*gaussian() - laplace()").gram(X, Y))
    assert_variance(samples, evaluate(ks.analyze("2*gaussian() - laplace()", dim=2).variance["paired"]), mean)


@pytest.mark.parametrize("form", ["paired", "phase"])
def test_variance_with_keys(form: str) -> None:
    """3·g + match()[1]: a key needs no offset, so its samples are the same in both forms."""
    rng = np.random.default_rng(3)
    omega, offset = rng.standard_normal((N, 2)), rng.uniform(0, 2 * np.pi, (N, 1))
    wave = np.cos(omega @ (X - Y).T)
    if form == "phase":
        wave = 2 * np.cos(omega @ X.T + offset) * np.cos(omega @ Y.T + offset)
    samples = 4 * np.where(rng.random((N, 1)) < 0.75, wave, 1.0 * (X[:, 1] == Y[:, 1]))
    mean = np.diag(ks.parse("3*gaussian() + match()[1]").gram(X, Y))
    assert_variance(samples, evaluate(ks.analyze("3*gaussian() + match()[1]", dim=2).variance[form]), mean)


def test_match_alone_has_no_variance() -> None:
    for expression in ks.analyze("match()", dim=2).variance.values():
        np.testing.assert_allclose(evaluate(expression), 0, atol=1e-15)


VERDICTS = [
    ("gaussian()", "proved"),
    ("0.5*gaussian() + 3*match()", "proved"),
    ("(gaussian()*laplace())**2", "proved"),
    ("gaussian() - gaussian()", "proved"),
    ("(-gaussian())*(-laplace())", "proved"),
    ("normalize(gaussian() + laplace())[0]", "proved"),
    ("-gaussian()", "disproved"),
    ("gaussian() - 2*laplace()", "disproved"),
    ("gaussian() - laplace()", "disproved"),
    ("2*gaussian() - 1.9*laplace()", "disproved"),
    ("gaussian(2) - 0.5*gaussian(1)", "disproved"),
    ("match() - gaussian()", "disproved"),
    ("1e-12*(gaussian() - laplace())", "disproved"),
    ("2*laplace() - 0.1*gaussian()", "unknown"),  # its density is positive: it is positive definite
    ("-((0.1*gaussian() - 2*laplace())*gaussian())", "unknown"),  # so is this one
    ("gaussian() - 0.5*gaussian()[0]*gaussian()[1]", "unknown"),  # half a gaussian
]


@pytest.mark.parametrize(("text", "verdict"), VERDICTS, ids=[row[0] for row in VERDICTS])
def test_verdict(text: str, verdict: str) -> None:
    found = ks.analyze(text, dim=2).verdict
    assert found.positive_definite == verdict
    assert found.symmetric
    assert found.reasons


@pytest.mark.parametrize(
    ("text", "verdict"),
    [("param w > 0\nw*gaussian() + laplace()", "proved"), ("param w < 0\nw*gaussian() + laplace()", "unknown"),
     ("param w\nw*gaussian() + laplace()", "unknown"), ("param w > 0\n-w*laplace()", "disproved"),
     ("param w > 0\nlaplace() - w*gaussian()", "unknown")],
)  # fmt: skip
def test_verdict_with_free_weights(text: str, verdict: str) -> None:
    assert ks.analyze(text).verdict.positive_definite == verdict
    assert ks.analyze(text, dim=2).verdict.positive_definite == verdict


def test_stationary() -> None:
    assert ks.analyze("gaussian()", dim=2).verdict.stationary is True
    assert ks.analyze("gaussian()*match()[0]", dim=2).verdict.stationary is None
    with pytest.raises(NotStationaryError, match="no spectral measure"):
        ks.analyze("gaussian()*match()[0]", dim=2).characteristic_function(np.zeros((1, 2)))


def test_every_number_has_its_name() -> None:
    facts = ks.analyze("0.7*gaussian(scale=2) + 0.3*cauchy()", dim=8)
    assert facts.k0 == facts.masses.total_variation == facts.masses.real_positive == 1
    assert (facts.masses.real_negative, facts.masses.imaginary_positive, facts.masses.imaginary_negative) == (0, 0, 0)
    assert facts.mean is None
    assert facts.verdict.positive_definite == "proved"
    assert float(facts.second_moment) == pytest.approx(0.7 * 8 / 4 + 0.3 * 16)
    assert facts.bound(0.1, 0.05, 2).columns == 2 * facts.bound(0.1, 0.05, 2).samples
    zero = np.zeros((3, 8))
    expected = 0.7 * (4 / (2 * np.pi)) ** 4 + 0.3 / 2**8
    np.testing.assert_allclose(facts.spectral_density_at(zero), np.full(3, expected))
    assert float(facts.spectral_density.subs(dict.fromkeys(facts.spectral_density.free_symbols, 0))) == pytest.approx(
        expected
    )
    np.testing.assert_allclose(facts.characteristic_function(zero), np.ones(3))
    assert facts.atoms is None
    assert set(facts.variance) == {"paired", "phase", "complex"}
    assert facts.latex().startswith("\\begin{align*}")
    assert facts.to_dict()["k0"] == "1"


def test_atoms_instead_of_a_density() -> None:
    facts = ks.analyze("cosine([1, 2])", dim=2)
    np.testing.assert_allclose(sorted(facts.atoms.points.tolist()), [[-1, -2], [1, 2]])
    for ask in (lambda: facts.spectral_density, lambda: facts.spectral_density_at(np.zeros((1, 2)))):
        with pytest.raises(NoDensityError, match="consists of atoms"):
            ask()


def test_vectors_must_fit_the_columns() -> None:
    facts = ks.analyze("gaussian()", dim=2)
    with pytest.raises(DataError, match=r"omega must have shape \(n, 2\), not \(1, 3\)"):
        facts.spectral_density_at(np.zeros((1, 3)))
    with pytest.raises(DataError, match=r"delta must have shape \(n, 2\), not \(2,\)"):
        facts.characteristic_function(np.zeros(2))


@pytest.mark.parametrize("dim", [1, 2, 3, 20])
def test_a_symbolic_number_of_columns(dim: int) -> None:
    """What is derived for d holds for every number put in its place."""
    d = sympy.Symbol("d", integer=True, positive=True)
    facts = ks.analyze("2*gaussian(scale=2)*periodic(period=1)")
    assert facts.second_moment.subs(d, dim) == ks.analyze("2*gaussian(2)*periodic(1)", dim=dim).second_moment
    x = sympy.IndexedBase("x", real=True)
    y = sympy.IndexedBase("y", real=True)
    value = ks.analyze("laplace()").kernel.subs(d, dim).doit()
    at = {x[i]: sympy.Rational(i, 7) for i in range(1, dim + 1)} | {y[i]: 0 for i in range(1, dim + 1)}
    assert float(value.subs(at)) == pytest.approx(np.exp(-dim * (dim + 1) / 14))


def test_columns_by_name_are_the_symbols() -> None:
    facts = ks.analyze('gaussian()[age]*laplace()["net income"]')
    names = {symbol.name for symbol in facts.kernel.free_symbols}
    assert names == {"x_age", "y_age", "x_net income", "y_net income"}


def test_free_parameters_stay_in_the_answers() -> None:
    facts = ks.analyze("param s > 0\nparam w > 0\nw*laplace(scale=s) + gaussian(scale=s)", dim=1)
    s, w = sympy.symbols("s w", positive=True)
    assert facts.k0 == w + 1
    assert facts.masses.total_variation == w + 1
    assert {s, w} <= facts.variance["paired"].free_symbols
    assert {s, w} <= facts.spectral_density.free_symbols
    with pytest.raises(ParameterError):
        facts.spectral_density_at([[0.0]])
