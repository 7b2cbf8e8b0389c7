"""The atoms of a discrete spectral measure: the heaviest exactly, the others by sampling."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from kernelspec.expressions.arguments import Scalar, Value
from kernelspec.expressions.pairs import NumericPairs, Pairs
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaves.discrete import Cosine
from kernelspec.kernels.nodes.columns_and_lags import Select
from kernelspec.kernels.nodes.sums_and_products import Product, Sum
from kernelspec.laws.fourier import OppositeAtoms, known_atoms, opposite_atoms
from kernelspec.laws.law import Law, Moments, PhasorLaw, columns_shown
from kernelspec.laws.rules import law_of
from kernelspec.laws.sums_and_products import MixtureLaw, OneLaw, ProductLaw
from kernelspec.random.streams import Stream
from kernelspec.samples.samples import Phasors, Samples

__all__ = ["AtomsLaw", "OtherAtomsLaw", "atoms", "atoms_of_factors"]


@dataclass(frozen=True)
class SomeAtomsLaw(PhasorLaw):
    """Samples of the `count` heaviest pairs of opposite atoms of a kernel, or of all others."""

    kernel: Kernel
    count: int

    @cached_property
    def all_atoms(self) -> OppositeAtoms:
        """The atoms of the kernel. Raises ValueError if they are unknown."""
        return known_atoms(self.kernel)


@dataclass(frozen=True)
class OtherAtomsLaw(SomeAtomsLaw):
    """p = R exp(i ω·Δ), over all atoms except the `count` heaviest pairs (and 0): of mass R, ω from μ conditional on
    them.

    With r(Δ), what these atoms add to k: A = R² and B = R r(2Δ). Drawn by inversion, atoms in the order of their
    coordinates; atoms with less than 2⁻⁵³ of k(0) together are omitted.
    """

    def validate(self) -> None:
        super().validate()
        if type(self.count) is not int or not 0 <= self.count < len(self.all_atoms):
            raise ValueError(f"{self.kernel} has no more than {self.count} pairs of atoms")

    @cached_property
    def _inverse(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Frequencies in order, both signs of each, and the cumulative mass."""
        half, weights = self.all_atoms.frequencies[self.count :], self.all_atoms.weights[self.count :]
        both = np.concatenate([half, -half])
        order = np.lexsort(both.T[::-1])
        return both[order], np.cumsum(np.concatenate([weights, weights])[order] / 2)

    def draw(self, stream: Stream, n: int, columns: tuple[int, ...]) -> list[Samples]:
        frequencies, up_to = self._inverse
        place = np.searchsorted(up_to, stream.uniform("atom", n) * up_to[-1], side="right")
        used = self.all_atoms.used
        drawn = frequencies[np.minimum(place, len(up_to) - 1)][:, used]
        phasors = Phasors.symmetric(tuple(columns[i] for i in used), drawn)
        return [Samples(np.arange(n), np.full(n, self.magnitude()), np.ones(n), phasors.merged())]

    def value(self, pairs: Pairs) -> Value:
        return self._rest(pairs)

    def moments(self, pairs: Pairs) -> Moments:
        mass = self.magnitude()
        return Moments(mass * mass, mass * self._rest(pairs.map(2)), 0)

    def magnitude(self) -> Scalar:
        return float(self.all_atoms.weights[self.count :].sum())

    @property
    def exactness(self) -> str:
        return "one frequency has a cosine and a sine" if len(self.all_atoms) == self.count + 1 else ""

    def lines(self, columns: tuple[int, ...], names: Sequence[str] | None = None) -> list[str]:
        found = self.all_atoms
        where = f"{self.kernel} on columns {columns_shown([columns[i] for i in found.used], names)}"
        share = self.magnitude() / (found.constant + float(found.weights.sum()))
        return [f"frequencies of {where}, without those that are exact: {share:.3g} of its mass"]

    def _rest(self, pairs: Pairs) -> Value:
        return self.all_atoms.cosines(pairs, self.count)


_LEAST_SHARE = 0.05  # share of the discrete factor's mass below which atoms gain nothing from samples of their own


