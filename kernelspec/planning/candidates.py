"""The candidates of a plan: forms, schemes, and shares of the budget for the terms of a sum."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from kernelspec.features.phasor import Form
from kernelspec.planning.allocation import allocate
from kernelspec.planning.plan import Candidate
from kernelspec.planning.reference import Reference
from kernelspec.planning.strata import Stratum
from kernelspec.planning.variance import estimate_variance, sample_variance

__all__ = ["Costing", "assignments", "least_cost"]


@dataclass(frozen=True)
class Costing:
    """What every candidate is costed for: a budget of stored entries, a number of buckets, some rows."""

    budget: int
    buckets: int | None
    reference: Reference

    def candidate(self, parts: Sequence[Stratum], form: Form, *, mixture: bool) -> Candidate | None:
        """The best use of the budget by these strata in this form; None if it does not reach for one sample each."""
        costs = [entries(stratum, form) for stratum in parts]
        if sum(costs) > self.budget:
            return None
        counts = allocate(self.budget, costs, [self._spread(stratum, form) for stratum in parts])
        shares = list(zip(parts, counts, strict=True))
        variance = float(estimate_variance(shares, self.reference.pairs, form, self.buckets).mean())
        nonzeros = self.reference.nonzeros
        return Candidate(
            form,
            mixture,
            tuple(counts),
            variance,
            tuple(stratum.scheme for stratum in parts),
            any(stratum.sampler().has_key for stratum in parts),
            sum(stratum.sampler().work(n, nonzeros(stratum.positions)) for stratum, n in shares),
            self.reference.relative_error(shares, form, self.buckets),
        )

    def best_schemes(self, parts: Sequence[Stratum], form: Form) -> tuple[Stratum, ...]:
        """Every stratum under the scheme that makes its share of Σ s_i √c_i least, which bounds the variance."""
        return tuple(min(_choices(stratum), key=lambda choice: self._price(choice, form)) for stratum in parts)

    def _spread(self, stratum: Stratum, form: Form) -> float:
        variance = sample_variance(stratum, self.reference.pairs, form, self.buckets)
        return abs(stratum.weight) * float(np.sqrt(variance.mean()))

    def _price(self, stratum: Stratum, form: Form) -> float:
        return self._spread(stratum, form) * sqrt(entries(stratum, form))


def assignments(parts: Sequence[Stratum], form: Form, costing: Costing) -> Iterator[tuple[Stratum, ...]]:
    """The strata as they are, under every scheme that some have, and each under the one that is best for it."""
    seen: set[tuple[str | None, ...]] = set()
    names = dict.fromkeys(scheme for stratum in parts for scheme in stratum.schemes)
    choices = [tuple(stratum.under(scheme) for stratum in parts) for scheme in (None, *names)]
    if names and len(parts) > 1:
        choices.append(costing.best_schemes(parts, form))
    for choice in choices:
        key = tuple(stratum.scheme for stratum in choice)
        if key not in seen:
            seen.add(key)
            yield choice


def entries(stratum: Stratum, form: Form) -> int:
    """Stored entries of one sample; a complex entry is two real ones."""
    return 2 if stratum.sampler().has_phasor and form != "phase" else 1


def least_cost(parts: Sequence[Stratum], forms: Sequence[Form]) -> int:
    """The smallest budget with which all strata have a sample."""
    return min(sum(entries(stratum, form) for stratum in parts) for form in forms)


def _choices(stratum: Stratum) -> list[Stratum]:
    return [stratum.under(scheme) for scheme in (None, *stratum.schemes)]
