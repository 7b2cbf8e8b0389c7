"""The mean of samples whose degrees are cut, against binomial series and against drawn samples."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import sympy

import kernelspec as ks
from kernelspec.elaboration.scope import Columns
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.kernels.nodes.dual import Dual
from kernelspec.maps.feature_map import draw_map
from kernelspec.tables.rows import Rows
from kernelspec.testing.laboratory import assert_mean
from tests.laws.texts import law

X = np.random.default_rng(0).normal(size=(5, 3))
PAIRS = NumericPairs(Rows(X), Rows(X))


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
    rho = ks.parse("gaussian()").gram(X)
    own = law(f"2 * dual(step, gaussian(), max_degree={degree}) + laplace()", 3)
    expected = 2 * step_series(rho, degree) + ks.parse("laplace()").gram(X)
    np.testing.assert_allclose(own.mean(PAIRS), expected, rtol=1e-13)
    cut = law(f"dual(step, gaussian(), max_degree={degree})", 3)
    at_one = float(step_series(np.ones(1), degree)[0])
    np.testing.assert_allclose(np.diag(cut.mean(PAIRS)), at_one, rtol=1e-13)


def test_a_cut_below_other_kernels() -> None:
    rho = ks.parse("gaussian()").gram(X)
    inner = step_series(rho, 3)
    nested = law("dual(relu, dual(step, gaussian(), max_degree=3)) ** 2 * laplace()", 3)
    np.testing.assert_allclose(nested.mean(PAIRS), relu(inner) ** 2 * ks.parse("laplace()").gram(X), rtol=1e-12)
    image = law("full(relu, input=image(1, 3, 1, base=dual(step, gaussian(), max_degree=3)))", 3)
    places = [step_series(ks.parse("gaussian()").gram(X[:, [i]]), 3) for i in range(3)]
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
    for i, x in enumerate(X):
        for j, y in enumerate(X):
            left, right, factor = moved(x, y)
            rho = ks.parse("gaussian()").gram(left[None], right[None])[0]
            assert found[i, j] == pytest.approx(float(step_series(rho, 3)[0] * factor), rel=1e-12)


@pytest.mark.parametrize(
    "text",
    ["gaussian() * laplace()", "dual(relu, gaussian()) + 1/2*circle()[0]", "full(relu, input=image(1, 3, 1))"],
)
def test_what_is_not_cut_is_its_own_mean(text: str) -> None:
    own = law(text, 3)
    assert np.array_equal(own.mean(PAIRS), own.value(PAIRS))
    assert own.cuts == ()


def test_neurons_are_not_cut() -> None:
    own = law("dual(step, normalize(linear()), max_degree=2)", 3, "neurons")
    assert np.array_equal(own.mean(PAIRS), own.value(PAIRS))


@pytest.mark.long
def test_the_samples_have_this_mean() -> None:
    """Budget 1e-6: 600 maps of one sample each, three degrees of 0, of 2 and beyond."""
    text = "dual(relu, dual(exp(c=1), gaussian(), max_degree=1))"
    upper = np.triu_indices(5)
    plan = ks.compile(text, dim=3, n_features=64, method="paired").plan
    maps = [draw_map(replace(plan, seed=seed)) for seed in range(600)]
    rho = ks.parse("gaussian()").gram(X)
    assert_mean(np.stack([one.approximate(X)[upper] for one in maps]), relu((1 + rho) / math.e)[upper])


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
