"""The spectral law of a function of the distance: closed form for waves, a numerical transform for others."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import NotAvailableYet
from kernelspec.loading import Span, special
from kernelspec.special.hankel_pieces import HankelPieces, hankel_pieces
from kernelspec.special.legendre import around
from kernelspec.special.radial_table import RadialTable, SignedRadial, radial_table, unresolved_mass

__all__ = ["NumericalSpectrum", "RadialSpectrum", "WaveSpectrum"]

Array = NDArray[np.float64]

_LARGEST_TOLERANCE = 1e-3

_MOST_MISMATCH, _CHECKED = 0.05, 64
"""How far f and the transform of a table may differ beyond the tolerance, and how many distances are compared."""


class RadialSpectrum(ABC):
    """The law of ω on R^d whose transform is f(‖x‖)."""

    @property
    @abstractmethod
    def length(self) -> float:
        """A distance on which f changes."""

    @abstractmethod
    def density(self, radius: Array) -> tuple[Array, Array]:
        """The density at ‖ω‖ = radius, and error bounds."""

    @abstractmethod
    def quantile(self, share: Array) -> Array:
        """The ρ with P(‖ω‖ ≤ ρ) = share."""

    @property
    @abstractmethod
    def tolerance(self) -> float:
        """Error of the distribution function of ‖ω‖ that `quantile` inverts; infinite if unknown."""

    @abstractmethod
    def check(self, shown: str, span: Span | None, *, is_positive: bool) -> None:
        """Raise NotAvailableYet if the law is not accurate enough to sample, or not a probability law.

        If it `is_positive` by a theorem, a negative part in the numbers is rounding.
        """


@dataclass(frozen=True)
class WaveSpectrum(RadialSpectrum):
    """The projection to R^dim of the uniform law on the sphere of radius b = `rate` in R^m, m = `order` ≥ dim."""

    order: float
    rate: float
    dim: int

    @property
    def length(self) -> float:
        return 1 / self.rate

    def density(self, radius: Array) -> tuple[Array, Array]:
        """Γ(m/2) / (Γ((m−d)/2) π^{d/2} b^{m−2}) (b² − ρ²)^{(m−d)/2−1} inside."""
        rest, b = (self.order - self.dim) / 2, self.rate
        share = math.exp(math.lgamma(self.order / 2) - math.lgamma(rest))
        size = share / math.pi ** (self.dim / 2) / b ** (self.order - 2)
        with np.errstate(divide="ignore"):
            inside = np.maximum(b * b - np.square(radius), 0.0) ** (rest - 1)
        found = np.where(radius <= b, size * inside, 0.0)
        return found, np.where(np.isfinite(found), 1e-14 * found, 0.0)

    def quantile(self, share: Array) -> Array:
        """b times the root of a Beta(d/2, (m−d)/2) variable."""
        if self.order == self.dim:
            return np.full(np.shape(share), self.rate)
        return np.asarray(self.rate * np.sqrt(special.betaincinv(self.dim / 2, (self.order - self.dim) / 2, share)))

    @property
    def tolerance(self) -> float:
        return 0.0

    def check(self, shown: str, span: Span | None, *, is_positive: bool) -> None:
        """Nothing to check: the law is a closed form."""


@dataclass(frozen=True)
class NumericalSpectrum(RadialSpectrum):
    """The Hankel transform of f, resolved in pieces; `scale` is a length on which f changes."""

    pieces: HankelPieces
    scale: float

    @classmethod
    def of(
        cls, function: Callable[[Array], Array], landmarks: tuple[float, ...], dim: int, narrow: tuple[float, ...] = ()
    ) -> NumericalSpectrum:
        """The spectrum of f, whose branches meet at the landmarks, and which has bumps at the `narrow` distances."""
        lags: Array = np.exp2(np.arange(-60.0, 100.0))
        low = np.flatnonzero(np.abs(function(lags)) < 0.5)
        scale = float(lags[low[0]]) if len(low) else 1.0
        probes = around(np.array(narrow)).ravel()
        return cls(hankel_pieces(function, np.array(landmarks), scale, dim, probes), scale)

    @property
    def length(self) -> float:
        return self.scale

    def density(self, radius: Array) -> tuple[Array, Array]:
        return self.pieces.density(np.maximum(radius, 2.0**-30 / self.scale))

    @property
    def table(self) -> RadialTable:
        """The distribution function of ‖ω‖. Raises ArithmeticError if it is not resolved."""
        if isinstance(self._table, str):
            raise ArithmeticError(self._table)
        return self._table

    @cached_property
    def _table(self) -> RadialTable | str:
        """The table, or the reason for its absence: finding that out takes as long."""
        try:
            table = radial_table(self.pieces, self.scale)
        except ArithmeticError as error:
            return str(error)
        if self._mismatch(table) > _MOST_MISMATCH + 2 * table.tolerance:
            return "the transform is not resolved between frequencies"
        return table

    def _mismatch(self, table: RadialTable) -> float:
        """The largest difference between f and the transform of a table at distances up to the scale.

        Cells of a table are tested at two places, and what cancels in between, such as two bumps of opposite signs, may
        be missed.
        """
        distances, values = self.pieces.values_between(self.scale / 256, self.scale, _CHECKED)
        back = np.zeros(len(distances))
        for sign in (1, -1):
            part = SignedRadial.of(table, sign)
            if part.mass > 0:
                back += sign * part.mass * part.transform(distances, self.pieces.dim)
        return float(np.abs(back - values).max(initial=0.0))

    @property
    def is_signed(self) -> bool:
        """Whether the measure has a negative part beyond the tolerance.

        On a coarse table it may be an error: sampled with signs, that cancels, but a real one left out is a bias.
        """
        table = self._table
        return not isinstance(table, str) and table.negative > min(10 * table.tolerance, _LARGEST_TOLERANCE)

    @cached_property
    def parts(self) -> tuple[SignedRadial, SignedRadial]:
        """The positive and the negative part."""
        return SignedRadial.of(self.table, 1), SignedRadial.of(self.table, -1)

    def masses(self) -> tuple[float, float, float]:
        """The masses of the positive and the negative part, and an approximate error.

        Raises ArithmeticError if they may be infinite, or are less accurate than the largest tolerance.
        """
        table, negative = self.table, self.parts[1].mass
        if self._why_no_masses is not None:
            raise ArithmeticError(self._why_no_masses)
        return 1 + negative, negative, self._beyond + table.tolerance * (1 + self.parts[1].n_runs)

    @cached_property
    def _beyond(self) -> float:
        return unresolved_mass(self.table)

    @property
    def _why_no_masses(self) -> str | None:
        """Why the masses of the table are unknown, as text."""
        if self._beyond <= _LARGEST_TOLERANCE * (1 + 2 * self.parts[1].mass):
            return None
        known = "may not be" if math.isinf(self._beyond) else f"is not known to be, to {_LARGEST_TOLERANCE:g},"
        return f"the spectral density falls so slowly that it {known} absolutely integrable"

    def quantile(self, share: Array) -> Array:
        return self.table.quantile(share)

    @property
    def tolerance(self) -> float:
        return math.inf if isinstance(self._table, str) else self._table.tolerance

    @property
    def has_parts(self) -> bool:
        """Whether the measure is signed, and both parts are accurate enough to sample."""
        return self.is_signed and self.tolerance <= _LARGEST_TOLERANCE and self._why_no_masses is None

    def check(self, shown: str, span: Span | None, *, is_positive: bool) -> None:
        table = self._table
        if isinstance(table, str):
            raise NotAvailableYet(f"{shown} has no features: {table}", span)
        columns = f"{self.pieces.dim} column{'s' * (self.pieces.dim != 1)}"
        if self.is_signed and not is_positive:
            why = self._why_no_masses
            raise NotAvailableYet(
                f"{shown} has a spectral density of both signs on {columns}, with a mass of about {table.negative:.3g} "
                "below 0, and "
                + (f"has no features: {why}" if why else "is sampled part by part, with signs: see method='jordan'"),
                span,
            )
        if table.tolerance > _LARGEST_TOLERANCE:
            raise NotAvailableYet(
                f"the law of the frequencies of {shown} on {columns} is known to {table.tolerance:.1g} only, and "
                f"{_LARGEST_TOLERANCE:g} is needed for features" + ": use fewer columns" * (self.pieces.dim > 1),
                span,
            )
