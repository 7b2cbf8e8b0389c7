"""k on both sides of a point, against Taylor coefficients of mpmath."""

from __future__ import annotations

import mpmath as mp
import pytest
import sympy

from kernelspec.measures.algebra.kernel_series import one_sided_series, parts_of
from tests.measures.algebra import referees as r


def _periodic(period, scale):
    return lambda t: mp.exp(-2 * mp.sin(mp.pi * t / period) ** 2 / scale**2)


KERNELS = {
    "periodic(2, scale=3/2)*gaussian()": r.product(_periodic(2, 1.5), r.gaussian()),
    "stretch(shift(periodic(2), by=1/3), 2)*cauchy()": r.product(
        lambda t: _periodic(2, 1)(t / 2 + mp.mpf(1) / 3), r.cauchy(1)
    ),
    "rational_quadratic(alpha=1/3)*periodic(1)": r.product(
        lambda t: (1 + 1.5 * t**2) ** (-mp.mpf(1) / 3), _periodic(1, 1)
    ),
    "circle()*sinc(2)": r.product(mp.cos, r.sinc(2)),
}


@pytest.mark.long
@pytest.mark.parametrize("text", KERNELS)
def test_where_k_is_smooth(text: str) -> None:
    parts = parts_of(r.measure_of_text(text, symbolic=True))
    place = sympy.Rational(2, 7)
    right, left = (one_sided_series(parts, place, 5, right=side) for side in (True, False))
    with mp.workdps(40):
        expected = mp.taylor(KERNELS[text], mp.mpf(2) / 7, 4)
    for a, b, value in zip(right, left, expected, strict=True):
        assert complex(a.evalf(20)) == pytest.approx(complex(value), rel=1e-12)
        assert complex((a - b).evalf(20)) == pytest.approx(0, abs=1e-15)


def test_at_a_kink() -> None:
    """1 − |t − 1| times a cosine, on both sides of 1."""
    parts = parts_of(r.measure_of_text("shift(triangle(), by=-1)*circle()", symbolic=True))
    for side, slope in ((True, -1), (False, 1)):
        found = one_sided_series(parts, sympy.S(1), 2, right=side)
        assert sympy.simplify(found[0] - sympy.cos(1)) == 0
        assert sympy.simplify(found[1] - slope * sympy.cos(1) + sympy.sin(1)) == 0
