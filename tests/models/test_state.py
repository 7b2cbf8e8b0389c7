"""State: sums of rows that add up."""

from __future__ import annotations

import functools
import itertools
import math
import operator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import Ridge

import kernelspec as ks
from kernelspec.models.ridge import RidgePath

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


@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_columns_far_from_zero_keep_their_digits_beside_sparse_ones(weights: np.ndarray | None) -> None:
    """Sums of products in extended precision; half of a's scatter is lost if the mean is subtracted afterwards."""
    table = {"a": 1e7 + ROWS[:, 0], "c": np.where(ROWS[:, 1] < 100, "x", np.where(ROWS[:, 2] < 100, "y", "z"))}
    fmap = ks.compile("0.5*linear()[a] + match()[c]", data=table)
    state, own = ks.State.of(fmap, table, TARGETS[:, 0], weights), np.ones(900) if weights is None else weights
    features = fmap.transform(table)
    assert not isinstance(features, np.ndarray)
    exact, total = features.toarray().astype(np.longdouble), own.astype(np.longdouble)
    exact -= total @ exact / total.sum()
    expected = (exact.T * total) @ exact
    scale = np.sqrt(np.diag(expected)) + 1e-300
    assert (np.abs(state.feature_scatter - expected) / np.outer(scale, scale)).max() < 1e-12
    cross = (exact.T * total) @ TARGETS[:, :1]
    assert (np.abs(state.cross_scatter - cross) / scale[:, None]).max() < 1e-10


def test_targets_far_from_zero_keep_their_digits_in_any_parts() -> None:
    """A target and the same plus 2²⁷, both exact: one solution, from one part or from 17 in any order."""
    rows = np.round(np.random.default_rng(0).standard_normal((1700, 2)) * 2**20) / 2**20
    y, fmap = np.column_stack([rows[:, 0], rows[:, 0] + 2.0**27]), ks.compile("gaussian(scale=2)", dim=2, n_features=32)
    exact = fmap.transform(rows).astype(np.longdouble)
    cross = (exact - exact.mean(axis=0)).T @ rows[:, :1]
    whole = ks.State.of(fmap, rows, y).ridge(0.1).predict(rows)
    for order in (np.arange(1700), np.argsort(rows[:, 0])):
        parts = [ks.State.of(fmap, rows[own], y[own]) for own in np.array_split(order, 17)]
        for state in (functools.reduce(operator.add, parts), functools.reduce(operator.add, parts[::-1])):
            assert np.abs(state.cross_scatter - cross).max() < 1e-13 * np.abs(cross).max()
            found = state.ridge(0.1).predict(rows)
            assert np.abs(found - whole)[:, 0].max() < 1e-11
            assert np.abs(found - whole)[:, 1].max() <= np.spacing(2.0**27)  # one step of float64 there
            assert abs(state.target_mean[1] - 2.0**27 - state.target_mean[0]) <= np.spacing(2.0**27) / 2


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


@pytest.mark.parametrize("names", [["income"], ["age", "income"], ["income", "age"]])
def test_states_of_other_columns_do_not_add_up(names: list[str]) -> None:
    frame = pd.DataFrame(ROWS[:10, :2], columns=["age", "income"])
    one = ks.compile("gaussian()", columns=["age"] if len(names) == 1 else ["age", "income"], n_features=16, seed=0)
    other = ks.compile("gaussian()", columns=names, n_features=16, seed=0)
    state, own = ks.State.of(one, frame, frame.age), ks.State.of(other, frame, frame.age)
    if names == ["age", "income"]:
        assert (state + own).n_rows == 20
        return
    for ask in (lambda: state + own, lambda: state.discrepancy(own), lambda: state.mean_squared_error(own.ridge())):
        with pytest.raises(ks.PlanError, match="same map"):
            ask()


def test_complex_features_have_no_model() -> None:
    """Their real parts alone would be another kernel's."""
    fmap = ks.compile("gaussian()", dim=3, n_features=16, method="complex")
    y = TARGETS[:, 0]
    for ask in (
        lambda: ks.State.of(fmap, ROWS, y),
        lambda: ks.KernelRegressor("gaussian()", solver="features", method="complex").fit(ROWS, y),
        lambda: ks.KernelClassifier("gaussian()", method="complex").fit(ROWS, y > 0),
    ):
        with pytest.raises(ks.PlanError, match="real features: use method='paired'"):
            ask()
    assert ks.State.of(ks.compile("minmax()", dim=3, n_features=16, method="complex"), abs(ROWS), y).n_rows == len(y)


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


