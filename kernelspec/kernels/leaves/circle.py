"""The inner product of points of the circle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from kernelspec.errors import DimensionError, NoDensityError
from kernelspec.kernels.leaf import Stationary
from kernelspec.special.floats import floats

if TYPE_CHECKING:
    from kernelspec.kernels.atoms import Atoms
    from kernelspec.notation.arguments import Scalar
    from kernelspec.notation.pairs import NumericPairs, Pairs
    from kernelspec.notation.symbolic_pairs import SymbolicPairs
    from kernelspec.random.streams import Stream

__all__ = ["Circle"]


@dataclass(frozen=True, kw_only=True)
class Circle(Stationary):
    """k(Δ) = cos Δ of one column of angles in radians: the inner product of points e^{ix} of the circle.

    ω = ±1 with probability ½ each: the features z^{±1} have norm 1, the least there is. Raises DimensionError for
    more columns. Reference: Daniely, Frostig, Gupta and Singer 2017, section 4.
    """

    name: ClassVar[str] = "circle"
    formula: ClassVar[str] = "cos(Δ), one column of angles"
    frequencies: ClassVar[str] = "two atoms, ±1"
    reference: ClassVar[str] = "Daniely, Frostig, Gupta and Singer 2017"
    is_discrete: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if isinstance(self.dim, int) and self.dim != 1:
            raise DimensionError(
                f"circle() is a kernel on one column of angles, not on {self.dim}: select a column, as in circle()[0], "
                "or write image(…, base=circle())",
                self.span,
            )

    def numbers(self, pairs: NumericPairs) -> np.ndarray:
        return floats(np.cos(pairs.inner((1.0,))))

    def expression(self, pairs: Pairs) -> Any:
        import sympy

        return sympy.cos(pairs.inner((1,)))

    def draw(self, stream: Stream, n: int) -> np.ndarray:
        return np.where(stream.generator("sign").random(n) < 0.5, -1.0, 1.0)[:, None]

    def draw_sums(self, stream: Stream, counts: np.ndarray) -> np.ndarray:
        up = stream.generator("up").binomial(counts, 0.5)
        return np.asarray(2.0 * up - counts)[:, None]

    def frequency_variance(self) -> Scalar:
        return 1

    def density(self, frequencies: NumericPairs) -> np.ndarray:
        raise NoDensityError("the spectral measure of circle() consists of two atoms, ±1: it has no density")

    def density_expression(self, frequency: SymbolicPairs) -> Any:
        import sympy

        terms = [weight * frequency.shift(point).product(sympy.DiracDelta) for point, weight in self.finite_atoms()]
        return sympy.Add(*terms)

    def atoms(self) -> Atoms:
        from kernelspec.kernels.atoms import Atoms

        return Atoms(np.array([[1.0], [-1.0]]), np.array([0.5, 0.5]))

    def finite_atoms(self) -> tuple[tuple[tuple[Any, ...], Any], ...]:
        import sympy

        return ((1,), sympy.S.Half), ((-1,), sympy.S.Half)
