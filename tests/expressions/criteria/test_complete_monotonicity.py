"""Complete monotonicity: what is proved is, and what is not stays open."""

from __future__ import annotations

import mpmath as mp
import pytest

from kernelspec.expressions.criteria.complete_monotonicity import by_complete_monotonicity
from kernelspec.expressions.evaluation import value_at
from tests.expressions.written import written

PROVED = [
    "exp(-r**1.3)",
    "(1 + r**0.7)**-3",
    "1/(1 + log(1 + r))",
    "r/sinh(r)",
    "tanh(r/2)/r*2",
    "erf(r)/r",
    "exp(exp(-r) - 1)",
    "log(1 + r**2)/r**2",
    "besselk(0.3, 1 + r)",
    "1/sqrt(1 + r + sqrt(r))",
]

NOT_PROVED = [
    "exp(-r**3)",
    "(1 + r**3)**-1",
    "cosh(1/r)**-1",
    "exp(-r)*cos(r)",
    "max(0, 1 - r)",
    "1/(1 - r)",
    "exp(r)",
    "tanh(r)",
    "1 - r",
    "exp(-r) - exp(-2*r)",
    "(1 - exp(-r))*exp(-r)",
    "exp(-r)**-1",
    "(exp(-r) + exp(-2*r))**0.5",
    "r*exp(-r)",
    "tanh(r**2)/r**2",
    "sinh(r)/r",
    "exp(-r)/exp(-2*r)",
    "cos(r)",
    "1/cosh(r**1.5)",
]


@pytest.mark.parametrize("text", PROVED)
def test_proved_and_true(text: str) -> None:
    """The derivatives in u = r² alternate in sign at some points, by mpmath."""
    formula = written(f"r -> {text}")
    assert by_complete_monotonicity(formula) is not None
    with mp.workdps(60):
        for u in (mp.mpf("0.3"), mp.mpf(2)):
            terms = mp.taylor(lambda s: value_at(formula, mp.sqrt(s)), u, 6)
            assert all(c * (-1) ** k > 0 for k, c in enumerate(terms))


@pytest.mark.parametrize("text", NOT_PROVED)
def test_not_proved(text: str) -> None:
    assert by_complete_monotonicity(written(f"r -> {text}")) is None
