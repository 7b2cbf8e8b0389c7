"""Numbers of the density of a convolution."""

from __future__ import annotations

from functools import reduce

import numpy as np

from kernelspec.errors import NoDensityError
from kernelspec.kernels.atoms import Atoms
from kernelspec.measures.blocks import independent_blocks
from kernelspec.measures.composed import Composed
from kernelspec.measures.continued import Continued
from kernelspec.measures.convolution import Convolution, convolve
from kernelspec.measures.directional import Directional
from kernelspec.measures.embedding import Embedding
from kernelspec.measures.inversion import invert_line, invert_radial
from kernelspec.measures.marginals import is_radial, marginals
from kernelspec.measures.measure import Measure, density_rule, product_and_error
from kernelspec.measures.mixture import Mixture
from kernelspec.measures.plane_inversion import invert_plane
from kernelspec.measures.push_forward import PushForward
from kernelspec.measures.shifted import Shifted
from kernelspec.measures.spectral import Spectral
from kernelspec.measures.tilted import Tilted

__all__ = ["block_density", "inverted", "is_inverted", "trusted"]

_MOST_TERMS = 64
"""Terms into which a product of sums is taken apart."""

_MOST_DOUBT = 1e-6
"""A density whose error may be a larger share of its peak is refused."""

_Values = tuple[np.ndarray, np.ndarray]


def block_density(parts: tuple[Measure, ...], frequencies: np.ndarray) -> _Values:
    """Density of the convolution of measures that share columns, at frequencies (n, d) → (n,), and its error (n,).

    Sums among the parts are multiplied out; atoms move the density of the others; what then is not in closed form is
    inverted numerically, where that needs one variable at a time. Raises NoDensityError for the others, and where
    inversion does not reach a millionth of the peak.
    """
    closed = _closed(parts, frequencies)  # of the whole first: its terms may cancel
    if closed is not None:
        return closed, np.zeros(len(frequencies))
    terms = _terms(parts)
    if len(terms) == 1:
        return _open(parts, frequencies)
    mixed = [_of_term(factors, frequencies) for _, factors in terms]
    values = sum((w * found for (w, _), (found, _) in zip(terms, mixed, strict=True)), np.zeros(len(frequencies)))
    errors = sum(abs(w) * doubt for (w, _), (_, doubt) in zip(terms, mixed, strict=True))
    return np.asarray(values), np.asarray(errors)


def is_inverted(measure: Measure) -> bool:
    """Whether every value of the density is a numerical integral."""
    from kernelspec.measures.algebra.closed_density import closed_numbers

    match measure:
        case Convolution():
            blocks = (parts for _, parts in independent_blocks(measure.parts))
            return any(_is_inverted_product(parts) for parts in blocks)
        case Mixture():
            return any(map(is_inverted, measure.parts))
        case Shifted() | Embedding() | PushForward():
            return is_inverted(measure.part)
        case Spectral() | Directional() | Tilted():
            return False
        case Continued():
            return closed_numbers(measure.of_column(0), np.zeros((0, 1))) is None
        case Composed():
            return True
    raise TypeError(f"no rule says whether the density of {type(measure).__name__} is an integral")


def _is_inverted_product(parts: tuple[Measure, ...]) -> bool:
    if any(map(is_inverted, parts)):
        return True
    several = sum(part.atoms() is None for part in parts) > 1
    return several and _closed(parts, np.zeros((0, int(parts[0].dim)))) is None


def _closed(parts: tuple[Measure, ...], frequencies: np.ndarray) -> np.ndarray | None:
    from kernelspec.measures.algebra.closed_density import closed_numbers

    return closed_numbers(Convolution(parts), frequencies) if len(parts) > 1 else None


def _terms(parts: tuple[Measure, ...]) -> list[tuple[float, tuple[Measure, ...]]]:
    """∏ Σ w μ multiplied out, atoms among the terms of a sum in particular; as it is where that makes too many."""
    found: list[tuple[float, tuple[Measure, ...]]] = [(1.0, ())]
    for part in parts:
        choices = list(zip(part.weights, part.parts, strict=True)) if isinstance(part, Mixture) else [(1.0, part)]
        found = [(w * float(v), (*factors, factor)) for w, factors in found for v, factor in choices]
        if len(found) > _MOST_TERMS:
            return [(1.0, parts)]
    whole = [(w, factors) for w, factors in found if Convolution(factors).without_density() is None]
    return found if len(whole) == len(found) else [(1.0, parts)]


