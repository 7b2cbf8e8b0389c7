"""A kernel times an exponential of the lag: rows scaled on each side."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaves.shift_gaussian import ShiftGaussian
from kernelspec.kernels.verdict import Verdict
from kernelspec.notation.arguments import Scalar, Value
from kernelspec.notation.elementary import is_known_zero
from kernelspec.notation.pair_function import ExponentialOf
from kernelspec.notation.pairs import NumericPairs
from kernelspec.notation.written import vector_text
from kernelspec.special.scaled import Scaled

if TYPE_CHECKING:
    from kernelspec.notation.pairs import Pairs

__all__ = ["Tilt"]


@dataclass(frozen=True, kw_only=True)
class Tilt(Kernel):
    """k(Δ) e^{β·Δ} = e^{β·x} k(x, y) e^{−β·y}, β = `by`: the samples of k with amplitudes e^{β·x} and e^{−β·y}.

    Exact for every k. A and B are those of k times e^{2β·Δ}. The measure is the analytic continuation ω → ω + iβ,
    where it is finite.
    """

    base: Kernel
    by: tuple[Scalar, ...]

    def validate(self) -> None:
        super().validate()
        if len(self.by) != self.dim:
            raise ValueError(f"a vector of {len(self.by)} entries stands on {self.dim} columns")

    def value(self, pairs: Pairs) -> Value:
        if isinstance(pairs, NumericPairs):
            return self.scaled_value(pairs).value()
        return self.base.value(pairs) * pairs.of(ExponentialOf(self.by))

    def scaled_value(self, pairs: NumericPairs) -> Scaled:
        return self.base.scaled_value(pairs).times(Scaled(np.ones(()), pairs.inner(self.by)))

    @property
    def grows_exponentially(self) -> bool:
        return True

    def diagonal(self) -> Scalar:
        return self.base.diagonal()

    def magnitude(self) -> Scalar:
        """That of the base, which is the size at x = y: far away |p| has no bound."""
        return self.base.magnitude()

    def transposed(self) -> Kernel:
        by = tuple(-entry for entry in self.by)
        return Tilt(base=self.base.transposed(), by=by, dim=self.dim, span=self.span)

    def verdict(self) -> Verdict:
        part = self.base.verdict()
        if isinstance(self.base, ShiftGaussian):  # k(Δ + r) e^(β·Δ) is a multiple of k(Δ + r − σ²β)
            return self.base.translated_verdict(tuple(self.base.scale**2 * entry for entry in self.by), "tilt")
        if part.positive_definite == "proved" and self._moves_continuously():
            rule = "tilt: k(x, y) e^(β·Δ) is not symmetric where k is"
            return replace(part, positive_definite="disproved", reasons=(*part.reasons, rule), symmetric=False)
        rule = "tilt: k(x, y) e^(β·Δ) is symmetric only where k makes up for the exponential, which no rule decides"
        return replace(part, positive_definite="unknown", reasons=(*part.reasons, rule), symmetric=None)

    def _moves_continuously(self) -> bool:
        """Whether β ≠ 0 in some column where a positive definite k is continuous.

        As k(x, x) > 0 for some x, k(x, y) ≠ 0 for some y with β·Δ ≠ 0. Of columns with few values, such as categories,
        k may vanish wherever x and y differ.
        """
        rates = self.by if len(self.by) > 1 or not isinstance(self.dim, int) else self.by * self.dim
        from kernelspec.kernels.leaf_columns import leaf_columns

        bound = leaf_columns(self.base, lambda leaf: leaf.compares_categories or leaf.domain is not None)
        if bound is None:
            return False
        # a constant β has one entry where the number of columns is a symbol, and then no column is bound
        return any(is_known_zero(rate) is False and i not in bound for i, rate in enumerate(rates))

    @property
    def is_stationary(self) -> bool:
        return self.base.is_stationary

    def __str__(self) -> str:
        return f"tilt({self.base}, {vector_text(self.by)})"
