"""Random specs cover the whole language: what a strategy never draws, no test sees."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kernelspec as ks
from kernelspec.activations.activation import ACTIVATIONS, load_activation
from kernelspec.distributions.distribution import DISTRIBUTIONS
from kernelspec.expressions.arguments import Scalar, real
from kernelspec.kernels.leaf import KERNELS
from kernelspec.kernels.leaves.discrete import Cosine
from kernelspec.planning.options import Method
from tests.strategies.cases import OPERATORS, cases, everything
from tests.strategies.compositional import ENTIRE, HEAVY, KINKED, Grid, Layer, Part, grids, layers, rows_of
from tests.strategies.ingredients import ACTIVATED, DISTRIBUTED, FAMILIES, PLACES, SYMMETRIC, call_texts, tables
from tests.strategies.specs import LEAVES, kernels, specs
from tests.thoroughness import examples

T = TypeVar("T")


def drawn(strategy: st.SearchStrategy[T], n: int) -> list[T]:
    """Examples of a strategy, the same ones in every run."""
    found: list[T] = []

    @settings(max_examples=n, deadline=None, derandomize=True, database=None)
    @given(strategy)
    def keep(example: T) -> None:
        found.append(example)

    keep()
    return found


OF_FORMULAS = {"normalised linear", "product"}
OF_THEIR_OWN = {"brownian", "binary", "circle", "linear", "rbf_cosine", "sphere"}
"""Kernels that do not take rows of any numbers in any number of columns, or have no size to be divided by."""
DUALS = {**ENTIRE, **KINKED, **dict.fromkeys(HEAVY, np.inf)}


def test_they_are_the_whole_language() -> None:
    assert set(FAMILIES) == set(KERNELS) | OF_FORMULAS
    assert set(ACTIVATED) == set(ACTIVATIONS)
    assert set(DISTRIBUTED) | set(SYMMETRIC) == set(DISTRIBUTIONS)
    assert set(LEAVES) | OF_THEIR_OWN == set(KERNELS) | OF_THEIR_OWN


def test_a_new_argument_without_a_strategy_raises_and_names_the_table() -> None:
    with pytest.raises(TypeError, match=r"'by' of Cosine.*add a line to _FAMILIES"):
        call_texts("cosine", Cosine, table="_FAMILIES")

    @dataclass(frozen=True, kw_only=True)
    class Small:
        size: Scalar = real(above=0, at_most=0.1)

    with pytest.raises(TypeError, match="'size' of Small"):
        call_texts("small", Small, table="_FAMILIES")


@pytest.mark.slow
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


def test_all_activations_are_known() -> None:
    assert {name.split("(")[0] for name in DUALS} == set(ACTIVATIONS)


@pytest.mark.parametrize("name", DUALS)
def test_expected_degrees(name: str) -> None:
    kernel = ks.parse(f"dual({name}, gaussian())")
    activation = kernel.kernel(kernel.columns(1)).activation  # type: ignore[attr-defined]
    assert isinstance(activation, load_activation(name.partition("(")[0]))
    assert float(activation.mean_degree()) == pytest.approx(DUALS[name], rel=0.15)
    if name in ENTIRE:
        assert float(activation.radius()) == np.inf


@pytest.mark.parametrize("part", everything())
def test_the_part_is_there(part: str) -> None:
    for case in drawn(cases(part), 4):
        assert part in case.parts
        gram = ks.parse(case.text).gram(case.rows)
        assert gram.shape == (5, 5)
        assert np.isfinite(gram).all()


@pytest.mark.long
def test_cases_are_nested() -> None:
    found = drawn(cases(max_depth=3), 500)
    assert {part for case in found for part in case.parts} >= {f"operator {name}" for name in OPERATORS}
    assert sum(sum(part.startswith("operator") for part in case.parts) >= 3 for case in found) > 30
    assert any("\n" in case.text for case in found)


def depth(node: Layer | Part) -> int:
    return 0 if isinstance(node, Part) else 1 + max(map(depth, node.below))


def parts(node: Layer | Part) -> list[Part]:
    return [node] if isinstance(node, Part) else [part for below in node.below for part in parts(below)]


def activations(node: Layer | Part) -> list[str]:
    return [] if isinstance(node, Part) else [node.activation, *(a for below in node.below for a in activations(below))]


@pytest.mark.long
def test_trees_of_every_kind_come() -> None:
    found = drawn(layers(), 500)
    assert {depth(tree) for tree in found} == {1, 2, 3, 4}
    assert {len(parts(tree)) for tree in found} == {1, 2, 3, 4, 5, 6}
    assert {name for tree in found for name in activations(tree)} == set(DUALS)
    named = {part.kernel.split("(")[0] for tree in found for part in parts(tree)}
    assert named >= {"binary", "cauchy", "circle", "gaussian", "laplace", "match", "minmax", "normalize", "sphere"}
    assert any(len({part.kind for part in parts(tree)}) >= 3 for tree in found)
    assert any(len(tree.kinds()) < len(parts(tree)) for tree in found)  # columns that two of them read


@pytest.mark.long
def test_grids_of_every_kind_come() -> None:
    found = drawn(grids(), 600)
    assert {len(grid.convolutions) for grid in found} == {0, 1, 2, 3}
    assert {grid.kind for grid in found} == {"signs", "numbers", "categories"}
    convolutions = [convolution for grid in found for convolution in grid.convolutions]
    assert {(c.size, c.stride, c.padding) for c in convolutions} == {
        (size, stride, padding) for size in (1, 2, 3) for stride in (1, 2, 3) for padding in ("valid", "same")
    }
    assert {grid.activation for grid in found} | {c.activation for c in convolutions} == set(DUALS)
    assert {(grid.height, grid.width, grid.channels) for grid in found} >= {(1, 1, 1), (4, 4, 2), (1, 4, 1), (4, 1, 1)}


@pytest.mark.long
@settings(max_examples=examples(150), derandomize=True, database=None)
@given(st.data(), layers() | grids(), st.integers(1, 4))
def test_rows_are_such_that_the_kernel_is_defined(data: st.DataObject, network: Layer | Grid, n: int) -> None:
    rows = data.draw(rows_of(network, n))
    assert rows.shape == (n, max(columns.stop for columns in network.kinds()))
    assert np.isfinite(ks.parse(str(network)).gram(rows)).all()


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
    exact -= float(feature_map.noise) * np.eye(len(rows))  # observation noise is not sampled
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
