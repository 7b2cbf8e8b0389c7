"""Biased draws: taken only if they are named, labelled with what was measured, refused where they have no meaning."""

from __future__ import annotations

import re

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.errors import PlanError
from kernelspec.planning.notes import bias_of_draws
from kernelspec.planning.reference import Reference

X = np.random.default_rng(0).standard_normal((60, 64))


@pytest.mark.slow
def test_they_are_labelled_with_the_bias_that_was_measured() -> None:
    fmap = ks.compile("gaussian(scale=8)", 64, 128, draws="hadamard")
    assert fmap.plan.chosen.describe() == "paired, hadamard (biased)"
    assert not fmap.unbiased
    found = re.search(r"the mean is off by at most (\S+) ± (\S+) on 256 pairs of standard normal rows", fmap.explain())
    assert found is not None
    assert 0 < float(found[1]) < 1e-3
    assert float(found[2]) < 3e-4
    assert fmap.plan.to_dict()["bias"] == fmap.plan.bias
    assert not fmap.plan.to_dict()["unbiased"]


@pytest.mark.slow
def test_pairs_on_which_nothing_can_be_seen_are_said_to_be_such() -> None:
    far, near = (ks.compile(f"gaussian(scale={scale})", 64, 64, draws="hadamard").plan.bias for scale in (1, 8))
    assert re.search(r"pairs of .*, all so far apart that the kernel is at most \S+e-\d+: of nearer rows nothing", far)
    assert "far apart" not in near


@pytest.mark.slow
def test_weights_multiply() -> None:
    whole, half = (ks.compile(f"{weight}*gaussian(scale=8)", 64, 16, draws="hadamard").plan for weight in ("1", "0.5"))
    reference = Reference.of(whole.layout, None)
    size, fraction = (float(bias_of_draws(plan.strata, reference).split()[2]) for plan in (whole, half))
    assert fraction == pytest.approx(size / 2, rel=0.05)  # two digits


@pytest.mark.slow
def test_they_are_never_chosen_by_themselves() -> None:
    for options in ({"dim": 64}, {"data": X}):
        plan = ks.compile("gaussian(scale=8)", n_features=64, **options).plan
        assert all("hadamard" not in one.draws for one in (plan.chosen, *plan.alternatives))
    plan = ks.compile("gaussian(scale=8)", n_features=64, data=X, draws="hadamard").plan
    assert plan.chosen.draws == ("hadamard",)
    assert not plan.chosen.anchors


@pytest.mark.parametrize(
    "text", ["gaussian()[0:63]", "laplace()", "gaussian() * match()[0]", "gaussian()*matern(nu=3/2)", "minmax()"]
)
def test_where_they_have_no_meaning(text: str) -> None:
    with pytest.raises(PlanError, match="it is for frequencies of isotropic kernels on 64 columns or more, such as"):
        ks.compile(text, 64, 32, draws="hadamard")
