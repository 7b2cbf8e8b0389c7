"""Tests of `verification/judgement.py`."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.maps.feature_map import draw_map
from kernelspec.planning.options import Method
from kernelspec.random.streams import Stream
from kernelspec.testing.samples import sample_values
from kernelspec.verification.judgement import Trials, estimate_fourth_moment, judge
from kernelspec.verification.statistics import (
    Deviations,
    detectable_shift,
    largest_sample,
    mean_limit,
    mean_scores,
    samples_needed,
    variance_interval,
    varies_often,
)
from tests.thoroughness import sweep

N = 60

LAWS: dict[str, tuple[Callable[[np.random.Generator, tuple[int, int]], np.ndarray], float]] = {
    "normal": (lambda g, shape: g.standard_normal(shape), 1.0),
    "skewed": (lambda g, shape: g.exponential(1, shape) - 1, 1.0),
    "no third moment": (lambda g, shape: g.standard_t(2.5, shape), 5.0),
    "a tenth of an event": (lambda g, shape: (g.random(shape) < 0.1 / N) - 0.1 / N, 0.1 / N * (1 - 0.1 / N)),
    "three events": (lambda g, shape: (g.random(shape) < 3 / N) - 3 / N, 3 / N * (1 - 3 / N)),
}


@pytest.mark.slow
@pytest.mark.parametrize("level", [0.1, 1e-3])
@pytest.mark.parametrize("name", LAWS)
def test_the_level_is_kept_by_every_law(name: str, level: float) -> None:
    draw, variance = LAWS[name]
    scores = mean_scores(draw(np.random.default_rng(5), (N, 40_000)), np.full(40_000, variance), level)
    alarms = int((np.abs(scores) > mean_limit(N, level)).sum())
    # P(more than this) < 1e-6 for a binomial count of that level
    assert alarms <= 40_000 * level + 5 * np.sqrt(40_000 * level)


def test_small_deviations_score_as_z_does() -> None:
    errors = np.random.default_rng(0).standard_normal((4000, 3))
    np.testing.assert_allclose(mean_scores(errors, np.ones(3), 0.05), errors.mean(axis=0) * np.sqrt(4000), atol=0.05)


@pytest.mark.slow
@pytest.mark.parametrize("level", [1e-3, 1e-9])
@pytest.mark.parametrize("n", [200, 2000])
def test_the_power_is_that_stated(n: int, level: float) -> None:
    shift = detectable_shift(n, level)
    errors = np.random.default_rng(1).standard_normal((n, 4000)) + shift
    found = (mean_scores(errors, np.ones(4000), level) > mean_limit(n, level)).sum()
    assert found >= 4000 - 18  # 4 are expected to be missed
    assert samples_needed(shift, level) == pytest.approx(n, rel=0.12)


def test_the_limit_is_not_much_wider_than_the_normal_one() -> None:
    assert mean_limit(400, 1e-6) < 1.12 * 4.8916  # the normal limit at 1e-6


X = np.array([[0.3, 0.0, 0.0], [0.4, -0.3, 0.0], [1.1, 0.6, 1.0], [-0.7, 1.0, 1.0]])

BOUNDED = {
    "gaussian()": 1.5,
    "tilt(laplace(), by=[0.3, -0.2, 0.5])": 1.5,
    "tilt(gaussian(), by=0.4) * linear()": 4.0,
    "(0.5 * tilt(laplace(), by=0.5) + linear()[0:2]) ** 2 * match()[2]": 30.0,
    "linear()": 4.0,
    "normalize(linear())": 4.0,
    "stretch(shift(tilt(cauchy(), by=0.3), by=0.5), 2)": 1.5,
    "gaussian() - 0.5 * laplace()": 1.5,
}
"""Kernels, and how much larger than the largest of many samples the bound may be."""


@pytest.mark.parametrize("text", BOUNDED)
def test_the_bound_holds_and_is_of_use(text: str) -> None:
    places = tuple(np.indices((4, 4)).reshape(2, -1))
    for method in ("paired", "binning") if "laplace" in text else ("paired",):
        plan = ks.compile(text, dim=3, n_features=64, method=method).plan  # type: ignore[arg-type]
        rows = plan.layout.read(X)
        for stratum in plan.strata:
            bound = largest_sample(stratum.law, NumericPairs(rows, rows).select(stratum.positions)).ravel()
            values = sample_values(stratum, "paired", 4000, Stream(1), rows, rows, places)
            met = np.abs(values).max(axis=0)
            assert (met <= bound * (1 + 1e-9)).all()
            assert (bound[met > 0] <= BOUNDED[text] * met.max()).any()


def test_normal_neurons_have_no_bound() -> None:
    plan = ks.compile("dual(relu, normalize(linear()))", dim=3, n_features=8, method="neurons").plan
    rows = plan.layout.read(X)
    assert np.isinf(largest_sample(plan.strata[0].law, NumericPairs(rows, rows))).all()


UNKNOWN = np.inf


def deviations(errors: np.ndarray, predicted: float, fourth: float = UNKNOWN) -> Deviations:
    """Estimates that all have one predicted variance."""
    n = errors.shape[1]
    return Deviations(errors, np.full(n, predicted), np.zeros(n), np.full(n, fourth))


@pytest.mark.slow
@pytest.mark.parametrize("known", [True, False])
def test_the_variance_is_judged_by_the_tails(known: bool) -> None:
    generator = np.random.default_rng(3)
    for draw, variance, fourth in [
        (lambda s: generator.standard_t(9, s), 9 / 7, 3 * 81 / (7 * 5)),
        (lambda s: generator.poisson(0.3, s) - 0.3, 0.3, 0.3 + 3 * 0.09),
    ]:
        kept = deviations(draw((2000, 300)), variance, fourth if known else UNKNOWN)
        assert kept.can_judge_variance(1e-3).mean() > 0.9
        outside = np.abs(kept.ratios(1e-3) - 1) > kept.reach(1e-3)
        assert outside.mean() <= 0.01
        wide = deviations(1.6 * draw((2000, 300)), variance, fourth if known else UNKNOWN)
        assert (np.abs(wide.ratios(1e-3) - 1) > wide.reach(1e-3)).mean() > 0.95


def test_variances_that_hang_on_rare_events_are_not_judged() -> None:
    errors = np.zeros((200, 2))
    errors[:2, 0] = 1.0
    kept = deviations(errors, 1e-3)
    assert kept.can_judge_variance(1e-3).tolist() == [False, True]  # no variation is evidence, two events are not
    # events of size 1 with probability 1e-4 have a fourth moment of 1e-4: met or not, 200 maps cannot say
    assert not deviations(np.zeros((200, 2)), 1e-4, 1e-4).can_judge_variance(1e-3).any()


@pytest.mark.slow
def test_means_that_hang_on_rare_events_are_judged_within_the_budget() -> None:
    """A tenth of an event is expected among all maps; most often there is none, now and then there are two."""
    generator = np.random.default_rng(0)
    chance, level = 1e-4, 0.01
    errors = (generator.random((1000, 5000)) < chance) - chance
    kept = deviations(errors, chance * (1 - chance))
    assert (errors > 0.5).sum(axis=0).max() >= 2
    assert (np.abs(kept.z_scores(level)) > mean_limit(1000, level)).mean() <= level


def test_intervals() -> None:
    low, high = variance_interval(10.0, 0.05)
    assert (float(low), float(high)) == (pytest.approx(0.324697, abs=1e-5), pytest.approx(2.048318, abs=1e-5))


def test_the_pooled_ratio_counts_what_moves_together_once() -> None:
    generator = np.random.default_rng(1)
    alone = generator.standard_normal((400, 50))
    together = np.repeat(generator.standard_normal((400, 1)), 50, axis=1)
    free, bound = (deviations(errors, 1.0).pooled_ratio() for errors in (alone, together))
    assert free[0] == pytest.approx(1, abs=0.05)
    assert bound[0] == pytest.approx(1, abs=0.3)
    assert free[1] > 30 * bound[1]
    assert bound[1] == pytest.approx(400, rel=0.4)  # χ² of the 400 maps, whatever the number of pairs


def test_what_hangs_on_a_few_events():
    rare = np.zeros((400, 1))
    rare[:3] = 1.0
    normal = np.random.default_rng(0).standard_normal((400, 1))
    assert varies_often(np.hstack([rare, normal, np.ones((400, 1))])).tolist() == [False, True, True]


X_OF_JUDGEMENT = np.array([[0.2, 0.0], [0.4, 0.1], [1.2, -0.5]])


def bound_of(text: str, n_features: int, method: Method, hashed: bool = False) -> np.ndarray:
    """The bound for all pairs of X."""
    plan = ks.compile(text, dim=2, n_features=n_features, method=method).plan
    rows = plan.layout.read(X_OF_JUDGEMENT)
    return estimate_fourth_moment(plan, NumericPairs(rows, rows), plan.collisions if hashed else None)


@pytest.mark.parametrize(("method", "n_features"), [("paired", 2), ("phase", 1), ("paired", 6)])
def test_that_of_cosines_is_exact(method: Method, n_features: int) -> None:
    """By quadrature over frequencies and offsets: E (k̂ − k)⁴ of one sample, and of the mean of three."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)
    weights = weights / weights.sum()
    lag, total = X_OF_JUDGEMENT[2] - X_OF_JUDGEMENT[0], 1.4
    omega = nodes[:, None] * lag[0] + nodes[None, :] * lag[1]
    joint = weights[:, None] * weights[None, :]
    exact = np.exp(-(lag @ lag) / 2)
    sample = np.cos(omega)
    if method == "phase":
        turns = np.arange(64) / 64 * 2 * np.pi
        sample = sample[..., None] + np.cos(total + turns)
        joint = np.repeat(joint[..., None] / 64, 64, axis=2)
    second, fourth = (float((joint * (sample - exact) ** p).sum()) for p in (2, 4))
    n = n_features // (2 if method == "paired" else 1)
    expected = (fourth + 3 * (n - 1) * second**2) / n**3
    assert bound_of("gaussian()", n_features, method)[2, 0] == pytest.approx(expected, rel=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("hashed", sweep([False, True], every=2))
@pytest.mark.parametrize("text", ["laplace()[0]", "0.5 * match()[0] * gaussian() - 0.25 * laplace()[1]", "gaussian()"])
def test_it_bounds_what_maps_show(text: str, hashed: bool) -> None:
    method: Method = "paired" if text == "gaussian()" else "auto"
    bound = bound_of(text, 12, method, hashed)
    exact = ks.parse(text).gram(X_OF_JUDGEMENT)
    plan = ks.compile(text, dim=2, n_features=12, method=method).plan
    plans = [replace(plan, seed=seed) for seed in range(300)]
    maps = [draw_map(own) for own in plans]
    seen = np.mean([(feature_map.approximate(X_OF_JUDGEMENT) - exact) ** 4 for feature_map in maps], axis=0)
    assert (seen <= 1.5 * bound + 1e-12).all()
    assert (bound <= 60 * seen + 1e-12).all()


def test_samples_that_only_look_like_two_values() -> None:
    """cos(SΔ), S a random walk of as many steps as sign has degrees, has E p² = E p, and is no key."""
    rows = np.array([[0.0], [0.4]])
    plan = ks.compile("dual(sign, circle())", dim=1, n_features=2, method="paired").plan
    table = plan.layout.read(rows)
    bound = estimate_fourth_moment(plan, NumericPairs(table, table))[0, 1]
    generator, odd = np.random.default_rng(0), np.arange(1, 400_001, 2.0)
    ratios = odd[:-1] ** 2 / ((odd[:-1] + 1) * odd[1:])  # of the coefficients of the arcsine
    law = 2 / np.pi * np.cumprod(np.append(1, ratios))
    degrees = generator.choice(odd, 100_000, p=law / law.sum()).astype(int)
    values = np.cos(0.4 * (2 * generator.binomial(degrees, 0.5) - degrees))
    exact = 1 - 2 * 0.4 / np.pi
    assert values.mean() == pytest.approx(exact, abs=0.01)
    assert np.square(values).mean() == pytest.approx(exact, abs=0.01)
    assert bound >= 0.98 * ((values - exact) ** 4).mean()


def test_samples_without_a_bound_have_no_fourth_moment_known() -> None:
    assert np.isinf(bound_of("dual(relu, normalize(linear()))[0, 1]", 4, "neurons")[0, 1:]).all()


SIZE = 20.0
PAIRS = np.array([[0, 0], [0, 1], [4, 7]])


def trials(errors, predicted, identical=(True, False, False)) -> Trials:
    """Estimates of three pairs of a kernel of size 20."""
    fourth, size = np.full(3, np.inf), np.full(3, SIZE)
    return Trials("paired", False, errors, np.array(predicted), fourth, size, size, np.array(identical), PAIRS)


def normal(deviations, n: int = 400) -> np.ndarray:
    """Normal errors, (n, 3)."""
    return np.random.default_rng(2).standard_normal((n, 3)) * deviations


def test_every_pair_is_judged_by_what_it_is():
    check = judge(trials(normal([0, 1, 2]), [0, 1, 4]), 1, 1e-6)
    assert check.passed
    assert (check.n_pairs, check.n_judged, check.n_exact, check.n_tests) == (3, 2, 1, 5)
    assert len(check.z_scores) == 2


def test_bias_is_found_where_it_is():
    check = judge(trials(normal([0, 1, 2]) + np.array([0, 0, 1.2]), [0, 1, 4]), 1, 1e-6)
    assert not check.bias_passed
    assert check.variance_passed
    assert check.worst_z_pair == (4, 7)
    assert check.worst_z == pytest.approx(12, abs=3)


@pytest.mark.parametrize("factor", [0.4, 2.5])
def test_a_wrong_variance_is_found_on_either_side(factor):
    check = judge(trials(normal([0, 1, 2]), [0, 1, 4 * factor]), 1, 1e-6)
    assert check.bias_passed
    assert not check.variance_passed
    assert check.worst_ratio_pair == (4, 7)
    low, high = check.worst_ratio_interval
    assert not low <= check.worst_ratio <= high


@pytest.mark.parametrize(
    ("error", "identical", "passed"), [(1e-8, True, False), (1e-8, False, True), (1e-5, False, False)]
)
def test_pairs_without_variance_must_agree(error, identical, passed):
    errors = normal([0, 1, 2])
    errors[17, 0] = error * SIZE
    check = judge(trials(errors, [0, 1, 4], (identical, False, False)), 1, 1e-6)
    assert check.exact_passed == check.passed == passed
    assert check.exact_pair == (0, 0)
    assert check.exact_deviation == pytest.approx(error)


def test_infinite_variances_and_rare_events_are_counted():
    errors = normal([0, 1, 2])
    errors[:, 1] = 0
    errors[:3, 1] = 1
    check = judge(trials(errors, [0, 3 / 400, np.inf]), 1, 1e-6)
    assert (check.n_judged, check.n_variances, check.n_rare, check.n_infinite, check.n_tests) == (1, 0, 1, 1, 1)
    assert check.passed
    assert "rare" in "\n".join(check.lines())
    assert "finite" in "\n".join(check.lines())


def test_what_judged_too_little_does_not_pass():
    check = judge(trials(normal([0, 1, 2]), [0, np.inf, np.inf]), 1, 1e-6)
    assert (check.verdict, check.passed) == ("not judged", False)
    assert judge(trials(normal([0, 1, 2]), [0, 1, np.inf]), 1, 1e-6).passed


def test_more_estimators_share_the_budget():
    alone, many = (judge(trials(normal([0, 1, 2]), [0, 1, 4]), n, 1e-6) for n in (1, 10))
    assert many.z_limit > alone.z_limit
    assert (
        many.variance_interval[0] < alone.variance_interval[0] < alone.variance_interval[1] < many.variance_interval[1]
    )


def test_it_says_what_would_have_been_found():
    check = judge(trials(normal([0, 1, 2], 4000), [0, 1, 4]), 1, 1e-6)
    # k = 20, deviation 2: (6.1 + 3.1)·2/√4000/20
    assert check.found_bias == pytest.approx(0.29 / SIZE, abs=0.02 / SIZE)
    assert check.maps_for_bias == pytest.approx(4000 * (check.found_bias / 0.01) ** 2, rel=0.02)
    assert check.found_variance == pytest.approx(np.sqrt(2) * 0.29 / 2, abs=0.02)
    missed = judge(trials(normal([0, 1, 1.03 * 2]), [0, 1, 4]), 1, 1e-6)
    assert missed.passed
    assert missed.found_variance > 0.06
    assert missed.maps_for_variance > 10 * 400


def test_what_could_not_see_a_bias_of_a_tenth_does_not_pass():
    """Plan 2 of an audit passed, and said that it would find a bias of 200 %."""
    shift = (np.sqrt(2 * np.log(12 / 1e-6)) + 3.09) / 20  # standard deviations that 400 maps find: √(2 ln(2/p)), power
    for bias, passes in ((2, False), (0.105, False), (0.097, True)):
        deviation = bias / shift * SIZE
        predicted = [0, deviation**2, deviation**2]
        check = judge(trials(normal([0, deviation, deviation]), predicted), 1, 1e-6)
        assert check.found_bias == pytest.approx(bias, rel=0.01)
        assert (check.sees_bias, check.passed) == (passes, passes)
        assert check.verdict == ("passed" if passes else "not judged")
        words = f"not judged: to find a bias of 10 %, draw at least {check.maps_to_see_bias:,} maps"
        assert (words in "\n".join(check.lines())) != passes
        enough = judge(trials(normal([0, deviation, deviation], check.maps_to_see_bias), predicted), 1, 1e-6)
        assert enough.found_bias <= 0.1
        assert enough.passed


def test_large_values_without_variance_leave_no_bias_unseen():
    """Elsewhere k is 0: of it no bias is found. Without a pair of large k nothing is said of one."""
    for value, passes in (([SIZE, 0, 0.1], True), ([0, 0, 0.1], False)):
        given = replace(trials(normal([0, 1, 1]), [0, 1, 1]), value=np.array(value))
        check = judge(given, 1, 1e-6)
        assert check.found_bias is None
        assert (check.sees_bias, check.passed) == (passes, passes)
        assert ("k is nearly 0 at all pairs" in "\n".join(check.lines())) != passes


X_OF_CERTIFICATE = np.random.default_rng(7).standard_normal((40, 2))


@pytest.mark.slow
def test_the_certificate_says_what_was_done():
    options = {"seed": 3, "n_maps": 60, "n_features": 3200, "budget": 1e-4, "max_rows": 10}
    certificate = ks.verify("gaussian(scale=2)", X_OF_CERTIFICATE, draws="independent", **options)
    text = str(certificate)
    assert "gaussian(scale=2)" in text
    assert "60 independent maps of at most 3200 nonzeros per row, from seed 3" in text
    assert "1e-04" in text
    assert len(certificate.rows_x) == 10
    data = json.loads(json.dumps(certificate.to_dict(), allow_nan=False))
    assert data["passed"] is True
    assert data["n_tests"] == certificate.n_tests
    assert [check["method"] for check in data["checks"]] == ["paired", "phase", "complex"]
    assert data["checks"][0]["n_exact"] == 10
    assert set(certificate.checks[0].worst_z_pair) <= set(certificate.rows_x)


def test_what_was_not_tested_is_none_and_nothing_tested_is_no_pass():
    certificate = ks.verify("gaussian() - gaussian()", dim=2)
    check = certificate.checks[0]
    assert check.worst_z is check.variance_ratio is check.worst_ratio_pair is None
    assert json.loads(json.dumps(check.to_dict(), allow_nan=False))["worst_z"] is None
    assert check.passed
    assert not replace(check, n_exact=0).passed
    assert not replace(certificate, checks=(replace(check, n_exact=0),)).passed


def test_rows_of_both_tables_are_named():
    text = str(ks.verify("gaussian()", X_OF_CERTIFICATE, X_OF_CERTIFICATE[:3], n_maps=50, max_rows=6, method="phase"))
    assert "against rows 0 to 2 of Y" in text
    assert "standard normal rows" in str(ks.verify("gaussian()", dim=2, n_maps=50, max_rows=6, method="phase"))
