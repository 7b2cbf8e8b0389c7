"""For which numbers of columns a kernel is positive definite."""

from __future__ import annotations

import pytest

import kernelspec as ks


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
