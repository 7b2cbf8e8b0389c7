"""A Polya kernel sampled by random binning instead of by frequencies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kernelspec.distributions.positive import Positive
from kernelspec.kernels.leaf import Stationary
from kernelspec.laws.moments import Moments
from kernelspec.laws.resampled import Resampled

if TYPE_CHECKING:
    from kernelspec.laws.sampler import Sampler
    from kernelspec.notation.pairs import Pairs

__all__ = ["Binned"]


@dataclass(frozen=True, kw_only=True)
class Binned(Resampled):
    """k(Δ) = ∏ E max(0, 1 − |Δ_i|/R): x and y share a cell of a random grid with probability k.

    Grid: pitch R_i ~ `law` and offset U_i ~ U(0, R_i) in every column. One key, amplitude 1, variance k(1 − k)
    [Rahimi and Recht 2007, section 4].
    """

    base: Stationary
    law: Positive

    def moments(self, pairs: Pairs) -> Moments:
        agreement = pairs.key_agreement(self.base.value(pairs))
        return Moments(agreement, agreement, agreement)

    def sampler(self, positions: tuple[int, ...]) -> Sampler:
        from kernelspec.samples.keys.binning import BinningSampler

        return BinningSampler(self.law, positions)
