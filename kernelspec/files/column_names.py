"""Names of columns, as the header of a file gives them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernelspec.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = ["check_header", "check_names"]

_MOST_SHOWN = 5


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
        raise DataError(f"{path}: its first line ({shown}) holds numbers where column names are needed; add a header")


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return "_" not in text  # Python's float() takes 1_0 for ten; as a name it is one
