"""Check whether a saved map is the one that its spec and seed give."""

from __future__ import annotations

from dataclasses import is_dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.elaboration.data_columns import on_table
from kernelspec.elaboration.valued_program import ValuedProgram
from kernelspec.errors import FileError, KernelspecError
from kernelspec.laws.joint import JointLaw
from kernelspec.limits import MAX_REDRAWN, MAX_REDRAWN_BYTES
from kernelspec.maps.codec import encoded, saved_fields
from kernelspec.maps.draw import draw_plan
from kernelspec.maps.drawn_plan import DrawnPlan
from kernelspec.planning.candidates import counts_of_atoms, expanded, with_atoms
from kernelspec.planning.plan import Plan, with_weights, with_zero_bit
from kernelspec.planning.strata import Stratum, Term, terms_of
from kernelspec.random.streams import Stream

__all__ = ["check_redrawn"]


def replanned(plan: Plan) -> Plan:
    """The plan with the layout and the strata of its spec.

    Of its own layout, only the number and names of columns are used. Raises SpecError for an invalid text; ValueError
    if the numbers of samples do not fit it.
    """
    names = plan.layout.names
    program = ValuedProgram.parsed(plan.text, plan.values)
    columns = program.columns(None if names is not None else plan.layout.dim, names)
    read, layout = on_table(program, columns)
    kernel = read.kernel
    whole = Term(1.0, kernel, tuple(range(layout.mapped.dim)), plan.categories)
    terms = [whole] if plan.chosen.mixture else terms_of(kernel, plan.categories)
    parts = tuple(expanded(terms, plan.chosen.schemes, mixture=plan.chosen.mixture))
    exact = counts_of_atoms(plan.strata)
    if len(exact) != len(counts_of_atoms(parts)):
        raise ValueError("the plan does not fit the spec")
    parts = tuple(with_atoms(parts, exact))
    if plan.zero_bit:
        parts = with_zero_bit(parts)
    if len(parts) != len(plan.chosen.counts):
        raise ValueError("the plan does not fit the spec")
    if any(plan.chosen.draws):
        # coupled as the saved strata, whose variance was measured on data
        parts = tuple(
            replace(part, law=replace(own.law, base=part.law)) if isinstance(own.law, JointLaw) else part
            for part, own in zip(parts, plan.strata, strict=True)
        )
    layout = replace(layout, types=plan.layout.types, by_name=plan.layout.by_name)
    found = replace(plan, layout=layout, strata=parts, noise=float(read.noise))
    return found if plan.estimated is None else with_weights(found, plan.estimated)


_ROUNDING = 1e-9
"""Tolerance relative to the largest entry: logarithms and sums round differently on other machines."""

_TRIED, _FEWEST_TRIED = 1 << 20, 4
"""Numbers (samples times columns) drawn to estimate memory per sample; and the fewest samples."""


def check_redrawn(drawn: DrawnPlan, name: str) -> None:
    """Parse the spec, plan and draw again, and compare with the map.

    Ignores what comes from data: learned columns, fitted weights, predictions and notes. Raises FileError, with the
    `name` of the file, if anything else differs, the text is invalid, or far more would be drawn than is in the file,
    since a short file could otherwise fill all memory.
    """
    compared: set[tuple[int, int]] = set()
    try:
        again = replanned(drawn.plan)
        differs = _difference(drawn.plan, again, "map.plan", compared)
        if differs is None:
            _check_amount(drawn, again)
            fresh = draw_plan(again)
            redrawn = replace(drawn, plan=again, dense=fresh.dense, keyed=fresh.keyed, correction=fresh.correction)
            differs = _difference(drawn, redrawn, "map", compared)
    except (KernelspecError, ArithmeticError, LookupError, MemoryError, TypeError, ValueError) as error:
        raise FileError(f"{name} cannot be drawn again from its spec: {error}") from None
    if differs is not None:
        raise FileError(f"{name} is not the map that its spec and seed give: {differs} differs")


def _check_amount(drawn: DrawnPlan, plan: Plan) -> None:
    """Raise ValueError if far more samples, or bytes of random numbers, would be drawn than the file has."""
    dense = 0 if drawn.dense is None else len(drawn.dense.weight)
    most = MAX_REDRAWN + dense + sum(len(part) for part in drawn.keyed)
    count = sum(n for _, n in plan.parts)
    if count > most:
        raise ValueError(f"the plan has {count:,} samples, but at most {most:,} are drawn to check such a map")
    allowed = MAX_REDRAWN_BYTES + 4 * _bytes_of(drawn.plain)
    taken = sum(n * len(stratum.positions) * 8 for stratum, n in plan.parts)
    if taken > allowed:  # unless samples are small: words, signs, categories
        taken = sum(_bytes_of_samples(stratum, n) for stratum, n in plan.parts if n)
    if taken > allowed:
        raise ValueError(f"{taken:,} bytes would be drawn, but at most {allowed:,} are allowed to check such a map")


def _bytes_of_samples(stratum: Stratum, n: int) -> int:
    """The approximate size of n samples in bytes, extrapolated from some of them."""
    some = min(n, max(_FEWEST_TRIED, _TRIED // max(1, len(stratum.positions))))
    parts: list[Any] = []
    for batch in stratum.law.draw(Stream(0), some, stratum.positions):
        parts += [part for part in (batch.phasors, batch.growth, *batch.keys, *batch.amplitudes) if part is not None]
    return sum(map(_bytes_of, parts)) * n // some


def _bytes_of(part: Any) -> int:
    """Bytes of all arrays below a part of a map."""
    return sum(array.nbytes for array in encoded(part)[1].values())


def _difference(one: Any, other: Any, where: str, compared: set[tuple[int, int]]) -> str | None:
    """The first difference, in words; None if there is none."""
    if type(one) is not type(other):
        return where
    if is_dataclass(one):
        pair = id(one), id(other)
        names = [] if pair in compared else [own.name for own in saved_fields(type(one))]
        compared.add(pair)
        below = (_difference(getattr(one, name), getattr(other, name), f"{where}.{name}", compared) for name in names)
    elif isinstance(one, tuple):
        if len(one) != len(other):
            return where
        pairs = enumerate(zip(one, other, strict=True))
        below = (_difference(*items, f"{where}[{i}]", compared) for i, items in pairs)
    elif isinstance(one, np.ndarray):
        return None if _same_arrays(one, other) else where
    elif hasattr(one, "indptr"):
        names = ["data", "indices", "indptr"]
        below = (_difference(getattr(one, name), getattr(other, name), where, compared) for name in names)
    elif isinstance(one, float):
        return None if one == other or abs(one - other) <= _ROUNDING * max(abs(one), abs(other)) else where
    else:
        return None if one == other else where
    return next((found for found in below if found is not None), None)


def _same_arrays(one: NDArray[Any], other: NDArray[Any]) -> bool:
    if one.shape != other.shape or one.dtype.kind != other.dtype.kind:
        return False
    if one.dtype.kind != "f":
        return bool(np.array_equal(one, other))
    return bool(np.allclose(one, other, rtol=_ROUNDING, atol=_ROUNDING * float(np.abs(one).max(initial=0.0))))
