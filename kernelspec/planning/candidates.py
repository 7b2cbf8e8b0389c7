"""The candidates of a plan: forms, schemes, and shares of the budget for the terms of a sum."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from kernelspec.numerics.phasor import Form
from kernelspec.planning.allocation import allocate
from kernelspec.planning.plan import Candidate
from kernelspec.planning.proposal import Proposal
from kernelspec.planning.reference import Reference
from kernelspec.planning.sample_variances import SampleVariances
from kernelspec.planning.strata import Stratum, Term

__all__ = ["Assignment", "Costing", "assignments", "entries", "expanded", "least_cost"]

Assignment = tuple[str | None, ...]
"""For every term of the sum the way it is sampled; None for the way it has by itself."""


@dataclass(frozen=True)
class Costing:
    """What every candidate is costed for: a budget of stored entries, and how samples vary on some rows."""

    budget: int
    variances: SampleVariances

    @property
    def reference(self) -> Reference:
        """The rows that candidates are compared on."""
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
        """The mean variance with the best use of the budget; None if it does not reach for one sample of each."""
        counts = self._counts(parts, form)
        return None if counts is None else self._mean_variance(list(zip(parts, counts, strict=True)), form)

    def mean_variance(self, stratum: Stratum, form: Form) -> float:
        """Of one sample on the pairs of the reference, without the weight; infinite where it is beyond floats.

        If there are so many categories that no pair of rows agrees, it is as if one pair did.
        """
        with np.errstate(over="ignore"):
            found = float(self.variances.on_pairs(stratum, form).mean())
        return found or self.variances.of_one_pair(stratum, self.reference.pairs) / len(self.reference.pairs.x)

    def best(self, terms: Sequence[Term], form: Form) -> Assignment:
        """For every term the way that makes its share of Σ s_i √c_i least, which bounds the variance."""
        return tuple(
            min((None, *term.schemes), key=lambda scheme: self._price(term.under(scheme), form)) for term in terms
        )

    def _counts(self, parts: Sequence[Stratum], form: Form) -> list[int] | None:
        costs = [entries(stratum, form) for stratum in parts]
        if sum(costs) > self.budget:
            return None
        return allocate(self.budget, costs, [self._spread(stratum, form) for stratum in parts])

    def _mean_variance(self, shares: Sequence[tuple[Stratum, int]], form: Form) -> float:
        return sum(stratum.weight**2 / n * self.mean_variance(stratum, form) for stratum, n in shares)

    def _spread(self, stratum: Stratum, form: Form) -> float:
        return abs(stratum.weight) * sqrt(self.mean_variance(stratum, form))

    def _price(self, parts: Sequence[Stratum], form: Form) -> float:
        return sum(self._spread(stratum, form) * sqrt(entries(stratum, form)) for stratum in parts)


def assignments(terms: Sequence[Term], form: Form, costing: Costing) -> Iterator[Assignment]:
    """All terms as they are, all under one scheme (those that have it), and each under the one that is best for it."""
    names = dict.fromkeys(scheme for term in terms for scheme in term.schemes)
    choices = [tuple(scheme if scheme in term.schemes else None for term in terms) for scheme in (None, *names)]
    if names and len(terms) > 1:
        choices.append(costing.best(terms, form))
    yield from dict.fromkeys(_within(costing.budget, terms, choice, form) for choice in choices)


def _within(budget: int, terms: Sequence[Term], choice: Assignment, form: Form) -> Assignment:
    """The assignment without the schemes that cost most, until the budget is enough for one sample of everything."""

    def cost(term: Term, scheme: str | None) -> int:
        return sum(entries(stratum, form) for stratum in term.under(scheme))

    kept = list(choice)
    costs = [cost(term, scheme) for term, scheme in zip(terms, choice, strict=True)]
    if sum(costs) <= budget:
        return choice
    more = [own - cost(term, None) for term, own in zip(terms, costs, strict=True)]
    for i in sorted(range(len(terms)), key=lambda i: -more[i]):
        if sum(costs) <= budget or more[i] <= 0:
            break
        kept[i], costs[i] = None, costs[i] - more[i]
    return tuple(kept)


def expanded(terms: Sequence[Term], assignment: Assignment, *, mixture: bool) -> list[Stratum]:
    """The strata of all terms, each sampled as it is assigned. Raises ValueError if their numbers differ."""
    pairs = zip(terms, assignment, strict=True)
    return [stratum for term, scheme in pairs for stratum in term.under(scheme, whole=mixture)]


def entries(stratum: Stratum, form: Form) -> int:
    """Stored entries of one sample, with all its terms; a complex entry is two real ones, zeros count where stored."""
    own = 2 if stratum.law.has_phasor and form != "phase" else 1
    return stratum.law.n_terms * own * stratum.columns_stored


def least_cost(parts: Sequence[Stratum], forms: Sequence[Form]) -> int:
    """The smallest budget with which all strata have a sample."""
    return min(sum(entries(stratum, form) for stratum in parts) for form in forms)
