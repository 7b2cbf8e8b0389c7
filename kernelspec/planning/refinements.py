"""What the best plan of independent samples becomes with samples drawn together, and with anchors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from kernelspec.errors import PlanError
from kernelspec.laws.catalogue import DRAWS
from kernelspec.laws.joint import JointLaw
from kernelspec.notation.pairs import NumericPairs
from kernelspec.planning.anchors.anchored import anchored, nystrom, ratio_of_laws
from kernelspec.planning.anchors.residual import Residual
from kernelspec.planning.anchors.searches import AnchorSearches
from kernelspec.planning.anchors.simulated import JudgedRows, MeasuredError, RowsScatter, can_simulate, error_interval
from kernelspec.planning.candidates import entries
from kernelspec.planning.compiled_pairs import CompiledPairs
from kernelspec.planning.joint_draws import drawn_together
from kernelspec.planning.methods import ANCHORED, DRAW_NAMES, Anchoring, Draws, Method, are_biased
from kernelspec.planning.pair_sums import PairSums
from kernelspec.planning.proposal import Proposal
from kernelspec.planning.reference import FEWEST_ROWS, Reference
from kernelspec.planning.strata import kernel_value

if TYPE_CHECKING:
    from kernelspec.planning.candidates import Costing
    from kernelspec.planning.strata import Stratum

__all__ = ["check_refinements", "kinds_of_draws", "measured", "too_few_rows", "with_anchors", "with_joint_draws"]

_PAIRS = 128
"""On which ratios of variances are measured, to compare plans:"""

_JUDGED = 256
"""Rows on which the error of a plan is measured."""

_LOOKED_AT = 4096
"""Samples of all strata together that are looked at, for those that say most."""

_DRAWS, _DRAWN = 16, 2048
"""on so many draws at least, and so many samples."""


def check_refinements(method: Method, draws: Draws, anchors: Anchoring, *, has_data: bool) -> None:
    """Raise PlanError for draws or a use of anchors that there is not, or anchors without data to choose them from."""
    if draws not in DRAW_NAMES:
        raise PlanError(f"there are no draws {draws!r}: use one of {', '.join(DRAW_NAMES)}")
    if anchors not in ("auto", "never"):
        raise PlanError(f"anchors must be 'auto' or 'never', not {anchors!r}")
    if method in ANCHORED and anchors == "never":
        raise PlanError(f"method={method!r} is anchors, and anchors='never' forbids them")
    if method in ANCHORED and not has_data:
        raise PlanError(f"method={method!r} chooses rows of the data: give data= (or fit, or --plan-on FILE)")
    if method == "anchored" and are_biased(draws):
        raise PlanError(f"method='anchored' corrects unbiased samples, and those of draws={draws!r} are biased")
    if method == "nystrom" and draws not in ("auto", "independent"):
        raise PlanError(f"method='nystrom' draws no samples: draws={draws!r} says nothing about it")


def kinds_of_draws(draws: Draws, *, has_data: bool) -> tuple[str, ...]:
    """The draws to compare with independent ones; of "auto" none without data, on which alone it pays to measure.

    Biased ones are taken only if they are named.
    """
    if draws == "auto":
        return tuple(name for name in DRAWS if not are_biased(name)) if has_data else ()
    return () if draws == "independent" else (draws,)


def with_joint_draws(alone: Proposal, costing: Costing, kinds: Sequence[str], *, asked: bool) -> Proposal | None:
    """The proposal with samples drawn together, measured on pairs of rows; None where that gains nothing."""
    if not kinds:
        return None
    some = costing.reference.pairs.some(_PAIRS)
    own = alone.candidate

    def ratio(stratum: Stratum, n: int) -> float:
        assert isinstance(stratum.law, JointLaw)
        pairs = _of_equal_categories(stratum, costing.reference) or some
        return stratum.law.measured_ratio(pairs.select(stratum.positions), n, max(_DRAWS, _DRAWN // n))

    def cost(strata: Sequence[Stratum], counts: Sequence[int] | None) -> Proposal:
        found = costing.proposal(strata, own.schemes, own.form, mixture=own.mixture, counts=counts)
        assert found is not None  # the budget is enough for these strata: it was without the draws
        return found

    return drawn_together(alone, kinds, ratio_of_laws(alone, ratio), cost, asked=asked)


def _of_equal_categories(stratum: Stratum, reference: Reference) -> NumericPairs | None:
    """Pairs of rows of the data whose keys agree, since all others have no variance; None if there are few of them, or
    if some samples have no key, which vary between all rows."""
    if stratum.known is None or reference.sample is None or () in (stratum.law.compared(stratum.positions) or ()):
        return None
    category = stratum.known.numbers(reference.sample)
    equal = np.triu(np.equal.outer(category, category) & (category >= 0), 1)
    first, second = np.nonzero(equal)
    if len(first) < _PAIRS // 4:
        return None
    places = np.random.default_rng(0).permutation(len(first))[:_PAIRS]
    x, y = (reference.sample.take(side[places]) for side in (first, second))
    return NumericPairs(x, y, grid=False)


def with_anchors(
    alone: Proposal,
    costing: Costing,
    searches: AnchorSearches,
    kinds: Sequence[str],
    *,
    method: Method,
    asked_draws: bool,
) -> list[Proposal]:
    """The proposals with anchors, the unbiased one first; not that for samples with keys, or that leave something out.

    Raises PlanError where `method` asks for what there is not.
    """
    reference, budget = costing.reference, costing.budget
    refusals = {way: _refusal(alone, way, reference.n_rows) for way in ANCHORED if method in ("auto", way)}
    found = []
    beside_samples = _most_anchors(alone.strata, budget)
    if refusals.get("anchored", "") is None:
        search = searches.of(alone.strata, beside_samples)
        found.append(anchored(alone, search, costing, kinds, asked=asked_draws))
    if refusals.get("nystrom", "") is None:  # of many terms the search for all of the budget takes much longer
        search = searches.of(alone.strata, budget if method == "nystrom" else beside_samples)
        found.append(nystrom(alone, search, costing))
    if any(found) or method not in ANCHORED:
        return [proposal for proposal in found if proposal is not None]
    nothing = (
        "anchors alone are for positive definite kernels"
        if method == "nystrom"
        else f"n_features={budget} does not reach for an anchor and a sample of every term"
    )
    raise PlanError(f"method={method!r}: {refusals[method] or nothing}")


def measured(alone: Proposal, costing: Costing, searches: AnchorSearches | None) -> Proposal:
    """The proposal with its error as many samples and draws show it, and the interval that it has on new rows.

    As it is where that is not possible: without data, for keys, for biased landmarks, and for random offsets.
    """
    reference, candidate = costing.reference, alone.candidate
    if reference.sample is None or candidate.is_biased or not alone.strata or not can_simulate(alone.strata):
        return alone
    rows, judged = reference.sample, None
    if alone.anchors is not None:
        assert searches is not None
        strata = tuple(stratum.independent for stratum in alone.strata)
        search = searches.of(strata, _most_anchors(strata, costing.budget))
        rows, judged = search.sample, search.judged
    judged = JudgedRows.among(rows, _JUDGED) if judged is None else judged
    pairs = CompiledPairs(judged.rows, judged.rows)
    if alone.anchors is None:
        residual = Residual.without_landmarks(pairs)
    else:
        residual = Residual.on(pairs, alone.anchors, alone.strata)
    weights, size = judged.of_pairs(reference.n_rows), np.square(kernel_value(alone.strata, pairs))
    parts = list(zip(alone.strata, candidate.counts, strict=True))
    found, whole = MeasuredError.of(parts, residual, weights, _LOOKED_AT), weights.total(size)
    if not (whole > 0 and np.isfinite(found.total)):
        return alone
    error = candidate.error
    if alone.anchors is not None or (any(candidate.draws) and (candidate.form == "paired" or not candidate.is_complex)):
        error = math.sqrt(found.total / whole)
    if error is None:
        return alone
    of_rows = RowsScatter(judged, size, sum(candidate.counts), known=len(rows), new=reference.n_rows)
    interval = error_interval(error, found, rows=of_rows)
    variance = candidate.variance
    if alone.anchors is not None:  # between different rows, as that of all other candidates
        squares = PairSums.of(found.draws.squares, judged.weights)
        total = weights.total(found.draws.squares)
        variance = squares.others / (squares.rows * (squares.rows - 1)) * (found.total / total if total else 1.0)
    return replace(alone, candidate=replace(candidate, variance=variance, error=error, error_interval=interval))


def _most_anchors(strata: Sequence[Stratum], budget: int) -> int:
    """How many the budget reaches for, beside a sample of every term."""
    return budget - sum(entries(stratum, "paired") for stratum in strata)


def too_few_rows(n_rows: int) -> str:
    """Why so few rows have no anchors."""
    there = "there is one row" if n_rows == 1 else f"there are {n_rows} rows"
    return f"{there} of data, and at least {FEWEST_ROWS} are needed to choose and to judge"


def _refusal(alone: Proposal, method: Method, n_rows: int) -> str | None:
    """Why there are no anchors, in words; None if there may be."""
    if not alone.strata:
        return "the zero kernel has nothing to explain"
    if n_rows < FEWEST_ROWS:
        return too_few_rows(n_rows)
    if method == "nystrom":
        return None
    if any(stratum.law.has_key for stratum in alone.strata):
        return "anchors correct dense samples, and those of this kernel have keys; method='nystrom' takes none"
    if any(stratum.law.cuts for stratum in alone.strata):
        return "samples that leave degrees out (max_degree) have another mean than the kernel"
    return None
