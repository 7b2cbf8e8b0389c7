"""Things that arrive on first use, named by where they live; packages that only some need; the line that called."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from kernelspec.errors import MissingPackageError

__all__ = ["caller_level", "load_from", "require_package"]

_BETWEEN = ("kernelspec", "sklearn", "joblib")


def load_from(home: str) -> Any:
    """What `"package.module:attribute"` names."""
    module, _, attribute = home.partition(":")
    return getattr(import_module(module), attribute)


def require_package(name: str, *, extra: str, purpose: str) -> None:
    """Make sure that a package which `kernelspec[extra]` brings is installed, without importing it.

    The purpose is the subject of the message: "figures". Raises MissingPackageError with the command that installs it.
    """
    if find_spec(name) is None:
        raise MissingPackageError(
            f"{purpose} need the package {name}, which is not installed: pip install 'kernelspec[{extra}]'"
        )


def caller_level() -> int:
    """The `stacklevel` at which a warning is shown at the first line outside this package, scikit-learn and joblib."""
    level, frame = 0, sys._getframe(0)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] in _BETWEEN:
        level, frame = level + 1, frame.f_back
    return level
