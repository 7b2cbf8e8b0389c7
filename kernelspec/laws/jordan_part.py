"""Frequencies from one Jordan part of a complex measure along one Gaussian direction."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import PlanError
from kernelspec.kernels.families.gaussian_direction import GaussianDirection
from kernelspec.laws.columns_shown import columns_shown
from kernelspec.laws.law import Law
from kernelspec.laws.moments import Moments
from kernelspec.samples.samples import Phasors, Samples
from kernelspec.special.wave_draws import draw_wave, draw_wave_by_rejection
from kernelspec.special.wave_part import WavePart

if TYPE_CHECKING:
    from kernelspec.notation.arguments import Scalar, Value
    from kernelspec.notation.pairs import NumericPairs, Pairs
    from kernelspec.random.streams import Stream

__all__ = ["PART_NAMES", "JordanPart"]

_MOST_PROPOSALS = 1000
"""Proposals for one sample, in the mean, beyond which rejection from the Gaussian is refused."""

PART_NAMES: Mapping[WavePart, str] = MappingProxyType(
    {
        WavePart.POSITIVE_COSINE: "the positive real part",
        WavePart.NEGATIVE_COSINE: "the negative real part",
        WavePart.POSITIVE_SINE: "the imaginary part",
    }
)


@dataclass(frozen=True)
class JordanPart(Law):
    """p = exp(i ω·(x − y)), ω ~ N(ω) w⁺(s·ω)/m; for the sine ±i exp(±i ω·(x − y)), either sign with probability ½.

    N is the Gaussian density of the `direction`, w its wave, m = `mass`. The mean is the transform of N w⁺/m, a
    probability; for the sine it is −E sin ν·Δ, ν ~ N max(sin s·ν, 0)/m, since the positive and the negative imaginary
    part mirror each other. The arc and the place in it are drawn along the direction of s by inversion, at a cost free
    of the mass m, and a Gaussian in the orthogonal complement. By rejection [He et al. 2022, algorithm 1] Gaussian
    proposals are accepted with probability w⁺, 1/m of them for every sample. `remark` names what was left out.
    """

    has_phasor: ClassVar[bool] = True
    has_key: ClassVar[bool] = False

    direction: GaussianDirection
    wave: WavePart
    mass: Scalar
    by_rejection: bool = False
    remark: str = ""

    @property
    def dim(self) -> Scalar:
        return self.direction.dim

    def validate(self) -> None:
        super().validate()
        if not 0 < self.mass < math.inf:
            raise ValueError(f"the mass of a part is {self.mass}")

    def draw(self, stream: Stream, n: int, columns: tuple[int, ...]) -> list[Samples]:
        unit = self.direction.unit()
        normal = stream.normal("normal", (n, len(columns)))
        normal += np.multiply.outer(self._along(stream, n) - normal @ unit, unit)
        frequencies = normal / float(self.direction.scale)
        left = np.zeros(n)
        if self.wave.odd:
            flip = np.where(stream.generator("sign").random(n) < 0.5, -1.0, 1.0)
            frequencies *= flip[:, None]
            left = flip * np.pi / 2
        phasors = Phasors(columns, frequencies, left, np.zeros(n)).merged()
        return [Samples(np.arange(n), np.ones(n), np.ones(n), phasors)]

    def _along(self, stream: Stream, n: int) -> NDArray[np.float64]:
        wave, a = self.wave, float(self.direction.frequency)
        if not self.by_rejection:
            return draw_wave(stream, wave, a, n)
        mass = float(self.mass)
        if mass * _MOST_PROPOSALS < 1:
            raise PlanError(
                f"{self} has the mass {mass:.3g}: rejection would take {1 / mass:.3g} proposals for one sample, "
                f"and at most {_MOST_PROPOSALS} are made; method='jordan' draws it directly"
            )
        return draw_wave_by_rejection(stream, wave, a, n)

    def value(self, pairs: Pairs) -> Value:
        return pairs.of(_Transform(self, doubled=False))

    def moments(self, pairs: Pairs) -> Moments:
        return Moments(1, pairs.map(2).of(_Transform(self, doubled=True)), 0)

    def magnitude(self) -> Scalar:
        return 1

    def work(self, n: int, nonzeros: float) -> float:
        """Nothing for arcs; some for rejection, so that of two ways to draw one law arcs win."""
        del nonzeros
        return n / float(self.mass) if self.by_rejection else 0.0

    def lines(self, columns: tuple[int, ...], names: Sequence[str] | None = None) -> list[str]:
        how = "by rejection from the Gaussian" if self.by_rejection else "arc by arc"
        mass = f"share {float(self.mass):.6g} of the Gaussian"
        return [f"frequencies of {self}, {mass}, {how}, on columns {columns_shown(columns, names)}{self.remark}"]

    def __str__(self) -> str:
        return f"{PART_NAMES[self.wave]} of {self.direction}"


@dataclass(frozen=True)
class _Transform:
    """The value of a part, or E Re p² of its sample p as a function of the doubled lag."""

    part: JordanPart
    doubled: bool

    def numbers(self, pairs: NumericPairs) -> np.ndarray:
        from kernelspec.special.wave_transform import wave_cosine, wave_sine

        direction, wave = self.part.direction, self.part.wave
        sigma, a = float(direction.scale), float(direction.frequency)
        along = pairs.inner(direction.unit().tolist()) / sigma
        across = np.maximum(pairs.squared_norm() / sigma**2 - along**2, 0.0)
        if not wave.odd:
            turned = wave_cosine(wave, a, along)
        elif self.doubled:
            turned = -wave_cosine(wave, a, along)  # (±i)² = −1
        else:
            turned = -wave_sine(wave, a, along)
        return np.asarray(np.exp(-across / 2) * turned / float(self.part.mass))

    def expression(self, pairs: Pairs) -> Any:
        import sympy

        from kernelspec.spectrum.wave_expressions import transform_expression

        direction, wave = self.part.direction, self.part.wave
        sigma, a = direction.scale, direction.frequency
        along = pairs.inner(direction.step) / (sigma**2 * a)
        across = pairs.squared_norm() / sigma**2 - along**2
        if wave.odd and not self.doubled:
            rise = sympy.exp(-((along + a) ** 2) / 2) - sympy.exp(-((along - a) ** 2) / 2)
            turned = rise / 4
        else:
            turned = transform_expression(wave, a, along)
            turned = -turned if wave.odd else turned
        return sympy.exp(-across / 2) * turned / self.part.mass
