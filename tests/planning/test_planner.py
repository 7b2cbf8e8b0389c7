"""The choice among plans, against the formulas it stands on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import kernelspec as ks
from kernelspec.errors import PlanError
from kernelspec.maps.feature_map import draw_map
from kernelspec.planning.options import ROUNDING, Method
from kernelspec.planning.plan import Candidate, Plan
from kernelspec.planning.reference import reference_pairs
from tests.thoroughness import sweep

METHODS: list[Method] = ["paired", "phase", "complex"]
X = np.random.default_rng(0).standard_normal((60, 3))


def plan_of(text: str, n: int = 64, *, method: Method = "auto", data: np.ndarray = X, buckets: int = 256) -> Plan:
    """The best plan of independent samples."""
    return ks.compile(
        text, dim=3, n_features=n, method=method, data=data, buckets=buckets, draws="independent", landmarks="never"
    ).plan


def candidates(plan: Plan) -> list[Candidate]:
    return [plan.chosen, *plan.alternatives]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::kernelspec.compilation.DeadKernelWarning")
@pytest.mark.parametrize("spread", [0.1, 1, 10])
@pytest.mark.parametrize(
    "text",
    sweep(
        ["gaussian()", "cauchy()", "laplace()", "rational_quadratic(0.5)", "triangle(3)"],
        costly=["laplace()", "rational_quadratic(0.5)", "triangle(3)"],
    ),
)
def test_pairs_or_offsets_by_the_formula(text: str, spread: float) -> None:
    data = spread * X
    plan = plan_of(text, data=data)
    pairs, _ = reference_pairs(plan.layout, plan.layout.read(data))
    x, y = pairs.x.dense(), pairs.y.dense()
    spec = ks.parse(text)
    k = np.array([spec.gram(a[None], b[None])[0, 0] for a, b in zip(x, y, strict=True)])
    doubled = np.array([spec.gram(2 * a[None], 2 * b[None])[0, 0] for a, b in zip(x, y, strict=True)])
    expected = {"paired": np.mean(1 + doubled - 2 * k**2) / 64, "phase": np.mean(1 + doubled / 2 - k**2) / 64}
    expected_binning = np.mean(k - k**2 + (1 - k) / 256) / 64
    for candidate in candidates(plan):
        right = expected_binning if candidate.method == "binning" else expected[candidate.form]
        assert candidate.variance == pytest.approx(right, rel=1e-10)
    assert plan.form == min(expected, key=lambda form: expected[form])
    if text == "gaussian()":
        assert plan.form == "paired"  # k(2Δ) = k⁴ < 2k² always


@pytest.mark.filterwarnings("ignore::kernelspec.DeadKernelWarning")
def test_offsets_win_at_long_lags_of_a_heavy_tail() -> None:
    far = 20 * np.arange(60.0)[:, None] * np.ones(3)  # no two rows are near each other
    assert plan_of("cauchy()[0]", data=far).form == "phase"
    assert plan_of("cauchy()[0]", data=0.1 * X).form == "paired"


def test_ties_go_to_pairs() -> None:
    # match() alone has no variance in either form
    assert plan_of("match()").form == "paired"
    assert plan_of("gaussian() - gaussian()").form == "paired"


@pytest.mark.parametrize("text", ["gaussian() + 3 * laplace() + match()[0]", "gaussian() - 0.5 * cauchy()"])
def test_every_candidate_is_considered_and_the_best_wins(text: str) -> None:
    plan = plan_of(text)
    plain = [c for c in candidates(plan) if not any(c.schemes)]
    assert sorted((c.form, c.mixture) for c in plain) == [
        ("paired", False),
        ("paired", True),
        ("phase", False),
        ("phase", True),
    ]
    assert plan.chosen.variance == min(c.variance for c in candidates(plan) if c.is_sparse == ("match" in text))
    strata = {c.form: c.variance for c in plain if not c.mixture}
    for candidate in plain:
        assert candidate.variance >= strata[candidate.form]


def test_a_dense_map_is_not_made_sparse_unless_asked() -> None:
    plan = plan_of("triangle(3)", data=2 * X)
    (other,) = [c for c in plan.alternatives if c.method == "binning"]
    assert other.variance < plan.chosen.variance
    assert not plan.chosen.is_sparse
    assert plan_of("triangle(3)", data=2 * X, method="binning").chosen == other
    assert plan_of("triangle(3)", n=1, method="binning").chosen.counts == (1,)


def test_binning_is_never_worse_for_its_entries() -> None:
    # k(2Δ) ≥ 2k − 1 for a Polya kernel, so that 1 + k(2Δ) − 2k² ≥ k − k²
    plan = plan_of("match()[0] + laplace(scale=100) + triangle(1) + gaussian()")
    schemes = [stratum.scheme for stratum in plan.strata]
    names = [str(stratum.law.kernel) for stratum in plan.strata]
    assert dict(zip(names, schemes, strict=True))["laplace(scale=100)"] == "binning"
    assert sorted(map(str, schemes)) == ["None", "None", "binning", "binning"]
    for candidate in plan.alternatives:
        assert candidate.variance >= plan.chosen.variance


def test_a_scheme_that_is_asked_for_is_used_where_it_can_be() -> None:
    plan = plan_of("gaussian() * triangle(3)[0] + laplace()", method="binning")
    assert [s.scheme for s in plan.strata] == ["binning", "binning"]
    assert [s.law.has_phasor for s in plan.strata] == [True, False]
    with pytest.raises(PlanError, match="no part of this kernel supports method='binning': cells of random grids"):
        plan_of("gaussian() + cauchy()", method="binning")


def test_the_error_on_the_data() -> None:
    text, n = "laplace(scale=2) + 0.5 * gaussian()", 64
    plan = plan_of(text, n)
    for method in ("paired", "phase", "binning"):
        fmap = ks.compile(text, n_features=n, method=method, draws="independent", data=X, buckets=2**30)
        # half of the rows are the sample that the error is estimated from
        assert fmap.plan.chosen.error == pytest.approx(fmap.predicted_error(X, hashed=True), rel=0.1)
    assert plan.chosen.error == pytest.approx(
        ks.compile(text, 3, n, data=X, draws="independent", landmarks="never").predicted_error(X), rel=0.1
    )
    assert ks.compile(text, dim=3, n_features=n).plan.chosen.error is None


@pytest.mark.parametrize("method", METHODS)
def test_a_method_that_is_asked_for_is_taken(method: Method) -> None:
    plan = plan_of("gaussian() * match()[0] + laplace()", method=method)
    assert {c.form for c in candidates(plan)} == {method}


@pytest.mark.slow
def test_budgets_are_kept() -> None:
    for n in (*range(2, 9), 15, 16, 38, 39):
        for method, complex_cost in (("paired", 2), ("phase", 1), ("complex", 2)):
            plan = plan_of("gaussian() + 3 * laplace() * match()[0] + match()[1]", n, method=method)  # type: ignore[arg-type]
            costs = [complex_cost if s.law.has_phasor else 1 for s in plan.strata]
            assert sum(c * count for c, count in zip(costs, plan.chosen.counts, strict=True)) <= n


def test_a_budget_too_small_for_strata_draws_terms_at_random() -> None:
    plan = plan_of("gaussian() + laplace() + cauchy()", 4, method="paired")
    assert plan.chosen.mixture
    assert plan.chosen.counts == (2,)
    assert not plan_of("gaussian() + laplace() + cauchy()", 6, method="paired").chosen.mixture


def test_a_budget_too_small_for_one_sample_is_refused() -> None:
    for method in ("paired", "complex"):
        with pytest.raises(PlanError, match="n_features=1 is too small: one sample of this kernel needs 2"):
            plan_of("gaussian()", 1, method=method)  # type: ignore[arg-type]
    assert plan_of("gaussian()", 1).form == "phase"
    assert plan_of("match()", 1, method="paired").chosen.counts == (1,)


@pytest.mark.filterwarnings("ignore::kernelspec.DeadKernelWarning")
def test_the_reason_is_said() -> None:
    assert "times less variance than" in plan_of("gaussian()").reason
    assert "was requested" in plan_of("gaussian()", method="phase").reason
    assert plan_of("match()").reason == "the only candidate"  # without a frequency all forms are one
    assert "hardly any variance" in plan_of("match()[0] + match()[1]").reason
    assert "times" not in plan_of("gaussian(scale=0.1)").reason  # 1.00
    assert "but hardly less than phase" in plan_of("gaussian(scale=0.1)").reason
    assert "hardly any variance on" in plan_of("linear()").reason  # infinitely often less


def test_zero_terms_of_a_difference_do_not_stop_the_plan() -> None:
    # a factor that vanishes at x = y has k(0) = 0 and still needs its share
    difference = "(gaussian() - laplace())"
    for text in (f"{difference} * match()[0] + cauchy()", f"({difference} ** 2 + match()[0]) * cauchy()"):
        assert plan_of(text).chosen.variance > 0


def test_an_infinite_variance_comes_with_what_to_do() -> None:
    plan = ks.compile("layer(relu, circle()[0], normalize(linear())[1, 2, 3])", dim=4, n_features=64).plan
    assert plan.chosen.variance == np.inf
    assert "like that of all other plans; it is finite for kernels of frequencies or keys" in plan.reason


def test_landmarks_do_not_give_deep_duals_a_variance() -> None:
    """One map in ten has forty times the error of the others; their mean square is infinite, with landmarks too."""
    rows = np.random.default_rng(0).standard_normal((50, 3))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    text = "dual(relu, dual(relu, normalize(linear())))"
    fmap = ks.compile(text, data=rows, n_features=256)
    assert fmap.plan.landmarks is not None
    assert fmap.predicted_error(rows) == np.inf
    assert "kernel matrix of rows like the data: infinite" in fmap.explain()
    with pytest.raises(ks.PlanError, match=r"error=0\.02 cannot be promised: samples of .* have no finite variance"):
        ks.compile(text, data=rows, n_features="auto", error=0.02)


@pytest.mark.parametrize(
    "text", ["shift_gaussian(by=1)", "cosh_gaussian(by=1)", "tilt(gaussian(), by=1)", "sinh_gaussian(by=8)"]
)
def test_a_plan_without_work_of_its_own_has_a_reason(text: str) -> None:
    # arcs and rejection have one law, and only proposals that are thrown away are work beyond the stored entries
    plan = ks.compile(text, dim=1, n_features=64).plan
    assert plan.chosen.work == 0
    assert "less work than rejection" in plan.reason


@pytest.mark.slow
def test_some_data_and_a_reason_without_work() -> None:
    for seed in range(20):
        data = np.random.default_rng(seed).uniform(0, 1, (40, 3))
        assert plan_of("cosh_gaussian(scale=1.5, by=[1, -0.1, 0.3])", data=data).reason


TABLE = pd.DataFrame(
    {
        "x": np.random.default_rng(4).standard_normal(80),
        "z": np.random.default_rng(5).standard_normal(80),
        "c": np.random.default_rng(6).choice(list("abc"), 80),
        "id": [f"row {i}" for i in range(80)],
    }
)

EXACT = [
    "linear()[x, z]",
    "linear()[x]",
    "constant()",
    "cosine(by=2)[x]",
    "circle()[x]",
    "match()[c]*match()[id]",
    "linear()[x]*match()[c]",
    "periodic(period=1, scale=2)[x]",
    "cosine(by=1)[x]*cosine(by=3)[x]",
    "(linear()[x, z] + match()[c])**2 - match()[c]",
    "linear()[x] - linear()[x]",
]

NOT_EXACT = [
    "gaussian(scale=1e9)[x, z]",
    "gaussian()[x]*match()[id]",
    "0.5*linear()[x] + 1e-12*laplace()[z]",
    "dual(relu, normalize(linear()))[x, z]",
    "(linear()[x] + gaussian(scale=1e9)[z])**2",
    "cauchy()[x] - 0.2*gaussian()[x]",
]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::kernelspec.DeadKernelWarning")
@pytest.mark.parametrize("text", EXACT + NOT_EXACT)
@pytest.mark.parametrize(
    "options", sweep([{}, {"landmarks": "never"}, {"landmarks": "never", "draws": "independent"}], every=3)
)
def test_no_zero_without_a_rule(text: str, options: dict[str, str]) -> None:
    """A predicted variance or error of 0, or one below rounding, only where the plan names why."""
    fmap = ks.compile(text, data=TABLE, n_features=64, **options)  # type: ignore[arg-type]
    chosen, predicted = fmap.plan.chosen, fmap.predicted_error(TABLE)
    assert bool(fmap.plan.exactness) is (text in EXACT)
    assert fmap.plan.to_dict()["exact"] == fmap.plan.exactness
    if text in EXACT:
        assert (chosen.variance, chosen.error or 0.0, predicted) == (0, 0, 0)
        features = fmap.left(TABLE)
        dense = features if isinstance(features, np.ndarray) else features.toarray()
        expected = ks.parse(text).gram(TABLE)
        np.testing.assert_allclose((dense * fmap.signs) @ dense.T, expected, atol=1e-13 * np.abs(expected).max())
    else:
        assert chosen.error is not None
        assert min(chosen.error, predicted) >= ROUNDING
        assert chosen.variance > 0
        assert "  exact: " not in fmap.explain()
    for other in fmap.plan.alternatives:
        assert other.is_biased or other.variance > 0 or text in EXACT


@pytest.mark.slow
@pytest.mark.parametrize("n_features", [32, 256, 1024])
@pytest.mark.parametrize(
    "text", ["(linear()[x] + constant())**2", "mean(linear()[x], constant())*mean(linear()[z], constant())"]
)
def test_a_plan_is_not_shrunk_below_the_size_it_was_measured_at(text: str, n_features: int) -> None:
    """Sampled on request: with probabilities of ½ all draws of 32 Sobol' points are right, and draws of one are not."""
    features = ks.KernelFeatures(text, n_features=n_features, method="paired", landmarks="never", random_state=0)
    plan = features.fit(TABLE).feature_map_.plan
    assert plan.chosen.counts == (n_features,)
    assert plan.chosen.error is not None
    assert root_mean_square(plan, text) <= plan.chosen.error


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "(linear()[x] + constant())**2 + gaussian()[z]",
        "0.3*(linear()[x, z] + constant())**2 + laplace()[z] + match()[c]",
        "(linear()[x] + constant())**2 * gaussian()[z]",
        "(linear()[x, z] + constant())**2 - 0.5*gaussian()[x]",
    ],
)
def test_sums_of_exact_and_sampled_parts(text: str) -> None:
    features = ks.KernelFeatures(text, n_features=64, landmarks="never", side="both", random_state=0).fit(TABLE)
    fmap = features.feature_map_
    assert "exact" in fmap.plan.chosen.named
    assert not fmap.plan.exactness
    predicted = fmap.predicted_error(TABLE, hashed=True)
    # chi-squared with 64 degrees of freedom, four a map, a low guess: outside with a probability of less than 1e-9
    assert predicted / 2 < root_mean_square(fmap.plan, text) < 2 * predicted


