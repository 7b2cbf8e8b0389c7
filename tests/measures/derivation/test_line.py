"""On one column every factor is named, and the steps are the rules that were applied."""

from __future__ import annotations

import pytest
import sympy

from kernelspec.measures.algebra.pieces import NotClosed
from kernelspec.measures.derivation_steps import Journal, derive_on_line
from tests.measures.algebra.referees import measure_of_text

OMEGA = sympy.Symbol("omega", real=True)
MU = sympy.Function("mu")(OMEGA)


def test_densities_alone_are_convolved() -> None:
    journal = Journal()
    derive_on_line(measure_of_text("cauchy()*cauchy(2)", symbolic=True), MU, OMEGA, journal)
    assert [step.rule for step in journal.steps] == ["piece", "piece", "convolution", "sum"]
    assert journal.steps[-1].left == sympy.Function("p_3")(OMEGA)


@pytest.mark.parametrize("text", ["matern(nu=1)", "(gaussian() + sinc())*cauchy()", "shift(cauchy(), by=1)*gaussian()"])
def test_what_is_not_one_product_of_pieces_is_refused(text: str) -> None:
    with pytest.raises(NotClosed):
        derive_on_line(measure_of_text(text, symbolic=True), MU, OMEGA, Journal())
