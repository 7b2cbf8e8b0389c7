"""Plans made again from the text of their spec."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings

import kernelspec as ks
from kernelspec.laws.atoms import AtomsLaw
from kernelspec.maps.saved.redrawn import replanned
from kernelspec.planning.methods import Method
from kernelspec.planning.plan import Plan
from kernelspec.spec import Spec
from kernelspec.testing.strategies import specs
from tests.maps.parts import there_and_back
from tests.thoroughness import examples


def stripped(plan: Plan) -> Plan:
    """What was decided, how many atoms are exact included, without what follows from the spec."""
    every = tuple(range(plan.layout.dim))  # types that were recorded must be of columns that are used
    exact = tuple(stratum for stratum in plan.strata if isinstance(stratum.law, AtomsLaw))
    return replace(plan, strata=exact, layout=replace(plan.layout, numeric=every, categorical=(), domains=()))


@pytest.mark.long
@settings(max_examples=examples(150), derandomize=True, database=None)
@given(specs(3, names=("a", "b c", "d"), signed=True))
def test_plans_are_restored_and_saved(spec: Spec) -> None:
    plan = ks.compile(spec, columns=("a", "b c", "d"), n_features=12, seed=2**63).plan
    assert replanned(stripped(plan)) == plan
    assert there_and_back(plan) == plan


@pytest.mark.parametrize("n", [4, 64])
def test_mixtures_and_strata(n: int) -> None:
    plan = ks.compile("gaussian() + laplace() + cauchy()", dim=2, n_features=n, method="paired").plan
    assert plan.chosen.mixture == (n == 4)
    assert replanned(stripped(plan)) == plan


@pytest.mark.parametrize("method", ["auto", "binning"])
def test_schemes_and_data(method: Method) -> None:
    data = np.random.default_rng(0).standard_normal((30, 2))
    spec = "laplace() + match()[0] * triangle(3)[1] + cauchy()"
    plan = ks.compile(spec, method=method, data=data, keys="hashed", draws="independent", anchors="never").plan
    assert "binning" in plan.chosen.schemes
    assert plan.chosen.error is not None
    assert replanned(stripped(plan)) == plan
    assert there_and_back(plan) == plan


def test_categories_stay_those_of_the_plan() -> None:
    data = np.column_stack([np.random.default_rng(0).standard_normal(30), np.arange(30) % 3])
    plan = ks.compile("match()[1] + gaussian()[0] * match()[1] + laplace()[0]", data=data, n_features=30).plan
    assert [None if stratum.known is None else len(stratum.known) for stratum in plan.strata] == [3, 3, None]
    again = replanned(replace(plan, layout=replace(plan.layout, numeric=(0, 1), categorical=(1,))))
    assert again == plan
    assert there_and_back(plan) == plan


def test_values_of_parameters() -> None:
    spec = ks.parse("param s > 0\ngaussian(scale=s)[x]").with_params({"s": 0.1})
    again = replanned(stripped(ks.compile(spec).plan))
    assert again == ks.compile(spec).plan
    assert again.text == str(spec)
    assert again.values == (("s", Fraction(1, 10)),)


@pytest.mark.parametrize("text", ["gaussian(", "gaussian() + match()", "gaussian()[x]"])
def test_texts_that_do_not_fit(text: str) -> None:
    plan = ks.compile("gaussian()", dim=2).plan
    with pytest.raises((ks.KernelspecError, ValueError)):
        replanned(replace(plan, text=text))
