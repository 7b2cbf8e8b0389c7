"""Everything composes with everything: every pair of leaf kinds, under every operation, in every form.

A kernel is compiled once with many samples. Their contributions are held against the exact kernel (z-scores) and
against the predicted variance (χ² matched to the kurtosis); budget 1e-7 for each of about two thousand kernels.
Whole maps, drawn again and again, follow for the forms that mix strata, keys, signs and stretches.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations_with_replacement, product

import numpy as np
import pytest
from scipy.stats import norm

import kernelspec as ks
from kernelspec.catalogue import KERNELS
from kernelspec.errors import ColumnError
from kernelspec.maps.feature_map import draw_map
from kernelspec.planning.options import Method
from kernelspec.testing.assertions import assert_unbiased
from kernelspec.testing.laboratory import assert_mean
from kernelspec.testing.samples import assert_samples
from tests.laboratory import assert_variance
from tests.thoroughness import sweep

pytestmark = pytest.mark.slow

BUDGET = 1e-7

# a new kind of leaf is one new line
LEAF_KINDS = {
    "bochner": "bochner(student_t(dof=3))",
    "bochner, isotropic": "bochner(laplace(scale=0.5), isotropic=true)",
    "brownian": "brownian(order=1, until=3)[2]",
    "cauchy": "cauchy(scale=2)",
    "circle": "circle()[0]",
    "constant": "constant()",
    "cosh_gaussian": "cosh_gaussian(scale=1.5, by=[0.2, -0.1, 0.3])",
    "cosine": "cosine([1, 0.5, -2])",
    "exponential": "exponential(scale=2)",
    "gaussian": "gaussian(scale=1.5)",
    "laplace": "laplace(scale=3)",
    "linear": "linear()[0, 1]",
    "linear, normalised": "normalize(linear())",
    "match": "match()[2]",
    "matern": "matern(nu=3/2, scale=2)",
    "minmax": "minmax()",
    "noise": "noise()[2]",
    "periodic": "periodic(period=3, scale=1.2)",
    "polya": "polya(weibull(shape=2, scale=3))",
    "powered_exponential": "powered_exponential(alpha=1.3, scale=2)",
    "rational_quadratic": "rational_quadratic(alpha=0.7, scale=1.5)",
    "rbf_cosine": "rbf_cosine(gamma=2)",
    "sho": "sho(frequency=2, quality=1.5)[0]",
    "shift_gaussian": "shift_gaussian(scale=1.5, by=[0.5, 1, -0.7])",
    "sinc": "sinc(bandwidth=0.8)",
    "sinh_gaussian": "sinh_gaussian(scale=1.5, by=[0.3, -0.1, 0.2])",
    "triangle": "triangle(width=4)",
}

OTHER_ROWS = {"binary", "sphere"}
"""Kernels that are not defined on the rows below; their compositions are those of features/test_dual.py."""

ALONE = ("{a}", "({a}) ** 2", "({a}) ** 3", "2.5 * {a}")
PAIRED_UP = (
    "{a} * {b}",
    "({a} * {b}) ** 2",
    "({a} + 0.5 * {b}) * cosine(1)[0]",
    "({a} + {b}) ** 2",
    "(0.75 * {a} - {b}) * match()[2]",
)
ADDED = ("{a} + 0.5 * {b}", "mean({a}, {b}, {a})", "2 * {a} - {b}")
METHODS: list[Method] = ["paired", "phase", "complex"]

X = np.array([[0.3, 0.0, 0.0], [0.4, -0.3, 0.0], [1.1, 0.6, 1.0], [-0.7, 1.0, 1.0], [0.2, -1.5, 2.0]])
UPPER = np.triu_indices(len(X))
ALL = tuple(np.indices((len(X), len(X))).reshape(2, -1))
PAIRS = list(combinations_with_replacement(LEAF_KINDS, 2))


def forms_of(forms: tuple[str, ...], kinds: tuple[str, str], method: Method, thorough: bool = False) -> tuple[str, ...]:
    """The forms in which two leaves are tested by a method: those of its turn, or all."""
    turn = sum(list(LEAF_KINDS).index(kind) for kind in kinds) + METHODS.index(method)
    return tuple(form for number, form in enumerate(forms) if thorough or (turn + number) % len(METHODS) == 0)


def in_every_run(kinds: tuple[str, str], method: Method) -> bool:
    """Half of the pairs by one method; the other pairs and methods are for long runs."""
    i, j = (list(LEAF_KINDS).index(kind) for kind in kinds)
    return method == method_of(kinds) and (i + j) // 3 % 2 == 0


def method_of(kinds: tuple[str, str]) -> Method:
    """By which two leaves are tested in every run, if they are."""
    i, j = (list(LEAF_KINDS).index(kind) for kind in kinds)
    return METHODS[(2 * ((i + j) // 3) + i * j) % len(METHODS)]


TWO_LEAVES = [
    pytest.param(
        kinds,
        method,
        id=f"{' and '.join(kinds)}-{method}",
        marks=[] if in_every_run(kinds, method) else [pytest.mark.long],
    )
    for method in METHODS
    for kinds in PAIRS
]


def check(form: str, method: Method, n: int, **leaves: str) -> None:
    assert_samples(form.format(**leaves), X, methods=[method], n=n, budget=BUDGET)


def test_every_kernel_of_the_catalogue_is_among_the_leaf_kinds() -> None:
    assert {kind.split(",")[0] for kind in LEAF_KINDS} == set(KERNELS) - OTHER_ROWS


def test_every_leaf_meets_others_in_every_form_by_every_method() -> None:
    for forms in (PAIRED_UP, ADDED):
        met = Counter(
            (kind, form, method)
            for kinds in PAIRS
            for method in METHODS
            for form in forms_of(forms, kinds, method)
            for kind in set(kinds)
        )
        always = Counter(
            (kind, form, method)
            for kinds in PAIRS
            for method in METHODS
            if in_every_run(kinds, method)
            for form in forms_of(forms, kinds, method)
            for kind in set(kinds)
        )
        assert met.total() == len(forms) * (2 * len(PAIRS) - len(LEAF_KINDS))
        for case in product(LEAF_KINDS, forms, METHODS):
            assert met[case] >= 8
            assert always[case] >= 1


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", LEAF_KINDS)
def test_one_leaf(kind: str, method: Method) -> None:
    for form in ALONE:
        check(form, method, 3000, a=LEAF_KINDS[kind])


@pytest.mark.parametrize(("kinds", "method"), TWO_LEAVES)
def test_products_powers_and_mixtures_of_two_leaves(kinds: tuple[str, str], method: Method, thorough: bool) -> None:
    a, b = (LEAF_KINDS[kind] for kind in kinds)
    for form in forms_of(PAIRED_UP, kinds, method, thorough):
        check(form, method, 3000, a=a, b=b)


@pytest.mark.parametrize(("kinds", "method"), TWO_LEAVES)
def test_sums_and_means_of_two_leaves(kinds: tuple[str, str], method: Method, thorough: bool) -> None:
    a, b = (LEAF_KINDS[kind] for kind in kinds)
    for form in forms_of(ADDED, kinds, method, thorough):
        check(form, method, 4000, a=a, b=b)


WHOLE = [
    "0.7 * gaussian(scale=2) + 0.3 * match()[2] - 0.5 * laplace()",
    "(gaussian() + 0.5 * match()[2]) * (laplace(scale=2)[0] + 2 * match()[2])",
    "(gaussian()[0] + laplace()[1]) * cauchy()[1, 2] + match()[2]",
    "stretch(gaussian() - 0.5 * laplace(), [1, 2, 0.5])",
    "stretch(gaussian(), [[1, 0, 2], [0, 1, -1]]) * match()[2]",
    "stretch((gaussian() - 0.5 * laplace())[0, 1], 2) + match()[2]",
    "modulate(gaussian() - 0.5 * cauchy(), [1, 0, 2])",
    "modulate(laplace(scale=2)[0], 1) * match()[2]",
    "normalize(3 * gaussian() + matern(1.5)[0:2] * match()[2])",
    "(gaussian() - 0.5 * laplace()) ** 2 * match()[2]",
    "(gaussian()[2] - laplace()[2]) * match()[2] + gaussian()",
    "-gaussian()",
    "shift(laplace(scale=2) - 0.5 * gaussian(), by=[1, 0, 0.5]) * match()[2]",
    "tilt(laplace(scale=2)[0], by=[0.3, 0, 0]) + 0.5 * shift_gaussian(by=0.5)[1]",
    "stretch(shift(matern(1.5), 0.5), 2) * tilt(cauchy(), 0.1)",
    "shift(tilt(cauchy(), 0.2), by=[0.5, 0, -1]) ** 2",
    "gaussian()[0] * gaussian()[0] + laplace()[-1]",
    "match()[2] ** 3 * gaussian()",
    "let k = gaussian(scale=2)\nk * k[0] + 0.5 * k ** 2",
    "let k = match()[2] + gaussian()\n(k * k)[0:3]",
    "param s = 2\nlet k = laplace(scale=s)\nmean(k, k[0], stretch(k, s)) * periodic(s)[1]",
]

STRETCHED_DIFFERENCES = [
    "stretch(gaussian() - 0.5 * laplace(), 2) * match()[2]",
    "stretch((gaussian() - 0.5 * laplace()) * cauchy(), [1, 2, 3])",
    "stretch((gaussian() - 0.5 * laplace()) ** 2, [[1, 0, 2], [0, 1, -1]])",
    "stretch(gaussian() - 0.5 * laplace(), 2) ** 2",
]


@pytest.mark.parametrize(
    ("text", "method"),
    [
        pytest.param(text, method, marks=[] if (number + turn) % (2 * len(METHODS)) == 0 else [pytest.mark.long])
        for turn, method in enumerate(METHODS)
        for number, text in enumerate([*WHOLE, *STRETCHED_DIFFERENCES])
    ],
)
def test_whole_maps(text: str, method: Method, thorough: bool) -> None:
    factor = 10 if thorough else 1
    assert_samples(text, X, methods=[method], n=4000 * factor)
    assert_unbiased(text, X, method=method, n_features=96, n_maps=40 * factor)


@pytest.mark.parametrize("method", sweep(METHODS, every=3))
@pytest.mark.parametrize("text", WHOLE[:3])
def test_inner_products_of_hashed_features(text: str, method: Method) -> None:
    assert_unbiased(text, X, method=method, n_features=48, n_maps=100, hashed=True)


@pytest.mark.parametrize("buckets", sweep([2, 3, 8], every=3))
def test_few_buckets(buckets: int) -> None:
    rows = np.arange(6.0)[:, None] * np.ones(3)
    text = "match()[0] + 0.5 * match()[1] * gaussian(scale=4)[2]"
    first = ks.compile(text, dim=3, n_features=6, buckets=buckets)
    maps = [draw_map(replace(first.plan, seed=seed)) for seed in range(300)]
    features = [feature_map.transform(rows).toarray() for feature_map in maps]  # type: ignore[union-attr]
    upper = np.triu_indices(6)
    estimates = np.stack([(z @ z.T)[upper] for z in features])
    assert_mean(estimates, ks.parse(text).gram(rows)[upper])
    assert_variance(estimates, first.predicted_variance(rows, hashed=True)[upper])


def test_match_of_two_columns_does_not_cancel() -> None:
    rows = np.array([[1.0, 1.0], [2.0, 2.0], [1.0, 2.0], [2.0, 1.0]])
    for text in ("match()[0] * match()[1]", "match()", "match()[1, 0]"):
        assert np.array_equal(ks.compile(text, dim=2, n_features=1).approximate(rows), np.eye(4)), text


def test_a_column_selected_twice_is_refused() -> None:
    for text in ("gaussian()[0, 0]", "laplace()[0, -3] * match()", "stretch(gaussian()[1, 0:2], 2)"):
        with pytest.raises(ColumnError, match="selected twice"):
            ks.compile(text, dim=3)


def test_a_let_is_drawn_at_every_use() -> None:
    # a let shared between the factors would make k·k the square of one estimate: biased upwards
    text = "let k = gaussian(scale=2)[0] * match()[2]\nk * k"
    feature_map = ks.compile(text, dim=3, n_features=8)
    (part,) = feature_map.keyed
    assert part.phasors is not None
    assert_unbiased(text, X, n_features=64, n_maps=50)
    spread = ks.compile(text, dim=3, n_features=20_000, method="phase").keyed[0].phasors
    assert spread is not None
    # the frequency of k·k has variance ¼ + ¼; twice one draw would have 1
    assert_mean(np.square(spread.frequencies), [0.5])


def test_signs_are_part_of_the_estimate() -> None:
    text = "gaussian(scale=2) - 3 * match()[2]"
    feature_map = ks.compile(text, dim=3, n_features=4000)
    exact = ks.parse(text).gram(X)
    assert (exact.diagonal() < 0).all()
    z = (feature_map.approximate(X) - exact)[UPPER] / np.sqrt(
        feature_map.predicted_variance(X, hashed=False)[UPPER] + 1e-20
    )
    assert np.abs(z).max() <= norm.isf(1e-7 / 30)
