"""datasketch's weighted MinHash: its kernel, no bias, and the variance of a share."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.comparison.catalogue import audit
from kernelspec.comparison.libraries.datasketch import SAMPLERS


def test_the_kernel_is_minmax() -> None:
    rows = np.random.default_rng(0).gamma(2, size=(5, 3))
    np.testing.assert_allclose(SAMPLERS["WeightedMinHash"].kernel(rows, rows), ks.parse("minmax()").gram(rows))


@pytest.mark.slow
def test_measured() -> None:
    (found,) = audit("datasketch", n_maps=200)
    assert not found.is_biased
    low, high = found.ratio_interval
    assert low < 1 < high
