"""Random Fourier features, and the variances of such estimators on the unit sphere.

All variances are for one sample; an estimate from n samples has 1/n of it (asymptotically, where stated).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernelspec.catalogue import blame
from kernelspec.errors import RangeError
from kernelspec.expressions.pairs import NumericPairs, Pairs
from kernelspec.kernels.atoms import Atoms
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaf import Stationary
from kernelspec.laws.law import Moments, PhasorLaw, columns_shown, size_on
from kernelspec.laws.rules import own_law
from kernelspec.loading import loaded, sympy
from kernelspec.measures.measure import Measure, measure_of
from kernelspec.random.streams import Stream
from kernelspec.samples.frequencies import cosines, phasors
from kernelspec.samples.samples import Phasors, Samples

__all__ = [
    "FourierLaw",
    "OppositeAtoms",
    "known_atoms",
    "minmax_limit",
    "minmax_variance",
    "normalized_variance",
    "opposite_atoms",
    "paired_variance",
    "phase_variance",
    "rbf_of_cosine",
    "rbf_of_minmax",
]

_ROUNDING = 2.0**-53  # a share of k(0) below rounding: atoms with less mass together are omitted

_LINEAR = (
    "kernelspec.kernels.nodes.columns_and_lags:Select",
    "kernelspec.kernels.nodes.columns_and_lags:Stretch",
    "kernelspec.kernels.nodes.sums_and_products:Power",
    "kernelspec.kernels.nodes.sums_and_products:Product",
    "kernelspec.kernels.nodes.sums_and_products:Sum",
)
"""Nodes that map discrete measures to discrete ones."""

_AT_ONCE = 64
_MOST_COLUMNS = 256


@dataclass(frozen=True, eq=False)
class OppositeAtoms:
    """k(Δ) = `constant` + Σ w_j cos(ω_j·Δ): `frequencies` ω_j (m, dim) with `weights` w_j (m,) > 0, heaviest first.

    `constant` is the atom at 0 if none is heavier, else 0: it needs no sine.
    """

    constant: float
    frequencies: NDArray[np.float64]
    weights: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.weights)

    @cached_property
    def used(self) -> list[int]:
        """The columns with some nonzero frequency; the others are not read."""
        return [int(i) for i in np.flatnonzero(self.frequencies.any(axis=0))]

    def phasors(self, pairs: Pairs, first: int, last: int | None = None) -> Any:
        """Σ w_j exp(i ω_j·Δ) for first ≤ j < last, whose real part is that part of k."""
        if not isinstance(pairs, NumericPairs):
            frequencies, weights = self.frequencies[first:last], self.weights[first:last]
            angles = [pairs.inner(tuple(frequency)) for frequency in frequencies.tolist()]
            return sympy.Add(*[w * sympy.exp(sympy.I * angle) for w, angle in zip(weights, angles, strict=True)])
        return self._sums(pairs, first, last, with_sines=True)

    def cosines(self, pairs: Pairs, first: int, last: int | None = None) -> Any:
        """Σ w_j cos(ω_j·Δ) for first ≤ j < last."""
        if not isinstance(pairs, NumericPairs):
            return self.phasors(pairs, first, last).as_real_imag()[0]
        return self._sums(pairs, first, last, with_sines=False).real

    def _sums(self, pairs: NumericPairs, first: int, last: int | None, with_sines: bool) -> NDArray[np.complex128]:
        """The sums of phasors; without sines the imaginary parts are 0, in a third of the time."""
        frequencies, weights = self.frequencies[first:last, self.used].T, self.weights[first:last]
        own = pairs.select(tuple(self.used))
        x, y, total = own.x.dense(), own.y.dense(), np.zeros(pairs.shape, dtype=complex)
        for start in range(0, len(weights), _AT_ONCE):
            some, w = frequencies[:, start : start + _AT_ONCE], weights[start : start + _AT_ONCE]
            if not pairs.grid:
                total += phasors((x - y) @ some) @ w if with_sines else cosines((x - y) @ some) @ w
                continue
            left, right = phasors(x @ some) * w, phasors(y @ some).T
            if with_sines:
                total += left @ right.conj()
            else:
                total.real += left.real @ right.real + left.imag @ right.imag
        return total

    @classmethod
    def of(cls, atoms: Atoms) -> OppositeAtoms | None:
        """The atoms of a list that is complete up to rounding and symmetric; else None."""
        if np.iscomplexobj(atoms.weights) or not len(atoms.weights) or not (atoms.weights > 0).all():
            return None
        total = float(atoms.weights.sum())
        if atoms.omitted > _ROUNDING * total:
            return None
        is_zero = np.asarray(~np.any(atoms.points != 0, axis=1))
        # keep the one of ω and −ω whose first nonzero coordinate is positive
        leading = atoms.points[np.arange(len(atoms.points)), np.argmax(atoms.points != 0, axis=1)]
        constant = float(atoms.weights[is_zero].sum())
        kept = (leading > 0) | is_zero if constant < atoms.weights[0] else leading > 0
        frequencies, weights = atoms.points[kept], np.where(is_zero[kept], 1, 2) * atoms.weights[kept]
        order = np.argsort(-weights, kind="stable")
        beyond = np.cumsum(weights[order][::-1])[::-1]  # the mass from each atom on
        order = order[beyond > _ROUNDING * total]
        apart = 0.0 if constant < atoms.weights[0] else constant
        return cls(apart, frequencies[order], weights[order])


def opposite_atoms(kernel: Kernel) -> OppositeAtoms | None:
    """The atoms of a positive definite kernel made of discrete ones; None for others, and for lists
    that are too long.
    """
    if not isinstance(kernel.dim, int) or kernel.dim > _MOST_COLUMNS:
        return None
    for part in kernel.parts():
        discrete = part.is_discrete if isinstance(part, Stationary) else isinstance(part, loaded(*_LINEAR))
        if not discrete:
            return None
    return _listed(kernel)


def known_atoms(kernel: Kernel) -> OppositeAtoms:
    """The same for a kernel that must have such a list, which saved laws may violate. Raises ValueError otherwise."""
    found = opposite_atoms(kernel)
    if found is None:
        raise ValueError(f"the atoms of {kernel} are not known")
    return found


@lru_cache(maxsize=64)
def _listed(kernel: Kernel) -> OppositeAtoms | None:
    try:
        found = measure_of(kernel).atoms()
    except TypeError:  # symbolic parameters
        return None
    return None if found is None else OppositeAtoms.of(found)


@dataclass(frozen=True)
class FourierLaw(PhasorLaw):
    """p = k(0) exp(i ω·(x − y)), ω ~ μ / k(0), for a positive definite k(x − y) [Rahimi and Recht 2007].

    A = k(0)² and B = k(0) k(2Δ).
    """

    kernel: Kernel

    @cached_property
    def measure(self) -> Measure:
        """μ."""
        return measure_of(self.kernel)

    def draw(self, stream: Stream, n: int, columns: tuple[int, ...]) -> list[Samples]:
        with np.errstate(over="ignore", invalid="ignore"):
            frequencies = self.measure.sample(stream, n)
        if np.ndim(frequencies) != 2:
            shape, right = np.shape(frequencies), (n, self.kernel.dim)
            blame(self.kernel.parts(), f"frequencies have the shape {shape} instead of {right}")
        _require_finite(frequencies, self.kernel)
        used = self.measure.coordinates_read()
        if len(used) == len(columns):
            phasors = Phasors.symmetric(columns, frequencies)
        else:
            phasors = Phasors.symmetric(tuple(columns[i] for i in used), frequencies[:, used])
        mass = float(self.measure.total_mass())
        return [Samples(np.arange(n), np.full(n, mass), np.ones(n), phasors.merged())]

    def draw_products(self, stream: Stream, counts: NDArray[np.int64], columns: tuple[int, ...]) -> Samples | None:
        if not isinstance(self.kernel, Stationary):
            return None
        with np.errstate(over="ignore", invalid="ignore"):
            frequencies = self.kernel.draw_sums(stream, counts)
        if frequencies is None:
            return None
        _require_finite(frequencies, self.kernel)
        phasors = Phasors.symmetric(columns, frequencies)
        n = len(counts)
        return Samples(np.arange(n), np.ones(n), np.ones(n), phasors.merged())

    def moments(self, pairs: Pairs) -> Moments:
        size = size_on(pairs, self.kernel.diagonal())
        return Moments(size * size, size * self.kernel.value(pairs.map(2)), 0)

    def fourier_kernel(self) -> Kernel:
        return self.kernel

    @property
    def exactness(self) -> str:
        found = opposite_atoms(self.kernel)
        single = found is not None and len(found) + (found.constant > 0) == 1
        return "one frequency has a cosine and a sine" if single else ""

    @property
    def tolerance(self) -> float:
        return max((part.tolerance() for part in self.kernel.parts() if isinstance(part, Stationary)), default=0.0)

    def lines(self, columns: tuple[int, ...], names: Sequence[str] | None = None) -> list[str]:
        read = [columns[i] for i in self.measure.coordinates_read()]
        return [f"frequencies of {self.measure.describe()} on columns {columns_shown(read, names)}"]


own_law.register(Stationary, lambda kernel, below: FourierLaw(kernel))


def _require_finite(frequencies: NDArray[np.float64], kernel: Kernel) -> None:
    """Raise RangeError for frequencies beyond floats, as with heavy tails on columns stretched by 1e-99."""
    if not np.isfinite(frequencies).all():
        if np.isnan(frequencies).any():
            blame(kernel.parts(), "a frequency is NaN")
        raise RangeError("this kernel has frequencies beyond floats, so no features can be drawn", kernel.span)


def rbf_of_cosine(rho: ArrayLike, gamma: float) -> NDArray[np.float64]:
    """k = e^{−γ(1−ρ)}, the Gaussian kernel of scale 1/√γ on unit vectors with cosine ρ."""
    return np.asarray(np.exp(-gamma * (1 - np.asarray(rho, dtype=float))))


def phase_variance(rho: ArrayLike, gamma: float) -> NDArray[np.float64]:
    """V = ½ + ½(1 − k²)² of √2 cos(ω·x + b) √2 cos(ω·y + b) [Li 2017, Theorem 2.1]."""
    k = rbf_of_cosine(rho, gamma)
    return np.asarray(0.5 + 0.5 * (1 - k**2) ** 2)


def paired_variance(rho: ArrayLike, gamma: float) -> NDArray[np.float64]:
    """(1 − k²)²: cosine and sine of one frequency, counted for each of the two columns."""
    return np.asarray((1 - rbf_of_cosine(rho, gamma) ** 2) ** 2)


def normalized_variance(rho: ArrayLike, gamma: float) -> NDArray[np.float64]:
    """V − ¼k²(3 − k⁴), asymptotically, for phase features divided by their norm [Li 2017, Theorem 2.2].

    It exceeds `paired_variance` by ¼k²(1 − k²)²; the estimate has a bias of order one over the number of samples.
    """
    k = rbf_of_cosine(rho, gamma)
    return np.asarray(phase_variance(rho, gamma) - k**2 * (3 - k**4) / 4)


def minmax_limit(rho: ArrayLike) -> NDArray[np.float64]:
    """g = (1 − s)/(1 + s), s = √((1 − ρ)/2): the limit of the min-max kernel for long rows.

    Model: coordinates are independent draws of an elliptical distribution with cosine ρ and bounded moments [Li 2017,
    section 3].
    """
    s = np.sqrt((1 - np.asarray(rho, dtype=float)) / 2)
    return np.asarray((1 - s) / (1 + s))


def rbf_of_minmax(agreement: ArrayLike, gamma: float) -> NDArray[np.float64]:
    """e^{−2γ((1−X)/(1+X))²}, the radial kernel under the model of `minmax_limit`, X the share of keys that agree."""
    x = np.asarray(agreement, dtype=float)
    return np.asarray(np.exp(-2 * gamma * ((1 - x) / (1 + x)) ** 2))


def minmax_variance(rho: ArrayLike, gamma: float) -> NDArray[np.float64]:
    """V_g = e^{−2γ(1−ρ)} g(1−g)³/(1+g)⁶ · 64γ², asymptotically, of `rbf_of_minmax` [Li 2017, Theorem 3.1]."""
    g = minmax_limit(rho)
    k = rbf_of_cosine(rho, gamma)
    return np.asarray(k**2 * g * (1 - g) ** 3 / (1 + g) ** 6 * 64 * gamma**2)
