"""Tests of `laws/compositional/base_products.py`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.errors import PlanError
from kernelspec.kernels.leaves.gaussian import Gaussian
from kernelspec.laws.compositional import base_products as sampled_products
from kernelspec.laws.compositional.base_products import (
    check_base,
    draw_factors,
    is_drawn_at_once,
    multiply_factors,
    multiply_sampled,
    on_own_columns,
)
from kernelspec.laws.compositional.skeleton import Paths
from kernelspec.laws.fourier import FourierLaw
from kernelspec.laws.law import Law
from kernelspec.laws.rules import law_of
from kernelspec.laws.sums_and_products import multiply_runs
from kernelspec.laws.translation import SinhRowsLaw
from kernelspec.planning.options import Method
from kernelspec.random.streams import Stream
from kernelspec.samples.amplitudes import Neurons
from kernelspec.samples.factor import AmplitudeFactor
from kernelspec.samples.frequencies import ColumnRead
from kernelspec.samples.samples import Samples, Side
from kernelspec.tables.rows import Rows
from kernelspec.testing.assertions import assert_unbiased
from kernelspec.testing.laboratory import assert_mean
from kernelspec.testing.samples import assert_samples
from tests.laws.texts import kernel_of, law

POSITIONS = (4, 2, 7)
NODE = np.array([0, 2, 1, 1, 0, 2])
STARTS = np.array([0, 2, 3, 6])
RUNS = [(0, 2), (2, 3), (3, 6)]


def base(text: str) -> Law:
    return law(text, 1)


def products(base: Law, values: np.ndarray) -> Samples:
    return multiply_factors(base, POSITIONS, NODE, values, STARTS)


@pytest.mark.parametrize("text", ["circle()", "gaussian(scale=2)", "laplace()"])
def test_frequencies_add_up(text: str) -> None:
    values = np.array([1.0, -2.0, 3.0, 1.0, 0.5, 2.0])
    found = products(base(text), values)
    assert found.phasors is not None
    assert found.phasors.columns == (2, 4, 7)
    dense = np.zeros((3, 8))
    for sample, (start, stop) in enumerate(RUNS):
        for t in range(start, stop):
            dense[sample, POSITIONS[NODE[t]]] += values[t]
    np.testing.assert_array_equal(found.phasors.frequencies.toarray(), dense[:, [2, 4, 7]])  # type: ignore[union-attr]


def test_signs_are_multiplied() -> None:
    signs = np.random.default_rng(0).choice([-1.0, 1.0], (5, 8))
    counts = np.array([1.0, 2.0, 3.0, 1.0, 1.0, 4.0])
    found = products(base("binary()"), counts)
    (factor,) = found.amplitudes
    values = factor.values(Rows(signs), "left")
    for sample, (start, stop) in enumerate(RUNS):
        expected = np.prod([signs[:, POSITIONS[NODE[t]]] ** counts[t] for t in range(start, stop)], axis=0)
        np.testing.assert_array_equal(values[:, sample], expected)


@pytest.mark.long
def test_categories_are_one_key_or_one_phase() -> None:
    X = np.random.default_rng(0).integers(0, 2, (40, 8)).astype(float)
    agree = np.ones((3, 40, 40), dtype=bool)
    for sample, (start, stop) in enumerate(RUNS):
        for t in range(start, stop):
            column = X[:, POSITIONS[NODE[t]]]
            agree[sample] &= column[:, None] == column[None]
    (key,) = products(base("match()"), np.ones(6)).keys
    keys = key.keys(Rows(X), "left")
    phases = law("match()", 1, "category_phases")
    words = draw_factors(phases, Stream(0), np.array([1, 9, 1, 1, 2, 1]))
    (factor,) = products(phases, words).amplitudes
    values = factor.values(Rows(X), "left")
    for sample in range(3):
        np.testing.assert_array_equal(keys[:, None, sample] == keys[None, :, sample], agree[sample])
        one = values[:, None, sample] * values[None, :, sample].conj()
        np.testing.assert_array_equal(np.abs(one - 1) < 1e-12, agree[sample])


def test_sums_of_frequencies_have_the_law_of_that_many() -> None:
    # a base without a law for sums: each is drawn, and e^{iΔ Σω} has the mean k(Δ)^count
    mixture = base("0.5*gaussian() + 0.5*circle()")
    counts = np.tile([1, 3], 20_000)
    drawn = draw_factors(mixture, Stream(0), counts).reshape(-1, 2)
    k = 0.5 * np.exp(-0.5 * 0.7**2) + 0.5 * np.cos(0.7)
    assert_mean(np.cos(0.7 * drawn), np.array([k, k**3]), budget=1e-7)
    assert not len(draw_factors(mixture, Stream(0), np.zeros(0, dtype=np.int64)))
    with pytest.raises(PlanError, match="base factors, but at most 33,554,432 frequencies"):
        draw_factors(mixture, Stream(0), np.array([2**26]))


def test_what_is_drawn_at_once() -> None:
    at_once = ["circle()", "gaussian()*laplace()", "binary()", "match()"]
    assert all(is_drawn_at_once(base(text)) for text in at_once)
    assert is_drawn_at_once(law("match()", 1, "category_phases"))
    others = ["minmax()", "match()*gaussian()", "normalize(linear())", "dual(relu, gaussian())"]
    assert not any(is_drawn_at_once(base(text)) for text in others)


def test_bases_that_are_refused() -> None:
    for text in ("circle()", "minmax()", "0.5*gaussian() + 0.5*match()", "normalize(linear())", "tilt(minmax(), 1)"):
        check_base(kernel_of(text, 1), base(text))
    with pytest.raises(PlanError, match=r"over 2\*minmax\(\) - match\(\) cannot be drawn: .* not of a difference"):
        check_base(kernel_of("2*minmax() - match()", 1), base("2*minmax() - match()"))
    with pytest.raises(PlanError, match=r"over linear\(\) cannot be drawn: .* at most 1"):
        check_base(kernel_of("linear()", 1), base("linear()"))
    sums = SinhRowsLaw(FourierLaw(Gaussian(dim=1)), (0.3,))
    with pytest.raises(PlanError, match="its samples are sums of terms"):
        check_base(kernel_of("sinh_gaussian(by=0.3)", 1), sums)


X = np.random.default_rng(1).integers(1, 4, (6, 5)) * np.array([1.0, -1, 1, -1, 1])
N = 40
CHOSEN = np.random.default_rng(2).choice([4, 0, 3], N)


def values(samples: Samples, x: Rows, y: Rows) -> np.ndarray:
    """p(x, y) of every sample, (samples, rows, rows), as `Samples` is documented."""
    found = np.empty((len(samples), len(x), len(y)), dtype=complex)
    found[:] = (samples.weight * samples.sign)[:, None, None]
    for key in samples.keys:
        left, right = (np.broadcast_to(key.keys(rows, side), (len(rows), len(samples))) for rows, side in both(x, y))
        found *= left.T[:, :, None] == right.T[:, None, :]
    for factor in samples.amplitudes:
        left, right = (factor.values(rows, side) for rows, side in both(x, y))
        found *= left.T[:, :, None] * right.T.conj()[:, None, :]
    if samples.phasors is not None:
        p = samples.phasors
        dense = p.frequencies if isinstance(p.frequencies, np.ndarray) else p.frequencies.toarray()
        left, right = (dense @ numbers(rows, p.columns).T for rows in (x, y))
        found *= np.exp(1j * (left + p.left[:, None]))[:, :, None]
        found *= np.exp(-1j * (right + p.right[:, None]))[:, None, :]
    if samples.growth is not None:
        g = samples.growth
        left, right = (g.rates @ rows.dense()[:, list(g.columns)].T for rows in (x, y))
        found *= np.exp(left[:, :, None] - right[:, None, :])
    return found


def both(x: Rows, y: Rows) -> list[tuple[Rows, Side]]:
    return [(x, "left"), (y, "right")]


def numbers(rows: Rows, columns: tuple) -> np.ndarray:
    table = rows.dense()

    def read(column: ColumnRead) -> np.ndarray:
        if isinstance(column, int):
            return np.asarray(table[:, column])
        return np.asarray(table[:, column.position] / np.linalg.norm(table[:, list(column.among)], axis=1))

    return np.stack([read(column) for column in columns], axis=1)


BASES = [
    "gaussian()",
    "rbf_cosine(gamma=1)",
    "shift(periodic(period=2, scale=1), 0.7)",
    "tilt(laplace(), 0.1)",
    "match()",
    "minmax()",
    "stretch(minmax(), 2)",
    "0.5*tilt(minmax(), 0.1) + 0.5*match()*gaussian()",
    "normalize(linear())*gaussian()",
    "dual(exp(c=3), normalize(linear()))",
    "dual(relu, match())",
    "layer(exp(c=2), minmax(), gaussian(), normalize(linear()), match()*circle())",
    "full(exp(c=2), input=image(1, 1, 1, base=0.5*match() + 0.5*minmax()))",
]


@pytest.mark.parametrize("scheme", [None, "category_phases", "binning"])
@pytest.mark.parametrize("text", BASES)
def test_moved_samples_are_the_samples_of_one_column(text: str, scheme: str | None) -> None:
    law = law_of(kernel_of(text, 1), scheme)
    if scheme is not None and law == law_of(kernel_of(text, 1)):
        return  # no other samples
    seen = 0
    for batch in law.draw(Stream(5), N, (0,)):
        moved = on_own_columns(batch, CHOSEN[batch.index])
        found = values(moved, Rows(X), Rows(X[::-1]))
        for t, j in enumerate(batch.index):
            own = [Rows(rows[:, [CHOSEN[j]]]) for rows in (X, X[::-1])]
            expected = values(batch.take(np.array([t])), *own)[0]
            # categories have other hashes, and so other phases, where they differ
            kept = own[0].dense() == own[1].dense().T if scheme == "category_phases" else np.ones_like(found[t], bool)
            np.testing.assert_allclose(found[t][kept], expected[kept], rtol=1e-12, atol=1e-12)
            np.testing.assert_allclose(np.abs(found[t]), np.abs(expected), rtol=1e-12, atol=1e-12)
        assert np.array_equal(moved.index, batch.index)
        seen += len(batch)
    assert seen == N


def test_many_columns_are_one_structure() -> None:
    (batch,) = law_of(kernel_of("normalize(linear())*minmax()*gaussian()", 1)).draw(Stream(0), N, (0,))
    structures = {on_own_columns(batch, np.full(N, column)).structure for column in range(5)}
    assert len(structures) == 1


def test_neurons_cannot_be_moved() -> None:
    factor: AmplitudeFactor = Neurons.__new__(Neurons)
    samples = Samples(np.arange(1), np.ones(1), np.ones(1), amplitudes=(factor,))
    with pytest.raises(PlanError, match="samples with neurons are on fixed columns"):
        on_own_columns(samples, np.zeros(1, dtype=np.intp))


# few values, so that categories agree; of both signs; and none is zero
X_OF_SAMPLED_PRODUCTS = np.random.default_rng(4).integers(1, 4, (5, 4)) * np.array([1.0, 1, 1, -1])
X_OF_SAMPLED_PRODUCTS[1] = X_OF_SAMPLED_PRODUCTS[0]
X_OF_SAMPLED_PRODUCTS[2, :3] = X_OF_SAMPLED_PRODUCTS[0, :3]

DEEP = "full(relu, input=conv(exp(c=2), size=1, input=image(2, 2, 1, base={})))"
FLAT = "full(exp(c=1), input=image(1, 3, 1, base={}))"
ENTIRE = "full(hermite(2), input=conv(exp(c=1/4), size=2, input=image(2, 2, 1, base={})))"


TILTED = ["tilt(laplace(), 0.05)", "tilt(minmax(), 0.05)", "0.5*tilt(laplace(), 0.05) + 0.5*match()"]


@pytest.mark.long
@pytest.mark.parametrize("text", TILTED)
def test_tilted_bases(text: str) -> None:
    assert_samples(ENTIRE.format(text), X_OF_SAMPLED_PRODUCTS, methods=["auto"], n=1500, budget=1e-8)


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
    assert_samples(DEEP.format(text), X_OF_SAMPLED_PRODUCTS, methods=[method], n=1500, budget=1e-8)


@pytest.mark.long
@pytest.mark.parametrize("text", ["minmax()", "match()*gaussian()"])
def test_hashed(text: str) -> None:
    assert_unbiased(
        DEEP.format(text), X_OF_SAMPLED_PRODUCTS, method="paired", n_features=48, n_maps=75, budget=1e-8, hashed=True
    )


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
                    assert_samples(
                        FLAT.format(text), X_OF_SAMPLED_PRODUCTS[:, 1:], methods=["phase"], n=6000, budget=1e-8
                    )


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
    with pytest.raises(PlanError, match=r"over its base need a sample of 10,001 factors, .* Use fewer features"):
        multiply_sampled(keys, (0, 1), Stream(0), large, 2)
    many = Paths(np.arange(250), np.zeros(250, dtype=np.intp), np.full(250, 5_000))
    with pytest.raises(PlanError, match=r"need 1,250,000 factors"):
        multiply_sampled(keys, (0,), Stream(0), many, 250)
    with pytest.raises(PlanError, match=r"skeleton over minmax\(\) need .* heavy-tailed"):
        ks.compile("full(step, input=image(2, 2, 1, base=minmax()))", dim=4, n_features=20_000)


def test_one_part_for_all_columns() -> None:
    columns = np.random.default_rng(0).uniform(0, 1, (3, 64))
    fmap = ks.compile("full(relu, input=image(8, 8, 1, base=minmax()))", dim=64, n_features=400, method="paired")
    assert len(fmap.keyed) == 1
    assert np.abs(fmap.approximate(columns) - ks.parse(fmap.plan.text).gram(columns)).max() < 0.2
