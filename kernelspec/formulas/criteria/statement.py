"""What a criterion says about f(‖x − y‖)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from kernelspec.formulas.formula import Formula

__all__ = ["Criterion", "Statement"]


@dataclass(frozen=True, slots=True)
class Statement:
    """f(‖x − y‖) is positive definite on R^d for all d ≤ `holds`, and not for d ≥ `fails`; None: for every d, for none.

    A function that is so on R^d is so on all smaller spaces, and the reverse for what fails [Schoenberg 1938].
    """

    holds: int | None
    fails: int | None
    reason: str


Criterion: TypeAlias = Callable[[Formula], Statement | None]
"""None: the criterion does not apply."""
