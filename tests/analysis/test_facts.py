"""Tests of `analysis/facts.py`."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.analysis.facts import Fact, answer_or_reason


def test_nothing_is_shown_that_is_not_given() -> None:
    fact = Fact(name="size", value=2)
    assert (fact.lines, fact.latex, fact.explains, fact.missing) == ((), (), False, None)
    with pytest.raises(dataclasses.FrozenInstanceError):
        fact.name = "other"  # type: ignore[misc]


VERDICTS = [
    ("gaussian()", "proved"),
    ("0.5*gaussian() + 3*match()", "proved"),
    ("(gaussian()*laplace())**2", "proved"),
    ("gaussian() - gaussian()", "proved"),
    ("(-gaussian())*(-laplace())", "proved"),
    ("normalize(gaussian() + laplace())[0]", "proved"),
    ("-gaussian()", "disproved"),
    ("gaussian() - 2*laplace()", "disproved"),
    ("gaussian() - laplace()", "disproved"),
    ("2*gaussian() - 1.9*laplace()", "disproved"),
    ("gaussian(2) - 0.5*gaussian(1)", "disproved"),
    ("match() - gaussian()", "disproved"),
    ("1e-12*(gaussian() - laplace())", "disproved"),
    ("2*laplace() - 0.1*gaussian()", "proved"),  # its density is positive
    ("-((0.1*gaussian() - 2*laplace())*cauchy())", "proved"),  # a product of two that are
    ("gaussian() - 0.5*gaussian()[0]*gaussian()[1]", "proved"),  # half a gaussian
]


@pytest.mark.parametrize(("text", "verdict"), VERDICTS, ids=[row[0] for row in VERDICTS])
def test_verdict(text: str, verdict: str) -> None:
    found = ks.analyze(text, dim=2).verdict
    assert found.positive_definite == verdict
    assert found.symmetric
    assert found.reasons


@pytest.mark.parametrize(
    ("text", "verdict"),
    [("param w > 0\nw*gaussian() + laplace()", "proved"), ("param w < 0\nw*gaussian() + laplace()", "unknown"),
     ("param w\nw*gaussian() + laplace()", "unknown"), ("param w > 0\n-w*laplace()", "disproved"),
     ("param w > 0\nlaplace() - w*gaussian()", "unknown")],
)  # fmt: skip
def test_verdict_with_free_weights(text: str, verdict: str) -> None:
    assert ks.analyze(text).verdict.positive_definite == verdict
    assert ks.analyze(text, dim=2).verdict.positive_definite == verdict


def test_stationary() -> None:
    assert ks.analyze("gaussian()", dim=2).verdict.stationary is True
    assert ks.analyze("gaussian()*match()[0]", dim=2).verdict.stationary is None


def test_every_number_has_its_name() -> None:
    facts = ks.analyze("0.7*gaussian(scale=2) + 0.3*cauchy()", dim=8)
    assert facts.k0 == facts.masses.total_variation == facts.masses.real_positive == 1
    assert (facts.masses.real_negative, facts.masses.imaginary_positive, facts.masses.imaginary_negative) == (0, 0, 0)
    assert facts.mean is None
    assert facts.verdict.positive_definite == "proved"
    assert float(facts.second_moment) == pytest.approx(0.7 * 8 / 4 + 0.3 * 16)
    assert facts.bound(0.1, 0.05, 2).columns == 2 * facts.bound(0.1, 0.05, 2).samples
    zero = np.zeros((3, 8))
    expected = 0.7 * (4 / (2 * np.pi)) ** 4 + 0.3 / 2**8
    np.testing.assert_allclose(facts.spectral_density_at(zero), np.full(3, expected))
    assert float(facts.spectral_density.subs(dict.fromkeys(facts.spectral_density.free_symbols, 0))) == pytest.approx(
        expected
    )
    np.testing.assert_allclose(facts.characteristic_function(zero), np.ones(3))
    assert facts.atoms is None
    assert set(facts.variance) == {"paired", "phase", "complex"}
    assert facts.latex().startswith("\\begin{align*}")
    assert facts.to_dict()["k0"] == "1"


def test_an_answer_has_no_reason() -> None:
    assert answer_or_reason(lambda: 3) == (3, None)
    assert answer_or_reason(lambda: None) == (None, None)


def test_the_reason_of_a_spec_shows_no_place() -> None:
    spec = ks.parse("param s > 0\ngaussian(s)", name="churn.kernel")
    nothing, reason = answer_or_reason(lambda: spec.gram([[0.0]]))
    assert nothing is None
    assert reason is not None
    assert reason.startswith("parameter 's' has no value")


def test_other_refusals_are_reasons_as_they_are() -> None:
    facts = ks.analyze("cosine(1)", dim=1)
    nothing, reason = answer_or_reason(lambda: facts.spectral_density)
    assert nothing is None
    assert reason is not None
    assert "consists of atoms" in reason


def test_faults_are_not_reasons() -> None:
    with pytest.raises(ZeroDivisionError):
        answer_or_reason(lambda: 1 / 0)
