"""The closed density of radial products: in SymPy, and in numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.measures.algebra.exact_numbers import ExactNumbers
from kernelspec.measures.algebra.numbers import MultiprecisionNumbers, PlainNumbers
from kernelspec.measures.algebra.pieces import NotClosed, Piecewise
from kernelspec.measures.algebra.radial import (
    RadialTerm,
    derivative_weights,
    derivatives_of_line,
    fractions,
    has_curvature,
    radial_terms,
    require_radial,
)
from kernelspec.measures.algebra.series import majorant_series, moments, taylor_series
from kernelspec.measures.algebra.tracked_numbers import Tracked, TrackedNumbers, good_enough
from kernelspec.measures.algebra.transforms import transform
from kernelspec.measures.measure import Measure
from kernelspec.special.quadrature import spend

if TYPE_CHECKING:
    from kernelspec.expressions.symbolic_pairs import SymbolicPairs

__all__ = ["RadialNumbers", "radial_expression"]


def radial_expression(measure: Measure, frequency: SymbolicPairs) -> Any:
    """μ(ω) for products of radial kernels, some of them tilted or shifted Gaussians. Raises NotClosed."""
    import sympy

    terms = radial_terms(measure, ExactNumbers())
    for term in terms:
        require_radial(term.profile, frequency.dim)
    found, left = [], list(terms)
    while left:
        term = left.pop(0)
        value = _of_term(term, frequency)
        opposite = next((other for other in left if _is_opposite(term, other)), None)
        if opposite is not None:  # f(r) sinh(β·Δ): the densities of e^{β·Δ} and e^{−β·Δ} are conjugate
            left.remove(opposite)
            value = 2 * sympy.I * sympy.im(value, evaluate=False)
        found.append(value)
    return sympy.Add(*found)


def _is_opposite(term: RadialTerm, other: RadialTerm) -> bool:
    """Whether the other is the negative of the term at −Δ."""
    if (
        not term.tilt
        or len(term.tilt) != len(other.tilt)
        or any(a + b != 0 for a, b in zip(term.tilt, other.tilt, strict=True))
    ):
        return False
    return not (term.profile + other.profile).pieces


def _of_term(term: RadialTerm, frequency: SymbolicPairs) -> Any:
    import sympy

    if term.tilt:
        frequency = frequency.shift(tuple(-sympy.I * entry for entry in term.tilt))
    square = frequency.squared_norm()
    if not has_curvature(term.profile):
        return _fraction(term.profile, square, frequency.dim)
    dim = frequency.dim
    if not isinstance(dim, int):
        raise NotClosed("a Gaussian in an unknown number of columns")
    value = _from_line(term.profile, dim, sympy.sqrt(square), bool(term.tilt))
    if term.tilt or dim == 1:
        return value
    return sympy.Piecewise((_at_zero(term.profile, dim), sympy.Eq(square, 0)), (value, True))


def _from_line(profile: Piecewise, dim: int, radius: Any, is_complex: bool) -> Any:
    """The density in odd d from that on the line: one transform of k(t) times a polynomial for each side of zero.

    For real ‖ω‖ the sides are conjugate, and the first of them is enough.
    """
    import sympy

    numbers, m, zero = ExactNumbers(), (dim - 1) // 2, sympy.S.Zero
    whole = Piecewise(tuple(piece for piece in profile.pieces if piece.is_whole_line), numbers)
    rest = Piecewise(tuple(piece for piece in profile.pieces if not piece.is_whole_line), numbers)
    if is_complex:
        smooth = derivatives_of_line(whole, dim, radius, PlainNumbers())
    else:
        smooth = derivatives_of_line(whole, dim, numbers.frequency(radius), numbers).re
    half = rest.restricted(zero, None).pieces
    if not half:
        return smooth
    alphas = derivative_weights(dim)
    lowest = min(alphas)
    # what all terms have in common stays outside
    r = sympy.Dummy("r", positive=None if is_complex else True)
    size = radius ** (lowest - 2 * m) / (-2 * sympy.pi) ** m / (2 * sympy.pi)
    factors = [zero] * lowest + [
        alphas.get(j, 0) * (-sympy.I * r) ** (j - lowest) for j in range(lowest, max(alphas) + 1)
    ]

    def side(sign: int) -> Any:
        pieces = []
        for piece in half:
            weights = [zero] * (len(piece.weights) + len(factors) - 1)
            for j, factor in enumerate(factors):
                for n, weight in enumerate(piece.weights):
                    weights[n + j] += sign**j * factor * weight
            pieces.append(replace(piece, weights=tuple(weights)))
        return transform(pieces, sign * r, numbers, PlainNumbers())

    turn = (-sympy.I) ** lowest
    if is_complex:
        return smooth + size * turn * _plain_terms_together(side(1) + side(-1)).subs(r, radius)
    part = sympy.im if lowest % 2 else sympy.re
    sign = (-1) ** (lowest // 2)  # Re((−i)^n z) is ±Re z, or ±Im z
    return smooth + 2 * sign * size * part(_plain_terms_together(side(1)).subs(r, radius), evaluate=False)


def _plain_terms_together(value: Any) -> Any:
    """The sum, shorter: terms without a special function, which cancel in part, multiplied out; common factors."""
    import sympy

    terms = sympy.Add.make_args(value)
    special = [term for term in terms if term.has(sympy.erfc)]
    plain = sympy.Add(*[term for term in terms if term not in special])
    return sympy.expand(plain) + sympy.factor_terms(sympy.Add(*special))


def _fraction(profile: Piecewise, square: Any, dim: Any) -> Any:
    import sympy

    h = (sympy.S(dim) + 1) / 2
    found = []
    for c, weights in fractions(profile, dim):
        q, top = sympy.Symbol("q", positive=True), len(weights) - 1
        numerator = sympy.Add(*[b * c ** (2 * j) * q ** (top - j) for j, b in enumerate(weights)])
        whole = sympy.factor_terms(sympy.factor(sympy.expand(numerator)))
        found.append((whole * q ** (-h - top)).subs(q, c**2 + square))
    return sympy.gamma(h) / sympy.pi**h * sympy.Add(*found)


def _at_zero(profile: Piecewise, dim: int) -> Any:
    """(2π)^{−d} times the integral of k: the surface of the sphere times ∫ r^{d−1} f(r) dr."""
    import sympy

    numbers, half = ExactNumbers(), sympy.Rational(dim, 2)
    pieces = [
        replace(piece, weights=(sympy.S.Zero,) * (dim - 1) + piece.weights)
        for piece in profile.restricted(sympy.S.Zero, None).pieces
    ]
    mass = transform(pieces, numbers.frequency(0), numbers, numbers).re
    return 2 * sympy.pi**half / sympy.gamma(half) / (2 * sympy.pi) ** dim * mass


_DIGITS = (60, 120, 240, 480)
_ORDERS = 60
_AHEAD = 8
_SMALL = 1e-25

_OPERATIONS, _OPERATIONS_EXACTLY = 1000, 4_000_000
"""For a value of a term, in floats and with more digits."""


@dataclass(frozen=True)
class RadialNumbers:
    """The density of products of radial kernels, tilted or not, in `dim` columns. Raises NotClosed without a form.

    In floats with a bound on rounding, by the power series at ρ = 0, by the series in 1/ρ far out, or with more digits.
    """

    measure: Measure
    dim: int

    def __post_init__(self) -> None:
        for term in self._terms(_DIGITS[0]):
            require_radial(term.profile, self.dim)

    def __call__(self, frequencies: NDArray[np.float64]) -> NDArray[Any]:
        """The density at frequencies (n, d) → (n,), complex for a complex measure."""
        value = np.zeros(len(frequencies), dtype=complex)
        for i, term in enumerate(self._base):
            moved = frequencies + 1j * np.array([float(b) for b in term.tilt]) if term.tilt else frequencies
            value += self._of_term(i, (moved**2).sum(axis=1))
        return value if self.measure.is_complex else np.asarray(value.real)

    def _terms(self, digits: int) -> tuple[RadialTerm, ...]:
        return radial_terms(self.measure, MultiprecisionNumbers(digits))

    @cached_property
    def _base(self) -> tuple[RadialTerm, ...]:
        return self._terms(_DIGITS[0])

    def _of_term(self, i: int, square: NDArray[Any]) -> NDArray[Any]:
        term = self._base[i]
        with np.errstate(all="ignore"):
            found = self._in_floats(term, square)
            value, error = np.array(found.value, dtype=complex), np.where(np.isfinite(found.value), found.error, np.inf)
            poor = ~good_enough(error, np.abs(value))
            for series in (self._zero_series[i], self._tail_series[i]):
                if poor.any() and series is not None:
                    places = np.flatnonzero(poor)
                    guess, guess_error = series(square[places])
                    good = good_enough(guess_error, np.abs(guess))
                    value[places[good]] = guess[good]
                    poor[places[good]] = False
        spend(_OPERATIONS * len(square) + _OPERATIONS_EXACTLY * float(poor.sum()))
        for j in np.flatnonzero(poor):
            value[j] = self._exactly(i, complex(square[j]))
        return value

    def _in_floats(self, term: RadialTerm, square: NDArray[Any]) -> Tracked:
        numbers = TrackedNumbers()
        if has_curvature(term.profile):
            radius = Tracked(np.sqrt(square + 0j), 2.0**-52 * np.sqrt(np.abs(square)))
            return derivatives_of_line(term.profile, self.dim, radius, numbers)  # type: ignore[no-any-return]
        from math import lgamma, log, pi

        h = (self.dim + 1) / 2
        total = Tracked(np.zeros(len(square), dtype=complex), np.zeros(len(square)))
        for c, weights in fractions(term.profile, self.dim):
            rate = float(c)
            q = Tracked(rate**2 + square + 0j, 2.0**-51 * (rate**2 + np.abs(square)))
            exponent = lgamma(h) - h * log(pi) - h * np.log(q.value)
            lost = 2.0**-52 * np.abs(exponent) + h * q.error / np.abs(q.value)
            size = Tracked(np.exp(exponent), np.abs(np.exp(exponent)) * lost)
            total = total + size * numbers.polynomial(weights, numbers.real(rate * rate) / q)
        return total

    @cached_property
    def _zero_series(self) -> list[Callable[[NDArray[Any]], tuple[NDArray[Any], NDArray[Any]]] | None]:
        return [self._at_zero(term) if has_curvature(term.profile) else None for term in self._terms(_DIGITS[-1])]

    def _at_zero(self, term: RadialTerm) -> Callable[[NDArray[Any]], tuple[NDArray[Any], NDArray[Any]]]:
        """Σ_k (−ρ²/4)^k/(k! Γ(d/2 + k)) · 2π^{d/2} (2π)^{−d} ∫ r^{d−1+2k} f(r) dr."""
        numbers = MultiprecisionNumbers(_DIGITS[-1])
        context, d = numbers.context, self.dim
        pieces = term.profile.restricted(numbers.number(0), None).pieces
        found = moments(pieces, numbers.number(0), d + 2 * _ORDERS, numbers)
        surface = 2 * context.pi ** (context.mpf(d) / 2) / (2 * context.pi) ** d
        coefficients = [
            surface
            * found[d - 1 + 2 * k].real
            * context.mpf(-0.25) ** k
            / context.factorial(k)
            / context.gamma(context.mpf(d) / 2 + k)
            for k in range(_ORDERS)
        ]
        scale = max(abs(c / coefficients[0]) ** (context.mpf(1) / k) for k, c in enumerate(coefficients) if k)
        floats = np.array([float(c / scale**k) for k, c in enumerate(coefficients)])

        def series(square: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
            terms = floats * (square[:, None] * float(scale)) ** np.arange(_ORDERS)
            sizes = np.abs(terms)
            last = sizes[:, -4:].sum(axis=1)
            error = np.where(last <= 1e-3 * sizes.max(axis=1), 100 * last + 4e-16 * sizes.sum(axis=1), np.inf)
            return terms.sum(axis=1), np.where(np.isfinite(error), error, np.inf)

        return series

    @cached_property
    def _tail_series(self) -> list[Callable[[NDArray[Any]], tuple[NDArray[Any], NDArray[Any]]] | None]:
        return [self._far_out(term) if has_curvature(term.profile) and not term.tilt else None for term in self._base]

    def _far_out(self, term: RadialTerm) -> Callable[[NDArray[Any]], tuple[NDArray[Any], NDArray[Any]]] | None:
        """r^j has the density 2^j π^{−d/2} Γ((d+j)/2)/Γ(−j/2) ρ^{−d−j}, which is 0 for even j."""
        numbers = MultiprecisionNumbers(_DIGITS[0])
        context, d, zero = numbers.context, self.dim, numbers.number(0)
        pieces = [piece for piece in term.profile.pieces if not piece.is_whole_line]
        pieces = [piece for piece in pieces if piece.low is not None]
        if not pieces:
            return None
        taylor = [sum(row) for row in zip(*[taylor_series(p, zero, _ORDERS, numbers) for p in pieces], strict=True)]
        sizes = [sum(row) for row in zip(*[majorant_series(p, zero, _ORDERS, numbers) for p in pieces], strict=True)]
        orders = list(range(1, _ORDERS, 2))
        jumps = [
            0
            if abs(taylor[j]) <= _SMALL * sizes[j]
            else taylor[j].real
            * 2**j
            * context.pi ** (-context.mpf(d) / 2)
            * context.gamma(context.mpf(d + j) / 2)
            / context.gamma(context.mpf(-j) / 2)
            for j in orders
        ]
        known = [(j, v) for j, v in zip(orders, jumps, strict=True) if v != 0]
        if not known:
            return None
        pairs = [(a, b) for i, a in enumerate(known) for b in known[i + 1 : i + 4]]
        scale = max((abs(b[1] / a[1]) ** (context.mpf(1) / (b[0] - a[0])) for a, b in pairs), default=context.mpf(1))
        floats = np.array([float(v / scale ** (d + j)) for j, v in zip(orders, jumps, strict=True)])
        powers = np.array(orders) + d
        width = min(float(1 / (4 * piece.curvature)) for piece in term.profile.pieces if piece.curvature != 0)
        lift = max(float(piece.rate**2 / (4 * piece.curvature)) for piece in pieces if piece.curvature != 0)

        def series(square: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
            radius = np.sqrt(np.real(square))
            terms = floats * (float(scale) / radius[:, None]) ** powers
            each = np.abs(terms)
            following = sum(each[:, i : each.shape[1] - _AHEAD // 2 + 1 + i] for i in range(_AHEAD // 2))
            last = np.argmin(following, axis=1)
            kept = np.arange(terms.shape[1]) < last[:, None]
            value = np.where(kept, terms, 0).sum(axis=1)
            gone = np.exp(lift - 0.9 * width * radius**2)  # Gaussians, beyond all orders
            error = 10 * following[np.arange(len(last)), last] + 4e-16 * np.where(kept, each, 0).sum(axis=1)
            error = error + gone * (1 + float(sizes[0].real) * np.sqrt(width) ** d)
            return value, np.where(np.isfinite(error), error, np.inf)

        return series

    def _exactly(self, i: int, square: complex) -> complex:
        """With more and more digits, until two agree."""
        before: Any = None
        found: Any = 0
        for digits in _DIGITS:
            numbers = MultiprecisionNumbers(digits)
            context = numbers.context
            term = self._base[i] if digits == _DIGITS[0] else self._terms(digits)[i]
            at = context.mpc(square) or context.mpf(10) ** (-digits // 2)
            if has_curvature(term.profile):
                found = derivatives_of_line(term.profile, self.dim, context.sqrt(at), numbers)
            else:
                h, found = context.mpf(self.dim + 1) / 2, context.mpc(0)
                for c, weights in fractions(term.profile, self.dim):
                    q = c**2 + at
                    found += context.gamma(h) / (context.pi * q) ** h * numbers.polynomial(weights, c**2 / q)
            if before is not None and abs(found - before) <= 1e-14 * abs(found):
                break
            before = found
        return complex(found)
