"""What all terms of a sum have in common."""

from __future__ import annotations

import pytest

import kernelspec as ks
from kernelspec.elaboration.scope import Columns
from kernelspec.verdicts.rules import Question, by_common_factor


@pytest.mark.parametrize(
    ("text", "proved"),
    [
        ("laplace()[0]*match()[1] - 0.1*gaussian()[0]*match()[1]", True),
        ("laplace()[0]*match()[1] - 0.9*gaussian()[0]*match()[1]", False),  # nothing follows
        ("gaussian()*match()[0] - 0.5*match()[0]", False),  # one term is the factor alone
        ("gaussian() - 0.1*laplace()", False),
        ("match()[1]", False),
    ],
)
def test_answers(text: str, proved: bool) -> None:
    found = by_common_factor(Question(ks.parse(text).symbolic_kernel(Columns(2))))
    assert (found is not None) == proved
    if found is not None:
        assert "Schur 1911" in found.reasons[-1]
        assert found.positive_definite == "proved"
