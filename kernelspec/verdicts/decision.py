"""The verdict on a spec, with as little machinery as the question allows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kernelspec.elaboration.scope import Columns, uses_dimension
from kernelspec.errors import ParameterError, SpecError
from kernelspec.verdicts.witness import asymmetry, find_witness

if TYPE_CHECKING:
    from kernelspec.kernels.kernel import Kernel
    from kernelspec.kernels.verdict import Verdict
    from kernelspec.spec import Spec

__all__ = ["decide"]

_TRIED = (1, 2, 3)


def decide(spec: Spec, columns: Columns) -> Verdict:
    """Whether the kernel is positive definite on the columns given, and why.

    Rules first; what they leave open is tried on rows of numbers, k(x, y) against k(y, x) too, and where the number of
    columns is not known, on 1, 2 and 3 columns: a kernel that fails there is disproved. SymPy is needed only where
    something is a symbol.
    Raises SpecError.
    """
    verdict = _kernel(spec, columns).verdict()
    if verdict.positive_definite == "unknown":
        for tried in [columns] if columns.count is not None else map(Columns, _TRIED):
            witness = _witness(spec, tried, symmetric=verdict.symmetric)
            if witness is not None:
                where = "" if tried is columns else f"with {tried.count} column{'s' if tried.count != 1 else ''}: "
                verdict = replace(verdict, positive_definite="disproved", reasons=(*verdict.reasons, where + witness))
                break
    return replace(verdict, reasons=tuple(dict.fromkeys(verdict.reasons)))


def _kernel(spec: Spec, columns: Columns) -> Kernel:
    """The kernel in numbers where there are only numbers, else in symbols."""
    if columns.count is not None or not uses_dimension(spec.program):
        try:
            return spec.numeric_kernel(columns)
        except ParameterError:
            pass
        except SpecError:
            if columns.count is not None:
                raise
    return spec.symbolic_kernel(columns)


def _witness(spec: Spec, columns: Columns, *, symmetric: bool) -> str | None:
    try:
        kernel = spec.numeric_kernel(columns)
        return (None if symmetric else asymmetry(kernel)) or find_witness(kernel)
    except SpecError:  # a free parameter, or a selection that has no meaning on so few columns
        return None
