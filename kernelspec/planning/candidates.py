"""The candidates for a plan: forms, schemes, budget shares, and nonzeros per row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from heapq import heapify, heappop, heappush
from math import inf, isfinite, sqrt

import numpy as np
from numpy.typing import NDArray

from kernelspec.loading import loaded
from kernelspec.numerics.phasor import Form
from kernelspec.planning.landmarks.landmarks import ChosenLandmarks
from kernelspec.planning.plan import Candidate
from kernelspec.planning.reference import Reference, SampleVariances
from kernelspec.planning.strata import Stratum, Term, exactness_of

__all__ = [
    "Assignment",
    "Costing",
    "KnownRatios",
    "Proposal",
    "allocate",
    "assignments",
    "counts_of_atoms",
    "entries",
    "expanded",
    "least_cost",
    "most_columns",
    "most_landmarks",
    "stored_entries",
    "with_atoms",
    "with_best_atoms",
]


def stored_entries(parts: Sequence[tuple[Stratum, int]], form: Form, landmarks: int = 0) -> int:
    """The most nonzeros per row for these numbers of samples and landmarks; 1 (a zero) for an empty plan."""
    return max(1, landmarks + sum(n * entries(stratum, form) for stratum, n in parts))


def most_columns(
    parts: Sequence[tuple[Stratum, int]], form: Form, buckets: int | None, bits: int | None, landmarks: int = 0
) -> int | None:
    """The most columns; None if keys get columns from data, so that the number is unknown beforehand.

    A key has a column for every known category plus those shared by others, or `buckets`, or one per value of its
    `bits` plus one for all samples of its kind.
    """
    columns = landmarks
    for stratum, n in parts:
        law = stratum.law
        if not law.has_key:
            per_sample = 1
        elif stratum.known is not None:
            per_sample = len(stratum.known) + stratum.shared
        elif bits is not None:
            per_sample = 1 << bits
        elif buckets is not None:
            per_sample = buckets
        else:
            return None
        columns += n * law.n_terms * per_sample * (2 if law.has_phasor and form == "paired" else 1)
        columns += law.has_key and stratum.known is None and bits is not None
    return max(1, columns)


def allocate(budget: int, costs: Sequence[int], spreads: Sequence[float]) -> list[int]:
    """Samples of each stratum, at least one, with a total cost of at most `budget`.

    Minimises Σ s_i² / n_i subject to Σ c_i n_i ≤ budget: n_i ∝ s_i / √c_i [Neyman 1934]. Strata without spread (a key
    alone) get one sample. The rest of the budget goes one by one to where it helps most, which is the integer optimum
    if all costs are equal. Infinite spreads count as equal and larger than all others. Raises ValueError if the budget
    does not allow one sample each.
    """
    cost, spread = np.asarray(costs, dtype=float), _of_moderate_size(np.asarray(spreads, dtype=float))
    if budget < cost.sum():
        raise ValueError("the budget is smaller than one sample of each stratum")
    counts = _shares(budget, cost, spread)
    left = budget - int((counts * cost).sum())

    def gain(i: int) -> float:
        return -float(spread[i] ** 2 / (counts[i] * (counts[i] + 1) * cost[i]))

    heap = [(gain(i), i) for i in np.flatnonzero(spread > 0).tolist()]
    heapify(heap)
    while heap:
        _, i = heappop(heap)
        if cost[i] <= left:  # what does not fit now never will
            counts[i] += 1
            left -= int(cost[i])
            heappush(heap, (gain(i), i))
    return [int(count) for count in counts]


def _of_moderate_size(spread: NDArray[np.float64]) -> NDArray[np.float64]:
    """Replaces infinite spreads by ten times the largest, and scales by a power of two, so that squares are floats."""
    finite = np.isfinite(spread)
    largest, power = np.frexp(spread.max(initial=0.0, where=finite))
    return np.where(finite, np.ldexp(np.where(finite, spread, 0.0), -power), 10 * largest or 1.0)


def _shares(budget: int, cost: NDArray[np.float64], spread: NDArray[np.float64]) -> NDArray[np.int64]:
    """The proportional shares rounded down, less the one sample by which rounding may exceed the budget."""
    counts = np.ones(len(cost), dtype=np.int64)
    free = spread > 0
    share = spread / np.sqrt(cost)
    while free.any():
        rest = budget - float(cost[~free].sum())
        ideal = share * (rest / float((share * cost)[free].sum()))
        small = free & (ideal < 1)  # these keep one sample; the others share the rest
        if not small.any():
            counts[free] = np.maximum(1, np.floor(ideal[free]) - 1)
            break
        free &= ~small
    return counts


_UNSEEN = 0.1
"""The spread of samples that vary, but not on the rows, relative to the largest."""


@dataclass(frozen=True)
class Proposal:
    """A candidate with its strata, landmarks and notes."""

    candidate: Candidate
    strata: tuple[Stratum, ...]
    landmarks: ChosenLandmarks | None = None
    note: str = ""

    @property
    def rank(self) -> tuple[bool, float, float, int, int]:
        """A finite error, then variance, then work; without variance, the smaller plan, then the one with schemes."""
        candidate = self.candidate
        plain = sum(scheme is None for scheme in candidate.schemes)
        size = 0 if candidate.variance else candidate.entries or 0
        return self.error == inf, candidate.variance, candidate.work, size, plain

    @property
    def error(self) -> float:
        """The expected relative error on the data; without data, the variance, which orders candidates equally."""
        return self.candidate.variance if self.candidate.error is None else self.candidate.error


_ATOMS, _OTHER_ATOMS = "kernelspec.laws.atoms:AtomsLaw", "kernelspec.laws.atoms:OtherAtomsLaw"

_RATIO = 1.3
"""Ratio between the numbers of atoms that are compared."""


def counts_of_atoms(strata: Iterable[Stratum]) -> list[int]:
    """The number of pairs of exact atoms of each stratum that has any."""
    return [stratum.law.count for stratum in strata if isinstance(stratum.law, loaded(_ATOMS))]


def with_atoms(strata: Iterable[Stratum], counts: Sequence[int]) -> list[Stratum]:
    """The strata with these numbers of exact pairs of atoms, term by term; without a stratum of others if none are
    left.

    The stratum of the others follows that of the atoms, as the scheme makes it.
    """
    strata_with_atoms, remaining, count = [], iter(counts), 0
    for stratum in strata:
        law = stratum.law
        if isinstance(law, loaded(_ATOMS)):
            count = next(remaining)
            strata_with_atoms.append(replace(stratum, law=replace(law, count=count)))
        elif not isinstance(law, loaded(_OTHER_ATOMS)):
            strata_with_atoms.append(stratum)
        elif count < len(law.all_atoms):
            strata_with_atoms.append(replace(stratum, law=replace(law, count=count)))
    return strata_with_atoms


def with_best_atoms(strata: Sequence[Stratum], form: Form, costing: Costing) -> Sequence[Stratum]:
    """The strata with the numbers of atoms of least variance, heaviest first, searched in steps of a factor of 1.3."""
    laws = [(abs(stratum.weight), stratum.law) for stratum in strata if isinstance(stratum.law, loaded(_ATOMS))]
    if not laws:
        return strata
    owner = np.repeat(np.arange(len(laws)), [len(law.all_atoms) for _, law in laws])
    weights = np.concatenate([weight * law.all_atoms.weights for weight, law in laws])
    owner = owner[np.argsort(-weights, kind="stable")]
    tried: dict[tuple[int, ...], Sequence[Stratum]] = {}
    for most in _numbers(len(laws), min(len(owner), costing.budget // 2)):
        counts = np.maximum(1, np.bincount(owner[:most], minlength=len(laws)))
        tried[tuple(counts.tolist())] = with_atoms(strata, counts.tolist())
    costed = [(variance, parts) for parts in tried.values() if (variance := costing.variance(parts, form)) is not None]
    return min(costed, key=lambda one: one[0])[1] if costed else strata


def _numbers(least: int, most: int) -> list[int]:
    """Numbers from `least` to `most`; all of them near the end, where single samples matter."""
    steps = np.ceil(least * _RATIO ** np.arange(64)).astype(int)
    return sorted({*steps[steps < most].tolist(), *range(max(least, most - 3), most + 1)})


KnownRatios = dict[tuple[str, int, str | None, int], tuple[Stratum, float]]
"""Variances of coupled samples, by law, kind of draws, and order of magnitude of their number; holds the stratum, so
that its law keeps its identity.
"""

Assignment = tuple[str | None, ...]
"""The scheme for every term of the sum; None for its default."""


@dataclass(frozen=True)
class Costing:
    """A budget of nonzeros per row, how samples vary, and, for rough plans, `known` ratios of variances."""

    budget: int
    variances: SampleVariances
    known: KnownRatios | None = None

    @property
    def is_rough(self) -> bool:
        """Whether the plan only serves to find the next budget to try."""
        return self.known is not None

    @property
    def reference(self) -> Reference:
        """The rows on which candidates are compared."""
        return self.variances.reference

    def proposal(
        self,
        parts: Sequence[Stratum],
        assignment: Assignment,
        form: Form,
        *,
        mixture: bool,
        counts: Sequence[int] | None = None,
    ) -> Proposal | None:
        """The best use of the budget in this form, or these numbers of samples; None if it is less than one of each."""
        counts = self._counts(parts, form) if counts is None else counts
        if counts is None:
            return None
        shares = list(zip(parts, counts, strict=True))
        nonzeros = self.reference.nonzeros
        draws = tuple(stratum.draws for stratum in parts)
        candidate = Candidate(
            form,
            mixture,
            tuple(counts),
            self._mean_variance(shares, form),
            assignment,
            any(stratum.law.has_key for stratum in parts),
            any(stratum.law.has_phasor for stratum in parts),
            sum(stratum.law.work(n, nonzeros(stratum.positions)) for stratum, n in shares),
            self.variances.relative_error(shares, form),
            draws=draws if any(draws) else (),
            entries=sum(n * entries(stratum, form) for stratum, n in shares),
        )
        return Proposal(candidate, tuple(parts))

    def variance(self, parts: Sequence[Stratum], form: Form) -> float | None:
        """The mean variance with the best use of the budget; None if that does not allow one sample of each."""
        counts = self._counts(parts, form)
        return None if counts is None else self._mean_variance(list(zip(parts, counts, strict=True)), form)

    def mean_variance(self, stratum: Stratum, form: Form) -> float:
        """The mean variance of one sample, without weight; if no categories of rows agree, as if one pair did."""
        with np.errstate(over="ignore"):
            variance = self.variances.mean(stratum, form)
        return variance or self.variances.of_one_pair(stratum, self.reference.pairs) / len(self.reference.pairs.x)

    def best(self, terms: Sequence[Term], form: Form) -> Assignment:
        """For every term, the scheme that minimises its share of Σ s_i √c_i, which bounds the variance."""

        def price(strata: Sequence[Stratum]) -> float:
            return sum(self._spread(stratum, form) * sqrt(entries(stratum, form)) for stratum in strata)

        return tuple(min((None, *term.schemes), key=lambda scheme: price(term.under(scheme))) for term in terms)

    def _counts(self, parts: Sequence[Stratum], form: Form) -> list[int] | None:
        costs = [entries(stratum, form) for stratum in parts]
        if sum(costs) > self.budget:
            return None
        return allocate(self.budget, costs, self.spreads(parts, form, [self._spread(own, form) for own in parts]))

    def spreads(self, parts: Sequence[Stratum], form: Form, seen: Sequence[float]) -> list[float]:
        """Those seen on the rows, but not 0 for samples that vary: on other rows they may."""
        hashed = self.variances.collisions is not None
        unseen = _UNSEEN * max(filter(isfinite, seen), default=0.0) or 1.0
        return [
            unseen if spread == 0 and not exactness_of([stratum], form, hashed=hashed) else spread
            for stratum, spread in zip(parts, seen, strict=True)
        ]

    def _mean_variance(self, shares: Sequence[tuple[Stratum, int]], form: Form) -> float:
        return sum(stratum.weight**2 / n * self.mean_variance(stratum, form) for stratum, n in shares)

    def _spread(self, stratum: Stratum, form: Form) -> float:
        return abs(stratum.weight) * sqrt(self.mean_variance(stratum, form))


def assignments(terms: Sequence[Term], form: Form, costing: Costing) -> Iterator[Assignment]:
    """All terms with their defaults, all under one scheme (if they have it), and each under its best scheme."""
    names = dict.fromkeys(scheme for term in terms for scheme in term.schemes)
    choices = [tuple(scheme if scheme in term.schemes else None for term in terms) for scheme in (None, *names)]
    if names and len(terms) > 1:
        choices.append(costing.best(terms, form))
    yield from dict.fromkeys(_within(costing.budget, terms, choice, form) for choice in choices)


def _within(budget: int, terms: Sequence[Term], choice: Assignment, form: Form) -> Assignment:
    """The assignment without its most expensive schemes, until the budget allows one sample of everything."""

    def cost(term: Term, scheme: str | None) -> int:
        return sum(entries(stratum, form) for stratum in term.under(scheme))

    kept = list(choice)
    costs = [cost(term, scheme) for term, scheme in zip(terms, choice, strict=True)]
    if sum(costs) <= budget:
        return choice
    more = [cost_of_choice - cost(term, None) for term, cost_of_choice in zip(terms, costs, strict=True)]
    for i in sorted(range(len(terms)), key=lambda i: -more[i]):
        if sum(costs) <= budget or more[i] <= 0:
            break
        kept[i], costs[i] = None, costs[i] - more[i]
    return tuple(kept)


def expanded(terms: Sequence[Term], assignment: Assignment, *, mixture: bool) -> list[Stratum]:
    """The strata of all terms, each with its assigned scheme. Raises ValueError if their numbers differ."""
    pairs = zip(terms, assignment, strict=True)
    return [stratum for term, scheme in pairs for stratum in term.under(scheme, whole=mixture)]


def entries(stratum: Stratum, form: Form) -> int:
    """Nonzeros of one sample with all its terms; a complex entry counts twice, and stored zeros count."""
    entries_of_term = 2 if stratum.law.has_phasor and form != "phase" else 1
    return stratum.law.n_terms * entries_of_term * stratum.columns_stored


def least_cost(parts: Sequence[Stratum], forms: Sequence[Form]) -> int:
    """The smallest budget that gives every stratum a sample."""
    return min(sum(entries(stratum, form) for stratum in parts) for form in forms)


def most_landmarks(strata: Sequence[Stratum], budget: int) -> int:
    """How many landmarks the budget allows, besides a sample of every term."""
    return budget - sum(entries(stratum, "paired") for stratum in strata)
