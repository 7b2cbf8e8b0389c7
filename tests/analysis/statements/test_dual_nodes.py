"""The dual activations."""

from __future__ import annotations

import kernelspec as ks
from kernelspec.analysis.statements import dual_nodes


def test_law_of_degrees() -> None:
    fact = dual_nodes(ks.analyze("dual(hermite(2), circle())", dim=1))
    (node,), (line,) = fact.value, fact.lines
    assert (node["probabilities"], node["mean_degree"]) == ([0.0, 0.0, 1.0, 0.0], 2.0)
    assert line.startswith("dual of hermite(n=2): degrees 0, 1, 2, 3, … with probability 0, 0, 1, 0, …; mean 2")


def test_null_without_numbers() -> None:
    assert dual_nodes(ks.analyze("dual(relu, gaussian())")).value is None
    assert dual_nodes(ks.analyze("gaussian()", dim=1)).value == []
