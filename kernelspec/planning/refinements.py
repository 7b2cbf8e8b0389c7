"""What the best plan of independent samples becomes with coupled samples and with landmarks."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from kernelspec.errors import PlanError
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.laws.rules import DRAWS
from kernelspec.loading import loaded
from kernelspec.planning.candidates import Proposal, allocate, entries
from kernelspec.planning.options import ANCHORED, Draws, MapOptions, Method, are_biased
from kernelspec.planning.reference import FEWEST_ROWS, Reference
from kernelspec.planning.strata import Stratum, estimate_variance, kernel_value

if TYPE_CHECKING:
    from kernelspec.laws.joint import JointLaw
    from kernelspec.planning.candidates import Costing, KnownRatios
    from kernelspec.planning.landmarks.search import AnchorSearch, AnchorSearches, Option
    from kernelspec.planning.plan import Candidate

__all__ = [
    "Ratio",
    "anchored",
    "check_refinements",
    "drawn_together",
    "kinds_of_draws",
    "measured",
    "nystrom",
    "ratio_of_laws",
    "too_few_rows",
    "with_anchors",
    "with_joint_draws",
]

_FEWEST = 4
"""Samples of a stratum: fewer have nothing to gain from each other."""

_SIMILAR = 1.25
"""Numbers of samples so close to those of independent samples that these are kept: the optimum is flat."""

Ratio: TypeAlias = Callable[[Stratum, int], float]
"""The variance of a stratum's joint samples over that of as many independent ones."""

Cost: TypeAlias = Callable[[Sequence[Stratum], Sequence[int] | None], Proposal]
"""Strata, some of which are drawn together, with these numbers of samples; with None, the best use of the budget."""


Join: TypeAlias = Callable[[Stratum, str], "JointLaw | None"]
"""The law of a stratum with its samples drawn together in this way; None if that changes nothing."""


def _joined(stratum: Stratum, draws: str) -> JointLaw | None:
    from kernelspec.laws.joint import joint

    return joint(stratum.law, draws, stratum.positions)


def drawn_together(
    alone: Proposal, kinds: Sequence[str], ratio: Ratio, cost: Cost, *, asked: bool, join: Join = _joined
) -> Proposal | None:
    """The proposal with the draws, of these kinds, that vary least in every stratum; None where none varies less.

    A kind that is `asked` for is taken wherever it can be, whether or not it varies less. The budget is divided anew,
    and the ratios are measured again at the new numbers of samples: the better of both plans is taken, each costed with
    the ratios that it has at its own size. No ratio is carried over to another number of samples.
    Raises PlanError where draws are asked for that no stratum has.
    """
    pairs = list(zip(alone.strata, alone.candidate.counts, strict=True))
    found = [_best(stratum, n, kinds, ratio, join, asked=asked) for stratum, n in pairs]
    if not any(stratum.draws for stratum in found):
        if asked:
            accepted = DRAWS[kinds[0]].accepts
            raise PlanError(
                f"draws={kinds[0]!r} changes nothing for this kernel" + f": it is for {accepted}" * bool(accepted)
            )
        return None
    before, after = alone.candidate.counts, cost(found, None).candidate.counts
    measured = cost(found, before)
    if all(map(_is_about, after, before)):
        return measured
    again = [
        stratum if n == own else _measured_again(stratum, n, ratio, asked=asked)
        for stratum, n, own in zip(found, after, before, strict=True)
    ]
    return min(cost(again, after), measured, key=lambda proposal: proposal.merit)


def _is_about(n: int, before: int) -> bool:
    return max(n, before) <= _SIMILAR * min(n, before)


def _measured_again(stratum: Stratum, n: int, ratio: Ratio, *, asked: bool) -> Stratum:
    """The stratum with the ratio of n samples; with independent ones, if these vary less and nothing else was asked."""
    if not stratum.draws or (n < _FEWEST and not asked):
        return stratum.independent
    found = _redrawn(stratum, ratio(stratum, n))
    return found if asked or found.ratio < 1 else stratum.independent


def _redrawn(stratum: Stratum, ratio: float) -> Stratum:
    """The stratum of joint samples with another ratio of their variance to that of independent ones."""
    assert isinstance(stratum.law, loaded("kernelspec.laws.joint:JointLaw"))
    return replace(stratum, law=replace(stratum.law, ratio=ratio))


