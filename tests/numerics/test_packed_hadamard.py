"""Structured frequencies, packed: features against NumPy, the same bits however rows arrive, how large they may be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import hadamard
from scipy.sparse import csr_array

from kernelspec.numerics import phasor, threads
from kernelspec.numerics.packed import PackedHadamard, pack_hadamard
from kernelspec.numerics.phasor import Form, evaluate_phasors, width

FORMS: tuple[Form, ...] = ("paired", "phase", "complex")

ARRIVALS: dict[str, Callable[[np.ndarray], Any]] = {
    "as it is": lambda x: x,
    "Fortran order": np.asfortranarray,
    "every second": lambda x: np.repeat(np.repeat(x, 2, axis=0), 2, axis=1)[::2, ::2],
    "big-endian": lambda x: x.astype(x.dtype.newbyteorder(">")),
    "CSR": csr_array,
}


def problem(d: int, n: int, rows: int = 40) -> tuple[np.ndarray, ...]:
    """Rows, signs, lengths, scales, phases and amplitudes."""
    generator, p = np.random.default_rng(d * 1000 + n), max(64, 1 << (d - 1).bit_length())
    signs = generator.choice([-1.0, 1.0], (-(-n // p), 3, p))
    lengths, scales = np.sqrt(generator.chisquare(p, n) / p), generator.uniform(0.5, 1.5, d)
    return (
        generator.standard_normal((rows, d)) / np.sqrt(d), signs, lengths, scales, generator.random(n) * 7,
        generator.random(n),
    )  # fmt: skip


def dense(signs: np.ndarray, lengths: np.ndarray, scales: np.ndarray) -> np.ndarray:
    """The frequencies (n, d), by SciPy's matrix."""
    p = signs.shape[2]
    H = hadamard(p).astype(float)
    blocks = [(H * first) @ (H * second) @ (H * third) / p for first, second, third in signs]
    return lengths[:, None] * np.vstack(blocks)[: len(lengths), : len(scales)] * scales


def packed(rest: tuple[np.ndarray, ...], form: Form, kind: Any) -> PackedHadamard:
    signs, lengths, scales, phases, amplitudes = rest
    return pack_hadamard(signs, lengths, scales, phases, amplitudes, form, np.dtype(kind))


def features(data: Any, phasors: PackedHadamard) -> np.ndarray:
    kind = np.result_type(phasors.dtype, np.complex64) if phasors.form == "complex" else phasors.dtype
    out = np.full((data.shape[0], width(phasors.form, phasors.n)), np.nan, dtype=kind)
    assert evaluate_phasors(len(out), lambda start, stop: data[start:stop], phasors, out)
    return out


@pytest.mark.long
@settings(max_examples=40)
@given(
    rows=st.integers(0, 9),
    d=st.sampled_from([1, 63, 64, 65, 100, 128, 200, 300, 512, 784]),
    n=st.sampled_from([1, 2, 63, 64, 65, 130, 1030]),
    kind=st.sampled_from([np.float32, np.float64]),
    form=st.sampled_from(FORMS),
    arrival=st.sampled_from(sorted(ARRIVALS)),
)
def test_against_numpy(rows: int, d: int, n: int, kind: Any, form: Form, arrival: str) -> None:
    data, *rest = problem(d, n, rows)
    data = data.astype(kind)
    signs, lengths, scales, phases, amplitudes = rest
    plain = features(data, packed(tuple(rest), form, kind))
    angle = data.astype(float) @ dense(signs, lengths, scales).T + phases
    if form == "paired":
        expected = np.hstack([amplitudes * np.cos(angle), amplitudes * np.sin(angle)])
    else:
        expected = amplitudes * (np.exp(1j * angle) if form == "complex" else np.sqrt(2) * np.cos(angle))
    assert np.abs(plain - expected).max(initial=0) <= (2e-6 if kind == np.float32 else 1e-12)
    assert np.array_equal(features(ARRIVALS[arrival](data), packed(tuple(rest), form, kind)), plain)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize(("d", "n"), [(70, 40), (64, 100)])
def test_same_bits_in_any_pieces_order_and_threads(d: int, n: int, kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    data, *rest = problem(d, n)
    data, order = data.astype(kind), np.random.default_rng(0).permutation(len(data))
    monkeypatch.setattr(phasor, "_WORK", 1)  # blocks of 32 rows
    for form in FORMS:
        phasors = packed(tuple(rest), form, kind)
        whole = features(data, phasors)
        for size in (1, 7):
            pieces = [features(data[i : i + size], phasors) for i in range(0, len(data), size)]
            assert np.array_equal(np.concatenate(pieces), whole), f"{form} in pieces of {size}"
        assert np.array_equal(features(data[order], phasors), whole[order])
        for processors in (1, 2):
            monkeypatch.setattr(threads, "processors", lambda count=processors: count)
            assert np.array_equal(features(data, phasors), whole), form


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_how_large_rows_may_be(kind: Any) -> None:
    _, *rest = problem(100, 90)
    phasors = packed(tuple(rest), "paired", kind)
    assert 0 < phasors.largest_meaningful < phasors.largest_safe < np.inf
    for value in (phasors.largest_meaningful * 4 * np.sqrt(phasors.size), phasors.largest_safe * 4, np.inf, np.nan):
        data = np.ones((3, 100), dtype=kind)
        data[1, 5] = value
        out = np.empty((3, 180), dtype=kind)
        assert not evaluate_phasors(3, lambda start, stop, own=data: own[start:stop], phasors, out)  # type: ignore[misc]
        assert np.isnan(out[1]).any()
        assert np.isfinite(out[::2]).all()
