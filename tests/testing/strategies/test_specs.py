"""All specs drawn mean something, and what the options promise holds."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kernelspec as ks
from kernelspec.planning.methods import Method
from kernelspec.testing.strategies import LEAVES, kernels, specs, tables
from tests.thoroughness import examples

METHODS: list[Method] = ["paired", "phase", "complex"]
NAMES = ("age", "in come", "land")
LEAF = re.compile(rf"\b({'|'.join(LEAVES)})\(")


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
