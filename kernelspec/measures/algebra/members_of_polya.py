"""The Polya kernels that are piecewise exponential polynomials: one rule a distribution."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

from kernelspec.distributions.chi_square import ChiSquare
from kernelspec.distributions.discrete import Discrete
from kernelspec.distributions.gamma import Gamma
from kernelspec.distributions.scaled import Scaled
from kernelspec.measures.algebra.arithmetic import Coefficients
from kernelspec.measures.algebra.member_shapes import gamma_mixture, half_of, lag_of, tents
from kernelspec.measures.algebra.piece import NotClosed
from kernelspec.measures.algebra.piecewise import Piecewise

__all__ = ["polya_function"]


@singledispatch
def polya_function(law: Any, numbers: Coefficients) -> Piecewise:
    """φ(t) in pieces. Raises NotClosed where it is none."""
    del numbers
    raise NotClosed(f"the Polya kernel of {law} is no piecewise exponential polynomial")


@polya_function.register
def _polya_of_gamma(law: Gamma, numbers: Coefficients) -> Piecewise:
    return gamma_mixture(law.shape, law.scale, numbers)


@polya_function.register
def _polya_of_chi_square(law: ChiSquare, numbers: Coefficients) -> Piecewise:
    return gamma_mixture(half_of(law.dof), 2, numbers)


@polya_function.register
def _polya_of_discrete(law: Discrete, numbers: Coefficients) -> Piecewise:
    pairs = zip(law.values, law.probabilities(), strict=True)
    return lag_of(tents([(numbers.number(v), numbers.number(p)) for v, p in pairs], numbers))


@polya_function.register
def _polya_of_scaled(law: Scaled, numbers: Coefficients) -> Piecewise:
    return polya_function(law.base, numbers).stretched(1 / numbers.number(law.factor))
