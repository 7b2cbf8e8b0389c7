"""Arrays of other libraries behind NumPy's interface, and kernels on them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from kernelspec.errors import PlanError
from kernelspec.expressions.arguments import Scalar, Value
from kernelspec.expressions.pairs import NumericPairs, PairFunction
from kernelspec.kernels.kernel import Kernel
from kernelspec.random.streams import Hashes
from kernelspec.tables.cells import no_direction
from kernelspec.tables.rows import Rows

__all__ = ["ArrayPairs", "ArrayRows", "ArrayValues", "refused"]

_NAMES: dict[Any, str] = {
    np.absolute: "abs",
    np.arccos: "acos",
    np.arcsin: "asin",
    np.arctan: "atan",
    np.arctan2: "atan2",
    np.invert: "bitwise_invert",
    np.power: "pow",
} | {
    function: function.__name__
    for function in (
        np.add, np.bitwise_and, np.bitwise_or, np.copysign, np.cos, np.cosh, np.divide, np.equal, np.exp, np.expm1,
        np.floor, np.greater, np.greater_equal, np.isfinite, np.isnan, np.less, np.less_equal, np.log, np.log1p,
        np.logical_and, np.logical_not, np.logical_or, np.matmul, np.maximum, np.minimum, np.multiply, np.negative,
        np.not_equal, np.sign, np.sin, np.sinh, np.square, np.subtract, np.tan, np.tanh,
    )
}  # fmt: skip
"""NumPy's scalar functions, and their array-API names."""


def _remainder(xp: Any, x: Any, y: Any) -> Any:
    """With the sign of x: the array API's has that of y."""
    return xp.sign(x) * xp.remainder(xp.abs(x), xp.abs(y))


def _root(xp: Any, x: Any) -> Any:
    """√x with slope 1 at 0, where ∞ times the slope 0 of a squared distance would be NaN."""
    zero = x == 0
    return xp.where(zero, x, xp.sqrt(xp.where(zero, xp.ones_like(x), x)))


_OTHERS: dict[Any, Callable[..., Any]] = {np.fmod: _remainder, np.sqrt: _root}
"""Functions that the array API provides differently."""


class ArrayValues(NDArrayOperatorsMixin):
    """float64 or truth values of another library, on its device; NumPy functions on them use that library.

    Implements NumPy's protocols [NEP 13, NEP 18]. Raises TypeError for a function without an array-API counterpart:
    nothing is silently copied from the device or computed elsewhere.
    """

    def __init__(self, values: Any, xp: Any, device: Any) -> None:
        self.values, self.xp, self.device = values, xp, device

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape, as NumPy's."""
        return tuple(self.values.shape)

    @property
    def T(self) -> ArrayValues:  # noqa: N802  # NumPy's name
        """The transpose of a table."""
        return self.like(self.values.T)

    def like(self, values: Any) -> ArrayValues:
        """Other values of the same library."""
        return ArrayValues(values, self.xp, self.device)

    def there(self, values: Any) -> Any:
        """NumPy's or Python's numbers as an array of the library; its own as they are."""
        if isinstance(values, ArrayValues):
            return values.values
        found = np.asarray(values)
        kind = self.xp.bool if found.dtype == np.bool_ else self.xp.float64
        return self.xp.asarray(
            np.ascontiguousarray(found) if found.ndim else found.item(), dtype=kind, device=self.device
        )

    def __array_ufunc__(self, function: Any, method: str, *inputs: Any, **options: Any) -> ArrayValues:
        if method != "__call__" or options:
            raise TypeError(f"numpy.{function.__name__} has no counterpart in the array API")
        if function in _OTHERS:
            return self.like(_OTHERS[function](self.xp, *map(self.there, inputs)))
        if function not in _NAMES:
            raise TypeError(f"{function.__name__} has no counterpart in the array API")
        return self.like(getattr(self.xp, _NAMES[function])(*map(self.there, inputs)))

    def __array_function__(self, function: Any, types: Any, inputs: Sequence[Any], options: dict[str, Any]) -> Any:
        if function not in _RULES or options:
            raise TypeError(f"numpy.{function.__name__} has no counterpart in the array API")
        return _RULES[function](self, *inputs)

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        raise TypeError("they need a NumPy array")

    def __getitem__(self, index: Any) -> ArrayValues:
        raise TypeError("they need a NumPy array")

    def __bool__(self) -> bool:
        raise TypeError("they are decided by the numbers")


def refused(what: str, error: Exception) -> PlanError:
    """The error for values that other libraries cannot compute."""
    return PlanError(
        f"only NumPy and SciPy can compute the values of {what} ({error}): pass a NumPy array, as in "
        "X.cpu().numpy(), or compile a map with landmarks='never'"
    )


def _clip(own: ArrayValues, values: Any, low: float, high: float) -> ArrayValues:
    return own.like(own.xp.minimum(own.xp.maximum(own.there(values), own.there(low)), own.there(high)))


def _polyval(own: ArrayValues, coefficients: Sequence[float], x: ArrayValues) -> ArrayValues:
    """By Horner's rule, from the highest power."""
    total = own.xp.zeros_like(x.values)
    for coefficient in coefficients:
        total = total * x.values + coefficient
    return own.like(total)


_RULES: dict[Any, Callable[..., Any]] = {
    np.clip: _clip,
    np.hstack: lambda own, parts: own.like(own.xp.concat([own.there(part) for part in parts], axis=1)),
    np.ones_like: lambda own, values: own.like(own.xp.ones_like(values.values)),
    np.polyval: _polyval,
    np.real: lambda own, values: values,
    np.shape: lambda own, values: values.shape,
    np.where: lambda own, *values: own.like(own.xp.where(*map(own.there, values))),
    np.zeros_like: lambda own, values: own.like(own.xp.zeros_like(values.values)),
}
"""NumPy's other functions that kernels use."""


