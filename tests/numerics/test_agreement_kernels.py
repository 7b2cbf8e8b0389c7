"""Compiled inner products over agreeing keys."""

from __future__ import annotations

import numpy as np
import pytest

from kernelspec.numerics.key_kernels import add_agreements, add_products

GENERATOR = np.random.default_rng(0)


def keys(n: int, m: int, samples: int) -> tuple[np.ndarray, np.ndarray]:
    left, right = (GENERATOR.integers(0, 3, shape).astype(np.uint64) for shape in ((n, samples), (samples, m)))
    return left, right


@pytest.mark.long
@pytest.mark.parametrize("m", [1, 1023, 1025, 2100])
def test_agreements(m: int) -> None:
    left, right = keys(5, m, 7)
    weights = GENERATOR.standard_normal(7)
    expected = ((left[:, :, None] == right[None]) * weights[:, None]).sum(axis=1)
    out = np.full((5, m), 2.0)
    add_agreements(left, right, weights, out)
    assert np.abs(out - 2 - expected).max() <= 1e-14


@pytest.mark.parametrize("m", [1, 1025])
@pytest.mark.parametrize("entries", [1, 2])
def test_products(m: int, entries: int) -> None:
    left, right = keys(5, m, 7)
    a, b = GENERATOR.standard_normal((entries, 5, 7)), GENERATOR.standard_normal((entries, 7, m))
    expected = np.einsum("eij,ejc,ijc->ic", a, b, left[:, :, None] == right[None])
    out = np.full((5, m), 2.0)
    add_products(left, right, a, b, out)
    assert np.abs(out - 2 - expected).max() <= 1e-13
