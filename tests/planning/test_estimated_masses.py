"""Plans with weights that were fitted."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.planning.plan import EstimatedMasses, with_weights
from tests.maps.parts import there_and_back


def test_the_strata_have_the_weights_given() -> None:
    plan = ks.compile("shift_gaussian(by=1)", dim=2, n_features=60, method="jordan").plan
    fitted = with_weights(plan, EstimatedMasses((1.5, -0.25, 0.5), (3, 4)))
    assert [stratum.weight for stratum in fitted.strata] == [1.5, -0.25, 0.5]
    assert [stratum.law for stratum in fitted.strata] == [stratum.law for stratum in plan.strata]
    assert fitted.estimated == EstimatedMasses((1.5, -0.25, 0.5), (3, 4))
    assert plan.estimated is None


def test_there_are_as_many_weights_as_strata() -> None:
    plan = ks.compile("shift_gaussian(by=1)", dim=2, n_features=60, method="jordan").plan
    with pytest.raises(ValueError, match="shorter"):
        with_weights(plan, EstimatedMasses((1.0,), ()))


def test_saved_with_the_plan() -> None:
    X = np.random.default_rng(0).standard_normal((40, 2))
    plan = ks.compile(
        "shift_gaussian(by=1)", n_features=60, method="jordan", data=X, published=ks.Published(masses="estimated")
    ).plan
    back = there_and_back(plan)
    assert back.estimated == plan.estimated
    assert [stratum.weight for stratum in back.strata] == [stratum.weight for stratum in plan.strata]
