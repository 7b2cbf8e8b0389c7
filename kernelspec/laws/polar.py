"""Frequencies drawn from the modulus of a complex measure, and hyperbolic sines of the rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from kernelspec.expressions.arguments import Value
from kernelspec.expressions.pairs import ExponentialOf, NumericPairs, Pairs
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaves.gaussian_directions import CoshGaussian, GaussianDirection, SinhGaussian
from kernelspec.kernels.nodes.columns_and_lags import Shift
from kernelspec.laws.fourier import FourierLaw
from kernelspec.laws.law import KernelLaw, Law, Moments, columns_shown, indented
from kernelspec.laws.rules import law_of, own_law
from kernelspec.laws.translation import TiltLaw, VectorLaw, grown, rates_shown
from kernelspec.loading import sympy
from kernelspec.random.streams import Stream
from kernelspec.samples.samples import Phasors, Samples, gather
from kernelspec.special.wave_integrals import doubled_phase, draw_modulus

__all__ = ["DoubledPhase", "PolarLaw", "SinhRowsLaw", "polar", "rows"]


@dataclass(frozen=True)
class DoubledPhase:
    """∫ cos 2(ω·Δ + arg h) |μ|(dω), μ = N h the measure of `kernel`, h = 1 + ig sin θ."""

    kernel: GaussianDirection

    def numbers(self, pairs: NumericPairs) -> np.ndarray:
        kernel, sigma = self.kernel, float(self.kernel.scale)
        along = pairs.inner(kernel.unit().tolist()) / sigma
        across = np.maximum(pairs.squared_norm() / sigma**2 - along**2, 0.0)
        wave = doubled_phase(float(kernel.frequency), float(kernel.gain), 2 * along)
        return np.asarray(np.exp(-2 * across) * wave)

    def expression(self, pairs: Pairs) -> Any:
        kernel = self.kernel
        z = sympy.Symbol("z", real=True)
        along = pairs.inner(kernel.step) / (kernel.scale**2 * kernel.frequency)
        across = pairs.squared_norm() / kernel.scale**2 - along**2
        h = kernel.gain * sympy.sin(kernel.frequency * z)
        turned = (1 - h**2) * sympy.cos(2 * along * z) - 2 * h * sympy.sin(2 * along * z)
        normal = sympy.exp(-(z**2) / 2) / sympy.sqrt(2 * sympy.pi)
        integral = sympy.Integral(turned / sympy.sqrt(1 + h**2) * normal, (z, -sympy.oo, sympy.oo))
        return sympy.exp(-2 * across) * integral


@dataclass(frozen=True)
class PolarLaw(KernelLaw):
    """p = ‖μ‖ exp(i(ω·(x − y) + arg μ(ω))), ω ~ |μ|/‖μ‖, of total variation ‖μ‖.

    The modulus of h = g e^{iθ} is constant, so ω is Gaussian; that of 1 + ig sin θ is drawn along the direction, with a
    Gaussian in the orthogonal complement. A = ‖μ‖², B = ‖μ‖ ∫ cos 2(ω·Δ + arg h) |μ|(dω).
    """

    has_phasor: ClassVar[bool] = True
    has_key: ClassVar[bool] = False

    kernel: GaussianDirection

    def draw(self, stream: Stream, n: int, columns: tuple[int, ...]) -> list[Samples]:
        kernel, sigma = self.kernel, float(self.kernel.scale)
        normal = stream.normal("normal", (n, len(columns)))
        if kernel.has_constant_real_part:
            unit, a = kernel.unit(), float(kernel.frequency)
            along = draw_modulus(stream, a, float(kernel.gain), n)
            normal += np.multiply.outer(along - normal @ unit, unit)
        frequencies = normal / sigma
        angle = frequencies @ np.asarray(kernel.step, dtype=float)
        phases = np.angle(kernel.wave(angle)) if kernel.has_constant_real_part else angle
        phasors = Phasors(columns, frequencies, phases, np.zeros(n)).merged()
        return [Samples(np.arange(n), np.full(n, float(kernel.total_variation())), np.ones(n), phasors)]

    def moments(self, pairs: Pairs) -> Moments:
        kernel, size = self.kernel, self.kernel.total_variation()
        if kernel.has_constant_real_part:
            doubled = pairs.of(DoubledPhase(kernel))
        else:
            doubled = size * pairs.translated(kernel.step).map(2).of(kernel.gaussian)
        return Moments(size * size, size * doubled, 0)

    def lines(self, columns: tuple[int, ...], names: Sequence[str] | None = None) -> list[str]:
        return [
            f"frequencies of {self.kernel}: {self.kernel.frequencies}, total variation "
            f"{float(self.kernel.total_variation()):.6g}, on columns {columns_shown(columns, names)}"
        ]


own_law.register(GaussianDirection, lambda kernel, below: PolarLaw(kernel))


def polar(kernel: Kernel) -> Law | None:
    """The scheme "polar", the default of asymmetric kernels: those of a Gaussian direction, and shifts."""
    if isinstance(kernel, Shift):
        return law_of(kernel) if law_of(kernel.base).fourier_kernel() is not None else None
    return PolarLaw(kernel) if isinstance(kernel, GaussianDirection) and not kernel.is_symmetric else None


@dataclass(frozen=True)
class SinhRowsLaw(VectorLaw):
    """p of k(Δ)(1 + sinh β·Δ): each sample of k, `base`, times 1 + ½e^{β·x}e^{−β·y} − ½e^{−β·x}e^{β·y}.

    The three terms share the frequency: a sample is three column groups, with signs (+, +, −). A and B are those of k
    times (1 + sinh β·Δ)². The magnitude is that at x = y; |p| is unbounded far away.
    """

    def draw(self, stream: Stream, n: int, columns: tuple[int, ...]) -> list[Samples]:
        rise = tuple(float(entry) for entry in self.by)
        still, fall = tuple(0.0 for _ in rise), tuple(-entry for entry in rise)
        terms = []
        for batch in self.base.draw(stream, n, columns):
            terms += [
                grown(batch, still, columns),
                grown(batch.relabelled(batch.index, 0.5), rise, columns),
                grown(batch.relabelled(batch.index, 0.5, -1.0), fall, columns),
            ]
        return gather(terms)

    def value(self, pairs: Pairs) -> Value:
        return self.base.value(pairs) * self._factor(pairs)

    def mean(self, pairs: Pairs) -> Value:
        return self.base.mean(pairs) * self._factor(pairs)

    def moments(self, pairs: Pairs) -> Moments:
        return self.base.moments(pairs).scaled(self._factor(pairs) ** 2)

    def _factor(self, pairs: Pairs) -> Value:
        rise = pairs.of(ExponentialOf(self.by))
        fall = pairs.of(ExponentialOf(tuple(-entry for entry in self.by)))
        return 1 + (rise - fall) / 2

    @property
    def has_amplitude(self) -> bool:
        return True

    @property
    def n_terms(self) -> int:
        return 3 * self.base.n_terms

    def lines(self, columns: tuple[int, ...], names: Sequence[str] | None = None) -> list[str]:
        what = f"as they are, and as ±½ of rows scaled by e^(±β·x) and e^(∓β·y), β = ({rates_shown(self.by)}):"
        return [f"three times, {what}", *indented(self.base.lines(columns, names))]


def rows(kernel: Kernel) -> Law | None:
    """The scheme "rows": the hyperbolic factor of sinh_gaussian(), the exponential one of cosh_gaussian(), on rows."""
    if not isinstance(kernel, SinhGaussian | CoshGaussian) or kernel.is_symmetric:
        return None
    base = FourierLaw(kernel.gaussian)
    return SinhRowsLaw(base, kernel.by) if isinstance(kernel, SinhGaussian) else TiltLaw(base, kernel.by)
