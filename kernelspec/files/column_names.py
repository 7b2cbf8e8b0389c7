"""Names of columns, as the header of a file gives them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernelspec.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = ["check_delimiter", "check_header", "check_names"]

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


def check_header(path: Path, names: Sequence[str], *, sure: bool = False) -> None:
    """Refuse a first line that may be data, which would be lost as names; numbers are names if the caller is `sure`.

    Raises:
        DataError: a name that is a number, empty or repeated.
    """
    for position, name in enumerate(names):
        if not name.strip():
            fault = f"column {position} has no name (pandas writes its index so, unless index=False)"
        elif name in names[:position]:
            fault = f"columns {names.index(name)} and {position} are both named {name!r}"
        elif not sure and _is_number(name):
            fault = f"column {position} is named {name!r}, which is a number"
        else:
            continue
        raise DataError(
            f"{path}: {fault}. If its first line is data, use --no-header; if it is a header, rename the column"
            + (" or use --header" if _is_number(name) else "")
        )


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return "_" not in text  # Python's float() takes 1_0 for ten; as a name it is one
