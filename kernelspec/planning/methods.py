"""The names of the ways to plan and store features. Light: the command line imports it."""

from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from kernelspec.errors import PlanError
from kernelspec.laws.rules import DRAWS, SCHEMES
from kernelspec.limits import MAX_BITS, MAX_BUCKETS

if TYPE_CHECKING:
    from kernelspec.numerics.phasor import Form

__all__ = [
    "ANCHORED",
    "DRAW_NAMES",
    "FORMS",
    "KEYS",
    "METHODS",
    "ROUNDING",
    "STORAGES",
    "Anchoring",
    "Draws",
    "Keys",
    "Method",
    "Storage",
    "are_biased",
    "buckets_and_bits",
    "check_storage",
    "columns_of_a_key",
    "whole_number",
]

Method: TypeAlias = str
"""One of METHODS: "auto", a form, a scheme of the laws' catalogue, or anchors."""

Draws: TypeAlias = str
"""One of DRAW_NAMES: "auto", "independent", or a way to draw samples together."""

Anchoring: TypeAlias = Literal["auto", "never"]
"""Whether a plan may keep rows of the data."""

ROUNDING = 4e-8
"""A relative error of a kernel matrix that rounding may have: smaller ones are neither predicted nor measured.

Only a plan that names the rule by which it is exact has the predicted error 0."""

FORMS: tuple[Form, ...] = ("paired", "phase", "complex")
"""How a complex amplitude becomes columns."""

ANCHORED: tuple[str, ...] = ("anchored", "nystrom")
"""Anchors with samples for what they leave, unbiased; and anchors alone, biased."""

METHODS: tuple[str, ...] = ("auto", *FORMS, *sorted(SCHEMES), *ANCHORED)

DRAW_NAMES: tuple[str, ...] = ("auto", "independent", *DRAWS)


def are_biased(draws: str | None) -> bool:
    """Whether samples of these draws have another mean than independent ones; they are taken only if they are named."""
    return draws is not None and draws in DRAWS and DRAWS[draws].bias is not None


Keys: TypeAlias = Literal["auto", "exact", "hashed", "bits"]
"""Categories met in the data have columns of their own and other keys are hashed; or every key met in the data has one;
or all keys are hashed into buckets; or the lowest bits of a key are its column."""

KEYS: tuple[Keys, ...] = ("auto", "exact", "hashed", "bits")


def buckets_and_bits(keys: Keys, buckets: Any, bits: Any) -> tuple[int | None, int | None]:
    """The buckets of hashed keys, or the bits that are their columns; None for what is not used.

    Raises PlanError for other keys, and for what is used and no number, or out of bounds.
    """
    match keys:
        case "auto" | "hashed":
            return whole_number("buckets", buckets, 2, MAX_BUCKETS), None
        case "bits":
            return None, whole_number("bits", bits, 1, MAX_BITS)
        case "exact":
            return None, None
    raise PlanError(f"keys must be one of {', '.join(map(repr, KEYS))}, not {keys!r}")


def columns_of_a_key(buckets: int | None, bits: int | None) -> int:
    """The columns of a key that is hashed, or whose bits are its column; 1 where they are not known beforehand."""
    return buckets or (1 if bits is None else 1 << bits)


Storage: TypeAlias = Literal["auto", "dense", "sparse"]
"""As an array; as CSR; or, by itself, as CSR where samples have keys and as an array elsewhere."""

STORAGES: tuple[Storage, ...] = ("auto", "dense", "sparse")


def check_storage(storage: str) -> None:
    """Raise PlanError for any other way."""
    if storage not in STORAGES:
        raise PlanError(f"storage must be one of {', '.join(map(repr, STORAGES))}, not {storage!r}")


def whole_number(name: str, value: Any, least: int, most: int | None = None) -> int:
    """The number given as the argument `name`, as an int. Raises PlanError unless it is whole and within bounds."""
    try:
        number = index(value)
    except TypeError:
        raise PlanError(f"{name} must be a whole number, not {value!r}") from None
    if number < least:
        raise PlanError(f"{name} must be at least {least}, not {number}")
    if most is not None and number > most:
        raise PlanError(f"{name} must be at most {most:,}, not {number:,}")
    return number
