"""Kernels that compare rows: equality of categories, equality of numbers, and the min-max kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from kernelspec.kernels.kernel import Verdict
from kernelspec.kernels.leaf import Leaf
from kernelspec.special.elementary import floats

if TYPE_CHECKING:
    from kernelspec.expressions.pairs import NumericPairs, Pairs

__all__ = ["Match", "MinMax", "Noise"]


@dataclass(frozen=True, kw_only=True)
class Match(Leaf):
    """k(x, y) = 1 where x and y agree in every column, else 0; columns of text or of numbers.

    An inner product of indicators of the categories.
    """

    name: ClassVar[str] = "match"
    formula: ClassVar[str] = "1[x = y]"
    frequencies: ClassVar[str] = "none: a key, with no variance"
    reference: ClassVar[str] = "Daniely, Frostig, Gupta and Singer 2017, base spaces"
    compares_categories: ClassVar[bool] = True
    reads_numbers: ClassVar[bool] = False
    is_analytic: ClassVar[bool] = True

    def numbers(self, pairs: NumericPairs) -> np.ndarray:
        return pairs.equal()

    def expression(self, pairs: Pairs) -> Any:
        return pairs.equal()

    def verdict(self) -> Verdict:
        reason = "match(): positive definite, an inner product of indicators of the categories"
        return Verdict("proved", (reason,), stationary=None, stationary_in_numbers=True)

    @property
    def is_stationary(self) -> bool:
        return False

    def without_measure(self) -> str:
        return (
            "match() compares categories, which have no difference x − y: there is no spectral measure on the columns"
        )


@dataclass(frozen=True, kw_only=True)
class Noise(Match):
    """k(x, y) = 1 where the rows x and y agree in every column, else 0; columns of numbers. White noise, a nugget.

    A function of the rows alone: two equal rows have the value 1, within one table and between two. WhiteKernel of
    scikit-learn compares positions instead: its matrix is the identity for one table, with equal rows in it too, and
    zero between two tables, also between a table and itself. The same as match(), for numbers. No spectral measure: k
    jumps at zero. Reference: Rasmussen and Williams 2006, section 2.2.
    """

    name: ClassVar[str] = "noise"
    formula: ClassVar[str] = "1[x = y], for numbers"
    frequencies: ClassVar[str] = "none: a key, with no variance"
    reference: ClassVar[str] = "Rasmussen and Williams 2006, section 2.2"
    is_analytic: ClassVar[bool] = False
    reads_numbers: ClassVar[bool] = True

    def verdict(self) -> Verdict:
        return Verdict("proved", ("noise(): positive definite, an inner product of indicators of rows",))

    def without_measure(self) -> str:
        return "noise() jumps at zero, and what has a finite spectral measure is continuous: there is none"


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
