"""How many atoms of discrete measures a plan takes exactly: as many as leave the least variance for its budget."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from kernelspec.laws.atoms import AtomsLaw
from kernelspec.laws.other_atoms import OtherAtomsLaw
from kernelspec.planning.strata import Stratum

if TYPE_CHECKING:
    from kernelspec.numerics.phasor import Form
    from kernelspec.planning.candidates import Costing

__all__ = ["counts_of_atoms", "with_atoms", "with_best_atoms"]

_RATIO = 1.3
"""Between the numbers of atoms that are compared."""


def counts_of_atoms(strata: Iterable[Stratum]) -> list[int]:
    """How many pairs of atoms each stratum has that takes some exactly."""
    return [stratum.law.count for stratum in strata if isinstance(stratum.law, AtomsLaw)]


def with_atoms(strata: Iterable[Stratum], counts: Sequence[int]) -> list[Stratum]:
    """The strata with so many pairs of atoms exact, term by term; where these are all, there is no stratum of others.

    The stratum of the others comes after that of the atoms, as the scheme makes it.
    """
    found, remaining, count = [], iter(counts), 0
    for stratum in strata:
        law = stratum.law
        if isinstance(law, AtomsLaw):
            count = next(remaining)
            found.append(replace(stratum, law=replace(law, count=count)))
        elif not isinstance(law, OtherAtomsLaw):
            found.append(stratum)
        elif count < len(law.all_atoms):
            found.append(replace(stratum, law=replace(law, count=count)))
    return found


def with_best_atoms(strata: Sequence[Stratum], form: Form, costing: Costing) -> Sequence[Stratum]:
    """The strata with the numbers of atoms of least predicted variance; as they are, where there are none to choose.

    Of all terms together the heaviest atoms are taken. Their number is looked for in steps of a factor of 1.3.
    """
    laws = [(abs(stratum.weight), stratum.law) for stratum in strata if isinstance(stratum.law, AtomsLaw)]
    if not laws:
        return strata
    owner = np.repeat(np.arange(len(laws)), [len(law.all_atoms) for _, law in laws])
    weights = np.concatenate([weight * law.all_atoms.weights for weight, law in laws])
    owner = owner[np.argsort(-weights, kind="stable")]
    tried: dict[tuple[int, ...], Sequence[Stratum]] = {}
    for most in _numbers(len(laws), min(len(owner), costing.budget // 2)):
        counts = np.maximum(1, np.bincount(owner[:most], minlength=len(laws)))
        tried[tuple(counts.tolist())] = with_atoms(strata, counts.tolist())
    found = [(variance, parts) for parts in tried.values() if (variance := costing.variance(parts, form)) is not None]
    return min(found, key=lambda one: one[0])[1] if found else strata


def _numbers(least: int, most: int) -> list[int]:
    """From `least` to `most`, all near the end, where a sample more or less of the others is decided."""
    steps = np.ceil(least * _RATIO ** np.arange(64)).astype(int)
    return sorted({*steps[steps < most].tolist(), *range(max(least, most - 3), most + 1)})
