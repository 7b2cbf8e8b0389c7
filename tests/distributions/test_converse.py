"""The law of R behind a formula, against SciPy and closed forms."""

from __future__ import annotations

import math
from collections.abc import Callable

import mpmath as mp
import numpy as np
import pytest
import sympy
from scipy.stats import gamma, kstest

from kernelspec.distributions.converse import PolyaConverse
from kernelspec.errors import NoDensityError
from kernelspec.random.streams import Stream
from kernelspec.testing.laboratory import assert_mean
from tests.expressions.written import POLYA, written
from tests.laboratory import assert_proportions

SEED = 20_251_123
DRAWS = 20_000

SURVIVAL: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "t -> exp(-t)": gamma(2).sf,
    "t -> exp(-t/3)": gamma(2, scale=3).sf,
    "t -> (1 + t)**-2": lambda r: (1 + 3 * r) / (1 + r) ** 3,
    "t -> exp(-sqrt(t))": lambda r: (1 + np.sqrt(r) / 2) * np.exp(-np.sqrt(r)),
    "t -> 1/(1 + 2*t)": lambda r: (1 + 4 * r) / (1 + 2 * r) ** 2,
    "t -> max(0, 1 - t)**2": lambda r: np.clip(1 - r**2, 0, 1),
}

ROOT = float(mp.findroot(lambda t: 1 - t - mp.exp(-t) / 2, 0.77))


def law(text: str) -> PolyaConverse:
    return PolyaConverse(shape=written(text))


@pytest.mark.slow
@pytest.mark.parametrize("text", SURVIVAL)
def test_survival_and_draws(text: str) -> None:
    r = np.array([0, 1e-9, 0.2, 0.5, 0.99, 1.7, 6, 40, 1e5])
    np.testing.assert_allclose(law(text).survival(r), SURVIVAL[text](r), rtol=1e-12, atol=1e-300)
    draws = law(text).draw(Stream(SEED), (DRAWS,))
    assert kstest(draws, lambda x: 1 - SURVIVAL[text](x)).pvalue > 1e-6


@pytest.mark.parametrize("text", POLYA)
def test_draws_are_the_exact_quantiles(text: str) -> None:
    chances = np.concatenate([Stream(SEED).uniforms("chances", (300,)), [2.0**-53, 1 - 2.0**-53]])
    found, one = law(text).quantile(chances), law(text)
    assert (found > 0).all()
    assert ((one.survival(found) <= chances) | (found == np.finfo(float).max)).all()
    assert (one.survival(np.nextafter(found, 0)) > chances).all()


@pytest.mark.long
@pytest.mark.parametrize("text", POLYA)
def test_the_mean_triangle_is_the_kernel(text: str) -> None:
    draws = law(text).draw(Stream(SEED, (1,)), (DRAWS, 1))
    lags = np.array([0.05, 0.3, 0.9, 1.3, 4.0])
    with mp.workdps(30):
        exact = [float(POLYA[text](mp.mpf(float(lag)))) for lag in lags]
    assert_mean(np.maximum(0, 1 - lags / draws), exact, budget=1e-8, what=f"E max(0, 1 − t/R) for {text}")
    np.testing.assert_allclose(law(text).polya_kernel(lags), exact, rtol=1e-13, atol=1e-300)


@pytest.mark.slow
def test_atoms_come_out_exactly() -> None:
    draws = law("t -> max(0, 1 - t)/4 + 0.5*max(0, 1 - t/7) + exp(-t)/4").draw(Stream(SEED, (2,)), (DRAWS,))
    one, seven = np.sum(draws == 1), np.sum(draws == 7)
    assert_proportions([one, seven, DRAWS - one - seven], [0.25, 0.5, 0.25], budget=1e-8)
    assert (law("t -> max(0, 1 - t/3)").draw(Stream(SEED), (50, 2)) == 3).all()


