"""Candidates with anchors: how many of them, and which samples for what they leave."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from operator import add
from typing import TYPE_CHECKING

import numpy as np

from kernelspec.planning.allocation import allocate
from kernelspec.planning.anchors.simulated import simulated
from kernelspec.planning.candidates import entries
from kernelspec.planning.joint_draws import Ratio, drawn_together
from kernelspec.planning.proposal import Proposal

if TYPE_CHECKING:
    from kernelspec.planning.anchors.search import AnchorSearch, Option
    from kernelspec.planning.candidates import Costing
    from kernelspec.planning.plan import Candidate
    from kernelspec.planning.strata import Stratum

__all__ = ["anchored", "nystrom", "ratio_of_laws"]

_MEASURED = 4
"""Terms with laws of one kind whose ratios are measured; all others take the mean."""

_DRAWS = 8
"""Draws on which coupled samples are compared with independent ones."""


def anchored(
    alone: Proposal, search: AnchorSearch, costing: Costing, kinds: Sequence[str], *, asked: bool
) -> Proposal | None:
    """The candidate of least error with anchors, and samples of the strata of `alone` for what these leave.

    Unbiased, whatever the anchors are. The samples are drawn in one of these `kinds` where they then vary less, or
    where that is `asked` for. Numbers of anchors are compared by few samples; the error is that of many draws of the
    one that is best. None where the budget reaches for no anchor, or there are no rows to choose one from.
    """
    n_rows = costing.reference.n_rows
    most = costing.budget - sum(entries(stratum, "paired") for stratum in alone.strata)
    options = search.options(most)
    if not options:
        return None

    option, best = min(
        ((option, _divided(alone, alone.strata, option, search, costing)) for option in options),
        key=lambda one: one[1].merit,
    )
    if kinds:
        of_pairs = search.judged.of_pairs(n_rows)

        def ratio(stratum: Stratum, n: int) -> float:
            if not option.variance(stratum).over_rows(n_rows):
                return 1.0
            own = replace(stratum, weight=1.0)
            return simulated([(own, n)], option.residual, of_pairs, _DRAWS).ratio

        def divided(strata: Sequence[Stratum], counts: Sequence[int] | None = None) -> Proposal:
            return _divided(alone, strata, option, search, costing, counts)

        together = drawn_together(best, kinds, ratio_of_laws(best, ratio), divided, asked=asked)
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
    n_rows = costing.reference.n_rows
    error = search.relative(search.judged.of_pairs(n_rows).total(np.square(left)), n_rows)
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
    error = search.relative(n_rows * total.over_rows(n_rows), n_rows)
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


def ratio_of_laws(alone: Proposal, ratio: Ratio) -> Ratio:
    """The same ratio, measured for the terms of each kind that have the most samples; the others take the mean.

    Laws of one class on equally many columns are of one kind, if their numbers of samples are alike: a ratio that was
    measured at another number of samples does not hold.
    """
    counts = dict(zip(map(_law, alone.strata), alone.candidate.counts, strict=True))
    kinds: dict[tuple[type, int], list[Stratum]] = {}
    for stratum in alone.strata:
        kinds.setdefault(_kind(stratum), []).append(stratum)
    chosen = {
        _law(own) for many in kinds.values() for own in sorted(many, key=lambda one: -counts[_law(one)])[:_MEASURED]
    }
    found: dict[tuple[str | None, tuple[type, int], int], list[float]] = {}

    def of(stratum: Stratum, n: int) -> float:
        key = stratum.draws, _kind(stratum), n.bit_length()
        if _law(stratum) in chosen or key not in found:
            found.setdefault(key, []).append(ratio(stratum, n))
            return found[key][-1]
        return math.fsum(found[key]) / len(found[key])

    return of


def _law(stratum: Stratum) -> int:
    return id(stratum.independent.law)


def _kind(stratum: Stratum) -> tuple[type, int]:
    return type(stratum.independent.law), len(stratum.positions)
