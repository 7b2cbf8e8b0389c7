"""A spec: the text of a kernel, parsed and checked, with parameter values."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from kernelspec.catalogue import KERNELS
from kernelspec.elaboration.forms.form import FORMS
from kernelspec.elaboration.programs import added, multiplied, negated, raised, weighed
from kernelspec.elaboration.scope import MEDIAN, exact
from kernelspec.elaboration.valued_program import ValuedProgram
from kernelspec.errors import DataError, RangeError, TypeMismatchError
from kernelspec.language.nodes import Let
from kernelspec.loading import caller_level, read_text
from kernelspec.rendering.notebooks import coloured
from kernelspec.tables.column_types import Missing

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from kernelspec.analysis.pictures import WhatOfKernels

__all__ = ["HiddenNameWarning", "Spec", "as_spec", "load", "parse"]

Number = float | Fraction


class HiddenNameWarning(UserWarning):
    """A `let` line has the name of a catalogue kernel or form, to which calls still refer."""


@dataclass(frozen=True, repr=False)
class Spec(ValuedProgram):
    """A program and its parameter values; immutable, and compared by value."""

    __array_ufunc__ = None  # a number of NumPy times a spec is a spec, not an array

    def __add__(self, other: Spec | Number) -> Spec:
        """k1 + k2: one text with the parameters of both; parameters of the same name are shared.

        A `let` with a name that is taken is renamed. 0 + k is k, so that `sum` works. Raises ParameterError if a
        parameter has two values or bounds, TypeMismatchError for another number.
        """
        return self._with(other, "+")

    __radd__ = __add__

    def __sub__(self, other: Spec | Number) -> Spec:
        """k1 − k2, an indefinite kernel unless proved otherwise. Raises the errors of +."""
        return self._with(other, "-")

    def __rsub__(self, other: Number) -> Spec:
        return (-self)._with(other, "+")

    def __mul__(self, other: Spec | Number) -> Spec:
        """k1 k2, or a kernel times a number, taken as the decimal that is written.

        Raises the errors of +, and RangeError for a number that is not finite, or has more than 100 digits.
        """
        if isinstance(other, Spec):
            return multiplied(self, other)
        return weighed(self, _exactly(other), "*") if isinstance(other, Real) else NotImplemented

    __rmul__ = __mul__

    def __truediv__(self, other: Number) -> Spec:
        """A kernel divided by a number. Raises the errors of *, and RangeError for 0."""
        return weighed(self, _exactly(other), "/") if isinstance(other, Real) else NotImplemented

    def __neg__(self) -> Spec:
        return negated(self)

    def __pow__(self, exponent: Number) -> Spec:
        """The product of `exponent` independent copies. Raises RangeError for a power that the kernel does not have."""
        return raised(self, _exactly(exponent)) if isinstance(exponent, Real) else NotImplemented

    def __call__(self, X: Any, Y: Any = None, *, columns: Sequence[str] | None = None) -> Any:
        """`gram(X, Y)` for two tables, (n, m); the float k(x, y) for two rows (lists, or one-dimensional arrays).

        So a spec can replace a kernel function, as in `SVC(kernel=spec)`. Raises DataError, SpecError.
        """
        if not _is_row(X) and not _is_row(Y):
            return self.gram(X, Y, columns=columns)
        if not _is_row(X) or not (Y is None or _is_row(Y)):
            raise DataError("k(x, y) needs two rows, gram(X, Y) two tables: put a row into brackets, as in [x]")
        return float(self.gram([X], None if Y is None else [Y], columns=columns)[0, 0])

    def _with(self, other: Spec | Number, sign: Literal["+", "-"]) -> Spec:
        """The sum or difference with another spec, or with 0."""
        if isinstance(other, Spec):
            return added(self, other, sign)
        if not isinstance(other, Real):
            return NotImplemented  # type: ignore[no-any-return]
        if other == 0:
            return self
        raise TypeMismatchError(
            f"cannot add a number to a kernel: for a kernel that is {other} everywhere, write {other}*constant()"
        )

    def _repr_html_(self) -> str:
        """The coloured text, for notebooks."""
        return coloured(str(self))

    def _repr_latex_(self) -> str | None:
        """k(x, y) as a formula; None for a kernel whose formula needs missing values."""
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
        """The same spec with values for some parameters; "median" is a median distance between rows of `data`.

        That requires a parameter that is only a scale, width or period: it gets the value for which the median of
        distance over scale is 1, to four digits, over all pairs of up to 200 of the rows. `columns`, `text` and
        `missing` are those of `gram`. Raises ParameterError for an unknown name, a value that is not finite or out of
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

    def fitted(self, data: Any, *, columns: Sequence[str] | None = None) -> Self:
        """The spec with numbers learned from data for standardize(x), rank(x) and fill(x).

        `data` is a table of any kind, and `columns` names the columns of an array. `fit`, and `compile` with data, do
        the same. Raises DataError, SpecError.
        """
        from kernelspec.elaboration.data_columns import fitted_to_table

        return fitted_to_table(self, data, columns)

    def gram(
        self,
        X: Any,
        Y: Any = None,
        *,
        columns: Sequence[str] | None = None,
        text: Sequence[str | int] = (),
        missing: Missing = "refuse",
    ) -> np.ndarray:
        """The exact kernel matrix k(x_i, y_j), (n, m), in float64; without Y, Y = X and observation noise is added.

        `columns` names the columns of an array; a data frame has its own. `text` lists columns, by name or position, to
        read as text, and `missing="category"` makes missing values a category of their own in match(), as in `compile`.
        Raises DataError, SpecError.
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

    def plot(
        self,
        what: WhatOfKernels | None = None,
        *,
        lags: tuple[float, float] | None = None,
        frequencies: tuple[float, float] | None = None,
        n_samples: int = 5,
        seed: int = 0,
        dark: bool | None = None,
    ) -> Figure:
        """k against the lag beside its spectral density; or `what`, one of "kernel", "density", and "samples".

        Samples are functions of the Gaussian process with this covariance. A kernel of several columns is shown along
        the first one. `lags` and `frequencies` are the ranges of the axes; `dark` is for dark backgrounds, None follows
        matplotlib's style. Raises NotStationaryError except for samples; PlanError for samples if k is not positive
        definite; ParameterError, ValueError; MissingPackageError without matplotlib.
        """
        from kernelspec.analysis.pictures import plot_kernels

        return plot_kernels(
            [self], what=what, lags=lags, frequencies=frequencies, n_samples=n_samples, seed=seed, dark=dark
        )


def parse(text: str, params: Mapping[str, Any] | None = None, *, name: str = "<spec>") -> Spec:
    """Parse a spec. `params` gives values to its parameters; `name` identifies the text in errors.

    Raises SpecError with line and column, and the line underlined. Warns HiddenNameWarning of a `let` line with the
    name of a kernel.
    """
    spec = Spec.parsed(text, name=name)
    for line in spec.program.statements:
        if isinstance(line, Let) and (line.name in KERNELS or line.name in FORMS):
            place = f"{line.span.source.name}:{line.span.line}:{line.span.column}"
            warnings.warn(
                f"{place}: 'let {line.name}' has the name of a kernel: '{line.name}' means this line, but "
                f"'{line.name}(…)' the catalogue kernel. Choose another name",
                HiddenNameWarning,
                stacklevel=caller_level(),
            )
    if params:
        return spec.with_params(params)
    spec.check()
    return spec


def _exactly(number: Number) -> Fraction:
    try:
        return exact(number)
    except ValueError:
        raise RangeError(f"a kernel can only be multiplied by a finite number, not {number!r:.60}") from None


def _is_row(given: Any) -> bool:
    """Whether this is one row: a list of cells, a one-dimensional array, or a number."""
    shape = getattr(given, "shape", None)
    if shape is not None:
        return len(shape) == 1
    return isinstance(given, list | tuple) and not any(hasattr(c, "__len__") and not isinstance(c, str) for c in given)


def as_spec(spec: Spec | str) -> Spec:
    """The spec itself, or that of a text. Raises SpecError; TypeMismatchError for other types."""
    return spec if isinstance(spec, Spec) else parse(spec)


def load(path: str | Path, params: Mapping[str, Any] | None = None) -> Spec:
    """The spec in a text file (UTF-8). Raises FileError, SpecError."""
    text = read_text(path).replace("\r\n", "\n").replace("\r", "\n")
    return parse(text, params, name=str(path))
