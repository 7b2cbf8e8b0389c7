"""What the samples of a law leave out: why their mean is not the kernel, and by how much at most."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kernelspec.activations.activation import Activation

__all__ = ["Cut", "cut_lines", "lost_by"]


@dataclass(frozen=True)
class Cut:
    """A dual in words, with what is left out of it, and the most that its samples are biased by for that reason."""

    what: str
    omitted: float


def cut_lines(cuts: Iterable[Cut]) -> list[str]:
    """What is left out, in words."""
    return [f"  biased: {cut.what}, so that its features have a mean within {cut.omitted:.3g} of it" for cut in cuts]


def lost_by(activation: Activation) -> str:
    """What an incomplete activation leaves out, in words."""
    return f"leaves out {100 * activation.omitted:.2g} % of E σ², in its exact values too"
