"""Strata whose samples are drawn together where that is measured to vary less."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from kernelspec.errors import PlanError
from kernelspec.planning.candidates import Proposal
from kernelspec.planning.plan import Candidate
from kernelspec.planning.refinements import drawn_together, replicates_by_share
from kernelspec.planning.strata import Stratum
from tests.laws.texts import law

STRATA = tuple(Stratum(1.0, law(text, 3), (0, 1, 2)) for text in ("gaussian()", "laplace()"))


def proposal(strata: Sequence[Stratum], counts: Sequence[int] | None = (16, 16)) -> Proposal:
    """With a variance that the ratios say; where the numbers of samples may be chosen, they are 16."""
    counts = tuple(counts or [16] * len(strata))
    variance = sum(stratum.ratio / n for stratum, n in zip(strata, counts, strict=True))
    candidate = Candidate("paired", False, counts, variance, draws=tuple(stratum.draws for stratum in strata))
    return Proposal(candidate, tuple(strata))


def test_the_kind_that_varies_least_is_taken() -> None:
    ratios = {"orthogonal": 0.7, "sobol": 0.4}  # the first has both, the second Sobol' points only
    found = drawn_together(
        proposal(STRATA), tuple(ratios), lambda stratum, n: ratios[str(stratum.draws)], proposal, asked=False
    )
    assert found is not None
    assert [(stratum.draws, stratum.ratio) for stratum in found.strata] == [("sobol", 0.4)] * 2


def test_what_gains_nothing_stays_independent() -> None:
    assert drawn_together(proposal(STRATA), ("sobol",), lambda *_: 1.2, proposal, asked=False) is None
    few = proposal(STRATA, (3, 3))
    assert drawn_together(few, ("sobol",), lambda *_: 0.5, proposal, asked=False) is None


def test_what_is_asked_for_is_taken_where_it_can_be() -> None:
    found = drawn_together(proposal(STRATA), ("orthogonal",), lambda *_: 1.2, proposal, asked=True)
    assert found is not None
    assert found.strata[0].draws == "orthogonal"
    line = replace(STRATA[0], law=law("gaussian()", 1), positions=(0,))
    with pytest.raises(PlanError, match="draws='orthogonal' changes nothing for this kernel"):
        drawn_together(proposal([line], (16,)), ("orthogonal",), lambda *_: 1.0, proposal, asked=True)


def test_ratios_are_measured_again_for_the_new_shares() -> None:
    def ratio(stratum: Stratum, n: int) -> float:
        return 1 / n

    def cost(strata: Sequence[Stratum], counts: Sequence[int] | None) -> Proposal:
        return proposal(strata, (24, 8) if counts is None else counts)

    found = drawn_together(proposal(STRATA, (8, 8)), ("sobol",), ratio, cost, asked=False)
    assert found is not None
    assert [stratum.ratio for stratum in found.strata] == [1 / 24, 1 / 8]
    assert found.candidate.counts == (24, 8)


@pytest.mark.parametrize("fewer", [1, 3, 8])
def test_a_plan_is_costed_with_the_ratios_of_its_own_size(fewer: int) -> None:
    """A ratio that is small at 32 samples, and no gain with fewer, does not shrink the plan."""

    def ratio(stratum: Stratum, n: int) -> float:
        return 1e-6 if n == 32 else 1.5

    def cost(strata: Sequence[Stratum], counts: Sequence[int] | None) -> Proposal:
        return proposal(strata, (fewer,) if counts is None else counts)

    found = drawn_together(proposal(STRATA[:1], (32,)), ("sobol",), ratio, cost, asked=False)
    assert found is not None
    assert (found.candidate.counts, found.strata[0].ratio, found.candidate.joint) == ((32,), 1e-6, ("sobol",))


def test_about_the_same_numbers_of_samples_are_kept() -> None:
    measured = []

    def ratio(stratum: Stratum, n: int) -> float:
        measured.append(n)
        return 0.5

    def cost(strata: Sequence[Stratum], counts: Sequence[int] | None) -> Proposal:
        return proposal(strata, (15, 17) if counts is None else counts)

    found = drawn_together(proposal(STRATA), ("sobol",), ratio, cost, asked=False)
    assert found is not None
    assert found.candidate.counts == (16, 16)
    assert measured == [16, 16]


def test_a_stratum_of_more_variance_is_measured_on_more_draws() -> None:
    draws = replicates_by_share(STRATA, [3.0, 1.0])
    assert [draws(stratum, 64) for stratum in STRATA] == [96, 32]
    assert [draws(STRATA[0], n) for n in (4, 1024)] == [384, 48]
    assert [replicates_by_share(STRATA, [1.0, 1e-9])(stratum, 64) for stratum in STRATA] == [128, 16]
    for nothing in ([0.0, 0.0], [1.0, float("inf")]):
        assert [replicates_by_share(STRATA, nothing)(stratum, 64) for stratum in STRATA] == [64, 64]
