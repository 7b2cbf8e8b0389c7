"""The dual activations of a kernel one by one, against series and simulated degrees."""

from __future__ import annotations

import json
import math

import pytest

import kernelspec as ks
from kernelspec.analysis.variances import constant_share, divergence, dual_nodes, number
from kernelspec.elaboration.scope import Columns
from kernelspec.kernels.kernel import Kernel
from kernelspec.laws.rules import law_of

NET = "layer(relu, circle()[0], dual(exp(c=2), 0.5*gaussian()[1] + 0.25*match()[2]) ** 2)"


def kernel_of(text: str, dim: int = 4) -> Kernel:
    return ks.parse(text).kernel(Columns(dim))


def relu(rho: float) -> float:
    return (math.sqrt(1 - rho**2) + rho * (math.pi - math.acos(rho))) / math.pi


def test_every_node_with_its_law() -> None:
    top, below = dual_nodes(kernel_of(f"gaussian() * {NET}"))
    assert (top.level, top.activation, below.level, below.activation) == (0, "relu", 1, "exp(c=2)")
    # degrees below: Poisson of mean c m = 1.5
    assert below.mass == 0.75
    assert below.probabilities == pytest.approx([math.exp(-1.5) * 1.5**i / math.factorial(i) for i in range(4)])
    assert below.mean_degree == pytest.approx(1.5)
    assert below.constant_share == pytest.approx(math.exp(-1.5))


def test_the_top_over_a_mass() -> None:
    """Mass of the mean: (1 + exp(2·2(0.75 − 1)))/2, and a power is constant where both draws are."""
    (top, _) = dual_nodes(kernel_of(NET))
    square = math.exp(-1)
    mass = (1 + square) / 2
    assert top.mass == pytest.approx(mass)
    share = square / (1 + square) * math.exp(-3)  # the other term, drawn with this probability, is never constant
    assert top.constant_share == pytest.approx(relu(mass * share) / relu(mass))
    assert top.mean_degree == pytest.approx(mass * (math.pi - math.acos(mass)) / math.pi / relu(mass))


def test_samples_that_are_cut_have_no_factor() -> None:
    """Below all but degree one: 1 − 1/e. Above all of Poisson(2) factors must be so, and none of the other term."""
    text = "layer(exp(c=2), gaussian()[0], dual(exp(c=1), gaussian()[1], max_degree=1))"
    below = (1 - math.exp(-1)) / 2
    assert constant_share(kernel_of(text, 2)) == pytest.approx(math.exp(2 * (below - 1)))
    assert constant_share(kernel_of("full(exp(c=1/2), input=image(2, 2, 1)) * match()")) == 0
    assert constant_share(kernel_of("full(exp(c=1/2), input=image(2, 2, 1))")) == pytest.approx(math.exp(-0.5))


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("dual(relu, sphere())", 1.0),
        ("dual(relu, tilt(laplace(), by=0.1))", 1.0),
        ("dual(relu, 0.5*sphere())", 0.5),
        ("dual(relu, sphere()[0:2])", None),  # two columns: √(d/2) = 1
        ("dual(hermite(3), sphere())", None),
        ("dual(relu, sphere(), max_degree=5)", None),
        ("dual(relu, gaussian() - 0*laplace())", None),
    ],
)
def test_where_the_variance_is_infinite(text: str, limit: float | None) -> None:
    (node,) = dual_nodes(kernel_of(text))
    assert node.infinite_above == limit
    assert (divergence(law_of(kernel_of(text))) is None) == (limit is None)


def test_neurons_have_a_variance() -> None:
    kernel = kernel_of("dual(relu, sphere())")
    assert divergence(law_of(kernel)) == "E|p|² below the dual of relu exceeds 1"
    assert divergence(law_of(kernel, "varying")) is not None
    assert divergence(law_of(kernel, "neurons")) is None


def test_in_words_and_as_data() -> None:
    first, second = dual_nodes(kernel_of("dual(relu, dual(step, 0.5*gaussian(), max_degree=7))"))
    assert first.line().startswith("dual of relu over a kernel of mass ")
    assert second.line().startswith("  dual of step over a kernel of mass 0.5: degrees 0, 1, 2, 3, … with probability ")
    assert ", cut at 7; mean " in second.line()
    assert "infinite" in dual_nodes(kernel_of("dual(step, gaussian())"))[0].line()
    found = dual_nodes(kernel_of("dual(step, gaussian())"))[0].to_dict()
    assert found["mean_degree"] == "infinite"
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert (number(math.inf), number(2)) == ("infinite", 2.0)


def test_not_more_than_forty() -> None:
    lets = [f"let a{i + 1} = dual(relu, {f'a{i}' if i else 'circle()'})" for i in range(50)]
    assert [node.level for node in dual_nodes(kernel_of("\n".join([*lets, "a50"]), 1))] == list(range(40))
