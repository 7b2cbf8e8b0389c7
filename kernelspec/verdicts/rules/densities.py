"""Sums decided by their spectral measures: atoms, and densities compared in closed form."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from kernelspec.elaboration.canonical import weighted_terms
from kernelspec.errors import NotStationaryError
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.nodes.select import Select
from kernelspec.measures.measure_of import measure_of
from kernelspec.notation.elementary import known_sign
from kernelspec.special.closed_numbers import ClosedNumber, NotDecided
from kernelspec.verdicts.densities.comparison import Comparison, compare
from kernelspec.verdicts.densities.laws import DIGITS, SpectralLaw, law_of_kernel, number
from kernelspec.verdicts.rule import Finding, Question

__all__ = ["by_densities"]


def by_densities(question: Question) -> Finding | None:
    """Proved where the measure of the kernel is nowhere negative, disproved where it is [Bochner 1932].

    Atoms, densities on all columns and densities on some of them, at zero on the others, cannot make up for each other:
    each of these parts is decided for itself. Terms of another kind that are positive definite are set aside: what is
    left may prove the kernel without them, and disproves nothing.
    """
    import mpmath as mp

    kernel = question.expanded
    if not isinstance(kernel.dim, int):
        return None
    with mp.workdps(DIGITS):
        try:
            parts = _parts(kernel)
        except TypeError:  # a parameter is a symbol
            return None
        found = None if parts is None else _decided(kernel, parts.atoms, parts.groups)
    if parts is None or found is None or not parts.reasons:
        return found
    return None if found.positive_definite == "disproved" else replace(found, reasons=(*parts.reasons, *found.reasons))


_Group = list[tuple[Any, SpectralLaw, Any, Kernel]]
"""Weight in floats of 30 digits, law, exact weight, kernel."""


class _Parts(NamedTuple):
    """Weights of atoms, the terms with densities by the columns they live on, and why the others are set aside."""

    atoms: dict[tuple[Any, ...], Any]
    groups: dict[tuple[int, ...], _Group]
    reasons: tuple[str, ...]


def _parts(kernel: Kernel) -> _Parts | None:
    atoms: dict[tuple[Any, ...], Any] = {}
    groups: dict[tuple[int, ...], _Group] = {}
    reasons: list[str] = []
    for weight, term in weighted_terms(kernel):
        law = law_of_kernel(term, tuple(range(int(kernel.dim))))
        if law is not None:
            groups.setdefault(law.columns, []).append((number(weight), law, weight, term))
            continue
        try:
            points = measure_of(term).finite_atoms()
        except NotStationaryError:
            points = None
        if points is None:
            verdict = term.verdict()
            if known_sign(weight) != 1 or verdict.positive_definite != "proved":
                return None
            reasons += verdict.reasons
            continue
        for point, share in points:
            atoms[point] = atoms.get(point, 0) + weight * share
    return _Parts(atoms, groups, tuple(reasons))


def _decided(
    kernel: Kernel, atoms: dict[tuple[Any, ...], Any], groups: dict[tuple[int, ...], _Group]
) -> Finding | None:
    dim = int(kernel.dim)
    for point, weight in atoms.items():
        size, sign = number(weight), _exact_sign(weight)
        if sign is None:
            return None
        if sign < 0:
            at = tuple(float(number(entry)) for entry in point)
            reason = f"the spectral measure has the atom {float(size):.3g} < 0 at ω = ({_shown(at)})"
            return Finding("disproved", (reason,), at)
    compared = []
    for columns, group in groups.items():
        found = compare([(w, law) for w, law, _, _ in group], partial(_sign_at, group))
        if found.answer == "disproved":
            return _disproved(found, columns, dim)
        compared.append(found)
    if any(found.answer != "proved" for found in compared):
        return None
    words = [f"the spectral density is nowhere negative: {found.words}" for found in compared]
    words += ["the spectral measure has no negative atom"] if atoms else []
    return Finding("proved", tuple(dict.fromkeys(f"{word} [Bochner 1932]" for word in words)))


def _disproved(found: Comparison, columns: tuple[int, ...], dim: int) -> Finding:
    assert found.frequency is not None
    place = dict(zip(columns, found.frequency, strict=True))
    at = tuple(float(place.get(column, 0)) for column in range(dim))
    where = "" if len(columns) == dim else f" on column{'s' * (len(columns) > 1)} {', '.join(map(str, columns))}"
    size = "" if found.density is None else f"{float(found.density):.3g} "
    exact = ", in exact numbers" if found.density is None else ""
    reason = f"the spectral density{where} is {size}< 0 at ω = ({_shown(at)}){exact}"
    return Finding("disproved", (reason,), at)


def _shown(frequency: tuple[float, ...]) -> str:
    return ", ".join(f"{entry:.6g}" for entry in frequency)


def _exact_sign(value: Any) -> int | None:
    """The sign of a number, never rounded; None where it is not known."""
    try:
        return ClosedNumber.of(value).sign()
    except NotDecided:
        return None


def _sign_at(group: _Group, at: float) -> int | None:
    """The sign of the density at ω = 0, or beside its first term far out on an axis; None where it is not known."""
    import sympy

    from kernelspec.notation.symbolic_pairs import SymbolicPairs

    dim = len(group[0][1].columns)
    along = sympy.Symbol("omega", positive=True) if at else sympy.S.Zero
    place = SymbolicPairs(dim, lambda i: along if i == 1 else sympy.S.Zero, None, True)
    densities = []
    for _, _, weight, term in group:
        kernel = term.base if isinstance(term, Select) else term
        if kernel.dim != dim:
            return None
        densities.append(sympy.S(weight) * measure_of(kernel).expression(place))
    total = sympy.Add(*densities)
    return _exact_sign(sympy.limit(total / densities[0], along, sympy.oo) if at else total)
