"""Declarations of arrays beside the fields of the parts of a map.

A saved map may come from anyone, and compiled loops do not check bounds, so only declared arrays reach them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "LARGEST",
    "KeptFields",
    "array",
    "array_schema",
    "check_arrays",
    "check_signs",
    "check_starts",
    "places",
    "places_schema",
]


class KeptFields:
    """A dataclass that is pickled and copied by its fields only; cached values are recomputed."""

    def __getstate__(self) -> dict[str, Any]:
        return {own.name: getattr(self, own.name) for own in fields(self)}  # type: ignore[arg-type]


LARGEST = 1e290
"""The largest number in the arrays of a map; its products with ordinary rows are finite."""

DType = Literal["float64", "int64", "uint64"]

End: TypeAlias = float | str | None
"""An end of a range: a number, the name of a length, or None."""

_LENGTH = re.compile(r"(\w+) \+ 1")


@dataclass(frozen=True, slots=True)
class ArraySchema:
    """An array type with its shape; lengths are numbers or names, `"samples + 1"` is one more than `samples`.

    Entries are ≥ `at_least`, or > `above`, and ≤ `at_most`, or < `below`; the default range is −LARGEST to LARGEST.
    With `sparse` the array may be a CSR matrix; with `structured`, a part that represents a matrix.
    """

    dtype: DType
    shape: tuple[str | int, ...]
    at_least: End = None
    above: End = None
    at_most: End = None
    below: End = None
    sparse: bool = False
    structured: bool = False

    def __str__(self) -> str:
        """`float64 (samples, columns), above 0`, as in docs/internals/map_format.md."""
        shape = ", ".join(map(str, self.shape)) + ("," if len(self.shape) == 1 else "")
        ends = (("at least", self.at_least), ("above", self.above), ("at most", self.at_most), ("below", self.below))
        shown = [f"{words} {end}" for words, end in ends if end is not None]
        return ", ".join(
            [f"{self.dtype} ({shape})", *shown, *["or CSR"] * self.sparse, *["or part `hadamard`"] * self.structured]
        )


def array(
    dtype: DType,
    *shape: str | int,
    at_least: End = None,
    above: End = None,
    at_most: End = None,
    below: End = None,
    sparse: bool = False,
    structured: bool = False,
) -> Any:
    """A field that holds an array."""
    return field(metadata={"array": ArraySchema(dtype, shape, at_least, above, at_most, below, sparse, structured)})


def places(length: str | None = None, default: Any = MISSING) -> Any:
    """A field with a tuple of columns, counted from 0, or of column reads; `length` names their number."""
    return field(default=default, metadata={"places": length})


def array_schema(part: Field[Any]) -> ArraySchema | None:
    """The declaration of an array field; None for others."""
    found: ArraySchema | None = part.metadata.get("array")
    return found


def places_schema(part: Field[Any]) -> bool:
    """Whether a field is declared to hold columns."""
    return "places" in part.metadata


def check_arrays(cls: type[Any], values: Mapping[str, Any]) -> None:
    """Raise ValueError, naming the field, for an array or a tuple of columns that violates the declaration of `cls`."""
    lengths: dict[str, int] = {}
    for own in fields(cls):
        if places_schema(own):
            value = values[own.name]
            wrong = [entry for entry in value if isinstance(entry, int) and entry < 0]
            if wrong:
                raise ValueError(f"{own.name} has column {wrong[0]}, but columns count from 0")
            if own.metadata["places"] is not None:
                lengths[own.metadata["places"]] = len(value)
    for own in fields(cls):
        schema = array_schema(own)
        if schema is not None:
            _check(own.name, values[own.name], schema, lengths)


def check_signs(signs: NDArray[Any]) -> None:
    """Raise ValueError for an entry that is neither 1 nor −1."""
    if not (np.abs(signs) == 1).all():
        raise ValueError("every sign must be 1 or -1")


def check_starts(starts: NDArray[Any], end: int, *, empty_runs: bool) -> None:
    """Raise ValueError unless runs go from 0 to `end`, and none is empty without `empty_runs`."""
    steps = np.diff(starts)
    if len(starts) < 1 or starts[0] != 0 or starts[-1] != end or (steps < (0 if empty_runs else 1)).any():
        raise ValueError(f"the runs of starts must go from 0 to {end}, one after the other")


def _check(name: str, value: Any, schema: ArraySchema, lengths: dict[str, int]) -> None:
    entries = value
    if not isinstance(value, np.ndarray):
        is_csr = hasattr(value, "indptr")
        if not (schema.sparse if is_csr else schema.structured and is_dataclass(value)):
            raise ValueError(f"{name} must be an array, {schema}")
        entries = value.data if is_csr else np.empty(0)  # structured parts have been checked already
    if entries.dtype != np.dtype(schema.dtype) or value.ndim != len(schema.shape):
        raise ValueError(f"{name} is {entries.dtype} of shape {value.shape}, but must be {schema}")
    for length, wanted in zip(value.shape, schema.shape, strict=True):
        known = _known(wanted, lengths, length)
        if length != known:
            raise ValueError(f"{name} has shape {value.shape}, but must be {schema}, with {_shown(lengths)}")
    if entries.size:
        _check_range(name, float(entries.min()), float(entries.max()), schema, lengths)


def _known(wanted: str | int, lengths: dict[str, int], length: int) -> int:
    """The wanted length; a new name gets the actual length."""
    if isinstance(wanted, int):
        return wanted
    more = _LENGTH.fullmatch(wanted)
    if more is None:
        return lengths.setdefault(wanted, length)
    return lengths.setdefault(more[1], length - 1) + 1


def _check_range(name: str, low: float, high: float, schema: ArraySchema, lengths: Mapping[str, int]) -> None:
    least, above, most, below = (
        lengths[end] if isinstance(end, str) else end
        for end in (schema.at_least, schema.above, schema.at_most, schema.below)
    )
    inside = low >= (-LARGEST if least is None else least) and high <= (LARGEST if most is None else most)
    if not inside or (above is not None and low <= above) or (below is not None and high >= below):
        raise ValueError(
            f"{name} has entries from {low:g} to {high:g}, but must be {schema}, at most {LARGEST:g} in size"
        )


def _shown(lengths: Mapping[str, int]) -> str:
    return ", ".join(f"{name} = {length}" for name, length in lengths.items())
