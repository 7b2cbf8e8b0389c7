"""Samples of translated kernels are samples of the kernel at translated rows."""

from __future__ import annotations

import numpy as np
import pytest

from kernelspec.laws.translation import TranslationLaw
from kernelspec.maps.dense import DenseFeatures
from kernelspec.random.streams import Stream
from kernelspec.samples.samples import Samples, Side
from kernelspec.tables.rows import Rows
from tests.laws.texts import law

X = np.random.default_rng(0).standard_normal((6, 3))


def values(batch: Samples, rows: np.ndarray, side: Side) -> np.ndarray:
    assert batch.phasors is not None
    zeros = np.zeros(len(batch))
    part = DenseFeatures(batch.phasors, batch.weight, batch.sign, zeros, batch.growth)
    out = np.empty((len(rows), len(batch)), dtype=complex)
    part.evaluate(Rows(rows), side, "complex", np.dtype(np.float64), out)
    return out * batch.sign


@pytest.mark.parametrize(
    "text", ["laplace()", "gaussian() - 0.5 * laplace()", "sinh_gaussian(by=0.3)", "tilt(laplace(), 0.2)"]
)
def test_products_are_those_at_moved_rows(text: str) -> None:
    base = law(text, 2)
    by = (0.5, -1.0)
    own = TranslationLaw(base, by)
    moved = X + np.array([-1.0, 0, 0.5])
    for got, plain in zip(own.draw(Stream(3), 40, (2, 0)), base.draw(Stream(3), 40, (2, 0)), strict=True):
        found = values(got, X, "left")[:, None] * values(got, X, "right").conj()
        expected = values(plain, moved, "left")[:, None] * values(plain, X, "right").conj()
        np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)
    assert own.has_phasor == base.has_phasor
    assert own.n_terms == base.n_terms
    assert own.lines((2, 0))[0] == "at x + (0.5, -1) and y:"
