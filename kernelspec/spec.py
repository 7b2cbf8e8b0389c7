"""A spec: the text of a kernel, read and checked, with values for its parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kernelspec.elaboration.arithmetic import NumberArithmetic, SymbolicArithmetic, dimension_symbol
from kernelspec.elaboration.elaborate import Elaborator
from kernelspec.elaboration.parameters import check_bound
from kernelspec.elaboration.scope import Columns, Definitions, columns_named, exact
from kernelspec.errors import DimensionError, FileError, ParameterError, TypeMismatchError
from kernelspec.kernels.kernel import Kernel
from kernelspec.language.nodes import Number, Param, Program
from kernelspec.language.parser import parse_program
from kernelspec.language.printer import print_node
from kernelspec.limits import MAX_COLUMNS
from kernelspec.suggestion import suggest

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Spec", "as_spec", "load", "parse"]


@dataclass(frozen=True)
class Spec:
    """A program and the values given to its parameters; immutable, equal if the programs and values are."""

    program: Program
    values: tuple[tuple[str, Fraction], ...] = ()

    def __str__(self) -> str:
        return print_node(self.program)

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

    def with_params(self, params: Mapping[str, Any]) -> Spec:
        """The same spec with values for some parameters.

        Raises ParameterError for an unknown name, a value that is no finite number, or one out of its range.
        """
        known = self.params
        values = dict(self.values)
        for name, value in params.items():
            if name not in known:
                hint = suggest(name, known) or (f"; it has {', '.join(known)}" if known else "; it has none")
                raise ParameterError(f"the spec has no parameter '{name}'{hint}")
            try:
                values[name] = exact(value)
            except (TypeError, ValueError):
                raise ParameterError(f"parameter '{name}' must be a finite number, not {value!r}") from None
        spec = replace(self, values=tuple(sorted(values.items())))
        spec.check()
        return spec

    def check(self) -> None:
        """Raise the first error of names, arguments, types and ranges that needs no data to be seen."""
        elaborator, definitions = Elaborator(NumberArithmetic(), checking=True), self._definitions()
        for name, value in self.values:
            found = definitions.find(name)
            if found is not None and isinstance(found[0], Param):
                check_bound(elaborator, found[0], value, found[1])
        elaborator.kernel(self.program.body, Columns(None), definitions)

    def columns(self, dim: int | None = None, columns: Sequence[str] | None = None) -> Columns:
        """The columns the spec is applied to: named, counted, or inferred from the names it selects.

        Raises DimensionError if `dim` and `columns` disagree, or `dim` is not positive.
        """
        if columns is not None:
            names = tuple(columns)
            if dim is not None and dim != len(names):
                raise DimensionError(f"dim is {dim}, but there are {len(names)} column names")
            if not names:
                raise DimensionError("there must be at least one column")
            return Columns(len(names), names)
        if dim is not None:
            if not hasattr(dim, "__index__") or isinstance(dim, bool) or dim < 1:
                raise DimensionError(f"dim must be a whole number, at least 1, not {dim!r}")
            if dim > MAX_COLUMNS:
                raise DimensionError(f"dim is {int(dim):,}, and a table has at most {MAX_COLUMNS:,} columns")
            return Columns(int(dim))
        inferred = columns_named(self.program)
        return Columns(len(inferred), inferred, given=False) if inferred else Columns(None)

    def kernel(self, columns: Columns) -> Kernel:
        """The kernel tree in numbers. Raises SpecError with the span of whatever does not fit."""
        if columns.count is None:
            raise DimensionError("the number of columns is needed here: give dim= or columns=")
        return self.numeric_kernel(columns)

    def numeric_kernel(self, columns: Columns) -> Kernel:
        """The same, also where the number of columns is not known: enough for what does not depend on it."""
        return Elaborator(NumberArithmetic()).kernel(self.program.body, columns, self._definitions())

    def provisional_kernel(self) -> Kernel:
        """The kernel tree as far as it can be told before there are columns, and values for all parameters.

        Its numbers may be NaN: for looking at what kind of kernel it is, not for computing. Raises SpecError.
        """
        checking = Elaborator(NumberArithmetic(), checking=True)
        return checking.kernel(self.program.body, Columns(None), self._definitions())

    def symbolic_kernel(self, columns: Columns) -> Kernel:
        """The kernel tree in SymPy expressions; free parameters, and d where it is not known, are symbols."""
        if columns.count is None:
            columns = replace(columns, dim=dimension_symbol())
        return Elaborator(SymbolicArithmetic()).kernel(self.program.body, columns, self._definitions())

    def gram(self, X: Any, Y: Any = None, *, columns: Sequence[str] | None = None) -> np.ndarray:
        """The exact kernel matrix k(x_i, y_j), (n, m), in float64; Y is X if not given.

        `columns` names the columns of an array; a data frame has its own. Raises DataError, SpecError.
        """
        from kernelspec.analysis.gram import gram

        return gram(self, X, Y, columns)

    def gram_blocks(
        self, X: Any, Y: Any = None, *, columns: Sequence[str] | None = None
    ) -> Iterator[tuple[slice, np.ndarray]]:
        """The rows of the kernel matrix in consecutive blocks of bounded memory: (slice of rows, block)."""
        from kernelspec.analysis.gram import gram_blocks

        return gram_blocks(self, X, Y, columns)

    def _definitions(self) -> Definitions:
        return Definitions.of(self.program, dict(self.values))


def parse(text: str, params: Mapping[str, Any] | None = None, *, name: str = "<spec>") -> Spec:
    """The spec of a text. `params` gives values to its parameters; `name` is what errors call it.

    Raises SpecError: what is wrong, at which line and column, with the line shown and underlined.
    """
    if not isinstance(text, str):
        raise TypeMismatchError(f"a spec is text, such as 'gaussian(scale=2)', not {text!r:.60}")
    spec = Spec(parse_program(text, name))
    if params:
        return spec.with_params(params)
    spec.check()
    return spec


def as_spec(spec: Spec | str) -> Spec:
    """The spec itself, or that of a text. Raises SpecError; TypeMismatchError for what is neither."""
    if isinstance(spec, Spec):
        return spec
    return parse(spec)


def load(path: str | Path, params: Mapping[str, Any] | None = None) -> Spec:
    """The spec in a text file (UTF-8). Raises FileError, SpecError."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise FileError(f"{path} is not UTF-8 text: byte {error.start} cannot be read") from None
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error.strerror}") from None
    return parse(text, params, name=str(path))
