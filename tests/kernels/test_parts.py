"""Tests of `kernels/parts.py`."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

import kernelspec as ks
from kernelspec.catalogue import KERNELS
from kernelspec.elaboration.scope import Columns
from kernelspec.errors import TypeMismatchError
from kernelspec.expressions.arguments import declared
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaf import Leaf, load_kernel
from kernelspec.kernels.parts import Height, height, leaf_columns, measured


@pytest.mark.parametrize("form", ["stretch({}, 2)", "modulate({}, [1, 0])", "shift({}, 1)", "tilt({}, 0.1)"])
@pytest.mark.parametrize("base", ["match()", "gaussian()*binary()"])
def test_forms_that_act_on_differences_refuse_it(form: str, base: str) -> None:
    text = form.format(f"full(relu, input=image(1, 2, 1, base={base}))")
    with pytest.raises(TypeMismatchError, match=r"differences|categories"):
        ks.parse(text).kernel(Columns(2))


def compares(leaf: Leaf) -> bool:
    return leaf.compares_categories


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("gaussian()", set()),
        ("match()", {0, 1, 2}),
        ("match()[2]*gaussian()[0]", {2}),
        ("(match()[0] + gaussian()[1])[2, 0]", {2}),
        ("dual(relu, match()[1])", {1}),
        ("full(relu, input=image(1, 3, 1, base=match()))", {0, 1, 2}),
    ],
)
def test_columns(text: str, columns: set[int]) -> None:
    assert leaf_columns(ks.parse(text).kernel(Columns(3)), compares) == columns


LAGS = np.array([[3.0, -4.0], [1.0, 0.0], [6.0, 8.0]])
PAIRS = NumericPairs.of_vectors(LAGS)


def kernel(text: str, dim: int = 2) -> Kernel:
    spec = ks.parse(text)
    return spec.kernel(spec.columns(dim))


@pytest.mark.parametrize(
    ("text", "length", "distance"),
    [
        ("gaussian(scale=2)", 2, 5),
        ("laplace(scale=2)", 2, 7),
        ("exponential(scale=2)", 2, 5),
        ("triangle(width=3)", 3, 7),
        ("periodic(period=3, scale=7)", 3, 5),
        ("polya(gamma(shape=2, scale=3))", 6, 7),
        ("polya(gamma(shape=2, scale=3), area=5)", 5, 7),
        ("stretch(gaussian(), [2, 1])", 1, np.sqrt(1.5**2 + 4**2)),
        ("laplace(scale=3)[1]", 3, 4),
        ("shift(gaussian(), by=9)", 1, 5),
        ("dual(relu, gaussian(scale=2))", 2, 5),
    ],
)
def test_lengths_and_median_distances(text: str, length: float, distance: float) -> None:
    (found,) = measured(kernel(text), PAIRS)
    assert found is not None
    assert (found.length, found.distance) == pytest.approx((length, distance))
    assert found.ratio == pytest.approx(distance / length)


@pytest.mark.parametrize("text", ["match()", "linear()", "sinc()", "rbf_cosine()", "polya(pareto(1))"])
def test_no_length(text: str) -> None:
    assert measured(kernel(text), PAIRS) == [None]


LENGTHS = [name for name in KERNELS if any(argument.is_length for argument, _ in declared(load_kernel(name)).values())]


@pytest.mark.parametrize("name", [name for name in LENGTHS if "by" not in declared(load_kernel(name))])
def test_a_length_has_the_unit_of_the_columns(name: str) -> None:
    """k(Δ) does not change where Δ and the length are multiplied by one number: what a declared length means."""
    texts = {
        "matern": "matern(nu=2, scale={})",
        "periodic": "periodic({}, scale=2)",
        "rational_quadratic": "rational_quadratic(2, {})",
        "powered_exponential": "powered_exponential(1.5, {})",
    }
    text = texts.get(name, f"{name}({{}})")
    one, three = kernel(text.format(2)).value(PAIRS), kernel(text.format(6)).value(NumericPairs.of_vectors(3 * LAGS))
    np.testing.assert_allclose(one, three, rtol=1e-12)


R = sympy.Symbol("r", positive=True)


def exact(text: str, dim: int = 1) -> Kernel:
    spec = ks.parse(text)
    return spec.symbolic_kernel(spec.columns(dim))


@pytest.mark.parametrize(
    ("text", "lag", "expected"),
    [
        # continuous spectra have no period at all, however wide the kernel
        ("gaussian(1e9)", sympy.Rational(1, 10**9), 0),
        ("laplace()", sympy.Integer(0), 1),
        ("rational_quadratic(2, 1e9)", sympy.Integer(1), 0),
        # cos wr: whole turns, half turns, and what lies a hair beside them
        ("cosine(pi)", sympy.Integer(2 * 10**10), 1),
        ("cosine(pi)", sympy.Integer(2 * 10**10 + 1), -1),
        ("cosine(pi)", 2 + sympy.Rational(1, 10**30), 0),
        ("cosine(1e-8)", sympy.Integer(1), 0),
        ("cosine(1)", 2 * sympy.pi, 1),
        ("cosine(1)", R, None),
        ("circle()", 2 * sympy.pi * 10**10, 1),
        ("periodic(0.1)", sympy.Integer(10**9), 1),
        ("periodic(0.1)", 10**9 + sympy.Rational(1, 10**12), 0),
        ("periodic(1)", sympy.Rational(1, 2), 0),
        # sums, products and powers
        ("cosine(pi)**2", sympy.Integer(1), 1),
        ("cosine(pi)**3", sympy.Integer(1), -1),
        ("cosine(pi)*cosine(3*pi)", sympy.Integer(1), 1),
        ("cosine(pi) + cosine(3*pi)", sympy.Integer(1), -1),
        ("cosine(pi) + cosine(2*pi)", sympy.Integer(1), 0),
        ("cosine(pi)*gaussian()", sympy.Integer(2), 0),
        ("stretch(cosine(pi), 3)", sympy.Integer(6), 1),
        ("dual(exp, cosine(pi))", sympy.Integer(2), 1),
        ("dual(exp, gaussian())", sympy.Integer(2), 0),
    ],
)
def test_heights(text: str, lag: sympy.Expr, expected: Height) -> None:
    assert height(exact(text), (lag,)) == expected


def test_columns_and_matrices() -> None:
    assert height(exact("periodic(2)[1]", 2), (sympy.Rational(1, 3), sympy.Integer(4))) == 1
    assert height(exact("periodic(2)", 2), (sympy.Rational(1, 3), sympy.Integer(4))) == 0
    turned = exact("stretch(cosine([pi, pi]), [[1, 1], [0, 1]])", 2)  # w'A r = π(r₁ + 2r₂)
    assert height(turned, (sympy.Integer(0), sympy.Integer(1))) == 1
    assert height(turned, (sympy.Integer(1), sympy.Integer(1))) == -1


def test_floats_are_decided_only_where_they_are_far_from_a_period() -> None:
    kernel = ks.parse("periodic(0.1)").kernel(ks.parse("periodic(0.1)").columns(1))
    assert height(kernel, (1e9,)) is None
    assert height(kernel, (0.05,)) == 0
    assert height(kernel, (0.0,)) in (1, None)
