"""Variances that are computed once for all budgets, against those of plans computed anew."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.laws.joint import JointLaw
from kernelspec.laws.keys import Collisions
from kernelspec.numerics.phasor import Form
from kernelspec.planning.reference import Reference, SampleVariances

X = np.random.default_rng(2).standard_normal((200, 3)).round(1)


@pytest.mark.parametrize("form", ["paired", "phase"])
@pytest.mark.parametrize("text", ["0.7*gaussian(scale=2) + 0.3*laplace()", "minmax()", "gaussian()*match()[0]"])
def test_the_error_is_that_of_the_whole_matrix(text: str, form: Form) -> None:
    data = np.abs(X)
    plan = ks.compile(text, data=data, n_features=64, draws="independent", anchors="never", keys="hashed").plan
    reference, collisions = Reference.of(plan.layout, plan.layout.read(data)), Collisions.of(256, None)
    own = SampleVariances(reference, collisions, plan.strata)
    assert reference.sample is not None
    sample = reference.sample.dense()
    k = ks.parse(text).gram(sample)
    for some in (plan.parts, [(stratum, 3 * n) for stratum, n in plan.parts]):
        other = replace(plan, chosen=replace(plan.chosen, form=form, counts=tuple(n for _, n in some)))
        errors = other.variance(NumericPairs(reference.sample, reference.sample), collisions)
        expected = np.sqrt(_over_all(errors, len(data)) / _over_all(k**2, len(data)))
        assert own.relative_error(some, form) == pytest.approx(expected)


def _over_all(matrix: np.ndarray, n: int) -> float:
    """The sum over all pairs of n rows, a share 1/n of which are a row with itself."""
    m = len(matrix)
    own = float(np.trace(matrix))
    return own * n / m + (float(matrix.sum()) - own) * n * (n - 1) / (m * (m - 1))


def test_joint_samples_vary_by_their_ratio() -> None:
    plan = ks.compile("gaussian(scale=2)", data=X, n_features=64, draws="independent", anchors="never").plan
    (stratum,) = plan.strata
    own = SampleVariances(Reference.of(plan.layout, plan.layout.read(X)), None, plan.strata)
    together = replace(stratum, law=JointLaw(stratum.law, "sobol", 0.25))
    alone, half = (own.relative_error([(one, 32)], "paired") for one in (stratum, together))
    assert alone is not None
    assert half == pytest.approx(alone / 2)
