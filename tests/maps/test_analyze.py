"""Tests of `maps/analyze.py`."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.errors import PlanError
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


RNG = np.random.default_rng(7)
X = np.c_[RNG.standard_normal((300, 3)), RNG.integers(0, 4, 300)]

SPEC = "0.6*gaussian(2)[0:2] + 0.4*laplace(3)[2]*match()[3]"
INDEPENDENT = {"draws": "independent", "landmarks": "never"}


@pytest.mark.parametrize(
    ("text", "options"),
    [
        (SPEC, INDEPENDENT),
        (SPEC, {**INDEPENDENT, "keys": "hashed", "buckets": 8}),
        (SPEC, {**INDEPENDENT, "method": "phase", "storage": "dense"}),
        pytest.param("0.5*minmax()[0:3] + match()[3]", {"keys": "exact"}, marks=pytest.mark.slow),
        pytest.param("minmax()[0:3]", {"keys": "bits", "bits": 3}, marks=pytest.mark.slow),
        pytest.param("shift_gaussian(2, by=1)[0:2] - 0.5*laplace(2)[2]", INDEPENDENT, marks=pytest.mark.slow),
        pytest.param("gaussian(2)[0:3] + laplace(9)[2]", {"method": "landmarks"}, marks=pytest.mark.slow),
    ],
)
def test_what_is_measured_is_what_was_predicted(text: str, options: dict[str, object]) -> None:
    """|z| of every part from 64 draws below 5; the variances are those of `predicted_error` on the same rows."""
    fmap = ks.compile(text, data=X, n_features=64, **options)  # type: ignore[arg-type]
    rows = fmap.plan.layout.read(X).some(128)
    found = fmap.analyze(X)
    hashed = fmap.plan.collisions is not None and fmap.has_keys and options.get("keys") != "exact"
    assert found.predicted == pytest.approx(fmap.predicted_error(rows, hashed=hashed) ** 2, rel=1e-6)
    for node in found.nodes:
        slack = 0.25 * node.predicted if node.plan_measured else 1e-12
        assert abs(node.measured - node.predicted) <= 5 * node.standard_error + slack, node
    assert sum(node.columns for node in found.nodes) == fmap.n_columns
    assert [node.samples for node in found.nodes if node.name != "landmarks"] == list(fmap.plan.chosen.counts)
    assert all(node.bytes_held > 0 and node.seconds_a_row > 0 for node in found.nodes)
    assert 0 < found.this_map < 5 * found.predicted**0.5


def test_anchors_alone_have_their_bias() -> None:
    fmap = ks.compile("gaussian(1)[0:3]", data=X, n_features=32, method="nystrom")
    rows = fmap.plan.layout.read(X).some(128)
    exact = ks.parse("gaussian(1)[0:3]").gram(rows.dense())
    (node,) = fmap.analyze(X).nodes
    error = np.linalg.norm(fmap.approximate(rows) - exact) / np.linalg.norm(exact)
    assert (node.measured, node.standard_error) == (pytest.approx(error**2), 0)
    assert node.predicted == pytest.approx(error**2)


def test_a_wrong_prediction_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a law whose variance is stated half as large as it is."""
    from kernelspec.laws.fourier import FourierLaw
    from kernelspec.laws.law import Law

    fmap = ks.compile("gaussian(2)[0:2]", data=X, n_features=64, method="paired", **INDEPENDENT)  # type: ignore[arg-type]
    assert fmap.analyze(X).nodes[0].agrees
    monkeypatch.setattr(FourierLaw, "variance", lambda *given: Law.variance(*given) / 2, raising=False)
    assert not fmap.analyze(X).nodes[0].agrees


def test_what_is_refused() -> None:
    fmap = ks.compile("gaussian()", dim=2, n_features=16)
    with pytest.raises(PlanError, match="replicates must be at least 2"):
        fmap.analyze(X[:, :2], replicates=1)
    zero = ks.compile("minmax()", dim=2, n_features=16, published=ks.Published(zero_bit=True))
    with pytest.raises(PlanError, match="another mean than the kernel"):
        zero.analyze(abs(X[:, :2]))
