"""Which catalogue kernels are piecewise exponential polynomials on a line: in the lag, or in the frequency.

One rule beside each kernel; the kernels know nothing of it.
"""

from __future__ import annotations

from fractions import Fraction
from functools import singledispatch
from math import factorial
from typing import Any

from kernelspec.kernels.leaves.bochner import Bochner
from kernelspec.kernels.leaves.cauchy import Cauchy
from kernelspec.kernels.leaves.cosh_gaussian import CoshGaussian
from kernelspec.kernels.leaves.cosine import Cosine
from kernelspec.kernels.leaves.exponential import Exponential
from kernelspec.kernels.leaves.gaussian import Gaussian
from kernelspec.kernels.leaves.laplace import Laplace
from kernelspec.kernels.leaves.matern import Matern
from kernelspec.kernels.leaves.polya import Polya
from kernelspec.kernels.leaves.powered_exponential import PoweredExponential
from kernelspec.kernels.leaves.rational_quadratic import RationalQuadratic
from kernelspec.kernels.leaves.shift_gaussian import ShiftGaussian
from kernelspec.kernels.leaves.sinc import Sinc
from kernelspec.kernels.leaves.sinh_gaussian import SinhGaussian
from kernelspec.kernels.leaves.triangle import Triangle
from kernelspec.measures.algebra.arithmetic import Coefficients
from kernelspec.measures.algebra.member import Member
from kernelspec.measures.algebra.member_shapes import (
    as_density,
    bell,
    box,
    exact_half_integer,
    lag_of,
    matern_weights,
    mirrored_polynomial,
    tents,
    whole_number,
)
from kernelspec.measures.algebra.members_of_laws import member_of_law
from kernelspec.measures.algebra.members_of_polya import polya_function
from kernelspec.measures.algebra.piece import NotClosed, Piece
from kernelspec.measures.algebra.piecewise import Piecewise

__all__ = ["pieces_of"]


@singledispatch
def pieces_of(kernel: Any, numbers: Coefficients) -> Member:
    """The pieces of a kernel on one column. Raises NotClosed where it has none."""
    del numbers
    raise NotClosed(f"{kernel} is no piecewise exponential polynomial")


@pieces_of.register
def _gaussian(kernel: Gaussian, numbers: Coefficients) -> Member:
    return bell(kernel.scale, numbers)


@pieces_of.register
def _laplace(kernel: Laplace, numbers: Coefficients) -> Member:
    return mirrored_polynomial([1], 1 / numbers.number(kernel.scale), numbers)


@pieces_of.register
def _exponential(kernel: Exponential, numbers: Coefficients) -> Member:
    return mirrored_polynomial([1], 1 / numbers.number(kernel.scale), numbers)


@pieces_of.register
def _matern(kernel: Matern, numbers: Coefficients) -> Member:
    rate = numbers.root(2 * numbers.number(exact_half_integer(kernel.nu))) / numbers.number(kernel.scale)
    return mirrored_polynomial(matern_weights(kernel.nu), rate, numbers)


@pieces_of.register
def _powered_exponential(kernel: PoweredExponential, numbers: Coefficients) -> Member:
    if kernel.alpha == 1:
        return mirrored_polynomial([1], 1 / numbers.number(kernel.scale), numbers)
    if kernel.alpha == 2:
        return bell(numbers.number(kernel.scale) / numbers.root(numbers.number(2)), numbers)
    raise NotClosed(f"{kernel} is elementary for alpha 1 and 2 only")


@pieces_of.register
def _triangle(kernel: Triangle, numbers: Coefficients) -> Member:
    return tents([(numbers.number(kernel.width), numbers.number(1))], numbers)


@pieces_of.register
def _cosine(kernel: Cosine, numbers: Coefficients) -> Member:
    zero, half, (wave,) = numbers.number(0), numbers.number(1) / 2, kernel.by
    waves = (numbers.number(wave), -numbers.number(wave))
    pieces = (Piece(None, None, (half,), zero, zero, zero, zero, w) for w in waves)
    return Member(Piecewise.of(pieces, numbers))


@pieces_of.register
def _shift_gaussian(kernel: ShiftGaussian, numbers: Coefficients) -> Member:
    (by,) = kernel.by
    return Member(lag_of(bell(kernel.scale, numbers)).shifted(numbers.number(by)))


@pieces_of.register
def _cosh_gaussian(kernel: CoshGaussian, numbers: Coefficients) -> Member:
    (by,) = kernel.by
    return Member(lag_of(bell(kernel.scale, numbers)).tilted(numbers.number(by)))


@pieces_of.register
def _sinh_gaussian(kernel: SinhGaussian, numbers: Coefficients) -> Member:
    whole, by, half = lag_of(bell(kernel.scale, numbers)), numbers.number(kernel.by[0]), numbers.number(1) / 2
    return Member(whole + whole.tilted(by).scaled(half) + whole.tilted(-by).scaled(-half))


@pieces_of.register
def _polya(kernel: Polya, numbers: Coefficients) -> Member:
    return Member(polya_function(kernel.law, numbers))


@pieces_of.register
def _cauchy(kernel: Cauchy, numbers: Coefficients) -> Member:
    rate = numbers.number(kernel.scale)
    return as_density(mirrored_polynomial([1], rate, numbers, rate / 2))


@pieces_of.register
def _rational_quadratic(kernel: RationalQuadratic, numbers: Coefficients) -> Member:
    order = whole_number(kernel.alpha)
    rate = numbers.root(2 * numbers.number(order)) * numbers.number(kernel.scale)
    weights = matern_weights(Fraction(2 * order - 1, 2))
    mass = sum(weight * factorial(n) for n, weight in enumerate(weights))
    return as_density(mirrored_polynomial(weights, rate, numbers, rate / numbers.number(2 * mass)))


@pieces_of.register
def _sinc(kernel: Sinc, numbers: Coefficients) -> Member:
    return box(kernel.bandwidth, numbers)


@pieces_of.register
def _bochner(kernel: Bochner, numbers: Coefficients) -> Member:
    return member_of_law(kernel.distribution, numbers)
