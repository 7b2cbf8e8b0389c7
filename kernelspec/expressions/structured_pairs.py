"""Pairs of rows as readers write them, and kernels in the syntax of the language."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from kernelspec.expressions.arguments import Scalar
from kernelspec.expressions.pairs import PairFunction
from kernelspec.loading import sympy

__all__ = ["ATOM", "PRODUCT", "SIGNED", "StructuredPairs", "binding", "bracketed", "number_text", "vector_text"]

_SUM = 0

SIGNED = 1
"""Binds like a product with a leading sign."""

PRODUCT = 2
_POWER = 3

ATOM = 4
"""Binds like a call."""

_LONG = 4


def binding(text: str) -> int:
    """How tightly a text of the language, or of SymPy, binds."""
    found, depth = SIGNED if text.startswith("-") else ATOM, 0
    for i, sign in enumerate(text):
        depth += (sign in "([") - (sign in ")]")
        if depth == 0 and sign in "+-" and text[i - 1 : i] == " ":
            return _SUM
        if depth == 0 and sign in "*/":
            power = "**" in (text[i : i + 2], text[i - 1 : i + 1])
            found = min(found, _POWER if power else PRODUCT)
    return found


def bracketed(part: Any, least: int) -> str:
    """The text of a kernel or number, in brackets if it binds less tightly than `least`."""
    text = str(part)
    return text if binding(text) >= least else f"({text})"


def number_text(value: Scalar) -> str:
    """A number with six digits, or an expression."""
    return f"{value:g}" if isinstance(value, int | float) else str(value)


def vector_text(values: Sequence[Scalar]) -> str:
    """The vector in brackets; a long vector of equal entries is shown as one number."""
    if len(values) > _LONG and len(set(values)) == 1:
        return number_text(values[0])
    return f"[{', '.join(map(number_text, values))}]"


_MOST_SHOWN = 6
_MOST_FACTORS = 3


@dataclass(frozen=True)
class StructuredPairs:
    """Like `SymbolicPairs`, but norms, cosines and equalities stay symbols of their own.

    `columns` are the names of the components of Δ; `entries` are the components, each a multiple of one name or a sum
    of multiples; both are None if they are not written out. `factor` multiplies Δ and is not part of the entries.
    `is_part` says that these are only some of the columns.
    """

    dim: Scalar
    columns: tuple[str, ...] | None
    entries: tuple[Any, ...] | None
    factor: Scalar = 1
    shifted: str = ""
    is_part: bool = False

    @classmethod
    def between(cls, dim: Scalar, names: Sequence[str] | None = None) -> StructuredPairs:
        """Δ = x − y with the components Δ_age, … by name, or Δ_1, … (Δ alone on one column)."""
        if names is None and (not isinstance(dim, int) or dim > _MOST_SHOWN):
            return cls(dim, None, None)
        shown = tuple(names) if names is not None else tuple(str(i + 1) for i in range(dim))
        entries = [sympy.Symbol(f"Δ_{name}" if names is not None or dim > 1 else "Δ", real=True) for name in shown]
        return cls(dim, shown, tuple(entries))

    @property
    def suffix(self) -> str:
        """The transformation of Δ, for functions shown by name: `[age](2Δ)`; "" for Δ itself."""
        where = f"[{_listed(self.columns)}]" if self.is_part and self.columns is not None else ""
        if self.factor == 1 and not self.shifted:
            return where
        return f"{where}({self._lag()})"

    def squared_norm(self) -> Any:
        return self.factor**2 * self._size("") ** 2

    def absolute_sum(self) -> Any:
        return sympy.Abs(self.factor) * self._size("₁")

    def product(self, factor: Callable[[Any], Any]) -> Any:
        if self.entries is not None and len(self.entries) <= _MOST_FACTORS:
            return sympy.Mul(*[factor(self.factor * entry) for entry in self.entries])
        one = factor(self.factor * sympy.Symbol("Δ_i", real=True))
        if self.entries is None or len({entry.as_coeff_Mul()[0] for entry in self.entries}) == 1:
            scale = 1 if self.entries is None else self.entries[0].as_coeff_Mul()[0]
            one = factor(self.factor * scale * sympy.Symbol("Δ_i", real=True))
            return sympy.Symbol(f"(∏_i {_bracketed(one)})", real=True)
        return sympy.Mul(*[factor(self.factor * entry) for entry in self.entries])

    def inner(self, direction: Sequence[Scalar]) -> Any:
        if self.entries is None:
            words = f"{direction[0]}·Σ Δ_i" if len(set(direction)) == 1 else "w·Δ"
            return self.factor * sympy.Symbol(words, real=True)
        weights = direction if len(direction) == len(self.entries) else [direction[0]] * len(self.entries)
        return self.factor * sympy.Add(*[w * entry for w, entry in zip(weights, self.entries, strict=True)])

    def cosine(self) -> Any:
        return sympy.Symbol(f"cos(x{self._index()}, y{self._index()})", real=True)

    def inner_product(self) -> Any:
        """x·y."""
        return sympy.Symbol(f"(x{self._index()}·y{self._index()})", real=True)

    def equal(self) -> Any:
        return sympy.Symbol(f"[x{self._index()} = y{self._index()}]", nonnegative=True)

    def minima_and_maxima(self) -> tuple[Any, Any]:
        where = f"(x{self._index()}, y{self._index()})"
        return sympy.Symbol(f"Σmin{where}", positive=True), sympy.Symbol(f"Σmax{where}", positive=True)

    def select(self, positions: tuple[int, ...]) -> StructuredPairs:
        columns = tuple(str(i + 1) if self.columns is None else self.columns[i] for i in positions)
        entries = self._entries(positions)
        part = self.is_part or columns != self.columns
        return replace(self, dim=len(positions), columns=columns, entries=entries, is_part=part)

    def map(self, matrix: Sequence[Scalar] | Sequence[Sequence[Scalar]] | Scalar) -> StructuredPairs:
        if not isinstance(matrix, tuple | list):
            return replace(self, factor=self.factor * matrix)
        entries = self._entries(range(int(self.dim)))
        rows = [row if isinstance(row, tuple | list) else None for row in matrix]
        if rows[0] is None:
            mapped = tuple(scale * entry for scale, entry in zip(matrix, entries, strict=True))
        else:
            mapped = tuple(
                sympy.Add(*[scale * entry for scale, entry in zip(row or (), entries, strict=True)]) for row in rows
            )
        return replace(self, dim=len(mapped), entries=mapped)

    def translated(self, by: Sequence[Scalar]) -> StructuredPairs:
        shown = f" + {by[0]}" if len(set(by)) == 1 else " + r"
        entries = self._entries(range(len(by) if self.entries is None else len(self.entries)))
        shifts = by if len(by) == len(entries) else [by[0]] * len(entries)
        moved = tuple(self.factor * entry + shift for entry, shift in zip(entries, shifts, strict=True))
        return replace(self, entries=moved, factor=1, shifted=self.shifted + shown)

    def of(self, leaf: PairFunction) -> Any:
        return leaf.expression(self)

    def key_agreement(self, probability: Any) -> Any:
        return probability

    def _entries(self, positions: Iterable[int]) -> tuple[Any, ...]:
        """These components of Δ."""
        if self.entries is None:
            return tuple(sympy.Symbol(f"Δ_{i + 1}", real=True) for i in positions)
        return tuple(self.entries[i] for i in positions)

    def _size(self, index: str) -> Any:
        """‖(…)‖ as one symbol; |Δ| on one column."""
        if self.entries is not None and len(self.entries) == 1:
            return sympy.Abs(self.entries[0])
        return sympy.Symbol(f"‖{self._vector()}‖{index}", nonnegative=True)

    def _vector(self) -> str:
        if self.entries is None or self.columns is None:
            return "Δ"
        if all(str(entry) == f"Δ_{column}" for entry, column in zip(self.entries, self.columns, strict=False)):
            if self.columns == tuple(str(i + 1) for i in range(len(self.columns))):
                return "Δ"
            return f"Δ_({_listed(self.columns)})"
        return f"({_listed([str(entry) for entry in self.entries])})"

    def _lag(self) -> str:
        return ("Δ" if self.factor == 1 else f"{self.factor}Δ") + self.shifted

    def _index(self) -> str:
        """_age, _(age, balance), or nothing for all columns without names."""
        if self.columns is None or (self.dim == 1 and self.columns == ("1",)):
            return ""
        if self.columns == tuple(str(i + 1) for i in range(len(self.columns))):
            return ""
        return f"_{self.columns[0]}" if len(self.columns) == 1 else f"_({_listed(self.columns)})"


def _listed(items: Sequence[str]) -> str:
    return ", ".join(items) if len(items) <= _MOST_SHOWN else f"{items[0]}, …, {items[-1]}"


def _bracketed(expression: Any) -> str:
    text = str(expression)
    return text if expression.is_Atom or expression.is_Function else f"({text})"
