"""Values at the nodes and coefficients."""

from __future__ import annotations

import numpy as np
from numpy.polynomial import legendre

from kernelspec.special.legendre import AT_ENDS, DEGREES, NODES, legendre_coefficients


def test_from_values_to_coefficients() -> None:
    coefficients = np.cos(np.arange(2.0 * DEGREES)).reshape(2, DEGREES)
    values = np.stack([legendre.legval(NODES, row) for row in coefficients])
    np.testing.assert_allclose(legendre_coefficients(values), coefficients, atol=1e-13)
    np.testing.assert_allclose(
        coefficients @ AT_ENDS, [legendre.legval([-1, 1], row) for row in coefficients], atol=1e-13
    )
