"""The variance of every method."""

from __future__ import annotations

import kernelspec as ks
from kernelspec.analysis.statements import variance


def test_finite_and_infinite() -> None:
    fact = variance(ks.analyze("match()", dim=1))
    assert fact.value["paired"] == "0"
    fact = variance(ks.analyze("dual(relu, sphere())", dim=6))
    assert fact.value["paired"] == "infinite where E|p|² below the dual of relu exceeds 1"
    assert f"  paired, complex: {fact.value['paired']}" in fact.lines
    assert list(fact.value) == list(ks.analyze("dual(relu, sphere())", dim=6).variance)
    assert not fact.value["neurons"].startswith("infinite")
