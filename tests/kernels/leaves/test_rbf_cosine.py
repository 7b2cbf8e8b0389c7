"""The Gaussian kernel of the cosine similarity."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
import sympy

import kernelspec as ks
from kernelspec.errors import DataError, NotStationaryError, RangeError
from kernelspec.testing.samples import assert_samples

X = np.array([[1.0, 2.0, -1.0], [0.3, -0.4, 5.0], [-2.0, 0.1, 0.2], [1e-3, 2e-3, 0.0]])


def formula(x: np.ndarray, y: np.ndarray, gamma: float) -> np.ndarray:
    cosine = (x @ y.T) / np.linalg.norm(x, axis=1)[:, None] / np.linalg.norm(y, axis=1)
    return np.exp(-gamma * (1 - cosine))


@pytest.mark.parametrize("gamma", [0.1, 1, 5])
def test_kernel(gamma: float) -> None:
    spec = ks.parse(f"rbf_cosine(gamma={gamma})")
    np.testing.assert_allclose(spec.gram(X), formula(X, X, gamma), rtol=1e-12)
    np.testing.assert_allclose(spec.gram(sp.csr_array(X), X * 7), formula(X, X, gamma), rtol=1e-12)
    on_sphere = X / np.linalg.norm(X, axis=1)[:, None]
    np.testing.assert_allclose(ks.parse(f"gaussian(scale={gamma**-0.5!r})").gram(on_sphere), spec.gram(X), rtol=1e-12)


def test_sizes_beyond_squares() -> None:
    for scale in (1e300, 1e-300):
        np.testing.assert_allclose(ks.parse("rbf_cosine()").gram(X * scale), formula(X, X, 1), rtol=1e-12)


def test_facts() -> None:
    facts = ks.analyze("rbf_cosine(gamma=2)", dim=2)
    assert (facts.verdict.positive_definite, facts.verdict.stationary) == ("proved", False)
    numbers = {sympy.Symbol(f"{side}_{i + 1}", real=True): X[row, i] for row, side in enumerate("xy") for i in (0, 1)}
    k = formula(X[:1, :2], X[1:2, :2], 2)[0, 0]
    assert float(facts.kernel.subs(numbers)) == pytest.approx(k, rel=1e-12)
    assert float(facts.variance["paired"].subs(numbers)) == pytest.approx((1 - k**2) ** 2 / 2, rel=1e-12)
    with pytest.raises(NotStationaryError, match="function of the angle"):
        _ = facts.spectral_measure
    symbolic = ks.analyze("rbf_cosine(2)").kernel
    assert symbolic.has(sympy.Sum)


def test_refusals() -> None:
    with pytest.raises(DataError, match="row 1 has only zeros, and so no direction"):
        ks.parse("rbf_cosine()").gram(X * [[1], [0], [1], [1]])
    with pytest.raises(DataError, match="row 2 has only zeros"):
        ks.compile("rbf_cosine()", dim=3, n_features=4).transform(X * [[1], [1], [0], [1]])
    with pytest.raises(RangeError):
        ks.parse("rbf_cosine(0)").gram(X)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["paired", "phase", "complex"])
@pytest.mark.parametrize(
    "text",
    [
        "rbf_cosine(2)",
        "rbf_cosine(2)[0, 1] * gaussian(scale=3)[1, 2]",
        "rbf_cosine()[0, 2] * rbf_cosine()[0, 1] + laplace()",
        "rbf_cosine(3) * match()[0]",
    ],
)
def test_features(text: str, method: str) -> None:
    assert_samples(text, X, methods=[method], n=4000)  # type: ignore[list-item]


def test_dense_and_sparse_rows_have_the_same_features(tmp_path) -> None:
    fmap = ks.compile("rbf_cosine(2)[0, 1] * gaussian()[2]", dim=3, n_features=32)
    dense = fmap.transform(X)
    np.testing.assert_allclose(fmap.transform(sp.csr_array(X)), dense, rtol=1e-12, atol=1e-14)
    fmap.save(tmp_path / "map.npz")
    assert np.array_equal(ks.load_map(tmp_path / "map.npz").transform(X), dense)
