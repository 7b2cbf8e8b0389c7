"""The masses of the parts of the spectral measure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kernelspec.analysis.fact import Fact
from kernelspec.analysis.open_questions import answer_or_reason
from kernelspec.analysis.reports.expression_text import shown, text_of

if TYPE_CHECKING:
    from kernelspec.analysis.facts import Facts
    from kernelspec.spectrum.masses import Masses

__all__ = ["masses"]


def masses(facts: Facts) -> Fact:
    """Total variation and Jordan parts with their error, or why they are not known."""
    found, missing = answer_or_reason(lambda: facts.masses)
    if found is None:
        measure, _ = answer_or_reason(lambda: facts.spectral_measure)
        lines: tuple[str, ...] = () if measure is None else (f"masses: {missing}",)
        return Fact(name="masses", value=None, lines=lines, explains=True, missing=missing)
    return Fact(name="masses", value=_to_dict(found), lines=tuple(_lines(found)), explains=True)


def _lines(masses: Masses) -> list[str]:
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


def _to_dict(masses: Masses) -> dict[str, Any]:
    exact = {name: text_of(value) for name, value in vars(masses).items() if name not in ("error", "is_random")}
    return exact | {"error": masses.error, "is_random": masses.is_random}
