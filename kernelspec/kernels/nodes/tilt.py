"""A kernel times an exponential of the lag: rows scaled on each side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.verdict import Verdict
from kernelspec.laws.moments import Moments
from kernelspec.laws.rewriting import OF_SHARES
from kernelspec.notation.arguments import Scalar, Value
from kernelspec.notation.pair_function import ExponentialOf
from kernelspec.notation.written import vector_text

if TYPE_CHECKING:
    from kernelspec.laws.sampler import Sampler
    from kernelspec.measures.measure import Measure
    from kernelspec.notation.pairs import Pairs

__all__ = ["Tilt"]


@dataclass(frozen=True, kw_only=True)
class Tilt(Kernel):
    """k(Δ) e^{β·Δ} = e^{β·x} k(x, y) e^{−β·y}, β = `by`: the samples of k with amplitudes e^{β·x} and e^{−β·y}.

    Exact for every k. A and B are those of k times e^{2β·Δ}. The measure is the analytic continuation ω → ω + iβ,
    where it is finite.
    """

    excluded: ClassVar[frozenset[str]] = OF_SHARES

    base: Kernel
    by: tuple[Scalar, ...]

    def validate(self) -> None:
        super().validate()
        if len(self.by) != self.dim:
            raise ValueError(f"a vector of {len(self.by)} entries stands on {self.dim} columns")

    def value(self, pairs: Pairs) -> Value:
        return self.base.value(pairs) * pairs.of(ExponentialOf(self.by))

    def diagonal(self) -> Scalar:
        return self.base.diagonal()

    def magnitude(self) -> Scalar:
        """That of the base, which is the size at x = y: far away |p| has no bound."""
        return self.base.magnitude()

    def moments(self, pairs: Pairs) -> Moments:
        return self.base.moments(pairs).scaled(pairs.of(ExponentialOf(tuple(2 * entry for entry in self.by))))

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

    @property
    def is_fourier(self) -> bool:
        return False

    def measure(self) -> Measure:
        from kernelspec.measures.tilted import tilted

        return tilted(self.base.measure(), self.by)

    def sampler(self, positions: tuple[int, ...]) -> Sampler:
        from kernelspec.laws.tilt import TiltSampler

        return TiltSampler(self.base.sampler(positions), tuple(float(entry) for entry in self.by), positions)

    def __str__(self) -> str:
        return f"tilt({self.base}, {vector_text(self.by)})"
