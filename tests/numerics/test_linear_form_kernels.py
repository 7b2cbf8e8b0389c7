"""The compiled products, against NumPy."""

from __future__ import annotations

import itertools

import numpy as np

from kernelspec.numerics.key_kernels import multiply_complex, multiply_real

RNG = np.random.default_rng(1)
DATA = RNG.standard_normal((7, 4))
STARTS = np.array([0, 3, 3, 4, 9])
FIRST = RNG.integers(0, 4, 9)
SECOND = np.where(RNG.random(9) < 0.3, -1, RNG.integers(0, 4, 9))
TURN = np.where(RNG.random(9) < 0.5, -1.0, 1.0)
SCALE = RNG.uniform(0.5, 2, 9)


def products(factors: np.ndarray) -> np.ndarray:
    runs = itertools.pairwise(STARTS)
    return np.stack([factors[:, a:b].prod(axis=1) for a, b in runs], axis=1)


def test_real() -> None:
    out = np.empty((7, 4))
    multiply_real(DATA, STARTS, FIRST, SCALE, out)
    np.testing.assert_allclose(out, products(SCALE * DATA[:, FIRST]), rtol=1e-13)


def test_complex() -> None:
    out = np.empty((7, 4), dtype=complex)
    multiply_complex(DATA, STARTS, FIRST, SECOND, TURN, SCALE, out)
    imaginary = np.where(SECOND >= 0, TURN * DATA[:, SECOND], 0.0)
    np.testing.assert_allclose(out, products(SCALE * (DATA[:, FIRST] + 1j * imaginary)), rtol=1e-12)
