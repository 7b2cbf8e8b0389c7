"""The rows whose pairs are tested."""

from __future__ import annotations

import numpy as np

import kernelspec as ks
from kernelspec.verification.verifier import RowPairs, chosen_rows, reference_rows


def plan_of(text: str, dim: int):
    """The plan of a spec."""
    return ks.compile(text, dim=dim, n_features=16).plan


def test_rows_are_chosen_once_and_in_order():
    generator = np.random.default_rng(0)
    assert chosen_rows(5, 9, generator).tolist() == [0, 1, 2, 3, 4]
    some = chosen_rows(1000, 9, generator)
    assert len(some) == 9
    assert (np.diff(some) > 0).all()


def test_reference_rows_lie_on_and_off_the_axes():
    layout = plan_of("gaussian()[0, 1, 2] * match()[3]", 4).layout
    rows = reference_rows(layout, 24, np.random.default_rng(0))
    moved = (rows.numbers[:, :3] != rows.numbers[0, :3]).sum(axis=1)
    assert {1, 3} <= set(moved[2:8].tolist())
    assert (rows.codes(3)[:8] == rows.codes(3)[0]).all()
    assert len(np.unique(rows.codes(3))) == 3


def test_pairs_of_one_table_are_tested_once():
    X = np.random.default_rng(0).standard_normal((50, 2))
    X[1] = X[0]
    spec = ks.parse("gaussian()")
    pairs = RowPairs.of(spec, plan_of("gaussian()", 2), X[:6], None, 24, 0)
    assert pairs.tested.sum() == 21
    np.testing.assert_allclose(pairs.kernel, spec.gram(X[:6]), rtol=1e-12)
    np.testing.assert_array_equal(pairs.size, np.ones((6, 6)))
    assert np.argwhere(np.triu(pairs.identical, 1)).tolist() == [[0, 1]]
    both = RowPairs.of(spec, plan_of("gaussian()", 2), X, X, 24, 0)
    assert both.tested.shape == (16, 16)
    assert both.tested.all()
    assert (both.identical == np.equal.outer(both.index_x, both.index_y)).sum() >= 16 * 16 - 2


def test_the_size_of_a_difference_is_that_of_its_terms():
    pairs = RowPairs.of(
        ks.parse("gaussian() - gaussian(scale=2)"),
        plan_of("gaussian() - gaussian(scale=2)", 1),
        np.zeros((1, 1)),
        None,
        4,
        0,
    )
    assert pairs.kernel.tolist() == [[0]]
    assert pairs.size.tolist() == [[2]]
