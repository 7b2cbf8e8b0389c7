"""What names mean at a place in a spec: parameters, lets, the columns in sight."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from kernelspec.language.nodes import Expression, Let, Node, Param, Program, Select
from kernelspec.language.nodes import Name as NameNode
from kernelspec.limits import MAX_EXPONENT
from kernelspec.notation.arguments import Scalar

__all__ = ["Columns", "Definitions", "columns_named", "exact", "uses_dimension"]


@dataclass(frozen=True)
class Columns:
    """The columns a kernel is applied to: how many, and their names where they have any.

    `dim` is a whole number, the symbol d, or None while it is not known. `given` is False at the top of
    a spec whose columns were only inferred from the names it selects. `by_name`: the spec selects by name, and the
    caller did not list the names in order, so a table without column names cannot be read.
    """

    dim: Scalar
    names: tuple[str, ...] | None = None
    given: bool = True
    by_name: bool = False

    @property
    def count(self) -> int | None:
        """The number of columns, where it is known."""
        return self.dim if isinstance(self.dim, int) else None

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        """Kept, since every use of a let asks for it, and there may be millions of names."""
        return hash((self.dim, self.names, self.given))

    @cached_property
    def places(self) -> Mapping[str, int]:
        """The position of every name; of one that several columns have, the last."""
        return {name: position for position, name in enumerate(self.names or ())}

    @cached_property
    def repeated(self) -> frozenset[str]:
        """The names that several columns have."""
        names = self.names or ()
        return frozenset(name for position, name in enumerate(names) if self.places[name] != position)

    def counted(self) -> str:
        """The number of columns in words: `1 column`, `3 columns`."""
        return f"{self.count} column" + ("s" if self.count != 1 else "")


@dataclass(frozen=True)
class Definitions:
    """The `param` and `let` lines that stand above a place, and the values given to parameters from outside.

    All places share one table of lines: `lines[name]` is the position of a line and the line, and a place sees those
    whose position is less than `above`. A line sees only the lines above it.
    """

    lines: Mapping[str, tuple[int, Param | Let]] = field(default_factory=dict)
    above: int = 0
    values: Mapping[str, Fraction] = field(default_factory=dict)

    @classmethod
    def of(cls, program: Program, values: Mapping[str, Fraction]) -> Definitions:
        """All definitions of a program, as its last line sees them."""
        lines = {statement.name: (position, statement) for position, statement in enumerate(program.statements)}
        return cls(lines, len(program.statements), values)

    def find(self, name: str) -> tuple[Param | Let, Definitions] | None:
        """The line that defines a name, with what that line sees; None if no line above defines it."""
        position, line = self.lines.get(name, (self.above, None))
        return None if line is None or position >= self.above else (line, replace(self, above=position))

    def let(self, name: str) -> tuple[Let, Definitions] | None:
        """The `let` line above that defines a name, with what it sees; None if there is none."""
        found = self.find(name)
        return (found[0], found[1]) if found is not None and isinstance(found[0], Let) else None

    def names(self) -> list[str]:
        """Every name defined so far."""
        return [name for name, (position, _) in self.lines.items() if position < self.above]

    def value_of(self, param: Param) -> Fraction | Expression | None:
        """The value given from outside, else the default written in the spec, else None."""
        return self.values.get(param.name, param.default)


def exact(value: Any) -> Fraction:
    """A parameter's value as the decimal number its author wrote: 0.1 is 1/10. Raises ValueError if not finite."""
    if isinstance(value, Fraction | int):
        if abs(value) > 10**MAX_EXPONENT:
            raise ValueError("too large for a float")
        return Fraction(value)
    number = float(value)
    if not math.isfinite(number):
        raise ValueError("not a finite number")
    return Fraction(repr(number))


def columns_named(program: Program) -> tuple[str, ...]:
    """The column names that selections mention, in the order of the text."""
    selections = (part for part in program.parts() if isinstance(part, Select))
    named = (column for selection in selections for column in selection.selectors if isinstance(column, NameNode))
    return tuple(dict.fromkeys(column.identifier for column in named))


def uses_dimension(program: Program) -> bool:
    """Whether `d`, the number of columns, is mentioned outside selections."""
    pending: list[Node] = [program]
    while pending:
        node = pending.pop()
        if isinstance(node, NameNode) and node.identifier == "d":
            return True
        pending.extend([node.base] if isinstance(node, Select) else node.children())
    return False
