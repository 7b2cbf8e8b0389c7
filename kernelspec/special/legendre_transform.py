"""Fourier transforms of functions in pieces of Legendre polynomials, with an error bound."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.polynomial import legendre
from numpy.typing import NDArray

from kernelspec.special.counted_work import spend
from kernelspec.special.legendre_basis import VALUES, WEIGHTS
from kernelspec.special.legendre_waves import legendre_waves

__all__ = ["LegendrePieces"]

Array = NDArray[np.float64]

_ROUNDING = 3e-14
"""What the values of a kernel may be wrong by, relative to them."""

_FAR = 1e4
"""A smooth tail is integrated by parts where |ω|t exceeds this."""

_BLOCK = 1 << 20

_OPERATIONS = 100
"""For one frequency and piece."""


@dataclass(frozen=True)
class LegendrePieces:
    """f on the pieces middle ± half (m,) as Σ_l coefficients[:, l] P_l, with |error| ≤ `residual` (m,) on each.

    `far` says which pieces are octaves on which f is a smooth tail, so that what lies beyond one can be had from f and
    its derivatives at its near end; `beyond` bounds ∫|f| outside all pieces, infinite where it diverges.
    """

    middle: Array
    half: Array
    coefficients: Array
    residual: Array
    far: NDArray[np.bool_]
    beyond: float

    def absolute_integral(self) -> float:
        """About ∫ |f| over the pieces."""
        return float(np.abs(self.coefficients @ VALUES.T) @ WEIGHTS @ self.half)

    def transform(self, frequencies: Array) -> tuple[NDArray[np.complex128], Array]:
        """∫ f(t) e^{−iωt} dt at ω (n,), and a bound on the error of each value.

        Piece by piece exact: ∫ P_l(u) e^{−ixu} du = 2(−i)^l j_l(x). Tails that are smooth are integrated by parts from
        |ω|t = 10⁴ on. The residual r of a piece of half width h counts min(2h, 52/|ω|) r, the latter being what
        integration by parts leaves of an oscillation as fast as the last polynomial's. Source: Filon 1928, with
        Legendre's polynomials; Iserles 2004.
        """
        omega = np.asarray(frequencies, dtype=float)
        values, errors = np.zeros(len(omega), dtype=complex), np.zeros(len(omega))
        near = np.abs(self.middle) - self.half
        size = np.abs(omega)
        with np.errstate(divide="ignore"):
            reach = np.where(size > 0, _FAR / size, np.inf)
        ended = {sign: np.zeros(len(omega), dtype=bool) for sign in (1.0, -1.0)}
        simple = ~self.far
        for half in np.unique(self.half[simple]):
            self._add(omega, np.flatnonzero(simple & (self.half == half)), float(half), values, errors)
        for piece in np.flatnonzero(self.far)[np.argsort(near[self.far], kind="stable")]:
            side = float(np.sign(self.middle[piece]))
            done = ended[side]
            ends = ~done & (near[piece] > reach)
            if ends.any():
                tail, doubt = self._tail(int(piece), side, omega[ends])
                values[ends] += tail
                errors[ends] += doubt
                done |= ends
            inside = np.flatnonzero(~done)
            if len(inside):
                part, doubt = np.zeros(len(inside), dtype=complex), np.zeros(len(inside))
                self._add(omega[inside], np.array([piece]), float(self.half[piece]), part, doubt)
                values[inside] += part
                errors[inside] += doubt
        sides = [ended[sign] for sign in (1.0, -1.0) if (sign * self.middle > 0).any()]
        if self.beyond and sides:
            errors[~np.logical_and.reduce(sides)] += self.beyond
        return values, errors

    def _add(
        self, omega: Array, pieces: NDArray[np.intp], half: float, values: NDArray[np.complex128], errors: Array
    ) -> None:
        """Add the transforms of pieces of one width, in blocks of frequencies."""
        spend(_OPERATIONS * float(len(omega)) * len(pieces))
        step = max(1, _BLOCK // max(len(pieces), 64))
        for start in range(0, len(omega), step):
            block = slice(start, start + step)
            waves = np.exp(-1j * np.outer(omega[block], self.middle[pieces]))
            values[block] += half * ((waves @ self.coefficients[pieces]) * legendre_waves(omega[block] * half)).sum(
                axis=1
            )
        height = np.abs(self.coefficients[pieces]).max(axis=1)
        doubt = float(self.residual[pieces].sum() + _ROUNDING * height.sum())
        phase = 2e-16 * float(height @ np.abs(self.middle[pieces]))  # of ωt, which is rounded
        with np.errstate(divide="ignore"):
            errors += (doubt + phase * np.abs(omega)) * np.minimum(2 * half, 52 / np.abs(omega))

    def _tail(self, piece: int, side: float, omega: Array) -> tuple[NDArray[np.complex128], Array]:
        """∫ from the near end of a piece outwards by parts: e^{−iωa} Σ_n f⁽ⁿ⁾(a) / (iω)^{n+1}, outwards."""
        end = -side
        a, h, series = self.middle[piece] + end * self.half[piece], self.half[piece], self.coefficients[piece]
        total, last = np.zeros(len(omega), dtype=complex), np.zeros(len(omega))
        for n in range(4):
            term = legendre.legval(end, series) / h**n / (1j * omega) ** (n + 1)
            total, last = total + side * np.exp(-1j * omega * a) * term, np.abs(term)
            series = legendre.legder(series)
        return total, last + float(self.residual[piece]) * 52 / np.abs(omega)
