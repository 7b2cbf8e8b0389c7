"""One column at random, or two neighbours."""

from __future__ import annotations

import numpy as np
import pytest

from kernelspec.laws.coordinate import CoordinateSampler
from kernelspec.random.streams import Stream
from kernelspec.samples.amplitudes.linear_forms import LinearForms
from kernelspec.samples.columns_read import UnitColumn
from kernelspec.tables.rows import Rows
from kernelspec.testing.laboratory import assert_proportions


def drawn(sampler: CoordinateSampler, n: int, seed: int = 0) -> LinearForms:
    (batch,) = sampler.draw(Stream(seed), n)
    (forms,) = batch.amplitudes
    assert isinstance(forms, LinearForms)
    assert batch.weight.tolist() == [1] * n
    return forms


def test_columns_are_uniform() -> None:
    forms = drawn(CoordinateSampler((3, 1, 2), (3, 1, 2)), 30_000)
    assert_proportions(np.bincount(forms.first), [1 / 3] * 3)
    assert (forms.second == -1).all()
    np.testing.assert_allclose(forms.scale, np.sqrt(3))


def test_pairs_are_cyclic_with_both_signs() -> None:
    forms = drawn(CoordinateSampler((0, 1, 2), (0, 1, 2), in_pairs=True), 30_000)
    assert np.array_equal(forms.second, (forms.first + 1) % 3)
    assert_proportions(np.bincount(2 * forms.first + (forms.turn > 0)), [1 / 6] * 6)
    np.testing.assert_allclose(forms.scale, np.sqrt(1.5))


@pytest.mark.parametrize("in_pairs", [False, True])
def test_draws_do_not_depend_on_how_many_follow(in_pairs: bool) -> None:
    few, many = (drawn(CoordinateSampler((0, 1, 2, 3), (0, 1, 2, 3), in_pairs), n) for n in (5, 50))
    assert np.array_equal(few.first, many.first[:5])
    assert np.array_equal(few.turn, many.turn[:5])


def test_what_it_is() -> None:
    plain, pair = CoordinateSampler((0, 1), (0, 1)), CoordinateSampler((0, 1), (0, 1), in_pairs=True)
    assert (plain.has_phasor, pair.has_phasor) == (False, True)
    assert plain.has_amplitude
    assert not plain.has_key
    assert plain.lines() == ["one column at random of the columns 0, 1"]
    unit = (UnitColumn(0, (0, 1)), UnitColumn(1, (0, 1)))
    assert CoordinateSampler((0, 1), unit, in_pairs=True).lines(["a", "b"]) == [
        "two neighbouring columns as a complex number at random of the columns a, b, divided by the norm of the row"
    ]
    assert CoordinateSampler((2,), (2,)).lines() == ["the column 2"]


@pytest.mark.parametrize(
    "sampler", [CoordinateSampler((2,), (2,), of_signs=True), CoordinateSampler((2,), (UnitColumn(2, (2,)),))]
)
def test_powers_of_a_sign(sampler: CoordinateSampler) -> None:
    counts = np.array([3, 0, 10**12, 1, 10**12 + 1])
    samples = sampler.draw_products(Stream(0), counts)
    assert samples is not None
    (factor,) = samples.amplitudes
    X = np.array([[5.0, 5.0, 1.0], [5.0, 5.0, -1.0]])
    expected = [[1.0] * 5, [(-1.0) ** (count % 2) for count in counts]]
    np.testing.assert_array_equal(factor.values(Rows(X), "left"), expected)


def test_powers_of_other_columns_have_no_law() -> None:
    counts = np.array([40])
    assert CoordinateSampler((2,), (2,)).draw_products(Stream(0), counts) is None
    units = tuple(UnitColumn(i, (0, 1)) for i in range(2))
    assert CoordinateSampler((0, 1), units).draw_products(Stream(0), counts) is None
