"""Random features of skeletons: mean, variance, and what they have in common with features drawn one by one."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_array

import kernelspec as ks
from kernelspec.errors import PlanError
from kernelspec.kernels.leaves.inner_products import Circle
from kernelspec.kernels.nodes.skeleton import Skeleton
from kernelspec.laws.compositional.base_products import draw_factors
from kernelspec.laws.compositional.skeleton import SkeletonLaw, draw_paths
from kernelspec.laws.rules import law_of
from kernelspec.maps.draw import draw_map
from kernelspec.maps.saved.map_file import load_map
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


@pytest.mark.long
@pytest.mark.parametrize(
    "text",
    [
        "let pixel = 0.5*gaussian() + 0.5*circle()\n"
        "full(relu, input=conv(exp(c=1), size=3, stride=2, padding=same, input=image(4, 2, 2, base=pixel)))",
        "full(relu, input=image(4, 4, 1)) * gaussian()[0:2]",
        "0.5*full(relu, input=image(2, 2, 1))[3, 2, 1, 0] + 0.5*full(exp(c=2), input=image(1, 2, 1))[1, 9]",
        "dual(exp(c=1), full(relu, input=image(4, 4, 1)))",
        "stretch(full(relu, input=image(4, 4, 1)), 2)",
        "shift(full(relu, input=image(4, 4, 1)), 0.3)",
        "0.7*full(relu, input=image(4, 4, 1)) - 0.3*full(step, input=image(4, 4, 1))",
    ],
)
def test_composites(text: str) -> None:
    assert_samples(text, X, methods=["auto"], n=4000, budget=1e-8)


@pytest.mark.long
def test_over_signs() -> None:
    signs = np.where(X > 0.75, 1.0, -1.0)
    assert_samples(SMALL.format("relu", "exp(c=1)", ", base=binary()"), signs, methods=["auto"], n=4000, budget=1e-8)


@pytest.mark.long
def test_over_categories() -> None:
    text = SMALL.format("relu", "exp(c=1)", ", base=match()")
    categories = np.random.default_rng(3).integers(0, 2, (5, 16)).astype(float)
    assert_samples(text, categories, methods=["auto"], n=4000, budget=1e-8)
    assert_unbiased(text, categories, n_features=48, n_maps=75, budget=1e-8, hashed=True)


@pytest.mark.long
def test_beside_keys() -> None:
    assert_samples(
        "full(relu, input=image(2, 7, 1))[0:14] * match()[14, 15]", np.round(X), methods=["auto"], n=4000, budget=1e-8
    )


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


def test_the_first_samples_do_not_depend_on_how_many_follow() -> None:
    for base in ("", ", base=gaussian()", ", base=laplace()"):
        text = SMALL.format("relu", "exp(c=2)", base)
        many = frequencies(text, 600)
        for n in (1, 255, 256, 300):
            assert np.array_equal(frequencies(text, n), many[:n]), (base, n)
        assert not np.array_equal(many[:256], many[256:512])
        assert not np.array_equal(frequencies(text, 100, seed=1), many[:100])


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
    assert merged.explain().endswith(
        f"{merged.n_merged} samples are equal to others: merged with them, with their weight"
    )


def test_nothing_is_merged_where_nothing_is_equal() -> None:
    assert ks.compile("gaussian()", dim=2, n_features=64).n_merged == 0
    assert "merged" not in ks.compile("gaussian()", dim=2, n_features=64).explain()


@pytest.mark.parametrize("base", ["", ", base=binary()", ", base=match()"])
@pytest.mark.parametrize("method", ["paired", "phase", "complex"])
def test_saved_and_loaded(method: str, base: str, tmp_path: Path) -> None:
    text = SMALL.format("relu", "exp(c=2)", base)
    fmap = ks.compile(text, dim=16, n_features=128, method=method)  # type: ignore[arg-type]
    fmap.save(tmp_path / "map.npz")
    loaded = load_map(tmp_path / "map.npz")
    again = draw_map(loaded.plan)
    rows = np.where(X > 0.75, 1.0, -1.0)
    expected = csr_array(fmap.transform(rows)).toarray()
    for other in (loaded, again):
        assert np.array_equal(csr_array(other.transform(rows)).toarray(), expected)
        assert other.n_merged == fmap.n_merged


@pytest.mark.long
def test_single_precision() -> None:
    fmap = ks.compile(SMALL.format("relu", "exp(c=2)", ""), dim=16, n_features=128)
    single = fmap.transform(X.astype(np.float32))
    assert single.dtype == np.float32
    assert np.abs(single - fmap.transform(X)).max() < 1e-6


def test_bases_with_samples_larger_than_one_are_refused() -> None:
    skeleton = law_of_skeleton(SMALL.format("relu", "relu", "")).kernel
    difference = ks.parse("2*gaussian() - gaussian(2)")
    base = difference.kernel(difference.columns(1))
    wrong = replace(skeleton, image=replace(skeleton.image, base=base))
    with pytest.raises(PlanError, match="cannot be drawn: the samples of its base must be of at most 1"):
        law_of(wrong).draw(Stream(0), 1, tuple(range(16)))


def test_words() -> None:
    lines = law_of_skeleton(SMALL.format("relu", "relu", "")).lines(tuple(range(16)))
    assert lines[0] == "products of base kernels along random paths of a skeleton on columns 0:16"
    assert "  full(relu): 1 node of 4 below" in lines[3]
    named = law_of_skeleton("full(relu, input=image(1, 2, 1))", 2).lines((1, 0), ["a", "b"])
    assert named[0].endswith("on columns b, a")
