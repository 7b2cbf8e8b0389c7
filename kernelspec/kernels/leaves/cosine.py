"""The cosine kernel: one frequency."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from kernelspec.errors import NoDensityError
from kernelspec.expressions.arguments import Scalar, vector
from kernelspec.expressions.elementary import Height, height_of_turns, inner_product, of_one_length
from kernelspec.kernels.leaf import Stationary
from kernelspec.special.elementary import floats

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kernelspec.expressions.pairs import NumericPairs, Pairs
    from kernelspec.expressions.symbolic_pairs import SymbolicPairs
    from kernelspec.kernels.atoms import Atoms
    from kernelspec.random.streams import Stream

__all__ = ["Cosine"]


@dataclass(frozen=True, kw_only=True)
class Cosine(Stationary):
    """k(Δ) = cos(w·Δ) on R^d, w = `by`; ω = ±w with probability ½ each.

    The measure has atoms and no density. Second moment ‖w‖². Reference: Wilson and Adams 2013.
    """

    name: ClassVar[str] = "cosine"
    formula: ClassVar[str] = "cos(w·Δ)"
    frequencies: ClassVar[str] = "two atoms, ±w"
    reference: ClassVar[str] = "Wilson and Adams 2013"
    is_discrete: ClassVar[bool] = True
    is_analytic: ClassVar[bool] = True

    by: tuple[Scalar, ...] = vector()

    def numbers(self, pairs: NumericPairs) -> np.ndarray:
        return floats(np.cos(pairs.inner(self.by)))

    def expression(self, pairs: Pairs) -> Any:
        import sympy

        return sympy.cos(pairs.inner(self.by))

    def draw(self, stream: Stream, n: int) -> np.ndarray:
        signs = np.where(stream.generator("sign").random(n) < 0.5, -1.0, 1.0)
        return np.asarray(np.multiply.outer(signs, np.asarray(self.by, dtype=float)))

    def draw_sums(self, stream: Stream, counts: np.ndarray) -> np.ndarray:
        up = stream.generator("up").binomial(counts, 0.5)
        return np.asarray(np.multiply.outer(2.0 * up - counts, np.asarray(self.by, dtype=float)))

    def height(self, lag: Sequence[Scalar]) -> Height:
        return height_of_turns(inner_product(*of_one_length(self.by, lag), self.dim))

    def frequency_variance(self) -> Scalar:
        """E ω_i², here its average over the columns: they differ."""
        return sum(entry**2 for entry in self.by) / len(self.by)

    def second_moment(self, matrix: Scalar | None = None) -> Scalar:
        if len(self.by) != self.dim:  # d is a symbol and w constant
            return super().second_moment(matrix)
        entries, w = np.asarray(1 if matrix is None else matrix), np.asarray(self.by)
        image = entries @ w if entries.ndim == 2 else entries * w
        return sum(entry**2 for entry in image.tolist())

    def density(self, frequencies: NumericPairs) -> np.ndarray:
        raise NoDensityError(f"the spectral measure of {self} consists of two atoms, ±w: it has no density")

    def density_expression(self, frequency: SymbolicPairs) -> Any:
        import sympy

        terms = [weight * frequency.shift(point).product(sympy.DiracDelta) for point, weight in self.finite_atoms()]
        return sympy.Add(*terms)

    def atoms(self) -> Atoms:
        from kernelspec.kernels.atoms import Atoms

        exact = self.finite_atoms()
        points = np.array([point for point, _ in exact], dtype=float)
        return Atoms(points, np.array([float(weight) for _, weight in exact]))

    def finite_atoms(self) -> tuple[tuple[tuple[Any, ...], Any], ...]:
        import sympy

        if all(entry == 0 for entry in self.by):
            return ((self.by, sympy.S.One),)
        return (self.by, sympy.S.Half), (tuple(-entry for entry in self.by), sympy.S.Half)
