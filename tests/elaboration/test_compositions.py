"""Whatever is well formed can be explained: random compositions of all catalogue kernels."""

from __future__ import annotations

import json

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

import kernelspec as ks
from tests.elaboration.specs import CATALOGUE

SMOOTH = [text for text in CATALOGUE if text != "match()"]
NUMBERS = st.sampled_from(["0.5", "2", "pi", "1/3", "sqrt(2)", "1e-3"])
SELECTIONS = st.sampled_from(["[0]", "[-1]", "[:]"])  # there in any number of columns
ROWS = np.random.default_rng(0).normal(size=(4, 3))


def _deeper(inner: st.SearchStrategy[str], *, differences: bool) -> st.SearchStrategy[str]:
    parts = st.lists(inner, min_size=2, max_size=3)
    signs = st.sampled_from([" + ", " - "]) if differences else st.just(" + ")
    return st.one_of(
        st.tuples(parts, signs, NUMBERS).map(lambda t: f"({t[2]}*{t[1].join(t[0])})"),
        parts.map(lambda kernels: f"mean({', '.join(kernels)})"),
        parts.map(lambda kernels: f"({' * '.join(kernels)})"),
        st.tuples(inner, st.integers(1, 4)).map(lambda t: f"({t[0]})**{t[1]}"),
        st.tuples(inner, SELECTIONS).map(lambda t: f"({t[0]}){t[1]}"),
    )


def _changed(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.tuples(inner, NUMBERS).map(lambda t: f"stretch({t[0]}, {t[1]})"),
        inner.map(lambda kernel: f"stretch({kernel}, ones)"),
        st.tuples(inner, NUMBERS).map(lambda t: f"modulate({t[0]}, by={t[1]})"),
        inner.map(lambda kernel: f"normalize({kernel})"),
    )


smooth = st.recursive(
    st.sampled_from(SMOOTH), lambda inner: _deeper(inner, differences=False) | _changed(inner), max_leaves=6
)
anything = st.recursive(
    st.sampled_from(CATALOGUE) | smooth, lambda inner: _deeper(inner, differences=True), max_leaves=4
)


@pytest.mark.long
@pytest.mark.parametrize("dim", [2, 3])
@settings(max_examples=30, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
@given(text=anything)
def test_explained(dim: int, text: str) -> None:
    facts = ks.analyze(text, dim=dim)
    found = facts.to_dict()
    assert len(json.dumps(found, allow_nan=False)) < 2_000_000
    rows = ROWS[:, :dim]
    matrix = ks.parse(text).gram(rows)
    np.testing.assert_allclose(matrix, matrix.T, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(np.diag(matrix), float(facts.k0), rtol=1e-9, atol=1e-12)
    if facts.verdict.positive_definite == "proved":
        assert np.linalg.eigvalsh(matrix)[0] > -1e-9 * max(1.0, float(facts.k0))


@pytest.mark.slow
@settings(max_examples=30, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
@given(text=smooth)
def test_the_measure_of_a_smooth_composition(text: str) -> None:
    facts = ks.analyze(text, dim=2)
    lags = ROWS[:, :2]
    expected = ks.parse(text).gram(lags, np.zeros((1, 2)))[:, 0]
    np.testing.assert_allclose(facts.characteristic_function(lags), expected, rtol=1e-8, atol=1e-12)
    assert facts.verdict.positive_definite == "proved"
