"""Frozen parts of a map as JSON data and arrays, and from them again: one way for all classes that are registered.

The parts are a list in which each one refers to earlier ones by number, and the last one is the whole. So nothing is
nested, what is shared stays shared, and nothing refers to itself.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import KernelspecError
from kernelspec.expressions.arguments import check_arguments
from kernelspec.limits import MAX_COLUMNS, MAX_MAP_PARTS
from kernelspec.maps.saved.classes import check_types, class_of, name_of
from kernelspec.samples.declared_arrays import check_arrays

__all__ = ["Arrays", "Entry", "decoded", "encoded", "saved_fields"]

Arrays: TypeAlias = dict[str, NDArray[Any]]
"""Arrays by their names in the file."""

Entry: TypeAlias = dict[str, Any]
"""A part: its kind, and a value for every field."""

_NUMBERS_OF_COLUMNS = ("dim", "width", "base_dim", "height", "channels")

_DTYPES = {"f": np.dtype("<f8"), "i": np.dtype("<i8"), "u": np.dtype("<u8")}


def saved_fields(cls: type[Any]) -> list[Field[Any]]:
    """The fields of a part that a file has: not where a node stands in a text, which its `repr` leaves out, too."""
    return [own for own in fields(cls) if own.repr]


def encoded(whole: Any) -> tuple[list[Entry], Arrays]:
    """The parts of a frozen dataclass and of all below it, and the arrays they name. Raises TypeError."""
    encoder = _Encoder()
    encoder.part(whole)
    return encoder.entries, encoder.arrays


def decoded(entries: Any, arrays: Mapping[str, NDArray[Any]]) -> Any:
    """What `encoded` was given, checked part by part: types, ranges, shapes, and whatever its class demands.

    A field with a default may be missing: its class has got it since the file was written, and the default is what the
    class stood for before.

    Raises ValueError, or whatever a class raises for arguments that it does not take.
    """
    return _Decoder(arrays).whole(entries)


class _Encoder:
    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.arrays: Arrays = {}
        self._numbers: dict[int, int] = {}

    def part(self, part: Any) -> int:
        """The number of a part that is added if it is new."""
        if id(part) in self._numbers:
            return self._numbers[id(part)]
        kind = name_of(part)
        values = {own.name: self._below(getattr(part, own.name)) for own in saved_fields(type(part))}
        number = len(self.entries)
        self.entries.append(
            {"kind": kind} | {name: self._stored(f"{number}.{name}", own) for name, own in values.items()}
        )
        self._numbers[id(part)] = number
        return number

    def _below(self, value: Any) -> Any:
        """The value with numbers of parts in place of parts."""
        if isinstance(value, tuple):
            return [self._below(item) for item in value]
        return {"part": self.part(value)} if is_dataclass(value) else value

    def _stored(self, name: str, value: Any) -> Any:
        if isinstance(value, np.ndarray):
            self.arrays[name] = np.ascontiguousarray(value, dtype=_DTYPES[value.dtype.kind]).reshape(value.shape)
            return {"array": name}
        if hasattr(value, "indptr"):
            for own in ("data", "indices", "indptr"):
                self._stored(f"{name}.{own}", getattr(value, own))
            return {"csr": name, "columns": int(value.shape[1])}
        return _plain(value)


def _plain(value: Any) -> Any:
    """Numbers, words and lists of them as JSON."""
    match value:
        case list():
            return [_plain(item) for item in value]
        case Fraction():
            return {"fraction": [value.numerator, value.denominator]}
        case Enum():
            return {"enum": name_of(value), "member": value.name}
        case None | str() | dict():
            return value
        case bool() | np.bool_():
            return bool(value)
        case int() | np.integer():
            return int(value)
        case float() | np.floating() if math.isfinite(value):
            return float(value)
        case float() | np.floating() if math.isinf(value):
            return {"infinity": 1 if value > 0 else -1}
    raise TypeError(f"no saved map may hold {value!r}, a {type(value).__name__}")


class _Decoder:
    def __init__(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        self._arrays = dict(arrays)
        self._parts: list[Any] = []
        self._sizes: list[int] = []
        self._met: set[int] = set()

    def whole(self, entries: Any) -> Any:
        if not isinstance(entries, list) or not 0 < len(entries) <= MAX_MAP_PARTS:
            raise ValueError("it has no list of parts, or too many")
        for number, entry in enumerate(entries):
            try:
                self._parts.append(self._part(number, entry))
            except (ArithmeticError, AttributeError, KernelspecError, LookupError, TypeError, ValueError) as error:
                kind = entry.get("kind") if isinstance(entry, dict) else None
                raise ValueError(f"part {number} ({kind}): {error}") from None
        if self._arrays or len(self._met) < len(entries) - 1:
            raise ValueError("it has parts or arrays that nothing refers to")
        return self._parts[-1]

    def _part(self, number: int, entry: Any) -> Any:
        if not isinstance(entry, dict):
            raise ValueError("this is no part")
        self._size = 1
        cls = class_of(entry.get("kind"))
        own_fields = saved_fields(cls)
        names = [own.name for own in own_fields]
        needed = {own.name for own in own_fields if own.default is MISSING}
        if not {"kind", *needed} <= entry.keys() <= {"kind", *names}:
            raise ValueError(f"its fields are not {', '.join(names)}")
        values = {
            own.name: self._value(f"{number}.{own.name}", entry[own.name]) if own.name in entry else own.default
            for own in own_fields
        }
        if self._size > MAX_MAP_PARTS:
            raise ValueError(f"there are more than {MAX_MAP_PARTS:,} parts below it")
        self._sizes.append(self._size)
        check_types(cls, values)
        _check_columns(own_fields, values)
        check_arrays(cls, values)
        check_arguments(cls, values)
        part = cls(**values)
        if hasattr(part, "validate"):
            part.validate()
        return part

    def _value(self, name: str, value: Any) -> Any:
        match value:
            case list():
                return tuple(self._value(name, item) for item in value)
            case {"part": int() as number} if len(value) == 1 and 0 <= number < len(self._parts):
                self._met.add(number)
                self._size += self._sizes[number]
                return self._parts[number]
            case {"array": own} if len(value) == 1 and own == name:
                return self._array(name)
            case {"csr": own, "columns": int() as columns} if len(value) == 2 and own == name:
                data, indices, indptr = (self._array(f"{name}.{array}") for array in ("data", "indices", "indptr"))
                return _matrix(data, indices, indptr, columns)
            case {"fraction": [int() as numerator, int() as denominator]} if len(value) == 1 and denominator > 0:
                return Fraction(numerator, denominator)
            case {"enum": kind, "member": str() as member} if len(value) == 2:
                return class_of(kind, enum=True)[member]
            case {"infinity": 1 | -1 as sign} if len(value) == 1:
                return sign * math.inf
            case float() if not math.isfinite(value):
                raise ValueError(f"{name} is no number")
            case None | bool() | int() | float() | str():
                return value
        raise ValueError(f"{name} has a value that is none")

    def _array(self, name: str) -> NDArray[Any]:
        if name not in self._arrays:
            raise ValueError(f"there is no array {name}")
        found = self._arrays.pop(name)
        dtype = _DTYPES.get(found.dtype.kind)
        if dtype is None or found.dtype.itemsize != dtype.itemsize:
            raise ValueError(f"the array {name} has the type {found.dtype}")
        return found.astype(dtype.newbyteorder("="), order="C", copy=False)


def _check_columns(own_fields: list[Field[Any]], values: Mapping[str, Any]) -> None:
    """Raise ValueError for more columns than there may be, before anything counts up to them."""
    for own in own_fields:
        counts = own.name in _NUMBERS_OF_COLUMNS and "argument" not in own.metadata  # a kernel may have a width, too
        if counts and values[own.name] > MAX_COLUMNS:
            raise ValueError(f"{own.name} is {values[own.name]:,}, and a table has at most {MAX_COLUMNS:,} columns")


def _matrix(data: NDArray[Any], indices: NDArray[Any], indptr: NDArray[Any], columns: int) -> Any:
    """The CSR matrix, if it is one: rows that follow each other, places that are columns."""
    from scipy.sparse import csr_array

    flat = data.ndim == indices.ndim == indptr.ndim == 1 and indices.dtype == indptr.dtype == np.dtype(np.int64)
    if not flat or len(indptr) < 1 or not 0 <= columns < 2**31:
        raise ValueError("the arrays of a sparse matrix have the wrong shapes or types")
    ends = indptr[0] == 0 and indptr[-1] == len(data) == len(indices) and (np.diff(indptr) >= 0).all()
    if not ends or (len(indices) and not 0 <= indices.min() <= indices.max() < columns):
        raise ValueError("the rows or columns of a sparse matrix are damaged")
    return csr_array((data, indices, indptr), shape=(len(indptr) - 1, columns))
