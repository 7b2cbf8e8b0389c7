"""Closed, a series, open, or atoms alone."""

from __future__ import annotations

import pytest

from kernelspec.measures.block_density import closure
from tests.measures.algebra.referees import measure_of_text


@pytest.mark.parametrize(
    ("text", "dim", "expected"),
    [
        ("gaussian()*laplace()", 1, "closed"),
        ("gaussian()*laplace()*cauchy()", 1, "open"),
        ("exponential()*gaussian()", 2, "open"),
        ("exponential()*gaussian()", 3, "closed"),
        ("periodic(2)*gaussian()", 2, "series"),
        ("cosine(2)", 1, "atoms"),
        ("powered_exponential(alpha=3/2)", 1, "open"),
        ("gaussian()*laplace() + cauchy()", 1, "closed"),
    ],
)
def test_closure(text: str, dim: int, expected: str) -> None:
    assert closure(measure_of_text(text, dim)) == expected
