"""A kernel at a translated lag."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.verdict import Verdict
from kernelspec.laws.moments import Moments
from kernelspec.laws.rewriting import OF_SHARES
from kernelspec.notation.arguments import Scalar, Value
from kernelspec.notation.elementary import known_number
from kernelspec.notation.pairs import NumericPairs
from kernelspec.notation.written import vector_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kernelspec.laws.sampler import Sampler
    from kernelspec.measures.measure import Measure
    from kernelspec.notation.pairs import Pairs

__all__ = ["Shift"]


@dataclass(frozen=True, kw_only=True)
class Shift(Kernel):
    """k(Δ + r), r = `by`: the samples of k at x + r and y, so that a frequency ω gets the phase r·ω on the left.

    The measure is e^{ir·ω} μ, of the same modulus.
    """

    excluded: ClassVar[frozenset[str]] = OF_SHARES

    base: Kernel
    by: tuple[Scalar, ...]

    def validate(self) -> None:
        super().validate()
        if len(self.by) != self.dim:
            raise ValueError(f"a vector of {len(self.by)} entries stands on {self.dim} columns")

    def value(self, pairs: Pairs) -> Value:
        return self.base.value(pairs.translated(self.by))

    def diagonal(self) -> Scalar:
        numbers = [known_number(entry) for entry in self.by]
        if isinstance(self.dim, int) and all(isinstance(entry, int | float) for entry in self.by):
            import numpy as np

            return float(np.ravel(self.base.value(NumericPairs.of_vectors(np.array([numbers]))))[0])
        if self.dim is None:  # the number of columns is not known yet
            return float("nan")
        from kernelspec.notation.symbolic_pairs import SymbolicPairs

        constant = len(set(self.by)) == 1
        entries = SymbolicPairs(
            self.dim, lambda i: self.by[0 if constant else int(i) - 1], None, isinstance(self.dim, int)
        )
        return self.base.value(entries)

    def magnitude(self) -> Scalar:
        return self.base.magnitude()

    def moments(self, pairs: Pairs) -> Moments:
        return self.base.moments(pairs.translated(self.by))

    def transposed(self) -> Kernel:
        by = tuple(-entry for entry in self.by)
        return Shift(base=self.base.transposed(), by=by, dim=self.dim, span=self.span)

    def verdict(self) -> Verdict:
        part = self.base.verdict()
        here, top = known_number(self.diagonal()), known_number(self.base.diagonal())
        if part.positive_definite == "proved" and here is not None and top is not None:
            if here <= -(1 - 1e-12) * top:
                reason = "shift: k(r) = −k(0), so that k(Δ + r) = −k(Δ)"
                return Verdict("disproved", (*part.reasons, reason), part.symmetric, part.stationary)
            if here < (1 - 1e-12) * top:
                # k ≤ k(0) everywhere: a positive definite k(Δ + r) would have its maximum k(r) at least as large
                reason = f"shift: k(0) = {top:.6g} is taken at Δ = −r, and exceeds the diagonal, {here:.6g}"
                return Verdict("disproved", (*part.reasons, reason), False, part.stationary)
            if here >= top:
                reason = "shift: k(r) = k(0), so that r is a period of k"
                return Verdict("proved", (*part.reasons, reason), part.symmetric, part.stationary)
        rule = "shift: k(Δ + r) is not symmetric unless r is a period of k, or half of one"
        return Verdict("unknown", (*part.reasons, rule), False, part.stationary)

    @property
    def is_stationary(self) -> bool:
        return self.base.is_stationary

    @property
    def is_fourier(self) -> bool:
        return False

    def alternatives(self) -> Mapping[str, Kernel]:
        return {"polar": self} if self.base.is_fourier else {}

    def measure(self) -> Measure:
        from kernelspec.measures.shifted import Shifted

        return Shifted(self.base.measure(), self.by, self.diagonal())

    def sampler(self, positions: tuple[int, ...]) -> Sampler:
        from kernelspec.laws.translation import TranslationSampler

        return TranslationSampler(self.base.sampler(positions), tuple(float(entry) for entry in self.by), positions)

    def __str__(self) -> str:
        return f"shift({self.base}, {vector_text(self.by)})"
