"""The estimators of rbf_cosine()."""

from __future__ import annotations

import kernelspec as ks
from kernelspec.analysis.statements import cosine_estimators


def test_one_line_and_one_row_for_each() -> None:
    fact = cosine_estimators(ks.analyze("rbf_cosine(1)", dim=2))
    assert len(fact.lines) == 1 + len(fact.latex) == 1 + len(fact.value) == 5
    assert fact.value["cosine and sine"] == "(1 - exp(2*rho - 2))**2"
    assert cosine_estimators(ks.analyze("gaussian()", dim=2)).value is None
