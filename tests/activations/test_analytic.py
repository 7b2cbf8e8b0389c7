"""Tests of `activations/analytic.py`."""

from __future__ import annotations

from dataclasses import dataclass

import hypothesis.strategies as st
import mpmath
import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from numpy.typing import NDArray
from scipy.integrate import quad
from scipy.special import poch

from kernelspec.activations.activation import Activation
from kernelspec.activations.analytic import Cos, Exp, Gaussian, Sin
from kernelspec.activations.piecewise import Erf, Relu, Sign, Step
from kernelspec.errors import RangeError
from kernelspec.laws.compositional import dual as degree_sums
from kernelspec.random.streams import Stream
from kernelspec.testing.laboratory import assert_mean
from tests.activations.standard import standard_activation_tests

test_standard = standard_activation_tests(
    [
        (Cos(), np.cos),
        (Cos(a=0.3), lambda x: np.cos(0.3 * x)),
        (Cos(a=2.2), lambda x: np.cos(2.2 * x)),
        (Exp(), np.exp),
        (Exp(c=0.25), lambda x: np.exp(x / 2)),
        (Exp(c=6.0), lambda x: np.exp(np.sqrt(6) * x)),
        (Gaussian(), lambda x: np.exp(-(x**2))),
        (Gaussian(a=0.2), lambda x: np.exp(-0.2 * x**2)),
        (Gaussian(a=4.0), lambda x: np.exp(-4 * x**2)),
        (Sin(), np.sin),
        (Sin(a=0.3), lambda x: np.sin(0.3 * x)),
        (Sin(a=2.2), lambda x: np.sin(2.2 * x)),
    ]
)


@pytest.mark.parametrize("c", [1e-9, 0.7, 1e3, 1e6])
def test_poisson_degrees(c: float) -> None:
    law = scipy.stats.poisson(c)
    degrees = np.unique(np.clip(np.round(c + np.sqrt(c) * np.linspace(-8, 8, 33)), 0, None))
    np.testing.assert_allclose(Exp(c=c).coefficient(degrees), law.pmf(degrees), rtol=1e-8)
    drawn = Exp(c=c).draw_degrees(Stream(9), 20_000)
    assert abs(drawn.mean() - c) <= 6 * np.sqrt(c / 20_000) + 1e-3 * (c < 1e-3)
    assert abs(drawn.var() - c) <= 6 * np.sqrt((2 * c**2 + c) / 20_000) + 1e-3 * (c < 1e-3)


def test_rates_beyond_memory_are_refused() -> None:
    with pytest.raises(RangeError, match="up to 1e\\+10 are drawn"):
        Exp(c=1e8).draw_degrees(Stream(9), 10, weight=1.000001e2)


@pytest.mark.parametrize("a", [0.1, 1.0, 30.0, 1e5])
def test_twice_a_negative_binomial_number(a: float) -> None:
    q = 2 * a / (1 + 2 * a)
    law = scipy.stats.nbinom(0.5, (1 + 4 * a) / (1 + 2 * a) ** 2)
    k = np.unique(np.geomspace(1, 10 / (1 - q**2), 40).astype(int))
    np.testing.assert_allclose(Gaussian(a=a).coefficient(2 * k), law.pmf(k), rtol=1e-9)
    assert Gaussian(a=a).mean_degree() == pytest.approx(2 * law.mean(), rel=1e-9)


@given(logarithm=st.floats(-60, 60), rho=st.floats(-1, 1))
def test_flat_and_steep(logarithm: float, rho: float) -> None:
    law = Gaussian(a=10**logarithm)
    with mpmath.workdps(300):
        a, r = mpmath.mpf(law.a), mpmath.mpf(rho)
        exact = mpmath.sqrt((1 + 4 * a) / ((1 + 2 * a) ** 2 - 4 * a**2 * r**2))
    assert float(law.dual(np.array(rho))) == pytest.approx(float(exact), rel=1e-14)


DRAWS = 100_000
BEYOND = np.array([1.05, 1.2, 1.5, 2, 5, 40, 200])
"""Levels, as multiples of the degree that is exceeded."""


