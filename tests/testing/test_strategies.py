"""The strategies: all they draw means something, and what their options promise holds."""

from __future__ import annotations

import re
from typing import TypeVar

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import kernelspec as ks
from kernelspec.kernels.catalogue import KERNELS
from kernelspec.planning.methods import Method
from kernelspec.testing.strategies import LEAVES, kernels, specs, tables

NAMES = ("age", "in come", "land")
METHODS: list[Method] = ["paired", "phase", "complex"]
T = TypeVar("T")
LEAF = re.compile(rf"\b({'|'.join(LEAVES)})\(")


def drawn(strategy: st.SearchStrategy[T], n: int) -> list[T]:
    """Examples of a strategy, the same ones in every run."""
    found: list[T] = []

    @settings(max_examples=n, deadline=None, derandomize=True, database=None)
    @given(strategy)
    def keep(example: T) -> None:
        found.append(example)

    keep()
    return found


OF_THEIR_OWN = {"binary", "circle", "linear", "rbf_cosine", "sphere"}
"""Kernels that do not take rows of any numbers in any number of columns, or have no size to be divided by."""


def test_strategies_cover_the_catalogue() -> None:
    assert set(LEAVES) | OF_THEIR_OWN == set(KERNELS) | OF_THEIR_OWN


@settings(max_examples=150, deadline=None, derandomize=True, database=None)
@given(st.data())
def test_any_kernel_compiles_and_predicts_its_error(data: st.DataObject) -> None:
    spec = data.draw(specs(3, names=NAMES, max_leaves=4, signed=data.draw(st.booleans())))
    rows = data.draw(tables(3, max_rows=4))
    exact = spec.gram(rows, columns=NAMES)
    method = data.draw(st.sampled_from(METHODS))
    feature_map = ks.compile(spec, columns=NAMES, n_features=600, method=method)
    error = feature_map.approximate(rows) - exact
    deviation = np.sqrt(feature_map.predicted_variance(rows))
    # Chebyshev at 100 standard deviations, and rounding: a wrong weight or sign is further off in a tree this deep
    size = max(1.0, float(np.abs(exact).max()))
    assert (np.abs(error) <= 100 * deviation + 1e-9 * size).all()
    assert error.shape == (len(rows), len(rows))


@settings(max_examples=100, deadline=None, derandomize=True, database=None)
@given(kernels(2, max_leaves=3, match=False, statements=False), tables(2, min_rows=2))
def test_kernels_without_signs_are_positive_semidefinite(text: str, rows: np.ndarray) -> None:
    gram = ks.parse(text).gram(rows)
    assert np.linalg.eigvalsh(gram).min() >= -1e-9 * max(1.0, np.abs(gram).max())


@settings(max_examples=200, deadline=None, derandomize=True, database=None)
@given(st.data(), st.integers(1, 4))
def test_what_is_switched_off_does_not_come(data: st.DataObject, max_leaves: int) -> None:
    text = data.draw(kernels(3, max_leaves=max_leaves, match=False, statements=False))
    assert "match" not in text
    assert "param" not in text
    assert "let" not in text
    assert '"' not in text  # columns without names
    assert 1 <= len(LEAF.findall(text.replace("=student_t(", ""))) <= max_leaves + text.count("distribution=")


def test_everything_that_may_come_comes() -> None:
    texts = drawn(kernels(3, names=NAMES, signed=True), 700)
    forms = ("mean(", ") ** 3", "stretch(", "modulate(", "normalize(", "param ", "let ")
    for word in (*(f"{name}(" for name in LEAVES), *forms, '"in come"', "[-1", "isotropic=true", " - ", "(-0"):
        assert any(word in text for text in texts), word
    assert any("dual(relu, " in text for text in drawn(kernels(3), 200))  # of kernels without signs
    assert any(len(LEAF.findall(text)) >= 4 for text in texts)
    grams = [ks.parse(text).gram(np.eye(3), columns=NAMES) for text in texts]
    assert sum(np.linalg.eigvalsh(gram)[0] < -0.01 for gram in grams) >= 25


@settings(max_examples=200, deadline=None, derandomize=True, database=None)
@given(st.integers(1, 4), st.integers(1, 3), st.integers(0, 3), st.data())
def test_tables_have_the_shape_asked_for(dim: int, low: int, more: int, data: st.DataObject) -> None:
    table = data.draw(tables(dim, min_rows=low, max_rows=low + more))
    assert table.dtype == np.float64
    assert low <= len(table) <= low + more
    assert table.shape[1:] == (dim,)
    assert (np.abs(table) <= 3).all()


def test_categories_repeat_in_tables() -> None:
    found = drawn(tables(1, min_rows=4), 200)
    assert any(1 < len(np.unique(table)) < len(table) for table in found)
    assert any((table % 1 != 0).any() for table in found)
