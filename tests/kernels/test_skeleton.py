"""Skeletons: values and moments against recursion node by node, with the duals written out here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import asin, inf, pi

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.activations.exp import Exp
from kernelspec.activations.relu import Relu
from kernelspec.activations.step import Step
from kernelspec.errors import NotStationaryError
from kernelspec.kernels import image as image_module
from kernelspec.kernels import skeleton as module
from kernelspec.kernels.circle import Circle
from kernelspec.kernels.gaussian import Gaussian
from kernelspec.kernels.image import Image
from kernelspec.kernels.match import Match
from kernelspec.kernels.pairs import NumericPairs
from kernelspec.kernels.skeleton import Skeleton
from kernelspec.kernels.skeleton_layer import Layer
from kernelspec.kernels.symbolic_pairs import SymbolicPairs
from kernelspec.kernels.windows import Windows
from kernelspec.rows import Rows

GENERATOR = np.random.default_rng(7)

DUALS: dict[str, Callable[[float], float]] = {
    "relu": lambda r: ((max(0.0, 1 - r * r)) ** 0.5 + r * (pi - np.arccos(r))) / pi,
    "step": lambda r: 0.5 + asin(r) / pi,
    "exp": lambda r: float(np.exp(0.25 * (r - 1))),
}


def recursive(windows: list[tuple[Windows, str]], base: np.ndarray) -> float:
    """The value of the last node for base values by node, every node of every layer computed from its definition."""

    def node(layer: int, number: int) -> float:
        if layer < 0:
            return float(base[number])
        below, name = windows[layer]
        return DUALS[name](float(np.mean([node(layer - 1, child) for child in below.children(number)])))

    return node(len(windows) - 1, 0)


SMALL = Skeleton(
    image=Image(5, 4, 2, Circle(dim=1)),
    layers=(
        Layer(Exp(c=0.25), Windows(5, 4, 2, 3, 1)),
        Layer(Relu(), Windows(3, 2, 1, 2, 2, "same")),
        Layer(Step(), Windows(2, 1, 1)),
    ),
    dim=40,
)
NAMES = [(layer.windows, name) for layer, name in zip(SMALL.layers, ("exp", "relu", "step"), strict=True)]
X, Y = GENERATOR.uniform(-3, 3, (4, 40)), GENERATOR.uniform(-3, 3, (3, 40))


def test_values_node_by_node() -> None:
    found = SMALL.value(NumericPairs(Rows(X), Rows(Y)))
    expected = [[recursive(NAMES, np.cos(x - y)) for y in Y] for x in X]
    np.testing.assert_allclose(found, expected, rtol=1e-13)


def test_pairs_one_by_one_and_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    grid = SMALL.value(NumericPairs(Rows(X), Rows(Y)))
    single = SMALL.value(NumericPairs(Rows(X[:3]), Rows(Y), grid=False))
    assert np.array_equal(np.diagonal(grid), single)
    for entries, together in ((1, 1), (60, 7)):
        monkeypatch.setattr(module, "_ENTRIES", entries)
        monkeypatch.setattr(image_module, "_TOGETHER", together)
        np.testing.assert_allclose(SMALL.value(NumericPairs(Rows(X), Rows(Y))), grid, rtol=1e-15)
        np.testing.assert_allclose(SMALL.value(NumericPairs(Rows(X[:3]), Rows(Y), grid=False)), single, rtol=1e-15)


def test_one_on_the_diagonal_exactly() -> None:
    # step is as steep as a square root at 1: one rounding error below 1 would be seen at 1e-8
    assert (np.diagonal(SMALL.value(NumericPairs(Rows(X), Rows(X)))) == 1).all()


def test_moments_of_frequencies() -> None:
    moments = SMALL.moments(NumericPairs(Rows(X), Rows(Y)))
    assert moments.a == 1
    doubled = [[recursive(NAMES, np.cos(2 * (x - y))) for y in Y] for x in X]
    np.testing.assert_allclose(moments.b, doubled, rtol=1e-13)
    assert moments.real == pytest.approx(recursive(NAMES, np.zeros(40)), rel=1e-14)


def test_categories() -> None:
    matched = replace(SMALL, image=Image(5, 4, 2, Match(dim=1)))
    x, y = (GENERATOR.integers(0, 2, (3, 40)).astype(float) for _ in range(2))
    expected = [[recursive(NAMES, (a == b).astype(float)) for b in y] for a in x]
    np.testing.assert_allclose(matched.value(NumericPairs(Rows(x), Rows(y))), expected, rtol=1e-13)
    codes = {i: Rows(x).codes(i) for i in range(40)}
    with_codes = NumericPairs(Rows(np.zeros_like(x), codes), Rows(np.zeros_like(x), codes))
    own = [[recursive(NAMES, (a == b).astype(float)) for b in x] for a in x]
    np.testing.assert_allclose(matched.value(with_codes), own, rtol=1e-13)
    moments = matched.moments(NumericPairs(Rows(x), Rows(y)))
    np.testing.assert_allclose(moments.a, expected, rtol=1e-13)
    np.testing.assert_allclose(moments.real, expected, rtol=1e-13)


def test_a_shallow_exponential_over_circles_is_a_product_of_periodic_kernels() -> None:
    # e^{c(mean cos − 1)} = ∏ exp(−2 sin²(Δ/2) c/n)
    n, c = 12, 2.5
    shallow = ks.parse(f"full(exp(c={c}), input=image(2, 3, 2))").gram(X[:, :n])
    periodic = ks.parse(f"periodic(period=2*pi, scale=sqrt({n}/{c}))").gram(X[:, :n])
    np.testing.assert_allclose(shallow, periodic, rtol=1e-12)


def test_expression_has_the_same_values() -> None:
    import sympy

    small = Skeleton(
        image=Image(2, 2, 1, Gaussian(scale=sympy.Rational(3, 2), dim=1)),
        layers=(Layer(Exp(c=sympy.Rational(1, 4)), Windows(2, 2, 1, 1, 1)), Layer(Relu(), Windows(2, 2, 1))),
        dim=4,
    )
    expression = small.value(SymbolicPairs.between(4, None))
    x, y = X[0, :4], Y[0, :4]
    base = np.exp(-((x - y) ** 2) / (2 * 1.5**2))
    expected = recursive(
        [(layer.windows, name) for layer, name in zip(small.layers, ("exp", "relu"), strict=True)], base
    )
    symbols = sorted(expression.free_symbols, key=str)
    values = dict(zip(symbols, [*x, *y], strict=True))
    assert float(expression.subs(values)) == pytest.approx(expected, rel=1e-13)


def test_prints_as_it_is_written() -> None:
    texts = [
        "full(relu, input=conv(exp(c=0.25), size=2, stride=2, input=image(4, 4, 1, base=circle())))",
        "full(step, input=conv(relu, size=3, stride=1, padding=same, input=image(4, 4, 1, base=gaussian(scale=2))))",
    ]
    for text in texts:
        spec = ks.parse(text)
        kernel = spec.kernel(spec.columns(16))
        assert str(kernel) == text
        again = ks.parse(str(kernel))
        assert again.kernel(again.columns(16)) == kernel
        assert hash(again.kernel(again.columns(16))) == hash(kernel)


def test_size_and_verdict() -> None:
    assert SMALL.complexity == inf
    assert replace(SMALL, layers=SMALL.layers[:1]).complexity == 0.25
    shown = "\n".join(SMALL.lines())
    assert "5 × 4 × 2 nodes circle()" in shown
    assert "3 × 2 nodes of 18 below; degrees 0, 1, 2, 3, … with probability 0.779, 0.195, 0.0243, 0.00203, …" in shown
    assert "2 × 1 nodes of 2 to 4 below" in shown
    assert "complexity C = infinite" in shown
    verdict = SMALL.verdict()
    assert (verdict.positive_definite, verdict.symmetric, verdict.stationary) == ("proved", True, True)
    assert SMALL.diagonal() == SMALL.magnitude() == 1
    assert SMALL.transposed() == SMALL


def test_the_measure_is_not_written_out() -> None:
    with pytest.raises(NotStationaryError, match="a mixture over all paths"):
        SMALL.measure()
    assert not SMALL.is_fourier
