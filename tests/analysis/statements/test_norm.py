"""The largest norm of a feature."""

from __future__ import annotations

import kernelspec as ks
from kernelspec.analysis.statements import norm


def test_bounded_and_unbounded() -> None:
    fact = norm(ks.analyze("4*gaussian()", dim=2))
    assert (fact.value, fact.lines) == (2.0, ("a feature has norm at most C = 2",))
    fact = norm(ks.analyze("linear()", dim=2))
    assert (fact.value, fact.lines) == ("infinite", ())
    assert norm(ks.analyze("sphere()")).value is None  # depends on how many columns there are
