"""Where the transform of a measure on the line changes: the landmarks around which it is sampled, and its boxes."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from math import prod

import numpy as np

from kernelspec.measures.convolution import Composed, Convolution
from kernelspec.measures.measure import Measure, Spectral
from kernelspec.measures.mixture import Embedding, Mixture, PushForward
from kernelspec.measures.translated import Continued, Directional, Shifted, Tilted
from kernelspec.special.closed_forms import Band

__all__ = ["Box", "box_of", "landmarks", "waves_of"]


def landmarks(measure: Measure) -> frozenset[float]:
    """The lags at which k on the line has its peaks and kinks, as far as they follow from translations.

    0 and narrow bumps for a kernel of the catalogue, −r for one translated by r, and those of each part.
    """
    match measure:
        case Spectral():
            return frozenset({0.0, *(sign * lag for lag in measure.kernel.narrow_lags() for sign in (1, -1))})
        case Tilted() | Continued():
            return frozenset({0.0})
        case Directional():
            step = float(measure.kernel.step[0])
            return frozenset({0.0, step, -step})
        case Shifted():
            by = float(measure.by[0])
            return frozenset(lag - by for lag in landmarks(measure.part))
        case PushForward():
            scale = float(np.ravel(measure.matrix)[0])
            return frozenset(lag / scale for lag in landmarks(measure.part)) if scale else frozenset({0.0})
        case Embedding() | Composed():
            return landmarks(measure.part)
        case Convolution() | Mixture():
            return frozenset({0.0}).union(*(landmarks(part) for part in measure.parts))
    raise TypeError(f"no rule says where the transform of {type(measure).__name__} changes")


@dataclass(frozen=True)
class Box:
    """U(−b, b) times the phase e^{irω}, b = `half_width` and r = `shift`: of transform sin(b(t + r)) / (b(t + r))."""

    half_width: float
    shift: float = 0.0


def box_of(measure: Measure) -> Box | None:
    """The box that a measure on the line is; None for other measures."""
    match measure:
        case Spectral():
            density = measure.kernel.comparable_density(1)
            return Box(float(density.width)) if isinstance(density, Band) else None
        case Shifted():
            inner = box_of(measure.part)
            return inner and Box(inner.half_width, inner.shift + float(measure.by[0]))
        case PushForward() if not isinstance(measure.matrix, tuple) and float(measure.matrix) != 0:
            inner, scale = box_of(measure.part), float(measure.matrix)
            return inner and Box(inner.half_width * abs(scale), inner.shift / scale)
    return None


def waves_of(boxes: tuple[Box, ...]) -> list[tuple[complex, float]]:
    """(c, β) with ∏ sin(b(t + r)) = Σ c e^{iβt} over the boxes."""
    waves = []
    for signs in product((1, -1), repeat=len(boxes)):
        turned = [sign * box.half_width for sign, box in zip(signs, boxes, strict=True)]
        phase = sum(b * box.shift for b, box in zip(turned, boxes, strict=True))
        waves.append((complex(prod(signs) * np.exp(1j * phase) / (2j) ** len(boxes)), float(sum(turned))))
    return waves
