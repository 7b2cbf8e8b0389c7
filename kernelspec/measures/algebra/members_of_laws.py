"""The spectral laws of bochner() that are piecewise exponential polynomials, or whose transform is: one rule a law."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

from kernelspec.distributions.cauchy import Cauchy as CauchyLaw
from kernelspec.distributions.gaussian import Gaussian as GaussianLaw
from kernelspec.distributions.laplace import Laplace as LaplaceLaw
from kernelspec.distributions.student_t import StudentT
from kernelspec.distributions.uniform import Uniform
from kernelspec.measures.algebra.arithmetic import Coefficients
from kernelspec.measures.algebra.member import Member
from kernelspec.measures.algebra.member_shapes import (
    as_density,
    bell,
    box,
    exact_half_integer,
    half_of,
    matern_weights,
    mirrored_polynomial,
)
from kernelspec.measures.algebra.piece import NotClosed

__all__ = ["member_of_law"]


@singledispatch
def member_of_law(law: Any, numbers: Coefficients) -> Member:
    """The pieces of the kernel whose frequencies have the law. Raises NotClosed where it has none."""
    del numbers
    raise NotClosed(f"{law} as a spectral law is no piecewise exponential polynomial")


@member_of_law.register
def _laplace_law(law: LaplaceLaw, numbers: Coefficients) -> Member:
    rate = 1 / numbers.number(law.scale)
    return as_density(mirrored_polynomial([1], rate, numbers, rate / 2))


@member_of_law.register
def _uniform_law(law: Uniform, numbers: Coefficients) -> Member:
    return box(law.high, numbers)  # symmetric about zero: bochner() takes no other


@member_of_law.register
def _gaussian_law(law: GaussianLaw, numbers: Coefficients) -> Member:
    return bell(1 / numbers.number(law.scale), numbers)


@member_of_law.register
def _cauchy_law(law: CauchyLaw, numbers: Coefficients) -> Member:
    return mirrored_polynomial([1], numbers.number(law.scale), numbers)


@member_of_law.register
def _student_law(law: StudentT, numbers: Coefficients) -> Member:
    rate = numbers.root(numbers.number(exact_half_integer(law.dof))) * numbers.number(law.scale)
    return mirrored_polynomial(matern_weights(half_of(law.dof)), rate, numbers)
