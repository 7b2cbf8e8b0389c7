"""The min-max kernel of signed rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from kernelspec.errors import NotStationaryError
from kernelspec.kernels.leaf import Leaf
from kernelspec.kernels.verdict import Verdict
from kernelspec.laws.moments import Moments

if TYPE_CHECKING:
    from kernelspec.kernels.kernel import Kernel
    from kernelspec.laws.sampler import Sampler
    from kernelspec.measures.measure import Measure
    from kernelspec.notation.pairs import NumericPairs, Pairs

__all__ = ["MinMax"]


@dataclass(frozen=True, kw_only=True)
class MinMax(Leaf):
    """k(x, y) = Σ min(x̃_i, ỹ_i) / Σ max(x̃_i, ỹ_i), x̃_{2i−1} = max(x_i, 0) and x̃_{2i} = max(−x_i, 0).

    k(0, 0) = 1 and k(0, y) = 0. The chance that two consistent weighted samples agree [Li 2017, theorem 1.1]; one
    key, amplitude 1, variance k(1 − k). `process` is how samples are drawn, with one law: "gcws" evaluates every
    nonzero for every sample, "poisson" visits the points of one Poisson process. With `zero_bit` keys are the
    coordinate i* without t*: they agree more often, so that the estimate is biased upwards.
    """

    name: ClassVar[str] = "minmax"
    formula: ClassVar[str] = "Σ min(x̃_i, ỹ_i) / Σ max(x̃_i, ỹ_i)"
    frequencies: ClassVar[str] = "none: a key, the consistent weighted sample of a row"
    reference: ClassVar[str] = "Li 2017, theorem 1.1"

    process: Literal["gcws", "poisson"] = "gcws"
    zero_bit: bool = False

    def numbers(self, pairs: NumericPairs) -> np.ndarray:
        minima, maxima = pairs.minima_and_maxima()
        zero = maxima == 0
        return np.asarray(np.where(zero, 1.0, minima / np.where(zero, 1.0, maxima)))

    def expression(self, pairs: Pairs) -> Any:
        import sympy

        minima, maxima = pairs.minima_and_maxima()
        return sympy.Piecewise((minima / maxima, sympy.Gt(maxima, 0)), (1, True))

    def moments(self, pairs: Pairs) -> Moments:
        agreement = pairs.key_agreement(pairs.of(self))
        return Moments(agreement, agreement, agreement)

    def verdict(self) -> Verdict:
        reason = (
            "minmax(): positive definite, the probability that the consistent samples of x and y agree, an inner "
            f"product of indicators [{self.reference}]"
        )
        return Verdict("proved", (reason,), stationary=False)

    @property
    def is_stationary(self) -> bool:
        return False

    def alternatives(self) -> Mapping[str, Kernel]:
        return {"gcws": replace(self, process="gcws"), "poisson": replace(self, process="poisson")}

    def measure(self) -> Measure:
        raise NotStationaryError(
            "minmax() depends on the sizes of x and y, not on x − y alone: it has no spectral measure"
        )

    def sampler(self, positions: tuple[int, ...]) -> Sampler:
        if self.process == "poisson":
            from kernelspec.samples.keys.poisson import PoissonSampler

            return PoissonSampler(positions, self.zero_bit)
        from kernelspec.samples.keys.gcws import GcwsSampler

        return GcwsSampler(positions, self.zero_bit)
