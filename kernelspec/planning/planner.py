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
from kernelspec.planning.methods import FORMS, METHODS, Method
from kernelspec.planning.plan import Candidate, Plan
from kernelspec.planning.reference import Reference
from kernelspec.planning.storage import Storage
from kernelspec.planning.strata import Stratum, Term, terms_of
from kernelspec.tables.layout import Layout
from kernelspec.tables.rows import Rows

__all__ = ["make_plan"]

_Entry = tuple[Candidate, list[Stratum]]

_ONE, _ALL = 1.005, 1e9
"""A quotient of variances below is 1 in three digits; above, the smaller one is rounding."""


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
    named. Candidates are compared on rows
    of `data`, or on standard normal rows; of equal variance, the one with less work wins.
    Raises PlanError for an unknown method, one that the kernel does not have, a budget below one sample, fewer than two
    buckets, or bits for samples with frequencies.
    """
    if method not in METHODS:
        raise PlanError(f"there is no method {method!r}: use one of {', '.join(METHODS)}")
    if normalized and method not in ("auto", "phase"):
        raise PlanError(f"normalized=True divides features with random offsets by their norm: not method={method!r}")
    reference = Reference.of(layout, data)
    costing = Costing(n_features, Collisions.of(buckets, bits), reference)
    whole = [Term(1.0, kernel, tuple(range(layout.dim)), categories or Categories())]
    spine = terms_of(kernel, categories)
    if method in SCHEMES and not any(method in term.schemes for term in spine):
        raise PlanError(f"no part of this kernel has the method {method!r}: {SCHEMES[method].words}")
    plain = [stratum for term in spine for stratum in term.under(None)]
    asked = "phase" if normalized else method
    forms: tuple[Form, ...] = tuple(form for form in FORMS if form == asked) or ("paired", "phase")
    if normalized and not (len(plain) == 1 and plain[0].weight > 0 and _is_fourier(plain[0])):
        raise PlanError("normalized=True is for one kernel with frequencies, not for sums, keys or differences")
    entries = [
        entry
        for form in forms
        for parts in ([spine] if len(spine) < 2 else [spine, whole])
        for entry in _costed(parts, form, method, costing, parts is whole)
    ]
    if not entries:
        least = least_cost(whole[0].under(method, whole=len(spine) > 1), forms)
        raise PlanError(f"n_features={n_features} is too small: one sample of this kernel takes {least}")
    entries = _distinct(entries)
    if bits is not None:
        entries = [entry for entry in entries if not any(_mixes(stratum) for stratum in entry[1])]
        if not entries:
            raise PlanError("bits are columns for samples of keys alone: this kernel has frequencies too; use buckets")
    if method == "auto" and storage == "auto":
        sparse = any(stratum.law.has_key for stratum in plain)
        allowed = [entry for entry in entries if entry[0].is_sparse == sparse] or entries
    else:
        allowed = entries
    # ties go to the earlier: pairs have no variance at x = y, strata none from the choice of a term
    best, chosen = min(allowed, key=_rank)
    others = tuple(candidate for candidate, _ in entries if candidate is not best)
    reason = _reason(best, others, method, reference.words)
    plan = Plan(
        text,
        values,
        layout,
        n_features,
        seed,
        None if bits is not None else buckets,
        bits,
        tuple(chosen),
        best,
        others,
        reference.words,
        reason,
        normalized=normalized,
        notes=cosine_notes(plain, n_features, reference.pairs),
        storage=storage,
    )
    if not normalized:
        return plan
    return replace(plan, chosen=replace(best, variance=float(plan.variance(reference.pairs).mean()), error=None))


def _is_fourier(stratum: Stratum) -> bool:
    """Whether every sample is a frequency of modulus k(0), the same on both sides."""
    return isinstance(stratum.law, FourierLaw | UnitRowsLaw)


def _mixes(stratum: Stratum) -> bool:
    """Whether samples may have both a key and an amplitude that depends on the row."""
    return stratum.law.has_key and stratum.law.has_amplitude


def _rank(entry: _Entry) -> tuple[float, float, int]:
    """Variance, then work; of two that are the same, the one that names its schemes."""
    candidate = entry[0]
    return candidate.variance, candidate.work, sum(scheme is None for scheme in candidate.schemes)


def _costed(terms: list[Term], form: Form, method: Method, costing: Costing, mixture: bool) -> list[_Entry]:
    """The candidates from these terms: in the way asked for, as they are, or (`auto`) in every way there is."""
    if method == "auto":
        choices = list(assignments(terms, form, costing))
    else:
        choices = [tuple(method if method in term.schemes else None for term in terms)]
    if mixture:  # without shares these are what the terms have by themselves
        choices = [choice for choice in choices if OF_SHARES.isdisjoint(choice)]
    costed = ((costing.candidate(terms, choice, form, mixture=mixture), choice) for choice in choices)
    return [(found, expanded(terms, choice, mixture=mixture)) for found, choice in costed if found is not None]


def _distinct(found: list[_Entry]) -> list[_Entry]:
    """Every map once: without a phasor both forms are the same, and so is a scheme that its nodes have by themselves.

    Of two that are one, the form met first stays, under the name of its scheme.
    """
    kept: dict[Hashable, _Entry] = {}
    for candidate, parts in found:
        laws = tuple((stratum.law, stratum.positions) for stratum in parts)
        form = candidate.form if any(law.has_phasor for law, _ in laws) else None
        first, _ = kept.setdefault((form, candidate.mixture, laws), (candidate, parts))
        if sum(map(bool, candidate.schemes)) > sum(map(bool, first.schemes)):
            kept[form, candidate.mixture, laws] = (candidate, parts)
    return list(kept.values())


def _reason(best: Candidate, others: tuple[Candidate, ...], method: Method, reference: str) -> str:
    rivals = [other for other in others if other.is_sparse == best.is_sparse]
    if not rivals:
        return "the only candidate" if method == "auto" else f"method={method!r} was asked for"
    runner_up = min(rivals, key=lambda other: (other.variance, other.work))
    if best.variance == float("inf"):
        return (
            f"{best.describe()}: the variance is infinite on {reference}, and so is that of all other plans; it is "
            "finite over kernels of frequencies or keys, such as circle() or gaussian(), and with max_degree=… (biased)"
        )
    if runner_up.variance == float("inf"):
        return f"{best.describe()}: the variance of {runner_up.describe()} is infinite on {reference}"
    if runner_up.variance == best.variance:
        if runner_up.work > best.work:
            # what a sampler does beyond its stored entries may be nothing, and is then no measure for that of others
            times = f"{runner_up.work / best.work:.3g} times " if best.work else ""
            return f"{best.describe()}: {times}less work than {runner_up.describe()}"
        return f"{best.describe()}: no other plan has less variance on {reference}"
    ratio = runner_up.variance / best.variance if best.variance > 0 else float("inf")
    if ratio > _ALL:
        return f"{best.describe()}: no variance on {reference}, or as good as none; {runner_up.describe()} has some"
    if ratio < _ONE:
        return f"{best.describe()}: the least variance on {reference}, though hardly less than {runner_up.describe()}"
    return f"{best.describe()}: {ratio:.3g} times less variance than {runner_up.describe()} on {reference}"
