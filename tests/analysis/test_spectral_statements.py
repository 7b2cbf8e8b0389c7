"""Tests of `analysis/spectral_statements.py`."""

from __future__ import annotations

import math

import pytest

import kernelspec as ks
from kernelspec.analysis.facts import Facts
from kernelspec.analysis.spectral_statements import (
    atoms,
    masses,
    moments,
    second_moment,
    spectral_density,
    tail_exponent,
)


def test_two_waves() -> None:
    fact = atoms(ks.analyze("cosine(2)", dim=1))
    assert fact.value == {"points": [[2.0], [-2.0]], "weights": [0.5, 0.5], "omitted": 0.0}
    assert fact.lines == ("  atom 0.5 at (2)", "  atom 0.5 at (-2)")


def test_none() -> None:
    fact = atoms(ks.analyze("gaussian()", dim=1))
    assert (fact.value, fact.lines) == (None, ())


def test_positive_definite_and_asymmetric() -> None:
    assert masses(ks.analyze("3*gaussian()", dim=2)).lines == ("total variation = 3",)
    found = masses(ks.analyze("shift_gaussian(by=1)", dim=1))
    assert len(found.lines) == 3
    assert float(found.value["total_variation"]) == 1.0
    # ‖μ_R⁺‖ − ‖μ_R⁻‖ = k(0)
    difference = float(found.value["real_positive"]) - float(found.value["real_negative"])
    assert abs(difference - math.exp(-0.5)) < 1e-12


def test_why_there_are_none() -> None:
    free = masses(ks.analyze("param w\nw*gaussian() + laplace()", dim=1))
    assert (free.value, free.explains) == (None, True)
    assert free.lines == (f"masses: {free.missing}",)
    assert masses(ks.analyze("match()", dim=1)).lines == ()


def test_text_latex_and_data() -> None:
    found = moments(ks.analyze("param s > 0\ngaussian(s)", dim=1))
    assert found.value == {"4": "3/s**4", "6": "15/s**6"}
    assert found.lines == ("E ω⁴ = 3/s**4", "E ω⁶ = 15/s**6")
    assert found.latex[0] == (r"\mathbb{E}\,\omega^4", r"\frac{3}{s^{4}}")


def test_up_to_the_first_that_is_infinite() -> None:
    assert moments(ks.analyze("laplace()*gaussian()", dim=1)).value == {"4": "infinite"}
    assert moments(ks.analyze("matern(nu=5/2)", dim=1)).lines == ("E ω⁴ = 25", "E ω⁶ = infinite")


def test_left_out() -> None:
    for text, dim in (("gaussian()", 2), ("matern(nu=2)", 1), ("match()", 1), ("shift(laplace(), by=1)", 1)):
        found = moments(ks.analyze(text, dim=dim))
        assert (found.value, found.lines, found.latex) == (None, (), ())


def test_finite_infinite_undefined() -> None:
    found = {text: second_moment(ks.analyze(text, dim=2)) for text in ("gaussian(2)", "laplace()", "match()")}
    assert (found["gaussian(2)"].value, found["gaussian(2)"].lines) == ("1/2", ("E‖ω‖² = 1/2",))
    assert (found["laplace()"].value, found["laplace()"].lines) == ("infinite", ("E‖ω‖² = infinite",))
    assert (found["match()"].value, found["match()"].lines) == (None, ())
    shifted = second_moment(ks.analyze("shift(laplace(), 1)", dim=1))
    assert (shifted.value, shifted.lines) == (None, ("E‖ω‖² = undefined, the measure is complex",))


def test_density_and_reason() -> None:
    fact = spectral_density(ks.analyze("laplace()", dim=1))
    assert fact.value == "1/(pi*(omega**2 + 1))"
    assert (fact.missing, fact.lines) == (None, (f"spectral density = {fact.value}",))
    fact = spectral_density(ks.analyze("cosine(1)", dim=1))
    assert (fact.value, fact.lines, fact.explains) == (None, (), True)
    assert "atoms" in str(fact.missing)


SPECTRAL = ("spectral_measure", "spectral_density", "atoms", "second_moment", "masses")


def spectral_lines(facts: Facts) -> list[str]:
    return [line for fact in facts.stated if fact.name in SPECTRAL for line in fact.lines]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("laplace()", ["E‖ω‖² = infinite", "total variation = 1"]),
        ("gaussian() - gaussian()", ["E‖ω‖² = undefined, k(x, x) is 0"]),
        ("gaussian()*match()[0]", ["spectral measure: none (match() compares"]),
        ("cosine(1)", ["  atom 0.5 at (1, 1)", "  atom 0.5 at (-1, -1)"]),
        ("periodic(1)", ["  … and "]),
        (
            "2*gaussian() - laplace()",
            ["masses of the real part = ", "masses of the imaginary part = 0", "  standard error of the masses "],
        ),
    ],
)
def test_lines(text: str, lines: list[str]) -> None:
    found = "\n" + "\n".join(spectral_lines(ks.analyze(text, dim=2)))
    for line in lines:
        assert f"\n{line}" in found


def test_no_more_atoms_than_a_reader_reads() -> None:
    """On one column periodic() has an atom at every multiple of its frequency."""
    facts = ks.analyze("periodic(1)", dim=1)
    lines = spectral_lines(facts)
    assert sum(line.startswith("  atom ") for line in lines) == 6
    assert f"  … and {len(facts.atoms.points) - 6} more" in lines


def test_masses_that_need_a_value() -> None:
    lines = spectral_lines(ks.analyze("param w\nw*gaussian() + laplace()", dim=1))
    assert lines[-1].startswith("masses: parameter 'w' has no value")


def test_powers_and_faster() -> None:
    found = tail_exponent(ks.analyze("laplace()*gaussian()", dim=1))
    assert (found.value, found.lines) == (2, ("the density falls like ‖ω‖^−2",))
    assert found.latex == ((r"\mu(\omega)", r"O(\lVert\omega\rVert^{-2})"),)
    found = tail_exponent(ks.analyze("cauchy()", dim=1))
    assert (found.value, found.lines) == ("infinite", ("the density falls faster than any power of ‖ω‖",))


def test_none_with_its_reason() -> None:
    for text, reason in (("periodic(1)", "atoms"), ("param s > 0\nlaplace(s)", "no value"), ("matern(nu=2)", "half")):
        found = tail_exponent(ks.analyze(text, dim=1))
        assert (found.value, found.lines) == (None, ())
        assert reason in str(found.missing)
