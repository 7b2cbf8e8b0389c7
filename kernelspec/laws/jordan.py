"""The Jordan parts of a complex measure along one Gaussian direction."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import PlanError
from kernelspec.expressions.arguments import Scalar, Value
from kernelspec.expressions.elementary import known_number
from kernelspec.expressions.pairs import NumericPairs, Pairs
from kernelspec.kernels.formula import FormulaProduct, FormulaRadial
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaves.gaussian_directions import GaussianDirection
from kernelspec.laws.fourier import FourierLaw
from kernelspec.laws.law import Law, Moments, columns_shown
from kernelspec.laws.mixture import MixtureLaw
from kernelspec.laws.polar import PolarLaw
from kernelspec.laws.rules import law_of
from kernelspec.loading import sympy
from kernelspec.measures.jordan import transform_expression
from kernelspec.measures.masses import NEGLIGIBLE, part_mass
from kernelspec.random.streams import Stream
from kernelspec.samples.samples import Phasors, Samples
from kernelspec.special.wave_integrals import wave_cosine, wave_sine
from kernelspec.special.wave_parts import WavePart, draw_wave, draw_wave_by_rejection

__all__ = ["PART_NAMES", "JordanPart", "jordan", "rejection", "shifts"]


def shifts(kernel: Kernel) -> MixtureLaw | None:
    """The scheme "shifts": G(Δ)(1 + sinh β·Δ) = G(Δ) + (g/2) G(Δ + s) − (g/2) G(Δ − s), s = −σ²β, g = e^{σ²‖β‖²/2}."""
    if not isinstance(kernel, GaussianDirection) or not kernel.has_constant_real_part or kernel.is_symmetric:
        return None

    def moved(sign: int) -> PolarLaw:
        by = tuple(sign * entry for entry in kernel.step)
        return PolarLaw(kernel.gaussian.shifted(by))

    half = kernel.gain / 2
    return MixtureLaw((FourierLaw(kernel.gaussian), moved(1), moved(-1)), (1, half, -half))


_MOST_PROPOSALS = 1000
"""Mean number of proposals per sample beyond which rejection from the Gaussian is refused."""

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
    part mirror each other. The arc and the position in it are drawn along the direction of s by inversion, at a cost
    independent of the mass m, with a Gaussian in the orthogonal complement. By rejection [He et al. 2022, algorithm 1],
    Gaussian proposals are accepted with probability w⁺, 1/m of them per sample. `remark` names omitted parts.
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
                f"{self} has the mass {mass:.3g}: rejection would need {1 / mass:.3g} proposals per sample, "
                f"but at most {_MOST_PROPOSALS} are allowed; use method='jordan', which draws it directly"
            )
        return draw_wave_by_rejection(stream, wave, a, n)

    def value(self, pairs: Pairs) -> Value:
        return pairs.of(_Transform(self, doubled=False))

    def moments(self, pairs: Pairs) -> Moments:
        return Moments(1, pairs.map(2).of(_Transform(self, doubled=True)), 0)

    def magnitude(self) -> Scalar:
        return 1

    def work(self, n: int, nonzeros: float) -> float:
        """Zero for arcs; positive for rejection, so that arcs win between equal laws."""
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


def jordan(kernel: Kernel) -> MixtureLaw | None:
    """The scheme "jordan": k = ‖μ_R⁺‖ k_R⁺ − ‖μ_R⁻‖ k_R⁻ + 2‖μ_I⁺‖ k_I, every k_ the transform of a probability.

    For radial formulas with a density that changes sign, the first two are the default. Parts with less than 1e-12 of
    the Jordan mass are omitted, and named [He, He, Liu and Huang 2022].
    """
    if isinstance(kernel, FormulaRadial | FormulaProduct):
        found = law_of(kernel)
        return found if isinstance(found, MixtureLaw) else None
    return _parts(kernel, by_rejection=False)


def rejection(kernel: Kernel) -> MixtureLaw | None:
    """The scheme "rejection": the same parts, drawn by rejection from the Gaussian as published."""
    return _parts(kernel, by_rejection=True)


def _parts(kernel: Kernel, *, by_rejection: bool) -> MixtureLaw | None:
    if not isinstance(kernel, GaussianDirection) or kernel.is_symmetric:
        return None
    gain, a = kernel.gain, kernel.frequency
    found: list[tuple[Scalar, Law]] = []
    if kernel.has_constant_real_part:
        found.append((1, FourierLaw(kernel.gaussian)))
        waves = [(2, WavePart.POSITIVE_SINE)]
    else:
        waves = [(1, WavePart.POSITIVE_COSINE), (-1, WavePart.NEGATIVE_COSINE), (2, WavePart.POSITIVE_SINE)]
    for count, wave in waves:
        mass = part_mass(wave, a)
        found.append((count * gain * mass, JordanPart(kernel, wave, mass, by_rejection)))
    kept = _without_negligible(found)
    return MixtureLaw(tuple(part for _, part in kept), tuple(weight for weight, _ in kept))


def _without_negligible(found: list[tuple[Scalar, Law]]) -> list[tuple[Scalar, Law]]:
    sizes = [known_number(abs(weight)) for weight, _ in found]
    if None in sizes:
        return found
    total = sum(size for size in sizes if size is not None)
    kept, remark = [], ""
    for (weight, part), size in zip(found, sizes, strict=True):
        if size is not None and size >= NEGLIGIBLE * total:
            kept.append((weight, part))
        elif isinstance(part, JordanPart):
            share = f"of {abs(float(weight)):.3g}" if size else "below the smallest float"
            remark += f"; left out: {PART_NAMES[part.wave]}, mass {share}"
    first = [(w, replace(p, remark=remark) if isinstance(p, JordanPart) else p) for w, p in kept[:1]]
    return first + kept[1:]
