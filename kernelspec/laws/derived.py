"""Samplers whose samples are those of another one, changed."""

from __future__ import annotations

from dataclasses import dataclass

from kernelspec.laws.sampler import Sampler

__all__ = ["Derived"]


@dataclass(frozen=True)
class Derived(Sampler):
    """Has phasors, keys, amplitudes, terms and work as its base; what is changed is said by the subclasses."""

    base: Sampler

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
