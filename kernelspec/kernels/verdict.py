"""What kind of kernel a node is, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Verdict"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """Positive definite or not, symmetric or not, stationary or not, with the chain of reasons.

    `stationary` is None where the node mixes columns that have a difference with columns that have none
    (categories): stationary in the former only.
    """

    positive_definite: Literal["proved", "disproved", "unknown"]
    reasons: tuple[str, ...]
    symmetric: bool = True
    stationary: bool | None = True
