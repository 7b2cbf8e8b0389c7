"""Whether the kernel is positive definite, symmetric and stationary, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kernelspec.analysis.fact import Fact

if TYPE_CHECKING:
    from kernelspec.analysis.facts import Facts
    from kernelspec.kernels.verdict import Verdict, Witness

__all__ = ["positive_definite_in_words", "verdict", "verdict_lines", "verdict_to_dict"]


def verdict(facts: Facts) -> Fact:
    """The verdict with its reasons."""
    found = facts.verdict
    lines = (f"positive definite: {positive_definite_in_words(found)}", *verdict_lines(found), "")
    return Fact(name="verdict", value=verdict_to_dict(found), lines=lines)


def positive_definite_in_words(verdict: Verdict) -> str:
    """The answer, with the columns on which it is another."""
    if verdict.most_columns is None:
        return verdict.positive_definite
    columns = f"{verdict.most_columns} column{'s' * (verdict.most_columns != 1)}"
    return f"{verdict.positive_definite}: positive definite in up to {columns}, not in any number of them"


def verdict_lines(verdict: Verdict) -> list[str]:
    """The reasons for the answer on positive definiteness, and the other two answers."""
    _, *others = verdict.answers()
    return [
        *(f"  - {reason}" for reason in verdict.reasons),
        *(f"{question}: {answer}" for question, answer in others),
    ]


def verdict_to_dict(verdict: Verdict) -> dict[str, Any]:
    """A verdict as JSON data; what is not known is null."""
    return {
        "positive_definite": verdict.positive_definite,
        "most_columns": verdict.most_columns,
        "symmetric": verdict.symmetric,
        "stationary": verdict.stationary,
        "stationary_in_numeric_columns": verdict.stationary is True or verdict.stationary_in_numbers,
        "reasons": list(verdict.reasons),
        "witness": None if verdict.witness is None else _witness_to_dict(verdict.witness),
    }


def _witness_to_dict(witness: Witness) -> dict[str, Any]:
    return {
        "frequency": None if witness.frequency is None else list(witness.frequency),
        "points": None if witness.points is None else [list(point) for point in witness.points],
        "eigenvalue": witness.eigenvalue,
    }
