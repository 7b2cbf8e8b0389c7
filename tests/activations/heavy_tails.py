"""The test of how often degrees are huge, for laws without a mean."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from kernelspec.activations.activation import LARGEST_DEGREE, Activation
from kernelspec.random.streams import Stream
from kernelspec.testing.laboratory import assert_proportions

__all__ = ["exceedances_test"]

DRAWS = 2_000_000
LEVELS = [10**2, 10**4, 10**6]


def exceedances_test(activation: Activation, tail: float) -> Callable[[], None]:
    """P(l > n) at 1e2, 1e4 and 1e6, from all coefficients up to there, and ≈ `tail`/√n."""

    def test() -> None:
        below = np.cumsum(activation.coefficient(np.arange(LEVELS[-1] + 1)))[LEVELS]
        exceeded = 1 - below
        assert exceeded * np.sqrt(LEVELS) == pytest.approx(tail, rel=1e-2)
        drawn = activation.draw_degrees(Stream(3), DRAWS)
        counts = np.histogram(drawn, [0, *(level + 1 for level in LEVELS), LARGEST_DEGREE + 1])[0]
        assert_proportions(counts, np.diff([0, *below, 1]), budget=1e-8, what="exceedances")
        # and far beyond what can be summed
        far = [10**8, 10**10]
        probabilities = np.diff([0, *(1 - tail / np.sqrt(far)), 1])
        counts = np.histogram(drawn, [0, *(level + 1 for level in far), LARGEST_DEGREE + 1])[0]
        assert_proportions(counts, probabilities, budget=1e-8, what="far exceedances")
        assert set(np.unique(drawn[drawn > 0] % 2)) == {1}

    return test
