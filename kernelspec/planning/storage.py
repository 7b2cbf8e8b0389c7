"""How features are stored. Light: the command line imports it to say what there is."""

from __future__ import annotations

from typing import Literal, TypeAlias

from kernelspec.errors import PlanError

__all__ = ["STORAGES", "Storage", "check_storage"]

Storage: TypeAlias = Literal["auto", "dense", "sparse"]
"""As an array; as CSR; or, by itself, as CSR where samples have keys and as an array elsewhere."""

STORAGES: tuple[Storage, ...] = ("auto", "dense", "sparse")


def check_storage(storage: str) -> None:
    """Raise PlanError for any other way."""
    if storage not in STORAGES:
        raise PlanError(f"storage must be one of {', '.join(map(repr, STORAGES))}, not {storage!r}")
