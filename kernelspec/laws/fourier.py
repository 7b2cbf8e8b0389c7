"""Random Fourier features: one frequency from the spectral measure per sample."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from kernelspec.errors import RangeError
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaf import Stationary
from kernelspec.laws.columns_shown import columns_shown
from kernelspec.laws.law import Law
from kernelspec.laws.moments import Moments, size_on
from kernelspec.laws.opposite_atoms import opposite_atoms
from kernelspec.laws.rules import Below, own_law
from kernelspec.measures.convolution import Convolution
from kernelspec.measures.embedding import Embedding
from kernelspec.measures.measure_of import measure_of
from kernelspec.measures.mixture import Mixture
from kernelspec.measures.push_forward import PushForward
from kernelspec.samples.samples import Phasors, Samples

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernelspec.measures.measure import Measure
    from kernelspec.notation.arguments import Scalar, Value
    from kernelspec.notation.pairs import Pairs
    from kernelspec.random.streams import Stream

__all__ = ["FourierLaw"]


@dataclass(frozen=True)
class FourierLaw(Law):
    """p = k(0) exp(i ω·(x − y)), ω ~ μ / k(0), for a positive definite k(x − y) [Rahimi and Recht 2007].

    A = k(0)² and B = k(0) k(2Δ).
    """

    has_phasor: ClassVar[bool] = True
    has_key: ClassVar[bool] = False

    kernel: Kernel

    @property
    def dim(self) -> Scalar:
        return self.kernel.dim

    @cached_property
    def measure(self) -> Measure:
        """μ."""
        return measure_of(self.kernel)

    def draw(self, stream: Stream, n: int, columns: tuple[int, ...]) -> list[Samples]:
        with np.errstate(over="ignore", invalid="ignore"):
            frequencies = self.measure.sample(stream, n)
        _require_finite(frequencies, self.kernel)
        used = _used(self.measure)
        if len(used) == len(columns):
            phasors = Phasors.symmetric(columns, frequencies)
        else:
            phasors = Phasors.symmetric(tuple(columns[i] for i in used), frequencies[:, used])
        mass = float(self.measure.total_mass())
        return [Samples(np.arange(n), np.full(n, mass), np.ones(n), phasors.merged())]

    def draw_products(self, stream: Stream, counts: NDArray[np.int64], columns: tuple[int, ...]) -> Samples | None:
        if not isinstance(self.kernel, Stationary):
            return None
        with np.errstate(over="ignore", invalid="ignore"):
            frequencies = self.kernel.draw_sums(stream, counts)
        if frequencies is None:
            return None
        _require_finite(frequencies, self.kernel)
        phasors = Phasors.symmetric(columns, frequencies)
        n = len(counts)
        return Samples(np.arange(n), np.ones(n), np.ones(n), phasors.merged())

    def value(self, pairs: Pairs) -> Value:
        return self.kernel.value(pairs)

    def moments(self, pairs: Pairs) -> Moments:
        size = size_on(pairs, self.kernel.diagonal())
        return Moments(size * size, size * self.kernel.value(pairs.map(2)), 0)

    def magnitude(self) -> Scalar:
        return self.kernel.magnitude()

    def fourier_kernel(self) -> Kernel:
        return self.kernel

    @property
    def exactness(self) -> str:
        found = opposite_atoms(self.kernel)
        single = found is not None and len(found) + (found.constant > 0) == 1
        return "one frequency has a cosine and a sine" if single else ""

    @property
    def tolerance(self) -> float:
        return max((part.tolerance() for part in self.kernel.parts() if isinstance(part, Stationary)), default=0.0)

    def lines(self, columns: tuple[int, ...], names: Sequence[str] | None = None) -> list[str]:
        read = [columns[i] for i in _used(self.measure)]
        return [f"frequencies of {self.measure.describe()} on columns {columns_shown(read, names)}"]


@own_law.register
def _(kernel: Stationary, below: Below) -> FourierLaw:
    del below
    return FourierLaw(kernel)


def _used(measure: Measure) -> list[int]:
    """The coordinates that are not zero in every frequency: the others' columns are not read, whatever they hold."""
    match measure:
        case Embedding():
            return sorted({measure.positions[i] for i in _used(measure.part)})
        case Convolution() | Mixture():
            return sorted({i for part in measure.parts for i in _used(part)})
        case PushForward() if not measure.is_matrix:
            return _used(measure.part)
    return list(range(measure.dim))


def _require_finite(frequencies: NDArray[np.float64], kernel: Kernel) -> None:
    """Raise RangeError for frequencies beyond all floats, as heavy tails on columns stretched by 1e-99 have them."""
    if not np.isfinite(frequencies).all():
        raise RangeError("this kernel has frequencies beyond all floats: no features are drawn of these", kernel.span)
