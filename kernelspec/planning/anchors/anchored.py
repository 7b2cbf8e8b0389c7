"""Candidates with anchors: how many of them, and which samples for what they leave."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from operator import add
from typing import TYPE_CHECKING

import numpy as np

from kernelspec.laws.joint import bounded_ratio
from kernelspec.planning.allocation import allocate
from kernelspec.planning.anchors.pilot import FINE_PILOT, Pilots, joint_squares
from kernelspec.planning.candidates import entries
from kernelspec.planning.joint_draws import drawn_together, replicates_by_share
from kernelspec.planning.pair_sums import PairSums
from kernelspec.planning.proposal import Proposal

if TYPE_CHECKING:
    from kernelspec.planning.anchors.search import AnchorSearch, Option
    from kernelspec.planning.candidates import Costing
    from kernelspec.planning.plan import Candidate
    from kernelspec.planning.strata import Stratum

__all__ = ["anchored", "nystrom"]

_HOPELESS = 1.1
"""Joint samples that seem to vary this much more than independent ones are not looked at any longer."""

_JUDGED = 128
"""Rows on which samples that are drawn together are compared with independent ones."""


def anchored(
    alone: Proposal, search: AnchorSearch, costing: Costing, kinds: Sequence[str], *, asked: bool
) -> Proposal | None:
    """The candidate of least error with anchors, and samples of the strata of `alone` for what these leave.

    Unbiased, whatever the anchors are. The samples are drawn in one of these `kinds` where they then vary less, or
    where that is `asked` for. None where the budget reaches for no anchor, or there are no rows to choose one from.
    """
    n_rows = costing.reference.n_rows
    most = costing.budget - sum(entries(stratum, "paired") for stratum in alone.strata)
    options = search.options(most)
    if not options:
        return None

    found = [_divided(alone, alone.strata, option, search, costing) for option in options]
    place = min(range(len(found)), key=lambda i: found[i].merit)
    option, some = options[place], options[place].residual.some(_JUDGED)
    fine, met = Pilots(FINE_PILOT, chosen=True), {}

    def varied(stratum: Stratum) -> PairSums:
        """On some of the rows, as a larger pilot says."""
        key = id(stratum.independent.law)
        if key not in met:
            met[key] = fine.total_variance(stratum, some)
        return met[key]

    def corrected(stratum: Stratum) -> PairSums:
        """On all rows, as the pilot says of them, and the larger one of some."""
        rough = search.pilots.total_variance(stratum, some).over_rows(n_rows)
        return option.variance(stratum).scaled(varied(stratum).over_rows(n_rows) / rough if rough else 1.0)

    def divided(strata: Sequence[Stratum], counts: Sequence[int] | None = None) -> Proposal:
        return _divided(alone, strata, replace(option, variance=corrected), search, costing, counts)

    best = divided(alone.strata)
    if kinds:
        shares = zip(best.strata, best.candidate.counts, strict=True)
        variances = [stratum.weight**2 / n * option.variance(stratum).over_rows(n_rows) for stratum, n in shares]
        replicates = replicates_by_share(best.strata, variances)

        def ratio(stratum: Stratum, n: int) -> float:
            independent = varied(stratum).scaled(1 / n)
            most = _HOPELESS * (independent.own + independent.others)
            joint = PairSums.of(joint_squares(some, stratum, n, replicates(stratum, n), most)).over_rows(n_rows)
            least = independent.over_rows(n_rows)
            return bounded_ratio(joint, least, n * least, replicates(stratum, n)) if most else 1.0

        together = drawn_together(best, kinds, ratio, divided, asked=asked)
        if together is not None and (asked or together.merit < best.merit):
            best = together
    candidate = replace(best.candidate, anchors=option.anchors.n_columns)
    return replace(best, candidate=candidate, anchors=option.anchors)


def nystrom(alone: Proposal, search: AnchorSearch, costing: Costing) -> Proposal | None:
    """Anchors alone: biased, with the error that was measured. None where the kernel is not positive definite."""
    if not search.is_definite:
        return None
    option, none = search.pivoted(costing.budget), [0] * len(alone.strata)
    left = search.left_alone(option.size)
    error = search.relative(PairSums.of(np.square(left)), costing.reference.n_rows)
    candidate = _candidate(alone, alone.strata, option.anchors.n_columns, none, error)
    plain = replace(candidate, variance=0.0, is_sparse=False, is_complex=False, work=0.0)
    certificate = (
        f"{candidate.describe()}: off by at most {max(0.0, float(np.diagonal(left).max())):.3g} between any two of "
        f"{len(left)} rows that were not chosen from, √(r(x) r(y)); fmap.residual(X) gives r"
    )
    return Proposal(plain, alone.strata, option.anchors, certificate)


def _divided(
    alone: Proposal,
    strata: Sequence[Stratum],
    option: Option,
    search: AnchorSearch,
    costing: Costing,
    counts: Sequence[int] | None = None,
) -> Proposal:
    """The best use of what the anchors leave of the budget, or these numbers of samples."""
    n_rows = costing.reference.n_rows
    sums = [option.variance(stratum).scaled(stratum.ratio) for stratum in strata]
    spreads = [
        abs(stratum.weight) * float(np.sqrt(own.over_rows(n_rows))) for stratum, own in zip(strata, sums, strict=True)
    ]
    costs = [entries(stratum, "paired") for stratum in strata]
    counts = allocate(costing.budget - option.size, costs, spreads) if counts is None else counts
    shares = zip(strata, counts, sums, strict=True)
    total = reduce(add, (own.scaled(stratum.weight**2 / n) for stratum, n, own in shares))
    error = search.relative(total, n_rows)
    candidate = _candidate(alone, strata, option.size, counts, error)
    return Proposal(candidate, tuple(strata))


def _candidate(
    alone: Proposal,
    strata: Sequence[Stratum],
    anchors: int,
    counts: Sequence[int],
    error: float | None,
) -> Candidate:
    return replace(
        alone.candidate,
        form="paired",
        counts=tuple(counts),
        error=error,
        anchors=anchors,
        draws=tuple(stratum.draws for stratum in strata),
    )
