"""Planning on wide tables: what it costs in memory, and that pilots still say what all columns would."""

from __future__ import annotations

import tracemalloc
import warnings
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

import kernelspec as ks
from kernelspec.laws.rules import law_of
from kernelspec.maps.feature_map import draw_map
from kernelspec.planning.known_rows import KnownRows, drawn_for, most_drawn_for, numbered
from kernelspec.planning.options import Landmarks
from kernelspec.random.streams import Stream
from kernelspec.samples.factor import amplitude_values
from kernelspec.tables.rows import Rows
from kernelspec.testing.laboratory import assert_mean
from tests.laws.texts import kernel_of
from tests.thoroughness import sweep

WIDE = 50_000
MIB = 2**20


def table(n: int, width: int, entries: int, seed: int = 0) -> sp.csr_array:
    """Rows of norm 1 with so many entries, in columns some of which are far more frequent than others."""
    generator = np.random.default_rng(seed)
    columns = (width * generator.random((n, entries)) ** 3).astype(int).ravel()
    numbers = np.abs(generator.standard_normal(n * entries))
    found = sp.csr_array((numbers, columns, np.arange(0, n * entries + 1, entries)), shape=(n, width))
    found.sum_duplicates()
    norms = np.sqrt(np.asarray(found.multiply(found).sum(axis=1)).ravel())
    found.data /= np.repeat(norms, np.diff(found.indptr))
    return found


def peak_of_compiling(
    spec: str, dim: int | None = None, data: sp.csr_array | None = None, n_features: int = 16
) -> float:
    """Mebibytes that are held at once."""
    tracemalloc.start()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ks.DeadKernelWarning)
            ks.compile(spec, dim, n_features=n_features, data=data)
        return tracemalloc.get_traced_memory()[1] / MIB
    finally:
        tracemalloc.stop()


@pytest.mark.slow
@pytest.mark.parametrize(
    "spec",
    sweep(
        ["gaussian(scale=2)", "rbf_cosine()", "0.5*minmax() + 0.5*gaussian()*laplace(scale=9)"],
        costly=["rbf_cosine()", "0.5*minmax() + 0.5*gaussian()*laplace(scale=9)"],
    ),
)
def test_memory_on_wide_data(spec: str) -> None:
    """A dense copy of the 512 rows of the reference has 195 MiB, and frequencies of 1,024 pilots have 390."""
    assert peak_of_compiling(spec, data=table(64, WIDE, 20)) < 150


@pytest.mark.slow
def test_memory_of_exact_features_on_wide_data() -> None:
    """200 rows of 8,000 exact features take 12 MiB, and their 32 simulated draws, which are all alike, 390."""
    assert peak_of_compiling("linear()", data=table(300, 8_000, 80), n_features=8_000) < 120


@pytest.mark.slow
@pytest.mark.parametrize("spec", sweep(["gaussian(scale=2)", "rbf_cosine()"], costly=["rbf_cosine()"]))
def test_memory_without_data(spec: str) -> None:
    """Two sides of 167 standard normal rows have 127 MiB, and four times that with their differences and squares."""
    assert peak_of_compiling(spec, dim=WIDE) < 190


@pytest.mark.slow
@pytest.mark.parametrize("landmarks", ["auto", "never"])
def test_predicted_error_on_wide_data(landmarks: Landmarks) -> None:
    """The mean square over 24 maps of one plan, against the one predicted from some of the rows and a pilot.

    The prediction is allowed to be off by 15 %, and the mean by four standard errors.
    """
    X = table(300, 6_000, 30)
    plan = ks.compile("gaussian(scale=0.7)", data=X, n_features=64, landmarks=landmarks).plan
    exact = np.asarray(ks.parse("gaussian(scale=0.7)").gram(X))
    squares = []
    for seed in range(24):
        features = draw_map(replace(plan, seed=seed)).transform(X)
        squares.append(float(np.sum((features @ features.T - exact) ** 2) / np.sum(exact**2)))
    assert plan.unbiased
    predicted = float(plan.chosen.error or 0) ** 2
    standard_error = np.std(squares, ddof=1) / np.sqrt(len(squares))
    assert abs(np.mean(squares) - predicted) < 4 * standard_error + 0.15 * predicted


@pytest.mark.parametrize(
    "text",
    ["gaussian()", "laplace(scale=5)", "matern(nu=1/2)", "rbf_cosine()", "gaussian() + laplace(scale=5)", "sinc()"],
)
def test_narrowed_samples_have_the_mean_and_the_moments_of_the_law(text: str) -> None:
    X = Rows(table(6, 4_000, 12))
    law = law_of(kernel_of(text, 4_000))
    (rows,) = numbered(X)
    n = 20_000
    batches = drawn_for(rows, law, Stream(5), n, tuple(range(4_000)))
    pairs = ks.parse(text).gram(X.numbers)
    products = np.zeros((n, 6, 6))
    for batch in batches:
        left = amplitude_values(batch, rows, "left")
        right = amplitude_values(batch, rows, "right")
        products[batch.index] += np.einsum("im,jm,m->mij", left, np.conj(right), batch.sign).real
    for i, j in zip(*np.triu_indices(6, 1), strict=True):
        assert_mean(products[:, i, j], float(pairs[i, j]))


@pytest.mark.parametrize("text", ["shift_gaussian(by=0.3)", "linear()", "gaussian()[0:7]*laplace()[7:9]", "match()[3]"])
def test_other_samples_are_those_of_the_law(text: str) -> None:
    """On all columns, in one draw: the numbers are the same, evaluated on rows that are known."""
    X = Rows(table(6, 3_000, 12))
    law, columns = law_of(kernel_of(text, 3_000)), tuple(range(3_000))
    left, right = numbered(X.take(slice(0, 2)), X.take(slice(2, 6)))
    for own, drawn in zip(law.draw(Stream(1), 40, columns), drawn_for(left, law, Stream(1), 40, columns), strict=True):
        assert np.array_equal(own.index, drawn.index)
        if own.keys:
            continue
        for side in ("left", "right"):
            expected = amplitude_values(own, X, side)
            found = np.vstack([amplitude_values(drawn, rows, side) for rows in (left, right)])
            np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


def test_known_rows() -> None:
    X = Rows(table(10, 3_000, 5))
    first, again, other = numbered(X, X, X.take(np.array([3, 1])))
    assert first is again
    assert isinstance(first, KnownRows)
    assert isinstance(other, KnownRows)
    assert first.every is other.every
    assert first.take(np.array([4, 2])).places.tolist() == [4, 2]
    assert other.take(slice(1, 2)).places.tolist() == [11]
    assert numbered(first, other) == (first, other)
    narrow = Rows(np.ones((4, 784)))
    assert numbered(narrow) == (narrow,)
    assert most_drawn_for(narrow, (0,), 32_768) == 32_768
    assert most_drawn_for(first, tuple(range(100_000)), 32_768) == 671
