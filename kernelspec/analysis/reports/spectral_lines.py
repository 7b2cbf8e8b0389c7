"""The facts about a spectral measure as lines of text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernelspec.analysis.open_questions import answer_or_reason
from kernelspec.analysis.reports.expression_text import shown, shown_size
from kernelspec.errors import NoDensityError, NotStationaryError, SpecError

if TYPE_CHECKING:
    from kernelspec.analysis.facts import Facts
    from kernelspec.spectrum.masses import Masses

__all__ = ["spectral_lines"]

_MOST_ATOMS = 6


def spectral_lines(facts: Facts) -> list[str]:
    """Density, or measure with its first atoms, second moment and masses; or why there is no spectral measure."""
    import sympy

    try:
        measure = facts.spectral_measure
    except NotStationaryError as error:
        return [f"spectral measure: none ({error})"]
    lines = []
    try:
        lines.append(f"spectral density = {shown(facts.spectral_density)}")
    except NoDensityError as error:
        lines += [f"spectral measure = {shown(measure)}", f"  ({error})"]
        lines += _atom_lines(facts)
    moment = facts.second_moment
    if moment.has(sympy.nan):
        size = "undefined, " + ("k(x, x) is 0" if facts.k0 == 0 else "the measure is complex")
    else:
        size = shown_size(moment)
    lines.append(f"E‖ω‖² = {size}")
    try:
        return lines + _mass_lines(facts.masses)
    except SpecError as error:
        return [*lines, f"masses: {error.message}"]


def _atom_lines(facts: Facts) -> list[str]:
    found, _ = answer_or_reason(lambda: facts.atoms)
    if found is None:
        return []
    lines = [
        f"  atom {weight:.6g} at ({', '.join(f'{coordinate:.6g}' for coordinate in point)})"
        for point, weight in zip(found.points[:_MOST_ATOMS], found.weights, strict=False)
    ]
    more = len(found.points) - len(lines)
    return [*lines, f"  … and {more} more"] if more else lines


def _mass_lines(masses: Masses) -> list[str]:
    lines = [f"total variation = {shown(masses.total_variation)}"]
    if masses.jordan == masses.real_positive:
        return lines
    lines += [
        f"masses of the real part = {shown(masses.real_positive)} and {shown(masses.real_negative)} (negative)",
        f"masses of the imaginary part = {shown(masses.imaginary_positive)}, either sign",
    ]
    if masses.error:
        how = "standard error of the masses" if masses.is_random else "error of the masses at most"
        lines.append(f"  {how} {masses.error:.1g}")
    return lines
