"""Bounds on single pairs, against the laws they bound."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom

import kernelspec as ks
from kernelspec.planning.reference import Reference
from kernelspec.planning.target import bernstein, chebyshev, half_width

X = np.random.default_rng(5).standard_normal((60, 2))


@pytest.mark.parametrize("p", [0.5, 0.1, 0.01])
@pytest.mark.parametrize("rest", [0.1, 0.01, 1e-4])
def test_means_of_coins_are_within_the_bounds(p: float, rest: float) -> None:
    """Exact tails of the binomial law, n = 400."""
    n = 400
    variance = np.array([p * (1 - p) / n])
    for t in (chebyshev(variance, rest), bernstein(variance, max(p, 1 - p) / n, rest)):
        outside = binom.sf(math.floor(n * (p + t)), n, p) + binom.cdf(math.ceil(n * (p - t)) - 1, n, p)
        assert outside <= rest


def test_no_variance_is_no_error() -> None:
    assert chebyshev(np.zeros(3), 0.01) == 0
    assert math.isinf(chebyshev(np.array([np.inf]), 0.01))


def test_bounded_independent_samples_have_the_shorter_bound() -> None:
    layout_of = {}
    for draws in ("independent", "sobol"):
        fmap = ks.compile("gaussian()", data=X, n_features=512, draws=draws, anchors="never")
        reference = Reference.of(fmap.plan.layout, fmap.plan.layout.read(X))
        assert reference.sample is not None
        variance = fmap.predicted_variance(reference.sample.dense()).max()
        layout_of[draws] = half_width(fmap.plan, reference, 0.99), math.sqrt(variance / 0.01)
    wide, by_chebyshev = layout_of["sobol"]
    assert wide == pytest.approx(by_chebyshev)
    wide, by_chebyshev = layout_of["independent"]
    # by hand: log 200 = 5.3, samples of size 1, 256 of them
    v, b = by_chebyshev**2 * 0.01, 2 / 256
    assert wide == pytest.approx(b * 5.298 / 3 + math.sqrt((b * 5.298 / 3) ** 2 + 2 * v * 5.298), rel=1e-3)
    assert wide < by_chebyshev / 2
