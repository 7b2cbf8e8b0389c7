"""The kernel that is one everywhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from kernelspec.errors import NoDensityError
from kernelspec.expressions.arguments import Scalar
from kernelspec.expressions.elementary import Height
from kernelspec.kernels.leaf import Stationary

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kernelspec.expressions.pairs import NumericPairs, Pairs
    from kernelspec.expressions.symbolic_pairs import SymbolicPairs
    from kernelspec.kernels.atoms import Atoms
    from kernelspec.random.streams import Stream

__all__ = ["Constant"]


@dataclass(frozen=True, kw_only=True)
class Constant(Stationary):
    """k(x, y) = 1 whatever the rows are: an intercept. `2*constant()` is 2 everywhere.

    It reads no column. The measure is an atom at zero; one constant feature, without variance. As a factor it changes
    nothing. Reference: Rasmussen and Williams 2006, section 4.2.
    """

    name: ClassVar[str] = "constant"
    formula: ClassVar[str] = "1"
    frequencies: ClassVar[str] = "an atom at zero"
    reference: ClassVar[str] = "Rasmussen and Williams 2006, section 4.2"
    is_discrete: ClassVar[bool] = True
    reads_numbers: ClassVar[bool] = False
    is_analytic: ClassVar[bool] = True
    powers_are_one_draw: ClassVar[bool] = True

    def numbers(self, pairs: NumericPairs) -> np.ndarray:
        return np.ones(pairs.shape)

    def expression(self, pairs: Pairs) -> Any:
        import sympy

        del pairs
        return sympy.S.One

    def raised(self, exponent: Scalar) -> Constant:
        del exponent
        return self

    def fuse(self, other: Stationary) -> Stationary:
        return other

    def shifted(self, by: tuple[Scalar, ...]) -> Constant:
        del by
        return self

    def draw(self, stream: Stream, n: int) -> np.ndarray:
        del stream
        return np.zeros((n, int(self.dim)))

    def draw_sums(self, stream: Stream, counts: np.ndarray) -> np.ndarray:
        return self.draw(stream, len(counts))

    def height(self, lag: Sequence[Scalar]) -> Height:
        del lag
        return 1

    def frequency_variance(self) -> Scalar:
        return 0

    def density(self, frequencies: NumericPairs) -> np.ndarray:
        raise NoDensityError(f"the spectral measure of {self} is an atom at zero: it has no density")

    def density_expression(self, frequency: SymbolicPairs) -> Any:
        import sympy

        return frequency.product(sympy.DiracDelta)

    def atoms(self) -> Atoms:
        from kernelspec.kernels.atoms import Atoms

        return Atoms(np.zeros((1, int(self.dim))), np.ones(1))

    def finite_atoms(self) -> tuple[tuple[tuple[Any, ...], Any], ...] | None:
        import sympy

        return (((sympy.S.Zero,) * self.dim, sympy.S.One),) if isinstance(self.dim, int) else None
