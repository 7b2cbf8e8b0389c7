"""Differences of products, decided by their closed densities."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.elaboration.scope import Columns
from kernelspec.verdicts.rules import Question, by_closed_densities


def found(text: str, dim: int) -> str | None:
    finding = by_closed_densities(Question(ks.parse(text).symbolic_kernel(Columns(dim))))
    return None if finding is None else finding.positive_definite


@pytest.mark.parametrize(
    ("text", "dim", "expected"),
    [
        ("gaussian()*laplace() - 0.1*gaussian()", 1, "proved"),
        ("gaussian()*laplace() - 0.6*gaussian()", 1, "disproved"),
        ("exponential() - 0.5*matern(nu=3/2)*exponential()", 3, "proved"),
        ("exponential() - 1.5*matern(nu=3/2)*exponential()", 3, "disproved"),
        ("gaussian()*laplace() - 0.1*gaussian()", 2, None),
        ("gaussian()*laplace() - 0.1*cosine(1)", 1, None),
        ("shift(laplace(), by=1)*gaussian()", 1, None),
    ],
)
def test_findings(text: str, dim: int, expected: str | None) -> None:
    assert found(text, dim) == expected


@pytest.mark.slow
def test_a_disproof_has_its_frequency_and_its_rows() -> None:
    verdict = ks.analyze("gaussian()*laplace() - 0.9*gaussian()", dim=1).verdict
    assert verdict.positive_definite == "disproved"
    assert verdict.witness is not None
    x = np.array(verdict.witness.points)
    gap = np.abs(x - x.T)
    matrix = np.exp(-(gap**2) / 2) * (np.exp(-gap) - 0.9)
    assert np.linalg.eigvalsh(matrix)[0] == pytest.approx(verdict.witness.eigenvalue, rel=1e-6)


def test_what_is_proved_has_no_negative_mass() -> None:
    facts = ks.analyze("gaussian()*laplace() - 0.1*gaussian()", dim=1)
    assert float(facts.masses.real_positive) == pytest.approx(0.9)
    assert (facts.masses.real_negative, facts.masses.error) == (0, 0)


def test_a_symbol_is_left_open() -> None:
    assert (
        ks.analyze("param s > 0\ngaussian(s)*laplace() - 0.1*gaussian()", dim=1).verdict.positive_definite == "unknown"
    )
