"""Cases have the part asked for, and rows on which they are defined."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.testing.strategies import cases
from kernelspec.testing.strategies.cases import OPERATORS, everything
from tests.testing.strategies.examples import drawn


@pytest.mark.parametrize("part", everything())
def test_the_part_is_there(part: str) -> None:
    for case in drawn(cases(part), 4):
        assert part in case.parts
        gram = ks.parse(case.text).gram(case.rows)
        assert gram.shape == (5, 5)
        assert np.isfinite(gram).all()


@pytest.mark.long
def test_specs_are_nested() -> None:
    found = drawn(cases(max_depth=3), 500)
    assert {part for case in found for part in case.parts} >= {f"operator {name}" for name in OPERATORS}
    assert sum(sum(part.startswith("operator") for part in case.parts) >= 3 for case in found) > 30
    assert any("\n" in case.text for case in found)


def test_rows_have_pairs_near_and_far() -> None:
    for case in drawn(cases("kernel gaussian"), 8):
        gram = ks.parse("gaussian(scale=1.5)[0:3]").gram(case.rows)
        assert (gram > 0.3).sum() > 7
        np.testing.assert_allclose(np.linalg.norm(case.rows[:, 3:6], axis=1), 1)