@pytest.mark.parametrize("n_features", [64, 256])
def test_ridge_regression_from_states_is_bayesian_linear_regression(n_features: int) -> None:
    """Mean, standard deviation and likelihood by formulas with the kernel matrix of the features, also of few rows."""
    fmap = ks.compile("gaussian(scale=2)", dim=3, n_features=n_features)
    rows, y = ROWS[:80], np.sin(ROWS[:80, 0]) + 0.3 * np.random.default_rng(2).standard_normal(80)
    model = (ks.State.of(fmap, rows[:30], y[:30]) + ks.State.of(fmap, rows[30:], y[30:])).ridge()
    noise, amplitude = float(model.fit.noises[0]), float(model.amplitudes[0])
    new, n = np.concatenate([ROWS[80:85], ROWS[85:90] + 5]), 80  # near the rows, and far away
    centre = np.eye(n) - 1 / n
    covariance = fmap.approximate(rows) + noise * np.eye(n)
    inverse = np.linalg.inv(covariance)
    mean = (inverse.sum(axis=0) @ y) / inverse.sum()
    weights = inverse @ (y - mean)
    cross = fmap.approximate(new, rows)
    found, deviation = model.predict(new, return_std=True)
    np.testing.assert_allclose(found, mean + cross @ weights, rtol=1e-7, atol=1e-9)
    left = 1 - cross @ inverse.sum(axis=0)
    variance = np.diag(fmap.approximate(new) - cross @ inverse @ cross.T) + left**2 / inverse.sum()
    np.testing.assert_allclose(deviation**2, amplitude * (variance + noise), rtol=1e-6)
    projected = centre @ (fmap.approximate(rows) + noise * np.eye(n)) @ centre
    nonzero = np.linalg.eigvalsh(projected)[1:]
    quadratic = y @ np.linalg.pinv(projected, hermitian=True) @ y
    assert amplitude == pytest.approx(quadratic / (n - 1), rel=1e-6)
    likelihood = -((n - 1) * (np.log(2 * np.pi * amplitude) + 1) + np.log(nonzero).sum() + np.log(n)) / 2
    assert model.log_likelihoods[0] == pytest.approx(likelihood, rel=1e-9)
    draws = model.sample(new, 4000, np.random.default_rng(0))
    scores = (draws.mean(axis=1) - found) / np.sqrt(amplitude * variance / 4000)
    assert np.abs(scores).max() < 5.5  # ten normal scores: false alarm 4e-7
    assert np.abs(draws.var(axis=1, ddof=1) / (amplitude * variance) - 1).max() < 5.5 * math.sqrt(2 / 4000)


def test_cross_validation_and_effective_dimension_are_those_of_the_hat_matrix() -> None:
    fmap = ks.compile("gaussian(scale=2)", dim=3, n_features=32)
    rows, noise = ROWS[:60], 0.2
    y = TARGETS[:60] + 0.5 * np.random.default_rng(2).standard_normal((60, 2))
    state = ks.State.of(fmap, rows, y)
    features = fmap.transform(rows) - state.feature_mean
    hat = features @ np.linalg.solve(features.T @ features + noise * np.eye(features.shape[1]), features.T)
    assert state.effective_dimension(noise) == pytest.approx(np.trace(hat))
    hat = hat + 1 / 60
    errors = np.square(y - hat @ y).sum(axis=0)
    score = np.log(60 * errors / (60 - np.trace(hat)) ** 2)
    np.testing.assert_allclose(RidgePath.of(state).cross_validation(np.array([noise]))[0], score, rtol=1e-6)
    best = state.ridge(by="gcv").fit.noises
    tried = np.geomspace(best[0] / 100, best[0] * 100, 41)
    assert RidgePath.of(state).cross_validation(tried)[:, 0].argmin() in (19, 20, 21)


def test_principal_components_are_those_of_the_features() -> None:
    from sklearn.decomposition import PCA

    fmap = ks.compile("gaussian(scale=2)", dim=3, n_features=32)
    found = ks.State.of(fmap, ROWS).principal_components(3)
    other = PCA(3, svd_solver="full").fit(fmap.transform(ROWS))
    np.testing.assert_allclose(found.variances, other.explained_variance_, rtol=1e-9)
    expected = other.transform(fmap.transform(ROWS[:20]))
    signs = np.sign((found.transform(ROWS[:20]) * expected).sum(axis=0))
    np.testing.assert_allclose(found.transform(ROWS[:20]) * signs, expected, atol=1e-9)


