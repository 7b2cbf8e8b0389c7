"""Polya kernels sampled by binning."""

from __future__ import annotations

import numpy as np
import pytest

from kernelspec.expressions.pairs import NumericPairs
from kernelspec.laws.keys import BinningLaw
from kernelspec.laws.rules import schemes_of
from kernelspec.random.streams import Stream
from kernelspec.samples.keys import BinningKey
from kernelspec.tables.rows import Rows
from kernelspec.testing.assertions import assert_unbiased
from kernelspec.testing.laboratory import assert_proportions, z_threshold
from kernelspec.testing.samples import assert_samples
from tests.laws.texts import kernel_of, law
from tests.samples.keys.binning_keys import drawn, law_of_pitches

X = np.array([[0.0, 0.0, 0.0], [0.4, -0.3, 0.0], [1.1, 0.6, 1.0], [-0.7, 1.0, 1.0], [0.2, -1.5, 2.0]])


@pytest.mark.parametrize("text", ["laplace(scale=2)", "triangle(width=3)", "polya(nakagami(2))"])
def test_the_same_kernel(text: str) -> None:
    node, kernel = law(text, 3, "binning"), kernel_of(text, 3)
    assert isinstance(node, BinningLaw)
    pairs = NumericPairs(Rows(X), Rows(X))
    k = kernel.value(pairs)
    assert np.array_equal(node.value(pairs), k)
    moments = node.moments(pairs)
    assert np.array_equal(moments.paired(), k)
    assert np.array_equal(moments.phase(), k)
    assert np.array_equal(node.moments(pairs.with_keys_agreeing()).a, np.ones_like(k))
    assert node.kernel == kernel
    assert node.fourier_kernel() is None
    assert node.magnitude() == 1


def test_no_polya_kernel_no_binning() -> None:
    for text in ("gaussian()", "cauchy()", "exponential()", "sinc()"):
        assert "binning" not in schemes_of(kernel_of(text, 2))


TEXTS = [
    "laplace(scale=2)",
    "triangle(width=4)[0] * laplace(scale=3)[1, 2]",
    "polya(gamma(0.5, 6)) + 0.5 * gaussian()",
    "polya(weibull(2, 3))[0] * gaussian(scale=2)[1] * match()[2]",
    "stretch(laplace(), [1, 2, 4])",
    "stretch(polya(uniform(1, 5)), [[1, 0, 0.5], [0, 2, 0]])",
    "laplace(scale=3) ** 2 - 0.5 * triangle(5)",
    "(laplace(scale=3) + triangle(5)) * cosine(1)[0]",
]


@pytest.mark.slow
@pytest.mark.parametrize("text", TEXTS)
def test_keys_are_unbiased_with_the_variance_predicted(text: str) -> None:
    assert_samples(text, X, methods=["binning"], n=4000)


@pytest.mark.slow
@pytest.mark.parametrize("text", TEXTS[:4])
def test_hashed_features_are_unbiased_with_the_variance_predicted(text: str) -> None:
    assert_unbiased(text, X, method="binning", n_features=32, n_maps=150, hashed=True)


def test_offsets_are_uniform_and_streams_apart() -> None:
    key = drawn(20_000, 2)
    counts = np.histogram(key.offsets, bins=20, range=(0, 1))[0]
    assert_proportions(counts, np.full(20, 0.05))
    assert ((key.pitches >= 1) & (key.pitches <= 2)).all()
    correlation = np.corrcoef(np.hstack([key.pitches, key.offsets]).T)[np.triu_indices(4, 1)]
    assert np.abs(correlation * np.sqrt(20_000)).max() <= z_threshold(6)
    assert not np.array_equal(drawn(5, 2, seed=1).offsets, drawn(5, 2).offsets)


def test_the_first_samples_do_not_depend_on_the_number() -> None:
    few, many = drawn(10, 3), drawn(100, 3)
    assert np.array_equal(few.pitches, many.pitches[:10])
    assert np.array_equal(few.offsets, many.offsets[:10])
    assert len(drawn(0, 3).pitches) == 0


def test_what_it_is() -> None:
    own = law_of_pitches(2)
    assert own.has_key
    assert not own.has_phasor
    assert own.lines((0, 1), ["age", "income"]) == [
        "key: the bin of a random grid with pitches of uniform(1, 2) on columns age, income"
    ]


def test_the_columns_are_those_of_the_table() -> None:
    (batch,) = law("laplace()", 2, "binning").draw(Stream(0), 3, (4, 1))
    (key,) = batch.keys
    assert isinstance(key, BinningKey)
    assert key.columns == (4, 1)
