"""Kernels of rows that are not functions of the lag: inner products, cosines and comparisons."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

import numpy as np

from kernelspec.errors import DimensionError
from kernelspec.expressions.arguments import Scalar, real
from kernelspec.expressions.columns import Inner
from kernelspec.kernels.kernel import Verdict
from kernelspec.kernels.leaf import Leaf
from kernelspec.kernels.leaves.gaussian import Gaussian
from kernelspec.special.elementary import floats
from kernelspec.tables.cells import Domain, Signs, UnitSphere

if TYPE_CHECKING:
    from kernelspec.expressions.pairs import NumericPairs, Pairs

__all__ = ["Binary", "CosineSimilarity", "InnerProduct", "Linear", "Match", "MinMax", "Noise", "RbfCosine", "Sphere"]


@dataclass(frozen=True, kw_only=True)
class InnerProduct(Leaf):
    """k(x, y) = x·y, perhaps of rows of norm 1: `has_unit_rows`, because they are, or because they are divided by it.

    The latter is `of_directions`.
    """

    takes_differences: ClassVar[bool] = False
    has_unit_rows: ClassVar[bool] = False
    of_signs: ClassVar[bool] = False
    """Whether it is one column of −1 and 1, which is its own feature."""

    of_directions: ClassVar[bool] = False
    is_analytic: ClassVar[bool] = True

    def numbers(self, pairs: NumericPairs) -> np.ndarray:
        return Inner(directions=self.of_directions).numbers(pairs)

    def expression(self, pairs: Pairs) -> Any:
        return Inner(directions=self.of_directions).expression(pairs)

    def verdict(self) -> Verdict:
        return Verdict("proved", (f"{self}: positive definite, an inner product",), stationary=False)

    @property
    def is_stationary(self) -> bool:
        return False

    def without_measure(self) -> str:
        return f"{self} is an inner product, no function of x − y: there is no spectral measure"


@dataclass(frozen=True, kw_only=True)
class CosineSimilarity(InnerProduct):
    """k(x, y) = x·y / ‖x‖‖y‖, what normalize(linear()) is: sphere() of the rows divided by their norms.

    Raises DataError for a row of zeros, which has no direction.
    """

    name: ClassVar[str] = "normalize(linear())"
    formula: ClassVar[str] = "x·y / ‖x‖‖y‖"
    frequencies: ClassVar[str] = "none: √(d/2)(x_j ± i x_{j+1}) of unit rows, j uniform"
    reference: ClassVar[str] = "Daniely, Frostig, Gupta and Singer 2017, section 4"

    has_unit_rows: ClassVar[bool] = True
    of_directions: ClassVar[bool] = True

    def numbers(self, pairs: NumericPairs) -> np.ndarray:
        return floats(np.clip(super().numbers(pairs), -1.0, 1.0))

    def __str__(self) -> str:
        return "normalize(linear())"


@dataclass(frozen=True, kw_only=True)
class Linear(InnerProduct):
    """k(x, y) = x·y; k(x, x) = ‖x‖² depends on x, and a row of zeros has features of zeros.

    Features √d x_j with a column j at random, or (method "exact") the columns themselves, without variance.
    Reference: Daniely, Frostig, Gupta and Singer 2017, section 4.
    """

    name: ClassVar[str] = "linear"
    formula: ClassVar[str] = "x·y"
    frequencies: ClassVar[str] = "none: √d x_j, j uniform; or all columns"
    reference: ClassVar[str] = "Daniely, Frostig, Gupta and Singer 2017, section 4"

    @property
    def has_constant_diagonal(self) -> bool:
        return False

    def normalized(self) -> CosineSimilarity:
        return CosineSimilarity(dim=self.dim, span=self.span)

    def diagonal(self) -> NoReturn:
        raise TypeError("k(x, x) = ‖x‖² of linear() is no number: ask has_constant_diagonal first")


@dataclass(frozen=True, kw_only=True)
class Sphere(InnerProduct):
    """k(x, y) = x·y of rows of norm 1 (to within 1e-6).

    One column is binary(). Raises DataError for rows of another norm. Reference: Daniely, Frostig, Gupta and Singer
    2017, section 4.
    """

    name: ClassVar[str] = "sphere"
    formula: ClassVar[str] = "x·y, ‖x‖ = ‖y‖ = 1"
    frequencies: ClassVar[str] = "none: √(d/2)(x_j ± i x_{j+1}), j uniform"
    reference: ClassVar[str] = "Daniely, Frostig, Gupta and Singer 2017, section 4"
    domain: ClassVar[Domain] = UnitSphere()
    has_unit_rows: ClassVar[bool] = True


@dataclass(frozen=True, kw_only=True)
class Binary(InnerProduct):
    """k(x, y) = xy of one column of −1 and 1; one feature, x itself, without variance.

    Raises DimensionError for more columns; DataError for other values. Reference: Daniely, Frostig, Gupta and Singer
    2017, section 4.
    """

    name: ClassVar[str] = "binary"
    formula: ClassVar[str] = "xy, one column of −1 and 1"
    frequencies: ClassVar[str] = "none: the column itself, with no variance"
    reference: ClassVar[str] = "Daniely, Frostig, Gupta and Singer 2017"
    domain: ClassVar[Domain] = Signs()
    of_signs: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if isinstance(self.dim, int) and self.dim != 1:
            raise DimensionError(
                f"binary() is a kernel on one column of −1 and 1, not on {self.dim}: select a column, as in "
                "binary()[0], or write image(…, base=binary())",
                self.span,
            )


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

    def on_unit_rows(self) -> Gaussian:
        """The kernel of the rows divided by their norms."""
        return Gaussian(scale=float(self.gamma) ** -0.5, dim=self.dim)

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