def test_a_learning_curve_is_that_of_models_on_rows_they_have_not_seen() -> None:
    """Of states alone, and by predictions."""
    fmap = ks.compile("gaussian(scale=2)", dim=3, n_features=64)
    y = TARGETS + 0.3 * np.random.default_rng(4).standard_normal((900, 2))
    cuts = [0, 100, 300, 500, 900]
    parts = [ks.State.of(fmap, ROWS[a:b], y[a:b], WEIGHTS[a:b]) for a, b in itertools.pairwise(cuts)]
    found = ks.State.learning_curve(parts, noise=0.5)
    assert [n for n, _ in found] == cuts[1:-1]
    for (n, error), end in zip(found, cuts[2:], strict=True):
        model = ks.State.of(fmap, ROWS[:n], y[:n], WEIGHTS[:n]).ridge(0.5)
        squares = np.square(y[n:end] - model.predict(ROWS[n:end]))
        np.testing.assert_allclose(error, np.average(squares, axis=0, weights=WEIGHTS[n:end]), rtol=1e-6)
    with pytest.raises(ks.DataError, match="two parts"):
        ks.State.learning_curve(parts[:1])
    with pytest.raises(ks.PlanError, match="other features"):
        parts[0].mean_squared_error(ks.State.of(ks.compile("gaussian()", dim=3, n_features=64), ROWS, y).ridge(0.5))


def test_a_discrepancy_says_what_its_features_estimate() -> None:
    exact, sampled = ks.compile("linear()", dim=3, method="exact"), ks.compile("gaussian()", dim=3, n_features=64)
    shown = [
        ks.State.of(own, ROWS[:400] - 100).discrepancy(ks.State.of(own, ROWS[400:] - 100)) for own in (exact, sampled)
    ]
    assert str(shown[0]).endswith("of the features, which are exact")
    assert 0.02 < shown[1].feature_error < 0.3  # 32 frequencies: at most √(1/2·32) for a pair
    assert f"estimate k(x, y) to ±{shown[1].feature_error:.2g}" in str(shown[1])


def test_ridge_regression_is_exported() -> None:
    runtime = pytest.importorskip("onnxruntime")
    pytest.importorskip("onnx")
    fmap = ks.compile("gaussian()[a]", columns=["a"], n_features=16)
    model = ks.State.of(fmap, {"a": ROWS[:, 0] - 100}, TARGETS).ridge()
    session = runtime.InferenceSession(model.to_onnx().SerializeToString())
    found = session.run(["prediction"], {"a": ROWS[:50, :1] - 100})[0]
    np.testing.assert_allclose(found, model.predict({"a": ROWS[:50, 0] - 100}), rtol=1e-12, atol=1e-9)


@pytest.mark.long
@pytest.mark.parametrize("shift", [0.0, 0.3])
def test_the_discrepancy_of_two_samples_lies_in_its_interval(shift: float) -> None:
    """200 pairs of samples of 60 and 90 rows: fewer than 172 in intervals of 95 % have a probability of 2e-7.

    The true MMD² of the features is that of 10⁵ rows on either side, which is off by 1e-5 at most.
    """
    generator = np.random.default_rng(7)
    fmap = ks.compile("gaussian(scale=1)", dim=2, n_features=64, draws="independent")
    many = [ks.State.of(fmap, generator.standard_normal((100_000, 2)) + own) for own in (0.0, shift)]
    true = many[0].discrepancy(many[1]).value if shift else 0.0
    inside, chances = 0, []
    for _ in range(200):
        one = ks.State.of(fmap, generator.standard_normal((60, 2)))
        other = ks.State.of(fmap, generator.standard_normal((90, 2)) + shift)
        found = one.discrepancy(other)
        inside += found.low <= true <= found.high
        chances.append(found.p_value)
    assert inside >= 172
    if not shift:
        from scipy.stats import kstest

        assert kstest(chances, "uniform").pvalue > 1e-6


@pytest.mark.long
def test_the_interval_of_a_small_discrepancy_is_wide_enough() -> None:
    """N(0, 1) and N(0.2, 1), whose means differ in the direction that varies most.

    The noise of the difference turns it away from there, which left 89 % in intervals of 95 %. Fewer than 542 of 600
    have a probability of 1e-6. Mean features are exact, by the characteristic function.
    """
    generator, inside = np.random.default_rng(11), 0
    fmap = ks.compile("gaussian(scale=1.5)", dim=1, n_features=64, draws="independent", landmarks="never")
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    means = [weights @ fmap.transform(nodes[:, None] + shift) / weights.sum() for shift in (0, 0.2)]
    true = float(np.square(means[0] - means[1]).sum())
    for _ in range(600):
        one = ks.State.of(fmap, generator.standard_normal((100, 1)))
        found = one.discrepancy(ks.State.of(fmap, generator.standard_normal((60, 1)) + 0.2))
        inside += found.low <= true <= found.high
    assert inside >= 542


