"""EXPLAIN ANALYZE: predictions beside measurements, on maps of many kinds."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.errors import PlanError

RNG = np.random.default_rng(7)
X = np.c_[RNG.standard_normal((300, 3)), RNG.integers(0, 4, 300)]

SPEC = "0.6*gaussian(2)[0:2] + 0.4*laplace(3)[2]*match()[3]"
INDEPENDENT = {"draws": "independent", "anchors": "never"}


@pytest.mark.parametrize(
    ("text", "options"),
    [
        (SPEC, INDEPENDENT),
        (SPEC, {**INDEPENDENT, "keys": "hashed", "buckets": 8}),
        (SPEC, {**INDEPENDENT, "method": "phase", "storage": "dense"}),
        pytest.param("0.5*minmax()[0:3] + match()[3]", {"keys": "exact"}, marks=pytest.mark.slow),
        pytest.param("minmax()[0:3]", {"keys": "bits", "bits": 3}, marks=pytest.mark.slow),
        pytest.param("shift_gaussian(2, by=1)[0:2] - 0.5*laplace(2)[2]", INDEPENDENT, marks=pytest.mark.slow),
        pytest.param("gaussian(2)[0:3] + laplace(9)[2]", {"method": "anchored"}, marks=pytest.mark.slow),
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
    assert [node.samples for node in found.nodes if node.name != "anchors"] == list(fmap.plan.chosen.counts)
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
