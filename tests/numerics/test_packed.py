"""Tests of `numerics/packed.py`."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import hadamard
from scipy.sparse import csr_array

import kernelspec as ks
from kernelspec.errors import DataError
from kernelspec.numerics import phasor, threads
from kernelspec.numerics.arrays import pack_weights
from kernelspec.numerics.packed import (
    LOSS,
    AngleSizes,
    PackedHadamard,
    accurate_size,
    kept_size,
    least_lost_turns,
    losses,
    pack_hadamard,
    pack_phasors,
)
from kernelspec.numerics.phasor import Form, evaluate_phasors, width

DOUBLE = np.dtype(np.float64)
MANY = 10**40
"""Enough frequencies for rounding to average out."""


@pytest.mark.parametrize("rows_kind", [np.asarray, csr_array])
@pytest.mark.parametrize("turns_kind", [np.asarray, csr_array])
def test_half_of_the_angles_of_a_row(rows_kind: type, turns_kind: type) -> None:
    turns = np.array([[1.0, 0.0], [2.0, 0.0], [0.0, 1e-20], [0.0, 4e-20]])
    most = 2.0**51
    rows = np.array(
        [[most, 0], [3 * most, 0], [1, 1e20 * most], [4 * most, 1e20 * most], [1e308, 1e308], [0, 0], [1, np.inf]]
    )
    with np.errstate(over="ignore"):
        expected = [bool(np.median(np.hypot(*(turns * row).T)) > most) for row in rows[:-1]]
    assert expected == [False, True, False, True, True, False]
    assert AngleSizes(turns_kind(turns)).lost(rows_kind(rows), DOUBLE).tolist() == [*expected, True]


@pytest.mark.parametrize("kind", [np.asarray, csr_array])
def test_frequencies_of_any_sizes_side_by_side(kind: type) -> None:
    sizes = AngleSizes(kind(np.array([[1e-250, 2.0], [2e-250, 1.0], [1e-250, 1.0]])))
    rows = np.array([[2.0**50 * 1e250, 1.0], [2.0**53 * 1e250, 1.0], [0.0, 2.0**53], [1e250, 1.0], [5.0, 0.0]])
    assert sizes.lost(rows, DOUBLE).tolist() == [False, True, True, False, False]


TEXTS = ("gaussian(scale=1e18)[0] * gaussian()[1]", "gaussian(scale=1e18)[0] * gaussian()[1] * match()[2]")


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("sparse", [False, True])
def test_times_in_nanoseconds_have_features(text: str, sparse: bool) -> None:
    rows = np.array([[1.7e18, 0.3, 1.0], [1.2e18, 0.5, 1.0]])[:, : 2 + text.count("match")]
    exact = ks.parse(text).gram(rows)
    features = ks.compile(text, dim=rows.shape[1], n_features=4096, seed=1).transform(
        csr_array(rows) if sparse else rows
    )
    found = features @ features.T
    error = (found if isinstance(found, np.ndarray) else found.toarray()) - exact
    assert np.abs(error).max() < 0.1  # five standard deviations of 2,048 samples


@pytest.mark.filterwarnings("ignore::kernelspec.RoundingWarning")  # rows that are nearly lost
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("text", "method"), [("gaussian()", "paired"), ("gaussian()[0:100] * match()[100]", "auto"), ("laplace()", "phase")]
)
def test_a_row_is_refused_in_any_batch_or_in_none(text: str, method: str, dtype: type) -> None:
    """All columns at nine tenths of what one could have, beside a row of one column at more than that."""
    dim = 101 if "match" in text else 100
    fmap = ks.compile(text, dim=dim, n_features=128, method=method)
    (phasors,) = [part.phasors for part in (fmap.dense, *fmap.keyed) if part is not None]
    typical = np.median(np.abs(phasors.frequencies).max(axis=1)) / (2 * np.pi)
    limit = least_lost_turns(np.dtype(dtype)) / typical
    rows = np.zeros((600, dim), dtype=dtype)
    rows[0, :100], rows[1, 0], rows[2, :100], rows[599, 0] = 0.9 * limit, 1.2 * limit, 0.01 * limit, 1e4 * limit
    verdicts = []
    for i in (0, 1, 2, 3, 599):
        try:
            fmap.transform(rows[i : i + 1])
            verdicts.append(False)
        except DataError:
            verdicts.append(True)
    assert verdicts[0]
    assert verdicts[2:] == [False, False, True]
    first = int(np.argmax(verdicts))
    for size in (2, 3, 7, 600):
        with pytest.raises(DataError, match=f"not finite in row {first},"):
            list(fmap.blocks(rows, rows=size))
    accepted = rows[[i for i, lost in zip((0, 1, 2, 3), verdicts, strict=False) if not lost]]
    fmap.transform(accepted)


def test_sizes_that_are_kept_are_not_lost() -> None:
    generator = np.random.default_rng(0)
    for turns in (generator.standard_normal((9, 4)), generator.standard_cauchy((50, 3)) * 1e-200):
        for own in (turns, csr_array(turns)):
            sizes = AngleSizes(own)
            size = sizes.kept(DOUBLE)
            assert 0 < size < np.inf
            assert not sizes.lost(np.full((1, turns.shape[1]), size), DOUBLE).any()
            assert sizes.lost(np.full((1, turns.shape[1]), 1e6 * size), DOUBLE).all()
    assert kept_size(0.0, DOUBLE) == np.inf


SKELETON = "full(erf, input=conv(relu, size=3, stride=2, input=image(8, 8, 1, base=gaussian())))"


@pytest.mark.parametrize("method", ["paired", "phase", "complex"])
@pytest.mark.parametrize(
    ("text", "dim"), [(SKELETON, 64), ("gaussian()", 4), ("gaussian()[0] * match()[1]", 2), ("laplace()", 64)]
)
def test_unequal_rows_never_become_alike(text: str, dim: int, method: str) -> None:
    rows = np.random.default_rng(0).standard_normal((5, dim))
    fmap = ks.compile(text, dim=dim, n_features=120, method=method, missing="refuse")
    for size in (1e17, 1e30):
        large = rows.copy()
        large[3] *= size
        for X in (large, csr_array(large)):
            with pytest.raises(DataError, match="not finite in row 3"):
                fmap.transform(X)


def test_the_loss_of_an_angle_by_hand() -> None:
    """2⁴⁸ turns, rounded three times to multiples of 1/16 in the worst case: (2π 2⁻⁵³ 2⁴⁸)² 3/3 = (2π/32)²."""
    angles = np.array([[2.0**48], [2.0**60], [np.nan], [np.inf], [0.0]])
    np.testing.assert_allclose(losses(angles, MANY, 3, DOUBLE), [(np.pi / 16) ** 2, 1, 1, 1, 0], rtol=1e-14)
    assert losses(np.array([[2.0**48, 2.0**60, 0, 0]]), MANY, 3, DOUBLE)[0] == pytest.approx(
        (1 + (np.pi / 16) ** 2) / 4
    )
    assert losses(np.array([[2.0**19]]), MANY, 3, np.dtype(np.float32))[0] == pytest.approx((np.pi / 16) ** 2)


@pytest.mark.parametrize("n", [1, 7, 1500, 20_000])
def test_rows_of_the_accurate_size_have_the_loss_allowed(n: int) -> None:
    """Light and heavy tails, of which single samples lose everything: the loss at s is the one allowed."""
    generator = np.random.default_rng(n)
    for turns in (generator.standard_normal(n), generator.standard_cauchy(n) ** 3 * 1e-30, np.ones(n)):
        size = accurate_size(np.abs(turns), 5, DOUBLE)
        count = len(np.unique(np.abs(turns)))
        assert losses(size * np.abs(turns)[None], count, 5, DOUBLE)[0] == pytest.approx(LOSS, rel=1e-5)
    assert accurate_size(np.zeros(n), 5, DOUBLE) == np.inf


@pytest.mark.parametrize("rows_kind", [np.asarray, csr_array])
@pytest.mark.parametrize("turns_kind", [np.asarray, csr_array])
def test_the_losses_of_rows(rows_kind: type, turns_kind: type) -> None:
    """Column by column, and 0 where `LOSS` is not reached."""
    turns = np.array([[1.0, 0.0], [2.0, 0.0], [0.0, 1e-20], [0.0, 4e-20]])
    sizes = AngleSizes(turns_kind(turns))
    assert sizes.roundings == (2 if turns_kind is np.asarray else 1)
    rows = np.array([[1e14, 0], [1e12, 1e36], [1e12, 0], [3e15, 1e35], [0, 0], [0, np.inf]])
    with np.errstate(invalid="ignore"):
        angles = np.array([np.hypot(*(turns * row).T) for row in rows[:-1]])
    expected = losses(angles, 4, sizes.roundings, DOUBLE)
    expected = [*np.where(expected > LOSS, expected, 0), 1.0]  # half of the angles are lost, of few frequencies
    assert [bool(loss) for loss in expected] == [True, True, False, True, False, True]
    found = sizes.losses(rows_kind(np.nan_to_num(rows, posinf=1e300)), DOUBLE)
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    assert not sizes.losses(rows_kind(np.full((2, 2), sizes.accurate(DOUBLE))), DOUBLE).any()


def test_rows_below_the_loss_allowed_lose_nothing_though_a_column_is_large() -> None:
    """Heavy tails: on average, without a bound for every sample, these rows would lose a thousand times as much."""
    sizes = AngleSizes(np.random.default_rng(0).standard_cauchy((4000, 2)))
    rows = np.array([[1.05, 0.0], [1.05, 1.05], [0.5, 0.0]]) * sizes.accurate(DOUBLE)
    assert (sizes.losses(rows, DOUBLE) > LOSS).tolist() == [False, True, False]
    assert sizes.losses(rows, DOUBLE)[0] == 0


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


@pytest.mark.long
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


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_rows_of_a_safe_size_do_not_overflow(kind: type) -> None:
    weights = np.random.default_rng(0).standard_normal((9, 6)) * 1e20
    packed = pack_phasors(pack_weights(weights, np.dtype(kind)), np.zeros(9), np.ones(9), "paired")
    assert 0 < packed.largest_safe < np.inf
    row = np.full(6, packed.largest_safe)
    assert (np.abs(weights).astype(np.longdouble) @ row < np.finfo(kind).max).all()
    for one in (weights * 1e30, weights):
        sizes = np.full(9, 1e40 if one is weights else 1.0)  # more than single precision holds
        other = pack_phasors(pack_weights(one, np.dtype(np.float32)), np.zeros(9), sizes, "paired")
        assert other.largest_safe == 0


@pytest.mark.parametrize("text", ["cosine(20)", "cosine(3)", "mean(cosine(2), cosine(5))"])
@pytest.mark.parametrize("offset", [1e11, 1e12, 1e13, 1e14])
def test_one_frequency_loses_more_than_an_average_of_many(text: str, offset: float) -> None:
    """All samples of cosine(b) have the same rounded angle, so nothing averages: the loss is of the first order."""
    base = np.round(np.random.default_rng(0).standard_normal((200, 1)) * 16) / 16  # exact beside the offset
    fmap, expected = ks.compile(text, dim=1), ks.parse(text).gram(base)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        Z = fmap.transform(base + offset)
    error = np.linalg.norm(Z @ Z.T - expected) / np.linalg.norm(expected)
    stated = [float(str(one.message).split("by up to ")[1].split(" %")[0]) / 100 for one in said]
    if error > 2 * LOSS:
        assert len(stated) == 1
    if stated:
        assert error < stated[0] < 30 * error
