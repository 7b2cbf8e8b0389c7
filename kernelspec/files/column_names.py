"""Names of columns, as the header of a file gives them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernelspec.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = ["check_delimiter", "check_header", "check_names"]

_MOST_SHOWN = 5
_SIGNS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars"}


def check_delimiter(path: Path, expected: str, found: str | None) -> None:
    """Refuse a file whose lines are separated by another sign than its name says.

    Raises:
        DataError: what separates its columns, and what should.
    """
    if found is not None:
        other = " or as a .tsv file" if expected == "," else ""
        other = " or call it .tsv" if found == "\t" else other
        raise DataError(
            f"{path}: {_SIGNS[found]} ({found!r}) separate its columns, where {_SIGNS[expected]} ({expected!r}) are "
            f"needed: write it again with {_SIGNS[expected]}{other}"
        )


def check_names(path: Path, names: Sequence[str]) -> None:
    """Refuse a name that stands for two columns.

    Raises:
        DataError: a repeated name, with the positions of both columns.
    """
    seen: dict[str, int] = {}
    for position, name in enumerate(names):
        if name in seen:
            raise DataError(f"{path}: columns {seen[name]} and {position} are both named {name!r}; rename one")
        seen[name] = position


def check_header(path: Path, names: Sequence[str]) -> None:
    """Refuse a first line that holds data, which would be lost as names.

    The plain numbering 0, 1, 2, … or 1, 2, 3, … counts as names: pandas writes it.

    Raises:
        DataError: every name is a number.
    """
    numbering = [[str(j) for j in range(start, start + len(names))] for start in (0, 1)]
    if list(names) not in numbering and all(map(_is_number, names)):
        shown = ", ".join(names[:_MOST_SHOWN]) + (", …" if len(names) > _MOST_SHOWN else "")
        raise DataError(
            f"{path}: its first line ({shown}) holds numbers where column names are needed; it is data, and would be "
            "lost as names. Put a line of names above it"
        )


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return "_" not in text  # Python's float() takes 1_0 for ten; as a name it is one
