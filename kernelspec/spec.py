"""A spec: the text of a kernel, read and checked, with values for its parameters. The user's handle on it."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from kernelspec.catalogue import KERNELS
from kernelspec.elaboration.forms.form import FORMS
from kernelspec.elaboration.programs import added, multiplied, negated, raised, weighed
from kernelspec.elaboration.scope import exact
from kernelspec.elaboration.valued_program import MEDIAN, ValuedProgram
from kernelspec.errors import DataError, FileError, RangeError, TypeMismatchError
from kernelspec.language.nodes import Let
from kernelspec.loading import caller_level
from kernelspec.rendering.notebooks import coloured

if TYPE_CHECKING:
    import numpy as np

    from kernelspec.tables.column_types import Missing

__all__ = ["HiddenNameWarning", "Spec", "as_spec", "load", "parse"]

Number = float | Fraction


class HiddenNameWarning(UserWarning):
    """A `let` line has the name of a kernel or form of the catalogue, which its calls still mean."""


@dataclass(frozen=True, repr=False)
class Spec(ValuedProgram):
    """A program and the values given to its parameters; immutable, equal if the programs and values are."""

    __array_ufunc__ = None  # a number of NumPy times a spec is a spec, not an array

    def __add__(self, other: Spec | Number) -> Spec:
        """k1 + k2: one text, with the parameters of both; a parameter of one name is one parameter.

        A `let` of the same name gets another. 0 + k is k, so that `sum` adds specs up.
        Raises ParameterError where a parameter has two values or bounds, TypeMismatchError for another number.
        """
        if isinstance(other, Spec):
            return added(self, other, "+")
        if isinstance(other, Real):
            return self._with_nothing_added(other)
        return NotImplemented

    def __radd__(self, other: Number) -> Spec:
        return self._with_nothing_added(other) if isinstance(other, Real) else NotImplemented

    def __sub__(self, other: Spec | Number) -> Spec:
        """k1 − k2, an indefinite kernel unless proved otherwise. Raises what + raises."""
        if isinstance(other, Spec):
            return added(self, other, "-")
        if isinstance(other, Real):
            return self._with_nothing_added(other)
        return NotImplemented

    def __rsub__(self, other: Number) -> Spec:
        return (-self)._with_nothing_added(other) if isinstance(other, Real) else NotImplemented

    def __mul__(self, other: Spec | Number) -> Spec:
        """k1 k2, or a kernel times a number, which is taken as the decimal it is written as.

        Raises what + raises, and RangeError for a number that is not finite, or has more than 100 digits.
        """
        if isinstance(other, Spec):
            return multiplied(self, other)
        return weighed(self, _exactly(other), "*") if isinstance(other, Real) else NotImplemented

    def __rmul__(self, other: Number) -> Spec:
        return weighed(self, _exactly(other), "*") if isinstance(other, Real) else NotImplemented

    def __truediv__(self, other: Number) -> Spec:
        """A kernel divided by a number. Raises RangeError for a division by 0 and what * raises."""
        return weighed(self, _exactly(other), "/") if isinstance(other, Real) else NotImplemented

    def __neg__(self) -> Spec:
        return negated(self)

    def __pow__(self, exponent: Number) -> Spec:
        """The product of that many independent copies. Raises RangeError for a power that the kernel does not have."""
        return raised(self, _exactly(exponent)) if isinstance(exponent, Real) else NotImplemented

    def __call__(self, X: Any, Y: Any = None, *, columns: Sequence[str] | None = None) -> Any:
        """`gram(X, Y)` of two tables, (n, m); k(x, y), a float, of two rows: lists, or arrays of one axis.

        So a spec stands wherever a function does for a kernel, as in `SVC(kernel=spec)`. Raises DataError, SpecError.
        """
        if not _is_row(X) and not _is_row(Y):
            return self.gram(X, Y, columns=columns)
        if not _is_row(X) or not (Y is None or _is_row(Y)):
            raise DataError("k(x, y) takes two rows, and gram(X, Y) two tables: put a row into brackets, as in [x]")
        return float(self.gram([X], None if Y is None else [Y], columns=columns)[0, 0])

    def _with_nothing_added(self, number: Number) -> Spec:
        if number == 0:
            return self
        raise TypeMismatchError("a number cannot be added to a kernel: 2*constant() is the kernel that is 2 everywhere")

    def _repr_html_(self) -> str:
        """The text in colours, for notebooks."""
        return coloured(str(self))

    def _repr_latex_(self) -> str | None:
        """k(x, y) as a formula; None for a kernel whose formula needs numbers that it does not have."""
        from kernelspec.analysis.reports import kernel_formula

        return kernel_formula(self)

    def with_params(
        self,
        params: Mapping[str, Any],
        *,
        data: Any = None,
        columns: Sequence[str] | None = None,
        text: Sequence[str | int] = (),
        missing: Missing = "refuse",
    ) -> Self:
        """The same spec with values for some parameters; "median" is a distance between rows of `data`.

        That is for a parameter which is a scale, a width or a period and nothing else: the value at which distance over
        scale has the median 1, to four digits, over all pairs of up to 200 of the rows. `columns`, `text` and `missing`
        are those of `gram`. Raises ParameterError for an unknown name, a value that is no finite number, one out of its
        range, and "median" for another parameter or without data; DataError.
        """
        if data is None or not isinstance(params, Mapping):
            return super().with_params(params)
        medians = [name for name, value in params.items() if isinstance(value, str) and value == MEDIAN]
        if not medians:
            return super().with_params(params)
        from kernelspec.elaboration.data_columns import with_medians_of_table

        given = super().with_params({name: value for name, value in params.items() if name not in medians})
        return with_medians_of_table(given, medians, data, columns, text, missing)

    def gram(
        self,
        X: Any,
        Y: Any = None,
        *,
        columns: Sequence[str] | None = None,
        text: Sequence[str | int] = (),
        missing: Missing = "refuse",
    ) -> np.ndarray:
        """The exact kernel matrix k(x_i, y_j), (n, m), in float64; Y is X if not given.

        `columns` names the columns of an array; a data frame has its own. `text` has the columns, by name or position,
        that hold text whatever they look like, and `missing="category"` makes what is missing a category of its own in
        match(), as in `compile`. Raises DataError, SpecError.
        """
        from kernelspec.analysis.gram import gram

        return gram(self, X, Y, columns, text, missing)

    def gram_blocks(
        self,
        X: Any,
        Y: Any = None,
        *,
        columns: Sequence[str] | None = None,
        text: Sequence[str | int] = (),
        missing: Missing = "refuse",
    ) -> Iterator[tuple[slice, np.ndarray]]:
        """The rows of the kernel matrix in consecutive blocks of bounded memory: (slice of rows, block)."""
        from kernelspec.analysis.gram import gram_blocks

        return gram_blocks(self, X, Y, columns, text, missing)


def parse(text: str, params: Mapping[str, Any] | None = None, *, name: str = "<spec>") -> Spec:
    """The spec of a text. `params` gives values to its parameters; `name` is what errors call it.

    Raises SpecError: what is wrong, at which line and column, with the line shown and underlined. Warns
    HiddenNameWarning of a `let` line with the name of a kernel.
    """
    spec = Spec.parsed(text, name=name)
    _warn_of_hidden_names(spec)
    if params:
        return spec.with_params(params)
    spec.check()
    return spec


def _warn_of_hidden_names(spec: Spec) -> None:
    for line in spec.program.statements:
        if isinstance(line, Let) and (line.name in KERNELS or line.name in FORMS):
            place = f"{line.span.source.name}:{line.span.line}:{line.span.column}"
            warnings.warn(
                f"{place}: 'let {line.name}' has the name of a kernel: '{line.name}' alone means this line, but "
                f"'{line.name}(…)' means the kernel of the catalogue. Give it another name",
                HiddenNameWarning,
                stacklevel=caller_level(),
            )


def _exactly(number: Number) -> Fraction:
    try:
        return exact(number)
    except ValueError:
        raise RangeError(f"a kernel is multiplied by finite numbers, not by {number!r:.60}") from None


def _is_row(given: Any) -> bool:
    """Whether this is one row: a list of cells, an array of one axis, a number."""
    shape = getattr(given, "shape", None)
    if shape is not None:
        return len(shape) == 1
    return isinstance(given, list | tuple) and not any(hasattr(c, "__len__") and not isinstance(c, str) for c in given)


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
    except ValueError:  # with a NUL character, or half of a surrogate pair
        raise FileError(f"{str(path)!r} cannot be the name of a file") from None
    return parse(text, params, name=str(path))
