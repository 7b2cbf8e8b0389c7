"""The candidates of a plan: forms, schemes, and shares of the budget for the terms of a sum."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from kernelspec.laws.collisions import Collisions
from kernelspec.laws.variance import SampleMoments
from kernelspec.numerics.phasor import Form
from kernelspec.planning.allocation import allocate
from kernelspec.planning.plan import Candidate
from kernelspec.planning.proposal import Proposal
from kernelspec.planning.reference import Reference
from kernelspec.planning.strata import Stratum, Term

__all__ = ["Assignment", "Costing", "assignments", "entries", "expanded", "least_cost"]

Assignment = tuple[str | None, ...]
"""For every term of the sum the way it is sampled; None for the way it has by itself."""


@dataclass(frozen=True)
class Costing:
    """What every candidate is costed for: a budget of stored entries, how keys become columns, some rows."""

    budget: int
    collisions: Collisions | None
    reference: Reference
    _moments: dict[tuple[int, tuple[int, ...]], tuple[Stratum, SampleMoments]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    _variances: dict[tuple[int, tuple[int, ...], Form], NDArray[np.float64]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def proposal(
        self, parts: Sequence[Stratum], assignment: Assignment, form: Form, *, mixture: bool
    ) -> Proposal | None:
        """The best use of the budget in this form; None if it does not reach for one sample of each stratum."""
        costs = [entries(stratum, form) for stratum in parts]
        if sum(costs) > self.budget:
            return None
        counts = allocate(self.budget, costs, [self._spread(stratum, form) for stratum in parts])
        shares = list(zip(parts, counts, strict=True))
        variance = sum(stratum.weight**2 / n * float(self._variance(stratum, form).mean()) for stratum, n in shares)
        nonzeros = self.reference.nonzeros
        draws = tuple(stratum.draws for stratum in parts)
        candidate = Candidate(
            form,
            mixture,
            tuple(counts),
            variance,
            assignment,
            any(stratum.law.has_key for stratum in parts),
            any(stratum.law.has_phasor for stratum in parts),
            sum(stratum.law.work(n, nonzeros(stratum.positions)) for stratum, n in shares),
            self.reference.relative_error(shares, form, self.collisions),
            draws=draws if any(draws) else (),
        )
        return Proposal(candidate, tuple(parts))

    def best(self, terms: Sequence[Term], form: Form) -> Assignment:
        """For every term the way that makes its share of Σ s_i √c_i least, which bounds the variance."""
        return tuple(
            min((None, *term.schemes), key=lambda scheme: self._price(term.under(scheme), form)) for term in terms
        )

    def _spread(self, stratum: Stratum, form: Form) -> float:
        variance = float(self._variance(stratum, form).mean())
        if not variance and stratum.known is not None and not stratum.law.is_exact:
            # so many categories that no two rows of the pairs agree: as if one pair did
            agreeing = self.reference.pairs.select(stratum.positions).with_keys_agreeing()
            variance = float(np.mean(stratum.law.moments(agreeing).paired())) / len(agreeing.x)
        return abs(stratum.weight) * sqrt(variance)

    def _variance(self, stratum: Stratum, form: Form) -> NDArray[np.float64]:
        """Of one sample, on the pairs of the reference; the moments of a stratum are computed once for all forms."""
        if stratum.draws is not None:
            pairs = self.reference.pairs.select(stratum.positions)
            return stratum.law.variance(pairs, 1, form, self._shared_by(stratum))
        key = (id(stratum.law), stratum.positions)
        if key not in self._moments:
            pairs = self.reference.pairs.select(stratum.positions)
            collisions = self._shared_by(stratum)
            self._moments[key] = (stratum, SampleMoments.of(stratum.law, pairs, collisions))
        if (*key, form) not in self._variances:
            self._variances[*key, form] = self._moments[key][1].variance(form)
        return self._variances[*key, form]

    def _shared_by(self, stratum: Stratum) -> Collisions | None:
        """What sharing columns adds; nothing to categories of the data, which have columns of their own."""
        return None if stratum.known is not None else self.collisions

    def _price(self, parts: Sequence[Stratum], form: Form) -> float:
        return sum(self._spread(stratum, form) * sqrt(entries(stratum, form)) for stratum in parts)


def assignments(terms: Sequence[Term], form: Form, costing: Costing) -> Iterator[Assignment]:
    """All terms as they are, all under one scheme (those that have it), and each under the one that is best for it."""
    names = dict.fromkeys(scheme for term in terms for scheme in term.schemes)
    choices = [tuple(scheme if scheme in term.schemes else None for term in terms) for scheme in (None, *names)]
    if names and len(terms) > 1:
        choices.append(costing.best(terms, form))
    yield from dict.fromkeys(choices)


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
