"""Samples of a discrete spectral measure without its heaviest atoms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from kernelspec.kernels.kernel import Kernel
from kernelspec.laws.columns_shown import columns_shown
from kernelspec.laws.law import Law
from kernelspec.laws.moments import Moments
from kernelspec.laws.opposite_atoms import OppositeAtoms, known_atoms
from kernelspec.samples.samples import Phasors, Samples

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernelspec.notation.arguments import Scalar, Value
    from kernelspec.notation.pairs import Pairs
    from kernelspec.random.streams import Stream

__all__ = ["OtherAtomsLaw"]


@dataclass(frozen=True)
class OtherAtomsLaw(Law):
    """p = R exp(i ω·Δ), of all atoms but the `count` heaviest pairs (and 0): of mass R, from μ given that it is none.

    For r(Δ), what the others add to k: A = R² and B = R r(2Δ). The law is that of inversion, atoms in the order of
    their coordinates; those that have less than 2⁻⁵³ of k(0) together are none.
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
        if type(self.count) is not int or not 0 <= self.count < len(self.all_atoms):
            raise ValueError(f"{self.kernel} has no more than {self.count} pairs of atoms")

    @cached_property
    def all_atoms(self) -> OppositeAtoms:
        """Those of the kernel. Raises ValueError for a kernel whose atoms are not known."""
        return known_atoms(self.kernel)

    @cached_property
    def _inverse(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Frequencies in order, both signs of each, and the mass up to each."""
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
