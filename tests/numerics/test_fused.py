"""A product and a sum, rounded once."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from kernelspec.numerics.compiled import compiled, multiply_add


@compiled
def over(a: np.ndarray, b: np.ndarray, c: np.ndarray, out: np.ndarray) -> None:
    for j in range(out.shape[0]):
        out[j] = multiply_add(a[j], b[j], c[j])


@pytest.mark.long
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_is_rounded_once(kind: type) -> None:
    generator = np.random.default_rng(0)
    a, b = generator.standard_normal((2, 200)).astype(kind)
    c = (-(a * b)).astype(kind)  # what is left is the rounding of the product: lost, were it rounded on its own
    out = np.empty(200, dtype=kind)
    over(a, b, c, out)
    exact = [
        float(Fraction(float(x)) * Fraction(float(y)) + Fraction(float(z))) for x, y, z in zip(a, b, c, strict=True)
    ]
    assert np.array_equal(out, np.array(exact, dtype=kind))
    assert (out != 0).mean() > 0.5
