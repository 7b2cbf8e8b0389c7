"""Frequencies from the modulus of a complex measure."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from kernelspec.kernels.leaves.gaussian_directions import CoshGaussian, GaussianDirection, ShiftGaussian, SinhGaussian
from kernelspec.laws.polar import PolarLaw
from kernelspec.measures.measure import measure_of
from kernelspec.random.streams import Stream
from kernelspec.testing.laboratory import assert_mean, assert_proportions

KERNELS: list[GaussianDirection] = [
    ShiftGaussian(scale=0.7, by=(1.0, -2.0), dim=2),
    CoshGaussian(scale=1.3, by=(0.4, 0.3), dim=2),
    SinhGaussian(scale=1.3, by=(0.8, -0.6), dim=2),
]


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)
def test_modulus_and_phase(kernel: GaussianDirection) -> None:
    n = 40_000
    (batch,) = PolarLaw(kernel).draw(Stream(5), n, (3, 1))
    assert batch.phasors is not None
    assert batch.phasors.columns == (1, 3)
    omega = batch.phasors.frequencies[:, [1, 0]]
    density = measure_of(kernel).density(omega)
    np.testing.assert_allclose(np.exp(1j * batch.phasors.left), density / np.abs(density), atol=1e-10)
    assert not batch.phasors.right.any()
    np.testing.assert_allclose(batch.weight, kernel.total_variation())
    # along the direction the law is |h|φ/‖μ‖, across it normal
    unit, sigma = kernel.unit(), float(kernel.scale)
    along, across = sigma * omega @ unit, sigma * omega @ [-unit[1], unit[0]]
    edges = np.linspace(-2.5, 2.5, 41)
    fine = np.linspace(-2.5, 2.5, 40 * 50 + 1)
    middle = (fine[1:] + fine[:-1]) / 2
    size = np.abs(kernel.wave(float(kernel.frequency) * middle)) * norm.pdf(middle) / float(kernel.total_variation())
    inside = (size * (fine[1] - fine[0])).reshape(40, 50).sum(axis=1)
    counts = np.histogram(along, edges)[0]
    assert_proportions(np.append(counts, n - counts.sum()), np.append(inside, 1 - inside.sum()), budget=1e-8)
    normal = np.diff(norm.cdf(np.array([-np.inf, -1.5, -0.5, 0.5, 1.5, np.inf])))
    assert_proportions(np.histogram(across, [-np.inf, -1.5, -0.5, 0.5, 1.5, np.inf])[0], normal, budget=1e-8)
    assert_mean(along * across, [0.0], budget=1e-8)


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)
def test_the_first_samples_do_not_depend_on_how_many_follow(kernel: GaussianDirection) -> None:
    law = PolarLaw(kernel)
    few, many = law.draw(Stream(1), 20, (0, 1))[0].phasors, law.draw(Stream(1), 300, (0, 1))[0].phasors
    assert few is not None
    assert many is not None
    assert np.array_equal(few.frequencies, many.frequencies[:20])
    assert np.array_equal(few.left, many.left[:20])
    assert law.has_phasor
    assert not law.has_key
    assert "total variation" in law.lines((0, 1))[0]
