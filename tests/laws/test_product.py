"""Tests of `laws/sums_and_products.py`."""

from __future__ import annotations

from dataclasses import fields
from functools import reduce

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.kernels.leaves.of_rows import Binary, CosineSimilarity, InnerProduct, Linear, Match
from kernelspec.laws.columns_and_lags import SelectedLaw, narrowed
from kernelspec.laws.coordinate import CoordinateLaw
from kernelspec.laws.keys import MatchLaw
from kernelspec.laws.law import Moments
from kernelspec.laws.rules import law_of
from kernelspec.laws.sums_and_products import MixtureLaw, multiply_runs
from kernelspec.random.streams import Stream
from kernelspec.samples.samples import Samples
from kernelspec.tables.rows import Rows
from tests.laws.texts import kernel_of, law

COLUMNS = (0, 1, 2)


X = np.random.default_rng(0).standard_normal((5, 3))
X[:, 2] = [0, 1, 0, 2, 1]
ROWS = Rows(X)
OWNER = np.array([0, 0, 0, 2, 3, 3, 5, 5, 5, 5])
N = 7


def values(batches: list[Samples], n: int) -> np.ndarray:
    """p_j(x, y) of every sample, (n, rows, rows)."""
    found = np.zeros((n, len(X), len(X)), dtype=complex)
    for batch in batches:
        product = np.ones((len(batch), len(X), len(X)), dtype=complex) * (batch.weight * batch.sign)[:, None, None]
        if batch.phasors is not None:
            angle = X[:, list(batch.phasors.columns)] @ np.asarray(batch.phasors.frequencies).T
            left, right = (np.exp(1j * (angle + side)).T for side in (batch.phasors.left, batch.phasors.right))
            product *= left[:, :, None] * right.conj()[:, None, :]
        for factor in batch.amplitudes:
            product *= factor.values(ROWS, "left").T[:, :, None] * factor.values(ROWS, "right").conj().T[:, None, :]
        for key in batch.keys:
            left, right = (np.broadcast_to(key.keys(ROWS, side), (len(X), len(batch))).T for side in ("left", "right"))  # type: ignore[arg-type]
            product *= left[:, :, None] == right[:, None, :]
        np.add.at(found, batch.index, product)
    return found


@pytest.mark.parametrize(
    "text",
    [
        "gaussian()",
        "match()[2]",
        "minmax()",
        "linear()",
        "normalize(linear())",
        "0.5 * gaussian() + 0.25 * match()[2] - 0.7 * linear()[0]",
        "mean(shift(gaussian(), 0.5), tilt(gaussian(), 0.1), circle()[1] * match()[2])",
        "dual(exp(c=2), mean(gaussian(), match()[2]))",
    ],
)
def test_every_sample_is_the_product_of_its_draws(text: str) -> None:
    batches = law(text, 3).draw(Stream(4), len(OWNER), (0, 1, 2))
    each = values(batches, len(OWNER))
    expected = np.stack([reduce(np.multiply, each[j == OWNER], np.ones((5, 5))) for j in range(N)])
    products = multiply_runs(batches, OWNER, N)
    assert sorted(np.concatenate([batch.index for batch in products]).tolist()) == list(range(N))
    np.testing.assert_allclose(values(products, N), expected, atol=1e-10)


def mixture() -> MixtureLaw:
    return MixtureLaw(tuple(SelectedLaw(MatchLaw(Match(dim=1)), (i,), 3) for i in COLUMNS), (2.0, -1.0, 1.0))


def test_probabilities_are_in_proportion_to_the_sizes() -> None:
    assert mixture().probabilities == (0.5, 0.25, 0.25)
    assert mixture().magnitude() == 4
    half = MixtureLaw((law("2*gaussian()", 1), law("match()", 1)), (1.0, 2.0))
    assert half.probabilities == (0.5, 0.5)


def test_a_term_that_is_tiny_beside_another_has_a_probability() -> None:
    found = law("1e-90*match() + 1e40*cosh_gaussian(scale=2, by=[0.5, 2])**70", 2)
    assert isinstance(found, MixtureLaw)
    assert min(found.probabilities) == 1e-300
    assert sum(found.probabilities) == 1


def test_terms_draw_from_streams_of_their_own() -> None:
    part = law("gaussian()", 1)
    (batch,) = MixtureLaw((part, part), (1.0, 1.0)).draw(Stream(0), 1000, (0,))
    assert batch.phasors is not None
    assert len(np.unique(batch.phasors.frequencies)) == 1000
    assert list(batch.index) == list(range(1000))


