"""Features of an inner product that are the columns themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from kernelspec.kernels.families.inner_product import InnerProduct
from kernelspec.kernels.leaves.binary import Binary
from kernelspec.laws.columns_shown import reads_shown
from kernelspec.laws.coordinate import columns_read_by
from kernelspec.laws.law import Law
from kernelspec.laws.moments import Moments
from kernelspec.samples.amplitudes.linear_forms import LinearForms
from kernelspec.samples.samples import Samples

if TYPE_CHECKING:
    from kernelspec.kernels.kernel import Kernel
    from kernelspec.notation.arguments import Scalar, Value
    from kernelspec.notation.pairs import Pairs
    from kernelspec.random.streams import Stream

__all__ = ["ExactCoordinatesLaw", "exact"]


@dataclass(frozen=True)
class ExactCoordinatesLaw(Law):
    """p = Σ_j x_j y_j = x·y: a term for every column, nothing at random, and no variance, for d entries."""

    has_phasor: ClassVar[bool] = False
    has_key: ClassVar[bool] = False
    has_amplitude: ClassVar[bool] = True

    kernel: InnerProduct

    @property
    def dim(self) -> Scalar:
        return self.kernel.dim

    def draw(self, stream: Stream, n: int, columns: tuple[int, ...]) -> list[Samples]:
        del stream
        reads = columns_read_by(self.kernel, columns)
        d = len(reads)
        total = n * d
        column, none = np.tile(np.arange(d), n), np.full(total, -1)
        forms = LinearForms(reads, np.arange(total + 1), column, none, np.ones(total), np.ones(total))
        return [Samples(np.repeat(np.arange(n), d), np.ones(total), np.ones(total), amplitudes=(forms,))]

    def value(self, pairs: Pairs) -> Value:
        return self.kernel.value(pairs)

    def moments(self, pairs: Pairs) -> Moments:
        square = self.kernel.value(pairs) ** 2
        return Moments(square, square, square)

    def magnitude(self) -> Scalar:
        return self.kernel.magnitude()

    @property
    def n_terms(self) -> int:
        return int(self.kernel.dim)

    @property
    def is_exact(self) -> bool:
        return True

    def lines(self, columns: tuple[int, ...], names: Sequence[str] | None = None) -> list[str]:
        return [f"all of the columns {reads_shown(columns_read_by(self.kernel, columns), columns, names)}, exactly"]


def exact(kernel: Kernel) -> ExactCoordinatesLaw | None:
    """The scheme "exact", for inner products of a known number of columns; binary() has one, and is exact by itself."""
    if not isinstance(kernel, InnerProduct) or isinstance(kernel, Binary) or not isinstance(kernel.dim, int):
        return None
    return ExactCoordinatesLaw(kernel)
