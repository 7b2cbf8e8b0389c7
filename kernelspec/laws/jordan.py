"""The Jordan parts of a complex measure along one Gaussian direction, as laws with weights."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kernelspec.kernels.families.formula_product import FormulaProduct
from kernelspec.kernels.families.formula_radial import FormulaRadial
from kernelspec.kernels.families.gaussian_direction import GaussianDirection
from kernelspec.laws.fourier import FourierLaw
from kernelspec.laws.jordan_part import PART_NAMES, JordanPart
from kernelspec.laws.mixture import MixtureLaw
from kernelspec.laws.rules import Below, own_law
from kernelspec.notation.elementary import known_number
from kernelspec.special.wave_part import WavePart
from kernelspec.spectrum.part_masses import NEGLIGIBLE, part_mass

if TYPE_CHECKING:
    from kernelspec.kernels.kernel import Kernel
    from kernelspec.laws.law import Law
    from kernelspec.notation.arguments import Scalar

__all__ = ["jordan", "rejection"]


def jordan(kernel: Kernel) -> MixtureLaw | None:
    """The scheme "jordan": k = ‖μ_R⁺‖ k_R⁺ − ‖μ_R⁻‖ k_R⁻ + 2‖μ_I⁺‖ k_I, every k_ the transform of a probability.

    Formulas of the distance that change the sign of their density have the first two by themselves.
    Parts of less than 1e-12 of the Jordan mass are left out, and named [He, He, Liu and Huang 2022].
    """
    if isinstance(kernel, FormulaRadial | FormulaProduct):
        found = own_law(kernel, Below(None))
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
