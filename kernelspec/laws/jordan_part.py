"""The Jordan parts of a complex measure along one Gaussian direction, as kernels of their own."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelspec.errors import NotStationaryError
from kernelspec.kernels.families.gaussian_direction import GaussianDirection
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.nodes.sum import Sum
from kernelspec.kernels.verdict import Verdict
from kernelspec.laws.moments import Moments
from kernelspec.notation.arguments import Scalar, Value
from kernelspec.notation.elementary import known_number
from kernelspec.special.wave_part import WavePart

if TYPE_CHECKING:
    from typing import NoReturn

    from kernelspec.laws.sampler import Sampler
    from kernelspec.notation.pairs import NumericPairs, Pairs

__all__ = ["NEGLIGIBLE", "JordanPart", "jordan_sum", "part_mass"]

NEGLIGIBLE = 1e-12
"""Parts of less than this share of the Jordan mass are left out, and named."""

_NAMES = {
    WavePart.POSITIVE_COSINE: "the positive real part",
    WavePart.NEGATIVE_COSINE: "the negative real part",
    WavePart.POSITIVE_SINE: "the imaginary part",
}


@dataclass(frozen=True, kw_only=True)
class JordanPart(Kernel):
    """The transform of N(ω) w⁺(s·ω) / m, m its mass: a probability; with `wave` the sine, of i times the odd measure.

    The positive and the negative imaginary part mirror each other: (ν, i) and (−ν, −i) with probability ½ each,
    ν ~ N max(sin s·ν, 0)/m, have the real mean −E sin ν·Δ. `mass` is m; `remark` names what was left out beside it.
    """

    direction: GaussianDirection
    wave: WavePart
    mass: Scalar
    by_rejection: bool = False
    remark: str = ""

    def validate(self) -> None:
        super().validate()
        if not 0 < self.mass < math.inf:
            raise ValueError(f"the mass of a part is {self.mass}")

    def value(self, pairs: Pairs) -> Value:
        return pairs.of(_Transform(self, doubled=False))

    def diagonal(self) -> Scalar:
        if self.wave.odd:
            return 0
        turned = part_mass(self.wave, self.direction.frequency)
        return turned / self.mass

    def magnitude(self) -> Scalar:
        return 1

    def moments(self, pairs: Pairs) -> Moments:
        return Moments(1, pairs.map(2).of(_Transform(self, doubled=True)), 0)

    def transposed(self) -> Kernel:
        turned = self.direction.transposed()
        return replace(self, direction=turned) if isinstance(turned, GaussianDirection) else self

    def verdict(self) -> Verdict:
        if self.wave.odd:
            return Verdict("disproved", (f"{self}: k(x, y) = −k(y, x)",), symmetric=False)
        return Verdict("proved", (f"{self}: positive definite, its spectral measure is positive",))

    @property
    def is_stationary(self) -> bool:
        return True

    @property
    def is_fourier(self) -> bool:
        return False

    def measure(self) -> NoReturn:
        raise NotStationaryError(
            "a Jordan part is drawn, not analysed: facts.jordan has the densities of the whole kernel"
        )

    def sampler(self, positions: tuple[int, ...]) -> Sampler:
        from kernelspec.laws.arcs import ArcSampler

        return ArcSampler(self, positions)

    def __str__(self) -> str:
        return f"{_NAMES[self.wave]} of {self.direction}"


def part_mass(part: WavePart, frequency: Scalar) -> Scalar:
    """E w⁺(aZ), Z ~ N(0, 1): a float for a number, a series for a symbol."""
    a = known_number(frequency)
    if a is not None:
        from kernelspec.special.wave_moments import wave_mass

        return wave_mass(part, a)
    from kernelspec.laws.wave_expressions import mass_expression

    return mass_expression(part, frequency)


def jordan_sum(kernel: GaussianDirection, *, by_rejection: bool = False) -> Sum:
    """k = ‖μ_R⁺‖ k_R⁺ − ‖μ_R⁻‖ k_R⁻ + 2‖μ_I⁺‖ k_I, every k_ the transform of a probability (k_I: of i times one)."""
    gain, a = kernel.gain, kernel.frequency
    found: list[tuple[Scalar, Kernel]] = []
    if kernel.has_constant_real_part:
        found.append((1, kernel.gaussian))
        waves = [(2, WavePart.POSITIVE_SINE)]
    else:
        waves = [(1, WavePart.POSITIVE_COSINE), (-1, WavePart.NEGATIVE_COSINE), (2, WavePart.POSITIVE_SINE)]
    for count, wave in waves:
        mass = part_mass(wave, a)
        own = JordanPart(
            direction=kernel, wave=wave, mass=mass, by_rejection=by_rejection, dim=kernel.dim, span=kernel.span
        )
        found.append((count * gain * mass, own))
    sizes = [known_number(abs(weight)) for weight, _ in found]
    if None in sizes:
        kept = found
    else:
        total = sum(size for size in sizes if size is not None)
        kept, remark = [], ""
        for (weight, part), size in zip(found, sizes, strict=True):
            if size is not None and size >= NEGLIGIBLE * total:
                kept.append((weight, part))
            elif isinstance(part, JordanPart):
                share = f"of {abs(float(weight)):.3g}" if size else "below the smallest float"
                remark += f"; left out: {_NAMES[part.wave]}, mass {share}"
        kept = [(w, replace(p, remark=remark) if isinstance(p, JordanPart) else p) for w, p in kept[:1]] + kept[1:]
    return Sum(
        terms=tuple(part for _, part in kept),
        weights=tuple(weight for weight, _ in kept),
        dim=kernel.dim,
        span=kernel.span,
    )


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

        from kernelspec.laws.wave_expressions import transform_expression

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
