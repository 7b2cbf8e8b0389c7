"""The size of the kernel."""

from __future__ import annotations

import kernelspec as ks
from kernelspec.analysis.statements import diagonal


def test_numbers_and_expressions() -> None:
    assert diagonal(ks.analyze("0.5*gaussian()", dim=1)).lines == ("k(x, x) = 1/2",)
    assert diagonal(ks.analyze("linear()", dim=1)).value == "x**2"
    assert diagonal(ks.analyze("gaussian()", dim=1)).name == "k0"