def atoms_of_factors(kernel: Product) -> MixtureLaw | None:
    """D k = (c + Σ w_j cos(ω_j·Δ) + r) k: k itself, cosine times k for every heavy pair of atoms, and the other atoms.

    As strata, the choice of the atom adds no variance. None if no factor is discrete, or if it has only one pair.
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
    """cos(ω_j·Δ), on the columns that it reads."""
    by, used = tuple(found.frequencies[j, found.used].tolist()), tuple(found.used)
    leaf = Cosine(by=by, dim=len(used), span=kernel.span)
    if len(used) == kernel.dim:
        return leaf
    return Select(base=leaf, positions=used, dim=kernel.dim, span=kernel.span)


@dataclass(frozen=True)
class AtomsLaw(SomeAtomsLaw):
    """p = Σ_{j ≤ m} w_j exp(±i ω_j·Δ): the m = `count` heaviest pairs of opposite atoms, all of them in every sample.

    One random sign for all: with cosine and sine it has no effect, and the variance is 0; with random offsets it is
    not, and plans do not use them. A = |Σ w_j exp(i ω_j·Δ)|² and B the real part of the square.
    """

    def validate(self) -> None:
        super().validate()
        if type(self.count) is not int or not 1 <= self.count <= len(self.all_atoms):
            raise ValueError(f"{self.kernel} has no {self.count} pairs of atoms")

    def draw(self, stream: Stream, n: int, columns: tuple[int, ...]) -> list[Samples]:
        signs = np.where(stream.generator("sign").random(n) < 0.5, -1.0, 1.0)
        found, used = self.all_atoms, self.all_atoms.used
        frequencies = np.repeat(signs, self.count)[:, None] * np.tile(found.frequencies[: self.count, used], (n, 1))
        weights = np.tile(found.weights[: self.count], n)
        phasors = Phasors.symmetric(tuple(columns[i] for i in used), frequencies)
        return [Samples(np.repeat(np.arange(n), self.count), weights, np.ones(len(weights)), phasors.merged())]

    def value(self, pairs: Pairs) -> Value:
        return self.all_atoms.cosines(pairs, 0, self.count)

    def moments(self, pairs: Pairs) -> Moments:
        total = self.all_atoms.phasors(pairs, 0, self.count)
        real, imaginary = (total.real, total.imag) if isinstance(pairs, NumericPairs) else total.as_real_imag()
        return Moments(real**2 + imaginary**2, real**2 - imaginary**2, 0)

    def magnitude(self) -> Scalar:
        return float(self.all_atoms.weights[: self.count].sum())

    @property
    def n_terms(self) -> int:
        return self.count

    @property
    def exactness(self) -> str:
        return "every frequency of a finite list has a cosine and a sine"

    def lines(self, columns: tuple[int, ...], names: Sequence[str] | None = None) -> list[str]:
        found = self.all_atoms
        share = (found.constant + self.magnitude()) / (found.constant + float(found.weights.sum()))
        what = f"all {self.count}" if self.count == len(found) else f"the {self.count} heaviest of {len(found)}"
        where = f"{self.kernel} on columns {columns_shown([columns[i] for i in found.used], names)}"
        constant = "with the constant " if found.constant else ""
        return [f"{what} pairs of frequencies of {where}, exactly: {constant}{share:.6g} of its mass"]


def atoms(kernel: Kernel) -> MixtureLaw | None:
    """The scheme "atoms": the constant and the heaviest pair of atoms, exactly, and samples of all others.

    A plan uses more pairs if they are worth their cost. For kernels whose measure is a list of atoms with more than one
    pair; in a sum, every term has its own.
    """
    if isinstance(kernel, Sum | Select):
        return None
    if (found := opposite_atoms(kernel)) is None:
        return atoms_of_factors(kernel) if isinstance(kernel, Product) else None
    if not len(found) or len(found) + (found.constant > 0) < 2:
        return None
    constant: list[tuple[Law, float]] = [(OneLaw(), found.constant)] if found.constant else []
    others: list[tuple[Law, float]] = [(OtherAtomsLaw(kernel, 1), 1.0)] if len(found) > 1 else []
    laws, weights = zip(*constant, (AtomsLaw(kernel, 1), 1.0), *others, strict=True)
    return MixtureLaw(laws, weights)
