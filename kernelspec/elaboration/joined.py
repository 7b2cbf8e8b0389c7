"""Two programs under one list of parameters and lets, so that their kernels can be added and multiplied."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import NamedTuple

from kernelspec.elaboration.renamed import mentioned, renamed, words
from kernelspec.elaboration.valued_program import ValuedProgram
from kernelspec.errors import ParameterError
from kernelspec.language.nodes import Expression, Let, Number, Param, Program
from kernelspec.limits import MAX_NAME

__all__ = ["Joined", "joined"]

Lines = Mapping[str, Param | Let]


class Joined(NamedTuple):
    """The lines of two programs, the two kernel expressions below them, and the values of all parameters."""

    statements: tuple[Param | Let, ...]
    left: Expression
    right: Expression
    values: tuple[tuple[str, Fraction], ...]


def joined(left: ValuedProgram, right: ValuedProgram) -> Joined:
    """Both programs, with every name meaning what it meant.

    A parameter is known by its name, like a symbol of SymPy: one that both programs have is one parameter, and has to
    have the same line and the same value in both. A let is an abbreviation: where both define the same name, or one
    means something else by it, the let gets a new name, `close_2` for `close`. Raises ParameterError.
    """
    lines_left, lines_right = _lines(left.program), _lines(right.program)
    shared = _shared(lines_left, lines_right)
    foreign_left, foreign_right = mentioned(left.program) - set(lines_left), mentioned(right.program) - set(lines_right)
    unlike = (set(lines_left) & set(lines_right)) - shared
    taken = words(left.program) | words(right.program)
    names_left: dict[str, str] = {}
    names_right: dict[str, str] = {}
    for name in sorted(unlike | (set(lines_left) & foreign_right) | (set(lines_right) & foreign_left)):
        if isinstance(lines_right.get(name), Let):
            names_right[name] = _new_name(name, taken)
        elif isinstance(lines_left.get(name), Let):
            names_left[name] = _new_name(name, taken)
        elif name in unlike:
            raise ParameterError(
                f"both specs have a parameter '{name}', declared differently: a parameter is known by its name; give "
                f"one of them another, as in spec.with_names({{'{name}': '{_new_name(name, taken)}'}})"
            )
        else:
            raise ParameterError(
                f"one spec has a parameter '{name}', by which the other means something else: give the parameter "
                f"another name, as in spec.with_names({{'{name}': '{_new_name(name, taken)}'}})"
            )
    for name in sorted(shared):
        _check_value(name, left, right)
    first, second = renamed(left.program, names_left), renamed(right.program, names_right)
    kept = tuple(line for line in second.statements if line.name not in shared)
    values = tuple(sorted({**dict(left.values), **dict(right.values)}.items()))
    return Joined((*first.statements, *kept), first.body, second.body, values)


def _lines(program: Program) -> Lines:
    return {line.name: line for line in program.statements}


def _shared(left: Lines, right: Lines) -> set[str]:
    """The names that both programs define alike, in words that mean the same in both."""
    shared: set[str] = set()
    for name, line in right.items():
        if left.get(name) == line and all(word in shared or word not in {*left, *right} for word in mentioned(line)):
            shared.add(name)
    return shared


def _new_name(name: str, taken: set[str]) -> str:
    """`name_2`, or the next number that is free; taken from now on."""
    number = 2
    while (new := f"{name[: MAX_NAME - 10]}_{number}") in taken:
        number += 1
    taken.add(new)
    return new


def _check_value(name: str, left: ValuedProgram, right: ValuedProgram) -> None:
    line = _lines(left.program)[name]
    if isinstance(line, Let):
        return
    default = line.default.value if isinstance(line.default, Number) else None
    first, second = (dict(program.values).get(name, default) for program in (left, right))
    if first != second:
        absent = "none" if line.default is None else "that of its line"
        shown = [absent if value is None else f"{float(value):g}" for value in (first, second)]
        raise ParameterError(
            f"both specs have the parameter '{name}', with the values {shown[0]} and {shown[1]}: a parameter is known "
            f"by its name; give both the same value, or one another name, as in "
            f"spec.with_names({{'{name}': '{_new_name(name, words(left.program) | words(right.program))}'}})"
        )
