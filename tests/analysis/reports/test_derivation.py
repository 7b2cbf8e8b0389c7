"""A derivation in the three forms of a report."""

from __future__ import annotations

import kernelspec as ks
from kernelspec.analysis.reports import derivation_latex, derivation_text, derivation_to_list


def test_the_same_steps_in_every_form() -> None:
    steps = ks.analyze("laplace()", dim=1).derivation
    text, latex, data = derivation_text(steps), derivation_latex(steps), derivation_to_list(steps)
    assert [entry["rule"] for entry in data] == ["piece", "transform", "sum"]
    assert text.splitlines()[:3] == [
        "1. piece: laplace(scale=1) in pieces of the lag",
        "     f_1(t)",
        "       = exp(-Abs(t))",
    ]
    assert latex.splitlines()[1] == r"  f_{1}{\left(t \right)} &= e^{- \left|{t}\right|} \\"
    assert latex.count("&=") == sum(len(step.equals) - 1 for step in steps)
