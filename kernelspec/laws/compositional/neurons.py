"""The dual of an activation over directions, sampled by random neurons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from kernelspec.kernels.families.cosine_similarity import CosineSimilarity
from kernelspec.kernels.families.inner_product import InnerProduct
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaves.sphere import Sphere
from kernelspec.kernels.nodes.dual import Dual
from kernelspec.kernels.nodes.select import Select
from kernelspec.laws.columns_shown import reads_shown
from kernelspec.laws.compositional.neuron_moments import low_degrees_of, neuron_moment, neuron_moment_expression
from kernelspec.laws.coordinate import columns_read_by
from kernelspec.laws.law import Law
from kernelspec.laws.moments import Moments
from kernelspec.notation.pairs import NumericPairs
from kernelspec.samples.amplitudes.neurons import Neurons
from kernelspec.samples.samples import Samples

if TYPE_CHECKING:
    from kernelspec.notation.arguments import Scalar, Value
    from kernelspec.notation.pairs import Pairs
    from kernelspec.random.streams import Stream
    from kernelspec.samples.columns_read import ColumnRead

__all__ = ["NeuronLaw", "neurons"]


@dataclass(frozen=True)
class NeuronLaw(Law):
    """p = σ(w·x)σ(w·y)/E σ², w ~ N(0, I), on rows of norm 1: E p = σ̂(x·y), a neuron with random weights.

    One real feature; E p² = E σ(U)²σ(V)²/(E σ²)² for normal U, V of correlation x·y, which is finite where that of
    random monomials is not. `below` is the inner product of rows of norm 1 that the dual stands over, at `positions`
    of its columns. With `is_curved` the Hermite polynomials 1 and x are taken out of σ, so that the samples are of
    (Σ_{l ≥ 2} a_l ρ^l)/(1 − a_0 − a_1). Reference: Cho and Saul 2009; Daniely, Frostig and Singer 2016.
    """

    has_phasor: ClassVar[bool] = False
    has_key: ClassVar[bool] = False
    has_amplitude: ClassVar[bool] = True

    kernel: Dual
    below: InnerProduct
    positions: tuple[int, ...]
    is_curved: bool = False

    @property
    def dim(self) -> Scalar:
        return self.kernel.dim

    def validate(self) -> None:
        super().validate()
        inside = all(0 <= position < self.kernel.dim for position in self.positions)
        if not inside or len(self.positions) != self.below.dim:
            raise ValueError(f"neurons on {self.below.dim} columns stand on {self.positions} of {self.kernel.dim}")

    def draw(self, stream: Stream, n: int, columns: tuple[int, ...]) -> list[Samples]:
        reads = self._reads(columns)
        weights = stream.normal("weights", (n, len(reads)))
        drawn = Neurons(self.kernel.activation, reads, weights, *self._less)
        return [Samples(np.arange(n), np.full(n, 1 / self._share), np.ones(n), amplitudes=(drawn,))]

    def value(self, pairs: Pairs) -> Value:
        whole = self.kernel.value(pairs)
        if not self.is_curved:
            return whole
        constant, slope = self._less
        return (whole - constant**2 - slope**2 * self.kernel.base.value(pairs)) / self._share

    def moments(self, pairs: Pairs) -> Moments:
        rho, activation = self.kernel.base.value(pairs), self.kernel.activation
        if isinstance(pairs, NumericPairs):
            second = neuron_moment(activation, np.asarray(rho, dtype=float), self._less) / self._share**2
        else:
            second = neuron_moment_expression(activation, rho, self._less) / self._share**2
        return Moments(second, second, second)

    def magnitude(self) -> Scalar:
        return self.kernel.magnitude()

    def lines(self, columns: tuple[int, ...], names: Sequence[str] | None = None) -> list[str]:
        chosen = tuple(columns[i] for i in self.positions)
        shown = reads_shown(self._reads(columns), chosen, names)
        given = ", less what is constant and linear in them" if self.is_curved else ""
        return [f"neurons {self.kernel.activation} with normal weights on columns {shown}{given}"]

    @property
    def _less(self) -> tuple[float, float]:
        """What is taken out of the activation: c_0 and c_1."""
        return low_degrees_of(self.kernel.activation) if self.is_curved else (0.0, 0.0)

    @property
    def _share(self) -> float:
        """1 − a_0 − a_1 where these are taken out."""
        return 1.0 - sum(c**2 for c in self._less)

    def _reads(self, columns: tuple[int, ...]) -> tuple[ColumnRead, ...]:
        return columns_read_by(self.below, tuple(columns[i] for i in self.positions))


def neurons(kernel: Kernel) -> NeuronLaw | None:
    """The scheme "neurons", for dual(…) of sphere() or normalize(linear()), perhaps on some of the columns."""
    if not isinstance(kernel, Dual):
        return None
    below = kernel.base
    positions = tuple(range(below.dim)) if isinstance(below.dim, int) else ()
    while isinstance(below, Select):
        positions = tuple(positions[i] for i in below.positions) if positions else below.positions
        below = below.base
    return NeuronLaw(kernel, below, positions) if isinstance(below, CosineSimilarity | Sphere) else None
