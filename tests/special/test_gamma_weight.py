"""Weights of gamma laws, against mpmath."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from kernelspec.special.elementary import log_gamma_weight


@pytest.mark.parametrize("shape", [0.05, 0.5, 1.0, 9.99, 10.0, 45.3, 200.0, 2000.0])
def test_against_mpmath(shape: float) -> None:
    z = np.concatenate([np.geomspace(1e-3, 3, 7) * shape, shape + np.sqrt(shape) * np.array([-0.5, -1e-6, 0, 1e-9, 2])])
    z = z[z > 0]
    with mpmath.workdps(60):
        expected = [
            float(shape * mpmath.log(mpmath.mpf(v)) - mpmath.mpf(v) - mpmath.loggamma(mpmath.mpf(shape))) for v in z
        ]
    np.testing.assert_allclose(log_gamma_weight(shape, z), expected, rtol=2e-14, atol=2e-14)


def test_zero_has_no_weight() -> None:
    for shape in (0.5, 20.0):
        assert log_gamma_weight(shape, np.zeros((2, 1))).tolist() == [[-np.inf], [-np.inf]]
