"""The names of the ways in which keys become columns. Light: the command line imports it to say what there is."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from kernelspec.errors import PlanError
from kernelspec.limits import MAX_BITS, MAX_BUCKETS
from kernelspec.planning.whole_number import whole_number

__all__ = ["KEYS", "Keys", "buckets_and_bits", "columns_of_a_key"]

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
