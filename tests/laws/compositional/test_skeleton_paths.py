"""Paths down a skeleton: their law, against the coefficients of the activations."""

from __future__ import annotations

import numpy as np
import pytest

from kernelspec.activations.analytic import Exp
from kernelspec.activations.polynomials import Hermite, Identity
from kernelspec.activations.rectifiers import Relu
from kernelspec.activations.steps import Step
from kernelspec.kernels.nodes.skeleton import Layer
from kernelspec.kernels.nodes.windows import Windows
from kernelspec.laws.compositional import skeleton as skeleton_paths
from kernelspec.laws.compositional.skeleton import draw_paths
from kernelspec.random.streams import Stream
from kernelspec.testing.laboratory import assert_mean

OVER_4 = Windows(2, 2, 1)
N = 20_000


def factors(layers: list[Layer], n: int = N, seed: int = 0) -> np.ndarray:
    """Counts of every base node, (n, nodes)."""
    paths = draw_paths(layers, Stream(seed), n)
    found = np.zeros((n, layers[0].windows.n_nodes))
    np.add.at(found, (paths.feature, paths.node), paths.count)
    return found


def test_degrees_follow_the_coefficients() -> None:
    degrees = factors([Layer(Relu(), OVER_4)]).sum(axis=1)
    expected = [1 / np.pi, 0.5, 1 / (2 * np.pi), 0.0, 1 / (24 * np.pi)]
    hits = np.stack([degrees == degree for degree in range(5)], axis=1).astype(float)
    assert hits[:, 3].sum() == 0
    kept = [0, 1, 2, 4]
    assert_mean(hits[:, kept], np.array(expected)[kept], budget=1e-7, what="degrees of relu")


def test_nodes_are_met_equally_often_and_independently() -> None:
    found = factors([Layer(Exp(c=2.0), OVER_4)])
    # a Poisson number of draws, each at random, is an independent Poisson number of every node
    assert_mean(found, np.full(4, 0.5), budget=1e-7, what="means")
    assert_mean(found**2, np.full(4, 0.75), budget=1e-7, what="second moments")
    products = np.stack([found[:, i] * found[:, j] for i in range(4) for j in range(i)], axis=1)
    assert_mean(products, np.full(6, 0.25), budget=1e-7, what="products")


def test_a_node_met_twice_has_two_degrees_of_its_own() -> None:
    # l degrees of Poisson(3/2) sum up to Poisson(3 l/2); one degree times l would have l times the variance
    single = Windows(1, 1, 1)
    twice = factors([Layer(Exp(c=1.5), OVER_4), Layer(Hermite(n=2), single)]).sum(axis=1)
    assert_mean(np.stack([twice, twice**2], axis=1), np.array([3.0, 12.0]), budget=1e-7, what="l = 2")
    often = factors([Layer(Exp(c=1.5), OVER_4), Layer(Exp(c=1.0), single)]).sum(axis=1)
    assert_mean(np.stack([often, often**2], axis=1), np.array([1.5, 6.0]), budget=1e-7, what="l of Poisson(1)")


def test_the_square_of_a_dual_is_that_of_two_draws() -> None:
    # E cos(Δ)^count over one place is σ̂(cos Δ)²; of one draw that counts twice it would be σ̂(cos² Δ)
    single = Windows(1, 1, 1)
    found = factors([Layer(Relu(), single), Layer(Hermite(n=2), single)])
    rho = np.cos(1.2)
    expected = ((np.sqrt(1 - rho**2) + rho * (np.pi - 1.2)) / np.pi) ** 2
    assert_mean(rho**found, [expected], budget=1e-7, what="kernel")


def test_windows_that_overlap_meet_their_common_nodes_more_often() -> None:
    # of 3 nodes in a row, windows of 2: the middle one stands in both
    windows = Windows(3, 3, 1, 2, 1)
    found = factors([Layer(Identity(), windows), Layer(Identity(), Windows(2, 2, 1))])
    assert (found.sum(axis=1) == 1).all()
    share = np.outer([1, 2, 1], [1, 2, 1]).ravel() / 16
    assert_mean(found, share, budget=1e-7, what="share of every place")


@pytest.mark.long
def test_many_factors_are_divided_like_few(monkeypatch: pytest.MonkeyPatch) -> None:
    layers = [Layer(Exp(c=40.0), OVER_4)]
    expected = np.array([10.0] * 4), np.array([110.0] * 4)
    for few in (0, 1000):
        monkeypatch.setattr(skeleton_paths, "_FEW", few)
        found = factors(layers, 5000)
        assert_mean(found, expected[0], budget=1e-7, what="means")
        assert_mean(found**2, expected[1], budget=1e-7, what="second moments")


def test_heavy_tails_are_exact() -> None:
    degrees = factors([Layer(Step(), OVER_4)]).sum(axis=1)
    n = np.array([0, 1, 10, 1000])
    tail = np.array([1 - sum(Step().coefficient(np.arange(m + 1))) for m in n])
    hits = (degrees[:, None] > n).astype(float)
    assert degrees.max() > 1e5
    assert_mean(hits, tail, budget=1e-7, what="tail of step")


def test_the_first_layers_are_the_same_for_the_same_stream() -> None:
    layers = [Layer(Relu(), Windows(4, 4, 1, 2, 2)), Layer(Relu(), OVER_4)]
    first, again = (draw_paths(layers, Stream(3), 100) for _ in range(2))
    assert np.array_equal(first.node, again.node)
    assert not np.array_equal(first.node[:20], draw_paths(layers, Stream(4), 100).node[:20])


@pytest.mark.long
def test_ways_through_several_grids() -> None:
    # E xᶜ over the counts of a node is σ̂ of the mean of both grids below, at x for that node and 1 for the others
    same = Windows(1, 2, 1, 1, 1)
    layers = [
        Layer(Exp(c=1.0), same),
        Layer(Exp(c=3.0), same, (-2,)),
        Layer(Exp(c=2.0), Windows(1, 2, 1), (-1, -2, -1)),
    ]
    found = factors(layers)
    x = 0.4
    below = (2 * np.exp(3 * (x - 1)) + np.exp(x - 1)) / 3
    assert_mean(x**found, np.full(2, np.exp(2 * ((below + 1) / 2 - 1))), budget=1e-7, what="either node")
    both = np.exp(2 * (below - 1))
    assert_mean(x ** found.sum(axis=1), np.array([both]), budget=1e-7, what="both nodes")


def test_a_grid_met_from_two_others_has_degrees_of_its_own_for_both() -> None:
    one = Windows(1, 1, 1)
    layers = [
        Layer(Relu(), one),
        Layer(Hermite(n=1), one),
        Layer(Hermite(n=1), one, (-2,)),
        Layer(Hermite(n=2), one, (-1, -2)),
    ]
    # two ways down, whichever they take, end in two independent degrees of relu
    counts = factors(layers).sum(axis=1)
    x = 0.3
    dual = (np.sqrt(1 - x**2) + x * (np.pi - np.arccos(x))) / np.pi
    assert_mean(x**counts, np.array([dual**2]), budget=1e-7)
