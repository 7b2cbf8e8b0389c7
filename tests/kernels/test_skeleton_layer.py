"""Layers in words."""

from __future__ import annotations

from math import inf

from kernelspec.activations.exp import Exp
from kernelspec.activations.relu import Relu
from kernelspec.activations.step import Step
from kernelspec.kernels.skeleton_layer import Layer, counted
from kernelspec.kernels.windows import Windows


def test_as_it_is_written() -> None:
    assert str(Layer(Relu(), Windows(4, 4, 1))) == "full(relu)"
    assert str(Layer(Exp(c=0.25), Windows(4, 4, 1, 2, 1))) == "conv(exp(c=0.25), size=2, stride=1)"
    assert str(Layer(Relu(), Windows(4, 4, 1, 3, 2, "same"))) == "conv(relu, size=3, stride=2, padding=same)"


def test_with_nodes_and_degrees() -> None:
    # 1/π, ½, 1/2π, 0 for relu; ½, 1/π, 0, 1/6π for step
    shown = Layer(Relu(), Windows(4, 4, 3, 3, 2, "same")).described()
    assert shown == (
        "conv(relu, size=3, stride=2, padding=same): 2 × 2 nodes of 12 to 27 below; "
        "degrees 0, 1, 2, 3, … with probability 0.318, 0.5, 0.159, 0, …; mean 1"
    )
    shown = Layer(Step(), Windows(4, 4, 1)).described()
    assert shown == (
        "full(step): 1 node of 16 below; degrees 0, 1, 2, 3, … with probability 0.5, 0.318, 0, 0.0531, …; mean infinite"
    )


def test_sizes() -> None:
    assert (counted(inf), counted(0.25), counted(1)) == ("infinite", "0.25", "1")
