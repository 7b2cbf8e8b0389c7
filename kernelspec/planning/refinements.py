"""Refine the best plan of independent samples with coupled samples and with landmarks."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial, reduce
from operator import add
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import PlanError
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.laws.rules import DRAWS
from kernelspec.loading import loaded
from kernelspec.planning.candidates import Costing, KnownRatios, Proposal, allocate, entries, most_landmarks
from kernelspec.planning.options import LANDMARK_METHODS, Method
from kernelspec.planning.plan import Candidate
from kernelspec.planning.reference import FEWEST_ROWS, Reference
from kernelspec.planning.strata import Stratum

if TYPE_CHECKING:
    from kernelspec.kernels.kernel import Kernel
    from kernelspec.laws.joint import JointLaw
    from kernelspec.planning.landmarks.search import LandmarkSearch, LandmarkSearches, Option

__all__ = ["nystrom", "ratio_of_laws", "too_few_rows", "with_joint_draws", "with_landmarks", "with_ratio_on"]

_FEWEST = 4
"""Strata with fewer samples gain nothing from coupling."""

_SIMILAR = 1.25
"""Numbers of samples this close to those of independent samples are kept, because the optimum is flat."""

Ratio: TypeAlias = Callable[[Stratum, int], float]
"""The variance of a stratum's coupled samples over that of the same number of independent ones."""

Cost: TypeAlias = Callable[[Sequence[Stratum], Sequence[int] | None], Proposal]
"""Strata, some with coupled samples, with these numbers of samples; None means the best use of the budget."""

Join: TypeAlias = Callable[[Stratum, str], "JointLaw | None"]
"""The law of a stratum with its samples coupled in this way; None if coupling has no effect."""


def drawn_together(
    alone: Proposal, kinds: Sequence[str], ratio: Ratio, cost: Cost, *, asked: bool, join: Join
) -> Proposal | None:
    """The proposal with the kind of draws that has the least variance in every stratum; None if none has less.

    A kind that is `asked` for is used wherever possible, even without less variance. The budget is then divided anew
    and ratios are measured again at the new numbers of samples; the better plan wins, each costed with ratios measured
    at its own size. Raises PlanError for requested draws that no stratum supports.
    """
    pairs = list(zip(alone.strata, alone.candidate.counts, strict=True))
    strata = [_best(stratum, n, kinds, ratio, join, asked=asked) for stratum, n in pairs]
    if not any(stratum.draws for stratum in strata):
        if asked:
            accepted = DRAWS[kinds[0]].accepts
            raise PlanError(
                f"draws={kinds[0]!r} changes nothing for this kernel" + f": it works for {accepted}" * bool(accepted)
            )
        return None
    before, after = alone.candidate.counts, cost(strata, None).candidate.counts
    measured = cost(strata, before)
    if all(max(n, m) <= _SIMILAR * min(n, m) for n, m in zip(after, before, strict=True)):
        return measured
    again = [
        stratum if n == n_before else _measured_again(stratum, n, ratio, asked=asked)
        for stratum, n, n_before in zip(strata, after, before, strict=True)
    ]
    return min(cost(again, after), measured, key=lambda proposal: proposal.error)


def _measured_again(stratum: Stratum, n: int, ratio: Ratio, *, asked: bool) -> Stratum:
    """The stratum with the ratio of n samples; independent if these vary less and no kind was requested."""
    if not stratum.draws or (n < _FEWEST and not asked):
        return stratum.independent
    again = _redrawn(stratum, ratio(stratum, n))
    return again if asked or again.ratio < 1 else stratum.independent


def _redrawn(stratum: Stratum, ratio: float) -> Stratum:
    """The stratum of coupled samples with another variance ratio."""
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
"""Ratios are measured for this many terms of a kind; all others use the mean."""

_SIZES = 4
"""Numbers of samples per power of two for which rough plans measure ratios."""

