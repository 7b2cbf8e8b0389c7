"""The dual of an activation, applied to a kernel."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from kernelspec.activations.activation import Activation
from kernelspec.errors import RangeError
from kernelspec.expressions.arguments import Scalar, Value
from kernelspec.expressions.elementary import is_integral, undefined
from kernelspec.expressions.pairs import NumericPairs, Pairs
from kernelspec.kernels.kernel import Kernel, Verdict, under_power_series
from kernelspec.loading import sympy
from kernelspec.special.elementary import floats, is_stand_in

__all__ = ["Dual"]

_LAST_BITS = 4 * np.finfo(float).eps
"""Values this close to the radius of convergence, relatively, differ from it only by rounding."""

_WRITTEN_OUT = 16  # up to this `max_degree`, a finite series is written out in SymPy


@dataclass(frozen=True, kw_only=True)
class Dual(Kernel):
    """σ̂(k) = Σ a_l k^l with σ̂(ρ) = E σ(X)σ(Y)/E σ², X and Y normal with correlation ρ: one layer of a network.

    With `max_degree` = n, samples of larger degrees are 0: their mean is off by at most Σ_{l > n} a_l m^l, m =
    `magnitude` of k. Reference: Daniely, Frostig and Singer 2016; Daniely, Frostig, Gupta and Singer 2017.
    """

    activation: Activation
    base: Kernel
    max_degree: int | None = None

    def validate(self) -> None:
        super().validate()
        if self.max_degree is not None and not 0 <= self.max_degree < 2**20:
            raise ValueError(f"the largest degree is {self.max_degree}")

    def value(self, pairs: Pairs) -> Value:
        if not isinstance(pairs, NumericPairs):
            return self.of_values(self.base.value(pairs))
        found: Value = pairs.once("value", self, lambda: self.of_values(self.base.value(pairs)))
        return found

    def of_values(self, rho: Value) -> Value:
        """σ̂ of values of the kernel below: arrays within the radius of convergence up to rounding, or in SymPy."""
        if isinstance(rho, np.ndarray | float | int) or is_stand_in(rho):
            return self._at(floats(rho))
        return self._series(rho)

    def of_size(self, x: Scalar) -> Scalar:
        """σ̂ of one number, such as k(x, x), or in SymPy."""
        if x == 1:
            return x
        return float(self._at(np.array(float(x)))) if isinstance(x, int | float) else self._series(x)

    def diagonal(self) -> Scalar:
        return self.of_size(self.base.diagonal())

    def magnitude(self) -> Scalar:
        return self._magnitude

    @cached_property
    def _magnitude(self) -> Scalar:
        return self.of_size(self.base.magnitude())

    @property
    def mass(self) -> float:
        """m, the magnitude of k as a float."""
        return self.rounded_mass(_size(self.base))

    @property
    def size(self) -> float:
        """σ̂(m), the magnitude as a float. Raises TypeError if it is unknown."""
        return _size(self)

    def rounded_mass(self, size: Scalar) -> float:
        """The mass m of the kernel below, or the radius of convergence if m differs from it only by rounding."""
        return float(self._rounded(np.array(float(size))))

    def mean_degree(self) -> float:
        """E l for degrees with probabilities q_l ∝ a_l m^l; those beyond `max_degree` count as zero."""
        if self.max_degree is None:
            return self.activation.mean_degree(self.mass)
        degrees = np.arange(self.max_degree + 1, dtype=float)
        return float(degrees @ self.activation.law(degrees, self.mass))

    def growth(self) -> Scalar:
        """x σ̂′(x)/σ̂(x) at x = k(0), of all degrees; NaN for negative k(0), and if it is not known."""
        size = self.base.diagonal()
        try:
            x = self.rounded_mass(size)
            return self.activation.growth(x) if x > 0 else undefined(x)
        except TypeError:  # a symbol
            pass
        rho = sympy.Dummy(positive=True)
        series = self.activation.dual_expression(rho)
        return sympy.powsimp((rho * series.diff(rho) / series).subs(rho, size))

    def omitted(self, mass: float) -> float:
        """The largest bias of samples, for samples below of at most `mass`; 0 if nothing is cut.

        Σ_{l > n} a_l m^l for `max_degree` = n; and 2ω if the activation omits a share ω of its mean square, because σ̂
        is (1 − ω) times what is kept plus ω times a dual of at most one.
        """
        lost = 0.0 if self.activation.is_complete else 2 * self.activation.omitted
        if self.max_degree is None:
            return lost
        kept = float(np.polynomial.polynomial.polyval(mass, self._kept()))
        return lost + max(0.0, float(self.activation.dual_absolute(np.array(mass))) - kept)

    def kept_series(self, rho: Value) -> Value:
        """Σ_{l ≤ n} a_l ρ^l for n = `max_degree`; unevaluated in SymPy if it is long or some a_l is not a number."""
        if isinstance(rho, np.ndarray | int | float):
            return np.polynomial.polynomial.polyval(rho, self._kept())
        if self.max_degree is not None and self.max_degree <= _WRITTEN_OUT:
            with suppress(TypeError, RangeError):  # symbolic parameters of the activation
                return sympy.Add(*(float(a) * sympy.S(rho) ** i for i, a in enumerate(self._kept()) if a))
        degree = sympy.Symbol("l", integer=True, nonnegative=True)
        coefficient = sympy.Function(f"coefficient_of_{self.activation}")(degree)
        return sympy.Sum(coefficient * rho**degree, (degree, 0, self.max_degree))

    def verdict(self) -> Verdict:
        rule = f"dual of {self.activation}: a power series with coefficients of at least 0 [Schoenberg 1942]"
        return under_power_series(self.base.verdict(), [rule], self.varies)

    @property
    def varies(self) -> bool | None:
        """Whether σ̂ is not constant, in which case it increases strictly. None if a parameter is a symbol."""
        try:
            return self.mean_degree() > 0
        except TypeError:
            return None

    def __str__(self) -> str:
        cut = "" if self.max_degree is None else f", max_degree={self.max_degree}"
        return f"dual({self.activation}, {self.base}{cut})"

    def _at(self, rho: np.ndarray) -> np.ndarray:
        """σ̂ of values within the radius of convergence up to rounding."""
        return self.activation.dual_at(self._rounded(rho))

    def _rounded(self, rho: np.ndarray) -> np.ndarray:
        """Replaces numbers that differ from the radius of convergence only by rounding.

        If σ̂ has a root at the end of its interval, the last bits of k(x, x) cost half the digits.
        """
        radius = float(self.activation.radius())
        if radius == np.inf or self.activation.diverges_at_radius:
            return rho
        return np.where(np.abs(rho) >= radius * (1 - _LAST_BITS), np.copysign(radius, rho), rho)

    def _series(self, x: Any) -> Any:
        x = sympy.S(x)
        return sympy.S.One if x == 1 else self.activation.dual_of_expression(x)

    def _kept(self) -> np.ndarray:
        """a_0, …, a_n."""
        return self.activation.coefficient(np.arange((self.max_degree or 0) + 1, dtype=float))


def _size(kernel: Kernel) -> float:
    """The magnitude as a float, also for symbolic trees with numeric values.

    Raises TypeError for symbols, and for integrals, whose digits SymPy might compute forever; those of a dual are not
    needed.
    """
    if isinstance(kernel, Dual):
        mass = _size(kernel.base)
        return 1.0 if mass == 1 else float(kernel.activation.dual_at(np.array(kernel.rounded_mass(mass))))
    size = kernel.magnitude()
    if is_integral(size):
        raise TypeError(f"the magnitude of {kernel} is an integral")
    return float(size)