@pytest.mark.parametrize(
    ("text", "mean", "inverse_mean", "support"),
    [
        ("t -> exp(-t/3)", 6, 1 / 3, (0, math.inf)),
        ("t -> exp(-sqrt(t))", 4, math.inf, (0, math.inf)),
        ("t -> (1 + t)**-1.5", 4, 1.5, (0, math.inf)),
        ("t -> 1/(1 + t)", math.inf, 1, (0, math.inf)),
        ("t -> (1 + t)**-1.01", 200, 1.01, (0, math.inf)),
        ("t -> max(0, 1 - t)", 1, 1, (1, 1)),
        ("t -> max(0, 1 - t/3)**2", 2, 2 / 3, (0, 3)),
        ("t -> max(0, 1 - t)/2 + max(0, 1 - t/5)/2", 3, 0.6, (1, 5)),
        ("t -> max(0, 1 - t)/2 + exp(-t)/2", 1.5, 1, (0, math.inf)),
        ("t -> max(1 - t, exp(-t)/2)", 2 * (ROOT - ROOT**2 / 2) + math.exp(-ROOT), 1, (ROOT, math.inf)),
    ],
)
def test_moments_and_support(text: str, mean: float, inverse_mean: float, support: tuple[float, float]) -> None:
    one = law(text)
    assert one.mean() == pytest.approx(mean, rel=1e-12 if "1.01" not in text else 1e-9)
    assert one.inverse_mean() == pytest.approx(inverse_mean, rel=1e-14)
    assert one.support() == pytest.approx(support, rel=1e-15)


def test_density() -> None:
    r = np.array([-1.0, 0.0, 0.1, 1.0, 7.0])
    np.testing.assert_allclose(law("t -> exp(-t/3)").density(r), gamma(2, scale=3).pdf(r), rtol=1e-13)
    x = sympy.Symbol("x", positive=True)
    assert sympy.simplify(law("t -> exp(-t/3)").density_expression(x) - x * sympy.exp(-x / 3) / 9) == 0
    with pytest.raises(NoDensityError, match=r"atoms where f has kinks: 0\.25 at 1, 0\.5 at 7"):
        law("t -> max(0, 1 - t)/4 + 0.5*max(0, 1 - t/7) + exp(-t)/4").density(r)
    assert law("t -> max(0, 1 - t)").density_expression(x).has(sympy.DiracDelta)


TRANSFORMS: dict[str, Callable[[float], float]] = {
    "t -> exp(-t/3)": lambda w: 6 / (1 + 9 * w**2),
    "t -> max(0, 1 - t)": lambda w: float(np.sinc(w / (2 * np.pi)) ** 2),
    "t -> exp(-t)/2 + max(0, 1 - t)/2": lambda w: 1 / (1 + w**2) + float(np.sinc(w / (2 * np.pi)) ** 2) / 2,
    "t -> max(0, 1 - t/3)/4 + 3*max(0, 1 - 2*t)/4": lambda w: float(
        np.sinc(3 * w / (2 * np.pi)) ** 2 * 3 / 4 + np.sinc(w / (4 * np.pi)) ** 2 * 3 / 8
    ),
    "t -> 1/(1 + t)": lambda w: float(2 * mp.re(mp.exp(-1j * w) * mp.e1(-1j * mp.mpf(w)))),
}


@pytest.mark.parametrize("text", TRANSFORMS)
def test_transforms(text: str) -> None:
    frequencies = np.array([[1e-4, -0.3], [2.0, 17.0]])
    exact = [[TRANSFORMS[text](abs(w)) for w in row] for row in frequencies]
    np.testing.assert_allclose(law(text).polya_transform(frequencies), exact, rtol=1e-11)


@pytest.mark.long
def test_expressions() -> None:
    t, w = sympy.Symbol("t", positive=True), sympy.Symbol("w", positive=True)
    one = law("t -> exp(-t/3)")
    assert one.polya_kernel_expression(t) == sympy.exp(-t / 3)
    written_out = one.polya_transform_expression(w)
    assert isinstance(written_out.args[1], sympy.Integral)
    assert float(written_out.subs(w, sympy.Rational(1, 2)).evalf(15)) == pytest.approx(6 / (1 + 9 / 4), rel=1e-9)


def test_heavy_tails_end_at_the_largest_float() -> None:
    draws = law("t -> 1/(1 + log(1 + t))").draw(Stream(SEED), (DRAWS,))
    assert np.isfinite(draws).all()
    # P(R > r) = f(r) − r f′(r) at the largest float: once 1/(1 + log r), and 1/(1 + log r)² more
    chance = 1 / (1 + math.log(1.7976931348623157e308))
    ended = np.sum(draws == 1.7976931348623157e308)
    assert_proportions([ended, DRAWS - ended], [chance + chance**2, 1 - chance - chance**2], budget=1e-8)
