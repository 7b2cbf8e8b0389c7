"""A plan for notebooks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import kernelspec as ks
from kernelspec.planning.plan import plan_rows


def test_what_a_plan_says() -> None:
    rows = np.random.default_rng(0).standard_normal((30, 2))
    plan = ks.compile("gaussian(scale=2)", data=rows, n_features=64, seed=3).plan
    found = dict(plan_rows(plan))
    assert found["method"] == plan.chosen.describe()
    assert found["seed"] == "3"
    assert found["why"] == plan.reason
    assert "relative error of the kernel matrix" in found["promised"]
    assert found["considered"].count("\n") == len(plan.alternatives) - 1
    assert found["unbiased"] == "yes"


def test_the_only_plan_has_nothing_beside_it() -> None:
    plan = ks.compile("match()", dim=2, n_features=4).plan
    assert "considered" not in dict(plan_rows(replace(plan, alternatives=())))
