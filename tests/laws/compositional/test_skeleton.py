"""Tests of `laws/compositional/skeleton.py`."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.activations.analytic import Exp
from kernelspec.activations.piecewise import Relu, Step
from kernelspec.activations.series import Hermite, Identity
from kernelspec.kernels.leaves.discrete import Circle
from kernelspec.kernels.nodes.skeleton import Layer, Skeleton, Windows
from kernelspec.laws.compositional import skeleton as skeleton_paths
from kernelspec.laws.compositional.base_products import draw_factors
from kernelspec.laws.compositional.skeleton import SkeletonLaw, draw_paths
from kernelspec.laws.rules import law_of
from kernelspec.maps.feature_map import draw_map
from kernelspec.random.streams import Stream
from kernelspec.testing.assertions import assert_unbiased
from kernelspec.testing.laboratory import assert_mean
from kernelspec.testing.samples import assert_samples
from tests.laws.texts import kernel_of

SMALL = "full({}, input=conv({}, size=2, stride=2, input=image(4, 4, 1{})))"
X = np.random.default_rng(6).uniform(0, 1.5, (5, 16))
X[1] = X[0]


def law_of_skeleton(text: str, dim: int = 16) -> SkeletonLaw:
    kernel = kernel_of(text, dim)
    assert isinstance(kernel, Skeleton)
    found = law_of(kernel)
    assert isinstance(found, SkeletonLaw)
    return found


def frequencies(text: str, n: int, seed: int = 0, dim: int = 16) -> np.ndarray:
    """The frequencies of all n samples, (n, dim), zero for constants."""
    found = np.zeros((n, dim))
    for batch in law_of_skeleton(text, dim).draw(Stream(seed), n, tuple(range(dim))):
        if batch.phasors is not None:
            assert batch.phasors.columns == tuple(range(dim))
            found[batch.index] = batch.phasors.frequencies.toarray()  # type: ignore[union-attr]
    return found


@pytest.mark.long
@pytest.mark.parametrize("method", ["paired", "phase"])
@pytest.mark.parametrize(
    ("upper", "lower", "base"),
    [
        ("relu", "relu", ""),
        ("step", "exp(c=1/2)", ""),
        ("hermite(n=2)", "sin(1)", ", base=gaussian(scale=1)"),
        ("exp(c=1)", "relu", ", base=laplace(scale=3)"),
    ],
)
def test_mean_and_variance(upper: str, lower: str, base: str, method: str) -> None:
    assert_samples(SMALL.format(upper, lower, base), X, methods=[method], n=4000, budget=1e-8)  # type: ignore[list-item]


COMPOSITES = [
    "let pixel = 0.5*gaussian() + 0.5*circle()\n"
    "full(relu, input=conv(exp(c=1), size=3, stride=2, padding=same, input=image(4, 2, 2, base=pixel)))",
    "full(relu, input=image(4, 4, 1)) * gaussian()[0:2]",
    "0.5*full(relu, input=image(2, 2, 1))[3, 2, 1, 0] + 0.5*full(exp(c=2), input=image(1, 2, 1))[1, 9]",
    "dual(exp(c=1), full(relu, input=image(4, 4, 1)))",
    "stretch(full(relu, input=image(4, 4, 1)), 2)",
    "shift(full(relu, input=image(4, 4, 1)), 0.3)",
    "0.7*full(relu, input=image(4, 4, 1)) - 0.3*full(step, input=image(4, 4, 1))",
]


@pytest.mark.long
@pytest.mark.parametrize(
    ("text", "rows"),
    [
        (SMALL.format("relu", "exp(c=1)", ", base=binary()"), np.where(X > 0.75, 1.0, -1.0)),
        ("full(relu, input=image(2, 7, 1))[0:14] * match()[14, 15]", np.round(X)),
        *((text, X) for text in COMPOSITES),
    ],
)
def test_composites(text: str, rows: np.ndarray) -> None:
    assert_samples(text, rows, methods=["auto"], n=4000, budget=1e-8)


@pytest.mark.long
def test_over_categories() -> None:
    text = SMALL.format("relu", "exp(c=1)", ", base=match()")
    categories = np.random.default_rng(3).integers(0, 2, (5, 16)).astype(float)
    assert_samples(text, categories, methods=["auto"], n=4000, budget=1e-8)
    assert_unbiased(text, categories, n_features=48, n_maps=75, budget=1e-8, hashed=True)


@pytest.mark.long
def test_large_degrees_of_steps() -> None:
    drawn = frequencies("full(step, input=image(2, 2, 1))", 20_000, dim=4)
    # P(l > n) ≈ 0.254/√n: frequencies of hundreds are met, and cos ω·Δ still has the right mean
    assert np.abs(drawn).max() > 300
    lags = X[:4, :4] - X[2:3, :4]
    expected = 0.5 + np.arcsin(np.cos(lags).mean(axis=1)) / np.pi
    assert_mean(np.cos(drawn @ lags.T), expected, budget=1e-7, what="kernel")


@pytest.mark.long
@pytest.mark.parametrize("base", ["circle()", "gaussian(scale=0.7)", "laplace(scale=2)"])
def test_the_phasor_is_the_product_of_its_factors(base: str) -> None:
    text = SMALL.format("relu", "relu", f", base={base}")
    plan = ks.compile(text, dim=16, n_features=500, method="complex").plan
    ((stratum, n),) = plan.parts
    expected = products_of_factors(text, Stream(plan.seed).child(0), n)
    found = np.ones((len(X), n), dtype=complex)
    for batch in stratum.law.draw(Stream(plan.seed).child(0), n, stratum.positions):
        if batch.phasors is not None:
            spread = np.zeros((len(batch), 16))
            spread[:, list(batch.phasors.columns)] = batch.phasors.frequencies.toarray()  # type: ignore[union-attr]
            found[:, batch.index] = np.exp(1j * (X @ spread.T))
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10)
    # and whole: the features of the map, of which equal ones are merged
    exact = (expected @ expected.conj().T).real / n
    fmap = draw_map(plan)
    np.testing.assert_allclose(fmap.approximate(X), exact, rtol=0, atol=1e-11)
    Z = fmap.transform(X)
    np.testing.assert_allclose((Z @ Z.conj().T).real, exact, rtol=0, atol=1e-11)


def products_of_factors(text: str, stream: Stream, n: int) -> np.ndarray:
    """∏ e^{iω x_u} over the nodes u of every path, one path and one factor at a time, (rows, n)."""
    law = law_of_skeleton(text)
    skeleton, products = law.kernel, np.ones((len(X), n), dtype=complex)
    for block in range(0, n, 256):
        own = stream.child(block // 256)
        paths = draw_paths(skeleton.layers, own.child(0), 256)
        values = draw_factors(law.base, own.child(1), paths.count)
        for feature, node, count, value in zip(paths.feature, paths.node, paths.count, values, strict=True):
            if isinstance(skeleton.image.base, Circle):  # so many signs: no more, and of the same parity
                assert abs(value) <= count
                assert (value - count) % 2 == 0
            if block + feature < n:
                products[:, block + feature] *= np.exp(1j * value * X[:, node])
    return products


@pytest.mark.long
def test_a_node_met_twice_is_drawn_twice() -> None:
    # the square of σ̂(cos Δ); a dual of which one draw is used twice would give σ̂(cos² Δ)
    text, lag = "full(hermite(2), input=conv(relu, size=1, input=image(1, 1, 1)))", 1.2
    rho = np.cos(lag)
    expected = ((np.sqrt(1 - rho**2) + rho * (np.pi - lag)) / np.pi) ** 2
    assert_mean(np.cos(lag * frequencies(text, 20_000, dim=1)), [expected], budget=1e-7, what="kernel")
    assert_samples(text, np.array([[0.0], [lag]]), methods=["auto"], n=4000, budget=1e-8)


def test_the_shallow_exponential_has_the_frequencies_of_a_periodic_kernel() -> None:
    # e^{c(mean cos − 1)}: on every column a difference of two Poisson numbers of mean c/2n
    drawn = frequencies("full(exp(c=4), input=image(2, 2, 1))", 20_000, dim=4)
    assert_mean(np.concatenate([drawn, drawn**2, drawn**4], axis=1), np.repeat([0, 1, 4.0], 4), budget=1e-7)
    assert_mean(drawn[:, [0]] ** 2 * drawn[:, [1]] ** 2, np.ones(1), budget=1e-7)


def test_equal_features_are_merged_with_their_multiplicity() -> None:
    spec = ks.parse(SMALL.format("relu", "exp(c=1/4)", ""))
    merged = ks.compile(spec, dim=16, n_features=512, method="paired")
    ((stratum, n),) = merged.plan.parts
    batches = stratum.law.draw(Stream(merged.plan.seed).child(0), n, stratum.positions)
    drawn = np.zeros((n, 16))
    for batch in batches:
        if batch.phasors is not None:
            drawn[batch.index] = batch.phasors.frequencies.toarray()  # type: ignore[union-attr]
    # cos ω·Δ, sample by sample
    expected = np.cos(np.einsum("nd,abd->abn", drawn, X[:, None] - X[None])).mean(axis=2)
    np.testing.assert_allclose(merged.approximate(X), expected, rtol=1e-12, atol=1e-13)
    Z = merged.transform(X)
    np.testing.assert_allclose(Z @ Z.T, expected, rtol=1e-12, atol=1e-13)

    def kind(row: np.ndarray, constant: bool) -> tuple[bool, tuple[float, ...]]:
        return constant, max(tuple(row), tuple(-row + 0.0))

    constants = {int(j) for batch in batches if batch.phasors is None for j in batch.index}
    kinds = Counter(kind(row, j in constants) for j, row in enumerate(drawn))
    assert merged.dense is not None
    assert sorted(np.round(merged.dense.weight * n).astype(int)) == sorted(kinds.values())
    assert merged.n_merged == n - len(kinds) > 100
    assert merged.explain().endswith(f"{merged.n_merged} samples equal others and were merged with them")


def test_nothing_is_merged_where_nothing_is_equal() -> None:
    assert ks.compile("gaussian()", dim=2, n_features=64).n_merged == 0
    assert "merged" not in ks.compile("gaussian()", dim=2, n_features=64).explain()


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
