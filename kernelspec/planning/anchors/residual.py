"""What anchors leave of a kernel, and of samples, for pairs of rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.notation.pairs import NumericPairs
from kernelspec.planning.anchors.anchors import Anchors
from kernelspec.planning.anchors.seen import Seen
from kernelspec.planning.compiled_pairs import CompiledPairs
from kernelspec.planning.known_rows import numbered
from kernelspec.planning.strata import Stratum, kernel_value
from kernelspec.samples.amplitude_values import has_sides

if TYPE_CHECKING:
    from kernelspec.samples.samples import Samples
    from kernelspec.tables.rows import Rows

__all__ = ["Residual"]


@dataclass(frozen=True)
class Residual:
    """`pairs` of rows x and y, and what the anchors L and R say of them: a = k(x, R) P and b' = k(L, y)'P', (n, m).

    The anchors are the first m of the rows given.
    """

    pairs: NumericPairs
    left_anchors: Rows
    right_anchors: Rows
    a: NDArray[np.float64]
    b: NDArray[np.float64]
    seen: Seen = field(default_factory=Seen)

    @classmethod
    def on(cls, pairs: NumericPairs, anchors: Anchors, strata: Sequence[Stratum]) -> Residual:
        """What is left for pairs of any rows of the kernel of these strata."""
        own = anchors.left.rows
        other = own if anchors.right is None else anchors.right.rows
        x, y, left, right = numbered(pairs.x, pairs.y, own, other)
        pairs = replace(pairs, x=x, y=y)
        a = anchors.weights(kernel_value(strata, CompiledPairs(pairs.x, right)), "left")
        b = anchors.weights(kernel_value(strata, CompiledPairs(left, pairs.y)).T, "right")
        return cls(pairs, left, right, a, b)

    @classmethod
    def without_landmarks(cls, pairs: NumericPairs) -> Residual:
        """All of the kernel."""
        x, y = numbered(pairs.x, pairs.y)
        pairs, same = replace(pairs, x=x, y=y), y is x
        none, weights = x.take(slice(0, 0)), np.zeros((len(x), 0))
        return cls(pairs, none, none, weights, weights if same else np.zeros((len(pairs.y), 0)))

    def kernel(self, stratum: Stratum) -> NDArray[np.float64]:
        """k(x, y) - a k(L, y) - k(x, R) b + a k(L, R) b of one term: the mean of its samples' remainders."""
        x, y, left, right = self.pairs.x, self.pairs.y, self.left_anchors, self.right_anchors
        m, values = self.a.shape[1], self.seen.values
        if not m:
            return values(stratum, self.pairs)
        own = values(stratum, CompiledPairs(left, right))[:m, :m]
        beyond = values(stratum, CompiledPairs(x, right))[:, :m] - self.a @ own
        found = values(stratum, self.pairs) - self._products(self.a, values(stratum, CompiledPairs(left, y))[:m].T)
        return np.asarray(found - self._products(beyond, self.b))

    def whole(self, strata: Sequence[Stratum]) -> NDArray[np.float64]:
        """The same of the sum of these terms, with their weights."""
        found, m = kernel_value(strata, self.pairs), self.a.shape[1]
        if not m:
            return found
        left, right = self.left_anchors.take(slice(0, m)), self.right_anchors.take(slice(0, m))
        own = kernel_value(strata, CompiledPairs(left, right))
        to_right = kernel_value(strata, CompiledPairs(self.pairs.x, right))
        to_left = to_right if self._is_symmetric else kernel_value(strata, CompiledPairs(left, self.pairs.y)).T
        return np.asarray(found - self._products(self.a, to_left) - self._products(to_right - self.a @ own, self.b))

    def sides(self, batch: Samples) -> tuple[NDArray[Any], NDArray[Any]]:
        """φ_l(x) - a φ_l(L) and φ_r(y) - b' φ_r(R) of every row and sample, (rows, samples) each."""
        m, amplitudes = self.a.shape[1], self.seen.amplitudes
        left = amplitudes(batch, self.pairs.x, "left")
        if not m:
            is_same = self._is_symmetric and not has_sides(batch)
            return left, left if is_same else amplitudes(batch, self.pairs.y, "right")
        left = left - _times(self.a, amplitudes(batch, self.left_anchors, "left")[:m])
        if self._is_symmetric and not has_sides(batch):
            return left, left
        right = amplitudes(batch, self.pairs.y, "right")
        return left, right - _times(self.b, amplitudes(batch, self.right_anchors, "right")[:m])

    def products(self, left: NDArray[Any], right: NDArray[Any]) -> NDArray[np.float64]:
        """Re Σ_j l_j(x) conj r_j(y), of the shape of the pairs."""
        found = self._products(left.real, right.real)
        return found + self._products(left.imag, right.imag) if np.iscomplexobj(left) else found

    def some(self, n: int) -> Residual:
        """The same for the first n rows of either side, all with all."""
        x = self.pairs.x.take(slice(0, n))
        pairs = CompiledPairs(x, x if self._is_symmetric else self.pairs.y.take(slice(0, n)))
        m = self.a.shape[1]
        left = self.left_anchors.take(slice(0, m))
        if self._is_symmetric:
            a = self.a[:n]
            return Residual(pairs, left, left, a, a)
        return Residual(pairs, left, self.right_anchors.take(slice(0, m)), self.a[:n], self.b[:n])

    def forgetting(self) -> Residual:
        """The same, without what was computed for samples that are met once."""
        return Residual(self.pairs, self.left_anchors, self.right_anchors, self.a, self.b)

    @property
    def _is_symmetric(self) -> bool:
        """Both sides are the same rows and anchors."""
        return self.b is self.a and self.pairs.y is self.pairs.x and self.right_anchors is self.left_anchors

    def _products(self, left: NDArray[Any], right: NDArray[Any]) -> NDArray[np.float64]:
        return np.asarray(left @ right.T if self.pairs.grid else (left * right).sum(axis=1))


def _times(weights: NDArray[np.float64], amplitudes: NDArray[Any]) -> NDArray[Any]:
    """The product of real numbers and complex ones, half of the work of NumPy's."""
    if not np.iscomplexobj(amplitudes):
        return np.asarray(weights @ amplitudes)
    halves = np.ascontiguousarray(amplitudes).view(np.float64)
    return np.asarray((weights @ halves).view(np.complex128))
