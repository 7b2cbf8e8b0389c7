"""docs/internals/map_kinds.md, from what the classes declare: `python -m tests.maps.reference` prints it."""

from __future__ import annotations

from dataclasses import Field
from enum import Enum
from fractions import Fraction
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from kernelspec.expressions.arguments import Argument
from kernelspec.maps.codec import Finite, Nested, declared_type, name_in_file, saved_fields
from kernelspec.maps.saved_kinds import ENUMS, PARTS, class_of
from kernelspec.samples.declared_arrays import array_schema, places_schema

__all__ = ["HEAD", "tables"]

HEAD = """<!-- generated: python -m tests.maps.reference -->
# Fields of every kind of part

The parts of [saved maps and models](map_format.md), by kind.
"""

_WORDS: dict[Any, str] = {
    bool: "true or false",
    int: "whole number",
    float: "number",
    str: "text",
    NoneType: "null",
    Fraction: "fraction",
    Finite: "number",
    Nested: "number, list of numbers, or list of such lists",
}


def tables() -> str:
    """A line for every kind, with its fields."""
    shown = ["| kind | fields |", "|---|---|"]
    for kind in sorted(PARTS, key=lambda name: (name.split(".")[0] if "." in name else "", name)):
        cls = class_of(kind)
        own = [f"`{name_in_file(part)}`: {_described(cls, part)}" for part in saved_fields(cls)]
        shown.append(f"| `{kind}` | {'; '.join(own) or 'none'} |")
    return "\n".join(shown)


def _described(cls: type[Any], part: Field[Any]) -> str:
    schema, argument = array_schema(part), part.metadata.get("argument")
    if schema is not None:
        return str(schema)
    if isinstance(argument, Argument) and argument.kind in ("number", "integer"):
        return argument.interval() + (" or null" if part.default is None else "")
    if isinstance(argument, Argument) and argument.kind == "vector":
        return "list of numbers, one for each of the `dim` columns"
    if part.name == "dim" and cls.__module__.startswith("kernelspec.kernels."):
        return "whole number, at least 1"
    if kind_of(cls) == "formula.constant":
        return "fraction"
    if part.name == "matrix" and kind_of(cls) == "key.mapped":
        return "float64 (), (columns,) or (rows, columns)"
    if part.name == "codes":
        return "uint64 (categories,), increasing"
    if "FactorT" in str(part.type):
        return "part of the same room"
    shown = _in_words(declared_type(cls, part.name)[1])
    if "omitted" in part.metadata:
        value = part.metadata["omitted"]
        shown += f", left out if it is {'null' if value is None else f'{value:g}'}"
    return f"{shown}, from 0 on" if places_schema(part) else shown


def _in_words(hint: Any) -> str:
    if hint in _WORDS:
        return _WORDS[hint]
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Literal:
        return " or ".join([", ".join(f"`{word}`" for word in arguments[:-1]), f"`{arguments[-1]}`"])
    if set(arguments) == {str, int, float, bool, NoneType}:
        return "text, number, true, false or null"
    if origin in (Union, UnionType):
        own = [argument for argument in arguments if argument is not NoneType]
        null = len(own) < len(arguments)
        rooms = {_in_words(argument).partition(".")[0] for argument in own}
        if len(own) > len(rooms) == 1:
            return f"{rooms.pop()}.*`"
        listed = null and get_origin(own[0]) is tuple
        return " or ".join(map(_in_words, own)) + (" (or null)" if listed else " or null" if null else "")
    if origin is tuple and arguments[-1] is Ellipsis:
        return f"list, each {_in_words(arguments[0])}"
    if origin is tuple:
        return f"list of two: {', '.join(map(_in_words, arguments))}"
    if issubclass(hint, Enum):
        return f"enum `{next(name for name, home in ENUMS.items() if home.endswith(':' + hint.__name__))}`"
    if any(class_of(kind) is hint for kind in PARTS):
        return f"part `{kind_of(hint)}`"
    kinds = [kind for kind in PARTS if issubclass(class_of(kind), hint)]
    if not any("." in kind for kind in kinds):
        return "part " + " or ".join(f"`{kind}`" for kind in sorted(kinds))
    (room,) = {kind.partition(".")[0] for kind in kinds}
    return f"part `{room}.*`"


def kind_of(cls: type[Any]) -> str:
    """What a class is called in a file."""
    home = f"{cls.__module__}:{cls.__qualname__}"
    return next(name for name, own in PARTS.items() if own == home)


if __name__ == "__main__":
    print(HEAD, tables(), sep="\n")
