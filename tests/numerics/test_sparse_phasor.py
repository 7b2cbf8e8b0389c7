"""Tests of `numerics/phasor.py` with sparse frequencies."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.sparse import csr_array

from kernelspec.numerics import threads
from kernelspec.numerics.phasor import Form, evaluate_sparse_phasors, sparse_phases, width
from kernelspec.numerics.phasor_kernels import write_features
from kernelspec.numerics.turns import DOUBLE

FORMS: list[Form] = ["paired", "phase", "complex"]
N, P, ROWS = 100, 20, 530
GENERATOR = np.random.default_rng(8)
FREQUENCIES = csr_array(GENERATOR.standard_cauchy((N, P)) * (GENERATOR.random((N, P)) < 0.1))
PHASES, AMPLITUDES = GENERATOR.uniform(0, 7, N), GENERATOR.random(N)
DATA = GENERATOR.normal(size=(ROWS, P))


def reader(data: object) -> Callable[[int, int], object]:
    return lambda start, stop: data[start:stop]  # type: ignore[index]


def features(data: object, form: Form, kind: type = np.float64) -> np.ndarray:
    complete = np.result_type(kind, np.complex64) if form == "complex" else kind
    out = np.full((data.shape[0], width(form, N)), np.nan, dtype=complete)  # type: ignore[attr-defined]
    evaluate_sparse_phasors(len(out), reader(data), FREQUENCIES, PHASES, AMPLITUDES.astype(kind), form, out)
    return out


@pytest.mark.long
@pytest.mark.parametrize(("kind", "bound"), [(np.float64, 1e-11), (np.float32, 1e-6)])
@pytest.mark.parametrize("form", FORMS)
def test_formula(form: Form, kind: type, bound: float) -> None:
    data = DATA.astype(kind)
    angle = data.astype(np.float64) @ FREQUENCIES.toarray().T + PHASES  # single precision only at the end
    expected = {
        "paired": np.hstack([AMPLITUDES * np.cos(angle), AMPLITUDES * np.sin(angle)]),
        "phase": np.sqrt(2) * AMPLITUDES * np.cos(angle),
        "complex": AMPLITUDES * np.exp(1j * angle),
    }[form]
    assert np.abs(features(data, form, kind) - expected).max() <= bound


@pytest.mark.long
@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("form", FORMS)
def test_same_bits_in_any_pieces_order_and_number_of_threads(
    form: Form, kind: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = DATA.astype(kind)
    whole = features(data, form, kind)
    for size in (1, 63, 257):
        pieces = [features(data[i : i + size], form, kind) for i in range(0, 300, size)]
        assert np.array_equal(np.concatenate(pieces)[:300], whole[:300]), size
    for processors in (1, 5):
        monkeypatch.setattr(threads, "processors", lambda count=processors: count)
        assert np.array_equal(features(data, form, kind), whole)
    assert np.array_equal(features(np.asfortranarray(data), form, kind), whole)
    assert np.array_equal(features(csr_array(data), form, kind), whole)
    wide = np.zeros((ROWS, whole.shape[1] + 3), dtype=whole.dtype)
    for out in (wide[:, 2:-1], np.empty_like(whole, order="F")):
        evaluate_sparse_phasors(len(data), reader(data), FREQUENCIES, PHASES, AMPLITUDES.astype(kind), form, out)
        assert np.array_equal(out, whole)


def test_phases() -> None:
    expected = DATA @ FREQUENCIES.toarray().T
    np.testing.assert_allclose(sparse_phases(DATA, FREQUENCIES), expected, rtol=1e-10, atol=1e-11)
    assert np.array_equal(sparse_phases(DATA[7:8], FREQUENCIES)[0], sparse_phases(DATA, FREQUENCIES)[7])
    assert np.array_equal(sparse_phases(csr_array(DATA), FREQUENCIES), sparse_phases(DATA, FREQUENCIES))
    assert sparse_phases(DATA.astype(np.float32), FREQUENCIES).dtype == np.float32


@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize("n", [1, 16, 17, 64, 65, 129, 200])
def test_features(n: int, paired: bool) -> None:
    generator = np.random.default_rng(n)
    data = generator.normal(size=(130, 7)) * 30
    counts = generator.integers(0, 4, n)
    starts = np.concatenate([[0], np.cumsum(counts)])
    places, turns = generator.integers(0, 7, starts[-1]), generator.normal(size=starts[-1])
    phases, amplitudes = generator.normal(size=n), generator.random(n)
    out = np.full((130, 2 * n if paired else n), np.nan)
    write_features(data, starts, places, turns, phases, amplitudes, DOUBLE, paired, out)
    matrix = np.zeros((7, n))
    np.add.at(matrix, (places, np.repeat(np.arange(n), counts)), turns)
    angle = 2 * np.pi * (data @ matrix + phases)
    assert np.abs(out[:, :n] - amplitudes * np.cos(angle)).max() < 1e-12
    if paired:
        assert np.abs(out[:, n:] - amplitudes * np.sin(angle)).max() < 1e-12


def test_whole_turns_are_taken_off_exactly() -> None:
    # 2⁴⁰ + ⅛ turns: an angle in radians of that size would have lost ten digits
    data = np.array([[1.0]])
    out = np.empty((1, 2))
    ends, places, rate = np.array([0, 1]), np.array([0]), np.array([2.0**40 + 0.125])
    write_features(data, ends, places, rate, np.zeros(1), np.ones(1), DOUBLE, True, out)
    np.testing.assert_allclose(out, np.sqrt(0.5), rtol=4e-16)


def test_not_a_number_stays_one() -> None:
    out = np.empty((1, 2))
    ends, places = np.array([0, 1]), np.array([0])
    write_features(np.array([[np.nan]]), ends, places, np.ones(1), np.zeros(1), np.ones(1), DOUBLE, True, out)
    assert np.isnan(out).all()
