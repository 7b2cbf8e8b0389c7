"""The coverage table counts parts, methods and pairs, and adds up."""

from __future__ import annotations

from kernelspec.testing.samples import Coverage, Judged

PARTS = frozenset({"kernel gaussian", "operator sum"})


def test_counts() -> None:
    covered = Coverage()
    covered.enter(PARTS, [Judged("paired", 20, 0, 0, True), Judged("phase", 20, 12, 0, False)])
    covered.enter({"kernel match"}, [Judged("paired", 0, 0, 25, False)])
    assert covered.drawn == {"kernel gaussian": 1, "operator sum": 1, "kernel match": 1}
    assert covered.times_judged("operator sum") == 3  # paired, hashed, phase
    assert covered.variances_judged("operator sum") == 1
    assert covered.times_judged("kernel match") == 0
    other = Coverage()
    other.enter(PARTS, [Judged("paired", 20, 20, 0, False)])
    covered.merge(other)
    assert covered.judged["kernel gaussian", "paired"] == 2
    text = "\n".join(covered.lines())
    assert "kernel gaussian                       2" in text
    assert "paired 2/1" in text
    assert "1 of 2 pairs met" in text
