"""Plans as JSON and back."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings

import kernelspec as ks
from kernelspec.planning.methods import Method
from kernelspec.planning.saved_plan import plan_from_dict, plan_to_dict
from kernelspec.spec import Spec
from kernelspec.testing.strategies import specs

CHOSEN = {
    "form": "paired",
    "mixture": False,
    "counts": [1],
    "variance": 0,
    "schemes": [None],
    "is_sparse": False,
    "is_complex": False,
    "work": 0,
    "error": None,
}


@pytest.mark.slow
@settings(max_examples=150, deadline=None, derandomize=True, database=None)
@given(specs(3, names=("a", "b c", "d"), signed=True))
def test_round_trip(spec: Spec) -> None:
    plan = ks.compile(spec, columns=("a", "b c", "d"), n_features=12, seed=2**63).plan
    assert plan_from_dict(json.loads(json.dumps(plan_to_dict(plan)))) == plan


@pytest.mark.parametrize("n", [4, 64])
def test_mixtures_and_strata(n: int) -> None:
    plan = ks.compile("gaussian() + laplace() + cauchy()", dim=2, n_features=n, method="paired").plan
    assert plan.chosen.mixture == (n == 4)
    assert plan_from_dict(plan_to_dict(plan)) == plan


@pytest.mark.parametrize("method", ["auto", "binning"])
def test_schemes_and_data(method: Method) -> None:
    data = np.random.default_rng(0).standard_normal((30, 2))
    spec = "laplace() + match()[0] * triangle(3)[1] + cauchy()"
    plan = ks.compile(spec, method=method, data=data, bits=None).plan
    assert "binning" in plan.chosen.schemes
    assert plan.chosen.error is not None
    assert plan_from_dict(json.loads(json.dumps(plan_to_dict(plan)))) == plan


def test_values_of_parameters() -> None:
    spec = ks.parse("param s > 0\ngaussian(scale=s)[x]").with_params({"s": 0.1})
    plan = ks.compile(spec).plan
    again = plan_from_dict(json.loads(json.dumps(plan_to_dict(plan))))
    assert again == plan
    assert again.spec.params == {"s": 0.1}


@pytest.mark.parametrize(
    ("edit", "error"),
    [
        ({"spec": "gaussian("}, ks.KernelspecError),
        ({"spec": "match()"}, None),
        ({"spec": "gaussian() + match()"}, ValueError),
        ({"dim": 0}, ks.KernelspecError),
        ({"params": {"s": "x"}}, ValueError),
        ({"chosen": CHOSEN | {"form": "magic"}}, ValueError),
        ({"chosen": CHOSEN | {"schemes": ["magic"]}}, ValueError),
        ({"chosen": CHOSEN | {"schemes": [None, None]}}, ValueError),
        ({"chosen": CHOSEN | {"counts": [1, 2]}}, ValueError),
        ({"chosen": {}}, KeyError),
    ],
)
def test_damage_is_noticed(edit: dict[str, object], error: type[Exception] | None) -> None:
    saved = plan_to_dict(ks.compile("gaussian()", dim=2).plan) | edit
    if error is None:
        plan_from_dict(saved)
        return
    with pytest.raises(error):
        plan_from_dict(saved)
