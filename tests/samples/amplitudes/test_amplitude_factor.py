"""Amplitudes that are no phasors: products within and across batches."""

from __future__ import annotations

import numpy as np

from kernelspec.activations.activation import load_activation
from kernelspec.samples.amplitudes import LinearForms, Neurons
from kernelspec.samples.factor import AmplitudeRuns, multiply_amplitudes
from kernelspec.tables.rows import Rows
from tests.maps.parts import there_and_back

RNG = np.random.default_rng(0)
ROWS = Rows(RNG.standard_normal((5, 3)))


def neurons(n: int) -> Neurons:
    return Neurons(load_activation("relu")(), (0, 1, 2), RNG.standard_normal((n, 3)))


def columns(*which: int) -> LinearForms:
    n = len(which)
    return LinearForms((0, 1, 2), np.arange(n + 1), np.array(which), np.full(n, -1), np.ones(n), np.ones(n))


def test_factors_of_one_kind_fuse_and_others_stand_side_by_side() -> None:
    own = neurons(2)
    product = multiply_amplitudes((columns(0, 1), own), (neurons(2), columns(2, 2)))
    assert [type(factor).__name__ for factor in product] == ["LinearForms", "Neurons", "Neurons"]
    x = ROWS.dense()
    np.testing.assert_allclose(product[0].values(ROWS, "left"), x[:, [0, 1]] * x[:, [2]], rtol=1e-13)


def test_runs() -> None:
    own = neurons(5)
    values = own.values(ROWS, "left")
    runs = own.runs(np.array([0, 2, 3, 5]))
    assert isinstance(runs, AmplitudeRuns)
    expected = np.column_stack([values[:, :2].prod(axis=1), values[:, 2], values[:, 3:].prod(axis=1)])
    np.testing.assert_allclose(runs.values(ROWS, "left"), expected, rtol=1e-13)
    np.testing.assert_allclose(runs.take(np.array([2, 0])).values(ROWS, "left"), expected[:, [2, 0]], rtol=1e-13)
    np.testing.assert_allclose(runs.join([runs]).values(ROWS, "left"), np.hstack([expected, expected]), rtol=1e-13)
    outer = runs.runs(np.array([0, 1, 3]))
    np.testing.assert_allclose(
        outer.values(ROWS, "left"), np.column_stack([expected[:, 0], expected[:, 1:].prod(axis=1)]), rtol=1e-13
    )
    assert runs.columns == own.columns
    assert not runs.is_complex
    assert np.array_equal(there_and_back(runs).values(ROWS, "left"), runs.values(ROWS, "left"))