def test_a_sum_of_kernels_with_frequencies_has_frequencies() -> None:
    kernel = law("gaussian() + 2*laplace()", 2).fourier_kernel()
    assert str(kernel) == "gaussian(scale=1) + 2*laplace(scale=1)"
    for text in ("gaussian() - 2*laplace()", "gaussian() + match()"):
        assert law(text, 2).fourier_kernel() is None


def test_many_factors_at_once_where_all_parts_know_their_products() -> None:
    assert law("0.5*gaussian() + 0.5*match()", 1).draw_products(Stream(0), np.array([3]), (0,)) is not None
    assert law("0.5*gaussian() + 0.5*minmax()", 1).draw_products(Stream(0), np.array([3]), (0,)) is None


@pytest.mark.slow
def test_weights_of_samples_are_floats() -> None:
    """Where those of the kernel are fractions."""
    fmap = ks.compile("dual(leaky_relu, product(t -> max(0.5, 0.5 - t/2)))", dim=2, n_features=24)
    assert np.isfinite(fmap.transform(np.ones((3, 2)))).all()


KEPT = (1, 4, 5, 8)
NARROWED = [
    "gaussian(scale=2)",
    "matern(nu=3/2, scale=3)",
    "laplace(scale=9)",
    "polya(gamma(shape=2))",
    "rbf_cosine(gamma=2)",
    "0.3*gaussian() + 0.7*cauchy()",
    "gaussian(scale=3)*laplace(scale=9)",
    "laplace(scale=9)**2",
    "stretch(gaussian(), [1, 2, 3, 4, 5, 6, 7, 8, 9])",
    "stretch(gaussian() + laplace(), 2)",
    "0.3*rbf_cosine() + 0.7*gaussian()",
    "rbf_cosine()*gaussian()",
]


@pytest.mark.parametrize("text", NARROWED)
def test_the_same_kernel_and_moments_on_fewer_columns(text: str) -> None:
    generator = np.random.default_rng(0)
    x, y = np.zeros((5, 9)), np.zeros((6, 9))
    x[:, KEPT], y[:, KEPT] = generator.standard_normal((5, 4)), generator.standard_normal((6, 4))
    whole, fewer = law_of(kernel_of(text, 9)), narrowed(law_of(kernel_of(text, 9)), KEPT)
    assert fewer is not None
    fewer.validate()
    assert fewer.dim == len(KEPT)
    pairs = NumericPairs(Rows(x), Rows(y))
    some = pairs.select(KEPT)
    np.testing.assert_allclose(fewer.value(some), whole.value(pairs), rtol=1e-12)
    for part in fields(Moments):
        own, expected = (getattr(found, part.name) for found in (fewer.moments(some), whole.moments(pairs)))
        np.testing.assert_allclose(own, expected, rtol=1e-12)


@pytest.mark.parametrize("kernel", [Binary(dim=1), CosineSimilarity(dim=1)])
def test_powers_of_a_sign(kernel: InnerProduct) -> None:
    counts = np.array([3, 0, 10**12, 1, 10**12 + 1])
    samples = CoordinateLaw(kernel).draw_products(Stream(0), counts, (2,))
    assert samples is not None
    (factor,) = samples.amplitudes
    table = np.array([[5.0, 5.0, 1.0], [5.0, 5.0, -1.0]])
    expected = [[1.0] * 5, [(-1.0) ** (count % 2) for count in counts]]
    np.testing.assert_array_equal(factor.values(Rows(table), "left"), expected)


def test_powers_of_other_columns_have_no_law() -> None:
    counts = np.array([40])
    assert CoordinateLaw(Linear(dim=1)).draw_products(Stream(0), counts, (2,)) is None
    assert CoordinateLaw(CosineSimilarity(dim=2)).draw_products(Stream(0), counts, (0, 1)) is None


WHOLE = ["shift_gaussian(by=0.4)", "minmax()", "linear()", "gaussian()[0:3]", "bochner(student_t(dof=3))", "sphere()"]


@pytest.mark.parametrize("text", WHOLE)
def test_laws_that_stay_as_wide_as_they_are(text: str) -> None:
    assert narrowed(law_of(kernel_of(text, 9)), KEPT) is None
