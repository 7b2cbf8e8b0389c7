"""Random compositional kernels: trees of layers and grids of depth up to 4, over mixed kernels.

The Gram matrix is held against an evaluation node by node, with all duals, kernels and windows written out here; random
features against the Gram matrix and the variance that they predict.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from math import prod

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.special import erf

import kernelspec as ks
from kernelspec.laws.rules import law_of
from kernelspec.planning.options import Method
from kernelspec.random.streams import Stream
from kernelspec.testing.samples import assert_samples
from tests.laboratory import assert_proportions
from tests.strategies.compositional import ENTIRE, HEAVY, KINKED, Convolution, Grid, Layer, Part, grids, layers, rows_of
from tests.thoroughness import examples

Array = NDArray[np.float64]

BUDGET = 1e-9
"""For each of the kernels whose features are drawn, of which there are less than a hundred."""

SAMPLES = 8000
"""Of every kernel, each judged by itself; besides, a map must be the mean of its own samples."""

METHODS: list[Method] = ["auto", "paired", "phase", "complex"]
ROWS = 4


def half(rho: Array) -> Array:
    """E max(0, X) max(0, Y)."""
    return (np.sqrt(np.maximum(0, 1 - rho**2)) + rho * (np.pi - np.arccos(rho))) / (2 * np.pi)


def plane_mean(function: Callable[[Array], Array], rho: Array) -> Array:
    """E f(X) f(Y) of a smooth f, X and Y normal with correlation ρ, by Gauss and Hermite."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(100)
    weights = weights / weights.sum()
    other = rho[..., None, None] * nodes[:, None] + np.sqrt(np.maximum(0, 1 - rho[..., None, None] ** 2)) * nodes
    inner = (function(other) * weights).sum(axis=-1)
    return np.asarray((inner * function(nodes) * weights).sum(axis=-1))


def normalised(expectation: Callable[[Array], Array], rho: Array) -> Array:
    return np.asarray(expectation(rho) / expectation(np.ones(1)))


def gelu(x: Array) -> Array:
    return np.asarray(x * (1 + erf(x / np.sqrt(2))) / 2)


def smooth(function: Callable[[Array], Array]) -> Callable[[Array, Array], Array]:
    return lambda rho, _: normalised(lambda r: plane_mean(function, r), rho)


DUALS: dict[str, Callable[[Array, Array], Array]] = {
    "abs": lambda rho, _: normalised(lambda r: 2 * half(r) + 2 * half(-r), rho),
    "cos": lambda rho, a: np.cosh(a**2 * rho) / np.cosh(a**2),
    "erf": lambda rho, _: np.arcsin(2 * rho / 3) / np.arcsin(2 / 3),
    "exp": lambda rho, c: np.exp(c * (rho - 1)),
    "gaussian": lambda rho, a: np.sqrt(((1 + 2 * a) ** 2 - 4 * a**2) / ((1 + 2 * a) ** 2 - 4 * a**2 * rho**2)),
    "gelu": smooth(gelu),
    "hermite": lambda rho, n: rho ** int(n),
    "identity": lambda rho, _: rho,
    "leaky_relu": lambda rho, s: normalised(lambda r: (1 + s**2) * half(r) - 2 * s * half(-r), rho),
    "polynomial": smooth(lambda x: 1 + x / 2 + x**2 / 2),
    "relu": lambda rho, _: 2 * half(rho),
    "sign": lambda rho, _: 2 / np.pi * np.arcsin(rho),
    "sin": lambda rho, a: np.sinh(a**2 * rho) / np.sinh(a**2),
    "step": lambda rho, _: 0.5 + np.arcsin(rho) / np.pi,
}
"""σ̂(ρ) for the arguments that are drawn; the one number of the argument, where there is one."""

