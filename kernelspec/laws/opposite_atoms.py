"""The atoms of a discrete spectral measure, each with its opposite."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaf import Stationary
from kernelspec.kernels.nodes.power import Power
from kernelspec.kernels.nodes.product import Product
from kernelspec.kernels.nodes.select import Select
from kernelspec.kernels.nodes.stretch import Stretch
from kernelspec.kernels.nodes.sum import Sum
from kernelspec.measures.measure_of import measure_of
from kernelspec.notation.pairs import NumericPairs
from kernelspec.samples.half_angles import cosines, phasors

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernelspec.kernels.atoms import Atoms
    from kernelspec.notation.pairs import Pairs

__all__ = ["OppositeAtoms", "known_atoms", "opposite_atoms"]

_ROUNDING = 2.0**-53
"""A share of k(0) that no sum of floats notices: atoms that have less together are left out."""

_AT_ONCE = 64
_MOST_COLUMNS = 256


@dataclass(frozen=True, eq=False)
class OppositeAtoms:
    """k(Δ) = `constant` + Σ w_j cos(ω_j·Δ): `frequencies` ω_j (m, dim) with `weights` w_j (m,) > 0, heaviest first.

    `constant` is the atom at 0 where none is heavier, else 0: it needs no sine.
    """

    constant: float
    frequencies: NDArray[np.float64]
    weights: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.weights)

    @cached_property
    def used(self) -> list[int]:
        """The columns with some frequency: the others are not read, whatever they hold."""
        return [int(i) for i in np.flatnonzero(self.frequencies.any(axis=0))]

    def phasors(self, pairs: Pairs, first: int, last: int | None = None) -> Any:
        """Σ w_j exp(i ω_j·Δ) for first ≤ j < last, whose real part is that part of k."""
        if not isinstance(pairs, NumericPairs):
            import sympy

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
        """The phasors' sums; without sines their imaginary parts are 0, in a third of the time."""
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
        """Those of a list that is complete up to rounding and symmetric; None for another one."""
        if np.iscomplexobj(atoms.weights) or not len(atoms.weights) or not (atoms.weights > 0).all():
            return None
        total = float(atoms.weights.sum())
        if atoms.omitted > _ROUNDING * total:
            return None
        is_zero = np.asarray(~np.any(atoms.points != 0, axis=1))
        # of ω and −ω the one whose first coordinate that is not zero is positive
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
    """The atoms of a positive definite kernel made of discrete ones; None for others, and lists too long for it."""
    if not isinstance(kernel.dim, int) or kernel.dim > _MOST_COLUMNS:
        return None
    for part in kernel.parts():
        discrete = part.is_discrete if isinstance(part, Stationary) else isinstance(part, _LINEAR)
        if not discrete:
            return None
    return _listed(kernel)


def known_atoms(kernel: Kernel) -> OppositeAtoms:
    """The same, of a kernel that should have such a list, as saved laws may not. Raises ValueError without one."""
    found = opposite_atoms(kernel)
    if found is None:
        raise ValueError(f"the atoms of {kernel} are not known")
    return found


@lru_cache(maxsize=64)
def _listed(kernel: Kernel) -> OppositeAtoms | None:
    try:
        found = measure_of(kernel).atoms()
    except TypeError:  # a parameter may be a symbol
        return None
    return None if found is None else OppositeAtoms.of(found)


_LINEAR = (Sum, Product, Power, Select, Stretch)
"""Nodes over discrete measures that give discrete ones."""
