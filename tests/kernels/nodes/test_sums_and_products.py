"""Tests of sums, products, windows and names."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

import kernelspec as ks
from kernelspec.errors import NotAvailableYet
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.expressions.structured_pairs import StructuredPairs
from kernelspec.kernels.leaves.coordinatewise import Laplace
from kernelspec.kernels.leaves.gaussian import Gaussian
from kernelspec.kernels.leaves.of_rows import Match
from kernelspec.kernels.leaves.radial import Matern
from kernelspec.kernels.nodes.columns_and_lags import Named, Select, Unavailable
from kernelspec.kernels.nodes.product import Power, Product
from kernelspec.kernels.nodes.sum import Sum
from kernelspec.kernels.nodes.windows import Padding, Windows
from kernelspec.laws.columns_and_lags import SelectedLaw
from kernelspec.laws.fourier import FourierLaw
from kernelspec.laws.product import ProductLaw
from kernelspec.laws.rules import law_of
from kernelspec.measures.convolution import Convolution
from kernelspec.measures.measure import Spectral, measure_of
from kernelspec.random.streams import Stream


def test_the_value_is_the_name_and_all_else_is_the_kernel() -> None:
    spec = ks.parse("3*laplace(2)")
    base = spec.kernel(spec.columns(2))
    named = Named(base=base, name="near", dim=2)
    pairs = StructuredPairs.between(2, ["age", "pay"])
    assert str(named.value(pairs)) == "near"
    assert str(named.value(pairs.map(2))) == "near(2Δ)"
    assert str(named.value(pairs.select((1,)))) == "near[pay]"
    assert (named.diagonal(), named.magnitude(), named.is_stationary) == (3, 3, True)
    assert named.has_constant_diagonal
    assert named.verdict() == base.verdict()


@pytest.mark.parametrize(
    "question",
    [
        lambda k: k.value(NumericPairs.of_vectors(np.zeros((1, 2)))),
        lambda k: k.verdict(),
        measure_of,
    ],
)
def test_every_question(question: object) -> None:
    kernel = Unavailable(dim=2, form="full")
    with pytest.raises(NotAvailableYet, match=r"full\(\) is in the language"):
        question(kernel)
    assert not kernel.is_stationary


BASE = Matern(nu=1.5, scale=1.0, dim=1)
LAGS = NumericPairs.of_vectors(np.array([[0.0], [0.5], [2.0]]))


def test_is_the_product_of_equal_factors():
    cube, product = Power(base=BASE, exponent=3, dim=1), Product(factors=(BASE,) * 3, dim=1)
    np.testing.assert_allclose(cube.value(LAGS), product.value(LAGS), rtol=1e-14)
    np.testing.assert_allclose(law_of(cube).moments(LAGS).b, law_of(product).moments(LAGS).b, rtol=1e-14)
    np.testing.assert_allclose(measure_of(cube).characteristic_function(LAGS.x.numbers), cube.value(LAGS), rtol=1e-14)
    assert cube.verdict().positive_definite == "proved"


def test_size_is_a_power_too():
    scaled = Power(base=Sum(terms=(BASE,), weights=(2.0,), dim=1), exponent=3, dim=1)
    assert scaled.diagonal() == scaled.magnitude() == 8


def test_keys_are_drawn_as_often_as_the_exponent_says():
    law = law_of(Power(base=Match(dim=1), exponent=3, dim=1))
    assert isinstance(law, ProductLaw)
    assert len(law.factors) == 3


G, L, M = Gaussian(scale=1.0, dim=1), Laplace(scale=2.0, dim=1), Match(dim=1)
M2 = Match(dim=2)


def test_value_and_moments_multiply():
    kernel = Product(factors=(G, L), dim=1)
    t = np.array([0.0, 0.5, 2.0])
    np.testing.assert_allclose(kernel.value(LAGS), np.exp(-(t**2) / 2 - t / 2), rtol=1e-14)
    np.testing.assert_allclose(law_of(kernel).moments(LAGS).b, np.exp(-2 * t**2 - t), rtol=1e-14)
    assert kernel.diagonal() == kernel.magnitude() == 1


def test_frequencies_are_drawn_at_once_and_keys_beside_them():
    law = law_of(Product(factors=(G, M, L), dim=1))
    assert isinstance(law, ProductLaw)
    assert [type(factor).__name__ for factor in law.factors] == ["FourierLaw", "MatchLaw"]
    assert isinstance(law.factors[0].measure, Convolution)


def test_two_gaussians_are_one():
    law = law_of(Product(factors=(G, Gaussian(scale=2.0, dim=1)), dim=1))
    assert isinstance(law, FourierLaw)
    assert isinstance(law.measure, Spectral)
    assert np.isclose(law.measure.kernel.scale, (1 + 1 / 4) ** -0.5)


def test_verdict_follows_schur_and_no_further():
    assert Product(factors=(G, M), dim=1).verdict().positive_definite == "proved"
    assert Product(factors=(G, M), dim=1).verdict().stationary is None
    negative = Sum(terms=(L,), weights=(-1.0,), dim=1)
    # the product of two negative kernels is positive definite: a factor's failure decides nothing
    assert Product(factors=(negative, negative), dim=1).verdict().positive_definite == "unknown"


def test_the_one_smooth_factor_keeps_the_law_of_its_sums():
    kernel = Product(factors=(M2, Select(base=G, positions=(1,), dim=2)), dim=2)
    smooth, _ = law_of(kernel).factors
    assert isinstance(smooth, SelectedLaw)
    assert isinstance(smooth.base.measure, Spectral)
    assert smooth.chosen((5, 3)) == (3,)
    assert smooth.draw_products(Stream(0), np.array([100]), (5, 3)).phasors.columns == (3,)


G_OF_SUM, L_OF_SUM = Gaussian(scale=1.0, dim=1), Laplace(scale=2.0, dim=1)


def weighted(*weights, terms=(G_OF_SUM, L_OF_SUM)):
    return Sum(terms=terms, weights=weights, dim=1)


def test_value_is_the_weighted_sum_of_formulas():
    t = np.array([0.0, 0.5, 2.0])
    expected = 3 * np.exp(-(t**2) / 2) - 0.5 * np.exp(-t / 2)
    np.testing.assert_allclose(weighted(3.0, -0.5).value(LAGS), expected, rtol=1e-14)
    assert weighted(3.0, -0.5).diagonal() == 2.5
    assert weighted(3.0, -0.5).magnitude() == 3.5


def test_terms_are_drawn_in_proportion_to_what_they_can_contribute():
    assert law_of(weighted(3.0, -1.0)).probabilities == (0.75, 0.25)
    difference = weighted(1.0, -1.0)  # zero at x = y, yet its samples have magnitude 2
    outer = weighted(1.0, 2.0, terms=(Product(factors=(difference, L_OF_SUM), dim=1), G_OF_SUM))
    assert law_of(outer).probabilities == (0.5, 0.5)


def test_moments_of_a_mixture_by_enumeration():
    kernel = weighted(3.0, 1.0)
    a, b = law_of(kernel).moments(LAGS).a, law_of(kernel).moments(LAGS).b
    t = np.array([0.0, 0.5, 2.0])
    np.testing.assert_allclose(np.broadcast_to(a, 3), 16, rtol=1e-14)  # every sample has modulus 4
    expected = 0.75 * 16 * np.exp(-2 * t**2) + 0.25 * 16 * np.exp(-t)
    np.testing.assert_allclose(b, expected, rtol=1e-13)


@pytest.mark.parametrize(
    ("weights", "state"),
    [((1.0, 2.0), "proved"), ((-1.0, -2.0), "disproved"), ((1.0, -2.0), "disproved"), ((2.0, -1.0), "unknown")],
)
def test_verdict(weights, state):
    assert weighted(*weights).verdict().positive_definite == state


def test_symbolic_weights_are_decided_by_their_sign():
    w, v = sympy.Symbol("w", positive=True), sympy.Symbol("v", real=True)
    assert weighted(w, 1).verdict().positive_definite == "proved"
    assert weighted(v, 1).verdict().positive_definite == "unknown"


def test_no_term_is_the_zero_kernel():
    zero = Sum(terms=(), weights=(), dim=1)
    assert zero.value(LAGS) == 0
    assert zero.verdict().reasons == ("the zero kernel",)


CASES: list[tuple[int, int, int, int, int, Padding]] = [
    (4, 4, 1, 2, 2, "valid"),
    (24, 24, 3, 5, 2, "valid"),
    (5, 7, 2, 3, 1, "valid"),
    (5, 7, 2, 3, 2, "same"),
    (4, 6, 3, 4, 3, "same"),
    (2, 9, 1, 5, 1, "same"),
    (7, 7, 2, 1, 3, "same"),
    (3, 3, 1, 3, 5, "valid"),
]


def naive(height: int, width: int, channels: int, size: int, stride: int, padding: Padding) -> list[list[int]]:
    """The nodes of every window, from the definition: place (i, j) of a window stands at top + i, left + j."""

    def tops(length: int) -> list[int]:
        if padding == "valid":
            return [a for a in range(0, length, stride) if a + size <= length]
        many = -(-length // stride)
        before = max((many - 1) * stride + size - length, 0) // 2
        return [i * stride - before for i in range(many)]

    return [
        [
            (row * width + column) * channels + channel
            for row in range(top, top + size)
            for column in range(left, left + size)
            for channel in range(channels)
            if 0 <= row < height and 0 <= column < width
        ]
        for top in tops(height)
        for left in tops(width)
    ]


@pytest.mark.parametrize("case", CASES)
def test_the_nodes_of_every_window(case: tuple[int, int, int, int, int, Padding]) -> None:
    windows, expected = Windows(*case), naive(*case)
    assert np.prod(windows.shape) == len(expected)
    assert [windows.children(v).tolist() for v in range(len(expected))] == expected
    assert windows.counts.ravel().tolist() == [len(nodes) for nodes in expected]


@pytest.mark.parametrize("case", CASES)
def test_sums(case: tuple[int, int, int, int, int, Padding]) -> None:
    windows = Windows(*case)
    values = np.random.default_rng(0).normal(size=(windows.n_nodes, 3))
    expected = np.array([values[nodes].sum(axis=0) for nodes in naive(*case)]).reshape(*windows.shape, 3)
    by_place = values.reshape(windows.height, windows.width, windows.channels, 3).sum(axis=2)
    np.testing.assert_allclose(windows.sums(by_place), expected, rtol=1e-12, atol=1e-13)


def test_sums_of_ones_are_exact() -> None:
    windows = Windows(24, 24, 3, 5, 2)
    assert (windows.sums(np.full((24, 24), 3.0)) == windows.counts).all()


def test_one_window_without_a_size() -> None:
    windows = Windows(3, 4, 2)
    assert windows.shape == (1, 1)
    assert windows.children(0).tolist() == list(range(24))


def test_a_window_must_fit() -> None:
    with pytest.raises(ValueError, match="a window of 5 × 5 does not fit into a grid of 4 × 6 places"):
        Windows(4, 6, 1, 5)
    assert Windows(4, 6, 1, 5, padding="same").shape == (4, 6)
