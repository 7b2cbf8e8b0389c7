"""White noise: equality of rows of numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from kernelspec.kernels.leaves.match import Match
from kernelspec.kernels.verdict import Verdict

__all__ = ["Noise"]


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
    reads_numbers: ClassVar[bool] = True

    def verdict(self) -> Verdict:
        return Verdict("proved", ("noise(): positive definite, an inner product of indicators of rows",))

    def without_measure(self) -> str:
        return "noise() jumps at zero, and what has a finite spectral measure is continuous: there is none"
