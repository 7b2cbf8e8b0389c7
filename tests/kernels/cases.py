"""Every entry of the catalogue with several parameter values: what all tests of kernels run over."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernelspec.distributions.cauchy import Cauchy as CauchyLaw
from kernelspec.distributions.exponential import Exponential as ExponentialLaw
from kernelspec.distributions.gamma import Gamma
from kernelspec.distributions.gaussian import Gaussian as GaussianLaw
from kernelspec.distributions.laplace import Laplace as LaplaceLaw
from kernelspec.distributions.shifted_poisson import ShiftedPoisson
from kernelspec.distributions.student_t import StudentT
from kernelspec.distributions.uniform import Uniform
from kernelspec.kernels.bochner import Bochner
from kernelspec.kernels.cauchy import Cauchy
from kernelspec.kernels.cosine import Cosine
from kernelspec.kernels.exponential import Exponential
from kernelspec.kernels.gaussian import Gaussian
from kernelspec.kernels.laplace import Laplace
from kernelspec.kernels.matern import Matern
from kernelspec.kernels.periodic import Periodic
from kernelspec.kernels.polya import Polya
from kernelspec.kernels.powered_exponential import PoweredExponential
from kernelspec.kernels.rational_quadratic import RationalQuadratic
from kernelspec.kernels.sinc import Sinc
from kernelspec.kernels.triangle import Triangle

if TYPE_CHECKING:
    from collections.abc import Callable

    from kernelspec.kernels.leaf import Stationary

__all__ = ["CATALOGUE_CASES", "direction"]


def direction(dim: int) -> tuple[float, ...]:
    """A vector with no two entries alike, the frequency of the cosine cases."""
    return tuple(round(1.3 - 0.4 * i, 1) for i in range(dim))


def _cosine(dim: int) -> Stationary:
    return Cosine(by=direction(dim), dim=dim)


CATALOGUE_CASES: list[tuple[str, Callable[[int], Stationary]]] = [
    ("gaussian(1)", lambda d: Gaussian(scale=1.0, dim=d)),
    ("gaussian(0.37)", lambda d: Gaussian(scale=0.37, dim=d)),
    ("laplace(1)", lambda d: Laplace(scale=1.0, dim=d)),
    ("laplace(2.3)", lambda d: Laplace(scale=2.3, dim=d)),
    ("exponential(1)", lambda d: Exponential(scale=1.0, dim=d)),
    ("exponential(0.6)", lambda d: Exponential(scale=0.6, dim=d)),
    ("matern(0.3, 1)", lambda d: Matern(nu=0.3, scale=1.0, dim=d)),
    ("matern(0.5, 2)", lambda d: Matern(nu=0.5, scale=2.0, dim=d)),
    ("matern(1, 1)", lambda d: Matern(nu=1.0, scale=1.0, dim=d)),
    ("matern(1.5, 0.7)", lambda d: Matern(nu=1.5, scale=0.7, dim=d)),
    ("matern(7.3, 1.3)", lambda d: Matern(nu=7.3, scale=1.3, dim=d)),
    ("matern(40, 1)", lambda d: Matern(nu=40.0, scale=1.0, dim=d)),
    ("cauchy(1)", lambda d: Cauchy(scale=1.0, dim=d)),
    ("cauchy(0.4)", lambda d: Cauchy(scale=0.4, dim=d)),
    ("rational_quadratic(0.3, 1)", lambda d: RationalQuadratic(alpha=0.3, scale=1.0, dim=d)),
    ("rational_quadratic(1, 2)", lambda d: RationalQuadratic(alpha=1.0, scale=2.0, dim=d)),
    ("rational_quadratic(2.5, 0.7)", lambda d: RationalQuadratic(alpha=2.5, scale=0.7, dim=d)),
    ("rational_quadratic(60, 1)", lambda d: RationalQuadratic(alpha=60.0, scale=1.0, dim=d)),
    ("powered_exponential(0.5, 1)", lambda d: PoweredExponential(alpha=0.5, scale=1.0, dim=d)),
    ("powered_exponential(1, 2)", lambda d: PoweredExponential(alpha=1.0, scale=2.0, dim=d)),
    ("powered_exponential(1.5, 0.8)", lambda d: PoweredExponential(alpha=1.5, scale=0.8, dim=d)),
    ("powered_exponential(1.95, 1)", lambda d: PoweredExponential(alpha=1.95, scale=1.0, dim=d)),
    ("powered_exponential(2, 1.5)", lambda d: PoweredExponential(alpha=2.0, scale=1.5, dim=d)),
    ("triangle(1)", lambda d: Triangle(width=1.0, dim=d)),
    ("triangle(2.5)", lambda d: Triangle(width=2.5, dim=d)),
    ("sinc(1)", lambda d: Sinc(bandwidth=1.0, dim=d)),
    ("sinc(3)", lambda d: Sinc(bandwidth=3.0, dim=d)),
    ("cosine", _cosine),
    ("periodic(1, 1)", lambda d: Periodic(period=1.0, scale=1.0, dim=d)),
    ("periodic(2.5, 0.3)", lambda d: Periodic(period=2.5, scale=0.3, dim=d)),
    ("periodic(3, 5)", lambda d: Periodic(period=3.0, scale=5.0, dim=d)),
    ("bochner(gaussian)", lambda d: Bochner(distribution=GaussianLaw(scale=1.7), dim=d)),
    ("bochner(gaussian, isotropic)", lambda d: Bochner(distribution=GaussianLaw(scale=0.8), isotropic=True, dim=d)),
    ("bochner(student_t(3))", lambda d: Bochner(distribution=StudentT(dof=3.0, scale=1.0), dim=d)),
    ("bochner(student_t(3), isotropic)", lambda d: Bochner(distribution=StudentT(dof=3.0), isotropic=True, dim=d)),
    ("bochner(student_t(4.6))", lambda d: Bochner(distribution=StudentT(dof=4.6, scale=0.5), dim=d)),
    ("bochner(cauchy)", lambda d: Bochner(distribution=CauchyLaw(scale=0.7), dim=d)),
    ("bochner(cauchy, isotropic)", lambda d: Bochner(distribution=CauchyLaw(scale=0.7), isotropic=True, dim=d)),
    ("bochner(laplace)", lambda d: Bochner(distribution=LaplaceLaw(scale=1.4), dim=d)),
    ("bochner(laplace, isotropic)", lambda d: Bochner(distribution=LaplaceLaw(scale=1.4), isotropic=True, dim=d)),
    ("polya(gamma(2, 1.5))", lambda d: Polya(distribution=Gamma(shape=2.0, scale=1.5), dim=d)),
    ("polya(gamma(0.5, 2))", lambda d: Polya(distribution=Gamma(shape=0.5, scale=2.0), dim=d)),
    ("polya(exponential)", lambda d: Polya(distribution=ExponentialLaw(scale=1.0), dim=d)),
    ("polya(shifted_poisson(1.5))", lambda d: Polya(distribution=ShiftedPoisson(rate=1.5), dim=d)),
    ("polya(gamma(2), area=1)", lambda d: Polya(distribution=Gamma(shape=2.0, scale=1.0), area=1.0, dim=d)),
    ("bochner(uniform)", lambda d: Bochner(distribution=Uniform(low=-2.0, high=2.0), dim=d)),
]
"""(name, factory of the kernel in `dim` columns), all of them defined in every dimension.

bochner(uniform, isotropic), which ends at d = 3, is in test_bochner.py.
"""
