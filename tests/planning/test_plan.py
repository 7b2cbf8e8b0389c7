"""Tests of `planning/plan.py`."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.planning.plan import Candidate, EstimatedMasses, plan_rows, with_weights
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


def test_describe() -> None:
    assert Candidate("paired", False, (4,), 0.1).describe() == "paired"
    assert Candidate("phase", False, (4, 5), 0.1).describe() == "phase, stratified"
    assert Candidate("complex", True, (9,), 0.1).describe() == "complex"
    assert Candidate("paired", False, (), 0.0).describe() == "paired"
    assert Candidate("paired", False, (4,), 0.1, ("binning",)).describe() == "binning"
    assert Candidate("paired", False, (4, 5), 0.1, ("binning", "binning")).describe() == "binning, stratified"
    assert Candidate("phase", False, (4, 5), 0.1, (None, "binning")).describe() == "phase and binning, stratified"
    assert (
        Candidate("phase", False, (4, 5), 0.1, ("varying",), is_complex=True).describe() == "varying, phase, stratified"
    )
    assert Candidate("paired", False, (4,), 0.1, (None,), is_complex=True).describe() == "paired"


def test_named() -> None:
    assert Candidate("paired", False, (4, 5, 6), 0.1, ("gcws", None, "binning")).named == ("gcws", "binning")
    assert Candidate("paired", False, (4,), 0.1).named == ()
    assert Candidate("paired", False, (4,), 0.1).is_plain
    assert Candidate("paired", False, (4, 5), 0.1, ("gcws", None)).is_plain
    assert not Candidate("paired", False, (4,), 0.1, ("gcws",)).is_plain


def test_no_two_candidates_have_one_name() -> None:
    for text in ("dual(relu, sphere()[0, 1, 2]) * gaussian()[3]", "gaussian() + laplace() + match()[0]"):
        plan = ks.compile(text, dim=4, n_features=64).plan
        names = [candidate.describe() for candidate in (plan.chosen, *plan.alternatives)]
        assert len(set(names)) == len(names)


def test_parts_and_form() -> None:
    plan = ks.compile("gaussian() + match()[0]", dim=2, n_features=9, method="paired").plan
    assert plan.form == "paired"
    assert [n for _, n in plan.parts] == list(plan.chosen.counts)
    assert [stratum.weight for stratum, _ in plan.parts] == [1, 1]


def test_json() -> None:
    plan = ks.compile("0.5 * gaussian()[age] + match()[land]", n_features=9, seed=3).plan
    found = json.loads(json.dumps(plan.to_dict()))
    assert found["spec"] == plan.text
    assert found["columns"] == 2
    assert found["names"] == ["age", "land"]
    assert found["method"] == plan.form
    assert found["seed"] == 3
    assert [part["samples"] for part in found["strata"]] == list(plan.chosen.counts)
    assert [part["positions"] for part in found["strata"]] == [[0], [1]]
    assert len(found["alternatives"]) == len(plan.alternatives)
    assert found["predicted_variance"] == plan.chosen.variance


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
