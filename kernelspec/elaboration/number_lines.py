"""The lines of numbers that a line reads, in the order of the text."""

from __future__ import annotations

from collections.abc import Callable

from kernelspec.elaboration.arithmetic import FUNCTIONS
from kernelspec.elaboration.scope import Definitions
from kernelspec.language import nodes

__all__ = ["number_lines"]

Line = nodes.Param | nodes.Let


def number_lines(line: Line, scope: Definitions, known: Callable[[Line], bool]) -> list[tuple[Line, Definitions]]:
    """The lines that this one reads on the same columns, directly or through others, in order; with what each sees.

    Only through arithmetic, not into calls and selections; not below a line that is `known`. Linear in the text.
    """
    found: dict[str, tuple[Line, Definitions]] = {}
    pending = [(line, scope)]
    while pending:
        current, seen = pending.pop()
        for name in _names_read(current, seen):
            line_above = seen.find(name)
            if name not in found and line_above is not None and not known(line_above[0]):
                found[name] = line_above
                pending.append(line_above)
    return sorted(found.values(), key=lambda read: read[1].above)


def _names_read(line: Line, scope: Definitions) -> list[str]:
    """The names in the arithmetic of a line: outside selections and calls, functions of a number aside."""
    written = line.value if isinstance(line, nodes.Let) else scope.value_of(line)
    names = []
    pending: list[nodes.Node] = [written] if isinstance(written, nodes.Node) else []
    while pending:
        node = pending.pop()
        if isinstance(node, nodes.Name):
            names.append(node.identifier)
        elif not isinstance(node, nodes.Select | nodes.Lambda | nodes.Call) or (
            isinstance(node, nodes.Call) and node.function in FUNCTIONS
        ):
            pending.extend(node.children())
    return names
