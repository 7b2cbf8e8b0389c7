"""Tests of `testing/strategies/ingredients.py`."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kernelspec as ks
from kernelspec.catalogue import ACTIVATIONS, DISTRIBUTIONS, KERNELS
from kernelspec.expressions.arguments import Scalar, integer, real
from kernelspec.kernels.leaves.discrete import Cosine
from kernelspec.kernels.leaves.radial import Matern
from kernelspec.testing.strategies import tables
from kernelspec.testing.strategies.ingredients import (
    ACTIVATED,
    DISTRIBUTED,
    FAMILIES,
    PLACES,
    SYMMETRIC,
    argument_texts,
    call_texts,
    decimals,
    vectors,
)
from tests.testing.strategies.examples import drawn
from tests.thoroughness import examples


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


OF_FORMULAS = {"normalised linear", "product"}


def test_they_are_the_whole_language() -> None:
    assert set(FAMILIES) == set(KERNELS) | OF_FORMULAS
    assert set(ACTIVATED) == set(ACTIVATIONS)
    assert set(DISTRIBUTED) | set(SYMMETRIC) == set(DISTRIBUTIONS)


@pytest.mark.parametrize("name", FAMILIES)
def test_families_are_what_they_say(name: str) -> None:
    own = FAMILIES[name]
    for text in drawn(own.write, 5):
        spec = ks.parse(f"({text})[{PLACES[own.holds]}]")
        kernel = spec.kernel(spec.columns(10))
        assert (kernel.verdict().positive_definite == "proved") == own.positive, text
        if own.of_lags:
            stretched = ks.parse(f"(stretch({text}, 2))[{PLACES[own.holds]}]")
            stretched.kernel(stretched.columns(10))
        if own.of_size_one:
            assert kernel.magnitude() == kernel.diagonal() == 1


@pytest.mark.parametrize("name", ACTIVATED)
def test_activations(name: str) -> None:
    for text in drawn(ACTIVATED[name], 3):
        gram = ks.parse(f"dual({text}, gaussian())").gram(np.eye(2))
        np.testing.assert_allclose(np.diagonal(gram), 1, rtol=1e-9)


@pytest.mark.long
@pytest.mark.parametrize(("low", "high"), [(0.25, 4), (0, 3), (0.1, 0.5)])
def test_decimals_are_in_the_interval_and_reach_both_ends(low: float, high: float) -> None:
    found = drawn(decimals(low, high), 600)
    values = [Fraction(text) for text in found]
    assert all((100 * value).denominator == 1 and "e" not in text for value, text in zip(values, found, strict=True))
    assert (float(min(values)), float(max(values))) == (low, high)


@pytest.mark.long
@pytest.mark.parametrize("dim", [1, 3])
def test_vectors_have_one_number_or_one_for_every_column(dim: int) -> None:
    found = drawn(vectors(decimals, dim, 0.5, 3), 200)
    lists = [text[1:-1].split(", ") for text in found if text.startswith("[")]
    assert 0 < len(lists) < len(found)
    assert {len(entries) for entries in lists} == {dim}
    assert all(0.5 <= float(entry) <= 3 for entries in lists for entry in entries)


def test_on_any_number_of_columns_there_are_no_vectors() -> None:
    assert not any("[" in text for text in drawn(vectors(decimals, None, 0.5, 3), 200))


@pytest.mark.long
@settings(max_examples=examples(200), derandomize=True, database=None)
@given(st.integers(1, 4), st.integers(1, 3), st.integers(0, 3), st.data())
def test_tables_have_the_shape_asked_for(dim: int, low: int, more: int, data: st.DataObject) -> None:
    table = data.draw(tables(dim, min_rows=low, max_rows=low + more))
    assert table.dtype == np.float64
    assert low <= len(table) <= low + more
    assert table.shape[1:] == (dim,)
    assert (np.abs(table) <= 3).all()


@pytest.mark.long
def test_categories_repeat_in_tables() -> None:
    found = drawn(tables(1, min_rows=4), 200)
    assert any(1 < len(np.unique(table)) < len(table) for table in found)
    assert any((table % 1 != 0).any() for table in found)
