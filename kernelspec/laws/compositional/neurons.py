"""The dual of an activation over directions, sampled by random neurons."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kernelspec.kernels.families.cosine_similarity import CosineSimilarity
from kernelspec.kernels.families.inner_product import InnerProduct
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaves.sphere import Sphere
from kernelspec.kernels.nodes.dual import Dual
from kernelspec.kernels.nodes.select import Select
from kernelspec.laws.compositional.neuron_moments import neuron_moment, neuron_moment_expression
from kernelspec.laws.moments import Moments
from kernelspec.laws.resampled import Resampled
from kernelspec.notation.pairs import NumericPairs

if TYPE_CHECKING:
    from kernelspec.laws.sampler import Sampler
    from kernelspec.notation.pairs import Pairs

__all__ = ["Neurons", "directions_below"]


@dataclass(frozen=True, kw_only=True)
class Neurons(Resampled):
    """σ̂(x·y) = E σ(w·x)σ(w·y)/E σ² for w ~ N(0, I) and rows of norm 1: a sample is a neuron with random weights.

    One real feature; E p² = E σ(U)²σ(V)²/(E σ²)² for normal U, V of correlation x·y, which is finite where that of
    random monomials is not. Reference: Cho and Saul 2009; Daniely, Frostig and Singer 2016.
    """

    base: Dual

    def moments(self, pairs: Pairs) -> Moments:
        rho = self.base.base.value(pairs)
        if isinstance(pairs, NumericPairs):
            second = neuron_moment(self.base.activation, np.asarray(rho, dtype=float))
        else:
            second = neuron_moment_expression(self.base.activation, rho)
        return Moments(second, second, second)

    def sampler(self, positions: tuple[int, ...]) -> Sampler:
        from kernelspec.samples.amplitudes.neurons import NeuronSampler

        found = directions_below(self.base.base)
        if found is None:
            raise TypeError("neurons are for duals of rows of norm 1 alone")
        below, chosen = found
        read = tuple(positions[i] for i in chosen)
        return NeuronSampler(self.base.activation, read, below.reads(read))


def directions_below(kernel: Kernel) -> tuple[InnerProduct, tuple[int, ...]] | None:
    """sphere() or normalize(linear()), perhaps on some of the columns, with these columns; None for other kernels."""
    positions = tuple(range(kernel.dim)) if isinstance(kernel.dim, int) else ()
    while isinstance(kernel, Select):
        positions = tuple(positions[i] for i in kernel.positions) if positions else kernel.positions
        kernel = kernel.base
    return (kernel, positions) if isinstance(kernel, CosineSimilarity | Sphere) else None
