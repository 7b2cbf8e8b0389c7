"""What a plan is chosen from."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.laws.keys import Collisions
from kernelspec.planning.candidates import Costing, assignments, entries, expanded, least_cost
from kernelspec.planning.reference import Reference, SampleVariances
from kernelspec.planning.strata import Term, terms_of
from kernelspec.tables.layout import Layout
from tests.laws.texts import kernel_of

LAYOUT = Layout(2, None, (0, 1), ())


def terms(text: str) -> list[Term]:
    return terms_of(kernel_of(text, 2))


def costing(budget: int = 40) -> Costing:
    return Costing(budget, SampleVariances(Reference.of(LAYOUT, None), Collisions(256, signed=True), ()))


def test_assignments_are_the_plain_one_then_one_for_every_scheme_then_the_best() -> None:
    assert list(assignments(terms("gaussian()"), "paired", costing())) == [(None,)]
    assert list(assignments(terms("laplace()"), "paired", costing())) == [(None,), ("binning",)]
    found = list(assignments(terms("gaussian() + laplace() + triangle()"), "paired", costing()))
    assert found[:2] == [(None, None, None), (None, "binning", "binning")]
    assert len(found) in (2, 3)
    assert len(set(found)) == len(found)


def test_a_sum_that_a_scheme_makes_is_divided_again() -> None:
    found = terms("2 * laplace() + gaussian()")
    parts = expanded(found, ("binning", None), mixture=False)
    assert [(part.weight, part.scheme) for part in parts] == [(2, "binning"), (1, None)]
    with pytest.raises(ValueError, match="shorter"):
        expanded(found, ("binning",), mixture=False)


def test_a_mixture_stays_one_stratum() -> None:
    sum_of_two = Term(1.0, kernel_of("laplace() + gaussian()", 2), (0, 1))
    (whole,) = expanded([sum_of_two], ("binning",), mixture=True)
    assert (whole.scheme, whole.law.has_key, whole.law.has_phasor) == ("binning", True, True)


def test_entries() -> None:
    (term,) = terms("laplace()")
    (plain,), (binned,) = term.under(None), term.under("binning")
    assert [entries(plain, form) for form in ("paired", "phase", "complex")] == [2, 1, 2]
    assert [entries(binned, form) for form in ("paired", "phase", "complex")] == [1, 1, 1]
    assert least_cost([plain, binned], ("paired", "phase")) == 2


def test_a_budget_that_does_not_reach() -> None:
    two = terms("laplace() + gaussian()")
    plain, binned = (expanded(two, choice, mixture=False) for choice in ((None, None), ("binning", None)))
    assert costing(3).proposal(plain, (None, None), "paired", mixture=False) is None
    proposal = costing(3).proposal(binned, ("binning", None), "paired", mixture=False)
    assert proposal is not None
    assert proposal.candidate.counts == (1, 1)
    assert proposal.candidate.is_sparse


def test_what_is_exact_for_every_category_takes_one_sample() -> None:
    # cosines of given frequencies do not vary, also where two rows are of one category
    rows = np.column_stack([np.random.default_rng(0).uniform(0, 3, 100), np.arange(100) % 4])
    found = ks.compile("periodic(period=3)[0] * match()[1]", data=rows, n_features=64, method="atoms").plan
    assert found.chosen.counts == (1, 1, 1, 29)
