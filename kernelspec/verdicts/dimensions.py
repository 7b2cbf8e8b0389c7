"""For which numbers of columns a kernel is positive definite."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from kernelspec.elaboration.scope import Columns, uses_dimension
from kernelspec.errors import SpecError
from kernelspec.kernels.nodes.select import Select
from kernelspec.kernels.nodes.stretch import Stretch
from kernelspec.kernels.verdict import Verdict, Witness

if TYPE_CHECKING:
    from kernelspec.elaboration.valued_program import ValuedProgram
    from kernelspec.kernels.kernel import Kernel

__all__ = ["UNDECIDED", "by_dimension"]

UNDECIDED = "no rule decides it"
"""How a reason ends that says so."""

_LARGEST = 256


def by_dimension(spec: ValuedProgram, verdict: Verdict, decided: Callable[[Kernel], Verdict]) -> Verdict:
    """The verdict for an unknown number of columns, from those for 1, 2, 4, … columns, by halving.

    With constant columns added or left out, a kernel on d + 1 columns is that on d: what holds for d holds for fewer,
    and what fails fails for more. Not asked where d is part of the spec, or columns are selected.
    """
    if uses_dimension(spec.program):
        return verdict
    low, high, failed = 0, 1, None
    while high <= _LARGEST and failed is None:
        found = _on(spec, high, decided)
        if found is None or found.positive_definite == "unknown":
            return verdict
        if found.positive_definite == "disproved":
            failed = found
        else:
            low, high = high, 2 * high
    if failed is None:
        reason = f"proved for d = 1, …, {low}: {'; '.join(_new(_on(spec, low, decided), verdict))}"
        return replace(verdict, reasons=(*_known(verdict), reason))
    while high - low > 1:
        middle = (low + high) // 2
        found = _on(spec, middle, decided)
        if found is None or found.positive_definite == "unknown":
            break
        if found.positive_definite == "disproved":
            high, failed = middle, found
        else:
            low = middle
    return _stated(verdict, low, high, failed)


def _stated(verdict: Verdict, low: int, high: int, failed: Verdict) -> Verdict:
    why = f"with {Columns(high).counted()}: {'; '.join(_new(failed, verdict))}"
    if low == high - 1 and low > 0:
        which = f"positive definite for d ≤ {low} columns, and not from d = {high} on"
    else:
        which = f"positive definite for d ≤ {low} columns, and not from d = {high} on: between, no rule decides it"
    stated = (*_known(verdict), which, why) if low > 0 else (*_known(verdict), why)
    frequency = None if failed.witness is None else failed.witness.frequency
    return replace(
        verdict,
        positive_definite="disproved",
        reasons=stated,
        witness=None if frequency is None else Witness(frequency),
        most_columns=low or None,
    )


def _on(spec: ValuedProgram, dim: int, decided: Callable[[Kernel], Verdict]) -> Verdict | None:
    try:
        kernel = spec.symbolic_kernel(Columns(dim))
    except SpecError:
        return None
    if any(isinstance(part, Select | Stretch) for part in kernel.parts()):
        return None
    return decided(kernel)


def _new(found: Verdict | None, verdict: Verdict) -> list[str]:
    return [] if found is None else [reason for reason in found.reasons if reason not in verdict.reasons]


def _known(verdict: Verdict) -> tuple[str, ...]:
    return tuple(reason for reason in verdict.reasons if not reason.endswith(UNDECIDED))
