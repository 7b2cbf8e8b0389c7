"""The dual of an activation, applied to a kernel."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelspec.activations.activation import Activation
from kernelspec.errors import RangeError
from kernelspec.expressions.arguments import Scalar, Value
from kernelspec.expressions.elementary import is_integral
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.kernels.kernel import Kernel, Verdict
from kernelspec.special.elementary import floats, is_stand_in

if TYPE_CHECKING:
    from kernelspec.expressions.pairs import Pairs

__all__ = ["Dual"]

_LAST_BITS = 4 * np.finfo(float).eps
"""Values that are this close to the radius of convergence, in proportion, are the radius but for rounding."""

_WRITTEN_OUT = 16
"""Up to this `max_degree` a finite series is written out in SymPy."""


@dataclass(frozen=True, kw_only=True)
class Dual(Kernel):
    """σ̂(k) = Σ a_l k^l with σ̂(ρ) = E σ(X)σ(Y)/E σ², X and Y normal with correlation ρ: one layer of a network.

    With `max_degree` = n samples of larger degrees are 0: their mean lacks at most Σ_{l > n} a_l m^l, m = `magnitude`
    of k. Reference: Daniely, Frostig and Singer 2016; Daniely, Frostig, Gupta and Singer 2017.
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
        """σ̂ of values of the kernel below: arrays within the radius of convergence but for rounding, or in SymPy."""
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
        """m, the magnitude of k in floats."""
        return self.rounded_mass(_size(self.base))

    @property
    def size(self) -> float:
        """σ̂(m), the magnitude in floats; raises TypeError where that is not known."""
        return _size(self)

    def rounded_mass(self, size: Scalar) -> float:
        """A mass m of the kernel below: the radius of convergence where it differs from that by rounding alone."""
        return float(self._rounded(np.array(float(size))))

    def mean_degree(self) -> float:
        """E l under the law q_l ∝ a_l m^l of degrees; those beyond `max_degree` count as zero."""
        if self.max_degree is None:
            return self.activation.mean_degree(self.mass)
        degrees = np.arange(self.max_degree + 1, dtype=float)
        return float(degrees @ self.activation.law(degrees, self.mass))

    def omitted(self, mass: float) -> float:
        """The most that samples are biased by, over samples below of at most `mass`; 0 if nothing is cut.

        Σ_{l > n} a_l m^l for `max_degree` = n; and 2ω where the activation leaves out a share ω of its mean square,
        because σ̂ is (1 − ω) of what is kept and ω of a dual that is at most one.
        """
        lost = 0.0 if self.activation.is_complete else 2 * self.activation.omitted
        if self.max_degree is None:
            return lost
        kept = float(np.polynomial.polynomial.polyval(mass, self._kept()))
        return lost + max(0.0, float(self.activation.dual_absolute(np.array(mass))) - kept)

    def kept_series(self, rho: Value) -> Value:
        """Σ_{l ≤ n} a_l ρ^l for n = `max_degree`; in SymPy left unevaluated where that is long or a_l has no number."""
        if isinstance(rho, np.ndarray | int | float):
            return np.polynomial.polynomial.polyval(rho, self._kept())
        import sympy

        if self.max_degree is not None and self.max_degree <= _WRITTEN_OUT:
            with suppress(TypeError, RangeError):  # a parameter of the activation is a symbol
                return sympy.Add(*(float(a) * sympy.S(rho) ** i for i, a in enumerate(self._kept()) if a))
        degree = sympy.Symbol("l", integer=True, nonnegative=True)
        coefficient = sympy.Function(f"coefficient_of_{self.activation}")(degree)
        return sympy.Sum(coefficient * rho**degree, (degree, 0, self.max_degree))

    def verdict(self) -> Verdict:
        part = self.base.verdict()
        rule = f"dual of {self.activation}: a power series with coefficients of at least 0 [Schoenberg 1942]"
        proved = part.positive_definite == "proved"
        # σ̂ may be an even function, or a constant: what differs below need not differ here
        return Verdict(
            "proved" if proved else "unknown",
            (*part.reasons, rule),
            part.symmetric or None,
            part.stationary if self.varies else part.stationary or None,
            part.stationary_in_numbers,
        )

    @property
    def varies(self) -> bool | None:
        """Whether σ̂ is more than a constant: it then increases strictly. None where a parameter is a symbol."""
        try:
            return self.mean_degree() > 0
        except TypeError:
            return None

    @property
    def is_stationary(self) -> bool:
        return self.base.is_stationary

    def __str__(self) -> str:
        cut = "" if self.max_degree is None else f", max_degree={self.max_degree}"
        return f"dual({self.activation}, {self.base}{cut})"

    def _at(self, rho: np.ndarray) -> np.ndarray:
        """σ̂ of values that lie within the radius of convergence but for rounding."""
        return self.activation.dual_at(self._rounded(rho))

    def _rounded(self, rho: np.ndarray) -> np.ndarray:
        """The radius of convergence for numbers that are it but for rounding.

        Where σ̂ has a root at the end of its interval, the last bits of k(x, x) cost half the digits.
        """
        radius = float(self.activation.radius())
        if radius == np.inf or self.activation.diverges_at_radius:
            return rho
        return np.where(np.abs(rho) >= radius * (1 - _LAST_BITS), np.copysign(radius, rho), rho)

    def _series(self, x: Any) -> Any:
        import sympy

        x = sympy.S(x)
        return sympy.S.One if x == 1 else self.activation.dual_of_expression(x)

    def _kept(self) -> np.ndarray:
        """a_0, …, a_n."""
        return self.activation.coefficient(np.arange((self.max_degree or 0) + 1, dtype=float))


def _size(kernel: Kernel) -> float:
    """The magnitude in floats, of symbols too where they are numbers.

    Raises TypeError where they are not, or are integrals, of which SymPy would compute digits without end: those of a
    dual are not needed.
    """
    if isinstance(kernel, Dual):
        mass = _size(kernel.base)
        return 1.0 if mass == 1 else float(kernel.activation.dual_at(np.array(kernel.rounded_mass(mass))))
    size = kernel.magnitude()
    if is_integral(size):
        raise TypeError(f"the magnitude of {kernel} is an integral")
    return float(size)
