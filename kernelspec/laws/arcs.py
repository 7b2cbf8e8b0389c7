"""Frequencies from one Jordan part of a complex measure along one Gaussian direction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import PlanError
from kernelspec.laws.sampler import Sampler, columns_shown
from kernelspec.samples.samples import Phasors, Samples
from kernelspec.special.wave_draws import draw_wave, draw_wave_by_rejection

if TYPE_CHECKING:
    from kernelspec.laws.jordan_part import JordanPart
    from kernelspec.random.streams import Stream

__all__ = ["ArcSampler"]

_MOST_PROPOSALS = 1000
"""Proposals for one sample, in the mean, beyond which rejection from the Gaussian is refused."""


@dataclass(frozen=True)
class ArcSampler(Sampler):
    """p = exp(i ω·(x − y)), ω ~ N(ω) w⁺(s·ω)/m; for the sine ±i exp(±i ω·(x − y)), either sign with probability ½.

    The arc and the place in it are drawn along the direction of s by inversion, at a cost free of the mass m, and a
    Gaussian in the orthogonal complement. By rejection (He et al. 2022, algorithm 1) Gaussian proposals are accepted
    with probability w⁺, 1/m of them for every sample.
    """

    has_phasor: ClassVar[bool] = True
    has_key: ClassVar[bool] = False

    part: JordanPart
    positions: tuple[int, ...]

    def draw(self, stream: Stream, n: int) -> list[Samples]:
        direction = self.part.direction
        unit = direction.unit()
        normal = stream.generator("normal").standard_normal((n, len(self.positions)))
        normal += np.multiply.outer(self._along(stream, n) - normal @ unit, unit)
        frequencies = normal / float(direction.scale)
        left = np.zeros(n)
        if self.part.wave.odd:
            flip = np.where(stream.generator("sign").random(n) < 0.5, -1.0, 1.0)
            frequencies *= flip[:, None]
            left = flip * np.pi / 2
        phasors = Phasors(self.positions, frequencies, left, np.zeros(n)).merged()
        return [Samples(np.arange(n), np.ones(n), np.ones(n), phasors)]

    def _along(self, stream: Stream, n: int) -> NDArray[np.float64]:
        wave, a = self.part.wave, float(self.part.direction.frequency)
        if not self.part.by_rejection:
            return draw_wave(stream, wave, a, n)
        mass = float(self.part.mass)
        if mass * _MOST_PROPOSALS < 1:
            raise PlanError(
                f"{self.part} has the mass {mass:.3g}: rejection would take {1 / mass:.3g} proposals for one sample, "
                f"and at most {_MOST_PROPOSALS} are made; method='jordan' draws it directly"
            )
        return draw_wave_by_rejection(stream, wave, a, n)

    def work(self, n: int, nonzeros: float) -> float:
        """Nothing for arcs; some for rejection, so that of two samplers of one law arcs win."""
        del nonzeros
        return n / float(self.part.mass) if self.part.by_rejection else 0.0

    def lines(self, names: Sequence[str] | None = None) -> list[str]:
        how = "by rejection from the Gaussian" if self.part.by_rejection else "arc by arc"
        mass = f"share {float(self.part.mass):.6g} of the Gaussian"
        read = columns_shown(self.positions, names)
        return [f"frequencies of {self.part}, {mass}, {how}, on columns {read}{self.part.remark}"]
