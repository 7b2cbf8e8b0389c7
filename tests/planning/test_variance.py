"""The predicted variance against the closed forms of math.md, sections 6 and 9."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.laws.keys import Collisions
from kernelspec.laws.law import sample_variance
from kernelspec.numerics.phasor import Form
from kernelspec.planning.strata import Stratum, estimate_bias, estimate_variance, terms_of
from kernelspec.tables.rows import Rows
from tests.laws.texts import kernel_of

X = np.column_stack([np.random.default_rng(0).standard_normal((8, 2)), np.arange(8) % 3])
LAPLACE = ["gaussian(scale=2)", "laplace()", "cauchy()", "matern(3/2)", "cosine(1)", "periodic(2)", "sinc()"]


def strata(text: str) -> list[Stratum]:
    return [stratum for term in terms_of(kernel_of(text, 3)) for stratum in term.under(None)]


def predicted(text: str, form: Form, buckets: int | None = None, bits: int | None = None) -> np.ndarray:
    (stratum,) = strata(text)
    pairs = NumericPairs(Rows(X), Rows(X)).select(stratum.positions)
    return sample_variance(stratum.law, pairs, form, Collisions.of(buckets, bits))


def gram(text: str, data: np.ndarray = X) -> np.ndarray:
    return ks.parse(text).gram(data)


@pytest.mark.parametrize("text", LAPLACE)
def test_one_frequency(text: str) -> None:
    k, doubled = gram(text), gram(text, 2 * X)
    paired = (1 + doubled) / 2 - k**2
    assert np.abs(predicted(text, "paired") - paired).max() <= 1e-14
    assert np.array_equal(predicted(text, "complex"), predicted(text, "paired"))
    assert np.abs(predicted(text, "phase") - (1 + doubled / 2 - k**2)).max() <= 1e-14


@pytest.mark.parametrize("form", ["paired", "phase", "complex"])
def test_a_key_alone_has_no_variance_but_in_buckets(form: Form) -> None:
    assert not predicted("match()[2]", form).any()
    k = gram("match()[2]")
    assert np.allclose(predicted("match()[2]", form, 16), (1 - k) / 16, rtol=1e-14)
    c = k + (1 - k) / 16
    assert np.allclose(predicted("match()[2]", form, bits=4), (16 / 15) ** 2 * c * (1 - c), atol=1e-15)


def test_a_frequency_with_a_key() -> None:
    text = "gaussian()[0, 1] * match()[2]"
    k, doubled, match = gram("gaussian()[0, 1]"), gram("gaussian()[0, 1]", 2 * X), gram("match()[2]")
    paired = match * (1 + doubled) / 2 - (k * match) ** 2
    assert np.abs(predicted(text, "paired") - paired).max() <= 1e-14
    in_buckets = paired + (1 - match) * (1 + doubled) / 2 / 16
    assert np.abs(predicted(text, "paired", 16) - in_buckets).max() <= 1e-14
    phase = match * (1 + doubled / 2) - (k * match) ** 2
    assert np.abs(predicted(text, "phase") - phase).max() <= 1e-14


def test_a_mixture_and_its_power() -> None:
    # drawn with probability ⅓ (weight 1) and ⅔ (weight 2): p is 3 times one phasor, so A = 9
    text = "(gaussian() + 2 * laplace()) * cauchy()"
    k = gram(text)
    b = (3 * gram("gaussian()", 2 * X) + 6 * gram("laplace()", 2 * X)) * gram("cauchy()", 2 * X)
    assert np.abs(predicted(text, "paired") - ((9 + b) / 2 - k**2)).max() <= 1e-13
    squared = "(gaussian() + 2 * laplace()) ** 2"
    b = (3 * gram("gaussian()", 2 * X) + 6 * gram("laplace()", 2 * X)) ** 2
    assert np.abs(predicted(squared, "phase") - (81 + b / 2 - gram(squared) ** 2)).max() <= 1e-12


def test_a_mixture_of_a_key_and_a_frequency_needs_an_offset_for_the_latter_only() -> None:
    # q = ½ each, p is 2·1[x₂ = y₂] or 2 cos
    text = "(match()[2] + gaussian()) * match()[0]"
    match, first, k = gram("match()[2]"), gram("match()[0]"), gram(text)
    phase = first * (2 * match + 2 * (1 + gram("gaussian()", 2 * X) / 2)) - k**2
    assert np.abs(predicted(text, "phase") - phase).max() <= 1e-13


def test_strata_add_up() -> None:
    parts = list(zip(strata("3 * gaussian() - 0.5 * laplace() + match()[2]"), (4, 7, 1), strict=True))
    expected = 9 / 4 * predicted("gaussian()", "paired") + 0.25 / 7 * predicted("laplace()", "paired")
    total = estimate_variance(parts, NumericPairs(Rows(X), Rows(X)), "paired")
    assert np.abs(total - expected).max() <= 1e-14


def test_never_negative() -> None:
    for text in LAPLACE:
        assert (predicted(text, "paired") >= 0).all()
        assert not predicted(text, "paired").diagonal().any()


def test_pairs_taken_one_with_one() -> None:
    (stratum,) = strata("laplace() * match()[2]")
    single = sample_variance(
        stratum.law, NumericPairs(Rows(X), Rows(X[::-1]), grid=False), "paired", Collisions(8, signed=True)
    )
    grid = sample_variance(stratum.law, NumericPairs(Rows(X), Rows(X[::-1])), "paired", Collisions(8, signed=True))
    assert np.allclose(single, grid.diagonal(), rtol=1e-14)
    assert estimate_variance([], NumericPairs(Rows(X), Rows(X)), "paired").shape == (8, 8)


def test_the_bias_is_what_is_cut() -> None:
    """Of e^{c(k−1)} all but e^{−c}(1 + ck); the variance is one about that mean."""
    parts = strata("3 * dual(exp(c=1), laplace(), max_degree=1) + gaussian()")
    pairs = NumericPairs(Rows(X), Rows(X))
    k, doubled = gram("laplace()"), gram("laplace()", 2 * X)
    kept = (1 + k) / np.e
    np.testing.assert_allclose(estimate_bias(parts, pairs), 3 * (kept - np.exp(k - 1)), atol=1e-14)
    second = (2 / np.e + (1 + doubled) / np.e) / 2
    np.testing.assert_allclose(sample_variance(parts[0].law, pairs, "paired"), second - kept**2, atol=1e-14)
    assert not estimate_bias(parts[1:], pairs).any()
