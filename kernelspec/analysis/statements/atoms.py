"""The atoms of a discrete spectral measure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernelspec.analysis.fact import Fact
from kernelspec.analysis.open_questions import answer_or_reason

if TYPE_CHECKING:
    from kernelspec.analysis.facts import Facts

__all__ = ["atoms"]

_MOST_ATOMS = 6


def atoms(facts: Facts) -> Fact:
    """Points and weights, and the mass left out; in words only the first of them."""
    found, _ = answer_or_reason(lambda: facts.atoms)
    if found is None:
        return Fact(name="atoms", value=None)
    lines = [
        f"  atom {weight:.6g} at ({', '.join(f'{coordinate:.6g}' for coordinate in point)})"
        for point, weight in zip(found.points[:_MOST_ATOMS], found.weights, strict=False)
    ]
    more = len(found.points) - len(lines)
    lines += [f"  … and {more} more"] if more else []
    value = {"points": found.points.tolist(), "weights": found.weights.tolist(), "omitted": found.omitted}
    return Fact(name="atoms", value=value, lines=tuple(lines))
