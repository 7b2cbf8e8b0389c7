"""Where the transform of a measure on the line changes: the lags around which it is looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernelspec.measures.composed import Composed
from kernelspec.measures.continued import Continued
from kernelspec.measures.convolution import Convolution
from kernelspec.measures.directional import Directional
from kernelspec.measures.embedding import Embedding
from kernelspec.measures.mixture import Mixture
from kernelspec.measures.push_forward import PushForward
from kernelspec.measures.shifted import Shifted
from kernelspec.measures.spectral import Spectral
from kernelspec.measures.tilted import Tilted

if TYPE_CHECKING:
    from kernelspec.measures.measure import Measure

__all__ = ["landmarks"]


def landmarks(measure: Measure) -> frozenset[float]:
    """The lags at which k on the line has its peaks and kinks, as far as translations move them.

    0 for a kernel of the catalogue, −r for one translated by r, and as many of these as there are parts.
    """
    match measure:
        case Spectral() | Tilted() | Continued():
            return frozenset({0.0})
        case Directional():
            step = float(measure.kernel.step[0])
            return frozenset({0.0, step, -step})
        case Shifted():
            by = float(measure.by[0])
            return frozenset(lag - by for lag in landmarks(measure.part))
        case PushForward():
            scale = _entry(measure.matrix)
            return frozenset(lag / scale for lag in landmarks(measure.part)) if scale else frozenset({0.0})
        case Embedding() | Composed():
            return landmarks(measure.part)
        case Convolution() | Mixture():
            return frozenset({0.0}).union(*(landmarks(part) for part in measure.parts))
    raise TypeError(f"no rule says where the transform of {type(measure).__name__} changes")


def _entry(matrix: object) -> float:
    while isinstance(matrix, tuple):
        matrix = matrix[0]
    return float(matrix)  # type: ignore[arg-type]
