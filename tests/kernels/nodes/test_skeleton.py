"""Tests of `kernels/nodes/skeleton.py`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import asin, inf, pi
from typing import Any

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.activations.analytic import Exp
from kernelspec.activations.piecewise import Relu, Step
from kernelspec.errors import NotStationaryError
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.expressions.symbolic_pairs import SymbolicPairs
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaves.discrete import Circle, Cosine
from kernelspec.kernels.leaves.gaussian import Gaussian
from kernelspec.kernels.leaves.of_rows import Match
from kernelspec.kernels.nodes import skeleton as image_module
from kernelspec.kernels.nodes import skeleton as module
from kernelspec.kernels.nodes.skeleton import Image, Layer, Skeleton, Windows, carried_up
from kernelspec.laws.compositional.skeleton import SkeletonLaw
from kernelspec.laws.rules import law_of, schemes_of
from kernelspec.measures.measure import measure_of
from kernelspec.tables.rows import Rows

X, Y = np.random.default_rng(0).normal(size=(2, 5, 12))
IMAGE = Image(2, 3, 2, Gaussian(scale=2.0, dim=1))


@pytest.mark.parametrize("together", [1, 60, 2**17])
@pytest.mark.parametrize(
    ("base", "values"),
    [
        (Gaussian(scale=2.0, dim=1), np.exp(-((X[:, None] - Y[None]) ** 2) / 8)),
        (Circle(dim=1), np.cos(X[:, None] - Y[None])),
        (Cosine(by=(3.7,), dim=1), np.cos(3.7 * (X[:, None] - Y[None]))),
    ],
)
def test_sums_over_the_channels(base: Kernel, values: Any, together: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_TOGETHER", together)
    image = replace(IMAGE, base=base)
    expected = values.reshape(5, 5, 2, 3, 2).sum(axis=4).transpose(2, 3, 0, 1)
    found = image.sums(NumericPairs(Rows(X), Rows(Y)), base.value)
    np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-15)
    single = image.sums(NumericPairs(Rows(X), Rows(Y), grid=False), base.value)
    np.testing.assert_allclose(single, np.einsum("hwnn->hwn", expected), rtol=1e-13, atol=1e-15)
    equal = np.einsum("hwnn->hwn", image.sums(NumericPairs(Rows(X), Rows(X)), base.value))
    assert (equal == 2).all()


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
X_OF_SKELETON, Y_OF_SKELETON = GENERATOR.uniform(-3, 3, (4, 40)), GENERATOR.uniform(-3, 3, (3, 40))


def test_values_node_by_node() -> None:
    found = SMALL.value(NumericPairs(Rows(X_OF_SKELETON), Rows(Y_OF_SKELETON)))
    expected = [[recursive(NAMES, np.cos(x - y)) for y in Y_OF_SKELETON] for x in X_OF_SKELETON]
    np.testing.assert_allclose(found, expected, rtol=1e-13)


def test_pairs_one_by_one_and_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    grid = SMALL.value(NumericPairs(Rows(X_OF_SKELETON), Rows(Y_OF_SKELETON)))
    single = SMALL.value(NumericPairs(Rows(X_OF_SKELETON[:3]), Rows(Y_OF_SKELETON), grid=False))
    np.testing.assert_allclose(np.diagonal(grid), single, rtol=1e-14)  # cosines by their sum rule, and one by one
    for entries, together in ((1, 1), (60, 7)):
        monkeypatch.setattr(module, "_ENTRIES", entries)
        monkeypatch.setattr(image_module, "_TOGETHER", together)
        np.testing.assert_allclose(
            SMALL.value(NumericPairs(Rows(X_OF_SKELETON), Rows(Y_OF_SKELETON))), grid, rtol=1e-15
        )
        np.testing.assert_allclose(
            SMALL.value(NumericPairs(Rows(X_OF_SKELETON[:3]), Rows(Y_OF_SKELETON), grid=False)), single, rtol=1e-15
        )


def test_one_on_the_diagonal_exactly() -> None:
    # step is as steep as a square root at 1: one rounding error below 1 would be seen at 1e-8
    assert (np.diagonal(SMALL.value(NumericPairs(Rows(X_OF_SKELETON), Rows(X_OF_SKELETON)))) == 1).all()


def test_moments_of_frequencies() -> None:
    moments = law_of(SMALL).moments(NumericPairs(Rows(X_OF_SKELETON), Rows(Y_OF_SKELETON)))
    assert moments.a == 1
    doubled = [[recursive(NAMES, np.cos(2 * (x - y))) for y in Y_OF_SKELETON] for x in X_OF_SKELETON]
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
    moments = law_of(matched).moments(NumericPairs(Rows(x), Rows(y)))
    np.testing.assert_allclose(moments.a, expected, rtol=1e-13)
    np.testing.assert_allclose(moments.real, expected, rtol=1e-13)


def test_a_shallow_exponential_over_circles_is_a_product_of_periodic_kernels() -> None:
    # e^{c(mean cos − 1)} = ∏ exp(−2 sin²(Δ/2) c/n)
    n, c = 12, 2.5
    shallow = ks.parse(f"full(exp(c={c}), input=image(2, 3, 2))").gram(X_OF_SKELETON[:, :n])
    periodic = ks.parse(f"periodic(period=2*pi, scale=sqrt({n}/{c}))").gram(X_OF_SKELETON[:, :n])
    np.testing.assert_allclose(shallow, periodic, rtol=1e-12)


@pytest.mark.slow
def test_expression_has_the_same_values() -> None:
    import sympy

    small = Skeleton(
        image=Image(2, 2, 1, Gaussian(scale=sympy.Rational(3, 2), dim=1)),
        layers=(Layer(Exp(c=sympy.Rational(1, 4)), Windows(2, 2, 1, 1, 1)), Layer(Relu(), Windows(2, 2, 1))),
        dim=4,
    )
    expression = small.value(SymbolicPairs.between(4, None))
    x, y = X_OF_SKELETON[0, :4], Y_OF_SKELETON[0, :4]
    base = np.exp(-((x - y) ** 2) / (2 * 1.5**2))
    expected = recursive(
        [(layer.windows, name) for layer, name in zip(small.layers, ("exp", "relu"), strict=True)], base
    )
    symbols = sorted(expression.free_symbols, key=str)
    values = dict(zip(symbols, [*x, *y], strict=True))
    assert float(expression.subs(values)) == pytest.approx(expected, rel=1e-13)


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
        measure_of(SMALL)
    assert law_of(SMALL).fourier_kernel() is None


def over(base: str) -> Skeleton:
    spec = ks.parse(f"full(relu, input=conv(exp(c=1/4), size=1, input=image(1, 3, 1, base={base})))")
    kernel = spec.kernel(spec.columns(3))
    assert isinstance(kernel, Skeleton)
    return kernel


def carried(parts: np.ndarray) -> np.ndarray:
    """Numbers (…, 3) of the three columns through e^{(ρ − 1)/4} and the mean into the dual of relu."""
    rho = np.exp((parts - 1) / 4).mean(axis=-1)
    return (np.sqrt(1 - rho**2) + rho * (np.pi - np.arccos(rho))) / np.pi


def test_moments_over_a_mixture_of_keys_and_frequencies() -> None:
    x, y = (GENERATOR.integers(0, 3, (4, 3)).astype(float) for _ in range(2))
    equal, lag = (x[:, None] == y[None]).astype(float), x[:, None] - y[None]
    moments = law_of(over("0.5*gaussian() + 0.5*match()")).moments(NumericPairs(Rows(x), Rows(y)))
    np.testing.assert_allclose(moments.a, carried(0.5 + 0.5 * equal), rtol=1e-12)
    np.testing.assert_allclose(moments.b, carried(0.5 * np.exp(-2 * lag**2) + 0.5 * equal), rtol=1e-12)
    np.testing.assert_allclose(moments.real, carried(0.5 * equal), rtol=1e-12)


def test_moments_and_values_over_a_tilted_base() -> None:
    kernel = over("tilt(laplace(), 1/4)")
    x, y = np.array([[0.0, 0.5, 1.0], [1.0, 1.0, 1.0]]), np.zeros((1, 3))
    pairs = NumericPairs(Rows(x), Rows(y))
    np.testing.assert_allclose(kernel.value(pairs)[:, 0], carried(np.exp(-0.75 * x)), rtol=1e-12)
    moments = law_of(kernel).moments(pairs)
    assert (moments.a == np.inf).all()  # e^{Δ/2} > 1, where σ̂ of relu does not converge
    assert (moments.b == 0).all()
    back = law_of(kernel).moments(NumericPairs(Rows(-x), Rows(y)))
    np.testing.assert_allclose(back.a[:, 0], carried(np.exp(-0.5 * x)), rtol=1e-12)
    np.testing.assert_allclose(back.b[:, 0], carried(np.exp(-2.5 * x)), rtol=1e-12)
    # an entire σ̂ has values beyond 1
    entire = ks.parse("full(exp(c=1/4), input=image(1, 3, 1, base=tilt(minmax(), 1)))").gram(
        np.array([[3.0] * 3, [2.0] * 3])
    )
    np.testing.assert_allclose(entire[0, 1], np.exp((2 / 3 * np.e - 1) / 4), rtol=1e-12)
    assert "|p|" not in kernel.lines()[-1]
    assert "|p| ≤ 1" in over("laplace()").lines()[-1]


def test_the_ways_to_sample_the_base_are_ways_to_sample_the_skeleton() -> None:
    expected = {
        "gaussian()": (),
        "laplace()": ("binning",),
        "minmax()": ("gcws", "poisson"),
        "laplace()*match()": ("binning", "category_phases"),
        "dual(relu, normalize(linear()))": (),
        "normalize(linear())": (),
    }
    for base, names in expected.items():
        kernel = over(base)
        found = schemes_of(kernel)
        assert tuple(found) == (*names, "varying"), base
        for name in names:
            other = law_of(kernel, name)
            assert isinstance(other, SkeletonLaw)
            assert other != law_of(kernel) or name == "gcws"
            assert other.kernel == kernel
            x = NumericPairs(Rows(X_OF_SKELETON[:2, :3]), Rows(Y_OF_SKELETON[:2, :3]))
            np.testing.assert_array_equal(other.value(x), kernel.value(x))


def test_with_nodes_and_degrees() -> None:
    # 1/π, ½, 1/2π, 0 for relu; ½, 1/π, 0, 1/6π for step
    shown = Layer(Relu(), Windows(4, 4, 3, 3, 2, "same")).described()
    assert shown == (
        "conv(relu, size=3, stride=2, padding=same): 2 × 2 nodes of 12 to 27 below; "
        "degrees 0, 1, 2, 3, … with probability 0.318, 0.5, 0.159, 0, …; mean 1"
    )
    shown = Layer(Step(), Windows(4, 4, 1)).described()
    assert shown == (
        "full(step): 1 node of 16 below; degrees 0, 1, 2, 3, … with probability 0.5, 0.318, 0, 0.0531, …; mean infinite"
    )


def test_over_other_grids_than_the_one_before() -> None:
    shown = Layer(Relu(), Windows(4, 4, 1), (-2,)).described()
    assert ": 1 node of 16 in grid −2 (−1 is the line above) below; degrees" in shown
    shown = Layer(Relu(), Windows(4, 4, 1), (-1, -3)).described()
    assert ": 1 node of 16 in the mean of grids −1, −3 (−1 is the line above) below; degrees" in shown


def test_values_are_carried_up_a_graph() -> None:
    one = Windows(1, 1, 1)
    layers = [
        Layer(Relu(), one),
        Layer(Exp(c=1.0), one, (-2,)),
        Layer(Step(), one, (-1, -2)),
        Layer(Relu(), one, (-1, -4)),
    ]
    # 0 is the image, 1 and 2 stand on it, 3 on both, 4 on 3 and the image
    names = iter("1234")
    assert carried_up(layers, "0", lambda _, below: f"{next(names)}({' '.join(below)})") == "4(3(2(0) 1(0)) 0)"
