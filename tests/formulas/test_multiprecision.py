"""Formulas in mpmath."""

from __future__ import annotations

import mpmath as mp
import pytest

from kernelspec.expressions.evaluation import Multiprecision, value_at
from tests.formulas.written import POLYA, SMOOTH, written


@pytest.mark.parametrize("text", [*POLYA, *SMOOTH])
def test_values_have_all_digits(text: str) -> None:
    function = {**POLYA, **SMOOTH}[text]
    with mp.workdps(40):
        for x in (mp.mpf("0.3"), mp.mpf("1.7")):
            assert mp.almosteq(value_at(written(text), x), function(x), 1e-37, 1e-37)


@pytest.mark.parametrize(
    "text", ["x -> sqrt(-x)", "x -> log(-x)", "x -> (-x)**0.5", "x -> max(sqrt(-x), 1)", "x -> 0/(x - 1)"]
)
def test_what_is_not_real_is_nan(text: str) -> None:
    assert mp.isnan(value_at(written(text), 1))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("x -> 1/(1 - x)", mp.inf),
        ("x -> log(x - 1)", -mp.inf),
        ("x -> (-2*x)**3", -8),
        ("x -> (-2*x)**-2", mp.mpf(1) / 4),
        ("x -> (x - 1)**0.5", 0),
        ("x -> (x - 1)**0", 1),
        ("x -> exp(-exp(exp(exp(exp(10*x)))))", 0),
        ("x -> exp(exp(exp(exp(exp(10*x)))))", mp.inf),
        ("x -> min(x, 2)*abs(-x)", 1),
        ("x -> tanh(-exp(exp(exp(exp(exp(10*x))))))", -1),
    ],
)
def test_corners(text: str, value: object) -> None:
    assert value_at(written(text), 1) == value


def test_an_unknown_function_is_refused() -> None:
    with pytest.raises(TypeError, match="no function 'cot'"):
        Multiprecision().function("cot", [mp.mpf(1)])
