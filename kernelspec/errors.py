"""Every exception of kernelspec, on one screen: what went wrong, where, why, and what would be accepted."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kernelspec.loading import Span

__all__ = [
    "ArgumentError",
    "CellTypeError",
    "ClusterError",
    "ColumnError",
    "DataError",
    "DimensionError",
    "FileError",
    "KernelspecError",
    "MissingPackageError",
    "NoCounterpartError",
    "NoDensityError",
    "NoRowsError",
    "NotAvailableYet",
    "NotFiniteError",
    "NotStationaryError",
    "ParameterError",
    "PlanError",
    "PluginError",
    "RangeError",
    "SpecError",
    "SpecSyntaxError",
    "TypeMismatchError",
    "UnknownNameError",
]


class KernelspecError(Exception):
    """Anything kernelspec refuses. Catch this one to catch them all."""


class SpecError(KernelspecError, ValueError):
    """Something is wrong with the text of a spec.

    `message` says what and what would be accepted; `span` says where. The string form is the full
    report: file, line, column, the line itself and the span underlined.
    """

    def __init__(self, message: str, span: Span | None = None) -> None:
        super().__init__(message, span)
        self.message = message
        self.span = span

    def __str__(self) -> str:
        return self.message if self.span is None else self.span.report(self.message)


class SpecSyntaxError(SpecError):
    """The text is not a sentence of the language."""


class UnknownNameError(SpecError):
    """A kernel, function, parameter or constant of that name does not exist."""


class ArgumentError(SpecError):
    """A call has too many, too few, unknown or repeated arguments."""


class TypeMismatchError(SpecError):
    """A scalar stands where a kernel is needed, or the like."""


class RangeError(SpecError):
    """A number lies outside the range for which the kernel is defined."""


class ColumnError(SpecError):
    """A selected column does not exist."""


class DimensionError(SpecError):
    """A vector, matrix or kernel does not fit the number of columns."""


class ParameterError(SpecError):
    """A `param` has no value where a number is needed, or was given one it does not accept."""


class NotAvailableYet(SpecError):
    """The form is in the language, but this version cannot analyse or compile it."""


class NoDensityError(KernelspecError):
    """The spectral measure has no density that can be evaluated (it has atoms, or there is no measure)."""


class NotFiniteError(KernelspecError, ArithmeticError):
    """A number that a computation goes on with is infinite or none at all, where only finite numbers may go in."""


class NotStationaryError(KernelspecError):
    """The kernel is no function of x − y on all its columns, so there is no spectral measure to speak of."""


class NoCounterpartError(KernelspecError, ValueError):
    """A kernel of another library is none of the language, or one of the language none of the other library."""


class PlanError(KernelspecError, ValueError):
    """No feature map of the requested kind or size exists for the kernel."""


class DataError(KernelspecError, ValueError):
    """The data do not fit the spec: wrong columns, NaN or infinity, text where numbers are needed, no rows."""


class CellTypeError(DataError, TypeError):
    """A cell of a table is of a type that the kernel cannot use: text, a date or an object where a number is needed."""


class NoRowsError(DataError):
    """A table has columns, and nothing below their names."""


class MissingPackageError(KernelspecError, ImportError):
    """A package that kernelspec does not install by itself is needed, and is not there."""


class ClusterError(KernelspecError, RuntimeError):
    """The workers that were to compute features cannot be reached, lack a package, or were lost."""


class FileError(KernelspecError, OSError):
    """A file is missing, damaged, foreign, or of a kind that cannot be read or written."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message

    def __str__(self) -> str:
        return self.message


class PluginError(KernelspecError):
    """A plug-in, code of another package, does not fit or has failed; the message names the package."""
