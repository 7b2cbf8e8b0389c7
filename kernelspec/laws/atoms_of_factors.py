"""Products with a discrete factor: samples of their own for each of its heaviest atoms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernelspec.kernels.leaves.cosine import Cosine
from kernelspec.kernels.nodes.product import Product
from kernelspec.kernels.nodes.select import Select
from kernelspec.laws.mixture import MixtureLaw
from kernelspec.laws.opposite_atoms import OppositeAtoms, opposite_atoms
from kernelspec.laws.other_atoms import OtherAtomsLaw
from kernelspec.laws.product import ProductLaw
from kernelspec.laws.rules import law_of

if TYPE_CHECKING:
    from kernelspec.kernels.kernel import Kernel
    from kernelspec.laws.law import Law

__all__ = ["atoms_of_factors"]

_LEAST_SHARE = 0.05
"""Of the mass of the discrete factor: lighter atoms gain nothing from samples of their own."""


def atoms_of_factors(kernel: Product) -> MixtureLaw | None:
    """D k = (c + Σ w_j cos(ω_j·Δ) + r) k: k itself, cosine times k for every heavy pair of atoms, and the other atoms.

    As strata, nothing varies by the choice of the atom. None where no factor is discrete, or one pair is all it has.
    """
    discrete = tuple(factor for factor in kernel.factors if opposite_atoms(factor) is not None)
    smooth = tuple(factor for factor in kernel.factors if opposite_atoms(factor) is None)
    if not discrete or not smooth:
        return None
    own, rest = _product(discrete, kernel), _product(smooth, kernel)
    found = opposite_atoms(own)
    if found is None or len(found) + (found.constant > 0) < 2:
        return None
    least = _LEAST_SHARE * (found.constant + float(found.weights.sum()))
    count = int((found.weights >= least).sum())
    laws: list[tuple[Law, float]] = [(law_of(rest), found.constant)] if found.constant else []
    laws += [
        (law_of(_product((_cosine(found, j, kernel), *smooth), kernel)), float(found.weights[j])) for j in range(count)
    ]
    if count < len(found):
        laws.append((ProductLaw((OtherAtomsLaw(own, count), law_of(rest))), 1.0))
    parts, weights = zip(*laws, strict=True)
    return MixtureLaw(parts, weights) if len(parts) > 1 else None


def _product(factors: tuple[Kernel, ...], kernel: Product) -> Kernel:
    return factors[0] if len(factors) == 1 else Product(factors=factors, dim=kernel.dim, span=kernel.span)


def _cosine(found: OppositeAtoms, j: int, kernel: Product) -> Kernel:
    """cos(ω_j·Δ), of the columns that are read alone."""
    by, used = tuple(found.frequencies[j, found.used].tolist()), tuple(found.used)
    leaf = Cosine(by=by, dim=len(used), span=kernel.span)
    if len(used) == kernel.dim:
        return leaf
    return Select(base=leaf, positions=used, dim=kernel.dim, span=kernel.span)
