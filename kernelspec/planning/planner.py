"""Choose a plan: cost every candidate, predict its variance, and take the least."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from kernelspec.catalogue import SAMPLERS
from kernelspec.errors import PlanError
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.laws.fourier import FourierLaw
from kernelspec.laws.law import Collisions
from kernelspec.laws.rules import EXACT_IN_PART, OF_SHARES, SCHEMES, WITHOUT_OFFSETS, words_of
from kernelspec.limits import MAX_SIZE
from kernelspec.loading import loaded
from kernelspec.numerics.phasor import Form
from kernelspec.numerics.threads import single_threaded
from kernelspec.planning.candidates import (
    Assignment,
    Costing,
    KnownRatios,
    Proposal,
    assignments,
    counts_of_atoms,
    expanded,
    least_cost,
    most_columns,
    stored_entries,
    with_atoms,
    with_best_atoms,
)
from kernelspec.planning.explain import bias_of_draws, cosine_notes, reason_of
from kernelspec.planning.options import FORMS, LANDMARK_METHODS, ROUNDING, Draws, Method, are_biased, kinds_of_draws
from kernelspec.planning.plan import Candidate, Plan
from kernelspec.planning.reference import Reference, SampleVariances
from kernelspec.planning.refinements import too_few_rows, with_joint_draws, with_landmarks, with_ratio_on
from kernelspec.planning.request import PlanRequest
from kernelspec.planning.strata import Stratum, Term, exactness_of, kernel_value, terms_of
from kernelspec.tables.layout import Layout, MappedLayout

if TYPE_CHECKING:
    from kernelspec.planning.landmarks.landmarks import ChosenLandmarks
    from kernelspec.planning.landmarks.search import LandmarkSearches
    from kernelspec.tables.cells import ColumnFunction

__all__ = ["Planner"]

_FEW_TERMS = 8
"""Most terms of a sample that may correct landmarks."""


@dataclass(frozen=True, eq=False)
class Planner:
    """The plans of least predicted variance for one request, at any budget of nonzeros per row.

    Candidates: cosine–sine pairs or random offsets (unless `method` names a form), a share of the budget for every term
    of a sum or terms drawn at random, and the schemes that some nodes have, such as binning (all of them, or the one
    that `method` names). `method="auto"` never makes features sparse that could be dense, or dense that could be
    sparse, unless `storage` says how to store them: such candidates are listed, and used if named. Candidates are
    compared on rows of `data`, or on standard normal rows; ties in variance go to less work. With data, the best of
    these is then compared, by the expected error of the kernel matrix, with the same samples coupled (`draws`) and with
    landmarks (unless `landmarks` forbids keeping rows of the data). A biased plan is used only if `method` or `draws`
    names it.
    """

    request: PlanRequest
    _rough_ratios: KnownRatios = field(default_factory=dict)

    @classmethod
    def of(cls, request: PlanRequest) -> Planner:
        """The planner for a request.

        Raises PlanError for an unknown method, one that the kernel does not have, fewer than two buckets, or a weight
        whose square is not a float.
        """
        request.check()
        planner = cls(request)
        method, normalized = request.options.method, request.normalized
        if method in (*SCHEMES, *SAMPLERS) and not any(method in term.schemes for term in planner._spine):
            raise PlanError(f"no part of this kernel supports method={method!r}: {words_of(method)}")
        plain = planner._plain
        largest = max((abs(stratum.weight) for stratum in plain), default=0.0)
        if largest > MAX_SIZE:
            raise PlanError(f"a term of this kernel has weight {largest:.3g}, but at most {MAX_SIZE:g} can be sampled")
        # every sample is a frequency of modulus k(0), the same on both sides
        frequencies = (FourierLaw, *loaded("kernelspec.laws.coordinate:UnitRowsLaw"))
        if normalized and not (len(plain) == 1 and plain[0].weight > 0 and isinstance(plain[0].law, frequencies)):
            raise PlanError("normalized=True requires one kernel with frequencies, not sums, keys or differences")
        return planner

    def plan(self, n_features: int, *, rough: bool = False) -> Plan:
        """The plan with at most `n_features` nonzeros per row.

        Candidates are compared by rough estimates; the seemingly best one is measured, until a measured one is best. A
        `rough` plan skips the measurements. Raises PlanError for a budget below one sample, bits for samples with
        frequencies, and requested landmarks or draws that do not exist.
        """
        with single_threaded():  # the matrices are small, so threads would wait for each other
            return self._plan(n_features, rough=rough)

    def _plan(self, n_features: int, *, rough: bool) -> Plan:
        request, options = self.request, self.request.options
        costing = Costing(n_features, self._variances, self._rough_ratios if rough else None)
        proposals = self._proposals(costing)
        # ties go to the earlier: pairs have no variance at x = y, strata none from the choice of a term
        allowed = self._allowed(proposals)
        alone = min(allowed, key=lambda proposal: proposal.rank)
        refined = [] if request.normalized or options.storage == "sparse" else self._refined(alone, allowed, costing)
        chosen, settled = _taken(alone, refined, options.method, options.draws), set[int]()
        while not rough and not request.normalized and id(chosen) not in settled:
            taken = self._measured(chosen, costing)
            if chosen is alone:
                alone = taken
            proposals = [taken if one is chosen else one for one in proposals]
            refined = [taken if one is chosen else one for one in refined]
            settled.add(id(taken))
            chosen = _taken(alone, refined, options.method, options.draws)
        best, reference = self._sized(chosen), self.reference
        if not rough and self._has_no_variance(chosen):
            best = replace(best, variance=math.inf, error=math.inf, error_interval=None)
        others = () if rough else tuple(self._sized(one) for one in (*proposals, *refined) if one is not chosen)
        plan = Plan(
            request.text,
            request.values,
            request.layout,
            n_features,
            request.seed,
            options.hashed_into,
            options.lowest_bits,
            chosen.strata,
            best,
            others,
            reference.words,
            reason_of(best, others, options.method, reference.words),
            normalized=request.normalized,
            notes=(
                *cosine_notes(self._plain, n_features, reference.pairs),
                *(proposal.note for proposal in refined if proposal.note),
            ),
            storage=options.storage,
            landmarks=chosen.landmarks,
            planned_rows=0 if request.data is None else len(request.data),
            noise=request.noise,
            bias=bias_of_draws(chosen.strata, reference) if any(map(are_biased, best.draws)) else "",
        )
        if not request.normalized:
            return plan
        variance = float(plan.variance(reference.pairs).mean())
        again = self._above_rounding(replace(best, variance=variance), plan.exactness)
        return replace(plan, chosen=replace(again, error=None))

    def reusing(self, plan: Plan) -> Plan:
        """The plan of a kernel with the same terms, for this one: the same samples of each, landmarks and seed.

        Nothing is compared, and only the variance is predicted. Raises PlanError for other terms, and for estimators
        from papers.
        """
        request, chosen = self.request, plan.chosen
        if plan.normalized or plan.zero_bit or plan.estimated is not None:
            raise PlanError("a plan of published estimators cannot be reused: compile without plan=")
        parts = self._whole if chosen.mixture else self._spine
        found = expanded(parts, chosen.schemes, mixture=chosen.mixture) if len(parts) == len(chosen.schemes) else []
        atoms = counts_of_atoms(plan.strata)
        found = with_atoms(found, atoms) if len(counts_of_atoms(found)) == len(atoms) else found
        is_alike = [own.structure for own in found] == [own.structure for own in plan.strata]
        if not is_alike or request.layout.mapped.dim != plan.layout.mapped.dim:
            raise PlanError(
                "plan= needs a spec that differs from the plan's in numbers alone, on the same columns. A number such "
                "as 0 can also remove a term or a shift: compile without plan="
            )
        strata = tuple(own.coupled(other.draws) for own, other in zip(found, plan.strata, strict=True))
        landmarks = self._landmarks_as_in(plan, strata)
        if landmarks is None:
            pairs = zip(strata, chosen.counts, strict=True)
            strata = tuple(with_ratio_on(own, n, self.reference) for own, n in pairs)
        candidate = replace(
            chosen, landmarks=0 if landmarks is None else landmarks.n_columns, error=None, error_interval=None
        )
        reused = replace(
            plan,
            text=request.text,
            values=request.values,
            layout=request.layout,
            strata=strata,
            chosen=candidate,
            alternatives=(),
            reference=self.reference.words,
            reason="the plan of another spec, with its samples, landmarks and seed",
            notes=(),
            landmarks=landmarks,
            noise=request.noise,
            bias=bias_of_draws(strata, self.reference) if plan.bias else "",
        )
        variance = 0.0 if chosen.is_biased else float(np.mean(reused.variance(self.reference.pairs)))
        return replace(reused, chosen=self._sized(Proposal(replace(candidate, variance=variance), strata, landmarks)))

    def _landmarks_as_in(self, plan: Plan, strata: Sequence[Stratum]) -> ChosenLandmarks | None:
        """The landmarks of a plan, if it has any, for the kernel of these strata. Raises PlanError."""
        if plan.landmarks is None:
            return None
        from kernelspec.planning.landmarks.landmarks import have_sides

        if _functions_of(self.request.layout) != _functions_of(plan.layout):
            raise PlanError("plan= keeps landmarks, and this spec has other functions of columns: compile without it")
        if have_sides(strata, plan.seed) != (plan.landmarks.right is not None):
            raise PlanError("plan= keeps landmarks, but only one of the two kernels is symmetric: compile without it")
        return plan.landmarks.for_kernel(strata)

    @cached_property
    def least(self) -> int:
        """The smallest budget, with one sample of every term."""
        return least_cost(self._whole[0].under(self._sampling, whole=len(self._spine) > 1), self._forms)

    @property
    def n_terms(self) -> int:
        """Terms of the kernel."""
        return len(self._spine)

    @cached_property
    def reference(self) -> Reference:
        """The rows on which candidates are compared."""
        return Reference.of(self.request.layout, self.request.data)

    @cached_property
    def _variances(self) -> SampleVariances:
        collisions = Collisions.of(self.request.options.hashed_into, self.request.options.lowest_bits)
        return SampleVariances(self.reference, collisions, tuple(self._plain))

    @cached_property
    def _whole(self) -> list[Term]:
        request = self.request
        return [Term(1.0, request.kernel, tuple(range(request.layout.mapped.dim)), request.categories)]

    @cached_property
    def _spine(self) -> list[Term]:
        return terms_of(self.request.kernel, self.request.categories)

    @cached_property
    def _plain(self) -> list[Stratum]:
        return [stratum for term in self._spine for stratum in term.under(None)]

    @property
    def _sampling(self) -> Method:
        return "auto" if self.request.options.method in LANDMARK_METHODS else self.request.options.method

    @property
    def _forms(self) -> tuple[Form, ...]:
        method = self.request.options.method
        asked = "paired" if method in (*LANDMARK_METHODS, *WITHOUT_OFFSETS) else method
        if self.request.normalized:
            asked = "phase"
        return tuple(form for form in FORMS if form == asked) or ("paired", "phase")

    def _sized(self, proposal: Proposal) -> Candidate:
        """The candidate with its nonzeros per row and columns."""
        candidate, request = proposal.candidate, self.request
        hashed = self._variances.collisions is not None
        exact = "" if candidate.is_biased else exactness_of(proposal.strata, candidate.form, hashed=hashed)
        parts = list(zip(proposal.strata, candidate.counts, strict=True))
        buckets = request.options.hashed_into
        return replace(
            self._above_rounding(candidate, exact),
            entries=stored_entries(parts, candidate.form, candidate.landmarks),
            columns=most_columns(parts, candidate.form, buckets, request.options.lowest_bits, candidate.landmarks),
        )

    def _above_rounding(self, candidate: Candidate, exactness: str) -> Candidate:
        """The candidate; a predicted variance and error below rounding become 0 only if a rule says so."""
        if exactness:
            return candidate
        error = None if candidate.error is None else max(candidate.error, ROUNDING)
        low, high = candidate.error_interval or (ROUNDING, ROUNDING)
        interval = None if candidate.error_interval is None else (max(low, ROUNDING), max(high, ROUNDING))
        least = 0.0 if candidate.is_biased else ROUNDING**2 * self._mean_square
        return replace(candidate, variance=max(candidate.variance, least), error=error, error_interval=interval)

    @cached_property
    def _mean_square(self) -> float:
        """The mean of k(x, x)² on the rows on which candidates are compared."""
        rows = self.reference.pairs.x
        with np.errstate(over="ignore"):  # infinite if that is beyond floats
            return float(np.mean(np.square(kernel_value(self._plain, NumericPairs(rows, rows, grid=False)))))

    def _proposals(self, costing: Costing) -> list[Proposal]:
        """Every distinct candidate of independent samples."""
        spine, whole = self._spine, self._whole
        proposals = [
            proposal
            for form in self._forms
            for parts in ([spine] if len(spine) < 2 else [spine, whole])
            for proposal in _costed(parts, form, self._sampling, costing, parts is whole)
        ]
        if not proposals:
            needed = f"one sample of this kernel needs {self.least}"
            raise PlanError(f"n_features={costing.budget} is too small: {needed}")
        proposals = _distinct(proposals)
        if self.request.options.lowest_bits is None:
            return proposals
        unmixed = [
            proposal
            for proposal in proposals
            if not any(stratum.law.has_key and stratum.law.has_amplitude for stratum in proposal.strata)
        ]
        has_keys = any(stratum.law.has_key for stratum in self._plain)
        ignored = has_keys and self._sampling == "auto" and not any(one.candidate.is_sparse for one in unmixed)
        if not unmixed or ignored:
            without_keys = ", or method='category_phases', which has no keys" if unmixed else ""
            raise PlanError(
                "keys='bits' needs samples that are keys only, but this kernel has frequencies too: "
                f"use keys='hashed'{without_keys}"
            )
        return unmixed

    def _allowed(self, proposals: list[Proposal]) -> list[Proposal]:
        """The allowed candidates: features as dense or sparse as the kernel's own, or for landmarks."""
        if self.request.options.method in LANDMARK_METHODS:
            proposals = [one for one in proposals if _has_short_samples(one)] or proposals
        options = self.request.options
        counts_columns = options.storage != "auto" and options.keys != "exact"  # those are learned later
        if self._sampling != "auto" or counts_columns:
            return proposals
        sparse = any(stratum.law.has_key for stratum in self._plain)
        return [proposal for proposal in proposals if proposal.candidate.is_sparse == sparse] or proposals

    def _has_no_variance(self, proposal: Proposal) -> bool:
        """Whether the error measured by samples is that of the most frequent maps, and its mean square infinite."""
        sample, error = self.reference.sample, proposal.candidate.error
        if sample is None or proposal.candidate.is_biased or not ROUNDING < (error or 0.0) < math.inf:
            return False
        from kernelspec.planning.landmarks.simulated import can_simulate, has_no_variance

        return can_simulate(proposal.strata) and has_no_variance(proposal.strata, sample)

    def _measured(self, proposal: Proposal, costing: Costing) -> Proposal:
        """The proposal with its measured error, if there are rows to measure it on."""
        if self.reference.sample is None:
            return proposal
        from kernelspec.planning.measured import measured

        return measured(proposal, costing, self._searches)

    def _refined(self, alone: Proposal, allowed: Sequence[Proposal], costing: Costing) -> list[Proposal]:
        """All refinements of the best candidate of independent samples; nothing if it is exact.

        If it is partly exact, the best one that is not is refined too: beside landmarks, exactness may not be worth its
        cost.
        """
        hashed, request = self._variances.collisions is not None, self.request
        free = request.options.draws in ("auto", "independent") and request.options.method not in LANDMARK_METHODS
        if free and exactness_of(alone.strata, alone.candidate.form, hashed=hashed):
            return []
        refined = self._refinements(alone, costing)
        sampled = [
            one for one in allowed if EXACT_IN_PART.isdisjoint(one.candidate.schemes) and _has_short_samples(one)
        ]
        if alone in sampled or not sampled or request.options.draws not in ("auto", "independent"):
            return refined
        others = self._refinements(min(sampled, key=lambda proposal: proposal.rank), costing)
        return [*refined, *(one for one in others if not one.candidate.is_biased)]

    def _refinements(self, alone: Proposal, costing: Costing) -> list[Proposal]:
        request = self.request
        method, draws, data = request.options.method, request.options.draws, request.data
        kinds, asked = kinds_of_draws(draws, has_data=data is not None), draws != "auto"
        if method in LANDMARK_METHODS and data is not None and self._searches is None:
            raise PlanError(f"method={method!r}: {too_few_rows(len(data), method)}")
        corrected = request.options.landmarks != "never" and (
            method in LANDMARK_METHODS or (method == "auto" and _has_short_samples(alone))
        )
        beside: list[Proposal] = []
        # only unbiased samples estimate what landmarks leave
        if corrected and self._searches is not None and not any(map(are_biased, kinds)):
            beside = with_landmarks(
                alone, costing, self._searches, kinds, kernel=request.kernel, method=method, asked_draws=asked
            )
        least = min((one.error for one in beside if not one.candidate.is_biased), default=math.inf)
        together = None
        if method not in LANDMARK_METHODS:
            together = with_joint_draws(alone, costing, kinds, asked=asked, least=least)
        return [*([] if together is None else [together]), *beside]

    @cached_property
    def _searches(self) -> LandmarkSearches | None:
        """Where landmarks are chosen: among the rows on which candidates are not compared."""
        data, sample = self.request.data, self.reference.sample
        if data is None or sample is None:
            return None
        from kernelspec.planning.landmarks.search import LandmarkSearches

        return LandmarkSearches(self.reference.pool(data), sample, self.request.layout.mapped.used, self.request.seed)


