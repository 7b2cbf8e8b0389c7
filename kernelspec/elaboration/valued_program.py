"""A program with parameter values, and its kernels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from typing import Any, Self, TypeVar

from kernelspec.elaboration.arithmetic import (
    NumberArithmetic,
    Numbers,
    SymbolicArithmetic,
    dimension_symbol,
    number_expression,
    with_written_values,
)
from kernelspec.elaboration.column_functions import Elaborated, lowered
from kernelspec.elaboration.elaborate import SpecElaborator
from kernelspec.elaboration.forms.form import FORMS, load_form, require_given_columns
from kernelspec.elaboration.scope import (
    MEDIAN,
    Columns,
    Definitions,
    SelectedFunctions,
    check_bound,
    check_dim,
    columns_named,
    exact,
    written_number,
)
from kernelspec.elaboration.selections import is_function
from kernelspec.errors import DimensionError, ParameterError, SpecError, TypeMismatchError
from kernelspec.expressions.arguments import Scalar
from kernelspec.kernels.kernel import Kernel
from kernelspec.language.nodes import Call, Lambda, Let, Name, Node, Param, Program, Select, Text, Vector, selectors_of
from kernelspec.language.parser import parse_program
from kernelspec.language.printer import print_node
from kernelspec.limits import MAX_COLUMNS
from kernelspec.loading import is_table_name, loaded, suggest
from kernelspec.rendering.notebooks import quoted

__all__ = [
    "ValuedProgram",
    "as_program",
    "elaborated_symbols",
    "kernel_and_lets",
    "mentioned",
    "named",
    "renamed",
    "words",
    "written_value",
]


def kernel_and_lets(spec: ValuedProgram, columns: Columns) -> tuple[Kernel, list[tuple[str, Kernel]]]:
    """The SymPy kernel tree, and the name and kernel of every `let` that is a kernel, on all columns it is used on.

    A `let` that is part of the tree is the same object there. Raises SpecError.
    """
    if columns.count is None:
        columns = Columns(dimension_symbol(), columns.names, given=columns.given)
    elaborator = SpecElaborator(SymbolicArithmetic())
    kernel = elaborator.kernel(spec.program.body, columns, Definitions.of(spec.program, dict(spec.values)))
    kernel, _ = _without_noise(kernel)
    names = {id(line): line.name for line in spec.program.statements if isinstance(line, Let)}
    found = [(names[line], value) for line, value in elaborator.values_defined() if line in names]
    if not elaborator.maps_columns:
        return kernel, [(name, value) for name, value in found if isinstance(value, Kernel)]
    made, parts = lowered(kernel, columns)
    return made.kernel, [(name, parts[id(value)]) for name, value in found if id(value) in parts]


def _without_noise(kernel: Kernel) -> tuple[Kernel, Scalar]:
    """See `operators.without_noise`; imports it with the first sum."""
    if not isinstance(kernel, loaded("kernelspec.kernels.nodes.sums_and_products:Sum")):
        return kernel, 0
    from kernelspec.elaboration.operators import without_noise

    return without_noise(kernel)


def elaborated_symbols(spec: ValuedProgram, columns: Columns) -> SpecElaborator:
    """The elaborator after turning the spec into a SymPy kernel on these columns. Raises SpecError."""
    elaborator = SpecElaborator(SymbolicArithmetic())
    elaborator.kernel(spec.program.body, columns, Definitions.of(spec.program, dict(spec.values)))
    return elaborator


AnyNode = TypeVar("AnyNode", bound=Node)


def renamed(program: Program, names: Mapping[str, str]) -> Program:
    """The same program with names replaced; the new ones must not be among its `words`."""
    statements = tuple(
        replace(_renamed(line, names), name=names.get(line.name, line.name)) for line in program.statements
    )
    return replace(program, statements=statements, body=_renamed(program.body, names))


def mentioned(node: Node) -> set[str]:
    """The names with a meaning in an expression or line, except the variables of its formulas."""
    return {own.identifier for own in named(node)}


def named(node: Node) -> list[Name]:
    """The nodes of these names."""
    if isinstance(node, Name):
        return [node]
    selectors = selectors_of(node)  # these name columns, but functions of columns may use parameters
    below = [part for part in node.children() if not any(part is own for own in selectors) or is_function(part)]
    inner = [own for part in below for own in named(part)]
    return [own for own in inner if own.identifier != node.variable] if isinstance(node, Lambda) else inner


def words(program: Program) -> set[str]:
    """Every word of a program: definitions, names, calls, columns and variables of formulas."""
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
    if isinstance(node, Lambda):  # its variable hides other meanings of the name
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
    """Whether this part of a spec may contain functions of columns."""
    if isinstance(part, Select):
        return any(map(is_function, part.selectors))
    return isinstance(part, Call) and part.function in FORMS and load_form(part.function).maps_columns


def written_value(line: Param) -> Numbers | None:
    """The number or numbers that a line has as default; None for a formula."""
    entries = line.default.items if isinstance(line.default, Vector) else (line.default,)
    found = tuple(number for entry in entries if (number := written_number(entry)) is not None)
    if len(found) != len(entries):
        return None
    return found if isinstance(line.default, Vector) else found[0]


@dataclass(frozen=True, repr=False)
class ValuedProgram:
    """A program and its parameter values; immutable, and compared by value."""

    program: Program
    values: tuple[tuple[str, Numbers], ...] = ()
    functions: SelectedFunctions = field(default_factory=dict, compare=False)
    """Functions of columns that were elaborated before, shared with the same program with other values."""

    def __getstate__(self) -> dict[str, Any]:
        """Without what ids find, which mean nothing in another process."""
        return {**vars(self), "functions": {}}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({quoted(str(self))})"

    def __str__(self) -> str:
        """The text of the same kernel; given values become defaults, `param s = 2`."""
        return print_node(with_written_values(self.program, dict(self.values)))

    @property
    def params(self) -> dict[str, Any]:
        """The value of every parameter: a float, or a tuple of floats for a vector.

        None for free parameters and for defaults that are formulas.
        """
        found: dict[str, Any] = {}
        for line in self.program.statements:
            if isinstance(line, Param):
                value = dict(self.values).get(line.name, written_value(line))
                number = None if value is None or isinstance(value, tuple) else float(value)
                found[line.name] = tuple(map(float, value)) if isinstance(value, tuple) else number
        return found

    @property
    def numbers(self) -> tuple[tuple[str, Fraction], ...]:
        """All values, vectors entry by entry: `scales[0]`."""
        return tuple(
            (f"{name}[{i}]" if isinstance(value, tuple) else name, entry)
            for name, value in self.values
            for i, entry in enumerate(value if isinstance(value, tuple) else (value,))
        )

    def lengths(self, columns: Columns) -> dict[str, tuple[int, tuple[str, ...] | None]]:
        """The lengths of vector parameters, and the names of the columns they are used on. Raises SpecError."""
        elaborator = self._numeric(checking=True)
        elaborator.kernel(self.program.body, columns, self._definitions())
        return elaborator.lengths

    def with_params(self, params: Mapping[str, Any]) -> Self:
        """The same spec with values for some parameters.

        Raises ParameterError for unknown names, and for values that are not finite or out of range.
        """
        spec = self._unchecked(params)
        spec.check()
        return spec

    def accepts(self, params: Mapping[str, Any]) -> bool:
        """Whether `with_params` would accept these values."""
        try:
            self.with_params(params)
        except SpecError:
            return False
        return True

    def _numeric(self, *, checking: bool = False) -> SpecElaborator:
        return SpecElaborator(NumberArithmetic(), checking=checking, seen=self.functions)

    def _unchecked(self, params: Mapping[str, Any]) -> Self:
        known = self.params
        values = dict(self.values)
        if not isinstance(params, Mapping) or not all(isinstance(name, str) for name in params):
            raise ParameterError(f"params must be a dict of names and values, such as {{'scale': 2}}, not {params!r}")
        for name, value in params.items():
            if name not in known:
                hint = suggest(name, known) or (f"; it has {', '.join(known)}" if known else "; it has none")
                raise ParameterError(f"the spec has no parameter '{name}'{hint}")
            if isinstance(value, str) and value == MEDIAN:
                raise ParameterError(
                    f"parameter '{name}' needs data for a median distance: use "
                    f"spec.with_params({{'{name}': 'median'}}, data=X), KernelFeatures(…).fit(X), or -p {name}=median "
                    "with DATA of features and explain"
                )
            values[name] = own = self._exact(name, value)
            try:
                for entry in own if isinstance(own, tuple) else (own,):
                    number_expression(entry, self.program.span)
            except SpecError as error:
                raise ParameterError(f"parameter '{name}' has an invalid value: {error.message}") from None
        return replace(self, values=tuple(sorted(values.items())))

    def _exact(self, name: str, value: Any) -> Numbers:
        """A value as stored; vectors may be given by column name. Raises ParameterError."""
        (line,) = (own for own in self.program.statements if own.name == name)
        is_vector = isinstance(line, Param) and line.length is not None
        if is_vector and isinstance(value, Mapping):
            _, names = self.lengths(self.columns()).get(name, (0, None))
            if names is None or set(names) != set(value):
                known = "the spec names no columns for it" if names is None else f"its columns are {', '.join(names)}"
                raise ParameterError(f"parameter '{name}' cannot have values by column {list(value)}: {known}")
            value = [value[column] for column in names]
        try:
            if is_vector and hasattr(value, "__len__") and not isinstance(value, str):
                return tuple(map(exact, value))
            return exact(value)
        except (TypeError, ValueError):
            what = "finite numbers, as in [1, 2]" if is_vector else "a finite number"
            shown = list(map(float, value)) if isinstance(value, tuple) else value
            raise ParameterError(f"parameter '{name}' must be {what}, not {shown!r}") from None

    def with_names(self, names: Mapping[str, str]) -> Self:
        """The same kernel with other names for some parameters and lets: {"s": "width"}.

        Raises ParameterError for an unknown name, and for a new name that is taken or invalid.
        """
        if not isinstance(names, Mapping):
            raise ParameterError(f"with_names needs a dict of old and new names, not {names!r:.60}")
        known = {line.name for line in self.program.statements}
        taken = words(self.program)
        for old, new in names.items():
            if old not in known:
                hint = suggest(old, known) or (f"; it has {', '.join(sorted(known))}" if known else "; it has none")
                raise ParameterError(f"the spec has no parameter or let '{old}'{hint}")
            if new in taken:
                raise ParameterError(f"the spec already uses '{new}': choose another new name for '{old}'")
            taken.add(new)
        program = print_node(renamed(self.program, names))
        values = tuple(sorted((names.get(name, name), value) for name, value in self.values))
        spec = type(self).parsed(program, values)
        spec.check()
        return spec

    def check(self) -> None:
        """Raise the first error in names, arguments, types and ranges that is visible without data."""
        elaborator, definitions = self._numeric(checking=True), self._definitions()
        for name, value in self.values:
            found = definitions.find(name)
            if found is not None and isinstance(found[0], Param):
                for entry in value if isinstance(value, tuple) else (value,):
                    check_bound(elaborator, found[0], entry, found[1])
        elaborator.kernel(self.program.body, Columns(None), definitions)

    def columns(
        self, dim: int | None = None, columns: Sequence[str] | None = None, found: Sequence[str] | None = None
    ) -> Columns:
        """The columns of the spec: named, counted, or inferred from the names it selects.

        `columns` are names listed in order by the caller; otherwise `found` are the names of a table. Raises
        DimensionError if `dim` and the names disagree, `dim` is not positive, or a name is not text.
        """
        inferred = columns_named(self.program)
        by_name = columns is None and bool(inferred)
        if columns is not None and not isinstance(columns, Iterable):
            raise DimensionError(f"column names must be a list of strings, not {columns!r:.60}")
        if columns is not None or found is not None:
            names = tuple(found or () if columns is None else columns)
            if isinstance(columns, str) or not all(isinstance(name, str) for name in names):
                raise DimensionError(f"column names must be a list of strings, not {columns!r:.60}")
            if dim is not None and dim != len(names):
                raise DimensionError(f"dim is {dim}, but there are {len(names)} column names")
            if not names:
                raise DimensionError("there must be at least one column")
            return Columns(len(names), names, by_name=by_name)
        if dim is not None:
            check_dim(dim)
            if dim > MAX_COLUMNS:
                raise DimensionError(f"dim is {int(dim):,}, but a table has at most {MAX_COLUMNS:,} columns")
            return Columns(int(dim))
        return Columns(len(inferred), inferred, given=False, by_name=by_name) if inferred else Columns(None)

    def kernel(self, columns: Columns) -> Kernel:
        """The numeric kernel tree. Raises SpecError with the span of the problem."""
        self._require_count(columns)
        return self.numeric_kernel(columns)

    def numeric_kernel(self, columns: Columns) -> Kernel:
        """The same, also for an unknown number of columns: enough for what does not depend on it."""
        return self._elaborated(self._numeric(), columns).kernel

    def elaborated(self, columns: Columns) -> Elaborated:
        """The numeric kernel tree and its columns. Raises the errors of `kernel`."""
        self._require_count(columns)
        return self._elaborated(self._numeric(), columns)

    def mapped(self, columns: Columns) -> Columns:
        """The columns of the kernel: those of the table, or the functions of them that it reads. Raises SpecError."""
        return self.symbolic(columns).columns(columns) if any(map(_may_map, self.program.parts())) else columns

    def _elaborated(self, elaborator: SpecElaborator, columns: Columns) -> Elaborated:
        kernel, noise = _without_noise(elaborator.kernel(self.program.body, columns, self._definitions()))
        spans = {part.span for part in kernel.parts()} if elaborator.unplaced else ()
        for call in elaborator.unplaced:
            if call.span in spans:
                require_given_columns(call, columns)
        found = lowered(kernel, columns)[0] if elaborator.maps_columns else Elaborated(kernel)
        return found._replace(noise=noise)

    @staticmethod
    def _require_count(columns: Columns) -> None:
        if columns.count is None:
            raise DimensionError("the number of columns is needed here: set dim= or columns=")

    def provisional_kernel(self) -> Kernel:
        """The kernel tree as far as it is known before columns and parameter values are given.

        Its numbers may be NaN: use it to inspect the kernel, not to compute. Raises SpecError.
        """
        checking = self._numeric(checking=True)
        return _without_noise(checking.kernel(self.program.body, Columns(None), self._definitions()))[0]

    def symbolic_kernel(self, columns: Columns) -> Kernel:
        """The SymPy kernel tree; free parameters, and an unknown d, are symbols."""
        return self.symbolic(columns).kernel

    def symbolic(self, columns: Columns) -> Elaborated:
        """The same, with its columns."""
        if columns.count is None:
            columns = replace(columns, dim=dimension_symbol())
        return self._elaborated(SpecElaborator(SymbolicArithmetic()), columns)

    def _definitions(self) -> Definitions:
        return Definitions.of(self.program, dict(self.values))

    @classmethod
    def parsed(cls, text: str, values: tuple[tuple[str, Numbers], ...] = (), *, name: str = "<spec>") -> Self:
        """Parse a text; `name` identifies it in errors. Raises SpecError, and TypeMismatchError for other types."""
        if not isinstance(text, str):
            raise TypeMismatchError(f"a spec must be a string, such as 'gaussian(scale=2)', not {text!r:.60}")
        if not set(shown := text.strip()) & set("()\n#"):
            if shown.endswith(".kernel"):
                raise TypeMismatchError(f"{shown!r:.60} is a file name: read it with ks.load(…)")
            if is_table_name(shown):
                raise TypeMismatchError(
                    f"{shown!r:.60} is the name of a table, not a spec: read the table, and pass it as data, as in "
                    "ks.compile('gaussian()', data=table)"
                )
        return cls(parse_program(text, name), values)


def as_program(spec: ValuedProgram | str) -> ValuedProgram:
    """The program itself, or the checked program of a text. Raises SpecError; TypeMismatchError for other types."""
    if isinstance(spec, ValuedProgram):
        return spec
    program = ValuedProgram.parsed(spec)
    program.check()
    return program
