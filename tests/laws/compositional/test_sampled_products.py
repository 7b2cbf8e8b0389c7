"""Skeletons over any base: mean, variance, the first samples, and the limits of what is drawn one by one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.errors import PlanError
from kernelspec.kernels.nodes.skeleton import Skeleton
from kernelspec.laws.compositional import base_products as sampled_products
from kernelspec.laws.compositional.base_products import multiply_sampled
from kernelspec.laws.compositional.skeleton import Paths
from kernelspec.laws.law import Law
from kernelspec.laws.product import multiply_runs
from kernelspec.laws.rules import law_of
from kernelspec.planning.methods import Method
from kernelspec.random.streams import Stream
from kernelspec.samples.samples import Samples
from kernelspec.tables.rows import Rows
from kernelspec.testing.assertions import assert_unbiased
from kernelspec.testing.laboratory import assert_mean
from kernelspec.testing.samples import assert_samples
from tests.laws.compositional.test_own_columns import values
from tests.laws.texts import law

# few values, so that categories agree; of both signs; and none is zero
X = np.random.default_rng(4).integers(1, 4, (5, 4)) * np.array([1.0, 1, 1, -1])
X[1] = X[0]
X[2, :3] = X[0, :3]

DEEP = "full(relu, input=conv(exp(c=2), size=1, input=image(2, 2, 1, base={})))"
FLAT = "full(exp(c=1), input=image(1, 3, 1, base={}))"
ENTIRE = "full(hermite(2), input=conv(exp(c=1/4), size=2, input=image(2, 2, 1, base={})))"

BASES = [
    "minmax()",
    "rbf_cosine(gamma=1)",
    "0.5*gaussian() + 0.5*match()",
    "match()*gaussian()",
    "dual(relu, gaussian())",
    "layer(relu, gaussian(), match())",
    "layer(relu, minmax(), normalize(linear()), laplace())",
    "normalize(linear())",
    "stretch(minmax(), 2)",
    "minmax()**2",
    "shift(periodic(period=1, scale=1), 1)",
    "full(relu, input=image(1, 1, 1, base=minmax()))",
]


def base(text: str) -> Law:
    return law(text, 1)


@pytest.mark.long
@pytest.mark.parametrize("text", BASES)
def test_mean_and_variance(text: str) -> None:
    assert_samples(DEEP.format(text), X, methods=["paired"], n=1500, budget=1e-8)
    assert_samples(FLAT.format(text), X[:, 1:], methods=["phase"], n=3000, budget=1e-8)


TILTED = ["tilt(laplace(), 0.05)", "tilt(minmax(), 0.05)", "0.5*tilt(laplace(), 0.05) + 0.5*match()"]


@pytest.mark.long
@pytest.mark.parametrize("text", TILTED)
def test_tilted_bases(text: str) -> None:
    assert_samples(ENTIRE.format(text), X, methods=["auto"], n=1500, budget=1e-8)


def test_samples_without_a_bound_have_no_variance_beyond_the_radius_of_convergence() -> None:
    # E|p|² = e^{0.1 Δ} in every column, and σ̂ of relu converges up to 1
    fmap = ks.compile("full(relu, input=image(1, 2, 1, base=tilt(laplace(), 0.05)))", dim=2, n_features=24)
    variance = fmap.predicted_variance(np.array([[3.0, 3.0], [1.0, 1.0]]))
    assert np.isfinite([variance[0, 0], variance[1, 1], variance[1, 0]]).all()
    assert variance[0, 1] == np.inf


@pytest.mark.long
@pytest.mark.parametrize(
    ("text", "method"),
    [
        ("laplace()", "binning"),
        ("0.5*laplace() + 0.5*circle()", "binning"),
        ("dual(relu, laplace())*match()", "binning"),
        ("minmax()", "gcws"),
        ("minmax()", "poisson"),
        ("match()*gaussian()", "category_phases"),
        ("layer(relu, minmax(), match())", "category_phases"),
        ("match()*gaussian()", "varying"),
    ],
)
def test_other_ways_to_sample_the_base(text: str, method: Method) -> None:
    assert_samples(DEEP.format(text), X, methods=[method], n=1500, budget=1e-8)


@pytest.mark.long
@pytest.mark.parametrize("text", ["minmax()", "match()*gaussian()"])
def test_hashed(text: str) -> None:
    assert_unbiased(DEEP.format(text), X, method="paired", n_features=48, n_maps=75, budget=1e-8, hashed=True)


@pytest.mark.long
def test_what_is_multiplied_has_an_effect(monkeypatch: pytest.MonkeyPatch) -> None:
    """A factor dropped, and a column taken for another one, are found by the assertions above."""

    def without_the_last(batches: Any, owner: np.ndarray, n: int) -> list[Samples]:
        kept = np.flatnonzero(np.append(owner[1:] == owner[:-1], False) | (np.bincount(owner, minlength=n)[owner] == 1))
        place = np.full(len(owner), -1)
        place[kept] = np.arange(len(kept))
        left = [batch.take(np.flatnonzero(place[batch.index] >= 0)) for batch in batches]
        return multiply_runs([replace(b, index=place[b.index]) for b in left if len(b)], owner[kept], n)

    def first_column(samples: Samples, chosen: np.ndarray) -> Samples:
        return on_own_columns(samples, np.zeros_like(chosen))

    on_own_columns = sampled_products.on_own_columns
    for name, mutant in (("multiply_runs", without_the_last), ("on_own_columns", first_column)):
        with monkeypatch.context() as patched:
            patched.setattr(sampled_products, name, mutant)
            for text in ("minmax()", "match()*gaussian()"):
                with pytest.raises(AssertionError, match="mean of"):
                    assert_samples(FLAT.format(text), X[:, 1:], methods=["phase"], n=6000, budget=1e-8)


@pytest.mark.parametrize("text", ["minmax()", "0.5*gaussian() + 0.5*match()", "layer(relu, minmax(), gaussian())"])
def test_the_first_samples_do_not_depend_on_how_many_follow(text: str) -> None:
    spec = ks.parse(DEEP.format(text))
    skeleton = spec.kernel(spec.columns(4))
    assert isinstance(skeleton, Skeleton)
    own = law_of(skeleton)

    def drawn(n: int, seed: int = 2) -> np.ndarray:
        found = np.zeros((n, 5, 5), dtype=complex)
        batches = own.draw(Stream(seed), n, (0, 1, 2, 3))
        assert sorted(np.concatenate([batch.index for batch in batches])) == list(range(n))
        for batch in batches:
            found[batch.index] = values(batch, Rows(X), Rows(X))
        return found

    many = drawn(600)
    for n in (1, 255, 256, 300):
        assert np.array_equal(drawn(n), many[:n]), n
    assert not np.array_equal(many[:256], many[256:512])
    assert not np.array_equal(drawn(100, seed=1), many[:100])
    assert own.draw(Stream(0), 0, (0, 1, 2, 3)) == []


def test_a_node_that_is_met_often_is_drawn_at_once() -> None:
    # (½ + ½ cos Δ)^l in two halves: one category in two, and a frequency
    mixture, counts = base("0.5*match() + 0.5*circle()"), np.array([40, 3, 10**9, 7])
    n, x = 4000, np.array([[0.3, 0.0], [0.3, 1.0], [1.5, 0.0]])
    paths = Paths(np.repeat(np.arange(n), 2), np.tile([0, 1], n), np.tile([40, 3], n))
    products = np.zeros((n, 3, 3), dtype=complex)
    for batch in multiply_sampled(mixture, (0, 1), Stream(0), paths, n):
        products[batch.index] = values(batch, Rows(x), Rows(x))
    k = 0.5 * (x[:, None] == x[None]) + 0.5 * np.cos(x[:, None] - x[None])
    expected = k[..., 0] ** 40 * k[..., 1] ** 3
    assert_mean(products.real.reshape(n, -1), expected.ravel(), budget=1e-8)
    huge = Paths(np.zeros(4, dtype=np.intp), np.arange(4), counts)
    assert len(multiply_sampled(mixture, (0, 1, 2, 3), Stream(0), huge, 1)) == 1


@pytest.mark.long
def test_more_factors_than_can_be_drawn_one_by_one() -> None:
    keys = base("minmax()")
    large = Paths(np.array([0, 1, 1]), np.array([0, 0, 1]), np.array([1, 9_000, 1_001]))
    with pytest.raises(PlanError, match=r"over its base have met a sample of 10,001 factors, .* Take fewer features"):
        multiply_sampled(keys, (0, 1), Stream(0), large, 2)
    many = Paths(np.arange(250), np.zeros(250, dtype=np.intp), np.full(250, 5_000))
    with pytest.raises(PlanError, match=r"have met 1,250,000 factors"):
        multiply_sampled(keys, (0,), Stream(0), many, 250)
    with pytest.raises(PlanError, match=r"skeleton over minmax\(\) have met .* heavy tail"):
        ks.compile("full(step, input=image(2, 2, 1, base=minmax()))", dim=4, n_features=20_000)


def test_one_part_for_all_columns() -> None:
    columns = np.random.default_rng(0).uniform(0, 1, (3, 64))
    fmap = ks.compile("full(relu, input=image(8, 8, 1, base=minmax()))", dim=64, n_features=400, method="paired")
    assert len(fmap.keyed) == 1
    assert np.abs(fmap.approximate(columns) - ks.parse(fmap.plan.text).gram(columns)).max() < 0.2
