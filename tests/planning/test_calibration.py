"""Times of a row from a calibration, by hand; and what they decide."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.errors import PlanError
from kernelspec.maps import measured_calibration
from kernelspec.planning.calibration import Calibration, PerColumn
from tests.laws.texts import law
from tests.planning.anchors.kernels import POSITIONS, strata_of

FREE = PerColumn(0.0, 0.0)
SLOW_ANCHORS = Calibration(PerColumn(0.0, 1e-9), PerColumn(0.0, 1e-9), PerColumn(1e-6, 1e-3), 1e-9, 1e-6)
FAST_ANCHORS = Calibration(PerColumn(1e-6, 1e-3), PerColumn(0.0, 1e-9), FREE, 1e-9, 0.0)
X = np.random.default_rng(5).standard_normal((300, 3))


def test_a_sum_over_samples_and_anchors() -> None:
    own = Calibration(PerColumn(2.0, 1.0), PerColumn(0.0, 5.0), PerColumn(1.0, 10.0), 100.0, 0.5)
    parts = [(stratum, 4) for stratum in strata_of("gaussian() + match()[0]")]
    # 4 (2·3 + 1) and 4·5; five anchors: 3 + 10 and 1 + 10 each, and 5 (5 + 16) / 2
    assert own.seconds(parts, len) == 28 + 20
    assert own.seconds(parts, len, 5) == 28 + 20 + 5 * 13 + 5 * 11 + 0.5 * 5 * 21
    keyed = strata_of("minmax()")[0]
    assert own.seconds([(keyed, 7)], lambda _: 2.0) == pytest.approx(100 * law("minmax()", 3).work(7, 2.0))
    assert POSITIONS == (0, 1, 2)


@pytest.mark.slow
def test_the_machine_decides_where_it_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    plans = {}
    for name, own in (("slow", SLOW_ANCHORS), ("fast", FAST_ANCHORS)):
        monkeypatch.setattr(measured_calibration, "calibration_of_machine", lambda own=own: own)
        plans[name] = ks.compile("gaussian(scale=2)", data=X, n_features=64, draws="independent", objective="time").plan
        enough = ks.compile(
            "gaussian(scale=2)", data=X, n_features="auto", error=0.2, draws="independent", objective="time"
        ).plan
        assert (enough.chosen.anchors > 0) == (name == "fast")
        assert enough.chosen.error is not None
        assert enough.chosen.error <= 0.2
    assert plans["slow"].chosen.anchors == 0
    assert plans["fast"].chosen.anchors > 0
    assert plans["fast"].to_dict()["seconds_a_row"] > 0
    assert "predicted µs a row on this machine" in plans["fast"].notes[-1]
    monkeypatch.setattr(measured_calibration, "calibration_of_machine", lambda: pytest.fail("nothing is timed"))
    assert (
        ks.compile("gaussian(scale=2)", data=X, n_features=16, anchors="never").plan.to_dict()["seconds_a_row"] is None
    )
    with pytest.raises(PlanError, match="objective must be 'error' or 'time', not 'speed'"):
        ks.compile("gaussian()", dim=3, objective="speed")  # type: ignore[arg-type]
