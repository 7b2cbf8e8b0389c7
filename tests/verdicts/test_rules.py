"""Tests of `verdicts/rules.py`."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.elaboration.scope import Columns
from kernelspec.verdicts.rules import (
    Finding,
    Question,
    by_closed_densities,
    by_common_factor,
    by_densities,
    by_expansion,
    by_parts,
)


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


@pytest.mark.parametrize(
    ("text", "proved"),
    [
        ("laplace()[0]*match()[1] - 0.1*gaussian()[0]*match()[1]", True),
        ("laplace()[0]*match()[1] - 0.9*gaussian()[0]*match()[1]", False),  # nothing follows
        ("gaussian()*match()[0] - 0.5*match()[0]", False),  # one term is the factor alone
        ("gaussian() - 0.1*laplace()", False),
        ("match()[1]", False),
    ],
)
def test_answers(text: str, proved: bool) -> None:
    found = by_common_factor(Question(ks.parse(text).symbolic_kernel(Columns(2))))
    assert (found is not None) == proved
    if found is not None:
        assert "Schur 1911" in found.reasons[-1]
        assert found.positive_definite == "proved"


def asked(text: str, dim: int) -> tuple[str, str]:
    found = by_densities(Question(ks.parse(text).symbolic_kernel(Columns(dim))))
    return ("", "") if found is None else (found.positive_definite, found.reasons[-1])


@pytest.mark.parametrize(
    ("text", "dim", "answer", "words"),
    [
        ("laplace() - 0.1*gaussian()", 5, "proved", "nowhere negative"),
        ("laplace() - 0.1*gaussian()", 6, "disproved", "-3.82e-06 < 0 at ω = (1, 1, 1, 1, 1, 1)"),
        ("triangle() - 0.001*gaussian()", 1, "disproved", "-1.07e-12 < 0 at ω = (6.28319)"),
        ("gaussian() - 0.25*gaussian(scale=2)", 2, "proved", "nowhere negative"),
        ("cosine(by=1)*cosine(by=2) - 0.6*cosine(by=3)", 1, "disproved", "the atom -0.05 < 0 at ω = ("),
        ("cosine(by=1) - 0.1*gaussian()", 1, "disproved", "density"),
        ("gaussian() - 0.1*gaussian()[1]", 2, "disproved", "density on column 1 is"),
        ("match()[0] + gaussian()[1] - 0.2*gaussian(scale=2)[1]", 2, "proved", "nowhere negative"),
        ("match()[0] + gaussian()[1] - 0.8*gaussian(scale=2)[1]", 2, "", ""),
        ("gaussian() - 0.1*match()", 1, "", ""),
        ("param w\\ngaussian() - w*laplace()", 1, "", ""),
    ],
)
def test_answers_densities(text: str, dim: int, answer: str, words: str) -> None:
    found, reason = asked(text.replace("\\n", "\n"), dim)
    assert found == answer
    assert words in reason


def test_a_frequency_is_where_the_density_is_negative() -> None:
    text = "exponential() - 0.5*gaussian()"
    found = by_densities(Question(ks.parse(text).symbolic_kernel(Columns(3))))
    assert found is not None
    assert found.frequency is not None
    assert ks.analyze(text, dim=3).spectral_density_at(np.array([found.frequency]))[0] < 0


@pytest.mark.parametrize("dim", [1, 4, None])
def test_squares_cancel(dim: int | None) -> None:
    verdict = ks.analyze("(gaussian() + laplace())**2 - (gaussian()**2 + laplace()**2)", dim=dim).verdict
    assert verdict.positive_definite == "proved"
    assert verdict.reasons[-1] == "multiplied out, the kernel is 2*gaussian(scale=1)*laplace(scale=1)"


def test_what_stays_signed_is_left_open() -> None:
    kernel = ks.parse("(gaussian() - laplace())**2").symbolic_kernel(Columns(1))
    assert by_expansion(Question(kernel)) is None


def test_long_kernels_are_not_shown() -> None:
    sums = " + ".join(f"gaussian(scale={n})[0]*laplace()[1]" for n in range(2, 12))
    verdict = ks.analyze(f"(gaussian() + {sums})**2 - gaussian()**2", dim=2).verdict
    assert verdict.reasons[-1] == "multiplied out, the kernel is a weighted sum of products"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "dim", "source"),
    [
        ("max(0, 1 - r)**4*(4*r + 1)", 5, "Wendland 1995: φ_{3,1} up to d = 3"),
        ("exp(-r)*(1 + sin(3*r)/3)", 3, "numbers"),
        ("(1 - r**2)*exp(-r**2/2)", 2, "the density has the factor ω² − (d − 1)"),
    ],
)
def test_disproved(text: str, dim: int, source: str) -> None:
    verdict = ks.analyze(f"radial(r -> {text})", dim=dim).verdict
    assert verdict.positive_definite == "disproved", source


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "dim", "source"),
    [
        ("(1 - r**2)*exp(-r**2/2)", 1, "minus the second derivative of a Gaussian"),
        ("(1 - r**2/3)*exp(-r**2/2)", 3, "the Laplacian of a Gaussian"),
        ("max(0, 1 - r)**4*(4*r + 1)*exp(-r)", 3, "a product of kernels, Wendland's and the exponential"),
    ],
)
def test_never_disproved(text: str, dim: int, source: str) -> None:
    assert ks.analyze(f"radial(r -> {text})", dim=dim).verdict.positive_definite != "disproved", source


PART = "(laplace() - 0.1*gaussian())"


@pytest.mark.parametrize(
    ("text", "proved"),
    [
        (f"gaussian()*{PART}", True),
        (f"{PART}**2", True),
        (f"stretch({PART}, 2)", True),
        (f"dual(exp(c=1), {PART})", True),
        (f"match()*{PART} + gaussian()", True),
        ("gaussian()*(gaussian() - laplace())", False),
        (f"gaussian()*{PART} - 0.1*match()", False),
        ("gaussian()", False),
    ],
)
def test_answers_parts(text: str, proved: bool) -> None:
    found = by_parts(Question(ks.parse(text).symbolic_kernel(Columns(1))))
    assert (found is not None) == proved
    assert found is None or found.positive_definite == "proved"


def test_a_question_is_multiplied_out_once() -> None:
    question = Question(ks.parse("gaussian()*(laplace() + cauchy())").symbolic_kernel(Columns(2)))
    assert str(question.expanded) == "gaussian(scale=1)*laplace(scale=1) + gaussian(scale=1)*cauchy(scale=1)"
    assert question.expanded is question.expanded


def test_a_proof_needs_no_frequency() -> None:
    assert Finding("proved", ("by definition",)).frequency is None
