"""Rows whose angles are lost in rounding: told from the definition, column by column, dense and sparse."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

import kernelspec as ks
from kernelspec.errors import DataError
from kernelspec.numerics.packed import (
    LOSS,
    AngleSizes,
    accurate_size,
    are_lost,
    kept_size,
    largest_size,
    least_lost_turns,
    lengths_of,
    losses,
)

DOUBLE = np.dtype(np.float64)


def test_a_quarter_of_a_turn_is_lost_from_these_turns_on() -> None:
    for dtype in (np.dtype(np.float32), DOUBLE):
        turns = dtype.type(least_lost_turns(dtype))
        assert np.nextafter(turns, dtype.type(np.inf)) - turns == 0.5
        assert turns - np.nextafter(turns, dtype.type(0)) == 0.25


@pytest.mark.parametrize("kind", [np.asarray, csr_array])
def test_lengths_of_rows(kind: type) -> None:
    rows = np.array([[3.0, 4.0], [0.0, 0.0], [3e-5, -4e-5]])
    for size in (1.0, 1e200, 1e-200):
        np.testing.assert_allclose(lengths_of(kind(rows * size)), np.array([5, 0, 5e-5]) * size, rtol=1e-14)


def test_stored_zeros_have_no_length() -> None:
    rows = csr_array((np.array([0.0, 0.0, 2.0]), np.array([0, 1, 0]), np.array([0, 2, 3])), shape=(2, 2))
    assert lengths_of(rows).tolist() == [0, 2]
    assert rows.data.tolist() == [0, 0, 2]


def test_what_is_unknown_is_lost() -> None:
    turns = np.array([2.0**51, np.nextafter(2.0**51, np.inf), np.inf, np.nan, 0])
    assert are_lost(turns, DOUBLE).tolist() == [False, True, True, True, False]


@pytest.mark.parametrize("kind", [np.asarray, csr_array])
def test_largest_size(kind: type) -> None:
    assert largest_size(kind(np.array([[1.0, -3.0], [0.0, 2.0]]))) == 3
    assert largest_size(kind(np.zeros((0, 2)))) == 0
    assert np.isnan(largest_size(kind(np.array([[1.0, np.nan]]))))


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


def test_rows_are_looked_at_a_few_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(0)
    rows, turns = generator.standard_normal((50, 3)) * 2.0**51, generator.standard_normal((7, 3))
    whole = AngleSizes(turns).lost(rows, DOUBLE)
    assert 0 < whole.sum() < 50
    monkeypatch.setattr("kernelspec.numerics.packed._NUMBERS", 1)
    assert np.array_equal(AngleSizes(turns).lost(rows, DOUBLE), whole)


@pytest.mark.parametrize("kind", [np.asarray, csr_array])
def test_frequencies_of_any_sizes_side_by_side(kind: type) -> None:
    sizes = AngleSizes(kind(np.array([[1e-250, 2.0], [2e-250, 1.0], [1e-250, 1.0]])))
    rows = np.array([[2.0**50 * 1e250, 1.0], [2.0**53 * 1e250, 1.0], [0.0, 2.0**53], [1e250, 1.0], [5.0, 0.0]])
    assert sizes.lost(rows, DOUBLE).tolist() == [False, True, True, False, False]


def test_there_may_be_no_turns() -> None:
    for shape in ((0, 2), (3, 2)):
        assert not AngleSizes(np.zeros(shape)).lost(np.full((4, 2), 1e300), DOUBLE).any()


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
        with pytest.raises(DataError, match=f"lost in row {first},"):
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
            with pytest.raises(DataError, match="lost in row 3"):
                fmap.transform(X)


def test_the_loss_of_an_angle_by_hand() -> None:
    """2⁴⁸ turns, rounded three times to multiples of 1/16 in the worst case: (2π 2⁻⁵³ 2⁴⁸)² 3/3 = (2π/32)²."""
    angles = np.array([[2.0**48], [2.0**60], [np.nan], [np.inf], [0.0]])
    np.testing.assert_allclose(losses(angles, 3, DOUBLE), [(np.pi / 16) ** 2, 1, 1, 1, 0], rtol=1e-14)
    assert losses(np.array([[2.0**48, 2.0**60, 0, 0]]), 3, DOUBLE)[0] == pytest.approx((1 + (np.pi / 16) ** 2) / 4)
    assert losses(np.array([[2.0**19]]), 3, np.dtype(np.float32))[0] == pytest.approx((np.pi / 16) ** 2)


@pytest.mark.parametrize("n", [1, 7, 1500, 20_000])
def test_rows_of_the_accurate_size_have_the_loss_allowed(n: int) -> None:
    """Light and heavy tails, of which single samples lose everything: the loss at s is the one allowed."""
    generator = np.random.default_rng(n)
    for turns in (generator.standard_normal(n), generator.standard_cauchy(n) ** 3 * 1e-30, np.ones(n)):
        size = accurate_size(np.abs(turns), 5, DOUBLE)
        assert losses(size * np.abs(turns)[None], 5, DOUBLE)[0] == pytest.approx(LOSS, rel=1e-5)
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
    expected = losses(angles, sizes.roundings, DOUBLE)
    expected = [*np.where(expected > LOSS, expected, 0), 0.5]
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
