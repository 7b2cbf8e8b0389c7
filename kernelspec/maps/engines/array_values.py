"""Numbers of another library that answer NumPy's functions: kernels are evaluated where the numbers are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from kernelspec.errors import PlanError

__all__ = ["ArrayValues", "refused"]

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
"""NumPy's functions of every number, and what the array API calls them."""


def _remainder(xp: Any, x: Any, y: Any) -> Any:
    """With the sign of x: the array API's has that of y."""
    return xp.sign(x) * xp.remainder(xp.abs(x), xp.abs(y))


def _root(xp: Any, x: Any) -> Any:
    """√x with the slope 1 at 0, where ∞ times the slope 0 of a squared distance would be none."""
    zero = x == 0
    return xp.where(zero, x, xp.sqrt(xp.where(zero, xp.ones_like(x), x)))


_OTHERS: dict[Any, Callable[..., Any]] = {np.fmod: _remainder, np.sqrt: _root}
"""What the array API has in another way."""


class ArrayValues(NDArrayOperatorsMixin):
    """float64 or truth values of another library, on its device; NumPy's functions of them are that library's.

    By NumPy's own protocols [NEP 13, NEP 18]. Raises TypeError for a function without a counterpart in the array API:
    nothing is fetched from the device, and nothing computed elsewhere, without a word.
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
        del types
        if function not in _RULES or options:
            raise TypeError(f"numpy.{function.__name__} has no counterpart in the array API")
        return _RULES[function](self, *inputs)

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        del dtype, copy
        raise TypeError("they need a NumPy array")

    def __getitem__(self, index: Any) -> ArrayValues:
        raise TypeError("they need a NumPy array")

    def __bool__(self) -> bool:
        raise TypeError("they are decided by the numbers")


def refused(what: str, error: Exception) -> PlanError:
    """The error for values that other libraries cannot compute."""
    return PlanError(
        f"the values of {what} are computed by NumPy and SciPy alone ({error}): give the map a NumPy array, as in "
        "X.cpu().numpy(), or compile another map (anchors='never' keeps to samples)"
    )


def _clip(own: ArrayValues, values: Any, low: float, high: float) -> ArrayValues:
    return own.like(own.xp.minimum(own.xp.maximum(own.there(values), own.there(low)), own.there(high)))


def _hstack(own: ArrayValues, parts: Sequence[Any]) -> ArrayValues:
    return own.like(own.xp.concat([own.there(part) for part in parts], axis=1))


def _polyval(own: ArrayValues, coefficients: Sequence[float], x: ArrayValues) -> ArrayValues:
    """By Horner's rule, from the highest power."""
    total = own.xp.zeros_like(x.values)
    for coefficient in coefficients:
        total = total * x.values + coefficient
    return own.like(total)


def _where(own: ArrayValues, condition: Any, chosen: Any, other: Any) -> ArrayValues:
    return own.like(own.xp.where(*map(own.there, (condition, chosen, other))))


_RULES: dict[Any, Callable[..., Any]] = {
    np.clip: _clip,
    np.hstack: _hstack,
    np.ones_like: lambda own, values: own.like(own.xp.ones_like(values.values)),
    np.polyval: _polyval,
    np.shape: lambda own, values: values.shape,
    np.where: _where,
    np.zeros_like: lambda own, values: own.like(own.xp.zeros_like(values.values)),
}
"""NumPy's other functions that kernels are written in."""
