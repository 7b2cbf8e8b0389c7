"""Every entry of the catalogue with several parameter values: what all tests of kernels run over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kernelspec.distributions.discrete import ShiftedPoisson
from kernelspec.distributions.gamma_family import Exponential as ExponentialLaw
from kernelspec.distributions.gamma_family import Gamma
from kernelspec.distributions.symmetric import Cauchy as CauchyLaw
from kernelspec.distributions.symmetric import Gaussian as GaussianLaw
from kernelspec.distributions.symmetric import Laplace as LaplaceLaw
from kernelspec.distributions.symmetric import StudentT
from kernelspec.distributions.uniform import Uniform
from kernelspec.expressions.arguments import declared
from kernelspec.kernels.leaves.coordinatewise import Cauchy, Laplace, Sinc, Triangle
from kernelspec.kernels.leaves.discrete import Cosine, Periodic
from kernelspec.kernels.leaves.gaussian import Gaussian
from kernelspec.kernels.leaves.of_distributions import Bochner, Polya
from kernelspec.kernels.leaves.radial import Exponential, Matern, PoweredExponential, RationalQuadratic

if TYPE_CHECKING:
    from collections.abc import Callable

    from kernelspec.distributions.distribution import Isotropic, Positive
    from kernelspec.kernels.leaf import Stationary

    Case = tuple[str, Callable[[int], Stationary]]

__all__ = ["CATALOGUE_CASES", "direction"]


_NUMBERS: list[tuple[type[Stationary], list[tuple[float, ...]]]] = [
    (Gaussian, [(1.0,), (0.37,)]),
    (Laplace, [(1.0,), (2.3,)]),
    (Exponential, [(1.0,), (0.6,)]),
    (Matern, [(0.3, 1.0), (0.5, 2.0), (1.0, 1.0), (1.5, 0.7), (7.3, 1.3), (40.0, 1.0)]),
    (Cauchy, [(1.0,), (0.4,)]),
    (RationalQuadratic, [(0.3, 1.0), (1.0, 2.0), (2.5, 0.7), (60.0, 1.0)]),
    (PoweredExponential, [(0.5, 1.0), (1.0, 2.0), (1.5, 0.8), (1.95, 1.0), (2.0, 1.5)]),
    (Triangle, [(1.0,), (2.5,)]),
    (Sinc, [(1.0,), (3.0,)]),
    (Periodic, [(1.0, 1.0), (2.5, 0.3), (3.0, 5.0)]),
]
"""Kernels of numbers alone, each with its arguments in the order of the language."""

_BOCHNER: list[tuple[str, Isotropic, bool]] = [
    ("gaussian", GaussianLaw(scale=1.7), False),
    ("gaussian", GaussianLaw(scale=0.8), True),
    ("student_t(3)", StudentT(dof=3.0, scale=1.0), False),
    ("student_t(3)", StudentT(dof=3.0), True),
    ("student_t(4.6)", StudentT(dof=4.6, scale=0.5), False),
    ("cauchy", CauchyLaw(scale=0.7), False),
    ("cauchy", CauchyLaw(scale=0.7), True),
    ("laplace", LaplaceLaw(scale=1.4), False),
    ("laplace", LaplaceLaw(scale=1.4), True),
    ("uniform", Uniform(low=-2.0, high=2.0), False),
]
"""Laws of frequencies, drawn column by column or isotropic.

uniform, isotropic, which ends at d = 3, is in test_bochner.py.
"""

_POLYA: list[tuple[str, Positive, float | None]] = [
    ("gamma(2, 1.5)", Gamma(shape=2.0, scale=1.5), None),
    ("gamma(0.5, 2)", Gamma(shape=0.5, scale=2.0), None),
    ("exponential", ExponentialLaw(scale=1.0), None),
    ("shifted_poisson(1.5)", ShiftedPoisson(rate=1.5), None),
    ("gamma(2)", Gamma(shape=2.0, scale=1.0), 1.0),
]
"""Laws of pitches, with the area under the kernel where it is given."""


def direction(dim: int) -> tuple[float, ...]:
    """A vector with no two entries alike, the frequency of the cosine cases."""
    return tuple(round(1.3 - 0.4 * i, 1) for i in range(dim))


def _of_numbers(cls: type[Stationary], values: tuple[float, ...]) -> Case:
    shown = ", ".join(f"{value:g}" for value in values)
    arguments: dict[str, Any] = dict(zip(declared(cls), values, strict=True))
    return f"{cls.name}({shown})", lambda dim: cls(**arguments, dim=dim)


def _of_frequencies(name: str, law: Isotropic, isotropic: bool) -> Case:
    shown = f"bochner({name}{', isotropic' if isotropic else ''})"
    return shown, lambda dim: Bochner(distribution=law, isotropic=isotropic, dim=dim)


def _of_pitches(name: str, law: Positive, area: float | None) -> Case:
    shown = f"polya({name}{'' if area is None else f', area={area:g}'})"
    return shown, lambda dim: Polya(distribution=law, area=area, dim=dim)


CATALOGUE_CASES: list[Case] = [
    *(_of_numbers(cls, values) for cls, given in _NUMBERS for values in given),
    ("cosine", lambda dim: Cosine(by=direction(dim), dim=dim)),
    *(_of_frequencies(*row) for row in _BOCHNER),
    *(_of_pitches(*row) for row in _POLYA),
]
"""(name, factory of the kernel in `dim` columns), all of them defined in every dimension."""
