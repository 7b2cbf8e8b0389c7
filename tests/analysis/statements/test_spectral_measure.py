"""What a report says of the spectral measure."""

from __future__ import annotations

import pytest

import kernelspec as ks
from kernelspec.analysis.facts import Facts

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