@dataclass(frozen=True)
class ArrayRows(Rows):
    """Rows of numbers (n, D) in another library, float64, starting at row `first` of a table."""

    numbers: Any  # ArrayValues
    first: int = 0

    @property
    def is_sparse(self) -> bool:
        return False

    def dense(self) -> Any:
        return self.numbers

    def codes(self, position: int) -> Hashes:
        raise TypeError("categories have no counterpart in the array API")

    def select(self, positions: tuple[int, ...]) -> ArrayRows:
        if positions == tuple(range(self.n_columns)):
            return self
        own = self.numbers
        index = own.xp.asarray(list(positions), dtype=own.xp.int64, device=own.device)
        return replace(self, numbers=own.like(own.xp.take(own.values, index, axis=1)))

    def on_unit_sphere(self) -> ArrayRows:
        own, numbers = self.numbers, self.numbers.values
        largest = own.xp.max(own.xp.abs(numbers), axis=1, keepdims=True)
        if bool(own.xp.any(largest == 0)):
            row = int(own.xp.argmax(own.xp.astype(largest[:, 0] == 0, own.xp.int32)))
            raise no_direction(self.first + row)
        scaled = numbers / largest  # squares neither overflow nor underflow
        sizes = own.xp.sqrt(own.xp.sum(scaled * scaled, axis=1, keepdims=True))
        return replace(self, numbers=own.like(scaled / sizes))


@dataclass(frozen=True)
class ArrayPairs(NumericPairs):
    """All pairs of two blocks of rows: like `NumericPairs`, but with values `ArrayValues` (n, m).

    Raises PlanError, naming the kernel, if it needs functions outside the array API.
    """

    x: ArrayRows
    y: ArrayRows

    def squared_norm(self) -> Any:
        return self._sum(lambda lag: lag * lag)

    def absolute_sum(self) -> Any:
        return self._sum(self._own.xp.abs)

    def by_column(self, factor: Callable[[Value], Value]) -> Any:
        values: Any = 1.0
        for lag in self._lags():
            values = values * factor(self._own.like(lag))
        return values

    def inner(self, direction: Sequence[Scalar]) -> Any:
        own = self._own
        w = own.there(np.asarray(direction, dtype=float))
        return own.like((self.x.numbers.values @ w)[:, None] - (self.y.numbers.values @ w)[None, :])

    def on_unit_rows(self) -> ArrayPairs:
        return replace(self, x=self.x.on_unit_sphere(), y=self.y.on_unit_sphere())

    def cosine(self) -> Any:
        return 1 - 0.5 * self.on_unit_rows().squared_norm()

    def equal(self) -> Any:
        xp = self._own.xp
        agree = self._sum(lambda lag: xp.astype(lag == 0, xp.float64))
        return np.where(agree == self.dim, 1.0, 0.0)

    def minima_and_maxima(self) -> tuple[Any, Any]:
        own = self._own
        xp, zero = own.xp, own.there(0.0)
        x, y = self.x.numbers.values, self.y.numbers.values
        total = xp.sum(xp.abs(x), axis=1)[:, None] + xp.sum(xp.abs(y), axis=1)[None, :]
        least: Any = 0.0
        for i in range(self.dim):
            a, b = x[:, i][:, None], y[:, i][None, :]
            least = least + xp.minimum(xp.maximum(a, zero), xp.maximum(b, zero))
            least = least + xp.minimum(xp.maximum(-a, zero), xp.maximum(-b, zero))
        least = xp.minimum(least, total / 2)  # holds except for rounding
        return own.like(least), own.like(total - least)

    def map(self, matrix: Sequence[Scalar] | Sequence[Sequence[Scalar]] | Scalar) -> ArrayPairs:
        a = np.asarray(matrix, dtype=float)
        x, y = self.x.dense(), self.y.dense()
        mapped = (x @ a.T, y @ a.T) if a.ndim == 2 else (x * a, y * a)
        return self._moved(mapped)

    def translated(self, by: Sequence[Scalar]) -> ArrayPairs:
        return self._moved((self.x.dense() + np.asarray(by, dtype=float), self.y.dense()))

    def of(self, leaf: PairFunction) -> Any:
        return self._named(leaf, lambda: leaf.numbers(self))

    def once(self, what: str, node: object, compute: Callable[[], Any]) -> Any:
        return super().once(what, node, lambda: self._named(node, compute))

    def key_agreement(self, probability: Value) -> Any:
        return probability

    @property
    def _own(self) -> ArrayValues:
        found: ArrayValues = self.x.numbers
        return found

    def _moved(self, numbers: tuple[Any, Any]) -> ArrayPairs:
        return replace(self, x=replace(self.x, numbers=numbers[0]), y=replace(self.y, numbers=numbers[1]))

    def _lags(self) -> Any:
        """x_i − y_i of all pairs, column by column."""
        x, y = self.x.numbers.values, self.y.numbers.values
        return (x[:, i][:, None] - y[:, i][None, :] for i in range(self.dim))

    def _sum(self, of: Callable[[Any], Any]) -> ArrayValues:
        """A sum over functions of the differences; expanding squares would cancel."""
        total: Any = 0.0
        for lag in self._lags():
            total = total + of(lag)
        return self._own.like(total)

    @staticmethod
    def _named(node: object, compute: Callable[[], Any]) -> Any:
        try:
            return compute()
        except (AttributeError, TypeError) as error:  # what a stand-in for an array lacks
            if not isinstance(node, Kernel):
                raise
            raise refused(str(node), error) from error
