"""The heaviest atoms of a discrete spectral measure, exactly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.nodes.product import Product
from kernelspec.kernels.nodes.select import Select
from kernelspec.kernels.nodes.sum import Sum
from kernelspec.laws.atoms_of_factors import atoms_of_factors
from kernelspec.laws.columns_shown import columns_shown
from kernelspec.laws.law import Law
from kernelspec.laws.mixture import MixtureLaw
from kernelspec.laws.moments import Moments
from kernelspec.laws.one import OneLaw
from kernelspec.laws.opposite_atoms import OppositeAtoms, known_atoms, opposite_atoms
from kernelspec.laws.other_atoms import OtherAtomsLaw
from kernelspec.notation.pairs import NumericPairs
from kernelspec.samples.samples import Phasors, Samples

if TYPE_CHECKING:
    from kernelspec.notation.arguments import Scalar, Value
    from kernelspec.notation.pairs import Pairs
    from kernelspec.random.streams import Stream

__all__ = ["AtomsLaw", "atoms"]


@dataclass(frozen=True)
class AtomsLaw(Law):
    """p = Σ_{j ≤ m} w_j exp(±i ω_j·Δ): the m = `count` heaviest pairs of opposite atoms, all of them in every sample.

    One sign, at random, for all: with cosine and sine it makes no difference, and there is no variance; with random
    offsets there is, and plans take none. A = |Σ w_j exp(i ω_j·Δ)|² and B the real part of the square.
    """

    has_phasor: ClassVar[bool] = True
    has_key: ClassVar[bool] = False

    kernel: Kernel
    count: int

    @property
    def dim(self) -> Scalar:
        return self.kernel.dim

    def validate(self) -> None:
        super().validate()
        if type(self.count) is not int or not 1 <= self.count <= len(self.all_atoms):
            raise ValueError(f"{self.kernel} has no {self.count} pairs of atoms")

    @cached_property
    def all_atoms(self) -> OppositeAtoms:
        """Those of the kernel. Raises ValueError for a kernel whose atoms are not known."""
        return known_atoms(self.kernel)

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

    A plan takes as many more pairs as its budget makes worth while. For kernels whose measure is a list of atoms, more
    than one pair of them; of a sum every term has its own.
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