KERNELS: dict[str, Callable[[Array, Array, float], float]] = {
    "binary": lambda x, y, _: float(x[0] * y[0]),
    "cauchy": lambda x, y, s: float(prod(1 / (1 + ((a - b) / s) ** 2) for a, b in zip(x, y, strict=True))),
    "circle": lambda x, y, _: float(np.cos(x[0] - y[0])),
    "gaussian": lambda x, y, s: float(np.exp(-sum((x - y) ** 2) / (2 * s**2))),
    "laplace": lambda x, y, s: float(np.exp(-sum(abs(x - y)) / s)),
    "match": lambda x, y, _: float(all(x == y)),
    "minmax": lambda x, y, _: float(sum(np.minimum(x, y)) / sum(np.maximum(x, y))),
    "normalize": lambda x, y, _: float(x @ y / np.sqrt((x @ x) * (y @ y))),
    "sphere": lambda x, y, _: float(x @ y),
}


def read(text: str) -> tuple[str, float]:
    """The name in front, and the number that is the only argument."""
    found = re.fullmatch(r"(\w+)(\((\w+=)?([\d.]+)\))?.*", text)
    assert found is not None
    return found[1], float(found[4] or "nan")


def dual(text: str, rho: Array) -> Array:
    name, number = read(text)
    return np.asarray(DUALS[name](np.clip(rho, -1, 1), np.float64(number)))


def over_pairs(text: str, rows: Array) -> Array:
    name, number = read(text)
    return np.array([[KERNELS[name](x, y, number) for y in rows] for x in rows])


def window(position: int, length: int, size: int, stride: int, padding: str) -> list[int]:
    """The places of a window along one axis; with padding the grid is centred, one more place at its end if need be."""
    start = position * stride
    if padding == "same":
        windows = (length + stride - 1) // stride
        start -= max(0, (windows - 1) * stride + size - length) // 2
    return [place for place in range(start, start + size) if 0 <= place < length]


def count(length: int, size: int, stride: int, padding: str) -> int:
    return (length + stride - 1) // stride if padding == "same" else 1 + (length - size) // stride


def none(text: str, rows: Array) -> Array:
    """Kernels at infinitely distant rows: what is left is the share of samples without factors."""
    return np.zeros((len(rows), len(rows)))


def only(text: str, rows: Array) -> Array:
    """In place of a kernel the entry itself."""
    return rows.reshape(1, 1)


def evaluate(network: Layer | Grid | Part, rows: Array, of: Callable[[str, Array], Array] = over_pairs) -> Array:
    """The Gram matrix, node by node."""
    if isinstance(network, Part):
        return of(network.kernel, rows[:, network.start : network.stop])
    if isinstance(network, Layer):
        return dual(network.activation, sum(evaluate(node, rows, of) for node in network.below) / len(network.below))
    height, width = network.height, network.width
    column = iter(range(rows.shape[1]))
    nodes = {
        (i, j): [of(network.kernel, rows[:, [next(column)]]) for _ in range(network.channels)]
        for i in range(height)
        for j in range(width)
    }
    for layer in network.convolutions:
        shape = layer.size, layer.stride, layer.padding
        above = {}
        for i in range(count(height, *shape)):
            for j in range(count(width, *shape)):
                places = [(r, c) for r in window(i, height, *shape) for c in window(j, width, *shape)]
                below = [values for place in places for values in nodes[place]]
                above[i, j] = [dual(layer.activation, sum(below) / len(below))]
        nodes, height, width = above, count(height, *shape), count(width, *shape)
    below = [values for found in nodes.values() for values in found]
    return dual(network.activation, sum(below) / len(below))


def tolerance(network: Layer | Grid) -> float:
    """At one the duals of jumps are as steep as a root: a rounding error of 1e-16 is one of 1e-8 above them."""
    return 2e-7 if any(name in str(network) for name in HEAVY) else 1e-11


def only_frequencies(network: Layer | Grid) -> bool:
    return set(network.kinds().values()) == {"numbers"}


@pytest.mark.long
@settings(max_examples=examples(400), derandomize=True, database=None)
@given(network=layers() | grids(), data=st.data())
def test_gram_matrices_of_trees_and_grids(network: Layer | Grid, data: st.DataObject) -> None:
    rows = data.draw(rows_of(network, ROWS + 2))
    gram = ks.parse(str(network)).gram(rows)
    atol = tolerance(network)
    np.testing.assert_allclose(gram, evaluate(network, rows), rtol=0, atol=atol)
    np.testing.assert_allclose(gram, gram.T, rtol=0, atol=atol)
    np.testing.assert_allclose(np.diagonal(gram), 1, rtol=0, atol=atol)
    assert np.linalg.eigvalsh((gram + gram.T) / 2)[0] >= -1e-10


