"""Dense columns: scikit-learn's map with its own random numbers, names, signs, column subsets, types."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.kernel_approximation import RBFSampler

import kernelspec as ks
from kernelspec.maps.dense import DenseFeatures, Placed
from kernelspec.numerics.phasor import Form
from kernelspec.samples.amplitudes import LinearForms
from kernelspec.samples.samples import Phasors
from kernelspec.tables.rows import Rows

X = np.random.default_rng(3).standard_normal((40, 5))


def evaluate(features: DenseFeatures, data: np.ndarray, form: Form = "paired") -> np.ndarray:
    out = np.empty((len(data), features.n_columns(form)), dtype=complex if form == "complex" else data.dtype)
    features.evaluate(Rows(data), "left", form, data.dtype, out)
    return out


def drawn(columns: tuple[int, ...], n: int = 7) -> DenseFeatures:
    generator = np.random.default_rng(1)
    phasors = Phasors(columns, generator.standard_normal((n, len(columns))), generator.random(n), generator.random(n))
    return DenseFeatures(phasors, generator.random(n), np.where(np.arange(n) < 2, -1.0, 1.0), generator.random(n))


@pytest.mark.parametrize("gamma", [0.1, 1.0, 5.0])
def test_agrees_with_scikit_learn_on_its_own_frequencies(gamma: float) -> None:
    theirs = RBFSampler(gamma=gamma, n_components=30, random_state=0).fit(X)
    phasors = Phasors.symmetric(tuple(range(5)), np.ascontiguousarray(theirs.random_weights_.T))
    ours = DenseFeatures(phasors, np.full(30, 1 / 30), np.ones(30), theirs.random_offset_)
    assert np.abs(evaluate(ours, X, "phase") - theirs.transform(X)).max() <= 1e-12


def test_single_precision_frequencies_are_the_cast_of_double_ones() -> None:
    feature_map = ks.compile("gaussian(scale=0.3)", dim=5, n_features=128)
    assert feature_map.dense is not None
    unit = np.eye(5, dtype=np.float32)  # x = e_i reads off one coordinate of every frequency, without any rounding
    frequencies = feature_map.dense.phasors.frequencies.astype(np.float32).astype(np.float64)
    expected = np.hstack([np.cos(frequencies.T), np.sin(frequencies.T)]) / np.sqrt(64)
    got = feature_map.transform(unit)
    assert isinstance(got, np.ndarray)
    assert got.dtype == np.float32
    assert np.abs(got - expected).max() <= 4 * np.finfo(np.float32).eps / np.sqrt(64)


@pytest.mark.slow
def test_many_rows_take_blocks_of_a_selection_of_columns() -> None:
    features, rows = drawn((1, 4), 300), np.random.default_rng(0).standard_normal((9000, 5))
    whole = evaluate(features, rows)
    assert np.array_equal(whole[8000:8003], evaluate(features, rows[8000:8003]))
    assert np.array_equal(whole, evaluate(drawn((0, 1), 300), rows[:, [1, 4]]))


def test_complex_factors_are_of_samples_that_turn() -> None:
    """Where none turns, too, which a map from a stranger may say."""
    count = np.arange(2)
    factor = LinearForms((0, 1), np.arange(3), count, 1 - count, np.ones(2), np.ones(2))
    samples = replace(drawn(()), amplitudes=(Placed(0, 2, factor),))
    samples.validate()
    with pytest.raises(ValueError, match="the samples 0 to 2 are not all complex, or all real"):
        replace(samples, n_real=7).validate()
