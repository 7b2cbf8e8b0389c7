"""Numbers of the density of a convolution."""

from __future__ import annotations

from functools import reduce
from math import prod

import numpy as np

from kernelspec.errors import NoDensityError
from kernelspec.measures.atoms import Atoms
from kernelspec.measures.convolution import Convolution, convolve, expanded_mixture
from kernelspec.measures.inversion import invert_line, invert_radial
from kernelspec.measures.marginals import is_radial, marginals
from kernelspec.measures.measure import Measure
from kernelspec.notation.arguments import Scalar

__all__ = ["block_density"]


def _split(parts: tuple[Measure, ...]) -> tuple[Atoms | None, list[Measure]]:
    found = [(part, part.atoms()) for part in parts]
    atoms = [atoms for _, atoms in found if atoms is not None]
    return (reduce(Atoms.convolve, atoms) if atoms else None), [part for part, atoms in found if atoms is None]


def block_density(parts: tuple[Measure, ...], frequencies: np.ndarray) -> np.ndarray:
    """Density of the convolution of measures that share columns, at frequencies (n, d) → (n,).

    In closed form for atoms beside one density, by numerical inversion where that needs one variable at a time.
    Raises NoDensityError for the others.
    """
    from kernelspec.measures.algebra.closed_density import closed_numbers

    block = Convolution(parts)
    closed = closed_numbers(block, frequencies) if len(parts) > 1 else None
    if closed is not None:
        return closed
    expanded = expanded_mixture(parts)
    if expanded is not None and _some_close(expanded, frequencies):
        return np.asarray(sum(float(w) * _of_measure(term, frequencies) for w, term in expanded))
    atoms, diffuse = _split(parts)
    if len(diffuse) > 1 and (atoms is None or frequencies.shape[1] == 1 or marginals(block) is not None):
        return _inverted(block, frequencies)
    rest = convolve(tuple(diffuse))
    if atoms is None:
        return rest.density(frequencies)
    values = np.zeros(len(frequencies), dtype=complex if block.is_complex or np.iscomplexobj(atoms.weights) else float)
    for point, weight in zip(atoms.points, atoms.weights, strict=True):
        values += weight * rest.density(frequencies - point)
    return values


def _some_close(terms: list[tuple[Scalar, Measure]], frequencies: np.ndarray) -> bool:
    from kernelspec.measures.algebra.closed_density import closed_numbers

    none = frequencies[:0]
    return any(not isinstance(term, Convolution) or closed_numbers(term, none) is not None for _, term in terms)


def _of_measure(measure: Measure, frequencies: np.ndarray) -> np.ndarray:
    if isinstance(measure, Convolution):
        return block_density(measure.parts, frequencies)
    return measure.density(frequencies)


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
