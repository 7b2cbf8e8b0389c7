"""One column at random, or two neighbours."""

from __future__ import annotations

import numpy as np
import pytest

from kernelspec.expressions.pairs import NumericPairs
from kernelspec.kernels.leaves.inner_products import Binary, CosineSimilarity, InnerProduct, Linear, Sphere
from kernelspec.laws.coordinate import CoordinateLaw, columns_read_by
from kernelspec.random.streams import Stream
from kernelspec.samples.amplitudes import LinearForms
from kernelspec.samples.frequencies import UnitColumn
from kernelspec.tables.rows import Rows
from kernelspec.testing.laboratory import assert_proportions

RNG = np.random.default_rng(3)
X, Y = RNG.standard_normal((4, 3)), RNG.standard_normal((5, 3))


def drawn(kernel: InnerProduct, n: int, columns: tuple[int, ...], seed: int = 0) -> LinearForms:
    (batch,) = CoordinateLaw(kernel).draw(Stream(seed), n, columns)
    (forms,) = batch.amplitudes
    assert isinstance(forms, LinearForms)
    assert batch.weight.tolist() == [1] * n
    return forms


def test_columns_are_uniform() -> None:
    forms = drawn(Linear(dim=3), 30_000, (3, 1, 2))
    assert_proportions(np.bincount(forms.first), [1 / 3] * 3)
    assert (forms.second == -1).all()
    np.testing.assert_allclose(forms.scale, np.sqrt(3))
    assert forms.reads == (3, 1, 2)


@pytest.mark.parametrize("cls", [Sphere, CosineSimilarity])
def test_pairs_are_cyclic_with_both_signs(cls: type[InnerProduct]) -> None:
    forms = drawn(cls(dim=3), 30_000, (0, 1, 2))
    assert np.array_equal(forms.second, (forms.first + 1) % 3)
    assert_proportions(np.bincount(2 * forms.first + (forms.turn > 0)), [1 / 6] * 6)
    np.testing.assert_allclose(forms.scale, np.sqrt(1.5))


@pytest.mark.parametrize("cls", [Linear, Sphere])
def test_draws_do_not_depend_on_how_many_follow(cls: type[InnerProduct]) -> None:
    few, many = (drawn(cls(dim=4), n, (0, 1, 2, 3)) for n in (5, 50))
    assert np.array_equal(few.first, many.first[:5])
    assert np.array_equal(few.turn, many.turn[:5])


def test_what_it_is() -> None:
    plain, pair = CoordinateLaw(Linear(dim=2)), CoordinateLaw(Sphere(dim=2))
    assert (plain.has_phasor, pair.has_phasor) == (False, True)
    assert (plain.draws_pairs, pair.draws_pairs) == (False, True)
    assert plain.has_amplitude
    assert not plain.has_key
    assert plain.lines((0, 1)) == ["one column at random of the columns 0, 1"]
    assert CoordinateLaw(CosineSimilarity(dim=2)).lines((0, 1), ["a", "b"]) == [
        "two neighbouring columns as a complex number at random of the columns a, b, divided by the norm of the row"
    ]
    assert CoordinateLaw(Linear(dim=1)).lines((2,)) == ["the column 2"]


def test_what_is_read() -> None:
    assert columns_read_by(Linear(dim=2), (4, 1)) == (4, 1)
    assert columns_read_by(Sphere(dim=2), (4, 1)) == (4, 1)
    assert columns_read_by(CosineSimilarity(dim=2), (4, 1)) == (UnitColumn(4, (4, 1)), UnitColumn(1, (4, 1)))


@pytest.mark.parametrize("kernel", [Binary(dim=1), CosineSimilarity(dim=1)])
def test_powers_of_a_sign(kernel: InnerProduct) -> None:
    counts = np.array([3, 0, 10**12, 1, 10**12 + 1])
    samples = CoordinateLaw(kernel).draw_products(Stream(0), counts, (2,))
    assert samples is not None
    (factor,) = samples.amplitudes
    table = np.array([[5.0, 5.0, 1.0], [5.0, 5.0, -1.0]])
    expected = [[1.0] * 5, [(-1.0) ** (count % 2) for count in counts]]
    np.testing.assert_array_equal(factor.values(Rows(table), "left"), expected)


def test_powers_of_other_columns_have_no_law() -> None:
    counts = np.array([40])
    assert CoordinateLaw(Linear(dim=1)).draw_products(Stream(0), counts, (2,)) is None
    assert CoordinateLaw(CosineSimilarity(dim=2)).draw_products(Stream(0), counts, (0, 1)) is None


def test_moments_of_one_column_at_random() -> None:
    moments = CoordinateLaw(Linear(dim=3)).moments(NumericPairs(Rows(X), Rows(Y)))
    every = [3 * np.multiply.outer(X[:, j], Y[:, j]) for j in range(3)]
    for found in (moments.a, moments.b, moments.real):
        np.testing.assert_allclose(found, np.mean(np.square(every), axis=0), rtol=1e-12)
