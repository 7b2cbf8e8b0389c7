"""The spectral law of a function of the distance: of a wave in closed form, of others by a numerical transform."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import NotAvailableYet
from kernelspec.loading import Span
from kernelspec.special.hankel_pieces import HankelPieces, hankel_pieces
from kernelspec.special.radial_table import RadialTable, SignedRadial, radial_table, unresolved_mass

__all__ = ["NumericalSpectrum", "RadialSpectrum", "WaveSpectrum"]

Array = NDArray[np.float64]

_LARGEST_TOLERANCE = 1e-3


class RadialSpectrum(ABC):
    """The law of ω on R^d with the transform f(‖x‖)."""

    @property
    @abstractmethod
    def length(self) -> float:
        """A distance on which f changes."""

    @abstractmethod
    def density(self, radius: Array) -> tuple[Array, Array]:
        """The density at ‖ω‖ = radius, and bounds on the errors."""

    @abstractmethod
    def quantile(self, share: Array) -> Array:
        """The ρ with P(‖ω‖ ≤ ρ) = share."""

    @property
    @abstractmethod
    def tolerance(self) -> float:
        """What the distribution function of ‖ω‖ that `quantile` inverts may be wrong by; infinite where unknown."""

    @abstractmethod
    def check(self, shown: str, span: Span | None) -> None:
        """Raise NotAvailableYet where the law is not known well enough to be drawn from, or is no law."""


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
        size = (
            math.exp(math.lgamma(self.order / 2) - math.lgamma(rest))
            / math.pi ** (self.dim / 2)
            / b ** (self.order - 2)
        )
        with np.errstate(divide="ignore"):
            inside = np.maximum(b * b - np.square(radius), 0.0) ** (rest - 1)
        found = np.where(radius <= b, size * inside, 0.0)
        return found, np.where(np.isfinite(found), 1e-14 * found, 0.0)

    def quantile(self, share: Array) -> Array:
        """b times the root of a Beta(d/2, (m−d)/2) variable."""
        from scipy.special import betaincinv

        if self.order == self.dim:
            return np.full(np.shape(share), self.rate)
        return np.asarray(self.rate * np.sqrt(betaincinv(self.dim / 2, (self.order - self.dim) / 2, share)))

    @property
    def tolerance(self) -> float:
        return 0.0

    def check(self, shown: str, span: Span | None) -> None:
        """A closed form."""


@dataclass(frozen=True)
class NumericalSpectrum(RadialSpectrum):
    """The Hankel transform of f, resolved in pieces; `scale` is a length on which f changes."""

    pieces: HankelPieces
    scale: float

    @classmethod
    def of(cls, function: Callable[[Array], Array], landmarks: tuple[float, ...], dim: int) -> NumericalSpectrum:
        """The spectrum of f with branches that meet at the landmarks."""
        lags: Array = np.exp2(np.arange(-60.0, 100.0))
        low = np.flatnonzero(np.abs(function(lags)) < 0.5)
        scale = float(lags[low[0]]) if len(low) else 1.0
        return cls(hankel_pieces(function, np.array(landmarks), scale, dim), scale)

    @property
    def length(self) -> float:
        return self.scale

    def density(self, radius: Array) -> tuple[Array, Array]:
        return self.pieces.density(np.maximum(radius, 2.0**-30 / self.scale))

    @property
    def table(self) -> RadialTable:
        """The distribution function of ‖ω‖. Raises ArithmeticError where it is not resolved."""
        if isinstance(self._table, str):
            raise ArithmeticError(self._table)
        return self._table

    @cached_property
    def _table(self) -> RadialTable | str:
        """The table, or why there is none: it takes as long to find that out."""
        try:
            return radial_table(self.pieces, self.scale)
        except ArithmeticError as error:
            return str(error)

    @property
    def is_signed(self) -> bool:
        """Whether the measure has a negative part, beyond the tolerance."""
        try:
            return self.table.negative > 10 * self.table.tolerance
        except ArithmeticError:
            return False

    @cached_property
    def parts(self) -> tuple[SignedRadial, SignedRadial]:
        """The positive and the negative part."""
        return SignedRadial.of(self.table, 1), SignedRadial.of(self.table, -1)

    def masses(self) -> tuple[float, float, float]:
        """The masses of the positive and the negative part, and about the error.

        Raises ArithmeticError where they may be infinite, or are not known to the largest tolerance.
        """
        negative, beyond = self.parts[1].mass, unresolved_mass(self.table)
        if beyond > _LARGEST_TOLERANCE * (1 + 2 * negative):
            known = "may not be" if math.isinf(beyond) else f"is not known to be, to {_LARGEST_TOLERANCE:g},"
            raise ArithmeticError(f"the spectral density falls so slowly that it {known} absolutely integrable")
        return 1 + negative, negative, beyond + self.table.tolerance * (1 + self.parts[1].n_runs)

    def quantile(self, share: Array) -> Array:
        return self.table.quantile(share)

    @property
    def tolerance(self) -> float:
        try:
            return self.table.tolerance
        except ArithmeticError:
            return math.inf

    def _without_parts(self) -> str:
        try:
            self.masses()
        except ArithmeticError as error:
            return f"has no features: {error}"
        return "is sampled part by part, with signs: see method='jordan'"

    @property
    def has_parts(self) -> bool:
        """Whether the measure is signed, and both of its parts are known well enough to be drawn from."""
        if not self.is_signed or self.table.tolerance > _LARGEST_TOLERANCE:
            return False
        try:
            self.masses()
        except ArithmeticError:
            return False
        return True

    def check(self, shown: str, span: Span | None) -> None:
        try:
            table = self.table
        except ArithmeticError as error:
            raise NotAvailableYet(f"{shown} has no features: {error}", span) from None
        columns = f"{self.pieces.dim} column{'s' * (self.pieces.dim != 1)}"
        if self.is_signed:
            raise NotAvailableYet(
                f"{shown} has a spectral density of both signs on {columns}, with a mass of about {table.negative:.3g} "
                f"below 0, and {self._without_parts()}",
                span,
            )
        if table.tolerance > _LARGEST_TOLERANCE:
            raise NotAvailableYet(
                f"the law of the frequencies of {shown} on {columns} is known to {table.tolerance:.1g} only, and "
                f"{_LARGEST_TOLERANCE:g} is needed for features: use fewer columns",
                span,
            )
