"""The tests that every distribution for bochner() must pass, against SciPy."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import sympy
from scipy.stats import kstest

from kernelspec.expressions.arguments import declared
from kernelspec.random.streams import Stream
from kernelspec.testing.laboratory import assert_mean
from tests.laboratory import assert_characteristic_function
from tests.standard_checks import check_parameters
from tests.thoroughness import first_of_each

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kernelspec.distributions.distribution import Isotropic

__all__ = ["every_check", "standard_distribution_tests"]

SEED = 20_251_122
BUDGET = 1e-8
POINTS = np.array([-7.5, -1.2, -0.4, 0.0, 1e-9, 0.3, 0.9, 1.7, 4.0])


def standard_distribution_tests(cases: Sequence[tuple[Isotropic, Any]]) -> Callable[..., None]:
    """One test for every check and every pair of a distribution and the same one frozen in SciPy."""
    return every_check(CHECKS, cases)


def every_check(checks: Sequence[Callable[[Any, Any], None]], cases: Sequence[tuple[Any, Any]]) -> Callable[..., None]:
    """One test for every check and every pair of a law and its twin in SciPy; the first of a class in each run."""

    @pytest.mark.parametrize("check", check_parameters(checks))
    @pytest.mark.parametrize(("law", "frozen"), first_of_each(cases), ids=[str(law) for law, _ in cases])
    def test(law: Any, frozen: Any, check: Callable[[Any, Any], None]) -> None:
        check(law, frozen)

    return test


def density(law: Isotropic, frozen: Any) -> None:
    np.testing.assert_allclose(law.density(POINTS), frozen.pdf(POINTS), rtol=1e-12)


def density_expression(law: Isotropic, frozen: Any) -> None:
    x = sympy.Symbol("x", real=True)
    written = law.density_expression(x)
    for point in POINTS:
        assert float(written.subs(x, sympy.Float(point, 30)).evalf(20)) == pytest.approx(frozen.pdf(point), rel=1e-11)


def characteristic_function(law: Isotropic, frozen: Any) -> None:
    """E cos tX: against quadrature by SciPy, and in SymPy."""
    t = sympy.Symbol("t", real=True)
    written = law.characteristic_function_expression(t)
    low, high = frozen.ppf(1e-9), frozen.isf(1e-9)
    sizes = np.geomspace(1e-2, 1e9, 60)
    edges = np.unique(np.clip(np.concatenate([-sizes, [0], sizes]), low, high))
    nodes, weights = np.polynomial.legendre.leggauss(40)
    for lag in (0.0, 0.05, 0.7, 1.5):
        found = float(law.characteristic_function(np.array([lag]))[0])
        if high - low < 1e4:
            total = 0.0
            for a, b in pairwise(edges):
                parts = np.linspace(a, b, 2 + int((b - a) * lag))
                for p, q in pairwise(parts):
                    x = (p + q) / 2 + (q - p) / 2 * nodes
                    total += (q - p) / 2 * float(weights @ (frozen.pdf(x) * np.cos(lag * x)))
            assert found == pytest.approx(total, abs=1e-8)
        assert float(written.subs(t, sympy.Float(lag, 30)).evalf(20)) == pytest.approx(found, rel=1e-11, abs=1e-14)


def moments(law: Isotropic, frozen: Any) -> None:
    mean, variance = (float(value) for value in frozen.stats("mv"))
    if np.isfinite(variance):
        assert float(law.mean()) == pytest.approx(mean)
        assert float(law.second_moment()) == pytest.approx(variance + mean**2)
    else:
        assert law.second_moment() == np.inf
    assert tuple(float(end) for end in law.support()) == frozen.support()
    assert law.is_symmetric == (frozen.support()[0] == -frozen.support()[1])


def draws(law: Isotropic, frozen: Any) -> None:
    """Kolmogorov–Smirnov at 1e-8, and the characteristic function."""
    drawn = law.draw(Stream(SEED), (100_000,))
    assert kstest(drawn, frozen.cdf).pvalue > BUDGET
    lags = np.array([0.1, 0.5, 1.3])
    assert_mean(np.cos(np.outer(drawn, lags)), law.characteristic_function(lags), budget=BUDGET)
    assert np.array_equal(law.draw(Stream(SEED), (10, 3)), law.draw(Stream(SEED), (100, 3))[:10])


def isotropic(law: Isotropic, frozen: Any) -> None:
    """In R^d: the characteristic function of the norm, prefix-stable draws, one dimension the law itself."""
    if not law.is_symmetric:
        return
    for dim in (1, 2, 3):
        drawn = law.draw_isotropic(Stream(SEED), 100_000, dim)
        assert np.array_equal(drawn[:20], law.draw_isotropic(Stream(SEED), 20, dim))
        directions = np.array([np.eye(dim)[0], np.ones(dim) / np.sqrt(dim)])
        lags = np.concatenate([0.3 * directions, 1.4 * directions])
        expected = law.characteristic_function(np.linalg.norm(lags, axis=1))
        assert_characteristic_function(drawn, lags, expected, budget=BUDGET)
        assert kstest(drawn[:, -1], frozen.cdf).pvalue > BUDGET
    np.testing.assert_allclose(law.isotropic_density(np.abs(POINTS), 1), frozen.pdf(POINTS), rtol=1e-12)


def symbols(law: Isotropic, frozen: Any) -> None:
    """With symbols for parameters: the same moments and formulas once numbers are put in."""
    names = list(declared(type(law)))
    if names == ["low", "high"]:
        return
    parameters = {name: sympy.Symbol(name, positive=True) for name in names}
    numbers = {parameters[name]: sympy.Float(getattr(law, name), 30) for name in names}
    symbolic = type(law)(**parameters)
    assert symbolic.is_symmetric == law.is_symmetric
    for found, stated in ((symbolic.second_moment(), law.second_moment()), (symbolic.mean(), law.mean())):
        value = sympy.S(found).subs(numbers)
        assert np.isnan(stated) if value is sympy.nan else float(value) == pytest.approx(float(stated))
    x = sympy.Symbol("x", real=True)
    assert float(symbolic.density_expression(x).subs(numbers).subs(x, 0.7)) == pytest.approx(frozen.pdf(0.7))
    cf = symbolic.characteristic_function_expression(x).subs(numbers).subs(x, 0.7)
    assert float(cf.evalf(20)) == pytest.approx(float(law.characteristic_function(np.array([0.7]))[0]))


CHECKS = [density, density_expression, characteristic_function, moments, draws, isotropic, symbols]
