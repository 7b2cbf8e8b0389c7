"""Laws whose samples are those of another one, changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kernelspec.laws.law import Law

if TYPE_CHECKING:
    from kernelspec.laws.cut import Cut
    from kernelspec.notation.arguments import Scalar

__all__ = ["Derived"]


@dataclass(frozen=True)
class Derived(Law):
    """Has phasors, keys, amplitudes, terms, size, cuts and work as its base; the subclasses say what is changed."""

    base: Law

    @property
    def dim(self) -> Scalar | None:
        return self.base.dim

    def magnitude(self) -> Scalar:
        return self.base.magnitude()

    @property
    def cuts(self) -> tuple[Cut, ...]:
        return self.base.cuts

    @property
    def has_phasor(self) -> bool:
        return self.base.has_phasor

    @property
    def has_key(self) -> bool:
        return self.base.has_key

    @property
    def has_amplitude(self) -> bool:
        return self.base.has_amplitude

    @property
    def n_terms(self) -> int:
        return self.base.n_terms

    def work(self, n: int, nonzeros: float) -> float:
        return self.base.work(n, nonzeros)
