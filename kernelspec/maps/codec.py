"""Frozen parts of a map as JSON data and arrays, and back, checked against the declarations of their classes.

The parts form a list in which each one refers to earlier ones by number; the last one is the whole. So nothing is
nested, shared parts stay shared, and cycles are impossible.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import Field, fields, is_dataclass
from enum import Enum
from fractions import Fraction
from functools import cache
from inspect import get_annotations
from operator import call
from types import GenericAlias, MappingProxyType, NoneType, UnionType
from typing import Any, Literal, TypeAlias, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import KernelspecError
from kernelspec.expressions.arguments import check_arguments
from kernelspec.limits import MAX_COLUMNS, MAX_MAP_PARTS, MAX_SIZE
from kernelspec.loading import sparse
from kernelspec.maps.saved_kinds import class_of, name_of
from kernelspec.samples.declared_arrays import array_schema, check_arrays

__all__ = ["Arrays", "Entry", "Finite", "decoded", "encoded", "saved_fields"]

Arrays: TypeAlias = dict[str, NDArray[Any]]
"""Arrays by name in the file."""

Entry: TypeAlias = dict[str, Any]
"""A part: its kind, and a value for every field."""

_DTYPES = {"f": np.dtype("<f8"), "i": np.dtype("<i8"), "u": np.dtype("<u8")}


def saved_fields(cls: type[Any]) -> list[Field[Any]]:
    """The fields that files may store, those with `repr`; one with the `omitted` value of its metadata is left out."""
    return [own for own in fields(cls) if own.repr]


def name_in_file(own: Field[Any]) -> str:
    """The key of a field in a file: its name, unless it was renamed after files were written."""
    return str(own.metadata.get("saved_as", own.name))


# -- what the fields of a class declare --------------------------------------------------------------------------------

Test = Callable[[Any], bool]

_NUMBERS_OF_COLUMNS = ("dim", "width", "base_dim", "height", "channels")


def check_values(cls: type[Any], values: Mapping[str, Any]) -> None:
    """Raise ValueError, naming the field, for a value whose type, range or shape violates the declaration.

    `float` accepts any number except NaN; `Scalar` and `Any` accept finite numbers, also exact ones, and tuples of
    them. Numbers of kernels, laws and their parts are at most MAX_SIZE, as in the language.
    """
    for own in saved_fields(cls):
        value = values[own.name]
        annotation, accepts = _declared_test(cls, own.name)  # type: ignore[arg-type]  # a class has a hash
        if not accepts(value):
            raise ValueError(f"{own.name} must be {annotation}, not {type(value).__name__}")
        counts = own.name in _NUMBERS_OF_COLUMNS and "argument" not in own.metadata  # a kernel may have a width, too
        if counts and value > MAX_COLUMNS:
            raise ValueError(f"{own.name} is {value:,}, but a table has at most {MAX_COLUMNS:,} columns")
        largest = max(map(abs, _numbers_in(value)), default=0)
        if largest > MAX_SIZE and cls.__module__.startswith(_RECKONED_WITH):
            raise ValueError(f"{own.name} has a number of size {float(largest):g}, but at most {MAX_SIZE:g} is allowed")
    check_arrays(cls, values)
    check_arguments(cls, values)


_RECKONED_WITH = tuple(f"kernelspec.{room}." for room in ("activations", "distributions", "kernels", "laws", "samples"))


def _numbers_in(value: Any) -> Iterator[Any]:
    if isinstance(value, tuple):
        for item in value:
            yield from _numbers_in(item)
    elif isinstance(value, int | float | Fraction):
        yield value


class Finite:
    """The meaning of `Scalar` in a file: a finite number."""


class Nested:
    """The meaning of `Any`: a finite number, or a tuple of such."""


def declared_type(cls: type[Any], name: str) -> tuple[str, Any]:
    """The annotation of a field, resolved in the module of its class; Scalar and Any mean Finite and Nested.

    Raises NameError for classes that the module does not import, or only for type checking.
    """
    owner = next(base for base in cls.__mro__ if name in get_annotations(base))
    annotation = get_annotations(owner)[name]
    if not isinstance(annotation, str):  # of a module without `from __future__ import annotations`
        return str(annotation), _meaning(annotation)
    return annotation, _resolved(annotation, owner.__module__)


def _meaning(annotation: Any) -> Any:
    """A type with Any, which Scalar is an alias of, replaced by what it means in a file."""
    if annotation is Any:
        return Nested
    if not isinstance(annotation, GenericAlias):
        return annotation
    return GenericAlias(get_origin(annotation), tuple(map(_meaning, get_args(annotation))))


def _resolved(annotation: str, module: str) -> Any:
    holder = type("Declared", (), {"__annotations__": {"field": annotation}, "__module__": module})
    hint = get_type_hints(holder, localns={"Any": Nested, "Scalar": Finite})["field"]
    bound = getattr(hint, "__bound__", None) if isinstance(hint, TypeVar) else None
    forward = getattr(bound, "__forward_arg__", bound)
    return _resolved(forward, module) if isinstance(forward, str) else hint if forward is None else forward


@cache
def _declared_test(cls: type[Any], name: str) -> tuple[str, Test]:
    if any(own.name == name and array_schema(own) is not None for own in fields(cls)):
        return "an array", _is_array
    annotation, hint = declared_type(cls, name)
    return annotation, _test(hint)


def _test(hint: Any) -> Test:
    """The test that a type defines for values."""
    if hint in _SIMPLE:
        return _SIMPLE[hint]
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Literal:
        return lambda value: isinstance(value, str) and value in arguments
    if origin in (np.ndarray, NDArray):  # since NumPy 2.5 NDArray is a type of its own
        return _is_array
    tests = [_test(argument) for argument in arguments if argument is not Ellipsis]
    if origin in (Union, UnionType):
        return lambda value: any(test(value) for test in tests)
    if origin is tuple and arguments[-1] is Ellipsis:
        return lambda value: isinstance(value, tuple) and all(map(tests[0], value))
    if origin is tuple:
        return lambda value: isinstance(value, tuple) and len(value) == len(tests) and all(map(call, tests, value))
    if not isinstance(hint, type):
        raise TypeError(f"fields of parts of maps have no type like {hint}")
    return lambda value: isinstance(value, hint)


def _is_finite(value: Any) -> bool:
    if isinstance(value, Fraction):
        return abs(value) < 2**1024
    return _is_float(value) and math.isfinite(value)


def _is_float(value: Any) -> bool:
    if type(value) is int:
        return abs(value) < 2**1023
    return type(value) is float and not math.isnan(value)


def _is_nested(value: Any) -> bool:
    return all(map(_is_nested, value)) if isinstance(value, tuple) else _is_finite(value)


def _is_array(value: Any) -> bool:
    return hasattr(value, "dtype")


_SIMPLE: Mapping[Any, Test] = MappingProxyType(
    {own: lambda value, cls=own: type(value) is cls for own in (bool, int, str, Fraction, NoneType)}
    | {float: _is_float, Finite: _is_finite, Nested: _is_nested}
)


# -- from parts to data, and back --------------------------------------------------------------------------------------


def encoded(whole: Any) -> tuple[list[Entry], Arrays]:
    """The parts of a frozen dataclass and of all below it, and the arrays they name. Raises TypeError."""
    encoder = _Encoder()
    encoder.part(whole)
    return encoder.entries, encoder.arrays


def decoded(entries: Any, arrays: Mapping[str, NDArray[Any]]) -> Any:
    """Decode and check the output of `encoded`. Raises ValueError, or what a class raises for invalid arguments."""
    return _Decoder(arrays).whole(entries)


class _Encoder:
    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.arrays: Arrays = {}
        self._numbers: dict[int, int] = {}

    def part(self, part: Any) -> int:
        """The number of a part, adding it if it is new."""
        if id(part) in self._numbers:
            return self._numbers[id(part)]
        kind = name_of(part)
        found = ((own, getattr(part, own.name)) for own in saved_fields(type(part)))
        kept = [(own, it) for own, it in found if "omitted" not in own.metadata or it != own.metadata["omitted"]]
        values = {name_in_file(own): self._below(value) for own, value in kept}
        number = len(self.entries)
        self.entries.append(
            {"kind": kind} | {name: self._stored(f"{number}.{name}", own) for name, own in values.items()}
        )
        self._numbers[id(part)] = number
        return number

    def _below(self, value: Any) -> Any:
        """The value with parts replaced by their numbers."""
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
    raise TypeError(f"a saved map cannot contain {value!r}, a {type(value).__name__}")


class _Decoder:
    def __init__(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        self._arrays = dict(arrays)
        self._parts: list[Any] = []
        self._sizes: list[int] = []
        self._met: set[int] = set()

    def whole(self, entries: Any) -> Any:
        if not isinstance(entries, list) or not 0 < len(entries) <= MAX_MAP_PARTS:
            raise ValueError("it has no list of parts, or too many parts")
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
            raise ValueError("invalid part")
        self._size = 1
        cls = class_of(entry.get("kind"))
        names = {own.name: name_in_file(own) for own in saved_fields(cls)}
        omitted = {own.name: own.metadata["omitted"] for own in saved_fields(cls) if "omitted" in own.metadata}
        stored = {name: saved for name, saved in names.items() if name not in omitted or saved in entry}
        if entry.keys() != {"kind", *stored.values()}:
            raise ValueError(f"its fields are not {', '.join(names.values())}")
        values = omitted | {name: self._value(f"{number}.{saved}", entry[saved]) for name, saved in stored.items()}
        if self._size > MAX_MAP_PARTS:
            raise ValueError(f"there are more than {MAX_MAP_PARTS:,} parts below it")
        self._sizes.append(self._size)
        check_values(cls, values)
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
                raise ValueError(f"{name} is not a number")
            case None | bool() | int() | float() | str():
                return value
        raise ValueError(f"{name} has an invalid value")

    def _array(self, name: str) -> NDArray[Any]:
        if name not in self._arrays:
            raise ValueError(f"missing array {name}")
        found = self._arrays.pop(name)
        dtype = _DTYPES.get(found.dtype.kind)
        if dtype is None or found.dtype.itemsize != dtype.itemsize:
            raise ValueError(f"the array {name} has the type {found.dtype}")
        return found.astype(dtype.newbyteorder("="), order="C", copy=False)


def _matrix(data: NDArray[Any], indices: NDArray[Any], indptr: NDArray[Any], columns: int) -> Any:
    """The CSR matrix, if its row pointers and columns are valid."""
    flat = data.ndim == indices.ndim == indptr.ndim == 1 and indices.dtype == indptr.dtype == np.dtype(np.int64)
    if not flat or len(indptr) < 1 or not 0 <= columns < 2**31:
        raise ValueError("the arrays of a sparse matrix have the wrong shapes or types")
    ends = indptr[0] == 0 and indptr[-1] == len(data) == len(indices) and (np.diff(indptr) >= 0).all()
    if not ends or (len(indices) and not 0 <= indices.min() <= indices.max() < columns):
        raise ValueError("the rows or columns of a sparse matrix are damaged")
    return sparse.csr_array((data, indices, indptr), shape=(len(indptr) - 1, columns))