@dataclass(frozen=True, slots=True)
class FarOut(Stream):
    """A stream whose proposals are all larger than 2·`past`, and kept by the greatest probability there is for those.

    Of the three uniform numbers of a proposal the first is compared with its probability; the second chooses the part
    of the law with the tail at its upper end; the third is P(K > k) of the first return K that is proposed. All lie in
    intervals, so that the draws have the law of degrees given that they are so large.
    """

    past: int = 0
    greatest: float = 1.0

    def uniforms(self, purpose: str, shape: tuple[int, ...]) -> NDArray[np.float64]:
        u = Stream(self.seed, self.path).uniforms(purpose, shape)
        returned = float(poch(self.past + 1, -0.5)) / np.sqrt(np.pi)
        return np.stack([u[:, 0] * self.greatest, 1 - 1e-6 * u[:, 1], u[:, 2] * returned], axis=1)


def logarithm_of_q(activation: Activation) -> float:
    """log q of erf, q = 2s²/(1 + 2s²); 0 where q = 1."""
    return -float(np.log1p(1 / (2 * activation.scale**2))) if isinstance(activation, Erf) else 0.0


def tail_from(activation: Activation, first: float, past: float) -> float:
    """The mass of the degrees 2j, of sign, step and erf 2j + 1, with j ≥ `first`, but for a constant factor.

    c_j = C(2j, j)/4^j: relu has the coefficients ∝ c_j/(2j − 1)², the others ∝ c_j q^{2j}/(2j + 1). Their sum by Euler
    and Maclaurin, whose error is of the order of the third difference over 720.
    """

    def mass(j: float) -> float:
        c = float(poch(j + 1, -0.5))  # Γ(j + ½)/Γ(j + 1)
        if isinstance(activation, Relu):
            return c / (2 * j - 1) ** 2
        return c * float(np.exp(2 * (j - past) * logarithm_of_q(activation))) / (2 * j + 1)

    whole, _ = quad(lambda t: mass(first * np.exp(t)) * first * np.exp(t), 0, 60, epsabs=0, epsrel=1e-8, limit=500)
    return float(whole + mass(first) / 2 - (mass(first + 1) - mass(first - 1)) / 24)


def exceedances(activation: Activation, levels: NDArray[np.float64]) -> NDArray[np.float64]:
    """P(l > n) of the later levels n, given that l exceeds the first: an even number."""
    firsts = np.floor(levels / 2 if isinstance(activation, Relu) else (levels - 1) / 2) + 1
    masses = np.array([tail_from(activation, first, firsts[0]) for first in firsts])
    return np.asarray(masses[1:] / masses[0])


def check(activation: Activation, drawn: NDArray[np.int64], far: int) -> None:
    """Degrees larger than an even number, at levels that some of them exceed."""
    assert drawn.min() > far
    levels = np.concatenate([[far], np.floor(BEYOND * far)])
    chances = exceedances(activation, levels)
    seen = (chances * len(drawn) >= 30) & (chances < 1)
    assert seen.sum() >= 3
    assert_mean((drawn[:, None] > levels[1:]).astype(float)[:, seen], chances[seen], budget=1e-8, what="exceedances")


def greatest_probability(activation: Activation, past: int) -> float:
    """Of a first return K > past to be kept: 1/(2K − 1) for relu, q^{2K−2} K/(2K − 1) for the others."""
    k = past + 1
    if isinstance(activation, Relu):
        return 1 / (2 * k - 1)
    return float(np.exp((2 * k - 2) * logarithm_of_q(activation))) * k / (2 * k - 1)


@pytest.mark.long
@pytest.mark.parametrize(
    ("activation", "far"),
    [
        *((activation, far) for activation in (Relu(), Step(), Sign()) for far in (50, 2000, 4000, 10**6, 10**9)),
        *((Erf(scale=1000), far) for far in (50, 4000, 10**6)),
        (Erf(scale=10), 100),
    ],
    ids=str,
)
def test_degrees_given_that_they_are_large(activation: Activation, far: int) -> None:
    past = far // 2
    drawn = activation.draw_degrees(FarOut(0, (), past, greatest_probability(activation, past)), DRAWS)
    check(activation, drawn, far)


@pytest.mark.parametrize("activation", [Relu(), Step(), Sign()], ids=["relu", "step", "sign"])
def test_the_largest_of_many_degrees(activation: Activation, monkeypatch: pytest.MonkeyPatch) -> None:
    far = 2**20
    monkeypatch.setattr(degree_sums, "_TABLE", far)
    tail = degree_sums._tail(activation)
    assert tail is not None
    drawn = degree_sums._drawn(tail, Stream(0).generator("tail"), DRAWS)
    # the table has the degrees below: the next even one is `far` itself, the next odd one far + 1
    check(activation, drawn.astype(np.int64), far - 2 if isinstance(activation, Relu) else far)
