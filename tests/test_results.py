"""Cells of kept results (benchmarks/results), computed again: each within the spread that its table states."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import sympy

from benchmarks.link_prediction import areas, graph_of

RESULTS = Path(__file__).parents[1] / "benchmarks" / "results"


@pytest.mark.long
def test_links_of_a_directed_graph() -> None:
    """The first trial of the shifted kernel."""
    text = (RESULTS / "asymmetric.md").read_text(encoding="utf-8")
    (row,) = re.findall(r"\| shift \| one for each of 512 \|(.*)\|", text)
    spreads = [tuple(map(float, pair)) for pair in re.findall(r"\[([\d.]+), ([\d.]+)\]", row)]
    if f"SymPy {sympy.__version__}" not in text:
        pytest.skip("the table is of another version of SymPy")
    graph = graph_of(Path(sympy.__file__).parent)
    for found, (low, high) in zip(areas("shift", graph, 0, crossed=False), spreads, strict=True):
        assert low - 0.0005 <= found <= high + 0.0005
