"""The dual of an activation, applied to a kernel."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from kernelspec.activations.activation import Activation
from kernelspec.errors import NotStationaryError, RangeError
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.verdict import Verdict
from kernelspec.laws.moments import Moments
from kernelspec.laws.rewriting import OF_SHARES
from kernelspec.notation.arguments import Scalar, Value
from kernelspec.notation.pairs import NumericPairs

if TYPE_CHECKING:
    from kernelspec.laws.compositional.dual import DualSampler
    from kernelspec.laws.sampler import Sampler
    from kernelspec.measures.measure import Measure
    from kernelspec.notation.pairs import Pairs

__all__ = ["Dual"]

_LAST_BITS = 4 * np.finfo(float).eps
"""Values that are this close to the radius of convergence, in proportion, are the radius but for rounding."""

_WRITTEN_OUT = 16
"""Up to this `max_degree` a finite series is written out in SymPy."""


@dataclass(frozen=True, kw_only=True)
class Dual(Kernel):
    """σ̂(k) = Σ a_l k^l with σ̂(ρ) = E σ(X)σ(Y)/E σ², X and Y normal with correlation ρ: one layer of a network.

    A sample draws a degree l with probability q_l ∝ a_l m^l, m = `magnitude` of k, and multiplies l independent samples
    of k, so E|p|² = Σ a_l² A^l/q_l = S Σ a_l (A/m)^l, S = Σ a_l m^l: infinite where A/m lies beyond the radius of
    convergence. With `max_degree` = n samples of larger degrees are 0, and the estimate is biased by at most
    Σ_{l > n} a_l m^l. Reference: Daniely, Frostig and Singer 2016; Daniely, Frostig, Gupta and Singer 2017.
    """

    excluded: ClassVar[frozenset[str]] = OF_SHARES | {"exact", "rows", "shifts"}
    """Samples of the last three are sums of terms, whose powers cannot be drawn."""

    activation: Activation
    base: Kernel
    max_degree: int | None = None

    def validate(self) -> None:
        super().validate()
        if self.max_degree is not None and not 0 <= self.max_degree < 2**20:
            raise ValueError(f"the largest degree is {self.max_degree}")

    def value(self, pairs: Pairs) -> Value:
        if not isinstance(pairs, NumericPairs):
            return self._series(self.base.value(pairs))
        found: Value = pairs.once("value", self, lambda: self._at(np.asarray(self.base.value(pairs), dtype=float)))
        return found

    def diagonal(self) -> Scalar:
        return self._number(self.base.diagonal())

    def magnitude(self) -> Scalar:
        return self._magnitude

    @cached_property
    def _magnitude(self) -> Scalar:
        return self._number(self.base.magnitude())

    def mean_degree(self) -> float:
        """E l under q_l; degrees beyond `max_degree` count as zero."""
        if self.max_degree is None:
            return self.activation.mean_degree(self._mass)
        degrees = np.arange(self.max_degree + 1, dtype=float)
        return float(degrees @ self.activation.law(degrees, self._mass))

    def omitted(self) -> float:
        """The most that samples are biased by; 0 if nothing is cut.

        Σ_{l > n} a_l m^l for `max_degree` = n; and 2ω where the activation leaves out a share ω of its mean square,
        because σ̂ is (1 − ω) of what is kept and ω of a dual that is at most one.
        """
        lost = 0.0 if self.activation.is_complete else 2 * self.activation.omitted
        if self.max_degree is None:
            return lost
        kept = float(np.polynomial.polynomial.polyval(self._mass, self._kept()))
        return lost + max(0.0, float(self.activation.dual_absolute(np.array(self._mass))) - kept)

    def moments(self, pairs: Pairs) -> Moments:
        if isinstance(pairs, NumericPairs):
            found: Moments = pairs.once("moments", self, lambda: self._moments(pairs))
            return found
        import sympy

        parts, mass, size = self.base.moments(pairs), self.base.magnitude(), self.magnitude()
        series = self._series if self.max_degree is None else self.kept_series
        return Moments(*(size * series(sympy.S(part) / mass) for part in (parts.a, parts.b, parts.real)))

    def _moments(self, pairs: NumericPairs) -> Moments:
        parts, mass, size = self.base.moments(pairs), float(self.base.magnitude()), self.magnitude()
        a, b, real = (np.asarray(part, dtype=float) / mass for part in (parts.a, parts.b, parts.real))
        if self.max_degree is not None:
            return Moments(*(size * self.kept_series(part) for part in (a, b, real)))
        first = self._beyond(a)
        finite = np.isfinite(first)
        return Moments(size * first, *(np.where(finite, size * self._beyond(part), 0.0) for part in (b, real)))

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
        return Verdict("proved" if proved else "unknown", (*part.reasons, rule), part.symmetric, part.stationary)

    def alternatives(self) -> Mapping[str, Kernel]:
        from kernelspec.laws.compositional.neurons import Neurons, directions_below
        from kernelspec.laws.compositional.varying import constant_apart

        found: dict[str, Kernel] = {}
        if directions_below(self.base) is not None:
            found["neurons"] = Neurons(base=self, dim=self.dim, span=self.span)
        if self.max_degree is None:
            with suppress(TypeError, ZeroDivisionError):  # a parameter may be a symbol; σ̂(m) too small for a float
                share = float(self.activation.coefficient(np.zeros(1))[0]) / float(self.magnitude())
                found |= constant_apart(self, share)
        return found

    @property
    def is_stationary(self) -> bool:
        return self.base.is_stationary

    @property
    def is_fourier(self) -> bool:
        return False

    def measure(self) -> Measure:
        _ = self.base.measure()
        raise NotStationaryError(
            f"the spectral measure under the activation {self.activation} is the mixture of all convolution powers "
            "of the one below, which has no closed form here; its samples are drawn exactly"
        )

    def sampler(self, positions: tuple[int, ...]) -> DualSampler:
        from kernelspec.laws.compositional.dual import DualSampler

        return DualSampler(self.activation, self.base.sampler(positions), self._mass, self.max_degree)

    def varying_sampler(self, positions: tuple[int, ...]) -> Sampler:
        """Samples with at least one factor."""
        return replace(self.sampler(positions), least_degree=1)

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

    @property
    def _mass(self) -> float:
        """m."""
        return float(self._rounded(np.array(float(self.base.magnitude()))))

    def _beyond(self, x: np.ndarray) -> np.ndarray:
        """σ̂ of any numbers; ∞ where the series diverges."""
        with np.errstate(over="ignore", invalid="ignore"):
            found = self.activation.dual_at(x)
        return np.where(np.isnan(found), np.inf, found)

    def _number(self, x: Scalar) -> Scalar:
        if x == 1:
            return x
        return float(self._at(np.array(float(x)))) if isinstance(x, int | float) else self._series(x)

    def _series(self, x: Any) -> Any:
        import sympy

        x = sympy.S(x)
        return sympy.S.One if x == 1 else self.activation.dual_expression(x)

    def _kept(self) -> np.ndarray:
        """a_0, …, a_n."""
        return self.activation.coefficient(np.arange((self.max_degree or 0) + 1, dtype=float))
