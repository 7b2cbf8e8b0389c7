"""The cosine of the angle between rows."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.testing.samples import assert_samples

X = np.array([[1.0, 2.0, -1.0], [0.3, -0.4, 5.0], [3e-200, 1e-200, 0.0], [-2e200, 1e199, 2e200]])
TAME = np.array([[1.0, 2.0, -1.0], [0.3, -0.4, 5.0], [-2.0, 0.1, 0.2], [1e-3, 2e-3, 0.0]])


def cosines(x: np.ndarray) -> np.ndarray:
    scaled = x / np.abs(x).max(axis=1, keepdims=True)
    unit = scaled / np.linalg.norm(scaled, axis=1, keepdims=True)
    return unit @ unit.T


def test_is_the_cosine_at_any_size() -> None:
    gram = ks.parse("normalize(linear())").gram(X)
    np.testing.assert_allclose(gram, cosines(X), atol=1e-14)
    assert np.abs(gram).max() <= 1


@pytest.mark.slow
@pytest.mark.parametrize("method", ["paired", "phase", "complex", "exact"])
@pytest.mark.parametrize(
    "text", ["normalize(linear())", "normalize(linear())[0, 2] * gaussian()", "normalize(linear()[1])"]
)
def test_features(text: str, method: str) -> None:
    assert_samples(text, TAME, methods=[method], n=4000)  # type: ignore[list-item]
