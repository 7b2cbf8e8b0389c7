"""Choosing a plan: every candidate is costed and its variance predicted; the least variance wins."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from fractions import Fraction

from kernelspec.errors import PlanError
from kernelspec.kernels.kernel import Kernel
from kernelspec.laws.catalogue import SCHEMES
from kernelspec.laws.collisions import Collisions
from kernelspec.laws.fourier import FourierLaw
from kernelspec.laws.rules import OF_SHARES
from kernelspec.laws.unit_rows import UnitRowsLaw
from kernelspec.numerics.phasor import Form
from kernelspec.planning.candidates import Costing, assignments, expanded, least_cost
from kernelspec.planning.categories import Categories
from kernelspec.planning.cosine_notes import cosine_notes
from kernelspec.planning.methods import ANCHORED, FORMS, METHODS, Anchoring, Draws, Method
from kernelspec.planning.plan import Plan
from kernelspec.planning.proposal import Proposal
from kernelspec.planning.reason import reason_of
from kernelspec.planning.reference import Reference
from kernelspec.planning.refinements import check_refinements, kinds_of_draws, with_anchors, with_joint_draws
from kernelspec.planning.storage import Storage
from kernelspec.planning.strata import Stratum, Term, terms_of
from kernelspec.tables.layout import Layout
from kernelspec.tables.rows import Rows

__all__ = ["make_plan"]


def make_plan(
    text: str,
    values: tuple[tuple[str, Fraction], ...],
    kernel: Kernel,
    layout: Layout,
    *,
    n_features: int,
    seed: int,
    method: Method = "auto",
    buckets: int | None = 256,
    bits: int | None = None,
    draws: Draws = "auto",
    anchors: Anchoring = "auto",
    normalized: bool = False,
    data: Rows | None = None,
    categories: Categories | None = None,
    storage: Storage = "auto",
) -> Plan:
    """The plan of least predicted variance among those of at most `n_features` stored entries a row.

    `text` is the spec that the kernel is of, with the `values` of its parameters: a label. Keys of `categories`
    that are known have columns of their own, all others `buckets` or `bits`.

    Candidates: cosine–sine pairs against random offsets (unless `method` names a form), a share of the budget for every
    term of a sum against drawing terms at random, and the schemes that some nodes have, such as binning (all of
    them, or the one that `method` names). `method="auto"` never makes features sparse that could be dense, or dense
    that could be sparse, unless `storage` says how they are stored: such candidates are listed, and taken when they are
    named. Candidates are compared on rows of `data`, or on standard normal rows; of equal variance, the one with less
    work wins. With data the best of these is then compared, by the expected error of the kernel matrix, with the same
    samples drawn together (`draws`) and with anchors (unless `anchors` forbids to keep rows of the data). A biased plan
    is taken only if `method` names it.
    Raises PlanError for an unknown method, one that the kernel does not have, a budget below one sample, fewer than two
    buckets, or bits for samples with frequencies.
    """
    if method not in METHODS:
        raise PlanError(f"there is no method {method!r}: use one of {', '.join(METHODS)}")
    if normalized and method not in ("auto", "phase"):
        raise PlanError(f"normalized=True divides features with random offsets by their norm: not method={method!r}")
    check_refinements(method, draws, anchors, has_data=data is not None)
    reference = Reference.of(layout, data)
    costing = Costing(n_features, Collisions.of(buckets, bits), reference)
    sampling = "auto" if method in ANCHORED else method
    whole = [Term(1.0, kernel, tuple(range(layout.dim)), categories or Categories())]
    spine = terms_of(kernel, categories)
    if method in SCHEMES and not any(method in term.schemes for term in spine):
        raise PlanError(f"no part of this kernel has the method {method!r}: {SCHEMES[method].words}")
    plain = [stratum for term in spine for stratum in term.under(None)]
    asked = "phase" if normalized else "paired" if method in ANCHORED else method
    forms: tuple[Form, ...] = tuple(form for form in FORMS if form == asked) or ("paired", "phase")
    if normalized and not (len(plain) == 1 and plain[0].weight > 0 and _is_fourier(plain[0])):
        raise PlanError("normalized=True is for one kernel with frequencies, not for sums, keys or differences")
    proposals = [
        proposal
        for form in forms
        for parts in ([spine] if len(spine) < 2 else [spine, whole])
        for proposal in _costed(parts, form, sampling, costing, parts is whole)
    ]
    if not proposals:
        least = least_cost(whole[0].under(sampling, whole=len(spine) > 1), forms)
        raise PlanError(f"n_features={n_features} is too small: one sample of this kernel takes {least}")
    proposals = _distinct(proposals)
    if bits is not None:
        proposals = [proposal for proposal in proposals if not any(_mixes(stratum) for stratum in proposal.strata)]
        if not proposals:
            raise PlanError("bits are columns for samples of keys alone: this kernel has frequencies too; use buckets")
    if sampling == "auto" and storage == "auto":
        sparse = any(stratum.law.has_key for stratum in plain)
        allowed = [proposal for proposal in proposals if proposal.candidate.is_sparse == sparse] or proposals
    else:
        allowed = proposals
    # ties go to the earlier: pairs have no variance at x = y, strata none from the choice of a term
    alone = min(allowed, key=lambda proposal: proposal.rank)
    refined: list[Proposal] = []
    if not normalized and storage != "sparse":
        refined = _refined(alone, costing, layout, data, seed, method=method, draws=draws, anchors=anchors)
    chosen = _taken(alone, refined, method, draws)
    best = chosen.candidate
    others = tuple(one.candidate for one in (*proposals, *refined) if one is not chosen)
    reason = reason_of(best, others, method, reference.words)
    plan = Plan(
        text,
        values,
        layout,
        n_features,
        seed,
        None if bits is not None else buckets,
        bits,
        chosen.strata,
        best,
        others,
        reference.words,
        reason,
        normalized=normalized,
        notes=cosine_notes(plain, n_features, reference.pairs),
        storage=storage,
        anchors=chosen.anchors,
    )
    if chosen.anchors is not None:
        return replace(plan, chosen=replace(best, variance=float(plan.variance(reference.pairs).mean())))
    if not normalized:
        return plan
    return replace(plan, chosen=replace(best, variance=float(plan.variance(reference.pairs).mean()), error=None))


def _is_fourier(stratum: Stratum) -> bool:
    """Whether every sample is a frequency of modulus k(0), the same on both sides."""
    return isinstance(stratum.law, FourierLaw | UnitRowsLaw)


def _mixes(stratum: Stratum) -> bool:
    """Whether samples may have both a key and an amplitude that depends on the row."""
    return stratum.law.has_key and stratum.law.has_amplitude


def _refined(
    alone: Proposal,
    costing: Costing,
    layout: Layout,
    data: Rows | None,
    seed: int,
    *,
    method: Method,
    draws: Draws,
    anchors: Anchoring,
) -> list[Proposal]:
    """What the best of independent samples becomes, in every way that may be compared."""
    kinds, asked = kinds_of_draws(draws, has_data=data is not None), draws != "auto"
    together = None if method in ANCHORED else with_joint_draws(alone, costing, kinds, asked=asked)
    found = [] if together is None else [together]
    if data is not None and anchors != "never" and method in ("auto", *ANCHORED):
        found += with_anchors(alone, costing, data, layout.used, seed, kinds, method=method, asked_draws=asked)
    return found


def _taken(alone: Proposal, refined: list[Proposal], method: Method, draws: Draws) -> Proposal:
    """The one that was asked for, or the unbiased one of least error."""
    if method in ANCHORED:
        return next(one for one in refined if one.candidate.method == method)
    unbiased = [one for one in refined if not one.candidate.is_biased]
    if draws not in ("auto", "independent"):
        return min(unbiased, key=lambda one: one.error)
    return min([alone, *unbiased], key=lambda one: one.error)


def _costed(terms: list[Term], form: Form, method: Method, costing: Costing, mixture: bool) -> list[Proposal]:
    """The candidates from these terms: in the way asked for, as they are, or (`auto`) in every way there is."""
    if method == "auto":
        choices = list(assignments(terms, form, costing))
    else:
        choices = [tuple(method if method in term.schemes else None for term in terms)]
    if mixture:  # without shares these are what the terms have by themselves
        choices = [choice for choice in choices if OF_SHARES.isdisjoint(choice)]
    strata = (expanded(terms, choice, mixture=mixture) for choice in choices)
    found = (costing.proposal(one, choice, form, mixture=mixture) for one, choice in zip(strata, choices, strict=True))
    return [proposal for proposal in found if proposal is not None]


def _distinct(found: list[Proposal]) -> list[Proposal]:
    """Every map once: without a phasor both forms are the same, and so is a scheme that its nodes have by themselves.

    Of two that are one, the form met first stays, under the name of its scheme.
    """
    kept: dict[Hashable, Proposal] = {}
    for proposal in found:
        candidate = proposal.candidate
        laws = tuple((stratum.law, stratum.positions) for stratum in proposal.strata)
        form = candidate.form if any(law.has_phasor for law, _ in laws) else None
        first = kept.setdefault((form, candidate.mixture, laws), proposal)
        if sum(map(bool, candidate.schemes)) > sum(map(bool, first.candidate.schemes)):
            kept[form, candidate.mixture, laws] = proposal
    return list(kept.values())
