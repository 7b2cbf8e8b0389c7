"""Numbers of the density of a convolution."""

from __future__ import annotations

from functools import reduce
from math import prod

import numpy as np

from kernelspec.errors import NoDensityError
from kernelspec.measures.atoms import Atoms
from kernelspec.measures.convolution import Convolution, convolve
from kernelspec.measures.embedding import Embedding
from kernelspec.measures.inversion import invert_line, invert_radial
from kernelspec.measures.marginals import is_radial, marginals
from kernelspec.measures.measure import Measure
from kernelspec.measures.mixture import Mixture
from kernelspec.measures.push_forward import PushForward
from kernelspec.measures.shifted import Shifted

__all__ = ["block_density", "is_inverted"]


def _split(parts: tuple[Measure, ...]) -> tuple[Atoms | None, list[Measure]]:
    found = [(part, part.atoms()) for part in parts]
    atoms = [atoms for _, atoms in found if atoms is not None]
    return (reduce(Atoms.convolve, atoms) if atoms else None), [part for part, atoms in found if atoms is None]


def block_density(parts: tuple[Measure, ...], frequencies: np.ndarray) -> np.ndarray:
    """Density of the convolution of measures that share columns, at frequencies (n, d) → (n,).

    In closed form for atoms beside one density, by numerical inversion where that needs one variable at a time.
    Raises NoDensityError for the others.
    """
    atoms, diffuse = _split(parts)
    block = Convolution(parts)
    if len(diffuse) > 1 and (atoms is None or frequencies.shape[1] == 1 or marginals(block) is not None):
        return _inverted(block, frequencies)
    rest = convolve(tuple(diffuse))
    if atoms is None:
        return rest.density(frequencies)
    values = np.zeros(len(frequencies), dtype=complex if block.is_complex or np.iscomplexobj(atoms.weights) else float)
    for point, weight in zip(atoms.points, atoms.weights, strict=True):
        values += weight * rest.density(frequencies - point)
    return values


def is_inverted(measure: Measure) -> bool:
    """Whether values of the density are numerical integrals, from the kernel, of an error that is not known."""
    match measure:
        case Convolution():
            return sum(part.atoms() is None for part in measure.parts) > 1 or any(map(is_inverted, measure.parts))
        case Mixture():
            return any(map(is_inverted, measure.parts))
        case PushForward() | Embedding() | Shifted():
            return is_inverted(measure.part)
    return False


def _inverted(block: Convolution, frequencies: np.ndarray) -> np.ndarray:
    """The density by numerical inversion, where it is a function of one variable or a product of such."""
    if frequencies.shape[1] == 1:
        return invert_line(block, frequencies[:, 0])
    independent = marginals(block)
    if independent is not None:
        columns = zip(independent, frequencies.T, strict=True)
        return np.asarray(prod(part.density(column[:, None]) for part, column in columns))
    if is_radial(block):
        return invert_radial(block, np.linalg.norm(frequencies, axis=1))
    raise NoDensityError(
        "the density is a convolution of several variables without closed form; its characteristic function and its "
        "sampler are exact"
    )
