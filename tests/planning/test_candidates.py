"""Tests of `planning/candidates.py`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.errors import PlanError
from kernelspec.laws.atoms import AtomsLaw, OtherAtomsLaw
from kernelspec.laws.law import Collisions
from kernelspec.planning.candidates import Costing, allocate, assignments, counts_of_atoms, expanded, with_atoms
from kernelspec.planning.plan import Plan
from kernelspec.planning.reference import Reference, SampleVariances
from kernelspec.planning.strata import Term, terms_of
from kernelspec.tables.layout import Layout
from tests.laws.texts import kernel_of


def divisions(budget: int, costs: list[int]) -> Iterator[list[int]]:
    """Every way to spend a budget, at least one sample each; the last takes all it can."""
    first, *rest = costs
    if not rest:
        yield [budget // first]
        return
    for n in range(1, (budget - sum(rest)) // first + 1):
        for others in divisions(budget - n * first, rest):
            yield [n, *others]


def variance(counts: list[int], spreads: list[float]) -> float:
    return sum(s * s / n for s, n in zip(spreads, counts, strict=True))


@pytest.mark.parametrize(("prices", "slack"), [([1], 1e-12), ([2], 1e-12), ([1, 2], 0.05)])
def test_is_the_best_of_all_divisions(prices: list[int], slack: float) -> None:
    # with equal costs the optimum itself; with an odd entry that only some can use, within 5 %
    generator = np.random.default_rng(0)
    for _ in range(150):
        k = int(generator.integers(1, 5))
        costs = [int(c) for c in generator.choice(prices, k)]
        spreads = [float(s) for s in generator.exponential(size=k) * 10 ** generator.uniform(-2, 1, k)]
        budget = int(sum(costs) + generator.integers(0, 20))
        found = allocate(budget, costs, spreads)
        assert sum(c * n for c, n in zip(costs, found, strict=True)) <= budget
        assert min(found) >= 1
        best = min(variance(counts, spreads) for counts in divisions(budget, costs))
        assert variance(found, spreads) <= best * (1 + slack)


def test_follows_neyman() -> None:
    assert allocate(600, [1, 1, 1], [1, 2, 3]) == [100, 200, 300]
    counts = allocate(3000, [1, 2], [1, 1])
    assert counts[0] / counts[1] == pytest.approx(np.sqrt(2), rel=0.01)


def test_nothing_is_left_that_would_help() -> None:
    for budget in range(5, 60):
        assert budget - np.dot(allocate(budget, [2, 2, 1], [3, 1, 0.01]), [2, 2, 1]) == 0


def test_without_spread_one_sample_is_enough() -> None:
    assert allocate(100, [1, 2], [0, 1]) == [1, 49]
    assert allocate(100, [1, 2], [0, 0]) == [1, 1]
    assert allocate(10, [], []) == []


@pytest.mark.parametrize("unit", [2.0**-600, 2.0**600, 2.0**1000])
def test_squares_of_spreads_need_not_be_floats(unit: float) -> None:
    assert allocate(50, [2, 2, 1], [unit, 3 * unit, unit / 7]) == allocate(50, [2, 2, 1], [1, 3, 1 / 7])


def test_a_budget_too_small() -> None:
    assert allocate(4, [2, 2], [1, 5]) == [1, 1]
    with pytest.raises(ValueError, match="smaller than one sample"):
        allocate(3, [2, 2], [1, 5])


LAYOUT = Layout(2, None, (0, 1), ())


def terms(text: str) -> list[Term]:
    return terms_of(kernel_of(text, 2))


def costing(budget: int = 40) -> Costing:
    return Costing(budget, SampleVariances(Reference.of(LAYOUT, None), Collisions(256, signed=True), ()))


def test_assignments_are_the_plain_one_then_one_for_every_scheme_then_the_best() -> None:
    assert list(assignments(terms("gaussian()"), "paired", costing())) == [(None,)]
    assert list(assignments(terms("laplace()"), "paired", costing())) == [(None,), ("binning",)]
    found = list(assignments(terms("gaussian() + laplace() + triangle()"), "paired", costing()))
    assert found[:2] == [(None, None, None), (None, "binning", "binning")]
    assert len(found) in (2, 3)
    assert len(set(found)) == len(found)


def test_a_sum_that_a_scheme_makes_is_divided_again() -> None:
    found = terms("2 * laplace() + gaussian()")
    parts = expanded(found, ("binning", None), mixture=False)
    assert [(part.weight, part.scheme) for part in parts] == [(2, "binning"), (1, None)]
    with pytest.raises(ValueError, match="shorter"):
        expanded(found, ("binning",), mixture=False)


def test_a_mixture_stays_one_stratum() -> None:
    sum_of_two = Term(1.0, kernel_of("laplace() + gaussian()", 2), (0, 1))
    (whole,) = expanded([sum_of_two], ("binning",), mixture=True)
    assert (whole.scheme, whole.law.has_key, whole.law.has_phasor) == ("binning", True, True)


def test_a_budget_that_does_not_reach() -> None:
    two = terms("laplace() + gaussian()")
    plain, binned = (expanded(two, choice, mixture=False) for choice in ((None, None), ("binning", None)))
    assert costing(3).proposal(plain, (None, None), "paired", mixture=False) is None
    proposal = costing(3).proposal(binned, ("binning", None), "paired", mixture=False)
    assert proposal is not None
    assert proposal.candidate.counts == (1, 1)
    assert proposal.candidate.is_sparse


def test_what_is_exact_for_every_category_takes_one_sample() -> None:
    # cosines of given frequencies do not vary, also where two rows are of one category
    rows = np.column_stack([np.random.default_rng(0).uniform(0, 3, 100), np.arange(100) % 4])
    found = ks.compile("periodic(period=3)[0] * match()[1]", data=rows, n_features=64, method="atoms").plan
    assert found.chosen.counts == (1, 1, 1, 29)


X = np.random.default_rng(2).uniform(-2, 2, (64, 2))


def plan_of(text: str, n_features: int, dim: int = 1, method: str = "auto") -> Plan:
    return ks.compile(text, dim=dim, n_features=n_features, method=method).plan  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("0.5*cosine(by=1) + 0.5*cosine(by=3)", 4),
        ("cosine(by=1) * cosine(by=3)", 4),
        ("(0.5*circle() + 0.5*cosine(by=2)) ** 2", 9),
        # I_n(1/4) ≈ 8⁻ⁿ/n!: 3e-16 for n = 10, 3e-18 for n = 11
        ("periodic(period=1, scale=2)", 21),
    ],
)
def test_a_measure_within_the_budget_is_exact(text: str, columns: int) -> None:
    fmap = ks.compile(text, dim=1, n_features=64)
    assert fmap.plan.chosen.variance == 0
    assert fmap.n_columns == columns
    np.testing.assert_allclose(fmap.approximate(X[:, :1]), ks.parse(text).gram(X[:, :1]), atol=2e-15)


def test_the_number_of_least_variance() -> None:
    text = "periodic(period=1, scale=1/10)"
    plan = plan_of(text, 41)
    (count,) = counts_of_atoms(plan.strata)
    assert plan.chosen.schemes == ("atoms",)
    (term,) = terms_of(kernel_of(text, 1))
    parts = term.under("atoms")
    # every number that the budget reaches for: one column for the constant, and two for a pair or a sample
    pairs = Reference.of(plan.layout, None).pairs
    left = [with_atoms(parts, [m])[2].law for m in range(1, 20)]
    variances = [float(np.mean(law.variance(pairs, 20 - m, "paired"))) for m, law in enumerate(left, start=1)]
    assert plan.chosen.variance == pytest.approx(variances[count - 1], rel=1e-12)
    assert plan.chosen.variance <= 1.1 * min(variances)
    assert plan.chosen.variance < plan_of(text, 41, method="paired").chosen.variance / 10


def test_of_a_sum_the_heaviest_of_all_terms() -> None:
    plan = plan_of("periodic(period=1, scale=1/3)[0] + 0.001*periodic(period=1, scale=1/3)[1]", 24, dim=2)
    heavy, light = counts_of_atoms(plan.strata)
    assert heavy > light >= 1
    # in whole numbers the heaviest left out of each is no heavier than the lightest taken, unless it is the first
    first, second = (stratum for stratum in plan.strata if isinstance(stratum.law, AtomsLaw))
    assert isinstance(first.law, AtomsLaw)
    assert isinstance(second.law, AtomsLaw)
    if light > 1:
        assert second.weight * second.law.all_atoms.weights[light - 1] >= first.law.all_atoms.weights[heavy]


def test_where_all_are_taken_nothing_is_sampled() -> None:
    (term,) = terms_of(kernel_of("periodic(period=1, scale=1)", 1))
    parts = term.under("atoms")
    law = parts[1].law
    assert isinstance(law, AtomsLaw)
    assert len(with_atoms(parts, [len(law.all_atoms)])) == 2
    assert isinstance(with_atoms(parts, [len(law.all_atoms) - 1])[2].law, OtherAtomsLaw)
    assert counts_of_atoms(with_atoms(parts, [3])) == [3]


def test_random_offsets_have_no_exact_part() -> None:
    plan = plan_of("periodic(period=1, scale=1)", 16, method="phase")
    assert plan.chosen.schemes == (None,)
    for other in (
        plan_of("periodic(period=1, scale=1)", 16),
        plan_of("periodic(period=1, scale=1)", 16, method="atoms"),
    ):
        assert other.form == "paired"
        assert not any("atoms" in one.schemes and one.form == "phase" for one in other.alternatives)


def test_beside_landmarks_plans_without_exact_atoms_are_compared_too() -> None:
    text = "periodic(period=1, scale=1)[0] + gaussian()"
    plan = ks.compile(text, dim=2, n_features=24, data=X).plan
    correction = [one for one in (plan.chosen, *plan.alternatives) if one.landmarks and not one.is_biased]
    assert {"atoms" in one.schemes for one in correction} == {True, False}
    assert plan.chosen.error == min(
        one.error for one in (plan.chosen, *plan.alternatives) if one.error is not None and not one.is_biased
    )


def test_drawn_again_from_the_spec(tmp_path) -> None:
    fmap = ks.compile("periodic(period=1, scale=1/4)", dim=1, n_features=21, seed=3)
    fmap.save(tmp_path / "map.npz")
    again = ks.load_map(tmp_path / "map.npz", redraw=True)
    np.testing.assert_array_equal(again.transform(X[:, :1]), fmap.transform(X[:, :1]))


def test_a_budget_too_small_exact_atoms() -> None:
    with pytest.raises(PlanError, match="n_features=4 is too small: one sample of this kernel needs 5"):
        plan_of("periodic(period=1)", 4, method="atoms")
    assert plan_of("periodic(period=1)", 4).chosen.schemes == (None,)


SIZES = np.column_stack([np.random.default_rng(0).uniform(0, 1, (60, 3)), np.arange(60) % 4])


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("gaussian()", {}),
        ("gaussian()", {"method": "phase"}),
        ("gaussian()", {"method": "complex"}),
        ("gaussian()[0:3] + 0.5*match()[3]", {}),
        ("gaussian()[0:3] * match()[3]", {}),
        ("gaussian()[0:3] * match()[3]", {"storage": "dense"}),
        ("minmax()", {}),
        ("minmax()", {"keys": "bits", "bits": 3}),
        ("gaussian()", {"method": "landmarks"}),
        ("gaussian()", {"method": "nystrom"}),
    ],
)
def test_entries_and_columns_are_those_of_the_map(text: str, options: dict[str, Any]) -> None:
    fmap = ks.compile(text, data=SIZES, n_features=24, **options)
    chosen = fmap.plan.chosen
    assert chosen.columns == fmap.n_columns
    features = fmap.transform(SIZES)
    stored = features.nnz / len(SIZES) if fmap.plan.chosen.is_sparse and options.get("storage") != "dense" else None
    # one column that all keys share is for `approximate` alone, and complex entries are two
    width = features.shape[1] * (2 if options.get("method") == "complex" else 1)
    assert chosen.entries == (width if stored is None else round(stored))


def test_every_candidate_says_what_it_takes() -> None:
    found = ks.compile("gaussian(scale=2)", data=SIZES, n_features=24).plan.to_dict()
    for one in (found, *found["alternatives"]):
        assert 0 < one["columns_of_features"] <= one["stored_entries"] <= 24
    learnt = ks.compile("minmax()", dim=3, n_features=24, keys="exact").plan.to_dict()
    assert learnt["stored_entries"] == 24
    assert learnt["columns_of_features"] is None
