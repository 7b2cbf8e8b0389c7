"""State: sums of rows that add up."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import Ridge

import kernelspec as ks
from kernelspec.models.state import RidgePath

ROWS = np.random.default_rng(0).standard_normal((900, 3)) + 100.0
TARGETS = np.column_stack([np.sin(ROWS[:, 0]), 1e6 + ROWS[:, 1]])
WEIGHTS = np.random.default_rng(1).uniform(0, 3, 900)


def arrays(state: ks.State) -> list[np.ndarray]:
    return [
        state.feature_mean, state.target_mean, state.feature_scatter, state.cross_scatter, state.target_scatter,
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["gaussian(scale=2)", "match()[0] + gaussian()[1]"])
def test_states_of_parts_add_up(text: str) -> None:
    rows = ROWS.round() if "match" in text else ROWS
    fmap = ks.compile(text, data=rows, n_features=64)
    whole = ks.State.of(fmap, rows, TARGETS, WEIGHTS)
    parts = [ks.State.of(fmap, rows[i::4], TARGETS[i::4], WEIGHTS[i::4]) for i in range(4)]
    merged = parts[0] + parts[1] + parts[2] + parts[3]
    updated = ks.State.of(fmap, rows[:100], TARGETS[:100], WEIGHTS[:100])
    assert updated.update(rows[100:], TARGETS[100:], WEIGHTS[100:]) is updated
    features = fmap.transform(rows)
    features = features if isinstance(features, np.ndarray) else features.toarray()
    mean = WEIGHTS @ features / WEIGHTS.sum()
    expected = ((features - mean) * WEIGHTS[:, None]).T @ (features - mean)
    for state in (whole, merged, updated):
        assert state.n_rows == 900
        np.testing.assert_allclose(state.feature_scatter, expected, atol=1e-9)
        for found, own in zip(arrays(state), arrays(whole), strict=True):
            # 900 targets near 1e6 are rounded by 1e-10 each
            np.testing.assert_allclose(found, own, rtol=1e-9, atol=1e-7)


def test_a_state_gives_the_ridge_regression_of_scikit_learn() -> None:
    fmap = ks.compile("gaussian(scale=2)", dim=3, n_features=64)
    fit = RidgePath.of(ks.State.of(fmap, ROWS, TARGETS, WEIGHTS)).fit(np.array([0.3, 0.3]))
    features = fmap.transform(ROWS)
    other = Ridge(alpha=0.3).fit(features, TARGETS, sample_weight=WEIGHTS)
    np.testing.assert_allclose(fit.mean(features), other.predict(features), rtol=1e-9, atol=1e-7)


def test_states_of_different_maps_do_not_add_up() -> None:
    rows, y = ROWS[:10], TARGETS[:10, 0]
    one, other, same = (ks.compile("gaussian()", dim=3, n_features=16, seed=seed) for seed in (0, 1, 0))
    ks.State.of(one, rows, y) + ks.State.of(same, rows, y)
    with pytest.raises(ks.KernelspecError, match="different feature maps"):
        ks.State.of(one, rows, y) + ks.State.of(other, rows, y)


def test_nothing_is_added_of_rows_that_are_refused() -> None:
    fmap = ks.compile("gaussian()", dim=3, n_features=16)
    state = ks.State.of(fmap, ROWS, TARGETS[:, 0])
    before = [own.copy() for own in arrays(state)]
    for rows, y in (
        (np.full((2, 3), np.nan), [1, 2]),
        (ROWS[:3], [1, 2]),
        (ROWS[:3], [1, 2, 3, 4]),
        (ROWS[:2], [1, "a"]),
    ):
        with pytest.raises(ks.KernelspecError):
            state.update(rows, y)
    assert state.n_rows == 900
    for found, own in zip(arrays(state), before, strict=True):
        np.testing.assert_array_equal(found, own)


def test_asymmetric_maps_have_no_state() -> None:
    fmap = ks.compile("shift(gaussian(), by=1)", dim=3, n_features=16)
    with pytest.raises(ks.KernelspecError, match="symmetric"):
        ks.State.of(fmap, ROWS, TARGETS)
