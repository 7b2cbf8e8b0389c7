"""A kernel times an exponential of the lag: rows scaled on each side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.verdict import Verdict
from kernelspec.notation.arguments import Scalar, Value
from kernelspec.notation.pair_function import ExponentialOf
from kernelspec.notation.written import vector_text

if TYPE_CHECKING:
    from kernelspec.measures.measure import Measure
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

    def value(self, pairs: Pairs) -> Value:
        return self.base.value(pairs) * pairs.of(ExponentialOf(self.by))

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
        rule = "tilt: k(x, y) e^(β·Δ) is not symmetric where k is"
        proved = part.positive_definite == "proved"
        # k(x, y) ≠ 0 somewhere off the hyperplane β·Δ = 0, because a positive definite k is continuous with k(0) > 0
        asymmetric = proved and any((entry != 0) in (True,) for entry in self.by)
        return Verdict("disproved" if asymmetric else "unknown", (*part.reasons, rule), False, part.stationary)

    @property
    def is_stationary(self) -> bool:
        return self.base.is_stationary

    def measure(self) -> Measure:
        from kernelspec.measures.tilted import tilted

        return tilted(self.base.measure(), self.by)

    def __str__(self) -> str:
        return f"tilt({self.base}, {vector_text(self.by)})"
