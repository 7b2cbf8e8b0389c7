"""Disproving positive definiteness: a negative spectral density, or a kernel matrix with a negative eigenvalue."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.elaboration.data_columns import layout_of
from kernelspec.elaboration.scope import Columns
from kernelspec.errors import NoDensityError, NotStationaryError, RangeError
from kernelspec.expressions.arguments import declared
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.kernels.kernel import Kernel
from kernelspec.measures.measure import measure_of
from kernelspec.measures.mixture import Mixture
from kernelspec.tables.rows import Rows

if TYPE_CHECKING:
    from kernelspec.measures.measure import Measure

__all__ = [
    "Points",
    "asymmetry",
    "evidence",
    "find_witness",
    "negative_density",
    "negative_eigenvalue",
    "points_against",
]

_STEPS = (0.25, 0.5, 0.75, 1.0, 1.5)
"""Distances of neighbours, in units of half a wave of the frequency."""

_ON_LINE = (8, 24, 64)
_SIDES = {2: (5, 10), 3: (4,)}
_DRAWN, _POINT_SCALES = 120, (0.5, 1.0, 2.0, 4.0)
_ROUNDING = 1e-11
"""What the entries of a kernel matrix may be wrong by, as a share of Σ |w| k(0)."""


@dataclass(frozen=True)
class Points:
    """Rows, how NumPy makes them, and the least eigenvalue of their kernel matrix, beyond its rounding."""

    rows: NDArray[np.float64]
    words: str
    eigenvalue: float


def points_against(kernel: Kernel, frequency: tuple[float, ...]) -> Points | None:
    """The first points of those tried that disprove the kernel, in numbers, by rows alone; None where none does.

    Lattices with a neighbour every so many waves of the frequency, and normal rows where there are too many columns
    for a lattice.
    """
    for rows, words in _tried(np.asarray(frequency, dtype=float)):
        size = float(kernel.magnitude())
        with np.errstate(all="ignore"):
            pairs = NumericPairs(Rows(rows), Rows(rows))
            matrix = np.broadcast_to(np.asarray(kernel.value(pairs), dtype=float), (len(rows), len(rows)))
        if not np.isfinite(matrix).all():
            continue
        least = float(np.linalg.eigvalsh((matrix + matrix.T) / 2)[0])
        # an eigenvalue moves by no more than the norm of what is added [Weyl 1912]
        if least < -_ROUNDING * len(rows) * max(size, float(np.abs(matrix).max())):
            return Points(rows, words, least)
    return None


def _tried(frequency: NDArray[np.float64]) -> Iterator[tuple[NDArray[Any], str]]:
    dim, length = len(frequency), float(np.linalg.norm(frequency))
    wave = np.pi / length if length > 0 else 1.0
    for step in (_rounded(wave * share) for share in (_STEPS if length else (0.3, 1.0, 3.0))):
        if dim == 1:
            for count in _ON_LINE:
                yield np.arange(count)[:, None] * step, f"np.arange({count})[:, None]*{step:g}"
        for side in _SIDES.get(dim, ()):
            lattice = np.array(list(product(range(side), repeat=dim)), dtype=float) * step
            yield lattice, f"np.array(list(itertools.product(range({side}), repeat={dim})))*{step:g}"
    for scale in (_rounded(wave * share) for share in _POINT_SCALES):
        if dim > 1:
            rows = np.random.default_rng(0).standard_normal((_DRAWN, dim)) * scale
            yield rows, f"np.random.default_rng(0).standard_normal(({_DRAWN}, {dim}))*{scale:g}"


def _rounded(value: float) -> float:
    """The number as it is shown, with three digits."""
    return float(f"{value:.3g}")


_POINTS = 40
_SCALES = (0.03, 0.1, 0.3, 1.0, 3.0, 10.0)

_LAST_BITS = 4 * np.finfo(float).eps
_NEARBY = 3
_BEYOND = 8.0
"""A witness counts beyond so many times the largest change that other last bits make."""


def find_witness(kernel: Kernel) -> str | None:
    """What disproves the kernel, in words, or None if nothing was found (which proves nothing).

    Tries the spectral density, where there is one, along an axis, the diagonal and one more direction; then 40 normal
    rows at several scales. A number counts only if it is negative far beyond its error: what rounding does to the
    numbers of the kernel and of the rows is measured by changing their last bits.
    """
    return negative_density(kernel) or negative_eigenvalue(kernel)


def asymmetry(kernel: Kernel) -> str | None:
    """Rows with k(x, y) ≠ k(y, x), far beyond rounding, in words; None if none are found."""
    size = _size_of_samples(kernel)
    for scale in _SCALES[::-1]:
        matrix = _matrix(kernel, scale)
        if not np.isfinite(matrix).all():
            continue
        gap = np.abs(matrix - matrix.T)
        if gap.max() <= 1e-9 * max(size, float(np.abs(matrix).max())):
            continue
        error = _error(kernel, scale, matrix)
        beyond = np.where(gap > error + error.T, gap, 0.0)
        if beyond.max() > 1e-9 * max(size, float(np.abs(matrix).max())):
            i, j = np.unravel_index(int(np.argmax(beyond)), gap.shape)
            return (
                f"k(x, y) = {matrix[i, j]:.6g} and k(y, x) = {matrix[j, i]:.6g} for two of {_POINTS} normal rows of "
                f"scale {scale:g}"
            )
    return None


def evidence(kernel: Kernel) -> str:
    """What was tried in numbers without finding that the kernel fails, and the smallest numbers that were met."""
    found = []
    for scale in _SCALES:
        matrix = _matrix(kernel, scale)
        if np.isfinite(matrix).all():
            found.append(float(np.linalg.eigvalsh(matrix / 2 + matrix.T / 2)[0]))
    tried = f"smallest eigenvalue of {_POINTS} normal rows at {len(_SCALES)} scales: {min(found, default=np.nan):.3g}"
    try:
        measure = measure_of(kernel) if kernel.is_stationary else None
        if measure is not None and measure.without_density() is None and not measure.is_complex:
            density = np.real(measure.density(_frequencies(int(kernel.dim))))
            tried = f"smallest value of the density on a grid: {float(np.nanmin(density)):.3g}; {tried}"
    except (NotStationaryError, NoDensityError):
        pass
    return f"tried in numbers: {tried}; not a proof"


def negative_density(kernel: Kernel) -> str | None:
    """Where the density of a weighted sum is negative, in words; None if it is nowhere found to be."""
    try:
        measure = measure_of(kernel) if kernel.is_stationary else None
    except NotStationaryError:  # a part is unbounded, or its measure has no closed form
        return None
    if not isinstance(measure, Mixture) or measure.without_density() is not None or not kernel.verdict().symmetric:
        return None
    frequencies = _frequencies(int(kernel.dim))
    try:
        density, size, doubt = _densities(measure, frequencies)
        negative = np.flatnonzero(density < -1e-9 * size - doubt)
        if not len(negative):
            return None
        worst = negative[[np.argmin(density[negative])]]
        others = [_densities(measure_of(nearby), frequencies[worst])[0] for nearby in _nearby(kernel)]
    except NoDensityError:
        return None
    error = _BEYOND * np.abs(np.asarray(others) - density[worst]).max() + doubt[worst[0]]
    if not density[worst[0]] < -error:
        return None
    at = ", ".join(f"{coordinate:.3g}" for coordinate in frequencies[worst[0]])
    return f"the spectral density is {density[worst[0]]:.3g} < 0 at ω = ({at})"


def negative_eigenvalue(kernel: Kernel) -> str | None:
    """Rows whose kernel matrix has a negative eigenvalue, in words; None if none are found."""
    size = _size_of_samples(kernel)
    for scale in _SCALES:
        matrix = _matrix(kernel, scale)
        if not np.isfinite(matrix).all():
            continue
        least = float(np.linalg.eigvalsh(matrix / 2 + matrix.T / 2)[0])
        rounding = 1e-9 * _POINTS * max(size if np.isfinite(size) else 0.0, float(np.abs(matrix).max()))
        if not least < -rounding:
            continue
        # an eigenvalue moves by no more than the norm of what is added [Weyl 1912]
        error = _error(kernel, scale, matrix) + np.abs(matrix - matrix.T) / 2
        with np.errstate(over="ignore"):  # a doubt whose square is no float is infinite
            doubt = float(np.linalg.norm(error))
        if least < -doubt:
            return f"the kernel matrix of {_POINTS} normal rows of scale {scale:g} has the eigenvalue {least:.3g} < 0"
    return None


def _frequencies(dim: int) -> NDArray[np.float64]:
    """Along an axis, the diagonal and one more direction."""
    oblique = np.random.default_rng(0).standard_normal(dim)
    directions = [np.eye(dim)[0], np.ones(dim) / np.sqrt(dim), oblique / np.linalg.norm(oblique)]
    radii = np.concatenate([[0.0], np.geomspace(1e-2, 1e2, 40)])
    return np.concatenate([radii[:, None] * direction for direction in directions[: 1 if dim == 1 else 3]])


def _densities(measure: Measure, frequencies: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
    """The density of a mixture, the sum of the moduli of its terms, and a bound on the error. Raises NoDensityError."""
    assert isinstance(measure, Mixture)
    found = [part.density_and_error(frequencies) for part in measure.parts]
    nothing = np.zeros(len(frequencies))
    terms = [nothing, *(w * values for w, (values, _) in zip(measure.weights, found, strict=True))]
    doubt = sum((abs(w) * errors for w, (_, errors) in zip(measure.weights, found, strict=True)), nothing)
    with np.errstate(invalid="ignore"):  # two densities that are infinite at zero
        # the imaginary parts of a symmetric kernel's terms cancel
        size = np.sum(np.abs(terms), axis=0)
        return np.real(np.sum(terms, axis=0)), size, doubt


def _normal_rows(kernel: Kernel, scale: float, seed: int | None = None) -> Rows:
    """The same 40 normal rows at every scale, moved to where the kernel is defined; with a seed, other last bits."""
    normal = np.random.default_rng(0).standard_normal((_POINTS, int(kernel.dim))) * scale
    if seed is not None:
        normal *= 1 + _LAST_BITS * np.random.default_rng(seed).choice([-1.0, 1.0], normal.shape)
    return Rows(layout_of(kernel, Columns(int(kernel.dim))).fitted(normal))


def _matrix(kernel: Kernel, scale: float, seed: int | None = None) -> NDArray[np.float64]:
    rows = _normal_rows(kernel, scale, seed)
    values = np.asarray(kernel.value(NumericPairs(rows, rows)), dtype=float)
    return np.broadcast_to(values, (_POINTS, _POINTS))


def _error(kernel: Kernel, scale: float, matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """A bound on the error of every entry of the kernel matrix; infinite where there is none."""
    others = [_matrix(nearby, scale) for nearby in _nearby(kernel)]
    moved = [_matrix(kernel, scale, seed) for seed in range(_NEARBY)]
    with np.errstate(invalid="ignore"):
        found = _BEYOND * np.max(np.abs(np.array([*others, *moved]) - matrix), axis=0)
    return np.where(np.isfinite(found), found, np.inf)


def _nearby(kernel: Kernel) -> list[Kernel]:
    """The same kernel with other last bits in its numbers, which were rounded from those of the spec."""
    return [_with_other_numbers(kernel, np.random.default_rng(seed)) for seed in range(_NEARBY)]


def _with_other_numbers(kernel: Kernel, generator: np.random.Generator) -> Kernel:
    def other(value: Any) -> Any:
        if isinstance(value, float):
            return value * (1 + _LAST_BITS * float(generator.choice([-1.0, 1.0])))
        if isinstance(value, tuple):
            return tuple(other(entry) for entry in value)
        return _with_other_numbers(value, generator) if isinstance(value, Kernel) else value

    changed = {part.name: other(getattr(kernel, part.name)) for part in fields(kernel) if part.name != "span"}
    for name, (argument, _) in declared(type(kernel)).items():
        if isinstance(changed[name], float) and not argument.accepts(changed[name]):
            changed[name] = getattr(kernel, name)  # at the end of its range
    try:
        return replace(kernel, **changed)
    except RangeError:  # of arguments that bound each other
        return kernel


def _size_of_samples(kernel: Kernel) -> float:
    """What rounding is relative to: a kernel of weights ±w has the size Σ|w|, however small k is."""
    return float(kernel.magnitude())