def _of_term(parts: tuple[Measure, ...], frequencies: np.ndarray) -> _Values:
    closed = _closed(parts, frequencies)
    return _open(parts, frequencies) if closed is None else (closed, np.zeros(len(frequencies)))


def _open(parts: tuple[Measure, ...], frequencies: np.ndarray) -> _Values:
    """The density of a convolution without closed form, or of one measure."""
    found = [(part, part.atoms()) for part in parts]
    discrete = [atoms for _, atoms in found if atoms is not None]
    diffuse = [part for part, atoms in found if atoms is None]
    if len(diffuse) > 1 and discrete and frequencies.shape[1] > 1 and marginals(Convolution(parts)) is not None:
        return inverted(Convolution(parts), frequencies)
    rest = convolve(tuple(diffuse))
    if not discrete:
        return inverted(rest, frequencies) if isinstance(rest, Convolution) else rest.density_and_error(frequencies)
    return _moved(rest, reduce(Atoms.convolve, discrete), frequencies)


def _moved(rest: Measure, atoms: Atoms, frequencies: np.ndarray) -> _Values:
    """Σ w p(ω − a) over the atoms w δ_a, all at once, and the error that the atoms left out may add."""
    n, d = frequencies.shape
    places = (frequencies[None, :, :] - atoms.points[:, None, :]).reshape(-1, d)
    found, doubt = rest.density_and_error(places)
    values = np.asarray(atoms.weights @ found.reshape(-1, n))
    errors = np.abs(atoms.weights) @ doubt.reshape(-1, n)
    return values, errors + abs(atoms.omitted) * np.abs(found).max(initial=0.0) if atoms.omitted else errors


def inverted(block: Measure, frequencies: np.ndarray) -> _Values:
    """The density by numerical inversion, where it is a function of one variable, a product of such, or one of two."""
    if frequencies.shape[1] == 1:
        return trusted(*invert_line(block, frequencies[:, 0]))
    independent = marginals(block)
    if independent is not None:
        columns = zip(independent, frequencies.T, strict=True)
        return product_and_error([part.density_and_error(column[:, None]) for part, column in columns])
    if is_radial(block):
        return trusted(*invert_radial(block, np.linalg.norm(frequencies, axis=1)))
    if frequencies.shape[1] == 2:
        return trusted(*invert_plane(block, frequencies))
    raise NoDensityError(
        "the density is a convolution of several variables without closed form; its characteristic function and its "
        "sampler are exact"
    )


def trusted(values: np.ndarray, errors: np.ndarray, peak: float) -> _Values:
    """Values and errors, if these are small beside the larger of value and peak."""
    worst = errors > _MOST_DOUBT * np.maximum(np.abs(values), peak)
    if worst.any():
        raise NoDensityError(
            f"the density has no closed form, and numerical inversion leaves an error of {errors[worst].max():.2g} "
            f"beside a peak of about {peak:.2g}; its characteristic function is exact"
        )
    return values, errors


@density_rule.register
def _(measure: Convolution, frequencies: np.ndarray) -> _Values:
    blocks = (block_density(p, frequencies[:, list(columns)]) for columns, p in independent_blocks(measure.parts))
    values, errors = product_and_error(list(blocks))
    return values.astype(complex) if measure.is_complex else values, errors


@density_rule.register
def _(measure: Composed, frequencies: np.ndarray) -> _Values:
    return inverted(measure, frequencies)


@density_rule.register
def _(measure: Continued, frequencies: np.ndarray) -> _Values:
    from kernelspec.measures.algebra.closed_density import closed_numbers

    factors = []
    for i, column in enumerate(frequencies.T):
        one = measure.of_column(i)
        closed = closed_numbers(one, column[:, None])
        factors.append(trusted(*invert_line(one, column)) if closed is None else (closed, np.zeros(len(column))))
    values, errors = product_and_error(factors)
    return values.astype(complex), errors
