"""What follows from parts that rules decide."""

from __future__ import annotations

import pytest

import kernelspec as ks
from kernelspec.elaboration.scope import Columns
from kernelspec.verdicts.rules import Question, by_parts

PART = "(laplace() - 0.1*gaussian())"


@pytest.mark.parametrize(
    ("text", "proved"),
    [
        (f"gaussian()*{PART}", True),
        (f"{PART}**2", True),
        (f"stretch({PART}, 2)", True),
        (f"dual(exp(c=1), {PART})", True),
        (f"match()*{PART} + gaussian()", True),
        ("gaussian()*(gaussian() - laplace())", False),
        (f"gaussian()*{PART} - 0.1*match()", False),
        ("gaussian()", False),
    ],
)
def test_answers(text: str, proved: bool) -> None:
    found = by_parts(Question(ks.parse(text).symbolic_kernel(Columns(1))))
    assert (found is not None) == proved
    assert found is None or found.positive_definite == "proved"
