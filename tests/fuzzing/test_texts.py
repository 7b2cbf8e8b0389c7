"""Texts that nobody should write: parsed, analysed, and compiled on a small table."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.testing.strategies import kernels
from tests.fuzzing.campaign import campaign
from tests.fuzzing.invariant import finite_of_shape, refused_or_right
from tests.fuzzing.mutation import SINGLE_TEXTS, texts_near

ROWS = np.array([[0.3, 1.25], [0.5, -2.0], [-1.5, 0.4], [0.0, 0.0], [1.0, 1.0]])


def parses(text: str) -> None:
    """What parses is printed as a text that parses to the same."""
    with refused_or_right():
        spec = ks.parse(text)
        assert ks.parse(str(spec)) == spec


def analyzes(text: str) -> None:
    """The facts of what parses can be shown."""
    with refused_or_right():
        facts = ks.analyze(ks.parse(text), dim=2)
        assert str(facts)
        assert facts.to_dict()


def compiles(text: str) -> None:
    """Features and kernel matrices of what compiles are finite and of their shape."""
    with refused_or_right():
        spec = ks.parse(text)
        finite_of_shape(spec.gram(ROWS), (5, 5))
        fmap = ks.compile(spec, data=ROWS, n_features=24)
        finite_of_shape(fmap.left(ROWS), (5, fmap.n_columns))
        finite_of_shape(fmap.approximate(ROWS), (5, 5))


@pytest.mark.slow
def test_parse(fuzzing_cases: int | None) -> None:
    campaign(texts_near(), parses, 300, fuzzing_cases and fuzzing_cases * 45 // 100)


def test_analyze(fuzzing_cases: int | None) -> None:
    campaign(texts_near(SINGLE_TEXTS, most=2), analyzes, 4, fuzzing_cases and fuzzing_cases // 100)


@pytest.mark.slow
def test_compile(fuzzing_cases: int | None) -> None:
    campaign(
        texts_near(SINGLE_TEXTS, most=2) | texts_near(most=2) | kernels(2),
        compiles,
        40,
        fuzzing_cases and fuzzing_cases * 9 // 100,
    )
