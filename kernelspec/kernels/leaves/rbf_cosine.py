"""The Gaussian kernel of the cosine similarity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from kernelspec.kernels.leaf import Leaf
from kernelspec.kernels.verdict import Verdict
from kernelspec.notation.arguments import Scalar, real
from kernelspec.special.floats import floats

if TYPE_CHECKING:
    from kernelspec.notation.pairs import NumericPairs, Pairs

__all__ = ["RbfCosine"]


@dataclass(frozen=True, kw_only=True)
class RbfCosine(Leaf):
    """k(x, y) = e^{−γ(1−ρ)} with ρ = x·y / ‖x‖‖y‖: the Gaussian kernel of scale 1/√γ on rows divided by their norm.

    γ = `gamma` > 0. Frequencies ω ~ N(0, γ I) act on the rows so divided; a row of zeros has no direction and is
    refused. Reference: Li 2017, section 2.
    """

    name: ClassVar[str] = "rbf_cosine"
    formula: ClassVar[str] = "exp(−γ (1 − x·y / ‖x‖‖y‖))"
    frequencies: ClassVar[str] = "N(0, γ I), on rows divided by their norm"
    reference: ClassVar[str] = "Li 2017, section 2"

    gamma: Scalar = real(1, above=0)

    def numbers(self, pairs: NumericPairs) -> np.ndarray:
        return floats(np.exp(-0.5 * float(self.gamma) * pairs.on_unit_rows().squared_norm()))

    def expression(self, pairs: Pairs) -> Any:
        import sympy

        return sympy.exp(-self.gamma * (1 - pairs.cosine()))

    def raised(self, exponent: Scalar) -> RbfCosine:
        return RbfCosine(gamma=self.gamma * exponent, dim=self.dim, span=self.span)

    def verdict(self) -> Verdict:
        reason = f"{self}: positive definite, a Gaussian kernel on the directions of the rows [{self.reference}]"
        return Verdict("proved", (reason,), stationary=False)

    @property
    def is_stationary(self) -> bool:
        return False

    def without_measure(self) -> str:
        return (
            "rbf_cosine() is a function of the angle between x and y, not of x − y: there is no spectral measure on "
            "the columns; on rows divided by their norm it is that of gaussian(scale=1/√γ)"
        )
