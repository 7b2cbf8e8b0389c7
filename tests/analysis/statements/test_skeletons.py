"""The skeletons of a kernel."""

from __future__ import annotations

import kernelspec as ks
from kernelspec.analysis.statements import skeletons


def test_lines_and_data() -> None:
    fact = skeletons(ks.analyze("full(relu, input=image(1, 2, 1))", dim=2))
    (found,) = fact.value
    assert (found["image"], found["depth"]) == ([1, 2, 1], 1)
    assert fact.lines[0].startswith("skeleton: 1 × 2 × 1 nodes circle()")
    assert all(line.startswith("  ") for line in fact.lines[1:])
    assert skeletons(ks.analyze("gaussian()", dim=2)).value == []
