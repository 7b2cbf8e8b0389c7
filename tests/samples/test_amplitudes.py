"""Tests of `samples/amplitudes.py`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.stats import kstest

import kernelspec as ks
from kernelspec.activations.activation import load_activation
from kernelspec.kernels.leaves.comparisons import Match
from kernelspec.laws.keys import CategoryPhasesLaw
from kernelspec.maps.feature_map import load_map
from kernelspec.random.streams import Stream
from kernelspec.samples.amplitudes import CategoryPhases, LinearForms, Neurons
from kernelspec.samples.frequencies import UnitColumn
from kernelspec.samples.keys import ChosenKey
from kernelspec.tables.rows import Rows
from tests.maps.parts import there_and_back

X = np.array([[0, 1], [0, 1], [1, 1], [2, 0]], dtype=float)


def phases(n: int, positions: tuple[int, ...] = (0, 1)) -> CategoryPhases:
    (batch,) = CategoryPhasesLaw(Match(dim=len(positions))).draw(Stream(5), n, positions)
    (factor,) = batch.amplitudes
    assert isinstance(factor, CategoryPhases)
    return factor


def test_phases_are_uniform_and_those_of_other_categories_independent() -> None:
    z = phases(20_000).values(Rows(X), "left")
    np.testing.assert_allclose(np.abs(z), 1, rtol=1e-12)
    np.testing.assert_array_equal(z[0], z[1])
    for turned in (z[0], z[2], z[3], z[0] * z[2].conj(), z[2] * z[3], z[0] * z[2] * z[3] ** 2):
        assert kstest(np.angle(turned) / (2 * np.pi) % 1, "uniform").pvalue > 1e-7


def test_sides_agree() -> None:
    factor = phases(10)
    np.testing.assert_array_equal(factor.values(Rows(X), "left"), factor.values(Rows(X), "right"))


def test_taken_and_joined() -> None:
    whole = CategoryPhases(Stream(1).words("category", (6,)), ChosenKey(np.array([0, 1, 1, 0, 0, 1])))
    values = whole.values(Rows(X), "left")
    index = np.array([4, 0, 2])
    np.testing.assert_array_equal(whole.take(index).values(Rows(X), "left"), values[:, index])
    joined = whole.take(np.arange(2)).join([whole.take(np.arange(2, 6))])
    np.testing.assert_array_equal(joined.values(Rows(X), "left"), values)
    assert joined.structure == whole.structure
    assert whole.columns == (0, 1)


@pytest.mark.parametrize("text", ["match()", "full(relu, input=image(1, 2, 1, base=match()))"])
def test_saved_and_loaded(text: str, tmp_path: Path) -> None:
    fmap = ks.compile(text, dim=2, n_features=64, method="category_phases")
    fmap.save(tmp_path / "map.npz")
    np.testing.assert_array_equal(load_map(tmp_path / "map.npz").transform(X), fmap.transform(X))


X_OF_LINEAR_FORMS = np.random.default_rng(0).standard_normal((6, 5))


def forms(*samples: list[tuple[int, int, float, float]], reads=(0, 2, 4)) -> LinearForms:
    """Each sample a list of factors (first, second, turn, scale)."""
    flat = [factor for sample in samples for factor in sample]
    first, second, turn, scale = (np.array([factor[i] for factor in flat]) for i in range(4))
    starts = np.concatenate([[0], np.cumsum([len(sample) for sample in samples])])
    return LinearForms(
        reads, starts, first.astype(np.intp), second.astype(np.intp), turn.astype(float), scale.astype(float)
    )


REAL = forms([(0, -1, 1, 2.0)], [], [(1, -1, 1, 1.0), (1, -1, 1, 1.0), (2, -1, 1, 3.0)])
TURNING = forms([(0, 1, 1, 2.0)], [(2, -1, 1, 1.0), (1, 0, -1, 1.0)], [(2, 0, -1, 0.5)])
REAL_VALUES = np.stack(
    [2 * X_OF_LINEAR_FORMS[:, 0], np.ones(6), 3 * X_OF_LINEAR_FORMS[:, 2] ** 2 * X_OF_LINEAR_FORMS[:, 4]], axis=1
)
TURNING_VALUES = np.stack(
    [
        2 * (X_OF_LINEAR_FORMS[:, 0] + 1j * X_OF_LINEAR_FORMS[:, 2]),
        X_OF_LINEAR_FORMS[:, 4] * (X_OF_LINEAR_FORMS[:, 2] - 1j * X_OF_LINEAR_FORMS[:, 0]),
        0.5 * (X_OF_LINEAR_FORMS[:, 4] - 1j * X_OF_LINEAR_FORMS[:, 0]),
    ],
    axis=1,
)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_values(kind) -> None:
    rows = Rows(kind(X_OF_LINEAR_FORMS))
    np.testing.assert_allclose(REAL.values(rows, "left"), REAL_VALUES, rtol=1e-13)
    np.testing.assert_allclose(TURNING.values(rows, "right"), TURNING_VALUES, rtol=1e-13)
    assert (REAL.is_complex, TURNING.is_complex) == (False, True)
    assert REAL.columns == (0, 2, 4)
    assert REAL.structure != TURNING.structure


def test_zero_times_what_overflows_is_zero() -> None:
    rows = Rows(np.array([[1e200, 0.0, 1e200, 0.0, 0.0]]))
    many = forms([(0, -1, 1, 1.0)] * 3 + [(2, -1, 1, 1.0)])
    assert many.values(rows, "left")[0, 0] == 0
    turning = forms([(0, 1, 1, 1.0)] * 3 + [(2, 2, 1, 1.0)])
    assert turning.values(rows, "left")[0, 0] == 0


def test_take_join_runs() -> None:
    rows = Rows(X_OF_LINEAR_FORMS)
    index = np.array([2, 0, 2, 1])
    np.testing.assert_allclose(REAL.take(index).values(rows, "left"), REAL_VALUES[:, index], rtol=1e-13)
    other = forms([(0, -1, 1, 1.0), (1, -1, 1, 1.0)], reads=(1, 4))
    joined = REAL.join([other]).values(rows, "left")
    np.testing.assert_allclose(
        joined, np.column_stack([REAL_VALUES, X_OF_LINEAR_FORMS[:, 1] * X_OF_LINEAR_FORMS[:, 4]]), rtol=1e-13
    )
    runs = REAL.runs(np.array([0, 2, 3])).values(rows, "left")
    np.testing.assert_allclose(runs, np.column_stack([REAL_VALUES[:, :2].prod(axis=1), REAL_VALUES[:, 2]]), rtol=1e-13)


def test_products_fuse() -> None:
    product = REAL.times(TURNING)
    assert isinstance(product, LinearForms)
    np.testing.assert_allclose(
        product.values(Rows(X_OF_LINEAR_FORMS), "left"), REAL_VALUES * TURNING_VALUES, rtol=1e-13
    )


def test_unit_rows() -> None:
    unit = X_OF_LINEAR_FORMS[:, [1, 3]] / np.linalg.norm(X_OF_LINEAR_FORMS[:, [1, 3]], axis=1, keepdims=True)
    reads = (UnitColumn(1, (1, 3)), UnitColumn(3, (1, 3)))
    found = forms([(0, 1, 1, 1.0)], reads=reads).values(Rows(X_OF_LINEAR_FORMS), "left")
    np.testing.assert_allclose(found[:, 0], unit[:, 0] + 1j * unit[:, 1], rtol=1e-12)


def test_round_trip() -> None:
    back = there_and_back(TURNING)
    assert np.array_equal(back.values(Rows(X_OF_LINEAR_FORMS), "left"), TURNING.values(Rows(X_OF_LINEAR_FORMS), "left"))


def test_the_bits_of_a_row_do_not_depend_on_the_others() -> None:
    whole = TURNING.values(Rows(X_OF_LINEAR_FORMS), "left")
    assert np.array_equal(whole[3:4], TURNING.values(Rows(X_OF_LINEAR_FORMS[3:4]), "left"))


X_OF_NEURONS = np.random.default_rng(0).standard_normal((300, 4))
RELU = load_activation("relu")()


def test_values_are_the_activation_of_the_linear_forms() -> None:
    weights = np.random.default_rng(1).standard_normal((600, 2))
    found = Neurons(RELU, (1, 3), weights).values(Rows(X_OF_NEURONS), "left")
    np.testing.assert_allclose(
        found, np.sqrt(2) * np.maximum(X_OF_NEURONS[:, [1, 3]] @ weights.T, 0), rtol=1e-12, atol=1e-12
    )
    sparse = Neurons(RELU, (1, 3), weights).values(Rows(sp.csr_array(X_OF_NEURONS)), "left")
    np.testing.assert_allclose(sparse, found, rtol=1e-12, atol=1e-12)


def test_bits_do_not_depend_on_the_batch() -> None:
    fmap = ks.compile("dual(relu, normalize(linear()))", dim=4, n_features=40, method="neurons")
    whole = fmap.transform(X_OF_NEURONS)
    assert np.array_equal(whole[17:18], fmap.transform(X_OF_NEURONS[17:18]))
    assert np.array_equal(whole[100:], fmap.transform(X_OF_NEURONS[100:]))


@pytest.mark.slow
def test_round_trip_neurons(tmp_path) -> None:
    for text in (
        "dual(leaky_relu(0.1), normalize(linear()))",
        "dual(activation(x -> x**2 + x / 3), normalize(linear()))",
    ):
        fmap = ks.compile(text, dim=4, n_features=20, method="neurons")
        fmap.save(tmp_path / "map.npz")
        assert np.array_equal(ks.load_map(tmp_path / "map.npz").transform(X_OF_NEURONS), fmap.transform(X_OF_NEURONS))
