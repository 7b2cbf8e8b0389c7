"""Things that arrive on first use, named by where they live; packages that only some need."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from kernelspec.errors import MissingPackageError

__all__ = ["load_from", "require_package"]


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
