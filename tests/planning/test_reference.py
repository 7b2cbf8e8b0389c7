"""Tests of `planning/reference.py`."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.laws.joint import JointLaw
from kernelspec.laws.law import Collisions
from kernelspec.numerics.phasor import Form
from kernelspec.planning.reference import Reference, SampleVariances, reference_pairs
from kernelspec.tables.layout import Layout
from kernelspec.tables.rows import Rows
from kernelspec.testing.laboratory import assert_proportions

NUMBERS = Layout(3, None, (0, 1, 2), ())
MIXED = Layout(2, None, (0,), (1,))


def test_rows_of_the_data_and_never_a_row_with_itself() -> None:
    data = np.arange(15.0).reshape(5, 3)
    pairs, words = reference_pairs(NUMBERS, Rows(data))
    assert words == "256 random pairs of rows"
    assert pairs.shape == (256,)
    x, y = pairs.x.dense(), pairs.y.dense()
    assert (x != y).any(axis=1).all()
    assert {*map(tuple, x.tolist()), *map(tuple, y.tolist())} == set(map(tuple, data.tolist()))


@pytest.mark.parametrize("data", [None, Rows(np.ones((1, 2)))])
def test_without_two_rows_standard_normal_ones(data: Rows | None) -> None:
    pairs, words = reference_pairs(MIXED, data)
    assert "standard normal" in words
    assert pairs.shape == (256,)
    equal = int(np.sum(pairs.select((1,)).equal()))
    assert_proportions([equal, 256 - equal], [0.25, 0.75])


def test_the_same_at_every_call() -> None:
    first, again = (reference_pairs(MIXED, None)[0] for _ in range(2))
    assert np.array_equal(first.x.dense(), again.x.dense())
    assert np.array_equal(first.y.codes(1), again.y.codes(1))


def test_plans_do_not_depend_on_the_seed() -> None:
    plans = [ks.compile("gaussian() + match()[0] + laplace()", dim=3, seed=seed).plan for seed in (1, 2)]
    assert plans[0].chosen == plans[1].chosen


@pytest.mark.parametrize(("dim", "count"), [(8_192, 256), (16_384, 128), (32_768, 64), (131_072, 64)])
def test_fewer_standard_normal_rows_that_are_long(dim: int, count: int) -> None:
    assert reference_pairs(Layout(dim, None, tuple(range(dim)), ()), None)[0].shape == (count,)


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
