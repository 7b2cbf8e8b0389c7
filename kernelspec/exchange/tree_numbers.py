"""The numbers of a symbolic kernel tree and their derivatives, compiled once for all values of its parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernelspec.kernels.kernel import Kernel

__all__ = ["TreeNumbers", "compile_numbers"]


@dataclass(frozen=True)
class TreeNumbers:
    """Every expression in the tree, with its value and its slopes: the derivatives by each parameter, (p,)."""

    values: dict[Any, float]
    slopes: dict[Any, NDArray[np.float64]]
    n_parameters: int

    def value(self, number: Any) -> float:
        """A number of the tree, an expression or not."""
        return self.values[number] if number in self.values else float(number)

    def slope(self, number: Any) -> NDArray[np.float64]:
        """Its derivatives, (p,)."""
        return self.slopes.get(number, np.zeros(self.n_parameters))

    def depends(self, part: Any) -> bool:
        """Whether a number in this part of the tree depends on a parameter."""
        return any(number.free_symbols for number in _expressions(part))

    def numeric(self, part: Any) -> Any:
        """The same part of the tree with floats for expressions."""
        if isinstance(part, tuple):
            return tuple(map(self.numeric, part))
        if _is_expression(part):
            return self.values[part]
        if is_dataclass(part) and not isinstance(part, type):
            kept = {own.name: getattr(part, own.name) for own in fields(part) if own.init and own.name != "span"}
            changed = {name: self.numeric(value) for name, value in kept.items()}
            return replace(part, **{name: value for name, value in changed.items() if value is not kept[name]})
        return part


def compile_numbers(kernel: Kernel, names: Sequence[str]) -> Callable[[Sequence[float]], TreeNumbers]:
    """From values of the parameters of these names to the numbers of a symbolic tree."""
    import sympy

    found = list(dict.fromkeys(_expressions(kernel)))
    met = {symbol.name: symbol for number in found for symbol in number.free_symbols}
    symbols = [met.get(name, sympy.Symbol(name)) for name in names]
    slopes = [[sympy.diff(number, symbol) for symbol in symbols] for number in found]
    program = sympy.lambdify([list(symbols)], [found, slopes], "numpy", cse=True)
    n = len(names)

    def numbers(values: Sequence[float]) -> TreeNumbers:
        own, derivatives = program([float(value) for value in values])
        table = np.array(derivatives, dtype=float).reshape(len(found), n)
        return TreeNumbers(dict(zip(found, map(float, own), strict=True)), dict(zip(found, table, strict=True)), n)

    return numbers


def _is_expression(part: Any) -> bool:
    return hasattr(part, "free_symbols") and hasattr(part, "diff")


def _expressions(part: Any) -> Iterator[Any]:
    """The SymPy expressions in a part of a tree, from left to right."""
    pending = [part]
    while pending:
        current = pending.pop()
        if _is_expression(current):
            yield current
        elif isinstance(current, tuple):
            pending.extend(reversed(current))
        elif is_dataclass(current) and not isinstance(current, type):
            pending.extend(getattr(current, own.name) for own in reversed(fields(current)) if own.name != "span")
