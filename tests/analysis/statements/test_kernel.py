"""The kernel as an expression."""

from __future__ import annotations

import kernelspec as ks
from kernelspec.analysis.statements import kernel


def test_in_all_formats() -> None:
    fact = kernel(ks.analyze("laplace()", dim=1))
    assert fact.value == "exp(-Abs(x - y))"
    assert fact.lines == ("k(x, y) = exp(-Abs(x - y))",)
    ((left, right),) = fact.latex
    assert left == "k(x, y)"
    assert right.startswith("e^{")
