"""How many atoms a plan takes exactly."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.errors import PlanError
from kernelspec.laws.atoms import AtomsLaw, OtherAtomsLaw
from kernelspec.planning.candidates import counts_of_atoms, with_atoms
from kernelspec.planning.plan import Plan
from kernelspec.planning.reference import Reference
from kernelspec.planning.strata import terms_of
from tests.laws.texts import kernel_of

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


def test_beside_anchors_plans_without_exact_atoms_are_compared_too() -> None:
    text = "periodic(period=1, scale=1)[0] + gaussian()"
    plan = ks.compile(text, dim=2, n_features=24, data=X).plan
    anchored = [one for one in (plan.chosen, *plan.alternatives) if one.anchors and not one.is_biased]
    assert {"atoms" in one.schemes for one in anchored} == {True, False}
    assert plan.chosen.error == min(
        one.error for one in (plan.chosen, *plan.alternatives) if one.error is not None and not one.is_biased
    )


def test_drawn_again_from_the_spec(tmp_path) -> None:
    fmap = ks.compile("periodic(period=1, scale=1/4)", dim=1, n_features=21, seed=3)
    fmap.save(tmp_path / "map.npz")
    again = ks.load_map(tmp_path / "map.npz", redraw=True)
    np.testing.assert_array_equal(again.transform(X[:, :1]), fmap.transform(X[:, :1]))


def test_a_budget_too_small() -> None:
    with pytest.raises(PlanError, match="n_features=4 is too small: one sample of this kernel takes 5"):
        plan_of("periodic(period=1)", 4, method="atoms")
    assert plan_of("periodic(period=1)", 4).chosen.schemes == (None,)