@pytest.mark.parametrize("n", [200, 20_000])
def test_the_interval_of_a_large_discrepancy_is_narrow_and_holds_it(n: int) -> None:
    """N(0, 1) and N(3, 1), with mean features by Gauss–Hermite quadrature; a false alarm has a probability of 6e-5."""
    generator = np.random.default_rng(3)
    fmap = ks.compile("gaussian()", dim=1, n_features=256)
    one, other = (ks.State.of(fmap, generator.standard_normal((n, 1)) + shift) for shift in (0, 3))
    nodes, weights = np.polynomial.hermite_e.hermegauss(100)
    means = [weights @ fmap.transform(nodes[:, None] + shift) / weights.sum() for shift in (0, 3)]
    found, true = one.discrepancy(other, coverage=1 - 6e-5), float(np.square(means[0] - means[1]).sum())
    assert 0 < found.low < true < found.high
    assert found.low < found.value < found.high
    assert found.high - found.low < 12 / np.sqrt(n)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "options", "weights"),
    [
        ("gaussian(scale=2)", {}, None),
        ("gaussian(scale=2)", {}, WEIGHTS[:500]),
        ("match()[0]*gaussian()[1]", {"buckets": 64}, WEIGHTS[:500]),
    ],
)
def test_a_saved_state_goes_on_as_if_it_had_never_been_saved(
    tmp_path: Path, text: str, options: dict[str, int], weights: np.ndarray | None
) -> None:
    fmap = ks.compile(text, dim=3, n_features=32, **options)
    state = ks.State.of(fmap, ROWS[:500], TARGETS[:500], weights)
    state.save(tmp_path / "state.npz")
    loaded = ks.load_state(tmp_path / "state.npz")
    for one in (state, loaded):
        one.update(ROWS[500:], TARGETS[500:])
    for found, own in zip(arrays(loaded), arrays(state), strict=True):
        np.testing.assert_array_equal(found, own)
    assert (loaded + state).n_rows == 1800
    with pytest.raises(ks.FileError, match=r"it contains a SavedState \(use ks.load_state\)"):
        ks.load_model(tmp_path / "state.npz")


def test_states_say_what_they_cannot_answer() -> None:
    fmap = ks.compile("gaussian(scale=2)", dim=3, n_features=16)
    state = ks.State.of(fmap, ROWS[:50])
    with pytest.raises(ks.DataError, match="needs two rows at least, and targets"):
        state.ridge()
    with pytest.raises(ks.DataError, match="1 targets, but the state has 0"):
        state.update(ROWS[:5], TARGETS[:5, 0])
    with pytest.raises(ks.DataError, match="more or fewer rows"):
        state.update(ROWS[:5], sample_weight=np.ones(4))
    with pytest.raises(ks.PlanError, match="compared with another State, not 3"):
        state.discrepancy(3)  # type: ignore[arg-type]
    with pytest.raises(ks.PlanError, match="between 1 and the 16 columns"):
        state.principal_components(17)
    with pytest.raises(ks.PlanError, match="n must be a whole number"):
        state.principal_components(2.5)  # type: ignore[arg-type]
    for noise in (0.0, -1.0, math.nan):
        with pytest.raises(ks.PlanError, match="noise must be positive"):
            state.effective_dimension(noise)
    with pytest.raises(ks.PlanError, match=r"takes 5\.0 GB"):
        ks.State.of(ks.compile("gaussian(scale=2)", dim=3, n_features=25_000), ROWS[:5])
    for y, weight, message in (
        (["a"] * 5, None, "y holds text"),
        (np.arange(5).astype("M8[D]"), None, "y holds dates"),
        ([[1.0], [2.0, 3.0]], None, "y holds text or objects"),
        (np.ones(5), ["a"] * 5, "sample_weight must hold numbers"),
    ):
        with pytest.raises(ks.DataError, match=message):
            ks.State.of(fmap, ROWS[:5], y, weight)
    with pytest.raises(ks.DataError, match="the table is empty"):
        ks.State.of(fmap, ROWS[:0], np.ones(0))
    with pytest.raises(ks.PlanError, match="generator must be that of NumPy"):
        ks.State.of(fmap, ROWS, TARGETS).ridge().sample(ROWS[:5], 3, 0)  # type: ignore[arg-type]
    assert state.n_rows == 50
    assert ks.State.of(fmap, ROWS[:5], sample_weight=2.0).weight == 10


def test_a_state_of_a_stream_is_that_of_its_rows() -> None:
    arrow = pytest.importorskip("pyarrow")
    fmap = ks.compile("gaussian()[a]", columns=["a"], n_features=8)
    table = arrow.table({"a": ROWS[:, 0]})
    streamed = ks.State.of(fmap, table.to_reader(100), TARGETS)
    np.testing.assert_array_equal(streamed.feature_scatter, ks.State.of(fmap, table, TARGETS).feature_scatter)
