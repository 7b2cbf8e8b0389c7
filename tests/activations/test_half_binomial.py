"""Negative binomial numbers of order ½ against SciPy."""

import numpy as np
import pytest
import scipy.stats

from kernelspec.activations.series import half_binomial_at
from kernelspec.random.streams import Stream
from kernelspec.testing.laboratory import assert_proportions


@pytest.mark.parametrize("complement", [0.95, 0.5, 0.01, 1e-6, 1e-12])
def test_the_law(complement: float) -> None:
    law = scipy.stats.nbinom(0.5, complement)
    drawn = half_binomial_at(Stream(7).uniforms("test", (200_000, 2)), complement)
    scale = max(1.0, 1 / complement)
    edges = np.unique(np.floor(scale * np.array([1e-6, 1e-4, 1e-3, 0.01, 0.1, 0.3, 1, 2, 3, 5])))
    chances = np.diff([0.0, *law.cdf(edges), 1.0])
    counts = np.histogram(drawn, [-1, *(edges + 0.5), np.inf])[0]
    assert_proportions(counts, chances, budget=1e-8)


def test_no_failures_without_a_rate() -> None:
    assert (half_binomial_at(Stream(7).uniforms("test", (1000, 2)), 1.0) == 0).all()
