"""Frequencies from the modulus of a complex measure, with its phase on the left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from kernelspec.kernels.families.gaussian_direction import GaussianDirection
from kernelspec.kernels.nodes.shift import Shift
from kernelspec.laws.columns_shown import columns_shown
from kernelspec.laws.doubled_phase import DoubledPhase
from kernelspec.laws.law import Law
from kernelspec.laws.moments import Moments
from kernelspec.laws.rules import Below, law_of, own_law
from kernelspec.samples.samples import Phasors, Samples
from kernelspec.special.wave_modulus import draw_modulus

if TYPE_CHECKING:
    from kernelspec.kernels.kernel import Kernel
    from kernelspec.notation.arguments import Scalar, Value
    from kernelspec.notation.pairs import Pairs
    from kernelspec.random.streams import Stream

__all__ = ["PolarLaw", "polar"]


@dataclass(frozen=True)
class PolarLaw(Law):
    """p = ‖μ‖ exp(i(ω·(x − y) + arg μ(ω))), ω ~ |μ|/‖μ‖, of total variation ‖μ‖.

    The modulus of h = g e^{iθ} is constant, and ω is Gaussian; that of 1 + ig sin θ is drawn along the direction, with
    a Gaussian in the orthogonal complement. A = ‖μ‖², B = ‖μ‖ ∫ cos 2(ω·Δ + arg h) |μ|(dω).
    """

    has_phasor: ClassVar[bool] = True
    has_key: ClassVar[bool] = False

    kernel: GaussianDirection

    @property
    def dim(self) -> Scalar:
        return self.kernel.dim

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

    def value(self, pairs: Pairs) -> Value:
        return self.kernel.value(pairs)

    def moments(self, pairs: Pairs) -> Moments:
        kernel, size = self.kernel, self.kernel.total_variation()
        if kernel.has_constant_real_part:
            doubled = pairs.of(DoubledPhase(kernel))
        else:
            doubled = size * pairs.translated(kernel.step).map(2).of(kernel.gaussian)
        return Moments(size * size, size * doubled, 0)

    def magnitude(self) -> Scalar:
        return self.kernel.magnitude()

    def lines(self, columns: tuple[int, ...], names: Sequence[str] | None = None) -> list[str]:
        return [
            f"frequencies of {self.kernel}: {self.kernel.frequencies}, total variation "
            f"{float(self.kernel.total_variation()):.6g}, on columns {columns_shown(columns, names)}"
        ]


@own_law.register
def _(kernel: GaussianDirection, below: Below) -> PolarLaw:
    del below
    return PolarLaw(kernel)


def polar(kernel: Kernel) -> Law | None:
    """The scheme "polar", which asymmetric kernels have by themselves: those of a Gaussian direction, and shifts."""
    if isinstance(kernel, Shift):
        return law_of(kernel) if law_of(kernel.base).fourier_kernel() is not None else None
    return PolarLaw(kernel) if isinstance(kernel, GaussianDirection) and not kernel.is_symmetric else None
