"""k(y, x) as a kernel, and the symmetry that follows from it."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.laws.rules import law_of
from tests.kernels.asymmetric import rows

TEXTS = [
    "gaussian() * laplace()[1]",
    "2 * shift_gaussian(by=[1, 0.5]) - 0.5 * laplace()",
    "stretch(sinh_gaussian(by=0.3), [1, 2]) * cosh_gaussian(by=0.2)[0]",
    "(shift(laplace(), 0.5) + gaussian()) ** 2",
    "tilt(cauchy(), by=[0.2, -0.1])[1, 0]",
]


@pytest.mark.parametrize("text", TEXTS)
def test_values_and_moments_with_x_and_y_exchanged(text: str) -> None:
    spec = ks.parse(text)
    kernel = spec.kernel(spec.columns(2))
    turned = kernel.transposed()
    x, y = rows(2), rows(2, seed=7)
    there, back = NumericPairs(x, y), NumericPairs(y, x)
    np.testing.assert_allclose(np.asarray(turned.value(back)).T, kernel.value(there), rtol=1e-11)
    shape = np.ones((5, 5))
    for name in ("a", "b"):
        one, other = (
            np.asarray(getattr(law_of(k).moments(p), name)) * shape for k, p in ((kernel, there), (turned, back))
        )
        np.testing.assert_allclose(other.T, one, rtol=1e-9, atol=1e-12)
    assert turned.transposed() == kernel


@pytest.mark.parametrize(
    ("text", "symmetric"),
    [
        ("shift_gaussian(by=1) + shift_gaussian(by=-1)", True),
        ("shift_gaussian(by=1) + 2 * shift_gaussian(by=-1)", False),
        ("shift_gaussian(by=1) * shift_gaussian(by=-1)", True),
        ("shift_gaussian(by=1) * shift_gaussian(by=1)", False),
        ("cosh_gaussian(by=1) + cosh_gaussian(by=-1) + laplace()", True),
        ("stretch(shift(laplace(), 1), 2) * stretch(shift(laplace(), -1), 2)", True),
    ],
)
def test_what_is_its_own_transpose_is_symmetric(text: str, symmetric: bool) -> None:
    verdict = ks.analyze(text, dim=2).verdict
    assert verdict.symmetric == symmetric
    if not symmetric:
        assert verdict.positive_definite == "disproved"
    matrix = ks.parse(text).gram(rows(2).dense())
    assert np.allclose(matrix, matrix.T) == symmetric
