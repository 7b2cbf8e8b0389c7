"""The report of an analysis."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from kernelspec.maps.analyze import Analysis, AnalyzedNode

NODE = AnalyzedNode("0.7 × stratum 1", ("frequencies of gaussian()",), 95, 190, 6840, 0.0100, 0.0104, 0.0004, 4.8e-7)
OTHER = replace(NODE, name="0.3 × stratum 2", predicted=0.04, measured=0.03, standard_error=0.001)
ANALYSIS = Analysis("gaussian()", "paired, stratified", 128, 64, (NODE, OTHER), 0.19)


def test_totals_are_sums_and_the_worst_has_most_of_the_error() -> None:
    assert (ANALYSIS.predicted, ANALYSIS.measured) == pytest.approx((0.05, 0.0404))
    assert ANALYSIS.standard_error == pytest.approx((0.0004**2 + 0.001**2) ** 0.5)
    assert ANALYSIS.worst is OTHER
    assert replace(ANALYSIS, nodes=(replace(NODE, measured=0.0),)).worst is None


def test_four_standard_errors_part_a_prediction_from_its_measurement() -> None:
    assert NODE.agrees
    assert not OTHER.agrees
    assert replace(OTHER, plan_measured=True).agrees  # such a prediction has an error of its own
    assert not replace(NODE, predicted=float("inf")).agrees


def test_text_html_and_json() -> None:
    text = str(ANALYSIS)
    line = next(line for line in text.splitlines() if "stratum 2" in line)
    assert line.endswith("← most of the error ≠ not as predicted")
    assert "  0.2  " in line
    assert "0.173 ± 0.003" in line
    assert "74%" in line
    assert "      frequencies of gaussian()" in text.splitlines()
    assert "in all: predicted 0.224, measured 0.201 ± 0.003; this map 0.19" in text
    report = json.loads(json.dumps(ANALYSIS.to_dict()))
    assert report["worst"] == 1
    assert [node["agrees"] for node in report["nodes"]] == [True, False]
    assert "<table>" in ANALYSIS._repr_html_()
    assert "stratum 2" in ANALYSIS._repr_html_()
    assert repr(ANALYSIS) == 'Analysis("gaussian()", 2 nodes, predicted 0.224, measured 0.201)'
