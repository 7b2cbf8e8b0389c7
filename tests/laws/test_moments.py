"""The recursion of second moments, against its definition on samples drawn by hand."""

import numpy as np

from kernelspec.laws.law import Moments
from kernelspec.testing.laboratory import assert_mean

N = 200_000


def phasors(seed, frequency):
    angles = np.random.default_rng(seed).normal(0, frequency, N)
    return np.exp(1j * angles)


def moments(samples, real=0.0):
    return Moments(float(np.mean(np.abs(samples) ** 2)), float(np.mean(samples**2).real), real)


def test_product_of_independent_phasors():
    p, q = phasors(0, 0.7), phasors(1, 1.1)
    predicted = Moments(1, np.exp(-2 * 0.7**2), 0) * Moments(1, np.exp(-2 * 1.1**2), 0)
    assert_mean(np.stack([np.abs(p * q) ** 2, ((p * q) ** 2).real], axis=1), [predicted.a, predicted.b])


def test_power_is_that_many_factors():
    one = Moments(0.5, 0.25, 0.125)
    assert one**3 == one * one * one


def test_mixture_is_a_weighted_sum():
    mixed = Moments(1, 0.5, 0).scaled(2) + Moments(0.3, 0.3, 0.3).scaled(4)
    assert (mixed.a, mixed.b, mixed.real) == (3.2, 2.2, 1.2)


def test_paired_and_phase_estimates_have_the_second_moments_stated():
    z = phasors(2, 0.9)
    offsets = np.random.default_rng(3).uniform(0, 2 * np.pi, N)
    angle = np.angle(z)
    predicted = Moments(1, np.exp(-2 * 0.9**2), 0)
    x = 0.4  # cosine features at x + angle and x: their product is the estimate of one sample
    phase = 2 * np.cos(x + angle + offsets) * np.cos(x + offsets)
    assert_mean(np.stack([np.cos(angle) ** 2, phase**2], axis=1), [predicted.paired(), predicted.phase()])


def test_a_real_sample_needs_no_offset():
    key = Moments(0.3, 0.3, 0.3)
    assert key.paired() == 0.3
    assert key.phase() == 0.3
