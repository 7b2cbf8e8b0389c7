"""Derivatives of catalogue kernels on a line, against mpmath's numerical ones."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest
import sympy

from kernelspec.errors import NoCounterpartError
from kernelspec.exchange.derivatives import line_slopes
from kernelspec.kernels.leaves.matern import Matern
from kernelspec.kernels.leaves.periodic import Periodic
from kernelspec.kernels.leaves.powered_exponential import PoweredExponential
from kernelspec.kernels.leaves.rational_quadratic import RationalQuadratic

CASES = [
    (
        RationalQuadratic(alpha=1, scale=1, dim=1),
        ("alpha", "scale"),
        (0.7, 1.3),
        lambda t, a, s: (1 + t**2 / (2 * a * s**2)) ** -a,
    ),
    (
        PoweredExponential(alpha=1, scale=1, dim=1),
        ("alpha", "scale"),
        (1.4, 0.8),
        lambda t, a, s: mp.exp(-((t / s) ** a)),
    ),
    (
        Periodic(period=1, scale=1, dim=1),
        ("period", "scale"),
        (1.7, 0.6),
        lambda t, p, s: mp.exp(-2 * (mp.sin(mp.pi * t / p) / s) ** 2),
    ),
    (
        Matern(nu=sympy.Rational(7, 10), scale=1, dim=1),
        ("scale",),
        (1.3,),
        lambda t, s: 2 ** mp.mpf("0.3") / mp.gamma("0.7") * _matern(mp.mpf("0.7"), mp.sqrt(mp.mpf("1.4")) * t / s),
    ),
]


def _matern(nu: mp.mpf, x: mp.mpf) -> mp.mpf:
    return x**nu * mp.besselk(nu, x)


@pytest.mark.parametrize(("leaf", "names", "values", "formula"), CASES, ids=lambda value: type(value).__name__)
def test_slopes(leaf, names, values, formula) -> None:
    by_lag, by_argument = line_slopes(leaf, names)
    lags = np.array([0.05, 0.4, 1.1, 3.0])
    for place, slope in enumerate((by_lag, *by_argument)):
        expected = []
        for lag in lags:
            with mp.workdps(40):
                at = tuple(map(mp.mpf, (lag, *values)))
                expected.append(float(mp.diff(formula, at, tuple(int(i == place) for i in range(len(at))))))
        np.testing.assert_allclose(slope(lags, *values), expected, rtol=1e-9)


def test_no_closed_form() -> None:
    with pytest.raises(NoCounterpartError, match=r"matern\(\) has no derivative by 'nu'"):
        line_slopes(Matern(nu=1, scale=1, dim=1), ("nu",))
