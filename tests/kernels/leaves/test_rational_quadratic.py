"""The rational quadratic kernel."""

import mpmath as mp
import numpy as np
import pytest
from scipy.integrate import quad
from sklearn.gaussian_process.kernels import RationalQuadratic as SklearnRationalQuadratic

from kernelspec.kernels.leaves.radial import RationalQuadratic
from tests.kernels.standard import at, euclidean, standard_kernel_tests


def formula(alpha, scale):
    alpha, scale = mp.mpf(alpha), mp.mpf(scale)
    return euclidean(lambda r: (1 + r**2 / (2 * alpha * scale**2)) ** -alpha)


test_standard = standard_kernel_tests(
    {
        f"rational_quadratic({alpha:g}, {scale:g})": formula(alpha, scale)
        for alpha, scale in [(0.3, 1), (1, 2), (2.5, 0.7), (60, 1)]
    }
)


@pytest.mark.parametrize("alpha", [0.2, 1.0, 3.7])
def test_agrees_with_scikit_learn(rows, alpha):
    ours = at(RationalQuadratic(alpha=alpha, scale=0.9, dim=3), rows)
    theirs = SklearnRationalQuadratic(length_scale=0.9, alpha=alpha)(rows, np.zeros((1, 3))).ravel()
    np.testing.assert_allclose(ours, theirs, rtol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(("alpha", "dim"), [(0.3, 1), (0.5, 1), (1.0, 2), (2.5, 3), (0.7, 7), (400.0, 3), (3.5, 7)])
def test_density_is_the_mixture_of_gaussians(alpha, dim):
    for radius in (1e-6, 0.5, 9.0):

        def integrand(s, radius=radius):
            tau = mp.exp(s)
            gamma_law = mp.exp(alpha * s + alpha * mp.log(alpha) - alpha * tau - mp.loggamma(alpha))
            return gamma_law * (2 * mp.pi * tau) ** (-mp.mpf(dim) / 2) * mp.exp(-(mp.mpf(radius) ** 2) / (2 * tau))

        with mp.workdps(30):
            exact = mp.quad(integrand, list(mp.linspace(-60, 12, 13)))
        found = RationalQuadratic(alpha=alpha, scale=1.0, dim=dim).radial_density(np.array([radius]), dim)[0]
        if exact > 1e-250:
            assert found == pytest.approx(float(exact), rel=1e-11)


def test_density_at_zero_is_finite_above_half_the_dimension():
    zero = np.zeros(1)
    assert RationalQuadratic(alpha=1.0, scale=1.0, dim=2).radial_density(zero, 2)[0] == np.inf
    assert RationalQuadratic(alpha=0.9, scale=1.0, dim=2).radial_density(zero, 2)[0] == np.inf
    finite = RationalQuadratic(alpha=1.5, scale=1.0, dim=2).radial_density(zero, 2)[0]
    assert finite == pytest.approx(1.5 / (2 * np.pi) / 0.5)  # α/2π · E 1/G = α/2π/(α − 1)


def test_rational_order_in_two_dimensions_has_mass_one():
    kernel = RationalQuadratic(alpha=1.0, scale=2.0, dim=2)
    total = quad(lambda r: 2 * np.pi * r * kernel.radial_density(np.array([r]), 2)[0], 0, 40, epsabs=1e-12)[0]
    assert total == pytest.approx(1, rel=1e-10)
