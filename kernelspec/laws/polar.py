"""Frequencies from the modulus of a complex measure, with its phase on the left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from kernelspec.laws.sampler import Sampler, columns_shown
from kernelspec.samples.samples import Phasors, Samples
from kernelspec.special.wave_modulus import draw_modulus

if TYPE_CHECKING:
    from kernelspec.kernels.families.gaussian_direction import GaussianDirection
    from kernelspec.random.streams import Stream

__all__ = ["PolarSampler"]


@dataclass(frozen=True)
class PolarSampler(Sampler):
    """p = ‖μ‖ exp(i(ω·(x − y) + arg μ(ω))), ω ~ |μ|/‖μ‖, of total variation ‖μ‖.

    The modulus of h = g e^{iθ} is constant, and ω is Gaussian; that of 1 + ig sin θ is drawn along the direction, with
    a Gaussian in the orthogonal complement.
    """

    has_phasor: ClassVar[bool] = True
    has_key: ClassVar[bool] = False

    kernel: GaussianDirection
    positions: tuple[int, ...]

    def draw(self, stream: Stream, n: int) -> list[Samples]:
        kernel, sigma = self.kernel, float(self.kernel.scale)
        normal = stream.generator("normal").standard_normal((n, len(self.positions)))
        if kernel.has_constant_real_part:
            unit, a = kernel.unit(), float(kernel.frequency)
            along = draw_modulus(stream, a, float(kernel.gain), n)
            normal += np.multiply.outer(along - normal @ unit, unit)
        frequencies = normal / sigma
        angle = frequencies @ np.asarray(kernel.step, dtype=float)
        phases = np.angle(kernel.wave(angle)) if kernel.has_constant_real_part else angle
        phasors = Phasors(self.positions, frequencies, phases, np.zeros(n)).merged()
        return [Samples(np.arange(n), np.full(n, float(kernel.total_variation())), np.ones(n), phasors)]

    def lines(self, names: Sequence[str] | None = None) -> list[str]:
        read = columns_shown(self.positions, names)
        return [
            f"frequencies of {self.kernel}: {self.kernel.frequencies}, total variation "
            f"{float(self.kernel.total_variation()):.6g}, on columns {read}"
        ]
