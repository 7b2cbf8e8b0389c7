"""Strata whose samples are drawn together where that is measured to vary less."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from kernelspec.errors import PlanError
from kernelspec.planning.joint_draws import drawn_together, replicates_by_share
from kernelspec.planning.plan import Candidate
from kernelspec.planning.proposal import Proposal
from kernelspec.planning.strata import Stratum
from tests.laws.texts import law

STRATA = tuple(Stratum(1.0, law(text, 3), (0, 1, 2)) for text in ("gaussian()", "laplace()"))


def proposal(strata: Sequence[Stratum], counts: tuple[int, ...] = (16, 16)) -> Proposal:
    candidate = Candidate("paired", False, counts, 1.0, draws=tuple(stratum.draws for stratum in strata))
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

    def reallocate(strata: Sequence[Stratum]) -> Proposal:
        return proposal(strata, (8, 24))

    found = drawn_together(proposal(STRATA), ("sobol",), ratio, reallocate, asked=False)
    assert found is not None
    assert [stratum.ratio for stratum in found.strata] == [1 / 8, 1 / 24]


def test_a_stratum_of_more_variance_is_measured_on_more_draws() -> None:
    draws = replicates_by_share(STRATA, [3.0, 1.0])
    assert [draws(stratum, 64) for stratum in STRATA] == [96, 32]
    assert [draws(STRATA[0], n) for n in (4, 1024)] == [384, 48]
    assert [replicates_by_share(STRATA, [1.0, 1e-9])(stratum, 64) for stratum in STRATA] == [128, 16]
    for nothing in ([0.0, 0.0], [1.0, float("inf")]):
        assert [replicates_by_share(STRATA, nothing)(stratum, 64) for stratum in STRATA] == [64, 64]
