"""Layers in words."""

from __future__ import annotations

from math import inf

from kernelspec.activations.analytic import Exp
from kernelspec.activations.rectifiers import Relu
from kernelspec.activations.steps import Step
from kernelspec.kernels.nodes.skeleton import Layer, carried_up, counted
from kernelspec.kernels.nodes.windows import Windows


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


def test_over_other_grids_than_the_one_before() -> None:
    shown = Layer(Relu(), Windows(4, 4, 1), (-2,)).described()
    assert ": 1 node of 16 in grid −2 (−1 is the line above) below; degrees" in shown
    shown = Layer(Relu(), Windows(4, 4, 1), (-1, -3)).described()
    assert ": 1 node of 16 in the mean of grids −1, −3 (−1 is the line above) below; degrees" in shown


def test_values_are_carried_up_a_graph() -> None:
    one = Windows(1, 1, 1)
    layers = [
        Layer(Relu(), one),
        Layer(Exp(c=1.0), one, (-2,)),
        Layer(Step(), one, (-1, -2)),
        Layer(Relu(), one, (-1, -4)),
    ]
    # 0 is the image, 1 and 2 stand on it, 3 on both, 4 on 3 and the image
    names = iter("1234")
    assert carried_up(layers, "0", lambda _, below: f"{next(names)}({' '.join(below)})") == "4(3(2(0) 1(0)) 0)"


def test_values_are_let_go_when_nobody_asks_for_them() -> None:
    alive: set[int] = set()
    most = []

    class Value:
        def __init__(self) -> None:
            alive.add(id(self))

        def __del__(self) -> None:
            alive.discard(id(self))

    def step(_: Layer, below: list[Value]) -> Value:
        most.append(len(alive))
        del below
        return Value()

    carried_up([Layer(Relu(), Windows(1, 1, 1))] * 20, Value(), step)
    assert max(most) <= 2


def test_sizes() -> None:
    assert (counted(inf), counted(0.25), counted(1)) == ("infinite", "0.25", "1")
