"""Texts of calls follow from declared arguments, or the table that wants a line is named."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from kernelspec.expressions.arguments import Scalar, integer, real
from kernelspec.kernels.leaves.cosine import Cosine
from kernelspec.kernels.leaves.matern import Matern
from kernelspec.testing.strategies.ingredients import argument_texts, call_texts
from tests.testing.strategies.examples import drawn


@dataclass(frozen=True, kw_only=True)
class Narrow:
    """Arguments in ranges of their own."""

    share: Scalar = real(at_least=0, at_most=0.6)
    above: Scalar = real(above=3.99)
    count: Scalar = integer(at_least=2, at_most=3)


def test_numbers_lie_in_their_ranges() -> None:
    texts = argument_texts(Narrow, table="")
    assert {float(text) for text in drawn(texts["share"], 30)} <= {n / 100 for n in range(50, 61)}
    assert set(drawn(texts["above"], 5)) == {"4"}
    assert set(drawn(texts["count"], 20)) == {"2", "3"}


def test_calls_have_all_arguments() -> None:
    (text,) = drawn(call_texts("matern", Matern, table=""), 1)
    assert text.startswith("matern(nu=")
    assert ", scale=" in text


def test_what_has_no_strategy_is_said_with_the_table() -> None:
    with pytest.raises(TypeError, match=r"'by' of Cosine.*add a line to _FAMILIES"):
        call_texts("cosine", Cosine, table="_FAMILIES")

    @dataclass(frozen=True, kw_only=True)
    class Small:
        size: Scalar = real(above=0, at_most=0.1)

    with pytest.raises(TypeError, match="'size' of Small"):
        call_texts("small", Small, table="_FAMILIES")
