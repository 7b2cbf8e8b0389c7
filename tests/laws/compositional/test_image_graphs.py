"""Grids that stand on several others: values, features and messages, from the text on."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.errors import SpecError
from kernelspec.kernels.nodes.skeleton import Skeleton
from kernelspec.testing.samples import assert_samples

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
X = np.random.default_rng(0).uniform(0, 2, (5, 72))

Dual = Callable[[np.ndarray], np.ndarray]


def relu(rho: np.ndarray) -> np.ndarray:
    rho = np.clip(rho, -1, 1)
    return (np.sqrt(1 - rho**2) + rho * (np.pi - np.arccos(rho))) / np.pi


def step(rho: np.ndarray) -> np.ndarray:
    return 0.5 + np.arcsin(np.clip(rho, -1, 1)) / np.pi


def conv(dual: Dual, grid: np.ndarray, size: int, stride: int = 1, *, same: bool = False) -> np.ndarray:
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
    a = conv(relu, pixels, 3, same=True)
    b = conv(lambda rho: np.exp(rho - 1), pixels, 5, same=True)
    c = conv(step, (a + b) / 2, 3, 2)
    d = conv(relu, a, 3, 2)
    return float(relu(np.asarray(((2 * c + d) / 3).mean())))


def test_values() -> None:
    expected = [[graph(x, y) for y in X] for x in X]
    np.testing.assert_allclose(ks.parse(GRAPH.format(base="")).gram(X), expected, rtol=1e-12)


@pytest.mark.long
def test_values_beside_the_image_itself() -> None:
    rows = X[:, :9]
    pixels = np.cos(rows[:, None] - rows).reshape(5, 5, 3, 3)
    expected = [[np.exp(2 * ((p + conv(relu, p, 2, same=True)).mean() / 2 - 1)) for p in row] for row in pixels]
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
    assert_samples(GRAPH.format(base=base), np.round(X), methods=["auto"], n=4000, budget=1e-8)


@pytest.mark.long
def test_mean_and_variance_beside_the_image_itself() -> None:
    for method in ("paired", "varying"):
        assert_samples(RESIDUAL, X[:, :9], methods=[method], n=4000, budget=1e-8)


def test_size() -> None:
    spec = ks.parse(GRAPH.format(base="").replace("step", "exp(c=2)"))
    kernel = spec.kernel(spec.columns(72))
    assert isinstance(kernel, Skeleton)
    assert kernel.depth == 3
    assert len(kernel.layers) == 5  # a is used twice, and there once
    # C: a = b = 1, c = 2, d = 1, full: 1 · (2 + 1 + 2)/3
    assert float(kernel.complexity) == pytest.approx(5 / 3)
    a, b = relu(np.zeros(1)), np.exp(-np.ones(1))
    c, d = np.exp(2 * ((a + b) / 2 - 1)), relu(a)
    assert kernel.sparsity == pytest.approx(float(relu((2 * c + d) / 3)[0]), rel=1e-12)


def test_prints_as_a_spec_of_the_same_kernel() -> None:
    spec = ks.parse(GRAPH.format(base=""))
    again = ks.parse(str(spec.kernel(spec.columns(72))))
    np.testing.assert_allclose(again.gram(X), spec.gram(X), rtol=1e-14)
    assert again.kernel(again.columns(72)) == spec.kernel(spec.columns(72))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("full(relu, input=mean(image(2, 2, 1), image(4, 1, 1)))", "they are over different images"),
        (
            "let p = image(3, 3, 1)\nfull(relu, input=mean(p, conv(relu, size=2, input=p)))",
            "one has 3 × 3 × 1 nodes and another 2 × 2 × 1",
        ),
        ("mean(image(2, 2, 1), gaussian())", "this part of the mean must be a grid"),
        ("mean(gaussian(), image(2, 2, 1))", "a grid of kernels stands where a kernel is needed"),
        ("mean(image(2, 2, 1))", "a grid of kernels stands where a kernel is needed"),
    ],
)
def test_what_has_no_mean(text: str, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        ks.parse(text)
