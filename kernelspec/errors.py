"""Every exception of kernelspec; messages say what went wrong, where, why, and what would be accepted."""

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
    "UnknownArgumentError",
    "UnknownNameError",
]


class KernelspecError(Exception):
    """Base class of all errors that kernelspec raises on purpose."""


class SpecError(KernelspecError, ValueError):
    """The text of a spec is wrong.

    `message` says what and what would be accepted; `span` says where. The string form is the full report: file, line,
    column, the line itself and the span underlined.
    """

    def __init__(self, message: str, span: Span | None = None) -> None:
        super().__init__(message, span)
        self.message = message
        self.span = span

    def __str__(self) -> str:
        return self.message if self.span is None else self.span.report(self.message)

    def _render_traceback_(self) -> list[str]:
        # IPython shows this instead of a traceback: the error is in the spec, not in Python code
        return str(self).splitlines()


class SpecSyntaxError(SpecError):
    """The text does not follow the grammar."""


class UnknownNameError(SpecError):
    """A kernel, function, parameter or constant of that name does not exist."""


class ArgumentError(SpecError):
    """A call has too many, too few, unknown or repeated arguments."""


class TypeMismatchError(SpecError):
    """A scalar was used as a kernel, or similar."""


class RangeError(SpecError):
    """A number lies outside the range for which the kernel is defined."""


class ColumnError(SpecError):
    """A selected column does not exist."""


class DimensionError(SpecError):
    """A vector, matrix or kernel does not fit the number of columns."""


class ParameterError(SpecError):
    """A `param` has no value where a number is needed, or an invalid one."""


class NotAvailableYet(SpecError):
    """The form exists, but this version cannot analyse or compile it."""


class NoDensityError(KernelspecError):
    """The spectral measure has no density that can be evaluated (it has atoms, or no measure exists)."""


class NotFiniteError(KernelspecError, ArithmeticError):
    """An intermediate number is infinite or NaN where a computation needs a finite one."""


class NotStationaryError(KernelspecError):
    """The kernel is not a function of x − y on all its columns, so it has no spectral measure."""


class NoCounterpartError(KernelspecError, ValueError):
    """A kernel has no counterpart in the other library, or vice versa."""


class PlanError(KernelspecError, ValueError):
    """No feature map of the requested kind or size exists for the kernel."""


class UnknownArgumentError(KernelspecError, TypeError, ValueError):
    """A kernelspec function was called with an unknown argument."""


class DataError(KernelspecError, ValueError):
    """The data do not fit the spec: wrong columns, NaN or infinity, text where numbers are needed, no rows."""


class CellTypeError(DataError, TypeError):
    """A cell of a table has a type that the kernel cannot use: text, a date or an object instead of a number."""


class NoRowsError(DataError):
    """A table has columns but no rows."""


class MissingPackageError(KernelspecError, ImportError):
    """An optional package is needed but not installed."""


class ClusterError(KernelspecError, RuntimeError):
    """The workers cannot be reached, lack a package, or were lost."""


class FileError(KernelspecError, OSError):
    """A file is missing, damaged, foreign, or of a kind that cannot be read or written."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message

    def __str__(self) -> str:
        return self.message


class PluginError(KernelspecError):
    """A plug-in (code of another package) is invalid or failed; the message names the package."""
