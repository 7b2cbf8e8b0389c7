"""Skeletons as parts of other kernels."""

from __future__ import annotations

import math

import pytest

import kernelspec as ks
from kernelspec.analysis.variances import skeleton_to_dict, skeletons_in
from kernelspec.elaboration.scope import Columns


def test_each_one_once_and_in_order() -> None:
    flat, deep = (
        "full(relu, input=image(2, 2, 1))[0:4]",
        "full(step, input=conv(relu, size=2, input=image(2, 3, 1)))[0:6]",
    )
    first, second = (skeletons_in(ks.parse(text).kernel(Columns(6)))[0] for text in (flat, deep))
    both = ks.parse(f"({flat} + 2*{deep})**2 * {flat} * gaussian()").kernel(Columns(6))
    assert skeletons_in(both) == (first, second)
    assert skeletons_in(ks.parse(f"{deep} + {flat}").kernel(Columns(6))) == (second, first)


@pytest.mark.slow
def test_the_report_has_the_layers() -> None:
    facts = ks.analyze(
        "2 * full(relu, input=conv(exp(c=1/4), size=2, stride=2, input=image(4, 4, 1))) * gaussian()", dim=16
    )
    (found,) = facts.skeletons
    assert (found.complexity, found.depth) == (0.25, 2)
    assert facts.composition is not None
    assert (facts.composition.complexity, facts.composition.norm) == (1.25, pytest.approx(2**0.5))
    text = facts.report()
    assert "skeleton: 4 × 4 × 1 nodes circle()\n  conv(exp(c=0.25), size=2, stride=2): 2 × 2 nodes of 4 below; " in text
    assert "a sample is constant with probability" in text
    assert ks.analyze("gaussian()", dim=1).skeletons == ()


def test_as_data() -> None:
    (found,) = ks.analyze("full(step, input=conv(relu, size=2, input=image(2, 3, 1, base=laplace())))", dim=6).skeletons
    data = skeleton_to_dict(found)
    assert (data["base"], data["depth"], data["complexity"]) == ("laplace(scale=1)", 2, "infinite")
    assert [layer["layer"] for layer in data["layers"]] == ["conv(relu, size=2, stride=1)", "full(step)"]
    assert data["constant_share"] == pytest.approx(0.5 + math.asin(1 / math.pi) / math.pi)
