"""Inner products and cosines of rows: linear, sphere and binary kernels, and the Gaussian of the angle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

import numpy as np

from kernelspec.errors import DimensionError
from kernelspec.expressions.arguments import Scalar, real
from kernelspec.expressions.column_sums import Inner
from kernelspec.kernels.kernel import Verdict
from kernelspec.kernels.leaf import Leaf
from kernelspec.kernels.leaves.gaussian import Gaussian
from kernelspec.special.elementary import floats
from kernelspec.tables.cells import Domain, Signs, UnitSphere

if TYPE_CHECKING:
    from kernelspec.expressions.pairs import NumericPairs, Pairs

__all__ = ["Binary", "CosineSimilarity", "InnerProduct", "Linear", "RbfCosine", "Sphere"]


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
