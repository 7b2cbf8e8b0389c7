"""A spec: the text of a kernel, read and checked, with values for its parameters. The user's handle on it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kernelspec.elaboration.valued_program import ValuedProgram
from kernelspec.errors import FileError

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Spec", "as_spec", "load", "parse"]


@dataclass(frozen=True)
class Spec(ValuedProgram):
    """A program and the values given to its parameters; immutable, equal if the programs and values are."""

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


def parse(text: str, params: Mapping[str, Any] | None = None, *, name: str = "<spec>") -> Spec:
    """The spec of a text. `params` gives values to its parameters; `name` is what errors call it.

    Raises SpecError: what is wrong, at which line and column, with the line shown and underlined.
    """
    spec = Spec.parsed(text, name=name)
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
