"""Measures on the line by their pieces: what the characteristic function says."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest

from kernelspec.measures.algebra.line import line_members
from kernelspec.measures.algebra.pieces import NotClosed
from kernelspec.measures.algebra.transforms import transform
from tests.measures.algebra.pieces import NUMBERS, value
from tests.measures.algebra.referees import measure_of_text


@pytest.mark.parametrize(
    "text",
    [
        "gaussian()*laplace()*cosine(2)",
        "shift(triangle(2), 0.5)*tilt(laplace(), 0.3)",
        "stretch(cauchy()*laplace(), 3)",
        "shift(cauchy(), 1)*gaussian()",
        "(gaussian() - 0.5*cauchy())*(laplace() + 2*sinc())",
        "(gaussian() + laplace())**3",
        "stretch(shift(laplace(), 1), [[-2]])",
    ],
)
def test_values(text: str) -> None:
    measure = measure_of_text(text)
    at = np.array([-1.9, -0.4, 0.3, 1.2])
    found = []
    for t in at:
        total = mp.mpc(0)
        for member in line_members(measure, NUMBERS):
            smooth = 1
            if member.frequency is not None:
                smooth = transform(member.frequency.pieces, NUMBERS.frequency(-t), NUMBERS, NUMBERS)
            total += smooth * (1 if member.lag is None else value(member.lag, t))
        found.append(complex(total))
    np.testing.assert_allclose(found, measure.characteristic_function(at[:, None]), rtol=1e-11, atol=1e-14)


def test_without_pieces() -> None:
    with pytest.raises(NotClosed):
        line_members(measure_of_text("periodic(2)*gaussian()"), NUMBERS)
