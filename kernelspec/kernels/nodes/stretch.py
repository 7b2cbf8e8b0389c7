"""Linear changes of the lag: a common scale, one scale per column, or a matrix."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.verdict import Verdict
from kernelspec.notation.arguments import Scalar, Value
from kernelspec.notation.written import number_text, vector_text

if TYPE_CHECKING:
    from kernelspec.notation.pairs import NumericPairs, Pairs
    from kernelspec.special.scaled import Scaled

__all__ = ["Stretch"]


@dataclass(frozen=True, kw_only=True)
class Stretch(Kernel):
    """k(AΔ). `matrix` is A: a number (1/s), a tuple with one number per column, or a tuple of rows.

    The measure is pushed forward, ω → A'ω. A may be singular or not square: the kernel stays positive
    definite, and the measure then has no density.
    """

    base: Kernel
    matrix: Any

    @property
    def is_matrix(self) -> bool:
        """Whether A is a full matrix rather than a number or a diagonal."""
        return isinstance(self.matrix, tuple) and isinstance(self.matrix[0], tuple)

    def validate(self) -> None:
        matrix = self.matrix
        wide = matrix if self.is_matrix else [matrix if isinstance(matrix, tuple) else (0,) * self.dim]
        if any(len(row) != self.dim or any(isinstance(entry, tuple) for entry in row) for row in wide):
            raise ValueError(f"the rows of a matrix have other lengths than {self.dim}")
        self.check_widths([len(matrix) if self.is_matrix else self.dim])

    def value(self, pairs: Pairs) -> Value:
        return self.base.value(pairs.map(self.matrix))

    def scaled_value(self, pairs: NumericPairs) -> Scaled:
        return self.base.scaled_value(pairs.map(self.matrix))

    def diagonal(self) -> Scalar:
        return self.base.diagonal()

    def magnitude(self) -> Scalar:
        return self.base.magnitude()

    def verdict(self) -> Verdict:
        part = self.base.verdict()
        rule = "stretch: a linear map of the columns keeps positive definiteness"
        # not the lack of it: a matrix may lose the directions in which the base fails
        part = replace(part, reasons=(*part.reasons, rule))
        if not self.is_matrix:
            return part
        lost = part.positive_definite == "disproved"
        return replace(
            part,
            positive_definite="unknown" if lost else part.positive_definite,
            symmetric=part.symmetric or None,
            stationary=part.stationary or None,
        )

    @property
    def is_stationary(self) -> bool:
        return self.base.is_stationary

    def __str__(self) -> str:
        if self.is_matrix:
            rows = (", ".join(map(number_text, row)) for row in self.matrix)
            by = f"[{', '.join(f'[{row}]' for row in rows)}]"
        else:  # A is the inverse of the scales that are written
            scales = [
                1 / entry if entry != 0 else float("inf")
                for entry in (self.matrix if isinstance(self.matrix, tuple) else [self.matrix])
            ]
            by = vector_text(scales) if isinstance(self.matrix, tuple) else number_text(scales[0])
        return f"stretch({self.base}, {by})"