def _best(stratum: Stratum, n: int, kinds: Sequence[str], ratio: Ratio, join: Join, *, asked: bool) -> Stratum:
    best, least = stratum, float("inf") if asked else 1.0
    for kind in kinds if asked or n >= _FEWEST else ():
        law = join(stratum, kind)
        if law is None:
            continue
        measured = 1.0 if law.is_hopeless(n, stratum.positions) else ratio(replace(stratum, law=law), n)
        if measured < least:
            best, least = _redrawn(replace(stratum, law=law), measured), measured
    return best


_MEASURED = 4
"""Terms with laws of one kind whose ratios are measured; all others take the mean."""

_BESIDE = "beside landmarks"
"""Ratios that hardly depend on the number of samples, as far as rough plans are concerned."""

_LANDMARK_DRAWS = 8
"""Draws on which coupled samples are compared with independent ones."""

_LISTED = 256
"""Landmarks alone that are listed, or as many as are compared anyway: more are chosen only where they are asked for."""


def anchored(
    alone: Proposal, search: AnchorSearch, costing: Costing, kinds: Sequence[str], *, asked: bool
) -> Proposal | None:
    """The candidate of least error with landmarks, and samples of the strata of `alone` for what these leave.

    Unbiased, whatever the landmarks are. The samples are drawn in one of these `kinds` where they then vary less, or
    where that is `asked` for. Numbers of landmarks are compared by few samples; the error is that of many draws of the
    one that is best. None where the budget reaches for no landmark, or there are no rows to choose one from.
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
            from kernelspec.planning.landmarks.simulated import simulated_ratio

            return simulated_ratio(stratum, n, option.residual, of_pairs, _LANDMARK_DRAWS)

        def divided(strata: Sequence[Stratum], counts: Sequence[int] | None = None) -> Proposal:
            return _divided(alone, strata, option, search, costing, counts)

        measured = ratio_of_laws(best, ratio, costing.known, _BESIDE)
        together = drawn_together(best, kinds, measured, divided, asked=asked, join=costing.variances.joint)
        if together is not None and (asked or together.merit < best.merit):
            best = together
    candidate = replace(best.candidate, anchors=option.anchors.n_columns)
    return replace(best, candidate=candidate, anchors=option.anchors)


def nystrom(alone: Proposal, search: AnchorSearch, costing: Costing, *, asked: bool) -> Proposal | None:
    """Landmarks alone: biased, with the error that was measured. None if the kernel is not positive definite.

    Only listed unless they are `asked` for: then they are not made, and of many only as many as other plans compare.
    """
    if not search.is_definite:
        return None
    most = costing.budget if asked else min(costing.budget, max(_LISTED, search.most_compared))
    option, none = search.pivoted(most), [0] * len(alone.strata)
    left = search.left_alone(option.size)
    n_rows = costing.reference.n_rows
    error = search.relative(search.judged.of_pairs(n_rows).total(np.square(left)), n_rows)
    candidate = _candidate(alone, alone.strata, option.anchors.n_columns if asked else option.size, none, error)
    plain = replace(candidate, variance=0.0, is_sparse=False, is_complex=False, work=0.0)
    certificate = (
        f"{candidate.describe()}: off by at most {max(0.0, float(np.diagonal(left).max())):.3g} between any two of "
        f"{len(left)} rows of the data, √(r(x) r(y)); fmap.residual(X) gives r"
    )
    return Proposal(plain, alone.strata, option.anchors if asked else None, certificate)


def _divided(
    alone: Proposal,
    strata: Sequence[Stratum],
    option: Option,
    search: AnchorSearch,
    costing: Costing,
    counts: Sequence[int] | None = None,
) -> Proposal:
    """The best use of what the landmarks leave of the budget, or these numbers of samples."""
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


def ratio_of_laws(alone: Proposal, ratio: Ratio, known: KnownRatios | None = None, name: str = "") -> Ratio:
    """The same ratio, measured for the terms of each kind that have the most samples; the others take the mean.

    Laws of one class on equally many columns are of one kind, if their numbers of samples are alike: a ratio that was
    measured at another number of samples does not hold. Rough plans keep ratios under this name as `known`.
    """
    counts = dict(zip(map(_law, alone.strata), alone.candidate.counts, strict=True))
    kinds: dict[tuple[type, int], list[Stratum]] = {}
    for stratum in alone.strata:
        kinds.setdefault(_kind(stratum), []).append(stratum)
    chosen = {
        _law(own) for many in kinds.values() for own in sorted(many, key=lambda one: -counts[_law(one)])[:_MEASURED]
    }
    found: dict[tuple[str | None, tuple[type, int], int], list[float]] = {}

    def measured(stratum: Stratum, n: int) -> float:
        if known is None:
            return ratio(stratum, n)
        key = name, _law(stratum), stratum.draws, 0 if name == _BESIDE else n.bit_length()
        if key not in known:
            known[key] = stratum, ratio(stratum, n)
        return known[key][1]

    def of(stratum: Stratum, n: int) -> float:
        key = stratum.draws, _kind(stratum), n.bit_length()
        if _law(stratum) in chosen or key not in found:
            found.setdefault(key, []).append(measured(stratum, n))
            return found[key][-1]
        return math.fsum(found[key]) / len(found[key])

    return of


def _law(stratum: Stratum) -> int:
    return id(stratum.independent.law)


def _kind(stratum: Stratum) -> tuple[type, int]:
    return type(stratum.independent.law), len(stratum.positions)


_JUDGED = 256
"""Rows on which the error of a plan is measured."""

_LOOKED_AT = 4096
"""Samples of all strata together that are looked at, for those that say most."""

_PAIRS, _DRAWS, _SAMPLES_DRAWN = 128, 16, 2048
"""Ratios of variances are measured on these pairs, to compare plans, and at least these draws and samples."""

_TRIED, _FAR = (8, 32), 8.0
"""Draws and pairs of a trial, and how far from what is needed the ratio must be there, for it not to be measured."""


def check_refinements(options: MapOptions, *, has_data: bool) -> None:
    """Raise PlanError if method, draws and landmarks contradict each other, or if there are no rows to choose from."""
    method, draws = options.method, options.draws
    if method in ANCHORED and options.landmarks == "never":
        raise PlanError(f"method={method!r} keeps rows of the data, which landmarks='never' forbids")
    if method in ANCHORED and not has_data:
        raise PlanError(f"method={method!r} chooses rows of the data: give data= (or fit, or --plan-on FILE)")
    if method == "landmarks" and are_biased(draws):
        raise PlanError(f"method='landmarks' corrects unbiased samples, and those of draws={draws!r} are biased")
    if method == "nystrom" and draws not in ("auto", "independent"):
        raise PlanError(f"method='nystrom' draws no samples, so draws={draws!r} has no effect")


def kinds_of_draws(draws: Draws, *, has_data: bool) -> tuple[str, ...]:
    """The draws to compare with independent ones; of "auto" none without data, on which alone it pays to measure.

    Biased ones are taken only if they are named.
    """
    if draws == "auto":
        return tuple(name for name in DRAWS if not are_biased(name)) if has_data else ()
    return () if draws == "independent" else (draws,)


def with_joint_draws(
    alone: Proposal, costing: Costing, kinds: Sequence[str], *, asked: bool, least: float = math.inf
) -> Proposal | None:
    """The proposal with samples drawn together, measured on pairs of rows; None where that gains nothing.

    Unless it is `asked` for, draws that a few trials show to be far from an error of `least` are not measured.
    """
    if not kinds:
        return None
    some = costing.reference.pairs.some(_PAIRS)
    own = alone.candidate
    needed = math.inf if asked or not alone.error else _FAR * (least / alone.error) ** 2

    def ratio(stratum: Stratum, n: int) -> float:
        assert isinstance(stratum.law, loaded("kernelspec.laws.joint:JointLaw"))
        pairs = (_of_equal_categories(stratum, costing.reference) or some).select(stratum.positions)
        if needed < 1 and stratum.law.measured_ratio(pairs.some(_TRIED[1]), n, _TRIED[0]) > needed:
            return 1.0
        return float(stratum.law.measured_ratio(pairs, n, max(_DRAWS, _SAMPLES_DRAWN // n)))

    def cost(strata: Sequence[Stratum], counts: Sequence[int] | None) -> Proposal:
        found = costing.proposal(strata, own.schemes, own.form, mixture=own.mixture, counts=counts)
        assert found is not None  # the budget is enough for these strata: it was without the draws
        return found

    measured = ratio_of_laws(alone, ratio, costing.known, "alone")
    return drawn_together(alone, kinds, measured, cost, asked=asked, join=costing.variances.joint)


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
    """Proposals with landmarks, the unbiased one first; not that for samples with keys, or that leave something out.

    Raises PlanError where `method` asks for what there is not.
    """
    reference, budget = costing.reference, costing.budget
    refusals = {way: _refusal(alone, way, reference.n_rows) for way in ANCHORED if method in ("auto", way)}
    found = []
    beside_samples = _most_anchors(alone.strata, budget)
    if refusals.get("landmarks", "") is None:
        search = searches.of(alone.strata, beside_samples, rough=costing.is_rough)
        found.append(anchored(alone, search, costing, kinds, asked=asked_draws))
    # of many terms the search for all of the budget takes much longer
    with_others = method == "nystrom" or not (costing.is_rough or reference.n_rows < FEWEST_ROWS)
    if refusals.get("nystrom", "") is None and with_others:
        search = (
            searches.of_all(alone.strata, budget) if method == "nystrom" else searches.of(alone.strata, beside_samples)
        )
        found.append(nystrom(alone, search, costing, asked=method == "nystrom"))
    if any(found) or method not in ANCHORED:
        return [proposal for proposal in found if proposal is not None]
    nothing = (
        "landmarks alone are for positive definite kernels"
        if method == "nystrom"
        else f"n_features={budget} does not reach for a landmark and a sample of every term"
    )
    raise PlanError(f"method={method!r}: {refusals[method] or nothing}")


@np.errstate(over="ignore", invalid="ignore")  # what is not finite has no measured error
def measured(alone: Proposal, costing: Costing, searches: AnchorSearches | None) -> Proposal:
    """The proposal with its error as many samples and draws show it, and the interval that it has on new rows.

    Of maps with keys the error is known by formula. As it is without data, and for biased landmarks.
    """
    reference, candidate = costing.reference, alone.candidate
    if reference.sample is None or candidate.is_biased or not alone.strata:
        return alone
    from kernelspec.planning.landmarks.landmarks import CompiledPairs, Residual
    from kernelspec.planning.landmarks.simulated import (
        JudgedRows,
        MeasuredError,
        RowsScatter,
        can_simulate,
        error_interval,
    )
    from kernelspec.planning.reference import PairSums

    parts = list(zip(alone.strata, candidate.counts, strict=True))
    if not can_simulate(alone.strata):
        return _with_interval_by_formula(alone, costing)
    rows, search = reference.sample, None
    judged: JudgedRows | None = None
    if alone.anchors is not None:
        assert searches is not None
        strata = tuple(stratum.independent for stratum in alone.strata)
        search = searches.of(strata, _most_anchors(strata, costing.budget))
        rows, judged = search.ground.sample, search.judged
    judged = JudgedRows.among(rows, _JUDGED) if judged is None else judged
    pairs = CompiledPairs(judged.rows, judged.rows)
    if alone.anchors is None:
        residual = Residual.without_landmarks(pairs)
    else:
        assert search is not None
        among = search.among(len(alone.anchors.left))
        residual = Residual.on(pairs, alone.anchors, alone.strata, among)
    weights, size = judged.of_pairs(reference.n_rows), np.square(kernel_value(alone.strata, pairs))
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


def _with_interval_by_formula(alone: Proposal, costing: Costing) -> Proposal:
    """The proposal with the interval of its predicted error, where samples cannot be simulated but have a formula."""
    from kernelspec.planning.landmarks.simulated import JudgedRows, RowsScatter, interval_by_formula

    reference, candidate = costing.reference, alone.candidate
    if candidate.error is None or reference.sample is None:
        return alone
    judged = JudgedRows.among(reference.sample, _PAIRS)
    grid = NumericPairs(judged.rows, judged.rows)
    size, n_rows = np.square(kernel_value(alone.strata, grid)), reference.n_rows
    of_rows = RowsScatter(judged, size, sum(candidate.counts), known=len(reference.sample), new=n_rows)
    parts = list(zip(alone.strata, candidate.counts, strict=True))
    squares = estimate_variance(parts, grid, candidate.form, costing.variances.collisions)
    interval = interval_by_formula(candidate.error, parts, squares, of_rows)
    return replace(alone, candidate=replace(candidate, error_interval=interval))


def _most_anchors(strata: Sequence[Stratum], budget: int) -> int:
    """How many the budget reaches for, beside a sample of every term."""
    return budget - sum(entries(stratum, "paired") for stratum in strata)


def too_few_rows(n_rows: int) -> str:
    """Why so few rows have no landmarks."""
    there = "there is one row" if n_rows == 1 else f"there are {n_rows} rows"
    return f"{there} of data, and at least {FEWEST_ROWS} are needed to choose and to judge"


def _refusal(alone: Proposal, method: Method, n_rows: int) -> str | None:
    """Why there are no landmarks, in words; None if there may be."""
    if not alone.strata:
        return "the zero kernel has nothing to explain"
    if method == "nystrom":
        return None
    if n_rows < FEWEST_ROWS:
        return too_few_rows(n_rows)
    if any(stratum.law.has_key for stratum in alone.strata):
        return "landmarks correct dense samples, and those of this kernel have keys; method='nystrom' takes none"
    if any(stratum.law.cuts for stratum in alone.strata):
        return "samples that leave degrees out (max_degree) have another mean than the kernel"
    return None
