"""Tests of sums, products, windows and names."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import combinations
from math import comb, prod
from pathlib import Path

import numpy as np
import pytest
import sympy

import kernelspec as ks
from kernelspec.errors import DimensionError, NotAvailableYet, NotStationaryError, RangeError, TypeMismatchError
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.kernels.leaves.coordinatewise import Laplace
from kernelspec.kernels.leaves.gaussian import Gaussian
from kernelspec.kernels.leaves.of_rows import Match
from kernelspec.kernels.leaves.radial import Matern
from kernelspec.kernels.nodes.columns_and_lags import Unavailable
from kernelspec.kernels.nodes.skeleton import Padding, Windows
from kernelspec.kernels.nodes.sums_and_products import Additive, Product, Sum, elementary_symmetric
from kernelspec.kernels.parts import written_out
from kernelspec.laws.rules import law_of
from kernelspec.measures.measure import measure_of
from kernelspec.tables.rows import Rows
from kernelspec.testing.samples import assert_samples
from tests.processor import seconds_since


@pytest.mark.parametrize(
    "question", [lambda k: k.value(NumericPairs.of_vectors(np.zeros((1, 2)))), lambda k: k.verdict(), measure_of]
)
def test_every_question(question: object) -> None:
    kernel = Unavailable(dim=2, form="full")
    with pytest.raises(NotAvailableYet, match=r"full\(\) is not available in this version"):
        question(kernel)
    assert not kernel.is_stationary


BASE = Matern(nu=1.5, scale=1.0, dim=1)
LAGS = NumericPairs.of_vectors(np.array([[0.0], [0.5], [2.0]]))


G, L, M = Gaussian(scale=1.0, dim=1), Laplace(scale=2.0, dim=1), Match(dim=1)


def test_verdict_follows_schur_and_no_further():
    assert Product(factors=(G, M), dim=1).verdict().positive_definite == "proved"
    assert Product(factors=(G, M), dim=1).verdict().stationary is None
    negative = Sum(terms=(L,), weights=(-1.0,), dim=1)
    # the product of two negative kernels is positive definite: a factor's failure decides nothing
    assert Product(factors=(negative, negative), dim=1).verdict().positive_definite == "unknown"


G_OF_SUM, L_OF_SUM = Gaussian(scale=1.0, dim=1), Laplace(scale=2.0, dim=1)


def weighted(*weights, terms=(G_OF_SUM, L_OF_SUM)):
    return Sum(terms=terms, weights=weights, dim=1)


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


def test_a_window_must_fit() -> None:
    with pytest.raises(ValueError, match="a window of 5 × 5 does not fit into a grid of 4 × 6 places"):
        Windows(4, 6, 1, 5)
    assert Windows(4, 6, 1, 5, padding="same").shape == (4, 6)


POINTS = np.round(np.random.default_rng(8).normal(size=(9, 5)), 1)
APART = POINTS[:, None] - POINTS[None, :]
OF_COLUMN: dict[str, Callable[[int], np.ndarray]] = {
    "gaussian(scale=2)": lambda i: np.exp(-(APART[..., i] ** 2) / 8),
    "laplace() + 0.5*linear()": lambda i: np.exp(-np.abs(APART[..., i])) + np.outer(POINTS[:, i], POINTS[:, i]) / 2,
    "2*match()": lambda i: 2.0 * (APART[..., i] == 0),
    "gaussian() - 0.3*laplace()": lambda i: np.exp(-(APART[..., i] ** 2) / 2) - 0.3 * np.exp(-np.abs(APART[..., i])),
}
ADDED = [(base, order) for base in OF_COLUMN for order in (1, 2, 4)]


def spelled_out(base: str, order: int, of: tuple[int, ...] = (0, 1, 2, 3, 4)) -> np.ndarray:
    """The average over all sets of columns, one after the other."""
    return sum(prod(OF_COLUMN[base](i) for i in own) for own in combinations(of, order)) / comb(len(of), order)


@pytest.mark.slow
@pytest.mark.parametrize(("base", "order"), ADDED)
def test_the_average_over_sets_of_columns(base: str, order: int) -> None:
    text = f"each({base})" if order == 1 else f"additive({base}, order={order})"
    np.testing.assert_allclose(ks.parse(text).gram(POINTS), spelled_out(base, order), rtol=1e-12, atol=1e-12)
    some = ks.parse(f"{text}[0, 1, 3, 4]*gaussian(scale=2)[2]").gram(POINTS)
    exact = spelled_out(base, order, (0, 1, 3, 4)) * OF_COLUMN["gaussian(scale=2)"](2)
    np.testing.assert_allclose(some, exact, rtol=1e-12, atol=1e-12)
    facts = ks.analyze(text, dim=5)
    assert facts.verdict.positive_definite == ("disproved" if " - " in base else "proved")
    x, y = POINTS[0], POINTS[1]
    values = {sympy.Symbol(f"{n}_{i + 1}", real=True): v[i] for n, v in (("x", x), ("y", y)) for i in range(5)}
    found = facts.kernel
    found = found.subs({own: values[sympy.Symbol(own.name, real=True)] for own in found.free_symbols})
    assert float(found) == pytest.approx(float(ks.parse(text).gram(POINTS)[0, 1]), abs=1e-12)


@pytest.mark.parametrize(
    ("text", "symmetric"),
    [
        ("each(shift(gaussian(), by=1))", False),
        ("each(shift(cosine(by=1), by=pi/2))", False),
        ("additive(tilt(gaussian(), by=1), order=2)", False),
        ("additive(shift(cosine(by=1), by=pi/2), order=2)", None),  # sin Δ₁ sin Δ₂
    ],
)
def test_averages_over_columns_of_kernels_that_are_not_symmetric(text: str, symmetric: bool | None) -> None:
    verdict = ks.analyze(text, dim=2).verdict
    assert (verdict.positive_definite, verdict.symmetric) == ("disproved", symmetric)
    gram = ks.parse(text).gram(np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 2.0]]))
    assert np.allclose(gram, gram.T) == (symmetric is not False)


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "additive(gaussian(), order=2)",
        "each(laplace(scale=2))[0:3]*match()[3]",
        "additive(linear() + 0.5*laplace(), order=2)",
        "additive(match() + gaussian(), order=3)[0:4]",
        "dual(relu, additive(gaussian(), order=2))",
        "additive(gaussian() - 0.3*laplace(), order=2)",
    ],
)
def test_samples_of_sets_of_columns_have_the_mean_and_the_variance_that_is_predicted(text: str) -> None:
    assert_samples(text, POINTS, n=3000)


@pytest.mark.slow
@pytest.mark.parametrize("draws", ["independent", "sobol"])
def test_sets_of_columns_through_the_estimator(tmp_path: Path, draws: str) -> None:
    """P(|t| > 6) < 2e-6 with 39 degrees of freedom, and the root mean square error is as predicted within 25 %."""
    exact, means, squares = spelled_out("gaussian(scale=2)", 2), [], []
    for seed in range(40):
        spec = "additive(gaussian(scale=2), order=2)"
        own = ks.KernelFeatures(spec, n_features=64, landmarks="never", draws=draws, random_state=seed).fit(POINTS)
        features = own.transform(POINTS)
        means.append((features @ features.T - exact).mean())
        squares.append(np.linalg.norm(features @ features.T - exact) ** 2)
    assert abs(np.mean(means)) <= 6 * np.std(means, ddof=1) / np.sqrt(40)
    features_map = ks.compile(spec, data=POINTS, n_features=64, landmarks="never", draws=draws)
    predicted = features_map.predicted_error(POINTS) * np.linalg.norm(exact)
    assert np.sqrt(np.mean(squares)) == pytest.approx(predicted, rel=0.25)
    features_map.save(tmp_path / "map.npz")
    again = ks.load_map(tmp_path / "map.npz", redraw=True)
    np.testing.assert_array_equal(again.transform(POINTS), features_map.transform(POINTS))


@pytest.mark.long
def test_planning_does_not_depend_on_the_number_of_sets() -> None:
    """The plan of 435 pairs and of 593,775 sets of six, of at most 2 s each (235 s spelled out)."""
    rows = np.random.default_rng(0).normal(size=(500, 30))
    ks.compile("additive(gaussian(), order=2)", data=rows[:40, :3], n_features=64)  # code is compiled once
    for order in (2, 6):
        started = time.process_time()
        ks.compile(f"additive(gaussian(), order={order})", data=rows, n_features=2000)
        assert seconds_since(started, bound=2) < 2


def test_few_sets_have_a_measure_and_many_say_that_it_is_not_written_out() -> None:
    facts = ks.analyze("additive(gaussian(), order=2)", dim=3)
    lags = np.array([[0.3, -0.2, 1.0]])
    assert facts.characteristic_function(lags)[0] == pytest.approx(ks.parse(str(facts.spec)).gram(lags, 0 * lags)[0, 0])
    assert float(facts.second_moment) == pytest.approx(2)
    with pytest.raises(NotStationaryError, match="a mixture over 435 sets of columns"):
        _ = ks.analyze("additive(gaussian(), order=2)", dim=30).spectral_measure
    node = ks.parse("additive(gaussian(), order=2)").kernel(ks.parse("gaussian()").columns(4))
    assert isinstance(node, Additive)
    assert node.n_sets == len(written_out(node).terms) == 6
    assert elementary_symmetric([2, 3, 4], 2, 1) == 26
    assert elementary_symmetric([2], 2, 1) is None


def test_tuning_reaches_the_kernel_of_every_column() -> None:
    text = "param s = 1.5\nparam w = 0.7\nadditive(gaussian(scale=s) + w*linear(), order=3)"
    kernel = ks.to_sklearn(text)
    value, gradient = kernel(POINTS, eval_gradient=True)
    np.testing.assert_allclose(value, ks.parse(text).gram(POINTS), rtol=1e-12)
    for i in range(2):
        step = 1e-6 * np.eye(2)[i]
        ahead, behind = (kernel.clone_with_theta(kernel.theta + sign * step)(POINTS) for sign in (1, -1))
        np.testing.assert_allclose(gradient[..., i], (ahead - behind) / 2e-6, rtol=1e-6, atol=1e-7)
    y = np.sin(POINTS[:, 0]) * POINTS[:, 1]
    tuned = ks.tune("param s = 1.5\nadditive(gaussian(scale=s), order=2) + 0.01*noise()", POINTS, y)
    assert tuned.score >= tuned.score_before


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("additive(gaussian(), order=6)", DimensionError, "cannot choose 6 of 5 columns"),
        ("additive(gaussian(), order=1.5)", RangeError, "'order' of additive.. must be a whole number, at least 1"),
        ("additive(gaussian(), order=0)", RangeError, "at least 1, not 0"),
        ("each(gaussian()[1])", ks.ColumnError, "column 1 is out of range: there is one column, 0"),
        ("stretch(additive(linear()), 2)", TypeMismatchError, "is a function of the rows themselves"),
    ],
)
def test_what_is_wrong_with_sets_of_columns(text: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        ks.parse(text).gram(POINTS)


@pytest.mark.parametrize("weights", [[1, 1, 1, 1], [2, 2, 2, 0.5], [-1, -1, -1, 3], [1, 2, 3, 4]])
def test_equal_categories_are_counted(weights: list[float]) -> None:
    """300 columns are more than a byte counts; rows as a grid and in pairs."""
    rows = np.random.default_rng(0).integers(0, 2, (70, 300)).astype(float)
    spec = ks.parse(" + ".join(f"{w}*match()[{i}]" for i, w in enumerate(weights * 75)) + " + gaussian()[7]")
    own = np.array(weights * 75)
    equal = rows[:, None, :] == rows[None, :, :]
    expected = equal @ own + np.exp(-0.5 * (rows[:, None, 7] - rows[None, :, 7]) ** 2)
    np.testing.assert_allclose(spec.gram(rows), expected, rtol=1e-12, atol=1e-12)
    pairs = NumericPairs(Rows(rows), Rows(rows[::-1]), grid=False)
    values = spec.kernel(spec.columns(300)).value(pairs)
    np.testing.assert_allclose(values, expected[np.arange(70), np.arange(70)[::-1]], rtol=1e-12, atol=1e-12)


def test_additive_kernels_of_linear_ones() -> None:
    """Ten products of two of five columns are exact; they vary with the rows, not with their differences."""
    spec = ks.parse("additive(linear(), order=2)")
    features = ks.compile(spec, data=POINTS, n_features=64)
    assert features.predicted_error(POINTS) == 0
    np.testing.assert_allclose(features.approximate(POINTS), spec.gram(POINTS), rtol=1e-12, atol=1e-12)
    assert not any(ks.parse(text).kernel(spec.columns(5)).is_stationary for text in (str(spec), "additive(minmax())"))
