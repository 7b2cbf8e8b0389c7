"""Pairs of rows that are arrays of another library, as kernels ask about them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelspec.kernels.kernel import Kernel
from kernelspec.maps.engines.array_rows import ArrayRows
from kernelspec.maps.engines.array_values import ArrayValues, refused
from kernelspec.notation.pairs import NumericPairs

if TYPE_CHECKING:
    from kernelspec.notation.arguments import Scalar, Value
    from kernelspec.notation.pair_function import PairFunction

__all__ = ["ArrayPairs"]


@dataclass(frozen=True)
class ArrayPairs(NumericPairs):
    """All pairs of two blocks of rows: the twin of `NumericPairs` whose values are `ArrayValues` (n, m).

    Raises PlanError for a kernel that is not computed by functions of the array API, by its name.
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
        least = xp.minimum(least, total / 2)  # rounding apart, it is
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
        """Of a function of the differences: expanding squares would cancel."""
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
