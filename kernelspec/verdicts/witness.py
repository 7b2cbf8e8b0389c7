"""Disproving positive definiteness: a negative spectral density, or a kernel matrix with a negative eigenvalue."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kernelspec.elaboration.layout import layout_of
from kernelspec.elaboration.scope import Columns
from kernelspec.errors import NoDensityError, NotStationaryError
from kernelspec.kernels.kernel import Kernel
from kernelspec.measures.mixture import Mixture
from kernelspec.notation.pairs import NumericPairs
from kernelspec.tables.rows import Rows

__all__ = ["asymmetry", "find_witness", "negative_density", "negative_eigenvalue"]

_POINTS = 40
_SCALES = (0.03, 0.1, 0.3, 1.0, 3.0, 10.0)


def find_witness(kernel: Kernel) -> str | None:
    """What disproves the kernel, in words, or None if nothing was found (which proves nothing).

    Tries the spectral density, where there is one, along an axis, the diagonal and one more direction; then 40 normal
    rows at several scales. A number counts only if it is negative far beyond rounding.
    """
    return negative_density(kernel) or negative_eigenvalue(kernel)


def asymmetry(kernel: Kernel) -> str | None:
    """Rows with k(x, y) ≠ k(y, x), far beyond rounding, in words; None if none are found."""
    size = _size_of_samples(kernel)
    for scale in _SCALES[::-1]:
        matrix = _matrix(kernel, scale)
        gap = np.abs(matrix - matrix.T)
        if np.isfinite(gap).all() and gap.max() > 1e-9 * max(size, float(np.abs(matrix).max())):
            i, j = np.unravel_index(int(np.argmax(gap)), gap.shape)
            return (
                f"k(x, y) = {matrix[i, j]:.6g} and k(y, x) = {matrix[j, i]:.6g} for two of {_POINTS} normal rows of "
                f"scale {scale:g}"
            )
    return None


def negative_density(kernel: Kernel) -> str | None:
    """Where the density of a weighted sum is negative, in words; None if it is nowhere found to be."""
    try:
        measure = kernel.measure() if kernel.is_stationary else None
    except NotStationaryError:  # a part is unbounded, or its measure has no closed form
        return None
    if not isinstance(measure, Mixture) or measure.without_density() is not None or not kernel.verdict().symmetric:
        return None
    dim = int(kernel.dim)
    oblique = np.random.default_rng(0).standard_normal(dim)
    directions = [np.eye(dim)[0], np.ones(dim) / np.sqrt(dim), oblique / np.linalg.norm(oblique)]
    radii = np.concatenate([[0.0], np.geomspace(1e-2, 1e2, 40)])
    frequencies = np.concatenate([radii[:, None] * direction for direction in directions[: 1 if dim == 1 else 3]])
    try:
        found = [part.density_and_error(frequencies) for part in measure.parts]
    except NoDensityError:
        return None
    terms = [w * values for w, (values, _) in zip(measure.weights, found, strict=True)]
    doubt = sum(abs(w) * errors for w, (_, errors) in zip(measure.weights, found, strict=True))
    # the imaginary parts of a symmetric kernel's terms cancel
    with np.errstate(invalid="ignore"):  # two densities that are infinite at zero
        density, size = np.real(np.sum(terms, axis=0)), np.sum(np.abs(terms), axis=0)
        negative = np.flatnonzero(density < -1e-9 * size - doubt)
    if not len(negative):
        return None
    worst = negative[np.argmin(density[negative])]
    at = ", ".join(f"{coordinate:.3g}" for coordinate in frequencies[worst])
    return f"the spectral density is {density[worst]:.3g} < 0 at ω = ({at})"


def negative_eigenvalue(kernel: Kernel) -> str | None:
    """Rows whose kernel matrix has a negative eigenvalue, in words; None if none are found."""
    size = _size_of_samples(kernel)
    for scale in _SCALES:
        matrix = _matrix(kernel, scale)
        least = float(np.linalg.eigvalsh(matrix)[0])
        if least < -1e-9 * _POINTS * max(size if np.isfinite(size) else 0.0, float(np.abs(matrix).max())):
            return f"the kernel matrix of {_POINTS} normal rows of scale {scale:g} has the eigenvalue {least:.3g} < 0"
    return None


def _normal_rows(kernel: Kernel, scale: float) -> Rows:
    """The same 40 normal rows at every scale, moved to where the kernel is defined."""
    normal = np.random.default_rng(0).standard_normal((_POINTS, int(kernel.dim)))
    return Rows(layout_of(kernel, Columns(int(kernel.dim))).fitted(normal * scale))


def _matrix(kernel: Kernel, scale: float) -> NDArray[np.float64]:
    rows = _normal_rows(kernel, scale)
    return np.asarray(kernel.value(NumericPairs(rows, rows)), dtype=float)


def _size_of_samples(kernel: Kernel) -> float:
    """What rounding is relative to: sampled, a kernel of weights ±w has the size Σ|w|, however small k is."""
    one = _normal_rows(kernel, 1.0).take(slice(1))
    return float(np.sqrt(np.max(kernel.moments(NumericPairs(one, one)).a, initial=0.0)))
