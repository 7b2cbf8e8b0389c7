"""Equal samples merged."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.sparse import csr_array

from kernelspec.laws.product import ones
from kernelspec.samples.keys import MatchKey
from kernelspec.samples.samples import Phasors, Samples, merge_equal

ROWS = np.array([[0, 2, 0], [0, -2, 0], [1, 2, 0], [0, 2, 0], [0, 0, 2], [-1, -2, 0], [0, 0, 0], [0, 0, 0], [1, -2, 0]])
#                 kind 0     0           1          0          2          1            3          3          4


def batch(rows: np.ndarray = ROWS, sign: np.ndarray | None = None) -> Samples:
    n = len(rows)
    weight = np.arange(1.0, n + 1)
    phasors = Phasors.symmetric((3, 5, 8), csr_array(rows.astype(float)))
    return Samples(np.arange(n), weight, np.ones(n) if sign is None else sign, phasors)


def test_equal_and_opposite_frequencies_are_one() -> None:
    (found,) = merge_equal([batch()], "paired")
    assert found.index.tolist() == [0, 2, 4, 6, 8]
    assert found.weight.tolist() == [1 + 2 + 4, 3 + 6, 5, 7 + 8, 9]
    assert found.phasors is not None
    assert np.array_equal(found.phasors.frequencies.toarray(), ROWS[[0, 2, 4, 6, 8]])  # type: ignore[union-attr]


def test_the_sum_of_the_samples_is_unchanged() -> None:
    lags = np.random.default_rng(0).normal(size=(7, 3))

    def estimate(samples: Samples) -> np.ndarray:
        assert samples.phasors is not None
        angle = lags @ samples.phasors.frequencies.toarray().T  # type: ignore[union-attr]
        turn = samples.phasors.left - samples.phasors.right
        return np.asarray(np.cos(angle + turn) @ (samples.weight * samples.sign))

    generator = np.random.default_rng(1)
    whole = batch(generator.integers(-1, 2, (200, 3)), generator.choice([-1.0, 1.0], 200))
    assert whole.phasors is not None
    shifts = generator.integers(-1, 2, (2, 200)) * 0.5
    turned = replace(whole, phasors=replace(whole.phasors, left=shifts[0], right=shifts[1]))
    for samples in (whole, turned):
        (found,) = merge_equal([samples], "complex")
        assert len(found) < 180
        np.testing.assert_allclose(estimate(found), estimate(samples), rtol=1e-10, atol=1e-10)
        (again,) = merge_equal([found], "complex")
        assert len(again) == len(found)


def test_different_signs_are_different() -> None:
    sign = np.array([1.0, -1, 1, 1, 1, 1, 1, -1, 1])
    (found,) = merge_equal([batch(sign=sign)], "paired")
    assert found.index.tolist() == [0, 1, 2, 4, 6, 7, 8]


def test_constants_beside_them_are_one() -> None:
    first, constant = merge_equal([batch(), ones(np.arange(9, 20))], "phase")
    assert len(first) == 9  # every sample has a random offset of its own
    assert (constant.index.tolist(), constant.weight.tolist()) == ([9], [11.0])


def test_all_others_are_left_alone() -> None:
    dense = replace(batch(), phasors=Phasors.symmetric((3, 5, 8), ROWS.astype(float)))
    assert merge_equal([dense, ones(np.arange(4))], "paired")[1].weight.tolist() == [1.0] * 4
    keyed = replace(batch(), keys=(MatchKey((1,)),))
    assert merge_equal([keyed], "paired") == [keyed]