@pytest.mark.slow
@pytest.mark.parametrize("method", ["auto", "landmarks"])
def test_landmarks_are_not_corrected_by_long_sums(method: Method) -> None:
    """Samples of 66 products each: some of the time that a plan takes, and one of them in the budget."""
    data = np.random.default_rng(0).standard_normal((300, 10))
    plan = ks.compile("(linear() + constant())**2 * gaussian(scale=3)", data=data, n_features=256, method=method).plan
    longest = max(stratum.law.n_terms for stratum, _ in plan.parts)
    assert longest == 1 if plan.chosen.landmarks else longest == 66
    assert method == "auto" or plan.chosen.landmarks


def root_mean_square(plan: Plan, text: str) -> float:
    """The relative error of the features themselves, of 16 maps."""
    expected, squares = ks.parse(text).gram(TABLE), []
    for seed in range(16):
        fmap = draw_map(replace(plan, seed=seed))
        sides = (fmap.left(TABLE), fmap.right(TABLE))
        left, right = (own if isinstance(own, np.ndarray) else own.toarray() for own in sides)
        squares.append(np.square((left * fmap.signs) @ right.T - expected).sum() / np.square(expected).sum())
    return float(np.sqrt(np.mean(squares)))


@pytest.mark.parametrize(
    ("text", "n_columns"),
    [("linear()", 3), ("each(linear())", 3), ("polynomial(degree=2, offset=0)", 6), ("gaussian()", 64)],
)
def test_rows_that_are_all_alike_do_not_shrink_the_plan(text: str, n_columns: int) -> None:
    found = ks.compile(text, data=np.ones((50, 3)), n_features=64)
    assert found.n_columns == n_columns
    error = found.predicted_error(X)
    assert error == 0 if n_columns < 64 else error < 0.5


@pytest.mark.parametrize("landmarks", ["auto", "never"])
def test_columns_of_zeros_keep_their_exact_features(landmarks: str) -> None:
    rows = np.column_stack([np.random.default_rng(0).normal(size=(200, 1)), np.zeros((200, 3))])
    spec = "gaussian()[0] + 0.2*linear()[1,2,3]"
    found = ks.KernelFeatures(spec, n_features=256, random_state=0, landmarks=landmarks).fit(rows)
    features = found.transform(np.eye(4)[1:])
    np.testing.assert_allclose(features @ features.T - 1, 0.2 * np.eye(3), atol=1e-2)


def test_a_scale_far_above_the_supposed_rows_keeps_the_budget() -> None:
    found = ks.compile("gaussian(scale=2592000)", dim=1, n_features=1024)
    assert found.n_columns == 1024
    seconds = 1.7e9 + np.random.default_rng(0).uniform(0, 3e7, (60, 1))
    assert found.predicted_error(seconds) < 0.1
