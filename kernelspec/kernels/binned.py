"""A Polya kernel sampled by random binning instead of by frequencies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kernelspec.distributions.positive import Positive
from kernelspec.kernels.arguments import Scalar, Value
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaf import Stationary
from kernelspec.kernels.moments import Moments
from kernelspec.kernels.verdict import Verdict

if TYPE_CHECKING:
    from kernelspec.features.sampler import Sampler
    from kernelspec.kernels.pairs import Pairs
    from kernelspec.measures.measure import Measure

__all__ = ["Binned"]


@dataclass(frozen=True, kw_only=True)
class Binned(Kernel):
    """k(Δ) = ∏ E max(0, 1 − |Δ_i|/R): x and y share a cell of a random grid with probability k.

    Grid: pitch R_i ~ `law` and offset U_i ~ U(0, R_i) in every column. One key, amplitude 1, variance k(1 − k)
    [Rahimi and Recht 2007, section 4].
    """

    base: Stationary
    law: Positive

    def value(self, pairs: Pairs) -> Value:
        return self.base.value(pairs)

    def diagonal(self) -> Scalar:
        return 1

    def magnitude(self) -> Scalar:
        return 1

    def moments(self, pairs: Pairs) -> Moments:
        agreement = pairs.key_agreement(self.base.value(pairs))
        return Moments(agreement, agreement, agreement)

    def verdict(self) -> Verdict:
        return self.base.verdict()

    @property
    def is_stationary(self) -> bool:
        return True

    @property
    def is_fourier(self) -> bool:
        return False

    def measure(self) -> Measure:
        return self.base.measure()

    def sampler(self, positions: tuple[int, ...]) -> Sampler:
        from kernelspec.features.binning import BinningSampler

        return BinningSampler(self.law, positions)

    def __str__(self) -> str:
        return str(self.base)
