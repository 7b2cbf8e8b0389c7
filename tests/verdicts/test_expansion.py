"""Tests of `verdicts/decision.py`."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.elaboration.scope import Columns
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.kernels.nodes.sum import Sum
from kernelspec.tables.rows import Rows
from kernelspec.verdicts.decision import expanded


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "largest"),
    [
        ("laplace() - 0.1*gaussian()", 5),
        ("2*gaussian() - gaussian(scale=1.2)", 3),
        ("gaussian() - 0.25*gaussian(scale=2)", 2),
        ("laplace() - 0.3*gaussian()", 2),
    ],
)
def test_the_last_number_of_columns_is_said(text: str, largest: int) -> None:
    verdict = ks.analyze(text).verdict
    assert verdict.positive_definite == "disproved"
    assert verdict.most_columns == largest
    assert f"positive definite for d ≤ {largest} columns, and not from d = {largest + 1} on" in verdict.reasons
    assert [ks.analyze(text, dim=d).verdict.positive_definite for d in (largest, largest + 1)] == [
        "proved",
        "disproved",
    ]


def test_what_fails_at_once_says_so() -> None:
    reasons = ks.analyze("gaussian(scale=2) - 0.1*gaussian()").verdict.reasons
    assert reasons[-1].startswith("with 1 column: the spectral density is -")


@pytest.mark.slow
def test_what_holds_for_all_that_are_tried_is_no_proof() -> None:
    verdict = ks.analyze("exponential() - 0.01*gaussian()").verdict
    assert verdict.positive_definite == "unknown"
    assert "proved for d = 1, …, 256" in verdict.reasons[-1]


@pytest.mark.parametrize("text", ["gaussian(scale=d) - 0.1*gaussian(scale=2*d)", "gaussian()[0] - 0.1*gaussian()[1]"])
def test_where_columns_are_part_of_the_spec_nothing_is_concluded(text: str) -> None:
    assert not any("columns, and not from" in reason for reason in ks.analyze(text).verdict.reasons)


TEXTS = {
    "(gaussian() + laplace())**3": 4,
    "(gaussian() - laplace())*(gaussian() + laplace())": 2,
    "((gaussian() + cauchy())[0] - laplace()[0])*match()[1]": 3,
    "stretch(gaussian() + laplace(), 2)*(gaussian() - 1/2*laplace())": 4,
    "matern(nu=1/2) - powered_exponential(alpha=1)": 0,
    "powered_exponential(alpha=2) - gaussian(scale=sqrt(1/2))": 0,
    "(gaussian() + match())**2 - match()": 2,
    "dual(relu, gaussian()/2 - laplace()/2)*gaussian()": 1,
}


@pytest.mark.parametrize("text", TEXTS)
def test_values_are_the_same(text: str) -> None:
    rows = Rows(np.random.default_rng(0).standard_normal((6, 2)))
    kernel = ks.parse(text).numeric_kernel(Columns(2))
    pairs = NumericPairs(rows, rows)
    gap = np.asarray(expanded(kernel).value(pairs) - kernel.value(pairs))
    assert np.abs(gap).max() < 1e-14


@pytest.mark.parametrize(("text", "count"), TEXTS.items())
def test_equal_terms_are_merged(text: str, count: int) -> None:
    found = expanded(ks.parse(text).symbolic_kernel(Columns(2)))
    assert (len(found.terms) if isinstance(found, Sum) else 1) == count


def test_too_many_terms_are_left_alone() -> None:
    kernel = ks.parse("(gaussian() + laplace() + cauchy())**100").numeric_kernel(Columns(1))
    assert expanded(kernel) is kernel
