"""A kernel at a translated lag."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaves.cosh_gaussian import CoshGaussian
from kernelspec.kernels.verdict import Verdict
from kernelspec.notation.arguments import Scalar, Value
from kernelspec.notation.elementary import known_number
from kernelspec.notation.pairs import NumericPairs
from kernelspec.notation.written import vector_text

if TYPE_CHECKING:
    from kernelspec.notation.pairs import Pairs
    from kernelspec.special.scaled import Scaled

__all__ = ["Shift"]

_RULE = "shift: k(Δ + r) is not symmetric unless 2r is a period of k, which no rule decides"


@dataclass(frozen=True, kw_only=True)
class Shift(Kernel):
    """k(Δ + r), r = `by`: the samples of k at x + r and y, so that a frequency ω gets the phase r·ω on the left.

    The measure is e^{ir·ω} μ, of the same modulus.
    """

    base: Kernel
    by: tuple[Scalar, ...]

    def validate(self) -> None:
        super().validate()
        if len(self.by) != self.dim:
            raise ValueError(f"a vector of {len(self.by)} entries stands on {self.dim} columns")

    def value(self, pairs: Pairs) -> Value:
        return self.base.value(pairs.translated(self.by))

    def scaled_value(self, pairs: NumericPairs) -> Scaled:
        return self.base.scaled_value(pairs.translated(self.by))

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

    def transposed(self) -> Kernel:
        by = tuple(-entry for entry in self.by)
        return Shift(base=self.base.transposed(), by=by, dim=self.dim, span=self.span)

    def verdict(self) -> Verdict:
        from kernelspec.kernels.periods import height

        if isinstance(self.base, CoshGaussian):  # k(Δ + r), k = G(Δ) e^(β·Δ), is a multiple of G(Δ) e^((β − r/σ²)·Δ)
            return self.base.translated_verdict(tuple(entry / self.base.scale**2 for entry in self.by), "shift")
        part = self.base.verdict()
        if part.positive_definite != "proved":
            return replace(part, positive_definite="unknown", reasons=(*part.reasons, _RULE), symmetric=None)
        # for positive definite k: |k| ≤ k(0), and k(Δ + r) = k(r − Δ) for all Δ just where 2r is a period
        here, twice = height(self.base, self.by), height(self.base, tuple(2 * entry for entry in self.by))
        symmetric = True if here in (1, -1) else None if twice is None else twice == 1
        if here == 1:
            return replace(part, reasons=(*part.reasons, "shift: k(r) = k(0), so that r is a period of k"))
        if here is None and symmetric is not False:
            return replace(part, positive_definite="unknown", reasons=(*part.reasons, _RULE), symmetric=symmetric)
        reason = (
            "shift: k(r) = −k(0), so that k(Δ + r) = −k(Δ)"
            if here == -1
            else "shift: k(0) is taken at Δ = −r, and exceeds the diagonal, k(r)"
            if here == 0
            else "shift: 2r is no period of k, so that k(x, y) ≠ k(y, x)"
        )
        return replace(part, positive_definite="disproved", reasons=(*part.reasons, reason), symmetric=symmetric)

    @property
    def is_stationary(self) -> bool:
        return self.base.is_stationary

    def __str__(self) -> str:
        return f"shift({self.base}, {vector_text(self.by)})"