_BESIDE = "beside landmarks"
"""Ratios that, for rough plans, hardly depend on the number of samples."""

_LANDMARK_DRAWS = 8
"""Draws for comparing coupled with independent samples."""

_LISTED = 256
"""Landmarks alone that are listed, or those compared anyway; more are chosen only on request."""


def corrected_landmarks(
    alone: Proposal, search: LandmarkSearch, costing: Costing, kinds: Sequence[str], *, asked: bool
) -> Proposal | None:
    """The candidate of least error with landmarks, and samples of the strata of `alone` for the rest.

    Unbiased for any landmarks. The samples are coupled in one of these `kinds` if that reduces the variance, or if
    `asked` for. Few samples serve to compare numbers of landmarks; many draws then give the error of the best. None if
    the budget does not allow a landmark, or without rows to choose one from.
    """
    n_rows = costing.reference.n_rows
    options = search.options(most_landmarks(alone.strata, costing.budget))
    if not options:
        return None
    option, best = min(
        ((option, _divided(alone, alone.strata, option, search, costing)) for option in options),
        key=lambda one: one[1].error,
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
        if together is not None and (asked or together.error < best.error):
            best = together
    candidate = replace(best.candidate, landmarks=option.landmarks.n_columns)
    return replace(best, candidate=candidate, landmarks=option.landmarks)


def nystrom(alone: Proposal, search: LandmarkSearch, costing: Costing, *, asked: bool) -> Proposal | None:
    """Landmarks alone: biased, with the measured error.

    Pivots of a positive definite kernel. For another one they are random rows, with K(L, R) = U Σ V', left features
    k(x, R) V Σ^{−1/2} and right features k(L, y)' U Σ^{−1/2}. Unless `asked` for, they are only listed: not made, and
    at most as many as in other plans.
    """
    if not (search.ground.is_definite or asked):
        return None
    most = costing.budget if asked else min(costing.budget, max(_LISTED, search.most_compared))
    n_rows, none = costing.reference.n_rows, [0] * len(alone.strata)

    def error_of(left: NDArray[np.float64]) -> float | None:
        return search.relative(search.judged.of_pairs(n_rows).total(np.square(left)), n_rows)

    if search.ground.is_definite:
        option = search.pivoted(most)
        left = search.left_alone(option.size)
        error = error_of(left)
        bound = (
            f"error at most {max(0.0, float(np.diagonal(left).max())):.3g} between any two of {len(left)} rows of the "
            "data, √(r(x) r(y)); fmap.residual(X) gives r"
        )
    else:
        options = [(error_of(own.residual.whole(alone.strata)), own) for own in search.of_random_rows(most)]
        error, option = min(options, key=lambda pair: pair[0] or 0.0)
        bound = "no error bound, since the kernel is not positive definite"
    if not asked and not option.size:
        return None  # the kernel is zero on all rows
    candidate = _candidate(alone, alone.strata, option.landmarks.n_columns if asked else option.size, none, error)
    plain = replace(candidate, variance=0.0, is_sparse=False, is_complex=False, work=0.0)
    return Proposal(plain, alone.strata, option.landmarks if asked else None, f"{candidate.describe()}: {bound}")


def _divided(
    alone: Proposal,
    strata: Sequence[Stratum],
    option: Option,
    search: LandmarkSearch,
    costing: Costing,
    counts: Sequence[int] | None = None,
) -> Proposal:
    """The best use of what the landmarks leave of the budget, or these numbers of samples."""
    n_rows = costing.reference.n_rows
    sums = [option.variance(stratum).scaled(stratum.ratio) for stratum in strata]
    spreads = [
        abs(stratum.weight) * float(np.sqrt(one.over_rows(n_rows))) for stratum, one in zip(strata, sums, strict=True)
    ]
    costs = [entries(stratum, "paired") for stratum in strata]
    if counts is None:
        counts = allocate(costing.budget - option.size, costs, costing.spreads(strata, "paired", spreads))
    shares = zip(strata, counts, sums, strict=True)
    total = reduce(add, (one.scaled(stratum.weight**2 / n) for stratum, n, one in shares))
    error = search.relative(n_rows * total.over_rows(n_rows), n_rows)
    candidate = _candidate(alone, strata, option.size, counts, error)
    return Proposal(candidate, tuple(strata))


def _candidate(
    alone: Proposal, strata: Sequence[Stratum], landmarks: int, counts: Sequence[int], error: float | None
) -> Candidate:
    return replace(
        alone.candidate,
        form="paired",
        counts=tuple(counts),
        error=error,
        landmarks=landmarks,
        draws=tuple(stratum.draws for stratum in strata),
    )


def ratio_of_laws(alone: Proposal, ratio: Ratio, known: KnownRatios | None = None, name: str = "") -> Ratio:
    """The same ratio, measured for the terms of each kind with the most samples; the others use the mean.

    Laws of one class on equally many columns, with similar numbers of samples, are of one kind: a ratio measured for
    another number does not apply. Rough plans cache ratios in `known` under this name.
    """
    counts = dict(zip(map(_law, alone.strata), alone.candidate.counts, strict=True))
    kinds: dict[tuple[type, int], list[Stratum]] = {}
    for stratum in alone.strata:
        kinds.setdefault(_kind(stratum), []).append(stratum)
    chosen = {
        _law(stratum)
        for many in kinds.values()
        for stratum in sorted(many, key=lambda one: -counts[_law(one)])[:_MEASURED]
    }
    ratios: dict[tuple[str | None, tuple[type, int], int], list[float]] = {}

    def measured(stratum: Stratum, n: int) -> float:
        if known is None:
            return ratio(stratum, n)
        size = 0 if name == _BESIDE else round(_SIZES * math.log2(n))
        key = name, _law(stratum), stratum.draws, size
        if key not in known:
            known[key] = stratum, ratio(stratum, n)
        return known[key][1]

    def of(stratum: Stratum, n: int) -> float:
        key = stratum.draws, _kind(stratum), n.bit_length()
        if _law(stratum) in chosen or key not in ratios:
            ratios.setdefault(key, []).append(measured(stratum, n))
            return ratios[key][-1]
        return math.fsum(ratios[key]) / len(ratios[key])

    return of


def _law(stratum: Stratum) -> int:
    return id(stratum.independent.law)


def _kind(stratum: Stratum) -> tuple[type, int]:
    return type(stratum.independent.law), len(stratum.positions)


_PAIRS = 128
"""Pairs on which ratios of variances are measured to compare plans."""

_TRIED, _FAR = (8, 32), 8.0
"""Draws and pairs of a trial, and the factor by which its ratio must miss the target to skip the measurement."""


def with_joint_draws(
    alone: Proposal, costing: Costing, kinds: Sequence[str], *, asked: bool, least: float = math.inf
) -> Proposal | None:
    """The proposal with coupled samples, if they help; unless `asked`, trials far from `least` end early."""
    if not kinds:
        return None
    plain = alone.candidate
    needed = math.inf if asked or not alone.error else _FAR * (least / alone.error) ** 2
    ratio = partial(_ratio_of_draws, reference=costing.reference, needed=needed)

    def cost(strata: Sequence[Stratum], counts: Sequence[int] | None) -> Proposal:
        proposal = costing.proposal(strata, plain.schemes, plain.form, mixture=plain.mixture, counts=counts)
        assert proposal is not None  # the budget suffices for these strata, as it did without the draws
        return proposal

    measured = ratio_of_laws(alone, ratio, costing.known, "alone")
    return drawn_together(alone, kinds, measured, cost, asked=asked, join=costing.variances.joint)


def _ratio_of_draws(stratum: Stratum, n: int, reference: Reference, needed: float = math.inf) -> float:
    """The ratio of variances on pairs of the reference; 1 if a few trials show it to be far above what is needed."""
    from kernelspec.laws.joint import draws_for_ratio

    assert isinstance(stratum.law, loaded("kernelspec.laws.joint:JointLaw"))
    some = _of_equal_categories(stratum, reference) or reference.pairs.some(_PAIRS)
    pairs = some.select(stratum.positions)
    if needed < 1 and stratum.law.measured_ratio(pairs.some(_TRIED[1]), n, _TRIED[0]) > needed:
        return 1.0
    return float(stratum.law.measured_ratio(pairs, n, draws_for_ratio(n)))


def with_ratio_on(stratum: Stratum, n: int, reference: Reference) -> Stratum:
    """The stratum with the variance ratio of its n samples on these rows, if they are coupled."""
    return _redrawn(stratum, _ratio_of_draws(stratum, n, reference)) if stratum.draws else stratum


def _of_equal_categories(stratum: Stratum, reference: Reference) -> NumericPairs | None:
    """Pairs of data rows whose keys agree; None if there are few, or if samples vary between all rows."""
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


_TOO_LARGE = "numbers of the data are so large that k(x, x) is not finite: center or scale the columns"


def with_landmarks(
    alone: Proposal,
    costing: Costing,
    searches: LandmarkSearches,
    kinds: Sequence[str],
    *,
    kernel: Kernel,
    method: Method,
    asked_draws: bool,
) -> list[Proposal]:
    """Proposals with landmarks, the unbiased one first, without it for samples with keys or cut degrees.

    Raises PlanError if `method` asks for what does not exist.
    """
    reference, budget = costing.reference, costing.budget
    refusals = {way: _refusal(alone, way, reference.n_rows) for way in LANDMARK_METHODS if method in ("auto", way)}
    proposals = []
    beside_samples = most_landmarks(alone.strata, budget)
    if refusals.get("landmarks", "") is None:
        search = searches.of(alone.strata, beside_samples, rough=costing.is_rough)
        if search.ground.is_finite:
            proposals.append(corrected_landmarks(alone, search, costing, kinds, asked=asked_draws))
        else:
            refusals["landmarks"] = _TOO_LARGE
    # for many terms, the search for the full budget takes much longer
    with_others = method == "nystrom" or not (costing.is_rough or reference.n_rows < FEWEST_ROWS)
    if refusals.get("nystrom", "") is None and with_others:
        if method == "nystrom":
            search = searches.of_all(alone.strata, budget, kernel)
        else:
            search = searches.of(alone.strata, beside_samples)
        if search.ground.is_finite:
            proposals.append(nystrom(alone, search, costing, asked=method == "nystrom"))
        else:
            refusals["nystrom"] = _TOO_LARGE
    if any(proposals) or method not in LANDMARK_METHODS:
        return [proposal for proposal in proposals if proposal is not None]
    nothing = f"n_features={budget} is too small for a landmark and a sample of every term"
    raise PlanError(f"method={method!r}: {refusals[method] or nothing}")


def too_few_rows(n_rows: int, method: Method) -> str:
    """The message for too few rows to choose landmarks."""
    there = "there is one row" if n_rows == 1 else f"there are {n_rows} rows"
    return f"{there} of data, but at least {2 if method == 'nystrom' else FEWEST_ROWS} are needed"


def _refusal(alone: Proposal, method: Method, n_rows: int) -> str | None:
    """The reason why landmarks are impossible, or None."""
    if not alone.strata:
        return "the zero kernel needs no landmarks"
    if method == "nystrom":
        return None
    if n_rows < FEWEST_ROWS:
        return too_few_rows(n_rows, method)
    if any(stratum.law.has_key for stratum in alone.strata):
        return "landmarks correct dense samples, but those of this kernel have keys; method='nystrom' needs no samples"
    if any(stratum.law.cuts for stratum in alone.strata):
        return "samples with cut degrees (max_degree) are biased"
    return None
