"""Tests of `testing/strategies/compositional.py`."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kernelspec as ks
from kernelspec.activations.activation import load_activation
from kernelspec.catalogue import ACTIVATIONS
from kernelspec.testing.strategies import grids, layers, rows_of
from kernelspec.testing.strategies.compositional import ENTIRE, HEAVY, KINKED, Convolution, Grid, Layer, Part
from tests.testing.strategies.examples import drawn
from tests.thoroughness import examples

KNOWN = {**ENTIRE, **KINKED, **dict.fromkeys(HEAVY, np.inf)}


def depth(node: Layer | Part) -> int:
    return 0 if isinstance(node, Part) else 1 + max(map(depth, node.below))


def parts(node: Layer | Part) -> list[Part]:
    return [node] if isinstance(node, Part) else [part for below in node.below for part in parts(below)]


def activations(node: Layer | Part) -> list[str]:
    return [] if isinstance(node, Part) else [node.activation, *(a for below in node.below for a in activations(below))]


def test_all_activations_are_known() -> None:
    assert {name.split("(")[0] for name in KNOWN} == set(ACTIVATIONS)


@pytest.mark.parametrize("name", [*ENTIRE, *KINKED, *HEAVY])
def test_expected_degrees(name: str) -> None:
    kernel = ks.parse(f"dual({name}, gaussian())")
    activation = kernel.kernel(kernel.columns(1)).activation  # type: ignore[attr-defined]
    assert isinstance(activation, load_activation(name.partition("(")[0]))
    assert float(activation.derivative_at_one()) == pytest.approx(KNOWN[name], rel=0.15)
    if name in ENTIRE:
        assert float(activation.radius()) == np.inf


@pytest.mark.long
def test_trees_of_every_kind_come() -> None:
    found = drawn(layers(), 500)
    assert {depth(tree) for tree in found} == {1, 2, 3, 4}
    assert {len(parts(tree)) for tree in found} == {1, 2, 3, 4, 5, 6}
    assert {name for tree in found for name in activations(tree)} == set(KNOWN)
    kernels = {part.kernel.split("(")[0] for tree in found for part in parts(tree)}
    named = {"binary", "cauchy", "circle", "gaussian", "laplace", "match", "minmax"}
    assert kernels == named | {"normalize", "sphere"}
    assert any(len({part.kind for part in parts(tree)}) >= 3 for tree in found)
    assert any(len(tree.kinds()) < len(parts(tree)) for tree in found)  # columns that two of them read
    for tree in found:
        if any("vectors" in part.kind for part in parts(tree)):
            assert set(activations(tree)) <= set(ENTIRE), str(tree)
    assert {depth(tree) for tree in drawn(layers(max_depth=2, max_parts=1), 50)} == {1, 2}
    assert {len(parts(tree)) for tree in drawn(layers(max_parts=2), 50)} == {1, 2}


@pytest.mark.long
def test_grids_of_every_kind_come() -> None:
    found = drawn(grids(), 600)
    assert {len(grid.convolutions) for grid in found} == {0, 1, 2, 3}
    assert {grid.kind for grid in found} == {"signs", "numbers", "categories"}
    convolutions = [convolution for grid in found for convolution in grid.convolutions]
    assert {(c.size, c.stride, c.padding) for c in convolutions} == {
        (size, stride, padding) for size in (1, 2, 3) for stride in (1, 2, 3) for padding in ("valid", "same")
    }
    assert {grid.activation for grid in found} | {c.activation for c in convolutions} == set(KNOWN)
    assert {(grid.height, grid.width, grid.channels) for grid in found} >= {(1, 1, 1), (4, 4, 2), (1, 4, 1), (4, 1, 1)}
    assert {len(grid.convolutions) for grid in drawn(grids(max_depth=2), 50)} == {0, 1}


@pytest.mark.long
@settings(max_examples=examples(150), derandomize=True, database=None)
@given(st.data(), layers() | grids(), st.integers(1, 4))
def test_rows_are_such_that_the_kernel_is_defined(data: st.DataObject, network: Layer | Grid, n: int) -> None:
    rows = data.draw(rows_of(network, n))
    assert rows.shape == (n, max(columns.stop for columns in network.kinds()))
    assert np.isfinite(ks.parse(str(network)).gram(rows)).all()


def test_trees() -> None:
    part, other = Part("circle()", "numbers", 2, 3), Part("match()", "categories", 0, 2)
    tree = Layer("relu", (other, Layer("exp(c=1)", (part,))))
    assert str(tree) == "layer(relu, match()[0:2], dual(exp(c=1), circle()[2:3]))"
    assert tree.kinds() == {range(2): "categories", range(2, 3): "numbers"}
    assert ks.analyze(str(tree), dim=3).verdict.positive_definite == "proved"


def test_grids() -> None:
    convolution = Convolution("step", 2, 1, "same")
    grid = Grid(2, 3, 1, "binary()", "signs", (convolution,), "relu")
    below = "conv(step, size=2, stride=1, padding=same, input=image(2, 3, 1, base=binary()))"
    assert str(grid) == f"full(relu, input={below})"
    assert grid.kinds() == {range(i, i + 1): "signs" for i in range(6)}
    spec = ks.parse(str(grid))
    assert spec.kernel(spec.columns(6)).dim == 6
