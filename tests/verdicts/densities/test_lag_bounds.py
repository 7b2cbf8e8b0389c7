"""Integration by parts: jumps, and bounds on what is left."""

from __future__ import annotations

import mpmath as mp
import pytest

from kernelspec.measures.algebra.line import line_members
from kernelspec.measures.algebra.numbers import MultiprecisionNumbers
from kernelspec.verdicts.densities.line_sign import LagBounds
from tests.measures.algebra import referees as r

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
