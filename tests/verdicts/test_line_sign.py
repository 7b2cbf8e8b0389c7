"""Tests of `verdicts/line_sign.py`."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest

from kernelspec.measures.algebra.line import line_members
from kernelspec.measures.algebra.numbers import MultiprecisionNumbers
from kernelspec.measures.algebra.pieces import NotClosed
from kernelspec.measures.inversion import invert_line
from kernelspec.verdicts.line_sign import LagBounds, sign_on_line
from tests.measures.algebra import referees as r
from tests.measures.algebra.referees import measure_of_text

NUMBERS = MultiprecisionNumbers(60)


def bounds(text: str, power: int = 0) -> LagBounds:
    return LagBounds(line_members(r.measure_of_text(text), NUMBERS), NUMBERS, power)


def test_jumps_are_derivatives() -> None:
    """Of e^{−t²/2−t} at 0, and of (1 − t/2) e^{−t} at both its ends."""
    ((end, row),) = bounds("gaussian()*laplace()").jumps(4).items()
    assert end == 0
    assert [float(v) for v, _ in row] == pytest.approx([1, -1, 0, 2])
    found = {float(end): row for end, row in bounds("triangle(2)*laplace()").jumps(3).items()}
    assert [float(v) for v, _ in found[0.0]] == pytest.approx([1, -1.5, 2])
    assert [float(v) for v, _ in found[2.0]] == pytest.approx([0, mp.exp(-2) / 2, -mp.exp(-2)])
    assert [seen for _, seen in found[2.0]] == [False, True, True]


@pytest.mark.long
@pytest.mark.parametrize("order", [0, 2])
@pytest.mark.parametrize(
    ("text", "k"),
    [
        ("gaussian()*laplace()", r.product(r.gaussian(), r.laplace())),
        ("laplace()*cauchy()", r.product(r.laplace(), r.cauchy())),
        ("laplace()*cosine(2)", r.product(r.laplace(), r.cosine(2))),
    ],
)
def test_the_rest_is_bounded(text: str, k: r.Function, order: int) -> None:
    integral = mp.quad(lambda t: abs(mp.diff(lambda u: u * u * k(u), t, order)), mp.linspace(0.001, 20, 31))
    assert integral <= bounds(text, 2).rest(order)


PAIRS = [
    ("gaussian()*laplace()", "gaussian()"),
    ("laplace()*cauchy()", "gaussian(2)"),
    ("exponential()", "matern(nu=3/2)*exponential()"),
    ("triangle(2)*laplace()", "gaussian()"),
    ("laplace()*cosine(2)", "laplace()*gaussian()*triangle(3)"),
    ("matern(nu=3/2)*matern(nu=5/2)", "matern(nu=3/2)*matern(nu=3/2, scale=2)"),
]


@pytest.mark.long
@pytest.mark.parametrize(("over", "under"), PAIRS)
def test_both_sides_of_the_least_quotient(over: str, under: str) -> None:
    """The quotient on a grid by numerical inversion, which knows nothing of closed forms."""
    omega = np.concatenate([[0.0], 2.0 ** np.linspace(-4, 5, 400)])
    (p, doubt, _), (q, other, _) = (invert_line(measure_of_text(text), omega) for text in (over, under))
    known = (np.abs(p) > 1e3 * doubt) & (np.abs(q) > 1e3 * other)
    least = float(np.min(p[known & (q > 0)] / q[known & (q > 0)]))
    at = omega[known & (q > 0)][np.argmin(p[known & (q > 0)] / q[known & (q > 0)])]
    proved = sign_on_line(measure_of_text(f"{over} - {0.98 * least!r}*{under}"))
    disproved = sign_on_line(measure_of_text(f"{over} - {1.02 * least!r}*{under}"))
    assert disproved.answer == "disproved"
    assert disproved.density < 0
    assert proved.answer == "proved", (least, at)


def test_zero_and_the_smooth_are_left_open() -> None:
    """k − k touches zero everywhere; without a breakpoint there is no series to stand on."""
    assert (
        sign_on_line(measure_of_text("gaussian()*gaussian(2) - 0.1*gaussian()*cosine(1)*gaussian()")).answer != "proved"
    )
    with pytest.raises(NotClosed):
        sign_on_line(measure_of_text("matern(nu=1)*laplace()"))
    with pytest.raises(NotClosed):
        sign_on_line(measure_of_text("shift(laplace(), by=1)*gaussian()"))


def test_a_tail_that_is_negative_far_out() -> None:
    """e^{−|t|} − 1.0001 e^{−|t|−t²}: the terms ω^{−2} nearly cancel, and what is left is negative."""
    found = sign_on_line(measure_of_text("laplace()*gaussian(2) - 1.0001*laplace()*gaussian(1)"))
    assert found.answer == "disproved"
    assert found.at > 1
