"""Tests of `laws/compositional/neurons.py`."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
import sympy
from scipy.integrate import dblquad

import kernelspec as ks
from kernelspec.elaboration.scope import Columns
from kernelspec.errors import PlanError, SpecError
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.kernels.leaves.of_rows import CosineSimilarity, Sphere
from kernelspec.kernels.nodes.dual import Dual
from kernelspec.kernels.nodes.skeleton import Skeleton
from kernelspec.laws.compositional.neurons import NeuronLaw, neuron_moment, neuron_moment_expression, neurons
from kernelspec.laws.rules import law_of, schemes_of
from kernelspec.maps.feature_map import draw_map
from kernelspec.random.streams import Stream
from kernelspec.samples.amplitudes import Neurons
from kernelspec.samples.frequencies import UnitColumn
from kernelspec.tables.rows import Rows
from kernelspec.testing.assertions import assert_unbiased
from kernelspec.testing.laboratory import assert_mean
from kernelspec.testing.samples import assert_samples
from tests.laws.texts import kernel_of, law

RHO = np.array([-1.0, -0.999, -0.7, 0.0, 0.3, 0.9, 1.0])


def activation(text: str):
    spec = ks.parse(f"dual({text}, circle())")
    return spec.kernel(spec.columns(1, None)).activation


def plane(squared, rho: float) -> float:
    def integrand(z: float, x: float) -> float:
        return squared(x) * squared(rho * x + np.sqrt(1 - rho**2) * z) * np.exp(-0.5 * (x**2 + z**2)) / (2 * np.pi)

    return dblquad(integrand, -12, 12, -12, 12, epsabs=1e-8, epsrel=1e-8)[0]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["relu", "step", "sign", "identity"])
def test_closed_forms(name: str) -> None:
    found = neuron_moment(activation(name), RHO)
    exact = [float(neuron_moment_expression(activation(name), sympy.Float(rho))) for rho in RHO]
    np.testing.assert_allclose(found, exact, rtol=1e-9, atol=1e-9)


@pytest.mark.long
@pytest.mark.parametrize(
    ("text", "square"), [("exp(c=0.25)", lambda x: np.exp(x - 0.5)), ("cos(1)", None), ("gelu", None)]
)
def test_smooth_activations_against_the_plane(text: str, square) -> None:
    own = activation(text)
    squared = square if square is not None else lambda x: float(own.evaluate(np.array(x)) ** 2)
    for rho in (-0.6, 0.5):
        assert float(neuron_moment(own, np.array(rho))) == pytest.approx(plane(squared, rho), rel=1e-6)


def test_exp_in_closed_form() -> None:
    # σ² = e^{x − ½} normalised has E σ(U)²σ(V)² = e^{ρ}
    np.testing.assert_allclose(neuron_moment(activation("exp(c=0.25)"), RHO), np.exp(RHO), rtol=1e-9)


RNG = np.random.default_rng(2)
X = RNG.standard_normal((5, 4))
U = X / np.linalg.norm(X, axis=1, keepdims=True)


@pytest.mark.long
@pytest.mark.parametrize("name", ["relu", "step", "sign", "abs", "erf", "cos(1)", "gelu", "activation(x -> x**2 + 1)"])
def test_unbiased_with_the_predicted_variance(name: str) -> None:
    assert_unbiased(f"dual({name}, normalize(linear()))", X, method="neurons", n_features=24, n_maps=250)


@pytest.mark.long
def test_on_some_columns_and_in_compositions() -> None:
    table = np.hstack([X, U])
    for text in (
        "dual(relu, sphere()[4:8])",
        "dual(relu, sphere())[4:8] * gaussian(scale=3)",
        "dual(exp(c=0.1), dual(step, sphere()[4:8]))",
    ):
        assert_samples(text, table, methods=["neurons"], n=4000)


def test_auto_takes_neurons_where_the_variance_of_monomials_is_infinite() -> None:
    fmap = ks.compile("dual(relu, sphere())", dim=4, n_features=64, data=U)
    assert fmap.method == "curved_neurons"
    assert fmap.n_columns == 64
    assert "infinite" in fmap.explain()
    plain = ks.compile("dual(relu, sphere())", dim=4, n_features=64, data=U, method="paired")
    assert "predicted standard error of an inner product: infinite" in plain.explain()
    assert np.isinf(plain.predicted_variance(U)).all(axis=None) or np.isinf(np.diag(plain.predicted_variance(U))).any()


def test_where_there_are_none() -> None:
    for text in ("dual(relu, gaussian())", "dual(relu, mean(sphere(), gaussian()))", "dual(exp, linear())"):
        spec = ks.parse(text)
        kernel = kernel_of(text, 4)
        assert neurons(kernel) is None
        assert "neurons" not in schemes_of(kernel)
        with pytest.raises(PlanError, match="no part of this kernel supports"):
            ks.compile(spec, dim=4, method="neurons")


def test_columns_below_selections() -> None:
    kernel = kernel_of("dual(relu, (sphere()[2, 0])[3, 1, 2])", 4)
    found = neurons(kernel)
    assert found is not None
    assert found.positions == (2, 3)
    assert isinstance(found.below, Sphere)
    assert law_of(kernel, "neurons") == found


def test_unit_rows_are_read_where_the_kernel_divides_by_the_norm() -> None:
    unit = law("dual(relu, normalize(linear()))", 2, "neurons")
    assert isinstance(unit, NeuronLaw)
    assert isinstance(unit.below, CosineSimilarity)
    assert unit.lines((0, 1)) == ["neurons relu with normal weights on columns 0, 1, divided by the norm of the row"]
    (factor,) = unit.draw(Stream(3), 4, (3, 1))[0].amplitudes
    assert isinstance(factor, Neurons)
    assert factor.reads == (UnitColumn(3, (3, 1)), UnitColumn(1, (3, 1)))


X_OF_MEANS = np.random.default_rng(0).normal(size=(5, 3))
PAIRS = NumericPairs(Rows(X_OF_MEANS), Rows(X_OF_MEANS))


def step_series(rho: np.ndarray, degree: int) -> np.ndarray:
    """1/2 + arcsin(ρ)/π up to a degree: the binomial series of the arcsine."""
    total = np.full_like(rho, 0.5)
    for i in range((degree + 1) // 2):
        total += math.comb(2 * i, i) / 4**i / (2 * i + 1) * rho ** (2 * i + 1) / math.pi
    return total


def relu(rho: np.ndarray) -> np.ndarray:
    return (np.sqrt(1 - rho**2) + rho * (np.pi - np.arccos(rho))) / np.pi


@pytest.mark.parametrize("degree", [0, 1, 3, 6])
def test_the_series_up_to_the_degree(degree: int) -> None:
    rho = ks.parse("gaussian()").gram(X_OF_MEANS)
    own = law(f"2 * dual(step, gaussian(), max_degree={degree}) + laplace()", 3)
    expected = 2 * step_series(rho, degree) + ks.parse("laplace()").gram(X_OF_MEANS)
    np.testing.assert_allclose(own.mean(PAIRS), expected, rtol=1e-13)
    cut = law(f"dual(step, gaussian(), max_degree={degree})", 3)
    at_one = float(step_series(np.ones(1), degree)[0])
    np.testing.assert_allclose(np.diag(cut.mean(PAIRS)), at_one, rtol=1e-13)


def test_a_cut_below_other_kernels() -> None:
    rho = ks.parse("gaussian()").gram(X_OF_MEANS)
    inner = step_series(rho, 3)
    nested = law("dual(relu, dual(step, gaussian(), max_degree=3)) ** 2 * laplace()", 3)
    np.testing.assert_allclose(
        nested.mean(PAIRS), relu(inner) ** 2 * ks.parse("laplace()").gram(X_OF_MEANS), rtol=1e-12
    )
    image = law("full(relu, input=image(1, 3, 1, base=dual(step, gaussian(), max_degree=3)))", 3)
    places = [step_series(ks.parse("gaussian()").gram(X_OF_MEANS[:, [i]]), 3) for i in range(3)]
    np.testing.assert_allclose(image.mean(PAIRS), relu(sum(places) / 3), rtol=1e-12)


@pytest.mark.parametrize(
    ("text", "moved"),
    [
        ("tilt({}, by=[0.2, -0.1, 0.3])", lambda x, y: (x, y, np.exp((x - y) @ [0.2, -0.1, 0.3]))),
        ("shift({}, by=[0.2, -0.1, 0.3])", lambda x, y: (x + np.array([0.2, -0.1, 0.3]), y, 1.0)),
        ("stretch({}, 2)", lambda x, y: (x / 2, y / 2, 1.0)),
        ("({})[2, 0, 1]", lambda x, y: (x, y, 1.0)),
    ],
)
def test_a_cut_below_other_rows(text: str, moved) -> None:
    """The mean of the whole is that of the cut series at other rows."""
    inside = "dual(step, gaussian(), max_degree=3)"
    found = np.asarray(law(text.format(inside), 3).mean(PAIRS))
    for i, x in enumerate(X_OF_MEANS):
        for j, y in enumerate(X_OF_MEANS):
            left, right, factor = moved(x, y)
            rho = ks.parse("gaussian()").gram(left[None], right[None])[0]
            assert found[i, j] == pytest.approx(float(step_series(rho, 3)[0] * factor), rel=1e-12)


@pytest.mark.long
def test_the_samples_have_this_mean() -> None:
    """Budget 1e-6: 600 maps of one sample each, three degrees of 0, of 2 and beyond."""
    text = "dual(relu, dual(exp(c=1), gaussian(), max_degree=1))"
    upper = np.triu_indices(5)
    plan = ks.compile(text, dim=3, n_features=64, method="paired").plan
    maps = [draw_map(replace(plan, seed=seed)) for seed in range(600)]
    rho = ks.parse("gaussian()").gram(X_OF_MEANS)
    assert_mean(np.stack([one.approximate(X_OF_MEANS)[upper] for one in maps]), relu((1 + rho) / math.e)[upper])


def test_in_symbols() -> None:
    spec = ks.parse("dual(step, circle(), max_degree=5)")
    cut = spec.symbolic_kernel(Columns(1))
    assert isinstance(cut, Dual)
    rho = sympy.Symbol("rho")
    found = sympy.lambdify(rho, cut.kept_series(rho))(0.3)
    assert found == pytest.approx(float(step_series(np.array([0.3]), 5)[0]), rel=1e-13)
    long = ks.parse("dual(step, circle(), max_degree=50)").symbolic_kernel(Columns(1))
    assert isinstance(long, Dual)
    assert str(long.kept_series(rho)) == "Sum(rho**l*coefficient_of_step(l), (l, 0, 50))"
    free = ks.parse("param c > 0\ndual(exp(c=c), circle(), max_degree=2)").symbolic_kernel(Columns(1))
    assert isinstance(free, Dual)
    assert "coefficient_of_exp" in str(free.kept_series(rho))


GRAPH = """
let pixels = image(6, 6, 2{base})
let a = conv(relu, size=3, padding=same, input=pixels)
let b = conv(exp(c=1), size=5, padding=same, input=pixels)
let c = conv(step, size=3, stride=2, input=mean(a, b))
let d = conv(relu, size=3, stride=2, input=a)
full(relu, input=mean(c, d, c))
"""
RESIDUAL = """
let pixels = image(3, 3, 1)
let a = conv(relu, size=2, padding=same, input=pixels)
full(exp(c=2), input=mean(pixels, a))
"""
X_OF_IMAGE_GRAPHS = np.random.default_rng(0).uniform(0, 2, (5, 72))

DualOfImageGraphs = Callable[[np.ndarray], np.ndarray]


def relu_of_image_graphs(rho: np.ndarray) -> np.ndarray:
    rho = np.clip(rho, -1, 1)
    return (np.sqrt(1 - rho**2) + rho * (np.pi - np.arccos(rho))) / np.pi


def step(rho: np.ndarray) -> np.ndarray:
    return 0.5 + np.arcsin(np.clip(rho, -1, 1)) / np.pi


def conv(dual: DualOfImageGraphs, grid: np.ndarray, size: int, stride: int = 1, *, same: bool = False) -> np.ndarray:
    """σ̂ of the mean over windows, one by one."""
    n = len(grid)
    count = -(-n // stride) if same else (n - size) // stride + 1
    before = max((count - 1) * stride + size - n, 0) // 2 if same else 0
    found = np.empty((count, count))
    for i in range(count):
        for j in range(count):
            rows, columns = (slice(max(k * stride - before, 0), k * stride - before + size) for k in (i, j))
            found[i, j] = grid[rows, columns].mean()
    return dual(found)


def graph(x: np.ndarray, y: np.ndarray) -> float:
    pixels = np.cos(x - y).reshape(6, 6, 2).mean(axis=2)
    a = conv(relu_of_image_graphs, pixels, 3, same=True)
    b = conv(lambda rho: np.exp(rho - 1), pixels, 5, same=True)
    c = conv(step, (a + b) / 2, 3, 2)
    d = conv(relu_of_image_graphs, a, 3, 2)
    return float(relu_of_image_graphs(np.asarray(((2 * c + d) / 3).mean())))


def test_values() -> None:
    expected = [[graph(x, y) for y in X_OF_IMAGE_GRAPHS] for x in X_OF_IMAGE_GRAPHS]
    np.testing.assert_allclose(ks.parse(GRAPH.format(base="")).gram(X_OF_IMAGE_GRAPHS), expected, rtol=1e-12)


@pytest.mark.long
def test_values_beside_the_image_itself() -> None:
    rows = X_OF_IMAGE_GRAPHS[:, :9]
    pixels = np.cos(rows[:, None] - rows).reshape(5, 5, 3, 3)
    expected = [
        [np.exp(2 * ((p + conv(relu_of_image_graphs, p, 2, same=True)).mean() / 2 - 1)) for p in row] for row in pixels
    ]
    spec = ks.parse(RESIDUAL)
    np.testing.assert_allclose(spec.gram(rows), expected, rtol=1e-12)
    x, y = rows[:2]
    found = ks.analyze(spec, dim=9).kernel
    numbers = {
        symbol: dict(zip(("x", "y"), (x, y), strict=True))[symbol.name[0]][int(symbol.name[2:]) - 1]
        for symbol in found.free_symbols
    }
    assert float(found.subs(numbers)) == pytest.approx(expected[0][1], rel=1e-12)


@pytest.mark.long
@pytest.mark.parametrize("base", ["", ", base=gaussian()", ", base=match()"])
def test_mean_and_variance_of_features(base: str) -> None:
    assert_samples(GRAPH.format(base=base), np.round(X_OF_IMAGE_GRAPHS), methods=["auto"], n=4000, budget=1e-8)


@pytest.mark.long
def test_mean_and_variance_beside_the_image_itself() -> None:
    for method in ("paired", "varying"):
        assert_samples(RESIDUAL, X_OF_IMAGE_GRAPHS[:, :9], methods=[method], n=4000, budget=1e-8)


def test_size() -> None:
    spec = ks.parse(GRAPH.format(base="").replace("step", "exp(c=2)"))
    kernel = spec.kernel(spec.columns(72))
    assert isinstance(kernel, Skeleton)
    assert kernel.depth == 3
    assert len(kernel.layers) == 5  # a is used twice, and there once
    # C: a = b = 1, c = 2, d = 1, full: 1 · (2 + 1 + 2)/3
    assert float(kernel.complexity) == pytest.approx(5 / 3)
    a, b = relu_of_image_graphs(np.zeros(1)), np.exp(-np.ones(1))
    c, d = np.exp(2 * ((a + b) / 2 - 1)), relu_of_image_graphs(a)
    assert kernel.sparsity == pytest.approx(float(relu_of_image_graphs((2 * c + d) / 3)[0]), rel=1e-12)


def test_prints_as_a_spec_of_the_same_kernel() -> None:
    spec = ks.parse(GRAPH.format(base=""))
    again = ks.parse(str(spec.kernel(spec.columns(72))))
    np.testing.assert_allclose(again.gram(X_OF_IMAGE_GRAPHS), spec.gram(X_OF_IMAGE_GRAPHS), rtol=1e-14)
    assert again.kernel(again.columns(72)) == spec.kernel(spec.columns(72))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("full(relu, input=mean(image(2, 2, 1), image(4, 1, 1)))", "they have different images"),
        (
            "let p = image(3, 3, 1)\nfull(relu, input=mean(p, conv(relu, size=2, input=p)))",
            "one has 3 × 3 × 1 nodes, another 2 × 2 × 1",
        ),
        ("mean(image(2, 2, 1), gaussian())", "this part of the mean must be a grid"),
        ("mean(gaussian(), image(2, 2, 1))", "a kernel, not a grid: write"),
        ("mean(image(2, 2, 1))", "a kernel, not a grid: write"),
    ],
)
def test_what_has_no_mean(text: str, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        ks.parse(text)
