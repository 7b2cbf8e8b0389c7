"""Tests of `testing/strategies/specs.py`."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kernelspec as ks
from kernelspec.catalogue import KERNELS
from kernelspec.kernels.nodes.columns_and_lags import Select
from kernelspec.planning.methods import Method
from kernelspec.testing.strategies import LEAVES, kernels, specs, tables
from kernelspec.testing.strategies.specs import draw_selection
from tests.testing.strategies.examples import drawn
from tests.thoroughness import examples

NAMES = ("age", "in come", "land")
LEAF = re.compile(rf"\b({'|'.join(LEAVES)})\(")


@pytest.mark.long
def test_everything_that_may_come_comes() -> None:
    texts = drawn(kernels(3, names=NAMES, signed=True), 400)
    forms = ("mean(", ") ** 3", "stretch(", "modulate(", "normalize(", "param ", "let ")
    for word in (*(f"{name}(" for name in LEAVES), *forms, '"in come"', "[-1", "isotropic=true", " - ", "(-0"):
        assert any(word in text for text in texts), word
    assert any("dual(relu, " in text for text in drawn(kernels(3), 200))  # of kernels without signs
    assert any(len(LEAF.findall(text)) >= 4 for text in texts)
    grams = [ks.parse(text).gram(np.eye(3), columns=NAMES) for text in texts]
    assert sum(np.linalg.eigvalsh(gram)[0] < -0.01 for gram in grams) >= 14


OF_THEIR_OWN = {"binary", "circle", "linear", "rbf_cosine", "sphere"}
"""Kernels that do not take rows of any numbers in any number of columns, or have no size to be divided by."""


def test_strategies_cover_the_catalogue() -> None:
    assert set(LEAVES) | OF_THEIR_OWN == set(KERNELS) | OF_THEIR_OWN


NAMES_OF_SELECTIONS = ("age", 'a "quoted" one', "back\\slash", None)


@st.composite
def selections(draw: st.DrawFn) -> tuple[str, list[int], tuple[str | None, ...]]:
    columns = tuple(draw(st.permutations(NAMES_OF_SELECTIONS)))[: draw(st.integers(1, 4))]
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


METHODS: list[Method] = ["paired", "phase", "complex"]


@pytest.mark.long
@settings(max_examples=examples(150), derandomize=True, database=None)
@given(st.data())
def test_any_kernel_compiles_and_predicts_its_error(data: st.DataObject) -> None:
    spec = data.draw(specs(3, names=NAMES, max_leaves=4, signed=data.draw(st.booleans())))
    rows = data.draw(tables(3, max_rows=4))
    exact = spec.gram(rows, columns=NAMES)
    method = data.draw(st.sampled_from(METHODS))
    feature_map = ks.compile(spec, columns=NAMES, n_features=600, method=method)
    error = feature_map.approximate(rows) - exact
    deviation = np.sqrt(feature_map.predicted_variance(rows, hashed=False))
    # Chebyshev at 100 standard deviations, and rounding: a wrong weight or sign is further off in a tree this deep
    size = max(1.0, float(np.abs(exact).max()))
    assert (np.abs(error) <= 100 * deviation + 1e-9 * size).all()
    assert error.shape == (len(rows), len(rows))


@pytest.mark.long
@settings(max_examples=examples(100), derandomize=True, database=None)
@given(kernels(2, max_leaves=3, match=False, statements=False), tables(2, min_rows=2))
def test_kernels_without_signs_are_positive_semidefinite(text: str, rows: np.ndarray) -> None:
    gram = ks.parse(text).gram(rows)
    assert np.linalg.eigvalsh(gram).min() >= -1e-9 * max(1.0, np.abs(gram).max())


@pytest.mark.long
@settings(max_examples=examples(200), derandomize=True, database=None)
@given(st.data(), st.integers(1, 4))
def test_what_is_switched_off_does_not_come(data: st.DataObject, max_leaves: int) -> None:
    text = data.draw(kernels(3, max_leaves=max_leaves, match=False, statements=False))
    assert "match" not in text
    assert "param" not in text
    assert "let" not in text
    assert '"' not in text  # columns without names
    assert 1 <= len(LEAF.findall(text.replace("=student_t(", ""))) <= max_leaves + text.count("distribution=")
