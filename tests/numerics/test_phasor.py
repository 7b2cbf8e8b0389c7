"""A matrix product, then cosine and sine: right to rounding, and the same bits however the rows arrive."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from kernelspec.numerics import threads
from kernelspec.numerics.phasor import Form, evaluate_phasors, phases_of, width

FORMS: list[Form] = ["paired", "phase", "complex"]
PIECES = [7, 255, 256, 257]


def problem(dim: int, n: int, kind: type, rows: int = 530) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    generator = np.random.default_rng(dim * 1000 + n)
    data = generator.standard_normal((rows, dim)).astype(kind)
    frequencies = generator.standard_cauchy((dim, n)).astype(kind)  # heavy tails: arguments of all sizes
    offsets = generator.uniform(0, 7, n).astype(kind)
    return data, frequencies, offsets, generator.random(n).astype(kind)


def features(data: object, rest: tuple[np.ndarray, ...], form: Form) -> np.ndarray:
    frequencies = rest[0]
    kind = np.result_type(frequencies.dtype, np.complex64) if form == "complex" else frequencies.dtype
    out = np.full((data.shape[0], width(form, frequencies.shape[1])), np.nan, dtype=kind)  # type: ignore[attr-defined]
    evaluate_phasors(data, *rest, form, out)
    return out


def test_width() -> None:
    assert [width(form, 5) for form in FORMS] == [10, 5, 5]


@pytest.mark.parametrize("form", FORMS)
def test_formula(form: Form) -> None:
    data, frequencies, offsets, amplitudes = problem(3, 5, np.float64)
    angle = data @ frequencies + offsets
    expected = {
        "paired": np.hstack([amplitudes * np.cos(angle), amplitudes * np.sin(angle)]),
        "phase": np.sqrt(2) * amplitudes * np.cos(angle),
        "complex": amplitudes * np.exp(1j * angle),
    }[form]
    got = features(data, (frequencies, offsets, amplitudes), form)
    assert np.abs(got - expected).max() <= 1e-11


@pytest.mark.slow
@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("n", [1, 2, 64, 512])
@pytest.mark.parametrize("dim", [1, 3, 8, 54])
def test_same_bits_in_any_pieces(dim: int, n: int, kind: type) -> None:
    data, *rest = problem(dim, n // 2 or 1, kind)
    for form in FORMS:
        whole = features(data, tuple(rest), form)
        for size in PIECES:
            pieces = [features(data[i : i + size], tuple(rest), form) for i in range(0, len(data), size)]
            assert np.array_equal(np.concatenate(pieces), whole), f"{form} in pieces of {size}"
        for i in (0, 1, 254, 255, 256, 257, 511, 512, 529):
            assert np.array_equal(features(data[i : i + 1], tuple(rest), form)[0], whole[i]), f"{form}, row {i} alone"


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_same_bits_for_any_number_of_threads(kind: type, monkeypatch: pytest.MonkeyPatch) -> None:
    data, *rest = problem(8, 32, kind, rows=1300)
    results = []
    for processors in (1, 2, 5, 16):
        monkeypatch.setattr(threads, "_processors", lambda count=processors: count)
        results.append([features(data, tuple(rest), form) for form in FORMS])
    for other in results[1:]:
        for form, got, expected in zip(FORMS, other, results[0], strict=True):
            assert np.array_equal(got, expected), form


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("dim", [1, 8])
def test_same_bits_for_any_memory_order(dim: int, kind: type) -> None:
    data, *rest = problem(dim, 32, kind)
    wide = np.zeros((2 * len(data), 2 * dim), dtype=kind)
    wide[::2, ::2] = data
    backwards = np.ascontiguousarray(data[::-1])[::-1]
    for form in FORMS:
        expected = features(data, tuple(rest), form)
        for other in (np.asfortranarray(data), wide[::2, ::2], backwards):
            assert np.array_equal(features(other, tuple(rest), form), expected), form


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_same_bits_in_any_output_memory(kind: type) -> None:
    data, *rest = problem(3, 33, kind)
    for form in FORMS:
        expected = features(data, tuple(rest), form)
        wide = np.zeros((len(data), 2 * expected.shape[1] + 3), dtype=expected.dtype)
        for out in (np.empty_like(expected, order="F"), wide[:, 3 : 3 + expected.shape[1]]):
            evaluate_phasors(data, *rest, form, out)
            assert np.array_equal(out, expected), form


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_sparse_rows_agree_within_rounding(kind: type) -> None:
    data, _, offsets, amplitudes = problem(20, 16, kind)
    frequencies = np.random.default_rng(0).standard_normal((20, 16)).astype(kind)
    data[np.random.default_rng(1).random(data.shape) < 0.8] = 0
    bound = 200 * np.finfo(kind).eps
    for form in FORMS:
        dense = features(data, (frequencies, offsets, amplitudes), form)
        sparse = features(csr_array(data), (frequencies, offsets, amplitudes), form)
        assert np.abs(dense - sparse).max() <= bound
        alone = features(csr_array(data[5:6]), (frequencies, offsets, amplitudes), form)
        assert np.array_equal(alone[0], sparse[5])


def test_phases() -> None:
    data, frequencies, _, _ = problem(3, 4, np.float64)
    assert np.allclose(phases_of(data, frequencies), data @ frequencies, rtol=1e-12, atol=1e-12)
    assert phases_of(data[:0], frequencies).shape == (0, 4)
