"""What a plan is chosen from."""

from __future__ import annotations

import pytest

import kernelspec as ks
from kernelspec.laws.collisions import Collisions
from kernelspec.planning.candidates import Costing, assignments, entries, expanded, least_cost
from kernelspec.planning.reference import Reference
from kernelspec.planning.strata import Stratum, strata
from kernelspec.tables.layout import Layout

COLUMNS = ks.parse("gaussian()").columns(2)
LAYOUT = Layout(2, None, (0, 1), ())


def terms_of(text: str) -> list[Stratum]:
    spec = ks.parse(text)
    return strata(spec.kernel(spec.columns(2)))


def costing(budget: int = 40) -> Costing:
    return Costing(budget, Collisions(256, signed=True), Reference.of(LAYOUT, None))


def test_assignments_are_the_plain_one_then_one_for_every_scheme_then_the_best() -> None:
    assert list(assignments(terms_of("gaussian()"), "paired", costing())) == [(None,)]
    assert list(assignments(terms_of("laplace()"), "paired", costing())) == [(None,), ("binning",)]
    found = list(assignments(terms_of("gaussian() + laplace() + triangle()"), "paired", costing()))
    assert found[:2] == [(None, None, None), (None, "binning", "binning")]
    assert len(found) in (2, 3)
    assert len(set(found)) == len(found)


def test_a_sum_that_a_scheme_makes_is_divided_again() -> None:
    terms = terms_of("2 * laplace() + gaussian()")
    parts = expanded(terms, ("binning", None), mixture=False)
    assert [(part.weight, part.scheme) for part in parts] == [(2, "binning"), (1, None)]
    with pytest.raises(ValueError, match="shorter"):
        expanded(terms, ("binning",), mixture=False)


def test_a_mixture_stays_one_stratum() -> None:
    (whole,) = expanded(
        [Stratum(1.0, ks.parse("laplace() + gaussian()").kernel(COLUMNS), (0, 1))], ("binning",), mixture=True
    )
    assert (whole.scheme, whole.sampler().has_key, whole.sampler().has_phasor) == ("binning", True, True)


def test_entries() -> None:
    (plain,) = terms_of("laplace()")
    (binned,) = plain.under("binning")
    assert [entries(plain, form) for form in ("paired", "phase", "complex")] == [2, 1, 2]
    assert [entries(binned, form) for form in ("paired", "phase", "complex")] == [1, 1, 1]
    assert least_cost([plain, binned], ("paired", "phase")) == 2


def test_a_budget_that_does_not_reach() -> None:
    terms = terms_of("laplace() + gaussian()")
    assert costing(3).candidate(terms, (None, None), "paired", mixture=False) is None
    candidate = costing(3).candidate(terms, ("binning", None), "paired", mixture=False)
    assert candidate is not None
    assert candidate.counts == (1, 1)
    assert candidate.is_sparse
