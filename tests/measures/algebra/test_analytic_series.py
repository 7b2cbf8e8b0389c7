"""Power series of analytic kernels, against Taylor coefficients of mpmath."""

from __future__ import annotations

import mpmath as mp
import pytest
import sympy

from kernelspec.kernels.leaves.constant import Constant
from kernelspec.kernels.leaves.inner_products import Circle
from kernelspec.kernels.leaves.laplace import Laplace
from kernelspec.kernels.leaves.periodic import Periodic
from kernelspec.kernels.leaves.rational_quadratic import RationalQuadratic
from kernelspec.measures.algebra.kernel_series import analytic_series, is_analytic
from kernelspec.measures.algebra.pieces import NotClosed

HALF, THIRD = sympy.Rational(1, 2), sympy.Rational(1, 3)


@pytest.mark.parametrize(
    ("kernel", "function"),
    [
        (Periodic(period=2, scale=HALF, dim=1), lambda t: mp.exp(-8 * mp.sin(mp.pi * t / 2) ** 2)),
        (RationalQuadratic(alpha=THIRD, dim=1), lambda t: (1 + 1.5 * t**2) ** (-mp.mpf(1) / 3)),
        (Circle(dim=1), mp.cos),
        (Constant(dim=1), lambda t: mp.mpf(1)),
    ],
)
def test_coefficients(kernel, function) -> None:
    assert is_analytic(kernel)
    found = analytic_series(kernel, sympy.Rational(2, 7), 5)
    with mp.workdps(40):
        expected = mp.taylor(function, mp.mpf(2) / 7, 4)
    for value, right in zip(found, expected, strict=True):
        assert float(sympy.N(value, 20)) == pytest.approx(float(right), rel=1e-12, abs=1e-20)


def test_a_kink() -> None:
    assert not is_analytic(Laplace(dim=1))
    with pytest.raises(NotClosed):
        analytic_series(Laplace(dim=1), 0, 2)
