"""Sums below a product: one of the terms at random, with the weight that makes up for it."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.kernels.leaves.comparisons import Match
from kernelspec.laws.columns_and_lags import SelectedLaw
from kernelspec.laws.keys import MatchLaw
from kernelspec.laws.mixture import MixtureLaw
from kernelspec.random.streams import Stream
from kernelspec.tables.rows import Rows
from kernelspec.testing.laboratory import assert_proportions
from tests.laws.texts import law

COLUMNS = (0, 1, 2)


def mixture() -> MixtureLaw:
    return MixtureLaw(tuple(SelectedLaw(MatchLaw(Match(dim=1)), (i,), 3) for i in COLUMNS), (2.0, -1.0, 1.0))


def test_probabilities_are_in_proportion_to_the_sizes() -> None:
    assert mixture().probabilities == (0.5, 0.25, 0.25)
    assert mixture().magnitude() == 4
    half = MixtureLaw((law("2*gaussian()", 1), law("match()", 1)), (1.0, 2.0))
    assert half.probabilities == (0.5, 0.5)


def test_a_term_that_is_tiny_beside_another_has_a_probability() -> None:
    found = law("1e-90*match() + 1e40*cosh_gaussian(scale=2, by=[0.5, 2])**70", 2)
    assert isinstance(found, MixtureLaw)
    assert min(found.probabilities) == 1e-300
    assert sum(found.probabilities) == 1


def test_terms_come_with_their_probabilities() -> None:
    counts = {batch.keys[0].columns[0]: len(batch) for batch in mixture().draw(Stream(4), 20_000, COLUMNS)}
    assert_proportions([counts[i] for i in range(3)], [0.5, 0.25, 0.25])


def test_weights_and_signs() -> None:
    for batch in mixture().draw(Stream(4), 100, COLUMNS):
        assert set(batch.weight) == {4.0}
        assert set(batch.sign) == {-1.0 if batch.keys[0].columns == (1,) else 1.0}


def test_terms_draw_from_streams_of_their_own() -> None:
    part = law("gaussian()", 1)
    (batch,) = MixtureLaw((part, part), (1.0, 1.0)).draw(Stream(0), 1000, (0,))
    assert batch.phasors is not None
    assert len(np.unique(batch.phasors.frequencies)) == 1000
    assert list(batch.index) == list(range(1000))


def test_lines_show_the_probabilities() -> None:
    lines = mixture().lines(COLUMNS)
    assert lines[0] == "one of, with probability"
    assert [line.split(":")[0].strip() for line in lines[1:]] == ["0.5", "0.25", "0.25"]


def test_value_and_moments_are_weighted_sums() -> None:
    """E p² = Σ w_i² k_i/q_i for keys; the mean follows from the parts."""
    rows = Rows(np.array([[0, 0, 0], [0, 1, 0], [1, 1, 0]], dtype=float))
    pairs = NumericPairs(rows, rows)
    agree = (rows.dense()[:, None] == rows.dense()[None]).astype(float)
    np.testing.assert_allclose(mixture().value(pairs), agree @ [2, -1, 1])
    np.testing.assert_allclose(mixture().mean(pairs), agree @ [2, -1, 1])
    np.testing.assert_allclose(mixture().moments(pairs).a, agree @ [8, 4, 4])
    assert MixtureLaw((), ()).moments(pairs).a == 0


def test_a_sum_of_kernels_with_frequencies_has_frequencies() -> None:
    kernel = law("gaussian() + 2*laplace()", 2).fourier_kernel()
    assert str(kernel) == "gaussian(scale=1) + 2*laplace(scale=1)"
    for text in ("gaussian() - 2*laplace()", "gaussian() + match()"):
        assert law(text, 2).fourier_kernel() is None


def test_many_factors_at_once_where_all_parts_know_their_products() -> None:
    assert law("0.5*gaussian() + 0.5*match()", 1).draw_products(Stream(0), np.array([3]), (0,)) is not None
    assert law("0.5*gaussian() + 0.5*minmax()", 1).draw_products(Stream(0), np.array([3]), (0,)) is None


@pytest.mark.slow
def test_weights_of_samples_are_floats() -> None:
    """Where those of the kernel are fractions."""
    fmap = ks.compile("dual(leaky_relu, product(t -> max(0.5, 0.5 - t/2)))", dim=2, n_features=24)
    assert np.isfinite(fmap.transform(np.ones((3, 2)))).all()
