"""Mixtures over a positive stable law: in closed form for index ½, by Fourier integrals for others."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from kernelspec.special.exact_draws import log_stable_mixture


@pytest.mark.parametrize("dim", [1, 2, 3, 10, 400])
def test_the_levy_law(dim: int) -> None:
    """For index ½, A is Lévy's law, and the mixture Γ((d+1)/2) (¼ + c)^{−(d+1)/2} / 2√π: a Cauchy density."""
    c = np.array([0.0, 1e-12, 1e-3, 0.2, 0.25, 1.0, 17.0, 1e4, 1e12])
    with mpmath.workdps(40):
        half = mpmath.mpf(dim + 1) / 2
        constant = mpmath.loggamma(half) - mpmath.log(2 * mpmath.sqrt(mpmath.pi))
        expected = [float(constant - half * mpmath.log(mpmath.mpf(v) + 0.25)) for v in c]
    np.testing.assert_allclose(log_stable_mixture(0.5, c, dim), expected, rtol=2e-13, atol=1e-12)


@pytest.mark.long
@pytest.mark.parametrize("index", [0.3, 0.45, 0.6, 0.75, 0.9, 0.97])
@pytest.mark.parametrize("frequency", [0.1, 0.9, 2.0, 6.0])
def test_it_is_the_density_whose_transform_is_stated(index: float, frequency: float) -> None:
    """p(ω) = (4π)^{−d/2} E[A^{−d/2} exp(−ω²/4A)] has the transform exp(−r^{2a}): inverted for d = 1 and d = 3.

    The integrals ∫ cos(ωr) exp(−r^{2a}) dr / π and ∫ r sin(ωr) exp(−r^{2a}) dr / 2π²ω run along the ray of
    angle φ, where both factors fall.
    """
    with mpmath.workdps(25):
        alpha, w = 2 * mpmath.mpf(index), mpmath.mpf(frequency)
        turn = mpmath.expj(min(mpmath.mpf(1), mpmath.pi / (4 * alpha)))
        ends = [0, 0.01, 0.1, 0.5, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 4096, 2**14]

        def along(power: int) -> mpmath.mpc:
            return mpmath.quad(
                lambda s: turn * (s * turn) ** power * mpmath.exp(1j * w * s * turn - (s * turn) ** alpha), ends
            )

        line = float(along(0).real / mpmath.pi)
        space = float(along(1).imag / (2 * mpmath.pi**2 * w))
    c = np.array([frequency**2 / 4])
    assert np.exp(log_stable_mixture(index, c, 1))[0] / np.sqrt(4 * np.pi) == pytest.approx(line, rel=1e-11)
    assert np.exp(log_stable_mixture(index, c, 3))[0] / (4 * np.pi) ** 1.5 == pytest.approx(space, rel=1e-11)


@pytest.mark.parametrize("index", [0.1, 0.4, 0.8, 0.99])
@pytest.mark.parametrize("dim", [1, 2, 5])
def test_at_zero_it_is_a_moment_and_it_starts_there(index: float, dim: int) -> None:
    """E A^{−w} = Γ(1 + w/a) / Γ(1 + w): the value for w = d/2, the slope for w + 1."""
    value, slope = (mpmath.gamma(1 + w / index) / mpmath.gamma(1 + w) for w in (dim / 2, dim / 2 + 1))
    near = 1e-3 * float(value / slope)
    found = log_stable_mixture(index, np.array([0.0, 1e-9 * near, 1e-3 * near]), dim)
    np.testing.assert_allclose(found, float(mpmath.log(value)), rtol=1e-12, atol=2e-6)
    assert found[:2] == pytest.approx(float(mpmath.log(value)), rel=1e-11, abs=1e-11)
    assert found[0] - found[2] == pytest.approx(1e-6, rel=1e-3)


@pytest.mark.parametrize("index", [0.05, 0.2, 0.5, 0.85, 0.999])
def test_more_dimensions_are_derivatives(index: float) -> None:
    """−d/dc of the mixture in d dimensions is the one in d + 2."""
    c, step = np.geomspace(1e-2, 30, 12), 1e-3
    points = c[:, None] * np.exp(step * np.array([-2, -1, 1, 2]))
    logs = log_stable_mixture(index, points.ravel(), 2).reshape(points.shape)
    slope = logs @ np.array([1, -8, 8, -1]) / (12 * step) / c
    ratio = np.exp(log_stable_mixture(index, c, 4) - log_stable_mixture(index, c, 2))
    np.testing.assert_allclose(-slope, ratio, rtol=1e-7)


def test_the_tail_is_a_power() -> None:
    """The leading residue: a sin(πa)/π · Γ(d/2 + a) Γ(a) c^{−d/2−a}, to a relative c^{−a}."""
    a, dim, c = 0.6, 3, np.array([1e20, 1e40])
    leading = np.log(a * np.sin(np.pi * a) / np.pi) + float(mpmath.loggamma(dim / 2 + a) + mpmath.loggamma(a))
    np.testing.assert_allclose(log_stable_mixture(a, c, dim), leading - (dim / 2 + a) * np.log(c), rtol=1e-12)


def test_shapes_are_kept() -> None:
    assert log_stable_mixture(0.7, np.ones((2, 3)), 2).shape == (2, 3)
    assert log_stable_mixture(0.7, np.array(1.0), 2).shape == ()
    assert log_stable_mixture(0.7, np.zeros((0, 3)), 2).shape == (0, 3)
