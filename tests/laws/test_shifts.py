"""The sinh kernel as three Gaussians, two of them shifted."""

from __future__ import annotations

import numpy as np
import pytest

from kernelspec.expressions.pairs import NumericPairs
from kernelspec.laws.fourier import FourierLaw
from kernelspec.laws.jordan import shifts
from kernelspec.laws.polar import PolarLaw
from tests.kernels.asymmetric import exact, make, rows


@pytest.mark.parametrize("dim", [1, 3])
def test_three_terms_make_the_kernel(dim: int) -> None:
    kernel = make("sinh", dim)
    law = shifts(kernel)
    assert law is not None
    assert [type(part) for part in law.parts] == [FourierLaw, PolarLaw, PolarLaw]
    lags = rows(dim, 8).dense()
    np.testing.assert_allclose(law.value(NumericPairs.of_vectors(lags)), exact(kernel, lags), rtol=1e-11, atol=1e-13)


def test_the_size_is_one_and_the_gain() -> None:
    """1 + e^{σ²‖β‖²/2}: each shifted Gaussian has half of it."""
    law = shifts(make("sinh", 2, scale=1.5, by=(0.3, -0.4)))
    assert law is not None
    gain = np.exp(1.5**2 * 0.25 / 2)
    np.testing.assert_allclose([float(w) for w in law.weights], [1, gain / 2, -gain / 2], rtol=1e-14)
    assert float(law.magnitude()) == pytest.approx(1 + gain, rel=1e-14)


def test_which_kernels_have_it() -> None:
    for kernel in (make("shift", 2), make("cosh", 2), make("sinh", 2, by=(0.0, 0.0))):
        assert shifts(kernel) is None
