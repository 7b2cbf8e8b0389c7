"""The inner product of rows."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
import sympy

import kernelspec as ks
from kernelspec.errors import DataError, NotStationaryError, RangeError, TypeMismatchError
from kernelspec.testing.assertions import assert_unbiased
from kernelspec.testing.samples import assert_samples

X = np.array([[1.0, 2.0, -1.0], [0.3, -0.4, 5.0], [0.0, 0.0, 0.0], [-2.0, 0.1, 0.2]])


def test_value() -> None:
    np.testing.assert_allclose(ks.parse("linear()").gram(X), X @ X.T, rtol=1e-14)
    np.testing.assert_allclose(ks.parse("linear()").gram(sp.csr_array(X), X[:2]), X @ X[:2].T, rtol=1e-14)
    np.testing.assert_allclose(ks.parse("2 * linear()[0, 2]").gram(X), 2 * X[:, [0, 2]] @ X[:, [0, 2]].T, rtol=1e-14)


def test_exact_features_are_the_columns() -> None:
    fmap = ks.compile("linear()", dim=3, n_features=10)
    assert fmap.method == "exact"
    np.testing.assert_array_equal(fmap.transform(X), X)
    assert not fmap.predicted_variance(X).any()
    np.testing.assert_array_equal(ks.compile("4 * linear()[2]", dim=3, n_features=10).transform(X), 2 * X[:, 2:])


@pytest.mark.slow
def test_few_features_are_columns_at_random() -> None:
    fmap = ks.compile("linear()", dim=3, n_features=2)
    assert fmap.n_columns == 2
    assert_unbiased("linear()", X, n_features=2, n_maps=400)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["paired", "phase", "complex", "exact"])
@pytest.mark.parametrize(
    "text",
    [
        "linear()",
        "linear() ** 2",
        "linear() * gaussian()",
        "linear() - 0.5 * linear()[0]",
        "linear()[0:2] * match()[2]",
    ],
)
def test_features(text: str, method: str) -> None:
    assert_samples(text, X, methods=[method], n=4000)  # type: ignore[list-item]


def test_the_diagonal_depends_on_the_row() -> None:
    facts = ks.analyze("linear() + gaussian()", dim=2)
    x = sympy.symbols("x_1 x_2", real=True)
    assert sympy.simplify(facts.k0 - (x[0] ** 2 + x[1] ** 2 + 1)) == 0
    assert facts.verdict.positive_definite == "proved"
    assert "k(x, x) = x_1**2 + x_2**2" in ks.analyze("linear()", dim=2).report()
    with pytest.raises(NotStationaryError, match="inner product"):
        _ = facts.spectral_measure
    with pytest.raises(TypeError, match="has_constant_diagonal"):
        ks.parse("linear()").kernel(ks.parse("linear()").columns(2, None)).diagonal()


def test_differences_are_undecided_or_disproved() -> None:
    assert ks.analyze("linear() - 0.5 * linear()[0]", dim=2).verdict.positive_definite == "unknown"
    assert ks.analyze("linear()[0] - linear()[1]", dim=2).verdict.positive_definite == "disproved"


def test_normalised() -> None:
    good = X[[0, 1, 3]]
    unit = good / np.linalg.norm(good, axis=1, keepdims=True)
    np.testing.assert_allclose(ks.parse("normalize(linear())").gram(good), unit @ unit.T, atol=1e-14)
    np.testing.assert_allclose(
        ks.parse("normalize(3 * linear() ** 2 * gaussian())").gram(good),
        (unit @ unit.T) ** 2 * ks.parse("gaussian()").gram(good),
        atol=1e-14,
    )
    with pytest.raises(DataError, match="row 2 has only zeros, and so no direction"):
        ks.parse("normalize(linear())").gram(X)
    with pytest.raises(RangeError, match="that of a factor is -1 here: it must be above 0"):
        ks.parse("normalize(linear() * (gaussian() - 2 * laplace()))")
    with pytest.raises(RangeError, match="depends on x is available for linear"):
        ks.parse("normalize(linear() + gaussian())")


def test_changes_of_the_lag_are_refused() -> None:
    for form in (
        "stretch(linear(), 2)",
        "shift(linear(), 1)",
        "tilt(gaussian() * linear(), 1)",
        "modulate(linear(), 1)",
    ):
        with pytest.raises(TypeMismatchError, match="acts on differences"):
            ks.parse(form)
