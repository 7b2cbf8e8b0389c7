"""What kind of kernel a node is, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from kernelspec.rendering.html import html_rows
from kernelspec.rendering.latex import latex_rows

__all__ = ["Verdict", "Witness", "joint_stationarity", "joint_symmetry"]

_ANSWERS = {True: "yes", False: "no", None: "unknown"}


@dataclass(frozen=True, slots=True)
class Witness:
    """What a kernel is disproved by, in numbers.

    A frequency with a negative density or atom, one number for every column; points, one row each, and the negative
    eigenvalue of their kernel matrix. None for what is not known.
    """

    frequency: tuple[float, ...] | None = None
    points: tuple[tuple[float, ...], ...] | None = None
    eigenvalue: float | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """Positive definite or not, symmetric or not, stationary or not, with the chain of reasons.

    `symmetric` and `stationary` are True or False where that is proved, and None where neither is. `stationary` is None
    also where the node mixes columns that have a difference with columns that have none (categories); where it is
    stationary in the former, `stationary_in_numbers` says so. `witness` has the numbers of a disproof that has any.
    `most_columns` is the largest number of columns on which a kernel that fails on more is positive definite.
    """

    positive_definite: Literal["proved", "disproved", "unknown"]
    reasons: tuple[str, ...]
    symmetric: bool | None = True
    stationary: bool | None = True
    stationary_in_numbers: bool = False
    witness: Witness | None = None
    most_columns: int | None = None

    def __post_init__(self) -> None:
        if self.stationary_in_numbers and self.stationary is not None:
            raise ValueError("what is stationary in its numeric columns alone is neither stationary nor not")

    def answers(self) -> tuple[tuple[str, str], ...]:
        """The three questions, and the answers to them in words."""
        stationary = "in its numeric columns" if self.stationary_in_numbers else _ANSWERS[self.stationary]
        return (
            ("positive definite", self.positive_definite),
            ("symmetric", _ANSWERS[self.symmetric]),
            ("stationary", stationary),
        )

    def __repr__(self) -> str:
        return f"Verdict({', '.join(f'{question}: {answer}' for question, answer in self.answers())})"

    def _repr_html_(self) -> str:
        return html_rows("Verdict", self._rows())

    def _repr_latex_(self) -> str:
        return latex_rows(self._rows())

    def _rows(self) -> list[tuple[str, str]]:
        return [*self.answers(), ("since", "\n".join(self.reasons))]


def joint_symmetry(parts: Sequence[Verdict], *, linear: bool) -> bool | None:
    """Whether a sum (`linear`) or a product of kernels is symmetric, as far as its parts tell.

    It is where all are. A sum is not where one alone is not, as the difference of two symmetric kernels is symmetric;
    a product may still vanish wherever its factor is not symmetric.
    """
    answers = [part.symmetric for part in parts]
    if all(answers):
        return True
    return False if linear and answers.count(False) == 1 and None not in answers else None


def joint_stationarity(parts: Sequence[Verdict]) -> tuple[bool | None, bool]:
    """Whether a sum or a product of kernels is stationary, and whether it is so in its numeric columns alone.

    It is where all parts are, and is not where one alone is not. Of several that are not, the sum may be: no rule
    decides it.
    """
    in_numbers = [part.stationary is True or part.stationary_in_numbers for part in parts]
    if all(in_numbers):
        whole = all(part.stationary for part in parts)
        return (True, False) if whole else (None, True)
    alone = [part.stationary for part in parts].count(False) == 1 and in_numbers.count(False) == 1
    return (False, False) if alone else (None, False)
