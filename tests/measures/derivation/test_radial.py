"""Radial kernels: their profiles, the product, the transform in d columns."""

from __future__ import annotations

import pytest
import sympy

from kernelspec.expressions.symbolic_pairs import SymbolicPairs
from kernelspec.measures.algebra.pieces import NotClosed
from kernelspec.measures.derivation_steps import Journal, derive_radial
from tests.measures.algebra.referees import measure_of_text


@pytest.mark.parametrize("text", ["laplace()*matern(nu=3/2)", "gaussian()*exponential()", "triangle()*gaussian()"])
def test_what_is_not_radial_or_open_in_two_columns_is_refused(text: str) -> None:
    with pytest.raises(NotClosed):
        derive_radial(measure_of_text(text, 2, symbolic=True), sympy.S.One, SymbolicPairs.frequency(2), Journal())


def test_one_factor_needs_no_product() -> None:
    journal = Journal()
    frequency = SymbolicPairs.frequency(2)
    derive_radial(measure_of_text("exponential()", 2, symbolic=True), sympy.S.One, frequency, journal)
    assert [step.rule for step in journal.steps] == ["piece", "transform"]
