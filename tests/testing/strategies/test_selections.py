"""Selections mean the positions that are said to be selected."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kernelspec as ks
from kernelspec.kernels.nodes.columns_and_lags import Select
from kernelspec.testing.strategies.specs import draw_selection
from tests.testing.strategies.examples import drawn
from tests.thoroughness import examples

NAMES = ("age", 'a "quoted" one', "back\\slash", None)


@st.composite
def selections(draw: st.DrawFn) -> tuple[str, list[int], tuple[str | None, ...]]:
    columns = tuple(draw(st.permutations(NAMES)))[: draw(st.integers(1, 4))]
    return (*draw_selection(draw, columns), columns)


@pytest.mark.long
@settings(max_examples=examples(200), derandomize=True, database=None)
@given(selections())
def test_the_language_selects_the_positions_that_are_returned(
    found: tuple[str, list[int], tuple[str | None, ...]],
) -> None:
    text, positions, columns = found
    assert len(set(positions)) == len(positions) > 0
    names = [f"unnamed{i}" if name is None else name for i, name in enumerate(columns)]
    spec = ks.parse(f"gaussian()[{text}]")
    kernel = spec.kernel(spec.columns(None, names))
    selected = list(kernel.positions) if isinstance(kernel, Select) else list(range(len(columns)))
    assert selected == positions


@pytest.mark.long
def test_names_positions_and_slices_all_come() -> None:
    texts = [text for text, *_ in drawn(selections(), 300)]
    for part in ('"age"', '\\"quoted', "\\\\slash", "-1", ":", ", "):
        assert any(part in text for text in texts), part
