"""The text of the spec."""

from __future__ import annotations

import kernelspec as ks
from kernelspec.analysis.statements import spec


def test_text() -> None:
    fact = spec(ks.analyze("gaussian( scale = 2 )", dim=1))
    assert (fact.value, fact.lines) == ("gaussian(scale=2)", ("gaussian(scale=2)", ""))
