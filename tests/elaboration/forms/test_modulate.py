"""Modulation."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks

X = np.random.default_rng(5).normal(size=(5, 2))
LAGS = X[:, None, :] - X[None, :, :]


def test_multiplies_by_a_cosine() -> None:
    expected = np.exp(-np.abs(LAGS).sum(-1)) * np.cos(LAGS @ [1, 2])
    np.testing.assert_allclose(ks.parse("modulate(laplace(), [1, 2])").gram(X), expected, rtol=1e-12, atol=1e-15)


def test_a_number_is_the_constant_vector() -> None:
    np.testing.assert_allclose(
        ks.parse("modulate(laplace(), 3)").gram(X), ks.parse("modulate(laplace(), by=[3, 3])").gram(X), rtol=1e-14
    )


def test_moves_half_of_the_density_each_way() -> None:
    omega = np.array([[0.0], [1.3], [2.0]])
    normal = ks.analyze("gaussian()", dim=1).spectral_density_at
    found = ks.analyze("modulate(gaussian(), by=2)", dim=1).spectral_density_at(omega)
    np.testing.assert_allclose(found, (normal(omega - 2) + normal(omega + 2)) / 2, rtol=1e-13)


def test_a_vector_of_the_wrong_length_is_refused() -> None:
    with pytest.raises(ks.KernelspecError, match="3 entries for 2 columns"):
        ks.parse("modulate(gaussian(), [1, 2, 3])").gram(X)
