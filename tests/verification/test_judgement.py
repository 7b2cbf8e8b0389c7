"""Tests of `verification/judgement.py`."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.maps.feature_map import draw_map
from kernelspec.planning.methods import Method
from kernelspec.verification.judgement import Trials, estimate_fourth_moment, judge

X = np.array([[0.2, 0.0], [0.4, 0.1], [1.2, -0.5]])


def bound_of(text: str, n_features: int, method: Method, hashed: bool = False) -> np.ndarray:
    """The bound for all pairs of X."""
    plan = ks.compile(text, dim=2, n_features=n_features, method=method).plan
    rows = plan.layout.read(X)
    return estimate_fourth_moment(plan, NumericPairs(rows, rows), plan.collisions if hashed else None)


@pytest.mark.parametrize(("method", "n_features"), [("paired", 2), ("phase", 1), ("paired", 6)])
def test_that_of_cosines_is_exact(method: Method, n_features: int) -> None:
    """By quadrature over frequencies and offsets: E (k̂ − k)⁴ of one sample, and of the mean of three."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)
    weights = weights / weights.sum()
    lag, total = X[2] - X[0], 1.4
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


@pytest.mark.parametrize("hashed", [False, True])
@pytest.mark.parametrize("text", ["laplace()[0]", "0.5 * match()[0] * gaussian() - 0.25 * laplace()[1]", "gaussian()"])
def test_it_bounds_what_maps_show(text: str, hashed: bool) -> None:
    method: Method = "paired" if text == "gaussian()" else "auto"
    bound = bound_of(text, 12, method, hashed)
    exact = ks.parse(text).gram(X)
    plan = ks.compile(text, dim=2, n_features=12, method=method).plan
    plans = [replace(plan, seed=seed) for seed in range(300)]
    maps = [draw_map(own) for own in plans]
    seen = np.mean([(feature_map.approximate(X) - exact) ** 4 for feature_map in maps], axis=0)
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
