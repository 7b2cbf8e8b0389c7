"""Atoms of discrete measures, each with its opposite."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest

from kernelspec.expressions.pairs import NumericPairs
from kernelspec.kernels.atoms import Atoms
from kernelspec.laws.fourier import OppositeAtoms, opposite_atoms
from kernelspec.tables.rows import Rows
from tests.laws.texts import kernel_of

X = np.random.default_rng(4).uniform(-2, 2, (5, 2))


def found_in(text: str, dim: int = 2) -> OppositeAtoms:
    found = opposite_atoms(kernel_of(text, dim))
    assert found is not None
    return found


def test_the_fourier_series_of_a_periodic_kernel() -> None:
    # e^{z cos θ} = I_0(z) + 2 Σ I_n(z) cos nθ [Abramowitz and Stegun 9.6.34], z = 1/ℓ²
    found, z = found_in("periodic(period=3, scale=1/2)", 1), mp.mpf(4)
    orders = range(1, len(found) + 1)
    assert found.constant == pytest.approx(float(mp.exp(-z) * mp.besseli(0, z)), rel=1e-14)
    np.testing.assert_allclose(found.frequencies[:, 0], [2 * np.pi * n / 3 for n in orders], rtol=1e-14)
    np.testing.assert_allclose(found.weights, [float(2 * mp.exp(-z) * mp.besseli(n, z)) for n in orders], rtol=1e-12)
    assert 1 - 2e-16 <= found.constant + found.weights.sum() <= 1 + 2e-15


@pytest.mark.parametrize(
    "text",
    [
        "periodic(period=3, scale=1/2)[0]",
        "periodic(period=3, scale=1)",
        "cosine(by=1)[0] * periodic(period=1)[0] * cosine(by=[0.5, 2])",
        "stretch(cosine(by=3)*circle()[0], 2)[1]",
        "(0.3*cosine(by=[1, 2]) + 0.2*circle()[0]) ** 3",
    ],
)
@pytest.mark.parametrize("grid", [True, False])
def test_all_together_are_the_kernel(text: str, grid: bool) -> None:
    pairs, found = NumericPairs(Rows(X), Rows(X[::-1]), grid=grid), found_in(text)
    value = np.asarray(kernel_of(text, 2).value(pairs))
    np.testing.assert_allclose(found.constant + found.cosines(pairs, 0), value, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(
        found.cosines(pairs, 0, 1) + found.cosines(pairs, 1), found.cosines(pairs, 0), rtol=1e-12
    )
    assert (np.diff(found.weights) <= 0).all()
    assert (found.weights > 0).all()


def test_a_light_constant_is_one_of_the_pairs() -> None:
    found = opposite_atoms(kernel_of("cosine(by=5) * periodic(period=2, scale=2)", 1))
    assert found is not None
    assert found.constant == 0
    assert (found.frequencies == 0).any() or found.frequencies.min() > 0
    pairs = NumericPairs(Rows(X[:, :1]), Rows(X[:, :1]))
    value = kernel_of("cosine(by=5) * periodic(period=2, scale=2)", 1).value(pairs)
    np.testing.assert_allclose(found.cosines(pairs, 0), value, atol=1e-14)


def test_others_have_none() -> None:
    for text in (
        "gaussian()",
        "periodic(period=1)*gaussian()",
        "cosine(by=[1, 0]) - 0.5*periodic(period=1)",
        "linear()",
    ):
        assert opposite_atoms(kernel_of(text, 2)) is None, text
    # lists that leave something out
    assert opposite_atoms(kernel_of("periodic(period=1, scale=1/1000)", 1)) is None
    assert OppositeAtoms.of(Atoms(np.array([[1.0], [-1.0]]), np.array([0.5, 0.5]), omitted=1e-9)) is None
    assert OppositeAtoms.of(Atoms(np.array([[1.0], [-1.0]]), np.array([0.5j, 0.5]))) is None