def _functions_of(layout: Layout) -> tuple[int | ColumnFunction, ...]:
    return layout.functions if isinstance(layout, MappedLayout) else ()


def _has_short_samples(proposal: Proposal) -> bool:
    """Whether all varying samples are sums of few terms: there would be too few longer ones to correct landmarks."""
    return all(stratum.law.is_exact or stratum.law.n_terms <= _FEW_TERMS for stratum in proposal.strata)


def _taken(alone: Proposal, refined: list[Proposal], method: Method, draws: Draws) -> Proposal:
    """The requested proposal, or the unbiased one of least error."""
    if method in LANDMARK_METHODS:
        asked = [one for one in refined if one.candidate.method == method]
        if not asked:
            raise PlanError(f"method={method!r} finds no landmark: the kernel is zero on all rows of the data")
        return min(asked, key=lambda one: one.error)
    unbiased = [one for one in refined if not one.candidate.is_biased]
    if draws not in ("auto", "independent"):
        return min(unbiased, key=lambda one: one.error)
    return min([alone, *unbiased], key=lambda one: one.error)


def _costed(terms: list[Term], form: Form, method: Method, costing: Costing, mixture: bool) -> list[Proposal]:
    """The candidates from these terms: as requested, as they are, or (`auto`) in every way."""
    if method == "auto":
        choices = list(assignments(terms, form, costing))
    else:
        choices = [tuple(method if method in term.schemes else None for term in terms)]
    if mixture:  # without shares these are the terms' defaults
        choices = [choice for choice in choices if OF_SHARES.isdisjoint(choice)]
    if form == "phase":
        choices = [choice for choice in choices if _may_have_offsets(terms, choice, mixture)]
    strata = (with_best_atoms(expanded(terms, choice, mixture=mixture), form, costing) for choice in choices)
    proposals = (
        costing.proposal(one, choice, form, mixture=mixture) for one, choice in zip(strata, choices, strict=True)
    )
    return [proposal for proposal in proposals if proposal is not None]


def _may_have_offsets(terms: list[Term], choice: Assignment, mixture: bool) -> bool:
    """Whether each sample has at most one frequency: sharing a random offset would correlate errors."""
    if not WITHOUT_OFFSETS.isdisjoint(choice):
        return False
    pending = [stratum.law for stratum in expanded(terms, choice, mixture=mixture)]
    while pending:
        law = pending.pop()
        if isinstance(law, loaded("kernelspec.laws.exact_features:ExactFeaturesLaw")) and law.has_phasor:
            return False
        pending.extend(law.children())
    return True


def _distinct(proposals: list[Proposal]) -> list[Proposal]:
    """Distinct maps: of those equal but for form or scheme, the first form stays, under the name of its scheme."""
    kept: dict[Hashable, Proposal] = {}
    for proposal in proposals:
        candidate = proposal.candidate
        laws = tuple((stratum.law, stratum.positions) for stratum in proposal.strata)
        form = candidate.form if any(law.has_phasor for law, _ in laws) else None
        first = kept.setdefault((form, candidate.mixture, laws), proposal)
        if sum(map(bool, candidate.schemes)) > sum(map(bool, first.candidate.schemes)):
            kept[form, candidate.mixture, laws] = proposal
    return list(kept.values())
