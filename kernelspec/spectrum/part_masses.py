"""The masses of the non-negative parts of a wave under the Gaussian: those of the Jordan parts along a direction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernelspec.notation.elementary import known_number

if TYPE_CHECKING:
    from kernelspec.notation.arguments import Scalar
    from kernelspec.special.wave_part import WavePart

__all__ = ["NEGLIGIBLE", "part_mass"]

NEGLIGIBLE = 1e-12
"""Parts of less than this share of the Jordan mass are left out, and named."""


def part_mass(part: WavePart, frequency: Scalar) -> Scalar:
    """E w⁺(aZ), Z ~ N(0, 1): a float for a number, a series for a symbol."""
    a = known_number(frequency)
    if a is not None:
        from kernelspec.special.wave_moments import wave_mass

        return wave_mass(part, a)
    from kernelspec.spectrum.wave_expressions import mass_expression

    return mass_expression(part, frequency)
