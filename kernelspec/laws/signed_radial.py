"""Frequencies from the positive or the negative part of the spectral measure of a radial formula."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from kernelspec.expressions.arguments import Scalar, Value
from kernelspec.expressions.elementary import root
from kernelspec.expressions.pairs import NumericPairs, Pairs
from kernelspec.expressions.symbolic_pairs import SymbolicPairs
from kernelspec.kernels.formula import FormulaProduct, FormulaRadial
from kernelspec.laws.columns_and_lags import SelectedLaw
from kernelspec.laws.fourier import FourierLaw
from kernelspec.laws.law import KernelLaw, Law, Moments, columns_shown
from kernelspec.laws.mixture import MixtureLaw
from kernelspec.laws.product import ProductLaw
from kernelspec.laws.rules import Below, own_law
from kernelspec.loading import sympy
from kernelspec.random.streams import Stream
from kernelspec.samples.samples import Phasors, Samples
from kernelspec.special.radial_spectrum import NumericalSpectrum

__all__ = ["SignedRadialLaw", "signed_parts"]


@dataclass(frozen=True)
class SignedRadialLaw(KernelLaw):
    """p = exp(i ω·(x − y)), ω ~ max(±μ, 0)/m, μ the spectral measure of f(‖Δ‖), m = `mass`; `sign` is that of the part.

    ‖ω‖ by inversion of the increasing or decreasing pieces of the numerical distribution function, ω/‖ω‖ uniform on the
    sphere. The means k₊ and k₋ have m₊k₊ − m₋k₋ = k. A = 1 and B = k_±(2Δ).
    """

    has_phasor: ClassVar[bool] = True
    has_key: ClassVar[bool] = False

    kernel: FormulaRadial
    sign: int
    mass: Scalar

    def validate(self) -> None:
        super().validate()
        spectrum = self.kernel.spectrum
        if self.sign not in (1, -1) or not isinstance(spectrum, NumericalSpectrum) or not spectrum.has_parts:
            raise ValueError(f"{self.kernel} has no part of sign {self.sign}")
        if abs(self.mass - spectrum.masses()[self.sign < 0]) > 1e-6 * self.mass:
            raise ValueError(f"the mass of a part is {self.mass}")

    @property
    def _spectrum(self) -> NumericalSpectrum:
        found = self.kernel.spectrum
        assert isinstance(found, NumericalSpectrum)
        return found

    def draw(self, stream: Stream, n: int, columns: tuple[int, ...]) -> list[Samples]:
        normal = stream.normal("normal", (n, len(columns)))
        radius = self._spectrum.parts[self.sign < 0].quantile(stream.uniforms("radius", (n,)))
        frequencies = normal * (radius / np.sqrt(np.square(normal).sum(axis=1)))[:, None]
        phasors = Phasors.symmetric(columns, frequencies)
        return [Samples(np.arange(n), np.ones(n), np.ones(n), phasors.merged())]

    def value(self, pairs: Pairs) -> Value:
        return pairs.of(_Transform(self))

    def moments(self, pairs: Pairs) -> Moments:
        return Moments(1, pairs.map(2).of(_Transform(self)), 0)

    def magnitude(self) -> Scalar:
        return 1

    @property
    def tolerance(self) -> float:
        return self._spectrum.tolerance

    def lines(self, columns: tuple[int, ...], names: Sequence[str] | None = None) -> list[str]:
        which = "positive" if self.sign > 0 else "negative"
        how = f"ρ by inversion of its distribution function, to {self.tolerance:.1g}"
        place = columns_shown(columns, names)
        return [
            f"frequencies of the {which} part of {self.kernel}, mass {float(self.mass):.6g}, {how}, on columns {place}"
        ]


@dataclass(frozen=True)
class _Transform:
    """k_± as a function of the lag."""

    part: SignedRadialLaw

    def numbers(self, pairs: NumericPairs) -> np.ndarray:
        law, kernel = self.part, self.part.kernel
        distance = np.sqrt(pairs.squared_norm())
        negative = law._spectrum.parts[1].transform(distance, kernel.dim)
        if law.sign < 0:
            return negative
        # so that the parts add up to k to the last digit
        return np.asarray((kernel.profile(distance) + (float(law.mass) - 1) * negative) / float(law.mass))

    def expression(self, pairs: Pairs) -> Any:
        """∫ max(±s(ρ), 0) Ω(ρ‖Δ‖) dρ / m, s(ρ) the mass of μ at ‖ω‖ = ρ."""
        law, kernel = self.part, self.part.kernel
        half, rho = sympy.S(kernel.dim) / 2, sympy.Symbol("rho", positive=True)
        along = SymbolicPairs(kernel.dim, lambda i: rho if i == 1 else sympy.S.Zero, None, True)
        area = 2 * sympy.pi**half / sympy.gamma(half) * rho ** (kernel.dim - 1)
        shell = sympy.Max(law.sign * area * kernel.density_expression(along), 0)
        x = rho * root(sympy.S(pairs.squared_norm()))
        wave = sympy.gamma(half) * (2 / x) ** (half - 1) * sympy.besselj(half - 1, x)
        return sympy.Integral(shell * wave, (rho, 0, sympy.oo)) / law.mass


def signed_parts(kernel: FormulaRadial) -> MixtureLaw | None:
    """m₊k₊ − m₋k₋, if the spectral measure has a known negative part; else None."""
    if not isinstance(kernel.dim, int) or kernel.shape.unknowns() or kernel.verdict().positive_definite == "proved":
        return None
    spectrum = kernel.spectrum
    if not isinstance(spectrum, NumericalSpectrum) or not spectrum.has_parts:
        return None
    positive, negative, _ = spectrum.masses()
    parts = SignedRadialLaw(kernel, 1, positive), SignedRadialLaw(kernel, -1, negative)
    return MixtureLaw(parts, (positive, -negative))


own_law.register(FormulaRadial, lambda kernel, below: signed_parts(kernel) or FourierLaw(kernel))


@own_law.register
def _(kernel: FormulaProduct, below: Below) -> Law:
    """Of both signs: in every column the parts of the factor, with the product of their signs."""
    del below
    line = kernel.line() if isinstance(kernel.dim, int) else None
    found = None if line is None else signed_parts(line)
    if found is None:
        return FourierLaw(kernel)
    if kernel.dim == 1:
        return found
    return ProductLaw(tuple(SelectedLaw(found, (i,), kernel.dim) for i in range(kernel.dim)))
