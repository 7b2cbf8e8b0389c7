"""Tests of `distributions/discrete.py`."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import numpy as np
import pytest
import scipy.stats
import sympy

from kernelspec.distributions.discrete import Discrete, ShiftedPoisson
from kernelspec.errors import RangeError
from kernelspec.kernels.leaves.of_distributions import Polya
from kernelspec.loading import Source, Span
from kernelspec.random.streams import Stream
from tests.distributions.comparisons import assert_values
from tests.distributions.standard_positive import standard_positive_tests


def frozen(values, chances):
    return scipy.stats.rv_discrete(values=(values, chances))()


test_standard = standard_positive_tests(
    [
        (Discrete(values=(2.0, 0.5, 3.0), weights=(1.0, 2.0, 5.0)), frozen([0.5, 2, 3], [0.25, 0.125, 0.625])),
        (Discrete(values=(1.5,), weights=(3.0,)), frozen([1.5], [1])),
        (ShiftedPoisson(rate=0.4), scipy.stats.poisson(0.4, loc=1)),
        (ShiftedPoisson(rate=3.5), scipy.stats.poisson(3.5, loc=1)),
    ]
)


def test_the_kernel_to_the_last_digits_in_fractions():
    values, weights = (0.1, 2.0, 2.0, 7.5, 1e4), (3.0, 1.0, 0.5, 2.0, 1e-9)
    law = Discrete(values=values, weights=weights)
    total = sum(map(Fraction, weights))
    for lag in (0.0, 1e-12, 0.1, 0.05, 1.999999999, 2.0, 7.4999, 9.0, 9999.9999999, 1e4, 2e4):
        parts = (
            Fraction(w) / total * max(0, 1 - Fraction(lag) / Fraction(v)) for v, w in zip(values, weights, strict=True)
        )
        assert float(law.polya_kernel(np.array([lag]))[0]) == pytest.approx(float(sum(parts)), rel=1e-14, abs=0)


def test_the_transform_where_the_arguments_are_extreme():
    law = Discrete(values=(0.5, 3.0), weights=(1.0, 3.0))
    frequencies = np.array([1e-8, 1e-3, 1.0, 1e3, 1e6])
    for frequency, found in zip(frequencies, law.polya_transform(frequencies), strict=True):
        w = sympy.Rational(float(frequency))
        exact = sum(
            p * 2 * (1 - sympy.cos(r * w)) / (r * w**2)
            for p, r in ((sympy.S(1) / 4, sympy.S(1) / 2), (sympy.S(3) / 4, sympy.S(3)))
        )
        assert found == pytest.approx(float(exact.evalf(30)), rel=1e-12)


def test_symbols_for_values_and_weights():
    a, b, p = sympy.symbols("a b p", positive=True)
    law = Discrete(values=(a, b), weights=(p, 2 * p))
    numbers = {a: 2, b: 5, p: sympy.Rational(1, 7)}
    assert law.mean().subs(numbers) == 4
    assert law.inverse_mean().subs(numbers) == sympy.Rational(3, 10)
    assert law.polya_kernel_expression(sympy.S(3)).subs(numbers) == sympy.Rational(4, 15)
    assert [end.subs(numbers) for end in law.support()] == [2, 5]
    assert law.mass_at_zero() == 0
    assert Discrete(values=(sympy.S(3), a), weights=(1, 2)).mean() == 1 + 2 * a / 3  # exact, with weights of Python


def test_values_of_no_weight_do_not_count():
    law = Discrete(values=(0.0, -1.0, 2.0), weights=(0.0, 0.0, 1.0))
    assert law.support() == (2, 2)
    assert law.mass_at_zero() == 0
    assert law.inverse_mean() == 0.5
    assert (law.draw(Stream(3), (100,)) == 2).all()
    Polya(distribution=law, dim=1)


def test_polya_refuses_values_at_and_below_zero():
    at_zero = Discrete(values=(0.0, 2.0), weights=(1.0, 3.0))
    assert at_zero.mass_at_zero() == 0.25
    assert at_zero.inverse_mean() == np.inf
    assert at_zero.support() == (0, 2)
    with pytest.raises(RangeError, match="mass at 0"):
        Polya(distribution=at_zero, dim=1)
    below = Discrete(values=(-1.0, 2.0), weights=(1.0, 3.0))
    with pytest.raises(RangeError, match="mass below 0"):
        Polya(distribution=below, dim=1)
    assert set(below.draw(Stream(3), (100,))) == {-1.0, 2.0}


@pytest.mark.parametrize(
    ("values", "weights", "said"),
    [
        ((1.0, 2.0), (1.0,), "2 values and 1 weights"),
        ((1.0, 2.0), (1.0, -0.5), r"negative: there is -0\.5"),
        ((1.0, 2.0), (0.0, 0.0), "all be zero"),
        ((sympy.Symbol("a"), 2), (sympy.Float(0), sympy.S(0)), "all be zero"),
        ((sympy.Symbol("a"), 2), (1, sympy.S(-2)), "negative"),
    ],
)
def test_what_is_no_law_is_refused_where_it_stands(values, weights, said):
    span = Span(Source("discrete(values=[1], weights=[1])"), 0, 8)
    with pytest.raises(RangeError, match=said) as refused:
        Discrete(values=values, weights=weights, span=span)
    assert refused.value.span == span


@pytest.mark.parametrize("rate", [1e-3, 0.7, 12.0, 400.0])
def test_the_kernel_to_twelve_digits(rate):
    """Far into the tail: Σ_{n>t} (1 − t/n) P(R = n) in forty digits."""

    def exact(t):
        first = int(t) + 1
        chance = mpmath.exp(-mpmath.mpf(rate) + (first - 1) * mpmath.log(rate) - mpmath.loggamma(first))
        total, n = mpmath.mpf(0), first
        while chance > total * mpmath.mpf(10) ** -30 or n <= rate + first:
            total += (1 - t / n) * chance
            chance *= mpmath.mpf(rate) / n
            n += 1
        return total

    lags = [1e-9, 0.3, 1.0, 1.5, 0.9 * rate, rate + 1.25, rate + 9.999999, 2 * rate + 20.5, 3 * rate + 60]
    assert_values(ShiftedPoisson(rate=rate).polya_kernel, exact, lags, digits=40)


@pytest.mark.parametrize("rate", [1e-3, 0.7, 12.0, 400.0])
def test_the_transform_to_twelve_digits(rate):
    def exact(w):
        gap = 1 - mpmath.exp(rate * (mpmath.cos(w) - 1)) * mpmath.cos(rate * mpmath.sin(w))
        return 2 * gap / (rate * w**2)

    frequencies = [1e-200, 1e-8, 1e-3, 0.3, 2.0, 3.14159, 6.28, 17.0, 1e4, 1e6]
    assert_values(ShiftedPoisson(rate=rate).polya_transform, exact, frequencies, digits=450)
