"""Texts that nobody should write: parsed, analysed, and compiled on a small table."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Mapping
from pathlib import Path
from random import Random
from types import MappingProxyType

import numpy as np

import kernelspec as ks
from kernelspec.analysis.overview import overview
from tests.fuzzing.campaign import Target
from tests.fuzzing.invariant import finite_of_shape, refused_or_right
from tests.fuzzing.mutation import SINGLE_TEXTS, TEXTS, composed_text, text_near

__all__ = ["ROWS", "TARGETS", "analyzes", "compiles", "parses"]

ROWS = np.array([[0.3, 1.25], [0.5, -2.0], [-1.5, 0.4], [0.0, 0.0], [1.0, 1.0]])


def parses(text: str, folder: Path | None = None) -> None:
    """What parses is printed as a text that parses to the same."""
    with refused_or_right():
        spec = ks.parse(text)
        assert ks.parse(str(spec)) == spec


def analyzes(text: str, folder: Path | None = None) -> None:
    """The facts of what parses can be shown, whole and on a screen."""
    with refused_or_right():
        facts = ks.analyze(ks.parse(text), dim=2)
        assert str(facts)
        assert facts.to_dict()
        assert "\n".join(overview(facts))


def compiles(text: str, folder: Path | None = None) -> None:
    """Features and kernel matrices of what compiles are finite and of their shape."""
    with refused_or_right(), warnings.catch_warnings():
        if _has_numbers_too_large_for_angles(text):
            warnings.simplefilter("ignore", ks.RoundingWarning)
        spec = ks.parse(text)
        finite_of_shape(spec.gram(ROWS), (5, 5))
        fmap = ks.compile(spec, data=ROWS, n_features=24)
        finite_of_shape(fmap.left(ROWS), (5, fmap.n_columns))
        finite_of_shape(fmap.approximate(ROWS), (5, 5))


_NUMBER = re.compile(r"\d+\.?\d*(?:e[+-]?\d+)?")
_DECADES = 6.0
_LARGE_POWER = 20.0


def _has_numbers_too_large_for_angles(text: str) -> bool:
    """Whether the numbers of a text can make frequencies that rounding damages: ROWS are small, so few can.

    All may be multiplied, or raised to a power; a relative 1e-3 is lost at angles of 1e12, and heavy tails reach far.
    """
    numbers = [value for found in _NUMBER.findall(text) if 0 < (value := float(found)) < math.inf]
    decades = sum(abs(math.log10(value)) for value in numbers)
    return decades >= _DECADES or ("**" in text and max(numbers, default=0) >= _LARGE_POWER)


def _few_edits(random: Random) -> str:
    if random.randrange(3):
        return composed_text(random)
    return text_near(random, random.choice((SINGLE_TEXTS, TEXTS)), most=2)


def _many_edits(random: Random) -> str:
    return text_near(random) if random.randrange(4) else composed_text(random)


TARGETS: Mapping[str, Target] = MappingProxyType(
    {
        "texts: parsed and printed": Target(_many_edits, parses, short=300, share=430),
        "specs: analysed": Target(_few_edits, analyzes, short=4, share=20),
        "specs: compiled": Target(_few_edits, compiles, short=30, share=20),
    }
)
