"""The variance of one sample from its moments."""

from __future__ import annotations

import numpy as np

import kernelspec as ks
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.laws.keys import Collisions
from kernelspec.laws.law import SampleMoments, sample_variance
from kernelspec.tables.rows import Rows
from tests.laws.texts import law

X = np.column_stack([np.random.default_rng(0).standard_normal((6, 2)), np.arange(6) % 2])
PAIRS = NumericPairs(Rows(X), Rows(X))


def gram(text: str, data: np.ndarray = X) -> np.ndarray:
    return ks.parse(text).gram(data)


def test_a_frequency_in_every_form() -> None:
    own, k, doubled = law("laplace()[0, 1]", 3), gram("laplace()[0, 1]"), gram("laplace()[0, 1]", 2 * X)
    np.testing.assert_allclose(sample_variance(own, PAIRS, "paired"), (1 + doubled) / 2 - k**2, atol=1e-14)
    np.testing.assert_allclose(sample_variance(own, PAIRS, "complex"), (1 + doubled) / 2 - k**2, atol=1e-14)
    np.testing.assert_allclose(sample_variance(own, PAIRS, "phase"), 1 + doubled / 2 - k**2, atol=1e-14)
    assert np.array_equal(own.variance(PAIRS, 7, "phase"), sample_variance(own, PAIRS, "phase") / 7)


def test_one_set_of_moments_for_all_forms() -> None:
    own = law("match()[2] * gaussian()[0, 1]", 3)
    for collisions in (None, Collisions(8, signed=True), Collisions(8, signed=False)):
        moments = SampleMoments.of(own, PAIRS, collisions)
        for form in ("paired", "phase", "complex"):
            assert np.array_equal(moments.variance(form), sample_variance(own, PAIRS, form, collisions))  # type: ignore[arg-type]
        assert (moments.free is None) == (collisions is None)


def test_only_keys_collide() -> None:
    own = law("gaussian()[0, 1]", 3)
    assert SampleMoments.of(own, PAIRS, Collisions(8, signed=True)).free is None


def test_about_the_mean_of_what_is_cut() -> None:
    """Of e^{c(k−1)} the degrees 0 and 1: the variance is the one about e^{−c}(1 + ck)."""
    k, doubled = gram("laplace()"), gram("laplace()", 2 * X)
    second = (2 / np.e + (1 + doubled) / np.e) / 2
    found = sample_variance(law("dual(exp(c=1), laplace(), max_degree=1)", 3), PAIRS, "paired")
    np.testing.assert_allclose(found, second - ((1 + k) / np.e) ** 2, atol=1e-14)


def test_infinite_is_infinite_and_zero_is_not_negative() -> None:
    steep = sample_variance(law("dual(relu, normalize(linear()))", 3), PAIRS, "paired")
    assert np.isinf(np.diag(steep)).any()
    assert not np.isnan(steep).any()
    assert (sample_variance(law("gaussian() * laplace()", 3), PAIRS, "paired") >= 0).all()
    assert not np.diag(sample_variance(law("gaussian() * laplace()", 3), PAIRS, "paired")).any()
