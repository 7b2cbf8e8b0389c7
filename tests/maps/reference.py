"""The tables of docs/format.md, from what the classes declare: `python -m tests.maps.reference` prints them."""

from __future__ import annotations

import json
import re
from dataclasses import MISSING, Field
from inspect import get_annotations
from typing import Any

from kernelspec.expressions.arguments import Argument
from kernelspec.maps.saved.classes import PARTS, class_of
from kernelspec.maps.saved.part_codec import saved_fields
from kernelspec.samples.declared_arrays import array_schema, places_schema

__all__ = ["tables"]

_WORDS = {
    "bool": "true or false",
    "int": "whole number",
    "float": "number",
    "str": "text",
    "Scalar": "number",
    "Any": "number, list of numbers, or list of such lists",
    "None": "null",
    "Fraction": "fraction",
    "Form": "`paired`, `phase` or `complex`",
    "Padding": "`valid` or `same`",
    "FactorT": "part of the same room",
    "Term": "part `formula.*`",
    "ColumnRead": "whole number or part `unit_column`",
    "WavePart": "enum `wave_part`",
    "Kernel": "part `kernel.*`",
    "Stationary": "part `kernel.*`",
    "InnerProduct": "part `kernel.*`",
    "GaussianDirection": "part `kernel.*`",
    "Positive": "part `distribution.*`",
    "Isotropic": "part `distribution.*`",
    "Activation": "part `activation.*`",
    "Domain": "part `domain.*`",
    "Law": "part `law.*`",
    "KeyFactor": "part `key.*`",
    "AmplitudeFactor": "part `amplitude.*`",
    "Formula": "part `formula.function`",
    "Hashes": "uint64 (categories,), increasing",
    "Storage": "`auto`, `dense` or `sparse`",
    "Missing": "`refuse` or `category`",
}


def tables() -> str:
    """A line for every kind, with its fields."""
    shown = ["| kind | fields |", "|---|---|"]
    for kind in sorted(PARTS, key=lambda name: (name.split(".")[0] if "." in name else "", name)):
        cls = class_of(kind)
        own = [f"`{part.name}`: {_described(cls, part)}{_default(part)}" for part in saved_fields(cls)]
        shown.append(f"| `{kind}` | {'; '.join(own) or 'none'} |")
    return "\n".join(shown)


def _default(part: Field[Any]) -> str:
    return "" if part.default is MISSING else f" ({json.dumps(part.default)})"


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
    owner = next(base for base in cls.__mro__ if part.name in get_annotations(base))
    shown = _in_words(str(get_annotations(owner)[part.name]))
    return f"{shown}, from 0 on" if places_schema(part) else shown


def _in_words(annotation: str) -> str:
    listed = re.fullmatch(r"tuple\[(.*), \.\.\.\]( \| None)?", annotation)
    if listed:
        return f"list, each {_in_words(listed[1])}{' (or null)' if listed[2] else ''}"
    pair = re.fullmatch(r"tuple\[(\w+), (.*)\]( \| None)?", annotation)
    if pair:
        return f"list of two: {_in_words(pair[1])}, {_in_words(pair[2])}{' (or null)' if pair[3] else ''}"
    if annotation.startswith("Literal"):
        return " or ".join(f"`{word}`" for word in re.findall(r"'(\w+)'", annotation))
    return " or ".join(_WORDS.get(word) or f"part `{_KINDS[word]}`" for word in annotation.split(" | "))


def kind_of(cls: type[Any]) -> str:
    """What a class is called in a file."""
    home = f"{cls.__module__}:{cls.__qualname__}"
    return next(name for name, own in PARTS.items() if own == home)


_KINDS = {home.split(":")[1]: name for name, home in PARTS.items()} | {"Gaussian": "kernel.gaussian"}

if __name__ == "__main__":
    print(tables())
