"""Tests of `numerics/phasor.py`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit
from scipy.sparse import csr_array

import kernelspec as ks
from kernelspec.numerics import phasor, threads
from kernelspec.numerics.arrays import pack_weights
from kernelspec.numerics.packed import PackedPhasors, pack_hadamard, pack_phasors
from kernelspec.numerics.phasor import (
    Form,
    PlacedPhasors,
    evaluate_phasors,
    evaluate_sparse_phasors,
    evaluate_stacked,
    fractions_of_turns,
    sparse_phases,
    width,
)
from kernelspec.numerics.phasor_kernels import DOUBLE, SINGLE, write_features, write_rows, write_sparse_rows
from tests.numerics.registers import needs_wide_registers

FORMS: list[Form] = ["paired", "phase", "complex"]
Problem = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def problem(dim: int, n: int, kind: Any, rows: int = 130) -> Problem:
    """Rows, frequencies (n, dim), phases, amplitudes."""
    generator = np.random.default_rng(dim * 1000 + n)
    data = generator.standard_normal((rows, dim)).astype(kind)
    frequencies = generator.standard_cauchy((n, dim))  # heavy tails: angles of all sizes
    return data, frequencies, generator.uniform(0, 7, n), generator.random(n)


def packed(rest: tuple[np.ndarray, ...], form: Form, kind: Any) -> PackedPhasors:
    frequencies, phases, amplitudes = rest
    return pack_phasors(pack_weights(frequencies / (2 * np.pi), np.dtype(kind)), phases, amplitudes, form)


def empty(rows: int, phasors: PackedPhasors) -> np.ndarray:
    kind = np.result_type(phasors.dtype, np.complex64) if phasors.form == "complex" else phasors.dtype
    return np.full((rows, width(phasors.form, phasors.n)), np.nan, dtype=kind)


def features(data: Any, phasors: PackedPhasors) -> np.ndarray:
    out = empty(data.shape[0], phasors)
    assert evaluate_phasors(len(out), lambda start, stop: data[start:stop], phasors, out)
    return out


def with_numpy(data: np.ndarray, rest: tuple[np.ndarray, ...], form: Form) -> np.ndarray:
    """The formula in extended precision."""
    frequencies, phases, amplitudes = rest
    angle = data.astype(np.longdouble) @ frequencies.T.astype(np.longdouble) + phases
    if form == "paired":
        return np.hstack([amplitudes * np.cos(angle), amplitudes * np.sin(angle)])
    return np.sqrt(2) * amplitudes * np.cos(angle) if form == "phase" else amplitudes * np.exp(1j * angle)


def allowed(data: np.ndarray, rest: tuple[np.ndarray, ...], kind: Any) -> np.ndarray:
    """Errors of features: of cosine and sine, of rounded frequencies and phases, and of one rounding a column."""
    frequencies, phases, amplitudes = rest
    size = np.abs(data).astype(float) @ np.abs(frequencies).T + np.abs(phases)
    return amplitudes * (4 + (data.shape[1] + 4) * size) * np.finfo(kind).eps


KINDS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "as it is": lambda x: x,
    "Fortran order": np.asfortranarray,
    "every second": lambda x: np.repeat(np.repeat(x, 2, axis=0), 2, axis=1)[::2, ::2],
    "backwards": lambda x: np.ascontiguousarray(x[::-1])[::-1],
    "big-endian": lambda x: x.astype(x.dtype.newbyteorder(">")),
    "read-only": lambda x: np.frombuffer(x.tobytes(), dtype=x.dtype).reshape(x.shape),
}


@pytest.mark.long
@settings(max_examples=60)
@given(
    rows=st.integers(0, 70),
    dim=st.integers(1, 11),
    n=st.sampled_from([1, 2, 15, 16, 17, 33, 513]),
    kind=st.sampled_from([np.float32, np.float64]),
    form=st.sampled_from(FORMS),
    arrival=st.sampled_from(sorted(KINDS)),
)
def test_against_numpy(rows: int, dim: int, n: int, kind: Any, form: Form, arrival: str) -> None:
    data, *rest = problem(dim, n, kind, rows)
    phasors = packed(tuple(rest), form, kind)
    plain = features(data, phasors)
    error = np.abs(plain - with_numpy(data, tuple(rest), form))
    bound = allowed(data, tuple(rest), kind) * (np.sqrt(2) if form != "paired" else 1)
    assert (error <= np.tile(bound, 2 if form == "paired" else 1)).all()
    assert np.array_equal(features(KINDS[arrival](data), phasors), plain)


def test_a_memory_map(tmp_path: Path) -> None:
    data, *rest = problem(5, 20, np.float64)
    np.save(tmp_path / "x.npy", data)
    phasors = packed(tuple(rest), "paired", np.float64)
    for mode in ("r", "c"):
        mapped = np.load(tmp_path / "x.npy", mmap_mode=mode)  # type: ignore[call-overload]
        assert np.array_equal(features(mapped, phasors), features(data, phasors))


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize(("dim", "n"), [(1, 1), (3, 32), (8, 300), (54, 600)])
def test_same_bits_in_any_pieces_order_and_threads(
    dim: int, n: int, kind: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, *rest = problem(dim, n, kind)
    order = np.random.default_rng(0).permutation(len(data))
    monkeypatch.setattr(phasor, "_WORK", 1)  # blocks of 32 rows
    for form in FORMS:
        phasors = packed(tuple(rest), form, kind)
        whole = features(data, phasors)
        for size in (1, 7, 65):
            pieces = [features(data[i : i + size], phasors) for i in range(0, len(data), size)]
            assert np.array_equal(np.concatenate(pieces), whole), f"{form} in pieces of {size}"
        assert np.array_equal(features(data[order], phasors), whole[order])
        for processors in (1, 2, 5):
            monkeypatch.setattr(threads, "processors", lambda count=processors: count)
            assert np.array_equal(features(data, phasors), whole), form


@pytest.mark.parametrize("processors", [1, 2, 8])
@pytest.mark.parametrize("n_rows", [0, 1, 3, 64, 65, 500, 16384, 40_000])
@pytest.mark.parametrize("work", [1, 22_000, 10**9])
def test_blocks_are_equal_and_as_many_for_each_thread(
    work: int, n_rows: int, processors: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(phasor, "processors", lambda: processors)
    block = phasor.rows_of_a_block(work, n_rows)
    blocks = -(-n_rows // block)
    assert 1 <= block <= 4096
    assert blocks <= 1 or block * blocks - n_rows <= 4 * blocks  # groups of four, and a rest
    assert blocks <= processors or blocks % processors == 0 or blocks > 10 * processors


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_same_bits_in_any_output_memory(kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    data, *rest = problem(3, 33, kind)
    monkeypatch.setattr(phasor, "_BUFFER", 1000)  # several buffers
    for form in FORMS:
        phasors = packed(tuple(rest), form, kind)
        expected = features(data, phasors)
        wide = np.zeros((len(data), 2 * expected.shape[1] + 3), dtype=expected.dtype)
        for out in (np.empty_like(expected, order="F"), wide[:, 3 : 3 + expected.shape[1]]):
            evaluate_phasors(len(out), lambda start, stop: data[start:stop], phasors, out)
            assert np.array_equal(out, expected), form
        assert not wide[:, :3].any()
        assert not wide[:, 3 + expected.shape[1] :].any()


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_sparse_rows_have_the_bits_of_dense_ones(kind: Any) -> None:
    data, *rest = problem(20, 16, kind)
    data[np.random.default_rng(1).random(data.shape) < 0.8] = 0
    table = csr_array(data)
    disordered = table.copy()
    first, last = disordered.indptr[3], disordered.indptr[4]
    for part in (disordered.indices, disordered.data):
        part[first:last] = part[first:last][::-1].copy()
    disordered.has_sorted_indices = False
    for form in FORMS:
        phasors = packed(tuple(rest), form, kind)
        dense = features(data, phasors)
        assert np.array_equal(features(table, phasors), dense)
        assert np.array_equal(features(disordered, phasors), dense)
        assert np.array_equal(features(table[5:6], phasors), dense[5:6])


@pytest.mark.parametrize("value", [np.inf, np.nan, 1e300])
def test_says_where_features_may_overflow(value: float) -> None:
    data, *rest = problem(4, 8, np.float64)
    phasors = packed((rest[0] * 1e10, rest[1], rest[2]), "paired", np.float64)
    data[77, 2] = value
    for rows in (data, csr_array(data)):
        out = empty(len(data), phasors)
        assert not evaluate_phasors(len(out), lambda start, stop, own=rows: own[start:stop], phasors, out)  # type: ignore[misc]
        assert not np.isfinite(out[77]).all()
        assert np.isfinite(np.delete(out, 77, axis=0)).all()


FORMS_OF_STACKED_PHASORS: tuple[Form, ...] = ("paired", "phase", "complex")


def parts(form: Form) -> list[PlacedPhasors]:
    generator, kind = np.random.default_rng(0), np.dtype(np.float64)
    signs, places = generator.choice([-1.0, 1.0], (1, 3, 64)), np.arange(69, 9, -1)
    structured = pack_hadamard(signs, np.ones(50), np.ones(60), generator.random(50), np.ones(50), form, kind)
    stored = pack_phasors(pack_weights(generator.random((7, 70)), kind), generator.random(7), np.ones(7), form)
    return [(None, stored), (places, structured)]


def features_of_stacked_phasors(form: Form, own: list[PlacedPhasors], rows: object) -> np.ndarray:
    n = sum(phasors.n for _, phasors in own)
    out = np.full((40, width(form, n)), np.nan, dtype=complex if form == "complex" else float)
    assert evaluate_stacked(40, lambda start, stop: rows[start:stop], own, out)  # type: ignore[index]
    return out


@pytest.mark.parametrize("form", FORMS_OF_STACKED_PHASORS)
def test_parts_stand_beside_each_other(form: Form) -> None:
    rows, own = np.random.default_rng(1).standard_normal((40, 70)), parts(form)
    whole, halves = features_of_stacked_phasors(form, own, rows), []
    for places, phasors in own:
        alone, given = np.empty((40, width(form, phasors.n)), whole.dtype), rows if places is None else rows[:, places]
        evaluate_phasors(40, lambda start, stop, given=given: given[start:stop], phasors, alone)  # type: ignore[misc]
        assert np.array_equal(features_of_stacked_phasors(form, [(places, phasors)], rows), alone)
        halves.append(np.split(alone, 2, axis=1) if form == "paired" else [alone])
    assert np.array_equal(whole, np.hstack([side for sides in zip(*halves, strict=True) for side in sides]))
    assert np.array_equal(features_of_stacked_phasors(form, own, csr_array(rows)), whole)


def write(rows: np.ndarray, frequencies: np.ndarray, paired: bool) -> np.ndarray:
    kind, n = rows.dtype, len(frequencies)
    packed = pack_phasors(
        pack_weights(frequencies / (2 * np.pi), kind), np.arange(n) / 7.0, np.arange(n) + 1.0, "paired"
    )
    own = packed.weights, packed.offsets, packed.sizes, n, paired, SINGLE if kind == np.float32 else DOUBLE
    turns = np.empty((8, 2 * packed.weights.shape[2]), dtype=kind)
    out = np.full((len(rows), n * (1 + paired)), np.nan, dtype=kind)
    assert write_rows(rows, *own, 1.0, turns, out) == (~(np.abs(rows) <= 1)).sum()
    table, again = csr_array(rows), np.full_like(out, np.nan)
    pointers, columns = table.indptr.astype(np.int64), table.indices.astype(np.int64)
    assert write_sparse_rows(pointers, columns, table.data, *own, 1.0, turns[:1], again) == (np.abs(rows) > 1).sum()
    assert np.array_equal(out, again)
    return out


@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize(("rows", "n"), [(1, 1), (3, 17), (8, 512), (9, 513), (21, 1100)])
def test_features(rows: int, n: int, paired: bool) -> None:
    generator = np.random.default_rng(n)
    data, frequencies = generator.standard_normal((rows, 5)), generator.standard_normal((n, 5))
    data[:, 2] = 0
    angle, size = data @ frequencies.T + np.arange(n) / 7.0, np.arange(n) + 1.0
    expected = [size * np.cos(angle), size * np.sin(angle)][: 1 + paired]
    assert (
        np.abs((write(data, frequencies, paired) - np.hstack(expected)) / np.tile(size, 1 + paired)).max() < 2e-14 * n
    )


@pytest.mark.long
@needs_wide_registers
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_loops_use_wide_registers(kind: type) -> None:
    size = 256 // np.dtype(kind).itemsize
    table, line = np.ones((4, 4), dtype=kind), np.ones((1, size), dtype=kind)
    fresh = njit(nogil=True)(write_rows.py_func)  # what comes from a cache cannot be read
    coefficients = SINGLE if kind is np.float32 else DOUBLE
    turns = np.ones((4, size), dtype=kind)
    fresh(table, np.ones((1, 4, size), dtype=kind), line, line, 2, True, coefficients, 1.0, turns, table)
    (code,) = fresh.inspect_asm().values()
    ending = "ps" if kind is np.float32 else "pd"
    for name in (f"vfmadd231{ending}", f"vfmadd213{ending}", f"v{'rndscale' if 'zmm' in code else 'round'}{ending}"):
        wide = [line for line in code.splitlines() if name in line and ("zmm" in line or "ymm" in line)]
        assert wide, name


N, P, ROWS = 100, 20, 530
GENERATOR = np.random.default_rng(8)
FREQUENCIES = csr_array(GENERATOR.standard_cauchy((N, P)) * (GENERATOR.random((N, P)) < 0.1))
PHASES, AMPLITUDES = GENERATOR.uniform(0, 7, N), GENERATOR.random(N)
DATA = GENERATOR.normal(size=(ROWS, P))


def reader(data: object) -> Callable[[int, int], object]:
    return lambda start, stop: data[start:stop]  # type: ignore[index]


def features_of_sparse_phasor(data: object, form: Form, kind: type = np.float64) -> np.ndarray:
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
    assert np.abs(features_of_sparse_phasor(data, form, kind) - expected).max() <= bound


@pytest.mark.long
@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("form", FORMS)
def test_same_bits_in_any_pieces_order_and_number_of_threads(
    form: Form, kind: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = DATA.astype(kind)
    whole = features_of_sparse_phasor(data, form, kind)
    for size in (1, 63, 257):
        pieces = [features_of_sparse_phasor(data[i : i + size], form, kind) for i in range(0, 300, size)]
        assert np.array_equal(np.concatenate(pieces)[:300], whole[:300]), size
    for processors in (1, 5):
        monkeypatch.setattr(threads, "processors", lambda count=processors: count)
        assert np.array_equal(features_of_sparse_phasor(data, form, kind), whole)
    assert np.array_equal(features_of_sparse_phasor(np.asfortranarray(data), form, kind), whole)
    assert np.array_equal(features_of_sparse_phasor(csr_array(data), form, kind), whole)
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
def test_features_sparse_phasor(n: int, paired: bool) -> None:
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


@pytest.mark.filterwarnings("ignore::kernelspec.RoundingWarning")  # of angles that lose some digits
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("text", ["powered_exponential(alpha=0.05)", "matern(nu=0.05)", "bochner(student_t(dof=0.1))"])
def test_angles_of_which_rounding_leaves_nothing_are_exact_or_independent(text: str, dtype: type) -> None:
    """Whole turns would add up to .27 to products of unequal rows; the error was sixteen times the predicted one."""
    rows = np.random.default_rng(0).standard_normal((40, 3)).astype(dtype)
    rows = np.concatenate([rows, rows[:5]])
    for options in ({"method": "paired"}, {"method": "phase"}):
        fmap = ks.compile(text, dim=3, n_features=4000, seed=2, draws="independent", **options)
        features = fmap.transform(rows)
        exact = ks.parse(text).gram(rows.astype(float))
        error = np.linalg.norm(features @ features.T - exact) / np.linalg.norm(exact)
        assert error < 1.25 * fmap.predicted_error(rows)
        np.testing.assert_array_equal(features[:5], features[-5:])
        parts = np.concatenate([fmap.transform(rows[:7]), fmap.transform(rows[7:])])
        np.testing.assert_array_equal(features, parts)


def test_turns_of_exact_products() -> None:
    """(2⁴⁰ + 2⁻¹²)(2³⁰ + 2⁻²²) = 2⁷⁰ + 2¹⁸ + 2¹⁸ + 2⁻³⁴ exactly, and (2⁵⁰ + ½)(1 + 2⁻⁵²) = 2⁵⁰ + ½ + ¼ + 2⁻⁵³."""
    x, w = np.array([[2.0**40 + 2.0**-12], [2.0**50 + 0.5]]), np.array([[2.0**30 + 2.0**-22], [1 + 2.0**-52]])
    samples = np.zeros(2, dtype=np.uint64)
    found = fractions_of_turns(x, w, samples, np.dtype(np.float64))
    np.testing.assert_allclose(found - np.floor(found), [2.0**-34, 0.75], atol=1e-15)
