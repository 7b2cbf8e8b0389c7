"""The names of the ways to plan features. Light: the command line imports it to say what there is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from kernelspec.laws.catalogue import DRAWS, SCHEMES

if TYPE_CHECKING:
    from kernelspec.numerics.phasor import Form

__all__ = ["ANCHORED", "DRAW_NAMES", "FORMS", "METHODS", "Anchoring", "Draws", "Method", "are_biased"]

Method: TypeAlias = str
"""One of METHODS: "auto", a form, a scheme of the laws' catalogue, or anchors."""

Draws: TypeAlias = str
"""One of DRAW_NAMES: "auto", "independent", or a way to draw samples together."""

Anchoring: TypeAlias = Literal["auto", "never"]
"""Whether a plan may keep rows of the data."""

FORMS: tuple[Form, ...] = ("paired", "phase", "complex")
"""How a complex amplitude becomes columns."""

ANCHORED: tuple[str, ...] = ("anchored", "nystrom")
"""Anchors with samples for what they leave, unbiased; and anchors alone, biased."""

METHODS: tuple[str, ...] = ("auto", *FORMS, *sorted(SCHEMES), *ANCHORED)

DRAW_NAMES: tuple[str, ...] = ("auto", "independent", *DRAWS)


def are_biased(draws: str | None) -> bool:
    """Whether samples of these draws have another mean than independent ones; they are taken only if they are named."""
    return draws is not None and draws in DRAWS and DRAWS[draws].bias is not None
