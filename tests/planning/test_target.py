"""Tests of `planning/target.py`."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Literal

import numpy as np
import pytest
from scipy.stats import binom

import kernelspec as ks
from kernelspec.errors import PlanError
from kernelspec.maps.feature_map import draw_map
from kernelspec.planning.plan import Plan
from kernelspec.planning.reference import Reference
from kernelspec.planning.target import bernstein, chebyshev, half_width

X = np.random.default_rng(5).standard_normal((400, 3))


def error_of(plan: Plan) -> float:
    assert plan.chosen.error is not None
    return plan.chosen.error


@pytest.mark.slow
def test_the_plan_is_the_one_of_its_budget_and_reaches_the_error_that_the_next_smaller_one_does_not() -> None:
    """For independent samples the error is c/√n: the smallest budget follows from any other."""
    for text in ("gaussian(scale=2)", "0.7*gaussian(scale=2) + 0.3*laplace(scale=3)[0]"):
        plan = ks.compile(text, data=X, n_features="auto", error=0.03, draws="independent", landmarks="never").plan
        fixed = [
            ks.compile(text, data=X, n_features=n, draws="independent", landmarks="never").plan
            for n in (plan.n_features, int(plan.n_features / 1.03))
        ]
        assert plan.chosen == fixed[0].chosen
        assert error_of(fixed[0]) <= 0.03 < error_of(fixed[1])
        assert "asked for: relative error of the kernel matrix of at most 0.03" in plan.notes[-1]
        assert f"{plan.n_features:,} nonzeros" in plan.notes[-1]


@pytest.mark.long
def test_landmarks_and_joint_draws_are_among_the_plans() -> None:
    auto, never = (
        ks.compile("gaussian(scale=2)", data=X, n_features="auto", error=0.03, landmarks=landmarks).plan
        for landmarks in ("auto", "never")
    )
    assert auto.chosen.landmarks > 0
    assert auto.n_features < never.n_features
    for plan in (auto, never):
        assert error_of(plan) <= 0.03
        again = ks.compile(
            plan.text, data=X, n_features=plan.n_features, landmarks="never" if plan is never else "auto"
        ).plan
        assert again.chosen == plan.chosen


def test_how_much_coupling_gains_is_measured_near_every_budget() -> None:
    generator = np.random.default_rng(1)
    rows = np.column_stack([generator.standard_normal((150, 3)), generator.integers(0, 4, 150)])
    fewest = ks.compile("gaussian()[0:3]*match()[3]", data=rows, n_features="auto", error=0.05).plan
    other = ks.compile("gaussian()[0:3]*match()[3]", data=rows, n_features=round(fewest.n_features / 1.1)).plan
    assert fewest.chosen.error <= 0.05 < other.chosen.error


def test_what_is_exact_takes_what_it_takes() -> None:
    assert ks.compile("linear()", data=X, n_features="auto", error=0.01).plan.n_features == 3
    assert ks.compile("gaussian() - gaussian()", data=X, n_features="auto", error=0.01).n_columns == 1


@pytest.mark.slow
def test_budgets_without_a_plan_are_too_small() -> None:
    """Two entries pay for a sample and no landmark."""
    plan = ks.compile("gaussian(scale=2)", data=X[:60], n_features="auto", error=2.0, method="landmarks").plan
    assert 3 <= plan.n_features <= 8


@pytest.mark.slow
def test_pointwise_holds_at_every_pair() -> None:
    """The share of 100 maps that are off by more than 0.2: at most 10 %, at each pair of rows that were not planned on.

    A share of 100 with the mean 0.1 exceeds 0.25 with a chance of 1e-5, for pairs at the bound; few are near it.
    """
    spec, new = ks.parse("gaussian(scale=2)"), np.random.default_rng(6).standard_normal((20, 3))
    plan = ks.compile(spec, data=X, n_features="auto", pointwise=0.2, confidence=0.9, landmarks="never").plan
    assert plan.n_features < 1 / (0.1 * 0.2**2)  # what Chebyshev's inequality alone would take, with v = 1/2
    exact = spec.gram(new)
    maps = (draw_map(replace(plan, seed=seed)) for seed in range(100))
    off = np.mean([np.abs(one.approximate(new) - exact) > 0.2 for one in maps], axis=0)
    assert off.max() <= 0.25


Options = dict[str, object]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"error": 0.1}, "error= needs n_features='auto', not 1024"),
        ({"pointwise": 0.1, "n_features": 64}, "needs n_features='auto', not 64"),
        ({"n_features": "auto"}, "n_features='auto' needs an error: set error= or pointwise="),
        ({"n_features": "many"}, "n_features must be a whole number or 'auto', not 'many'"),
        ({"n_features": "auto", "error": 0.1, "data": None, "dim": 3}, "error= needs rows of data"),
        ({"n_features": "auto", "error": 0.1, "pointwise": 0.1}, "use either error= or pointwise=, not both"),
        ({"n_features": "auto", "error": 0}, "error must be positive and finite, not 0"),
        ({"n_features": "auto", "error": float("nan")}, "error must be positive and finite, not nan"),
        ({"n_features": "auto", "error": "small"}, "error must be a number, not 'small'"),
        ({"n_features": "auto", "pointwise": float("inf")}, "pointwise must be positive and finite, not inf"),
        ({"n_features": "auto", "pointwise": 0.1, "confidence": 1}, "confidence must lie between 0 and 1, not 1"),
        ({"n_features": "auto", "error": 0.1, "data": X[:1]}, "the data have fewer than two"),
        (
            {"n_features": "auto", "error": 1e-5, "draws": "independent", "landmarks": "never"},
            "error=1e-05 is not reached with 65,536 nonzeros per row, the most that are tried: paired is expected",
        ),
        ({"n_features": "auto", "error": 0.1, "draws": "halton"}, "draws must be one of"),
        (
            {"n_features": "auto", "error": 0.1, "published": ks.Published(normalized=True)},
            "error=0.1 only works for unbiased plans: set n_features for published estimators",
        ),
    ],
)
def test_what_cannot_be_asked_for(options: Options, message: str) -> None:
    compiled: Callable[..., object] = ks.compile
    with pytest.raises(PlanError) as raised:
        compiled("gaussian(scale=2)", **{"data": X, **options})
    assert message in str(raised.value)


SIXTY = np.random.default_rng(5).standard_normal((60, 2))


@pytest.mark.parametrize("p", [0.5, 0.1, 0.01])
@pytest.mark.parametrize("rest", [0.1, 0.01, 1e-4])
def test_means_of_coins_are_within_the_bounds(p: float, rest: float) -> None:
    """Exact tails of the binomial law, n = 400."""
    n = 400
    variance = np.array([p * (1 - p) / n])
    for t in (chebyshev(variance, rest), bernstein(variance, max(p, 1 - p) / n, rest)):
        outside = binom.sf(math.floor(n * (p + t)), n, p) + binom.cdf(math.ceil(n * (p - t)) - 1, n, p)
        assert outside <= rest


def test_bounded_independent_samples_have_the_shorter_bound() -> None:
    layout_of = {}
    for draws in ("independent", "sobol"):
        fmap = ks.compile("gaussian()", data=SIXTY, n_features=512, draws=draws, landmarks="never")
        reference = Reference.of(fmap.plan.layout, fmap.plan.layout.read(SIXTY))
        assert reference.sample is not None
        variance = fmap.predicted_variance(reference.sample.dense()).max()
        layout_of[draws] = half_width(fmap.plan, reference, 0.99), math.sqrt(variance / 0.01)
    wide, by_chebyshev = layout_of["sobol"]
    assert wide == pytest.approx(by_chebyshev)
    wide, by_chebyshev = layout_of["independent"]
    # by hand: log 200 = 5.3, samples of size 1, 256 of them
    v, b = by_chebyshev**2 * 0.01, 2 / 256
    assert wide == pytest.approx(b * 5.298 / 3 + math.sqrt((b * 5.298 / 3) ** 2 + 2 * v * 5.298), rel=1e-3)
    assert wide < by_chebyshev / 2


@pytest.mark.filterwarnings("ignore::kernelspec.DeadKernelWarning")
@pytest.mark.parametrize("landmarks", ["auto", "never"])
@pytest.mark.parametrize(
    "text",
    [
        "laplace(scale=2) - laplace(scale=1)",
        pytest.param("gaussian(scale=2) - gaussian(scale=1)", marks=pytest.mark.long),
        pytest.param("matern(nu=3/2) - matern(nu=1/2)", marks=pytest.mark.long),
    ],
)
def test_relative_to_a_kernel_that_is_zero_on_all_rows_no_error_is_finite(
    text: str, landmarks: Literal["auto", "never"]
) -> None:
    far = 1e6 * X[:40]
    assert not ks.parse(text).gram(far).any()
    fmap = ks.compile(text, data=far, n_features=256, landmarks=landmarks)
    assert fmap.predicted_error(far) == math.inf
    near = [ks.compile(text, data=far, n_features=256, landmarks=landmarks, seed=seed) for seed in range(40)]
    values = np.array([own.approximate(X[:1], X[1:2])[0, 0] for own in near])
    scatter = values.std(ddof=1) / math.sqrt(len(values))
    assert scatter > 0
    t = (values.mean() - ks.parse(text).gram(X[:1], X[1:2])[0, 0]) / scatter
    assert abs(t) < 5, "a false alarm once in 80,000"  # of Student's t with 39 degrees of freedom
    with pytest.raises(PlanError, match="the kernel is 0 between all rows of the data"):
        ks.compile(text, data=far, n_features="auto", error=0.05, landmarks=landmarks)


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.long), pytest.param(4, marks=pytest.mark.long)])
def test_a_plan_of_infinite_error_loses_to_one_of_a_finite_error(seed: int) -> None:
    rows = np.random.default_rng(seed).standard_normal((2, 3))
    fmap = ks.compile("dual(relu, normalize(linear()))", data=rows, n_features=256)
    assert fmap.predicted_error(rows) < 0.2
    assert ks.compile("dual(relu, normalize(linear()))", data=rows, n_features="auto", error=0.05).plan.unbiased
    with pytest.raises(PlanError, match=r"samples of varying.* have no finite variance"):
        ks.compile("dual(relu, normalize(linear()))", data=rows, n_features="auto", error=0.05, method="varying")


def test_an_error_whose_squares_overflow_is_infinite() -> None:
    rows = 1e120 * np.random.default_rng(0).standard_normal((2, 3))
    fmap = ks.compile("1e-40*gaussian() + linear()", data=rows, n_features=3)
    assert fmap.predicted_error(rows) == math.inf
    assert fmap.predicted_error_interval(rows) == (math.inf, math.inf)
