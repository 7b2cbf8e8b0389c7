"""The Weibull law."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest
import scipy.stats
import sympy

from kernelspec.distributions.gamma_family import Weibull
from tests.distributions.comparisons import assert_values
from tests.distributions.standard_positive import standard_positive_tests

test_standard = standard_positive_tests(
    [
        (Weibull(shape=1.0), scipy.stats.weibull_min(1)),
        (Weibull(shape=1.6, scale=0.4), scipy.stats.weibull_min(1.6, scale=0.4)),
        (Weibull(shape=6.0, scale=3.0), scipy.stats.weibull_min(6, scale=3)),
    ]
)


@pytest.mark.long
@pytest.mark.parametrize("shape", [1.3, 2.5, 7.0, 60.0, 200.0])
def test_the_series_of_the_transform(shape: float) -> None:
    """2 Σ (−1)^{n+1} ω^{2n−2} Γ(1 + (2n−1)/k) / (2n)! for k > 1, in many digits."""

    def exact(w: Any) -> Any:
        k = mpmath.mpf(shape)
        return 2 * sum(
            (-1) ** (n + 1) * w ** (2 * n - 2) * mpmath.gamma(1 + (2 * n - 1) / k) / mpmath.factorial(2 * n)
            for n in range(1, 800)
        )

    frequencies = [1e-8, 1e-3, 0.5, 2.0] if shape < 2 else [1e-8, 1e-3, 0.5, 2.0, 6.0]
    assert_values(Weibull(shape=shape).polya_transform, exact, frequencies, digits=120)


@pytest.mark.long
@pytest.mark.parametrize("shape", [0.3, 0.7])
def test_heavy_tails_in_sympy(shape: float) -> None:
    """The integrand on the ray, which SymPy evaluates slowly, by mpmath; and the kernel."""
    law, x = Weibull(shape=shape), sympy.Symbol("x", positive=True)
    pieces = [0, 1e-6, 1e-3, 0.1, 1, 5, 20, 90]
    frequency = 0.5
    written = law.polya_transform_expression(sympy.Float(frequency, 30))
    (part,) = written.atoms(sympy.Integral)
    integrand = sympy.lambdify(x, part.function.subs(part.variables[0], x), "mpmath")
    with mpmath.workdps(60):
        value = float(written.subs(part, sympy.Float(mpmath.quad(integrand, pieces), 30)))
    assert float(law.polya_transform(np.array([frequency]))[0]) == pytest.approx(value, rel=1e-11)
    for lag in (0.01, 1.0, 50.0):
        value = float(law.polya_kernel_expression(sympy.Float(lag, 30)).evalf(20))
        assert float(law.polya_kernel(np.array([lag]))[0]) == pytest.approx(value, rel=1e-11)


@pytest.mark.parametrize("shape", [1.0, 0.5, 1 / 3])
def test_nothing_happens_where_gamma_has_poles(shape: float) -> None:
    lags = np.geomspace(1e-300, 30, 200)
    beside, there, other = (Weibull(shape=shape + step).polya_kernel(lags) for step in (-1e-9, 0.0, 1e-9))
    np.testing.assert_allclose((beside + other) / 2, there, rtol=1e-12)


def test_a_scale_costs_no_digits() -> None:
    """(t/λ)^200 with t/λ rounded would be wrong in the twelfth digit."""

    def exact(t: Any) -> Any:
        u = t / mpmath.mpf(0.7)
        return mpmath.exp(-(u**200)) - u * mpmath.gammainc(1 - 1 / mpmath.mpf(200), u**200)

    assert_values(Weibull(shape=200.0, scale=0.7).polya_kernel, exact, [0.71, 0.719, 0.722])
