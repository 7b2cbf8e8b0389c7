"""Laws with some of those below them replaced."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from typing import Any

from kernelspec.laws.law import Law

__all__ = ["replaced"]


def replaced(law: Law, change: Callable[[Law], Law | None]) -> Law:
    """The law with every one, from the top down, for which `change` gives another replaced by that.

    Itself where nothing changes.
    """
    found = change(law)
    if found is not None:
        return found
    if not is_dataclass(law):
        raise TypeError(f"{type(law).__name__} is no dataclass: laws are")
    changed: dict[str, Any] = {}
    for part in fields(law):
        value = getattr(law, part.name)
        if isinstance(value, Law):
            changed[part.name] = replaced(value, change)
        elif isinstance(value, tuple) and any(isinstance(item, Law) for item in value):
            changed[part.name] = tuple(replaced(item, change) if isinstance(item, Law) else item for item in value)
    same = all(getattr(law, name) == value for name, value in changed.items())
    return law if same else replace(law, **changed)
