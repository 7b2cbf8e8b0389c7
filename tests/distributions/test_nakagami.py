"""The Nakagami law."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

from kernelspec.distributions.gamma_family import Nakagami
from tests.distributions.comparisons import FREQUENCIES
from tests.distributions.standard_positive import standard_positive_tests

test_standard = standard_positive_tests(
    [
        (Nakagami(shape=0.5), scipy.stats.nakagami(0.5)),
        (Nakagami(shape=0.3, spread=4.0), scipy.stats.nakagami(0.3, scale=2.0)),
        (Nakagami(shape=2.2, spread=0.25), scipy.stats.nakagami(2.2, scale=0.5)),
    ]
)


@pytest.mark.parametrize("step", [1e-9, -1e-9])
def test_nothing_happens_at_one_half(step: float) -> None:
    lags = np.geomspace(1e-300, 8, 200)
    laws = [Nakagami(shape=0.5 + shift) for shift in (0.0, step, -step)]
    there, beside, other = (law.polya_kernel(lags) for law in laws)
    np.testing.assert_allclose(beside, there, rtol=1e-6)
    np.testing.assert_allclose((beside + other) / 2, there, rtol=1e-12)
    there, beside, other = (law.polya_transform(FREQUENCIES) for law in laws)
    np.testing.assert_allclose((beside + other) / 2, there, rtol=1e-12)
