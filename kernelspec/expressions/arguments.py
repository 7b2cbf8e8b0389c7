"""Declared arguments of kernels and distributions: one dataclass field each, with kind, range and default."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from fractions import Fraction
from typing import Any, Literal, TypeAlias

from kernelspec.limits import MAX_SIZE

__all__ = [
    "Argument",
    "Scalar",
    "Value",
    "boolean",
    "call_text",
    "check_arguments",
    "declared",
    "distribution",
    "integer",
    "length",
    "numbers",
    "real",
    "signature",
    "vector",
]

Scalar: TypeAlias = Any
"""A number: a float in a numeric tree, a SymPy expression in a symbolic one."""

Value: TypeAlias = Any
"""The value of a kernel for pairs of rows: an array of floats, or one SymPy expression."""

Kind = Literal["number", "integer", "vector", "numbers", "boolean", "distribution"]


_LONG = 4


@dataclass(frozen=True, slots=True)
class Argument:
    """A declared argument: its kind and range.

    `is_length` arguments have the unit of the columns: scaling both together changes nothing. An argument `from_data`
    that is left out is the largest value in the data.
    """

    kind: Kind
    low: float = -math.inf
    high: float = math.inf
    low_open: bool = False
    high_open: bool = False
    is_length: bool = False
    from_data: bool = False

    def accepts(self, value: float) -> bool:
        """Whether a number lies in the range (NaN and infinities never do)."""
        if not math.isfinite(value):
            return False
        above = value > self.low if self.low_open else value >= self.low
        below = value < self.high if self.high_open else value <= self.high
        return above and below

    def is_reckoned_with(self, known: float) -> bool:
        """Whether a number has a size that kernels accept; a tiny number counts as 0 if 0 is allowed."""
        if known == 0:
            return self.accepts(0) or self.kind in ("vector", "numbers")
        return (0 if self.kind == "numbers" else 1 / MAX_SIZE) <= abs(known) <= MAX_SIZE

    def interval(self) -> str:
        """The range in words, for error messages."""
        what = "a whole number" if self.kind == "integer" else "a number"
        parts = []
        if self.low > -math.inf:
            parts.append(f"{'greater than' if self.low_open else 'at least'} {self.low:g}")
        if self.high < math.inf:
            parts.append(f"{'less than' if self.high_open else 'at most'} {self.high:g}")
        return " ".join([what, " and ".join(parts)]).strip()


def real(
    default: Any = MISSING,
    *,
    above: float | None = None,
    at_least: float | None = None,
    at_most: float | None = None,
    from_data: bool = False,
) -> Any:
    """A real argument in an interval: `above` is an open lower end, `at_least` and `at_most` are closed ends.

    The default None means "not given", and `from_data` that it is the largest value in the data if it is left out.
    """
    low = above if above is not None else at_least if at_least is not None else -math.inf
    high = at_most if at_most is not None else math.inf
    argument = Argument("number", low, high, low_open=above is not None, from_data=from_data)
    return field(default=default, metadata={"argument": argument})


def length(default: Any = MISSING) -> Any:
    """A positive number in the unit of the columns: a scale, a width, a period."""
    return field(default=default, metadata={"argument": Argument("number", 0, low_open=True, is_length=True)})


def integer(default: Any = MISSING, *, at_least: int, at_most: int) -> Any:
    """A whole-number argument."""
    return field(default=default, metadata={"argument": Argument("integer", at_least, at_most)})


def vector(default: Any = MISSING) -> Any:
    """A vector with one entry per column; a scalar means the constant vector."""
    return field(default=default, metadata={"argument": Argument("vector")})


def numbers() -> Any:
    """A list of one or more numbers."""
    return field(metadata={"argument": Argument("numbers")})


def boolean(default: bool) -> Any:
    """True or false."""
    return field(default=default, metadata={"argument": Argument("boolean")})


def distribution() -> Any:
    """A distribution, such as `student_t(dof=3)`."""
    return field(metadata={"argument": Argument("distribution")})


def declared(cls: type) -> dict[str, tuple[Argument, Any]]:
    """The declared arguments of a class, in order: name → (argument, default or MISSING)."""
    return {part.name: (part.metadata["argument"], part.default) for part in fields(cls) if "argument" in part.metadata}


def check_arguments(cls: type, values: Mapping[str, Any]) -> None:
    """Raise ValueError for an argument of a numeric tree, or a vector length, that the class does not declare.

    A vector has an entry per column (`dim`); missing arguments have their defaults.
    """
    for name, (argument, default) in declared(cls).items():
        value = values[name]
        if value is None and default is None:
            continue
        if argument.kind in ("number", "integer"):
            whole = argument.kind != "integer" or (_is_finite(value) and value == int(value))
            if not whole or not _is_finite(value) or not argument.accepts(value):
                raise ValueError(f"{name} is {value}, but must be {argument.interval()}")
            numbers_given = (value,)
        elif argument.kind in ("vector", "numbers"):
            if not isinstance(value, tuple) or not value or not all(map(_is_finite, value)):
                raise ValueError(f"{name} must be one or more numbers")
            if argument.kind == "vector" and len(value) != values["dim"]:
                raise ValueError(f"{name} has {len(value)} entries for {values['dim']} columns")
            numbers_given = value
        else:
            continue
        if not all(map(argument.is_reckoned_with, numbers_given)):
            raise ValueError(f"{name} has a number that is not between {1 / MAX_SIZE:g} and {MAX_SIZE:g} in size, or 0")


def _is_finite(value: Any) -> bool:
    return isinstance(value, int | float | Fraction) and not isinstance(value, bool) and math.isfinite(value)


def signature(name: str, cls: type) -> str:
    """`gaussian(scale=1)`, as shown by the catalogue and in error messages."""
    shown = [
        argument
        if default is MISSING or default is None
        else f"{argument}={default:g}"
        if isinstance(default, (int, float)) and not isinstance(default, bool)
        else f"{argument}={str(default).lower()}"
        for argument, (_, default) in declared(cls).items()
    ]
    return f"{name}({', '.join(shown)})"


def call_text(stated: Any) -> str:
    """The call for an object with a `name` and declared arguments: `gaussian(scale=2)`.

    Floats have six digits; long vectors of equal entries are shown as one number; arguments not given are omitted.
    """
    shown = []
    for argument, (declaration, _) in declared(type(stated)).items():
        value = getattr(stated, argument)
        if declaration.kind == "vector" and len(value) > _LONG and len(set(value)) == 1:
            value = value[0]
        if value is not None:
            shown.append(f"{argument}={_short(value)}")
    return f"{stated.name}({', '.join(shown)})"


def _short(value: Any) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_short, value))}]"
    return f"{value:g}" if isinstance(value, float) else str(value)
