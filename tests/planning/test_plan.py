"""Tests of `planning/plan.py`."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings

import kernelspec as ks
from kernelspec.errors import PlanError
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.laws.law import Collisions
from kernelspec.numerics.phasor import Form
from kernelspec.planning.contrast import DeadKernel, dead_kernel
from kernelspec.planning.plan import Candidate, plan_rows
from kernelspec.planning.reference import Reference, SampleVariances, reference_pairs
from kernelspec.planning.request import SeenData
from kernelspec.tables.layout import Layout
from kernelspec.tables.rows import Rows
from tests.laboratory import assert_proportions
from tests.strategies.cases import Case, cases


def test_describe() -> None:
    assert Candidate("paired", False, (4,), 0.1).describe() == "paired"
    assert Candidate("phase", False, (4, 5), 0.1).describe() == "phase, stratified"
    assert Candidate("complex", True, (9,), 0.1).describe() == "complex"
    assert Candidate("paired", False, (), 0.0).describe() == "paired"
    assert Candidate("paired", False, (4,), 0.1, ("binning",)).describe() == "binning"
    assert Candidate("paired", False, (4, 5), 0.1, ("binning", "binning")).describe() == "binning, stratified"
    assert Candidate("phase", False, (4, 5), 0.1, (None, "binning")).describe() == "phase and binning, stratified"
    assert (
        Candidate("phase", False, (4, 5), 0.1, ("varying",), is_complex=True).describe() == "varying, phase, stratified"
    )
    assert Candidate("paired", False, (4,), 0.1, (None,), is_complex=True).describe() == "paired"


def test_no_two_candidates_have_one_name() -> None:
    for text in ("dual(relu, sphere()[0, 1, 2]) * gaussian()[3]", "gaussian() + laplace() + match()[0]"):
        plan = ks.compile(text, dim=4, n_features=64).plan
        names = [candidate.describe() for candidate in (plan.chosen, *plan.alternatives)]
        assert len(set(names)) == len(names)


def test_json() -> None:
    plan = ks.compile("0.5 * gaussian()[age] + match()[land]", n_features=9, seed=3).plan
    found = json.loads(json.dumps(plan.to_dict()))
    assert found["spec"] == plan.text
    assert found["columns"] == 2
    assert found["names"] == ["age", "land"]
    assert found["method"] == plan.form
    assert found["seed"] == 3
    assert [part["samples"] for part in found["strata"]] == list(plan.chosen.counts)
    assert [part["positions"] for part in found["strata"]] == [[0], [1]]
    assert len(found["alternatives"]) == len(plan.alternatives)
    assert found["predicted_variance"] == plan.chosen.variance


def test_what_a_plan_says() -> None:
    rows = np.random.default_rng(0).standard_normal((30, 2))
    plan = ks.compile("gaussian(scale=2)", data=rows, n_features=64, seed=3).plan
    found = dict(plan_rows(plan))
    assert found["method"] == plan.chosen.describe()
    assert found["seed"] == "3"
    assert found["why"] == plan.reason
    assert "relative error of the kernel matrix" in found["promised"]
    assert found["considered"].count("\n") == len(plan.alternatives) - 1
    assert found["unbiased"] == "yes"


RNG = np.random.default_rng(1)
NORMAL = RNG.standard_normal((1000, 4))
CLUSTERS = np.repeat(np.arange(100.0)[:, None], 20, axis=0) + 1e-3 * RNG.standard_normal((2000, 4))
CODES = np.floor(RNG.random((1000, 4)) * 1e6)


def judged(text: str, X: np.ndarray) -> DeadKernel | None:
    spec = ks.parse(text)
    return dead_kernel(spec.kernel(spec.columns(X.shape[1])), Rows(X))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("gaussian(scale=1e-3)", "all pairs are nearly uncorrelated"),
        ("gaussian(scale=1e3)", "all pairs are nearly identical"),
        ("laplace(scale=0.01)*match()", "all pairs are nearly uncorrelated"),
        ("noise()*gaussian(scale=1e-3)", "all pairs are nearly uncorrelated"),
        ("0.5*gaussian(scale=1e-3) + 0.5*constant()", "all pairs are nearly uncorrelated"),
        ("gaussian(scale=1e-3) + match()[0]", "all pairs are nearly uncorrelated"),
        ("dual(relu, gaussian(scale=1e-3))", "all pairs look the same"),
        ("gaussian(1e-3) + laplace(1e6)", "all pairs are nearly uncorrelated"),
        ("product(t -> exp(-1000*t))", "all pairs are nearly uncorrelated"),
    ],
)
def test_dead_kernels_are_found(text: str, words: str) -> None:
    found = judged(text, NORMAL)
    assert found is not None
    assert words in found.text()


@pytest.mark.slow
def test_a_dead_formula_has_a_length_of_its_own_and_a_stretch_to_try() -> None:
    words = r"the median distance is \S+ and the length of the formula \S+; try stretch\(k, [\d.]+\)$"
    with pytest.warns(ks.DeadKernelWarning, match=words):
        ks.compile("spherical(range=1e-2)[0:2]", data=NORMAL, n_features=4)


@pytest.mark.parametrize(
    ("text", "X"),
    [
        ("gaussian(scale=2)", NORMAL),
        ("gaussian(scale=0.5)", NORMAL),
        ("gaussian(scale=10)", NORMAL),
        ("laplace()", NORMAL),
        # meant to be the identity, or constant, or of another kind
        ("match()", CODES),
        ("match()[0]", CODES),
        ("noise()", NORMAL),
        ("constant()", NORMAL),
        ("linear()", NORMAL + 9),
        ("minmax()", NORMAL + 100),
        ("rbf_cosine(1e-6)", NORMAL),
        ("gaussian()[0]*match()[1]", np.c_[NORMAL[:, 0], CODES[:, 1]]),
        # one scale of several is alive
        ("mean(gaussian(1e-3), gaussian(2), gaussian(1e3))", NORMAL),
        # clusters of 20 rows each, all strangers to each other
        ("gaussian(scale=0.1)", CLUSTERS),
        ("gaussian()", NORMAL[:10]),
        ("gaussian()", np.ones((50, 4))),
    ],
)
def test_no_false_alarms(text: str, X: np.ndarray) -> None:
    assert judged(text, X) is None


def test_the_words_have_quantiles_distance_and_length() -> None:
    found = judged("gaussian(scale=1e-3)", NORMAL)
    assert found is not None
    distance = np.median([np.linalg.norm(a - b) for a, b in zip(NORMAL[:500], NORMAL[500:], strict=True)])
    said = found.text()
    assert said.startswith(
        "k between rows: 5 % 0.00, median 0.00, 95 % 0.00: all pairs are nearly uncorrelated; the median distance "
    )
    (dead,) = found.terms
    assert dead.measured is not None
    assert dead.measured.distance == pytest.approx(distance, rel=0.1)
    assert said.endswith(f"is {dead.measured.distance:.3g} and the scale 0.001")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "paired", "published": ks.Published(normalized=True)}, "normalized=True requires features with"),
        ({"draws": "sobol", "storage": "sparse"}, "storage='sparse' requires independent samples"),
        (
            {"draws": "sobol", "published": ks.Published(normalized=True)},
            "normalized=True requires independent samples",
        ),
        ({"method": "landmarks"}, "chooses rows of the data: set data="),
        ({"method": "landmarks", "landmarks": "never"}, "keeps rows of the data, which landmarks='never' forbids"),
    ],
)
def test_contradictions(options: dict[str, Any], message: str) -> None:
    with pytest.raises(PlanError) as raised:
        ks.compile("gaussian()", dim=2, **options)
    assert message in str(raised.value)


ROWS = Rows(np.column_stack([np.random.default_rng(0).standard_normal(40), np.arange(40) % 5]))
TEXT = "gaussian()[0] * match()[1] + match()[1]"


@pytest.mark.slow
def test_categories_come_from_all_blocks_and_the_plan_from_the_rows() -> None:
    whole = ks.compile(TEXT, dim=2, data=ROWS, n_features=32)
    pieces = SeenData(ROWS, [block for _, block in ROWS.blocks(7)])
    assert ks.compile(TEXT, dim=2, data=pieces, n_features=32).plan == whole.plan
    unplanned = ks.compile(TEXT, dim=2, data=SeenData(None, [ROWS]), n_features=32)
    assert unplanned.plan.reference.endswith("(no data given)")
    assert [len(stratum.known or ()) for stratum in unplanned.plan.strata] == [5, 5]


def test_columns_of_every_key_come_from_all_blocks() -> None:
    text = "laplace()[0] * match()[1]"
    whole = ks.compile(text, dim=2, data=ROWS, n_features=8, method="binning", keys="exact")
    pieces = SeenData(ROWS, [block for _, block in ROWS.blocks(7)])
    again = ks.compile(text, dim=2, data=pieces, n_features=8, method="binning", keys="exact")
    assert (whole.transform(ROWS) != again.transform(ROWS)).nnz == 0  # type: ignore[union-attr]
    assert whole.count_unmet(ROWS) == 0


NUMBERS = Layout(3, None, (0, 1, 2), ())
MIXED = Layout(2, None, (0,), (1,))


def test_rows_of_the_data_and_never_a_row_with_itself() -> None:
    data = np.arange(15.0).reshape(5, 3)
    pairs, words = reference_pairs(NUMBERS, Rows(data))
    assert words == "256 random pairs of rows"
    assert pairs.shape == (256,)
    x, y = pairs.x.dense(), pairs.y.dense()
    assert (x != y).any(axis=1).all()
    assert {*map(tuple, x.tolist()), *map(tuple, y.tolist())} == set(map(tuple, data.tolist()))


@pytest.mark.parametrize("data", [None, Rows(np.ones((1, 2)))])
def test_without_two_rows_standard_normal_ones(data: Rows | None) -> None:
    pairs, words = reference_pairs(MIXED, data)
    assert "standard normal" in words
    assert pairs.shape == (256,)
    equal = int(np.sum(pairs.select((1,)).equal()))
    assert_proportions([equal, 256 - equal], [0.25, 0.75])


def test_plans_do_not_depend_on_the_seed() -> None:
    plans = [ks.compile("gaussian() + match()[0] + laplace()", dim=3, seed=seed).plan for seed in (1, 2)]
    assert plans[0].chosen == plans[1].chosen


@pytest.mark.slow
@pytest.mark.parametrize(("dim", "count"), [(8_192, 256), (16_384, 128), (32_768, 64), (131_072, 64)])
def test_fewer_standard_normal_rows_that_are_long(dim: int, count: int) -> None:
    assert reference_pairs(Layout(dim, None, tuple(range(dim)), ()), None)[0].shape == (count,)


X = np.random.default_rng(2).standard_normal((200, 3)).round(1)


@pytest.mark.parametrize("form", ["paired", "phase"])
@pytest.mark.parametrize("text", ["0.7*gaussian(scale=2) + 0.3*laplace()", "minmax()", "gaussian()*match()[0]"])
def test_the_error_is_that_of_the_whole_matrix(text: str, form: Form) -> None:
    data = np.abs(X)
    plan = ks.compile(text, data=data, n_features=64, draws="independent", landmarks="never", keys="hashed").plan
    reference, collisions = Reference.of(plan.layout, plan.layout.read(data)), Collisions.of(256, None)
    own = SampleVariances(reference, collisions, plan.strata)
    assert reference.sample is not None
    sample = reference.sample.dense()
    k = ks.parse(text).gram(sample)
    for some in (plan.parts, [(stratum, 3 * n) for stratum, n in plan.parts]):
        other = replace(plan, chosen=replace(plan.chosen, form=form, counts=tuple(n for _, n in some)))
        errors = other.variance(NumericPairs(reference.sample, reference.sample), collisions)
        expected = np.sqrt(_over_all(errors, len(data)) / _over_all(k**2, len(data)))
        assert own.relative_error(some, form) == pytest.approx(expected)


def _over_all(matrix: np.ndarray, n: int) -> float:
    """The sum over all pairs of n rows, a share 1/n of which are a row with itself."""
    m = len(matrix)
    own = float(np.trace(matrix))
    return own * n / m + (float(matrix.sum()) - own) * n * (n - 1) / (m * (m - 1))


def test_normalized_features_have_the_weight_of_the_kernel() -> None:
    rows = np.random.default_rng(0).standard_normal((30, 2))
    options = {"method": "phase", "draws": "independent", "landmarks": "never"}
    fmap = ks.compile("3*gaussian()", data=rows, n_features=2000, published=ks.Published(normalized=True), **options)
    features, exact = fmap.transform(rows), ks.parse("3*gaussian()").gram(rows)
    np.testing.assert_allclose(np.square(features).sum(axis=1), 3)
    assert np.linalg.norm(features @ features.T - exact) < 0.1 * np.linalg.norm(exact)


def test_the_error_of_shortened_keys_is_not_predicted() -> None:
    rows = np.random.default_rng(1).lognormal(size=(25, 8))
    fmap = ks.compile("minmax()", data=rows, n_features=200, published=ks.Published(zero_bit=True))
    assert "expected relative error" not in fmap.explain()
    with pytest.raises(PlanError, match="zero_bit=True is biased, and the error has no formula"):
        fmap.predicted_error(rows)


REUSED_ON = np.random.default_rng(4).standard_normal((300, 3))


def test_a_reused_plan_has_the_same_draws() -> None:
    """Frequencies of scale 2 are half those of scale 1."""
    first = ks.compile("gaussian(scale=1)", 3, 256, seed=5)
    again = ks.compile("gaussian(scale=2)", plan=first.plan)
    np.testing.assert_array_equal(again.transform(2 * REUSED_ON), first.transform(REUSED_ON))
    assert again.plan.text == "gaussian(scale=2)"
    assert again.plan.chosen.variance == ks.compile("gaussian(scale=2)", 3, 256, seed=5).plan.chosen.variance


@pytest.mark.parametrize("method", ["landmarks", "nystrom"])
@pytest.mark.long
def test_a_reused_plan_has_the_same_landmarks(method: Any) -> None:
    """Where rows are landmarks, features without samples are exact; with samples, they are unbiased."""
    first = ks.compile("exponential(scale=1)", data=REUSED_ON, n_features=128, method=method)
    again = ks.compile("exponential(scale=3)", plan=first.plan)
    before, after = first.plan.landmarks, again.plan.landmarks
    assert before is not None
    assert after is not None
    assert after.left is before.left
    exact = ks.parse("exponential(scale=3)").gram(REUSED_ON)
    if method == "nystrom":
        landmarks = before.left.rows.dense()
        among = ks.parse("exponential(scale=3)").gram(landmarks)
        np.testing.assert_allclose(again.transform(landmarks) @ again.transform(landmarks).T, among, atol=1e-9)
        return
    found = [ks.compile("exponential(scale=3)", plan=replace(first.plan, seed=seed)) for seed in range(40)]
    errors = np.array([own.approximate(REUSED_ON[:40]) - exact[:40, :40] for own in found])
    deviations = np.maximum(errors.std(axis=0, ddof=1), 1e-9) / np.sqrt(40)
    assert np.abs(errors.mean(axis=0) / deviations).max() < 7.5  # 820 values of t with 39 degrees: 4e-6
    relative = np.sqrt(np.mean(np.square([own.approximate(REUSED_ON) - exact for own in found[:8]]))) / np.sqrt(
        np.mean(np.square(exact))
    )
    assert relative == pytest.approx(again.predicted_error(REUSED_ON), rel=0.3)


def test_a_reused_plan_keeps_categories_and_is_saved(tmp_path: Any) -> None:
    data = pd.DataFrame({"kind": list("abcabcabca"), "x": np.arange(10.0)})
    first = ks.compile("match()[kind]*gaussian(scale=1)[x]", data=data, n_features=64)
    again = ks.compile("match()[kind]*gaussian(scale=4)[x]", plan=first.plan)
    assert again.n_columns == first.n_columns
    again.save(tmp_path / "again.npz")
    loaded = ks.load_map(tmp_path / "again.npz")
    np.testing.assert_array_equal(_dense(loaded.transform(data)), _dense(again.transform(data)))


def _dense(features: Any) -> Any:
    return features if isinstance(features, np.ndarray) else features.toarray()


NUMBERS_ALONE = "differs from the plan's in numbers alone"


@pytest.mark.parametrize(
    ("before", "after", "options", "message"),
    [
        ("gaussian(2)", "gaussian() + laplace()", {}, NUMBERS_ALONE),
        ("gaussian(2)", "gaussian()[0]", {}, NUMBERS_ALONE),
        ("gaussian(2)", "laplace()", {}, NUMBERS_ALONE),
        ("gaussian(2)", "minmax()", {}, NUMBERS_ALONE),
        ("gaussian() + 2*laplace()", "gaussian() + 0*laplace()", {}, NUMBERS_ALONE),
        ("(gaussian()[1] + 0*match()[0])*laplace()", "(gaussian()[1] + match()[0])*laplace()", {}, NUMBERS_ALONE),
        ("shift(gaussian(2), by=0)", "shift(gaussian(2), by=0.5)", {}, NUMBERS_ALONE),
        ("gaussian(2)", "gaussian()", {"dim": 5}, NUMBERS_ALONE),
        ("gaussian(2)", "gaussian()", {"seed": 3}, "seed comes from plan="),
        ("gaussian(2)", "gaussian()", {"method": "phase"}, "method comes from plan="),
        ("gaussian(2)", "gaussian()", {"missing": "category"}, "missing comes from plan="),
        ("gaussian(2)", "gaussian()", {"published": ks.Published(normalized=True)}, "published comes from plan="),
    ],
)
def test_what_a_plan_is_not_reused_for(before: str, after: str, options: dict[str, Any], message: str) -> None:
    plan = ks.compile(before, 3).plan
    with pytest.raises(PlanError, match=message):
        ks.compile(after, plan=plan, **options)


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("gaussian()[age/10]", "gaussian()[age/5]", "other functions of columns"),
        (
            "shift_gaussian(scale=9, by=0)[age]",
            "shift_gaussian(scale=9, by=2)[age]",
            "only one of the two kernels is symm",
        ),
    ],
)
def test_landmarks_are_not_reused_for_other_rows_or_sides(before: str, after: str, message: str) -> None:
    data = pd.DataFrame({"age": np.random.default_rng(0).uniform(20, 60, 100)})
    plan = ks.compile(before, data=data, n_features=24, method="landmarks").plan
    with pytest.raises(PlanError, match=message):
        ks.compile(after, plan=plan)


@pytest.mark.slow
def test_coupled_samples_of_a_reused_plan_are_measured_again() -> None:
    """Sobol' samples of a narrow kernel gain nothing: their ratio is not that of a wide one, 0.07."""
    rows = np.column_stack([np.arange(80) % 3, np.random.default_rng(0).standard_normal((80, 3))])
    first = ks.compile("match()[0]*gaussian(3)[1:4]", data=rows, n_features=64)
    again = ks.compile("match()[0]*gaussian(1)[1:4]", plan=first.plan)
    fresh = ks.compile("match()[0]*gaussian(1)[1:4]", data=rows, n_features=64)
    assert any(first.plan.chosen.draws)
    assert again.predicted_error(rows) == pytest.approx(fresh.predicted_error(rows), rel=0.3)


