"""How far the mean of structured frequencies is from the kernel: against the formula, draws by draws, and mpmath."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest

from kernelspec.expressions.pairs import NumericPairs
from kernelspec.laws.hadamard import hadamard_bias, uniform_direction_mean
from kernelspec.laws.joint import JointLaw
from kernelspec.random.normal_blocks import HadamardStream
from kernelspec.tables.rows import Rows
from kernelspec.testing.laboratory import z_threshold
from tests.laws.texts import law


@pytest.mark.parametrize("p", [64, 256, 4096])
def test_plane_waves_over_uniform_directions(p: int) -> None:
    s = np.array([0, 1e-3, 0.5, 1, 2.5, 4, 8, 20]) * np.sqrt(p)
    expected = [float(mp.hyp0f1(mp.mpf(p) / 2, -(mp.mpf(float(own)) ** 2) / 4)) for own in s]
    np.testing.assert_allclose(
        uniform_direction_mean(s, p), expected, rtol=0, atol=1e-14 + p * 2**-52
    )  # of powers cos^p
    assert uniform_direction_mean(np.array([1e9]), p) == 0


def lags(d: int) -> np.ndarray:
    """Along one axis, two, and none; from near to far."""
    generator = np.random.default_rng(0)
    kinds = [np.eye(d)[0], np.eye(d)[[0, 1]].sum(axis=0) / np.sqrt(2), np.ones(d) / np.sqrt(d)]
    kinds.append((own := generator.standard_normal(d)) / np.linalg.norm(own))
    return np.concatenate([radius * np.array(kinds) for radius in (0.5, 1.5, 2.5)])


def pairs_of(lag: np.ndarray) -> NumericPairs:
    return NumericPairs(Rows(lag), Rows(np.zeros_like(lag)), grid=False)


@pytest.mark.slow
def test_the_mean_of_draws_is_off_by_no_more_than_is_said() -> None:
    """At d = 64, where it is largest: 300 blocks of draws against exp(−r²/2). At each lag 1e-6 for a false alarm."""
    d, lag = 64, lags(64)
    own = JointLaw(law("gaussian()", d), "hadamard")
    bias, error = own.bias(pairs_of(lag))
    assert np.abs(bias).max() < 1e-3
    estimates = np.stack(
        [np.cos(lag @ HadamardStream(seed, (5,)).normal("normal", (d, d)).T).mean(axis=1) for seed in range(300)]
    )
    found = estimates.mean(axis=0) - np.exp(-np.square(lag).sum(axis=1) / 2)
    spread = np.sqrt(estimates.var(axis=0, ddof=1) / 300 + error**2)
    assert (np.abs(found - bias) <= z_threshold(len(lag), 1e-6, 299) * spread).all()


def test_it_is_resolved_and_falls_with_the_columns() -> None:
    """Along an axis, at distance r: −r⁴ e^{−r²/2} / 3p² and terms of higher order in 1/p.

    H D₃ Δ has entries of one size there, and so D₂ makes y a sum of signs: Σ y_k⁴ falls short of that of a uniform
    direction by 4r⁴/p² of 3r⁴/p, and ∏ cos y_k ≈ exp(−Σ y_k²/2 − Σ y_k⁴/12). Five standard errors: 1e-6.
    """
    for d in (64, 256):
        (bias,), (error,) = hadamard_bias(law("gaussian()", d), pairs_of(2 * np.eye(d)[:1]))
        expected = -16 * np.exp(-2) / (3 * d**2)
        assert abs(bias - expected) < 5 * error + 0.25 * abs(expected)
        assert error < abs(expected)


def test_rows_without_a_difference_have_none() -> None:
    same = np.zeros((1, 70))
    bias, _ = hadamard_bias(law("matern(nu=3/2)", 70), pairs_of(same))
    assert abs(bias[0]) < 1e-14
    with pytest.raises(TypeError, match="no structured frequencies"):
        hadamard_bias(law("laplace()", 70), pairs_of(same))


def test_other_draws_have_none() -> None:
    own = JointLaw(law("gaussian()", 3), "orthogonal")
    assert not own.is_biased
    assert not np.any(own.bias(pairs_of(np.ones((2, 3)))))
