"""A program with values for its parameters, and the kernels it stands for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import Any, Self, TypeVar

from kernelspec.elaboration.arithmetic import (
    NumberArithmetic,
    SymbolicArithmetic,
    dimension_symbol,
    number_expression,
    with_written_values,
)
from kernelspec.elaboration.column_functions import Elaborated, lowered
from kernelspec.elaboration.elaborate import SpecElaborator
from kernelspec.elaboration.forms.form import FORMS, load_form
from kernelspec.elaboration.scope import Columns, Definitions, check_bound, columns_named, exact
from kernelspec.elaboration.selections import is_function
from kernelspec.errors import DimensionError, ParameterError, SpecError, TypeMismatchError
from kernelspec.kernels.kernel import Kernel
from kernelspec.language.nodes import Call, Lambda, Let, Name, Node, Number, Param, Program, Select, Text, selectors_of
from kernelspec.language.parser import parse_program
from kernelspec.language.printer import print_node
from kernelspec.limits import MAX_COLUMNS
from kernelspec.loading import suggest
from kernelspec.rendering.notebooks import quoted

__all__ = ["MEDIAN", "ValuedProgram", "as_program", "kernel_and_lets", "mentioned", "renamed", "words"]


def kernel_and_lets(spec: ValuedProgram, columns: Columns) -> tuple[Kernel, list[tuple[str, Kernel]]]:
    """The kernel tree in SymPy, and the name and kernel of every `let` that is one, on all columns it is used on.

    Where a `let` is a part of the tree, it is the same object. Raises SpecError.
    """
    if columns.count is None:
        columns = Columns(dimension_symbol(), columns.names, given=columns.given)
    elaborator = SpecElaborator(SymbolicArithmetic())
    kernel = elaborator.kernel(spec.program.body, columns, Definitions.of(spec.program, dict(spec.values)))
    names = {id(line): line.name for line in spec.program.statements if isinstance(line, Let)}
    found = [(names[line], value) for line, value in elaborator.values_defined() if line in names]
    if not elaborator.maps_columns:
        return kernel, [(name, value) for name, value in found if isinstance(value, Kernel)]
    made, parts = lowered(kernel, columns)
    return made.kernel, [(name, parts[id(value)]) for name, value in found if id(value) in parts]


AnyNode = TypeVar("AnyNode", bound=Node)


def renamed(program: Program, names: Mapping[str, str]) -> Program:
    """The same program under other names, which must be among none of its `words`."""
    statements = tuple(
        replace(_renamed(line, names), name=names.get(line.name, line.name)) for line in program.statements
    )
    return replace(program, statements=statements, body=_renamed(program.body, names))


def mentioned(node: Node) -> set[str]:
    """The names that stand for something in an expression or a line, without the variables of its formulas."""
    if isinstance(node, Name):
        return {node.identifier}
    if isinstance(node, Select):  # selectors name columns, but functions of these may have parameters
        return mentioned(node.base).union(*(mentioned(own) for own in node.selectors if is_function(own)))
    if selectors_of(node):
        return set().union(*(mentioned(own) for own in selectors_of(node) if is_function(own)))
    inner = set().union(*map(mentioned, node.children()))
    return inner - {node.variable} if isinstance(node, Lambda) else inner


def words(program: Program) -> set[str]:
    """Every word of a program: what it defines, mentions and calls, its columns, the variables of its formulas."""
    found: set[str] = set()
    for part in program.parts():
        match part:
            case Name():
                found.add(part.identifier)
            case Text():
                found.add(part.value)
            case Call():
                found.add(part.function)
            case Lambda():
                found.add(part.variable)
            case Param() | Let():
                found.add(part.name)
    return found


def _renamed(node: AnyNode, names: Mapping[str, str]) -> AnyNode:
    if isinstance(node, Name):
        return replace(node, identifier=names.get(node.identifier, node.identifier))
    if isinstance(node, Lambda):  # its variable hides everything else of that name
        names = {old: new for old, new in names.items() if old != node.variable}
    changed: dict[str, Any] = {}
    for part in fields(node):
        value = getattr(node, part.name)
        if isinstance(value, Node) and value in selectors_of(node) and not is_function(value):
            continue
        if isinstance(node, Select) and part.name == "selectors":
            changed["selectors"] = tuple(_renamed(own, names) if is_function(own) else own for own in node.selectors)
            continue
        if isinstance(value, Node):
            changed[part.name] = _renamed(value, names)
        elif isinstance(value, tuple):
            changed[part.name] = tuple(_renamed(item, names) if isinstance(item, Node) else item for item in value)
    return replace(node, **changed)


def _may_map(part: Node) -> bool:
    """Whether the kernel may stand on functions of columns for this part of its spec."""
    if isinstance(part, Select):
        return any(map(is_function, part.selectors))
    return isinstance(part, Call) and part.function in FORMS and load_form(part.function).maps_columns


MEDIAN = "median"
"""What stands for a value that is to be taken from data."""


@dataclass(frozen=True, repr=False)
class ValuedProgram:
    """A program and the values given to its parameters; immutable, equal if the programs and values are."""

    program: Program
    values: tuple[tuple[str, Fraction], ...] = ()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({quoted(str(self))})"

    def __str__(self) -> str:
        """The text of the same kernel: values that were given stand in it as defaults, `param s = 2`."""
        return print_node(with_written_values(self.program, dict(self.values)))

    @property
    def params(self) -> dict[str, float | None]:
        """Every parameter with the value in force; None for a free one, and for a default that is a formula."""
        found: dict[str, float | None] = {}
        for statement in self.program.statements:
            if isinstance(statement, Param):
                default = statement.default
                value = dict(self.values).get(statement.name, default.value if isinstance(default, Number) else None)
                found[statement.name] = None if value is None else float(value)
        return found

    def with_params(self, params: Mapping[str, Any]) -> Self:
        """The same spec with values for some parameters.

        Raises ParameterError for an unknown name, a value that is no finite number, or one out of its range.
        """
        known = self.params
        values = dict(self.values)
        if not isinstance(params, Mapping) or not all(isinstance(name, str) for name in params):
            raise ParameterError(f"params are names with their values, as in {{'scale': 2}}, not {params!r}")
        for name, value in params.items():
            if name not in known:
                hint = suggest(name, known) or (f"; it has {', '.join(known)}" if known else "; it has none")
                raise ParameterError(f"the spec has no parameter '{name}'{hint}")
            if isinstance(value, str) and value == MEDIAN:
                raise ParameterError(
                    f"parameter '{name}' cannot be the median distance of data that are not there: give them, as in "
                    f"spec.with_params({{'{name}': 'median'}}, data=X), KernelFeatures(…).fit(X), or -p {name}=median "
                    "with DATA of features and explain"
                )
            try:
                values[name] = exact(value)
            except (TypeError, ValueError):
                raise ParameterError(f"parameter '{name}' must be a finite number, not {value!r}") from None
            try:
                number_expression(values[name], self.program.span)
            except SpecError as error:
                raise ParameterError(f"parameter '{name}' cannot be written: {error.message}") from None
        spec = replace(self, values=tuple(sorted(values.items())))
        spec.check()
        return spec

    def with_names(self, names: Mapping[str, str]) -> Self:
        """The same kernel with other names for some parameters and lets: {"s": "width"}.

        Raises ParameterError for a name that the spec does not define, or a new one that it has, or that is no name.
        """
        known = {line.name for line in self.program.statements}
        taken = words(self.program)
        for old, new in names.items():
            if old not in known:
                hint = suggest(old, known) or (f"; it has {', '.join(sorted(known))}" if known else "; it has none")
                raise ParameterError(f"the spec has no parameter or let '{old}'{hint}")
            if new in taken:
                raise ParameterError(f"the spec already has the word '{new}': '{old}' needs another name")
            taken.add(new)
        program = print_node(renamed(self.program, names))
        values = tuple(sorted((names.get(name, name), value) for name, value in self.values))
        spec = type(self).parsed(program, values)
        spec.check()
        return spec

    def check(self) -> None:
        """Raise the first error of names, arguments, types and ranges that needs no data to be seen."""
        elaborator, definitions = SpecElaborator(NumberArithmetic(), checking=True), self._definitions()
        for name, value in self.values:
            found = definitions.find(name)
            if found is not None and isinstance(found[0], Param):
                check_bound(elaborator, found[0], value, found[1])
        elaborator.kernel(self.program.body, Columns(None), definitions)

    def columns(
        self, dim: int | None = None, columns: Sequence[str] | None = None, found: Sequence[str] | None = None
    ) -> Columns:
        """The columns the spec is applied to: named, counted, or inferred from the names it selects.

        `columns` are the names that the caller lists in order; without them, `found` are the names that a table has.
        Raises DimensionError if `dim` and the names disagree, `dim` is not positive, or a name is not text.
        """
        inferred = columns_named(self.program)
        by_name = columns is None and bool(inferred)
        if columns is not None or found is not None:
            names = tuple(found or () if columns is None else columns)
            if isinstance(columns, str) or not all(isinstance(name, str) for name in names):
                raise DimensionError(f"column names are a list of text, as in ['age', 'income'], not {columns!r:.60}")
            if dim is not None and dim != len(names):
                raise DimensionError(f"dim is {dim}, but there are {len(names)} column names")
            if not names:
                raise DimensionError("there must be at least one column")
            return Columns(len(names), names, by_name=by_name)
        if dim is not None:
            if not hasattr(dim, "__index__") or isinstance(dim, bool) or dim < 1:
                raise DimensionError(f"dim must be a whole number, at least 1, not {dim!r}")
            if dim > MAX_COLUMNS:
                raise DimensionError(f"dim is {int(dim):,}, and a table has at most {MAX_COLUMNS:,} columns")
            return Columns(int(dim))
        return Columns(len(inferred), inferred, given=False, by_name=by_name) if inferred else Columns(None)

    def kernel(self, columns: Columns) -> Kernel:
        """The kernel tree in numbers. Raises SpecError with the span of whatever does not fit."""
        self._require_count(columns)
        return self.numeric_kernel(columns)

    def numeric_kernel(self, columns: Columns) -> Kernel:
        """The same, also where the number of columns is not known: enough for what does not depend on it."""
        return self._elaborated(SpecElaborator(NumberArithmetic()), columns).kernel

    def elaborated(self, columns: Columns) -> Elaborated:
        """The kernel tree in numbers, and what its columns are. Raises what `kernel` raises."""
        self._require_count(columns)
        return self._elaborated(SpecElaborator(NumberArithmetic()), columns)

    def mapped(self, columns: Columns) -> Columns:
        """The columns on which the kernel stands: those of the table, or the functions of them that it reads.

        Raises SpecError.
        """
        return self.symbolic(columns).columns(columns) if any(map(_may_map, self.program.parts())) else columns

    def _elaborated(self, elaborator: SpecElaborator, columns: Columns) -> Elaborated:
        kernel = elaborator.kernel(self.program.body, columns, self._definitions())
        return lowered(kernel, columns)[0] if elaborator.maps_columns else Elaborated(kernel)

    @staticmethod
    def _require_count(columns: Columns) -> None:
        if columns.count is None:
            raise DimensionError("the number of columns is needed here: give dim= or columns=")

    def provisional_kernel(self) -> Kernel:
        """The kernel tree as far as it can be told before there are columns, and values for all parameters.

        Its numbers may be NaN: for looking at what kind of kernel it is, not for computing. Raises SpecError.
        """
        checking = SpecElaborator(NumberArithmetic(), checking=True)
        return checking.kernel(self.program.body, Columns(None), self._definitions())

    def symbolic_kernel(self, columns: Columns) -> Kernel:
        """The kernel tree in SymPy expressions; free parameters, and d where it is not known, are symbols."""
        return self.symbolic(columns).kernel

    def symbolic(self, columns: Columns) -> Elaborated:
        """The same, and what its columns are."""
        if columns.count is None:
            columns = replace(columns, dim=dimension_symbol())
        return self._elaborated(SpecElaborator(SymbolicArithmetic()), columns)

    def _definitions(self) -> Definitions:
        return Definitions.of(self.program, dict(self.values))

    @classmethod
    def parsed(cls, text: str, values: tuple[tuple[str, Fraction], ...] = (), *, name: str = "<spec>") -> Self:
        """That of a text; `name` is what errors call it. Raises SpecError; TypeMismatchError for what is no text."""
        if not isinstance(text, str):
            raise TypeMismatchError(f"a spec is text, such as 'gaussian(scale=2)', not {text!r:.60}")
        if text.strip().endswith(".kernel") and not set(text.strip()) & set("()\n#"):
            raise TypeMismatchError(f"{text.strip()!r:.60} is the name of a file: read it with ks.load(…)")
        return cls(parse_program(text, name), values)


def as_program(spec: ValuedProgram | str) -> ValuedProgram:
    """The program itself, or that of a text, checked. Raises SpecError; TypeMismatchError for what is neither."""
    if isinstance(spec, ValuedProgram):
        return spec
    program = ValuedProgram.parsed(spec)
    program.check()
    return program