@pytest.mark.long
@pytest.mark.parametrize("padding", ["valid", "same"])
@pytest.mark.parametrize("stride", [1, 2, 3])
@pytest.mark.parametrize("size", [1, 2, 3])
def test_windows_of_every_kind(size: int, stride: int, padding: str) -> None:
    for height, width in ((3, 3), (3, 4), (5, 4), (6, 3)):
        grid = Grid(height, width, 2, "circle()", "numbers", (Convolution("exp(c=1)", size, stride, padding),), "relu")
        rows = np.random.default_rng(height).uniform(-3, 3, (3, height * width * 2))
        found = ks.parse(str(grid)).gram(rows)
        np.testing.assert_allclose(found, evaluate(grid, rows), rtol=0, atol=1e-13)
        # with identities the value is a weighted mean over the columns, and paths end at each as often as it weighs
        straight = replace(grid, convolutions=(Convolution("identity", size, stride, padding),), activation="identity")
        weights = [float(evaluate(straight, row[None], only)[0, 0]) for row in np.eye(rows.shape[1])]
        check_ends(straight, np.array(weights))


@pytest.mark.long
@settings(max_examples=examples(70), derandomize=True, database=None)
@given(network=layers() | grids(), data=st.data())
def test_features_of_trees_and_grids(network: Layer | Grid, data: st.DataObject, thorough: bool) -> None:
    rows = data.draw(rows_of(network, ROWS))
    method = data.draw(st.sampled_from(METHODS))
    assert_samples(str(network), rows, methods=[method], n=SAMPLES * (5 if thorough else 1), budget=BUDGET)


@pytest.mark.long
@settings(max_examples=examples(100), derandomize=True, database=None)
@given(network=layers(max_parts=2).filter(only_frequencies) | grids().filter(only_frequencies), data=st.data())
def test_variances_over_frequencies(network: Layer | Grid, data: st.DataObject) -> None:
    """With frequencies only, B of the samples is the kernel at twice the rows; those without factors have no offset."""
    rows, n = data.draw(rows_of(network, ROWS)), 50
    exact, doubled, constant = evaluate(network, rows), evaluate(network, 2 * rows), evaluate(network, rows, none)
    expected: dict[Method, Array] = {
        "paired": ((1 + doubled) / 2 - exact**2) / n,
        "phase": (1 + (doubled - constant) / 2 - exact**2) / (2 * n),
    }
    for method, variance in expected.items():
        fmap = ks.compile(str(network), dim=rows.shape[1], n_features=2 * n, method=method)
        assert [count for _, count in fmap.plan.parts] == [n if method == "paired" else 2 * n]
        np.testing.assert_allclose(fmap.predicted_variance(rows), variance, rtol=0, atol=tolerance(network))


def check_ends(grid: Grid, weights: Array) -> None:
    """Samples of a grid of identities have one factor, on a column with the probability of its weight in the mean."""
    spec = ks.parse(str(grid))
    columns = len(weights)
    batches = law_of(spec.kernel(spec.columns(columns))).draw(Stream(0), 5000, tuple(range(columns)))
    counts = np.zeros(columns)
    for batch in batches:
        assert batch.phasors is not None
        drawn = np.abs(csr_array(batch.phasors.frequencies).toarray())
        assert (drawn.sum(axis=1) == 1).all()
        counts[list(batch.phasors.columns)] += drawn.sum(axis=0)
    assert_proportions(counts, weights, budget=1e-8, what=str(grid))


@cache
def exact_expectation(name: str) -> float:
    return float(ks.parse(f"dual({name}, gaussian())").gram(np.array([[0.0], [1.0]]))[0, 1])


@pytest.mark.parametrize("name", [*ENTIRE, *KINKED, *HEAVY])
def test_every_activation_is_written_out(name: str) -> None:
    assert exact_expectation(name) == pytest.approx(float(dual(name, np.exp(-np.ones(1) / 2))[0]), abs=1e-12)
