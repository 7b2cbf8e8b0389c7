"""How much the elaboration of one kernel has made so far, against the bounds of what a text may stand for."""

from __future__ import annotations

from dataclasses import dataclass

from kernelspec.errors import RangeError
from kernelspec.language.nodes import Expression
from kernelspec.limits import MAX_EVALUATIONS, MAX_KERNELS, MAX_WRITTEN_COLUMNS

__all__ = ["Counts"]


@dataclass
class Counts:
    """Kernels, columns written out one by one, and parts evaluated; of a `let`, the first two count at every use."""

    kernels: int = 0
    columns: int = 0
    evaluated: int = 0

    def count_kernels(self, many: int, node: Expression) -> None:
        """Note that kernels are about to be made. Raises RangeError where they are too many."""
        self.kernels += many
        if self.kernels > MAX_KERNELS:
            raise RangeError(f"more than {MAX_KERNELS:,} kernels, counting every use of a let", node.span)

    def count_columns(self, many: int, node: Expression) -> None:
        """Note that columns are about to be listed, or numbers for each. Raises RangeError where they are too many."""
        self.columns += many
        if self.columns > MAX_WRITTEN_COLUMNS:
            raise RangeError(
                f"more than {MAX_WRITTEN_COLUMNS:,} columns in selections and vectors together, counting every use of "
                "a let",
                node.span,
            )

    def count_evaluations(self, many: int, node: Expression) -> None:
        """Note that parts are about to be evaluated. Raises RangeError where they are too many."""
        self.evaluated += many
        if self.evaluated > MAX_EVALUATIONS:
            raise RangeError(
                f"more than {MAX_EVALUATIONS:,} parts to evaluate, counting a let once for the columns it is used on, "
                "and entries of vectors at every use",
                node.span,
            )
