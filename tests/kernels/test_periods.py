"""Periods of positive definite kernels, against what is known of their frequencies."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy

import kernelspec as ks
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.parts import Height, height

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


def test_rationals_of_the_language_are_exact() -> None:
    from kernelspec.expressions.elementary import is_known_whole

    assert is_known_whole(Fraction(3, 3)) is True
    assert is_known_whole(Fraction(10**30 + 1, 10**30)) is False
    assert is_known_whole(float("nan")) is None
    assert is_known_whole(sympy.exp(1)) is False
    assert is_known_whole(1e300) is None
