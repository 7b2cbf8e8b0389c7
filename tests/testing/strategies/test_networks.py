"""Networks print as specs are written, and know what their columns hold."""

from __future__ import annotations

import kernelspec as ks
from kernelspec.testing.strategies.compositional import Convolution, Grid, Layer, Part


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
