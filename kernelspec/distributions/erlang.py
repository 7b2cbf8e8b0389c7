"""The Erlang law: the gamma law of a whole shape."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from kernelspec.distributions.gamma import Gamma
from kernelspec.notation.arguments import Scalar, integer

__all__ = ["Erlang"]


@dataclass(frozen=True, kw_only=True)
class Erlang(Gamma):
    """The sum of n = `shape` independent exponentials of scale θ > 0, n = 1, …, 1000: mean nθ.

    φ(t) is exp(−u) times a polynomial of degree n − 2 in u = t/θ for n ≥ 2; exp(−u) − u E₁(u) for n = 1.
    Reference: Johnson, Kotz and Balakrishnan 1994, chapter 17.
    """

    name: ClassVar[str] = "erlang"
    formula: ClassVar[str] = "x^{n−1} exp(−x/θ) / (n−1)! θ^n"
    reference: ClassVar[str] = "Johnson, Kotz and Balakrishnan 1994, chapter 17"

    shape: Scalar = integer(at_least=1, at_most=1000)
