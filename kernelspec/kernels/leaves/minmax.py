"""The min-max kernel of signed rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from kernelspec.kernels.leaf import Leaf
from kernelspec.kernels.verdict import Verdict
from kernelspec.special.floats import floats

if TYPE_CHECKING:
    from kernelspec.notation.pairs import NumericPairs, Pairs

__all__ = ["MinMax"]


@dataclass(frozen=True, kw_only=True)
class MinMax(Leaf):
    """k(x, y) = Σ min(x̃_i, ỹ_i) / Σ max(x̃_i, ỹ_i), x̃_{2i−1} = max(x_i, 0) and x̃_{2i} = max(−x_i, 0).

    k(0, 0) = 1 and k(0, y) = 0. The chance that two consistent weighted samples agree [Li 2017, theorem 1.1].
    """

    name: ClassVar[str] = "minmax"
    formula: ClassVar[str] = "Σ min(x̃_i, ỹ_i) / Σ max(x̃_i, ỹ_i)"
    frequencies: ClassVar[str] = "none: a key, the consistent weighted sample of a row"
    reference: ClassVar[str] = "Li 2017, theorem 1.1"

    def numbers(self, pairs: NumericPairs) -> np.ndarray:
        minima, maxima = pairs.minima_and_maxima()
        zero = maxima == 0
        return floats(np.where(zero, 1.0, minima / np.where(zero, 1.0, maxima)))

    def expression(self, pairs: Pairs) -> Any:
        import sympy

        minima, maxima = pairs.minima_and_maxima()
        return sympy.Piecewise((minima / maxima, sympy.Gt(maxima, 0)), (1, True))

    def verdict(self) -> Verdict:
        reason = (
            "minmax(): positive definite, the probability that the consistent samples of x and y agree, an inner "
            f"product of indicators [{self.reference}]"
        )
        return Verdict("proved", (reason,), stationary=False)

    @property
    def is_stationary(self) -> bool:
        return False

    def without_measure(self) -> str:
        return "minmax() depends on the sizes of x and y, not on x − y alone: it has no spectral measure"
