"""Plans changed into those of published estimators."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.errors import PlanError
from kernelspec.published.estimators import published_plan

X = np.random.default_rng(0).standard_normal((40, 2))


def test_what_is_not_asked_for_stays() -> None:
    plan = ks.compile("minmax()", n_features=8, data=X).plan
    assert published_plan(plan, ks.Published(), None) is plan


def test_the_change_is_in_the_plan() -> None:
    plan = ks.compile("minmax()", n_features=8, data=X).plan
    short = published_plan(plan, ks.Published(zero_bit=True), plan.layout.read(X))
    assert short.zero_bit
    assert short.bias.startswith("by ")
    assert short.strata != plan.strata
    parts = ks.compile("cosh_gaussian(by=0.7)", n_features=12, data=X, method="jordan").plan
    fitted = published_plan(parts, ks.Published(masses="estimated", n_rows_for_masses=9), parts.layout.read(X))
    assert fitted.estimated is not None
    assert len(fitted.estimated.rows) == 9


def test_masses_need_rows() -> None:
    parts = ks.compile("cosh_gaussian(by=0.7)", n_features=12, dim=2, method="jordan").plan
    with pytest.raises(PlanError, match="give data="):
        published_plan(parts, ks.Published(masses="estimated"), None)