def test_small_terms_keep_their_landmarks() -> None:
    text, rows = "1e9*constant() + gaussian(2)", np.random.default_rng(0).standard_normal((100, 3))
    first = ks.compile(text, data=rows, n_features=64, method="nystrom")
    assert ks.compile(text, plan=first.plan).n_columns == first.n_columns


def test_only_plans_of_unbiased_estimators_are_reused() -> None:
    fmap = ks.compile("gaussian()", 3, published=ks.Published(normalized=True), method="phase")
    with pytest.raises(PlanError, match="published estimators cannot be reused"):
        ks.compile("gaussian()", plan=fmap.plan)
    wrong: Any = fmap
    with pytest.raises(PlanError, match=r"plan must be that of a map, fmap\.plan"):
        ks.compile("gaussian()", plan=wrong)


@pytest.mark.long
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(case=cases())
def test_a_plan_reused_for_its_own_spec_gives_its_features(case: Case) -> None:
    rows = np.concatenate([replace(case, rows_seed=seed).rows for seed in range(40)])
    options: list[dict[str, Any]] = [{"data": rows}, {"data": rows, "method": "nystrom"}, {"dim": rows.shape[1]}]
    for own in options:
        try:
            fmap = ks.compile(case.text, n_features=128, **own)
        except ks.KernelspecError:  # such as a kernel without samples
            continue
        again = ks.compile(case.text, plan=fmap.plan)
        values = [np.asarray(one.approximate(rows)) for one in (fmap, again)]
        np.testing.assert_allclose(values[1], values[0], atol=1e-6 * max(1.0, np.abs(values[0]).max()))
