"""A positive measure that dominates a signed or complex one, up to a factor: what its masses are integrated over."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernelspec.measures.complex_frequency import ComplexFrequency
from kernelspec.measures.composed import Composed
from kernelspec.measures.convolution import Convolution, convolve
from kernelspec.measures.directional import Directional
from kernelspec.measures.embedding import Embedding
from kernelspec.measures.mixture import Mixture
from kernelspec.measures.push_forward import PushForward
from kernelspec.measures.shifted import Shifted
from kernelspec.measures.spectral import Spectral

if TYPE_CHECKING:
    from kernelspec.measures.measure import Measure

__all__ = ["envelope"]


def envelope(measure: Measure) -> Measure:
    """The measure with every weight replaced by its modulus and every phase left out; itself for a positive one.

    |μ(dω)| ≤ c·envelope(dω) for some constant c, so that integrals of μ are means over draws of the envelope.
    """
    match measure:
        case Directional():
            return Spectral(measure.kernel.gaussian)
        case ComplexFrequency():
            return Spectral(measure.kernel)
        case Shifted():
            return envelope(measure.part)
        case Mixture():
            weights = tuple(abs(w) for w in measure.weights)
            return Mixture(tuple(envelope(part) for part in measure.parts), weights, measure.space)
        case Convolution():
            return convolve(tuple(envelope(part) for part in measure.parts))
        case Embedding():
            return Embedding(envelope(measure.part), measure.positions, measure.space)
        case Composed():
            return Composed(measure.kernel, envelope(measure.part))
        case PushForward():
            return PushForward(envelope(measure.part), measure.matrix, measure.space)
    return measure
