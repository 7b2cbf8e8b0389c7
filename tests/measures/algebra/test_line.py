"""Tests of `measures/algebra/line.py`."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest
import sympy

from kernelspec.measures.algebra.line import density_of_member, gathered_terms, is_even, line_members, require_closed
from kernelspec.measures.algebra.pieces import NotClosed, transform
from tests.measures.algebra import referees as r
from tests.measures.algebra.pieces import NUMBERS, value
from tests.measures.algebra.referees import measure_of_text

w = sympy.Symbol("omega", real=True)
z = 1 - sympy.I * w


def test_opposite_arguments_and_equal_exponentials() -> None:
    first = (2 + z) * (sympy.erf(z + 1) - sympy.erf(z)) * sympy.exp(z**2)
    second = (2 - z) * (sympy.erf(1 - z) - sympy.erf(-z)) * sympy.exp((-z) ** 2)
    whole = (first + second + sympy.exp(-2 * sympy.I * w)) / (2 * sympy.pi)
    found = gathered_terms(whole)
    assert found.count_ops() < 0.9 * whole.count_ops()
    assert len(found.atoms(sympy.erf)) == 3
    for place in (0.3, -2.2):
        assert complex(found.subs(w, place).evalf()) == pytest.approx(complex(whole.subs(w, place).evalf()), rel=1e-12)


@pytest.mark.parametrize(
    "expression", [sympy.exp(-(w**2)) * sympy.erf(w), 1 / (1 + w**2), sympy.erf(w) + sympy.erf(2 * w)]
)
def test_nothing_to_gather(expression: sympy.Expr) -> None:
    assert gathered_terms(expression) == expression


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


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("gaussian()*laplace()*cauchy()", "half-line"),
        ("shift(cauchy(), 1)*laplace()", "not even"),
        ("cosine(2)", "does not decay"),
        ("cosine(2)*cauchy()", "wave"),
    ],
)
def test_refusals(text: str, reason: str) -> None:
    (member,) = line_members(r.measure_of_text(text), NUMBERS)
    with pytest.raises(NotClosed, match=reason):
        require_closed(member)


@pytest.mark.parametrize(
    ("text", "even"), [("triangle()*cosine(2)", True), ("shift(triangle(), 0.5)*gaussian()", False)]
)
def test_even_members_have_real_densities(text: str, even: bool) -> None:
    (member,) = line_members(r.measure_of_text(text), NUMBERS)
    assert is_even(member) is even
    value = complex(density_of_member(member, NUMBERS.frequency(0.7), NUMBERS))
    assert (abs(value.imag) < 1e-15) is even
