"""Tests of `analysis/variances.py`."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
import sympy
from scipy.stats import norm

import kernelspec as ks
from kernelspec.analysis.closed_products import EXAMPLES, closed_products
from kernelspec.analysis.variances import (
    complexity,
    constant_share,
    divergence,
    dual_nodes,
    number,
    skeleton_to_dict,
)
from kernelspec.elaboration.scope import Columns
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaf import KERNELS
from kernelspec.laws.fourier import minmax_variance, normalized_variance, paired_variance, phase_variance
from kernelspec.laws.rules import law_of
from kernelspec.measures.block_density import is_inverted
from kernelspec.measures.measure import measure_of
from kernelspec.random.streams import Stream
from tests.analysis.test_spectral_facts import X, Y, evaluate
from tests.elaboration.specs import STATIONARY
from tests.measures.oracles import measure_of_text
from tests.thoroughness import sweep


@pytest.mark.parametrize(
    ("text", "factors"),
    [
        ("laplace()", 1.0),
        ("laplace()*match()", 2.0),
        ("match()**5", 5.0),
        ("dual(exp(c=2), circle())", 2.0),  # Poisson degrees of mean 2
        ("dual(exp(c=2), dual(exp(c=3), circle()))", 6.0),
        ("dual(step, circle())", math.inf),
        ("tilt(cauchy(), by=1)", 1.0),
    ],
)
def test_by_hand(text: str, factors: float) -> None:
    assert complexity(ks.parse(text).kernel(Columns(1))) == pytest.approx(factors, rel=1e-12)


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("gaussian()", 0.0),
        ("dual(exp(c=2), circle())", math.exp(-2)),
        ("dual(exp(c=2), circle())**3", math.exp(-6)),
        ("dual(exp(c=2), circle()) * gaussian()", 0.0),
        # Poisson numbers of Poisson numbers: e^{c(e^{−c} − 1)}
        ("dual(exp(c=1), dual(exp(c=1), circle()))", math.exp(math.exp(-1) - 1)),
        ("0.5*dual(exp(c=2), circle()) + 0.5*gaussian()", math.exp(-2) / 2),
        ("shift(dual(exp(c=2), circle()), by=1)", math.exp(-2)),
    ],
)
def test_by_hand_constant_share(text: str, share: float) -> None:
    assert constant_share(ks.parse(text).kernel(Columns(1))) == pytest.approx(share, rel=1e-12)


@pytest.mark.parametrize("text", ["rbf_cosine(gamma=1.5)", "rbf_cosine(gamma=1.5)[0, 1]"])
@pytest.mark.parametrize("value", [-0.7, 0.0, 0.4, 0.95])
def test_values(text: str, value: float) -> None:
    found = ks.analyze(text, dim=3).cosine_estimators
    rho = sympy.Symbol("rho", real=True)
    numbers = [float(variance.subs(rho, value)) for variance in found.values()]
    twins = (paired_variance, phase_variance, normalized_variance, minmax_variance)
    assert numbers == pytest.approx([float(f(value, 1.5)) for f in twins], rel=1e-12)


def test_report_and_other_kernels() -> None:
    report = ks.analyze("param g > 0\nrbf_cosine(gamma=g)").report()
    assert "\n  random offsets, theorem 2.1: (1 - exp(-2*g*(1 - rho)))**2/2 + 1/2\n" in report
    assert ks.analyze("gaussian() * rbf_cosine()").cosine_estimators == {}


NET = "layer(relu, circle()[0], dual(exp(c=2), 0.5*gaussian()[1] + 0.25*match()[2]) ** 2)"


def kernel_of(text: str, dim: int = 4) -> Kernel:
    return ks.parse(text).kernel(Columns(dim))


def relu(rho: float) -> float:
    return (math.sqrt(1 - rho**2) + rho * (math.pi - math.acos(rho))) / math.pi


def test_every_node_with_its_law() -> None:
    top, below = dual_nodes(kernel_of(f"gaussian() * {NET}"))
    assert (top.level, top.activation, below.level, below.activation) == (0, "relu", 1, "exp(c=2)")
    # degrees below: Poisson of mean c m = 1.5
    assert below.mass == 0.75
    assert below.probabilities == pytest.approx([math.exp(-1.5) * 1.5**i / math.factorial(i) for i in range(4)])
    assert below.mean_degree == pytest.approx(1.5)
    assert below.constant_share == pytest.approx(math.exp(-1.5))


def test_the_top_over_a_mass() -> None:
    """Mass of the mean: (1 + exp(2·2(0.75 − 1)))/2, and a power is constant where both draws are."""
    (top, _) = dual_nodes(kernel_of(NET))
    square = math.exp(-1)
    mass = (1 + square) / 2
    assert top.mass == pytest.approx(mass)
    share = square / (1 + square) * math.exp(-3)  # the other term, drawn with this probability, is never constant
    assert top.constant_share == pytest.approx(relu(mass * share) / relu(mass))
    assert top.mean_degree == pytest.approx(mass * (math.pi - math.acos(mass)) / math.pi / relu(mass))


def test_samples_that_are_cut_have_no_factor() -> None:
    """Below all but degree one: 1 − 1/e. Above all of Poisson(2) factors must be so, and none of the other term."""
    text = "layer(exp(c=2), gaussian()[0], dual(exp(c=1), gaussian()[1], max_degree=1))"
    below = (1 - math.exp(-1)) / 2
    assert constant_share(kernel_of(text, 2)) == pytest.approx(math.exp(2 * (below - 1)))
    assert constant_share(kernel_of("full(exp(c=1/2), input=image(2, 2, 1)) * match()")) == 0
    assert constant_share(kernel_of("full(exp(c=1/2), input=image(2, 2, 1))")) == pytest.approx(math.exp(-0.5))


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("dual(relu, sphere())", 1.0),
        ("dual(relu, tilt(laplace(), by=0.1))", 1.0),
        ("dual(relu, 0.5*sphere())", 0.5),
        ("dual(relu, sphere()[0:2])", None),  # two columns: √(d/2) = 1
        ("dual(hermite(3), sphere())", None),
        ("dual(relu, sphere(), max_degree=5)", None),
        ("dual(relu, gaussian() - 0*laplace())", None),
    ],
)
def test_where_the_variance_is_infinite(text: str, limit: float | None) -> None:
    (node,) = dual_nodes(kernel_of(text))
    assert node.infinite_above == limit
    assert (divergence(law_of(kernel_of(text))) is None) == (limit is None)


def test_neurons_have_a_variance() -> None:
    kernel = kernel_of("dual(relu, sphere())")
    assert divergence(law_of(kernel)) == "E|p|² below the dual of relu exceeds 1"
    assert divergence(law_of(kernel, "varying")) is not None
    assert divergence(law_of(kernel, "neurons")) is None


def test_in_words_and_as_data() -> None:
    first, second = dual_nodes(kernel_of("dual(relu, dual(step, 0.5*gaussian(), max_degree=7))"))
    assert first.line().startswith("dual of relu over a kernel of mass ")
    assert second.line().startswith("  dual of step over a kernel of mass 0.5: degrees 0, 1, 2, 3, … with probability ")
    assert ", cut at 7; mean " in second.line()
    assert "infinite" in dual_nodes(kernel_of("dual(step, gaussian())"))[0].line()
    found = dual_nodes(kernel_of("dual(step, gaussian())"))[0].to_dict()
    assert found["mean_degree"] == "infinite"
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert (number(math.inf), number(2)) == ("infinite", 2.0)


def test_not_more_than_forty() -> None:
    lets = [f"let a{i + 1} = dual(relu, {f'a{i}' if i else 'circle()'})" for i in range(50)]
    assert [node.level for node in dual_nodes(kernel_of("\n".join([*lets, "a50"]), 1))] == list(range(40))


N = 100_000


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


@pytest.mark.slow
@pytest.mark.parametrize("text", sweep([t for t in STATIONARY if t.count("(") < 12], every=3))
def test_variance_of_fourier_features(text: str) -> None:
    facts = ks.analyze(text, dim=2)
    omega = measure_of(ks.parse(text).kernel(Columns(2))).sample(Stream(4), N)
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


@pytest.mark.parametrize("form", ["paired", "phase", "complex"])
def test_keys_alone_have_no_variance(form: str) -> None:
    np.testing.assert_allclose(evaluate(ks.analyze("match()", dim=2).variance[form]), 0, atol=1e-15)


@pytest.mark.slow
@pytest.mark.parametrize("degree", [1, 4])
def test_variance_of_cut_degrees(degree: int) -> None:
    """Poisson(1) degrees, those beyond the cut zero, simulated as products of that many frequencies."""
    rng = np.random.default_rng(5)
    drawn = rng.poisson(1.0, N)
    waves = np.ones((N, len(X)), dtype=complex)
    for i in range(degree):
        waves *= np.where(i < drawn[:, None], np.exp(1j * rng.standard_normal((N, 2)) @ (X - Y).T), 1)
    samples = np.where(drawn[:, None] <= degree, waves, 0).real
    text = f"dual(exp(c=1), gaussian(), max_degree={degree})"
    k = np.diag(ks.parse("gaussian()").gram(X, Y))
    mean = sum(k**i / math.factorial(i) for i in range(degree + 1)) / math.e
    assert_variance(samples, evaluate(ks.analyze(text, dim=2).variance["paired"]), mean)


def test_many_degrees_stay_unevaluated() -> None:
    found = str(ks.analyze("dual(step, match(), max_degree=50)", dim=1).variance["paired"])
    assert found.count("(l, 0, 50)") == 2
    assert "asin" not in found


@pytest.mark.long
def test_the_report_has_the_layers() -> None:
    facts = ks.analyze(
        "2 * full(relu, input=conv(exp(c=1/4), size=2, stride=2, input=image(4, 4, 1))) * gaussian()", dim=16
    )
    (found,) = facts.skeletons
    assert (found.complexity, found.depth) == (0.25, 2)
    assert facts.composition is not None
    assert (facts.composition.complexity, facts.composition.norm) == (1.25, pytest.approx(2**0.5))
    text = facts.report()
    assert "skeleton: 4 × 4 × 1 nodes circle()\n  conv(exp(c=0.25), size=2, stride=2): 2 × 2 nodes of 4 below; " in text
    assert "a sample is constant with probability" in text
    assert ks.analyze("gaussian()", dim=1).skeletons == ()


def test_as_data() -> None:
    (found,) = ks.analyze("full(step, input=conv(relu, size=2, input=image(2, 3, 1, base=laplace())))", dim=6).skeletons
    data = skeleton_to_dict(found)
    assert (data["base"], data["depth"], data["complexity"]) == ("laplace(scale=1)", 2, "infinite")
    assert [layer["layer"] for layer in data["layers"]] == ["conv(relu, size=2, stride=1)", "full(step)"]
    assert data["constant_share"] == pytest.approx(0.5 + math.asin(1 / math.pi) / math.pi)


PAIRS = [
    ("gaussian", "laplace", 1),
    ("cauchy", "triangle", 1),
    ("periodic", "matern", 1),
    ("powered_exponential", "cosine", 1),
    ("polya", "powered_exponential", 1),
    ("exponential", "matern", 2),
    ("exponential", "gaussian", 2),
    ("exponential", "gaussian", 3),
    ("laplace", "cauchy", 3),
]


@pytest.mark.parametrize(("first", "second", "dim"), sweep(PAIRS, every=3))
def test_as_the_expressions_say(first: str, second: str, dim: int) -> None:
    kernels = {name: EXAMPLES[name] for name in (first, second)}
    found = closed_products(kernels, dim=dim).of(second, first)
    density = ks.analyze(f"{EXAMPLES[first]} * {EXAMPLES[second]}", dim=dim).spectral_density
    omega = {symbol: sympy.Rational(1, 3) for symbol in density.free_symbols}
    left_over = density.subs(omega).atoms(sympy.Integral, sympy.Function("Convolution"))
    if left_over or found != "open":
        assert (found == "open") == bool(left_over)
    else:  # a closed form in SymPy whose numbers come from an integral for every frequency
        assert is_inverted(measure_of_text(f"{EXAMPLES[first]} * {EXAMPLES[second]}", dim))


@pytest.mark.long
def test_the_whole_table() -> None:
    """Every kernel of the catalogue that has a measure of its own is in it; the counts are those of the documents."""
    assert set(EXAMPLES) < set(KERNELS)
    assert [closed_products(dim=dim).count for dim in (1, 2, 3)] == [105, 76, 90]
    assert closed_products().with_density == 117


def test_forms() -> None:
    found = closed_products({"gaussian": "gaussian()", "cosine": "cosine(2)", "periodic": "periodic(2)"})
    assert found.to_dict() == {
        "gaussian * gaussian": "closed",
        "gaussian * cosine": "closed",
        "gaussian * periodic": "series",
        "cosine * cosine": "atoms",
        "cosine * periodic": "atoms",
        "periodic * periodic": "atoms",
    }
    assert found.text().splitlines()[:4] == [
        " 1 gaussian  c",
        " 2 cosine    c  a",
        " 3 periodic  s  a  a",
        "             1  2  3",
    ]
    assert found.latex().splitlines()[1] == r"  \text{gaussian} & c \\"
    assert (found.count, found.with_density) == (3, 3)


def test_the_kernels_of_a_spec() -> None:
    found = ks.analyze("gaussian()*laplace() + cauchy()*match()[2]", dim=3).closed_products
    assert found is not None
    assert found.names == ("cauchy(scale=1)", "gaussian(scale=1)", "laplace(scale=1)")
    assert ks.analyze("gaussian()", dim=1).closed_products is None
    assert ks.analyze("param s > 0\ngaussian(s)*laplace()", dim=1).closed_products is None
