"""The verdict on a spec, with as few imports as the question allows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from kernelspec.errors import SpecError

if TYPE_CHECKING:
    from kernelspec.kernels.verdict import Verdict
    from kernelspec.spec import Spec

__all__ = ["decide"]

_TRIED = (1, 2, 3)


def decide(spec: Spec, dim: int | None = None, columns: Sequence[str] | None = None) -> Verdict:
    """Whether the kernel is positive definite, and why.

    SymPy is needed only where something is a symbol: a free parameter, or `d` while the number of columns is not
    known. A kernel of any number of columns that no rule decides is tried on 1, 2 and 3 columns: what fails there
    is disproved. Raises SpecError.
    """
    from kernelspec.analysis.facts import analyze

    if spec.columns(dim, columns).count is not None:
        return analyze(spec, dim, columns=columns).verdict
    verdict = _numeric(spec) or analyze(spec).verdict
    if verdict.positive_definite != "unknown":
        return verdict
    for tried in _TRIED:
        try:
            found = analyze(spec, tried).verdict
        except SpecError:
            continue  # a spec that selects column 2 has no meaning on one column
        if found.positive_definite == "disproved":
            *reasons, witness = found.reasons
            where = f"with {tried} column{'s' if tried > 1 else ''}: {witness}"
            return replace(found, reasons=(*reasons, where))
    return verdict


def _numeric(spec: Spec) -> Verdict | None:
    """The verdict for any number of columns without SymPy; None where there are symbols."""
    from kernelspec.analysis.arithmetic import NumberArithmetic
    from kernelspec.analysis.elaborate import Elaborator
    from kernelspec.analysis.scope import Columns, Definitions

    if "d" in _names(spec.program):
        return None
    scope = Definitions.of(spec.program, dict(spec.values))
    try:
        return Elaborator(NumberArithmetic()).kernel(spec.program.body, Columns(None), scope).verdict()
    except SpecError:
        return None


def _names(program: Any) -> Iterator[str]:
    from kernelspec.language.nodes import Name, Number

    pending = [program]
    while pending:
        node = pending.pop()
        if isinstance(node, Name):
            yield node.identifier
        elif not isinstance(node, Number):
            pending.extend(node.children())
