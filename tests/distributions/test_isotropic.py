"""Rotation-invariant laws: their densities project onto each other, and their draws have them."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from scipy.integrate import quad
from scipy.stats import kstest

from kernelspec.distributions.distribution import Isotropic
from kernelspec.distributions.symmetric import Cauchy, Gaussian, Laplace, StudentT
from kernelspec.distributions.uniform import Uniform
from kernelspec.errors import DimensionError, NoDensityError
from kernelspec.random.streams import Stream

SEED = 20_251_209
BUDGET = 1e-8
LAWS = [Gaussian(scale=0.7), Cauchy(scale=1.3), Laplace(scale=0.6), StudentT(dof=3.5, scale=1.2)]
BALL = Uniform(low=-2.0, high=2.0)


def at(law: Isotropic, radius: float, dim: int) -> float:
    return float(law.isotropic_density(np.array([radius]), dim)[0])


@pytest.mark.long
@pytest.mark.parametrize("law", LAWS, ids=str)
@pytest.mark.parametrize("dim", [1, 2, 3, 6])
def test_leaving_out_a_coordinate_integrates_over_it(law: Isotropic, dim: int) -> None:
    """p_d(x) = 2 ∫₀^∞ p_{d+1}(√(x² + y²)) dy, with y = x sinh s."""
    for x in (0.3, 1.1, 4.0):
        total, _ = quad(
            lambda s, x=x: 2 * at(law, x * np.cosh(s), dim + 1) * x * np.cosh(s), 0, 40, epsabs=0, limit=200
        )
        assert total == pytest.approx(at(law, x, dim), rel=1e-8)


@pytest.mark.parametrize(("law", "dim"), [*((law, dim) for law in LAWS for dim in (1, 2, 3, 5)), (BALL, 1), (BALL, 2)])
def test_written_in_sympy(law: Isotropic, dim: int) -> None:
    radius = sympy.Symbol("r", positive=True)
    written = law.isotropic_density_expression(radius, dim)
    for point in (0.01, 0.4, 1.5, 9.0):
        value = float(written.subs(radius, sympy.Float(point, 40)).evalf(25))
        assert at(law, point, dim) == pytest.approx(value, rel=1e-12)
    assert law.without_isotropic_density(dim) is None


@pytest.mark.parametrize("law", LAWS, ids=str)
@pytest.mark.parametrize("dim", [2, 5])
def test_draws_have_the_density_and_no_direction(law: Isotropic, dim: int) -> None:
    drawn = law.draw_isotropic(Stream(SEED), 20_000, dim)
    sphere = 2 * np.pi ** (dim / 2) / float(sympy.gamma(sympy.Rational(dim, 2)))
    s = np.linspace(-18, 12, 20_001)  # radius e^s; the share within it by Simpson's rule
    density = sphere * law.isotropic_density(np.exp(s), dim) * np.exp(dim * s)
    steps = (s[1] - s[0]) / 3 * (density[:-2:2] + 4 * density[1:-1:2] + density[2::2])
    share = np.concatenate([[0], np.cumsum(steps)])
    assert share[-1] == pytest.approx(1, abs=1e-4)
    radii = np.linalg.norm(drawn, axis=1)
    assert kstest(radii, lambda r: np.interp(np.log(r), s[::2], share)).pvalue > BUDGET
    for first, second in ((0, 1), (1, dim - 1 if dim > 2 else 0)):
        angle = np.arctan2(drawn[:, first], drawn[:, second])
        assert kstest(angle, "uniform", args=(-np.pi, 2 * np.pi)).pvalue > BUDGET


def test_the_uniform_law_is_the_shadow_of_a_sphere() -> None:
    for x in (0.0, 0.7, 1.9):
        # the chord through the disc: y = √(b² − x²) sin s
        half = np.sqrt(4 - x**2)
        total, _ = quad(
            lambda s, x=x, half=half: at(BALL, np.hypot(x, half * np.sin(s)), 2) * half * np.cos(s), -1.57, 1.57
        )
        assert total == pytest.approx(at(BALL, x, 1), rel=2e-3)
    drawn = BALL.draw_isotropic(Stream(SEED), 1000, 3)
    np.testing.assert_allclose(np.linalg.norm(drawn, axis=1), 2, rtol=1e-15)
    assert "no volume" in str(BALL.without_isotropic_density(3))


@pytest.mark.parametrize("dim", [4, 7])
def test_where_there_is_no_law_nothing_is_drawn_or_evaluated(dim: int) -> None:
    assert BALL.largest_dim == 3
    with pytest.raises(NoDensityError, match=f"R\\^{dim}"):
        BALL.isotropic_density(np.ones(1), dim)
    with pytest.raises(NoDensityError):
        BALL.isotropic_density_expression(sympy.Symbol("r"), dim)
    with pytest.raises(DimensionError, match="Schoenberg 1938"):
        BALL.draw_isotropic(Stream(SEED), 5, dim)
