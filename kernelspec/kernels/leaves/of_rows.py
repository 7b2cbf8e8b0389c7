"""Kernels that are not functions of the lag: inner products, comparisons, and averages over functions."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from math import comb, factorial
from typing import Any, ClassVar, Literal, NoReturn

import numpy as np

from kernelspec.expressions.arguments import Scalar, integer, real
from kernelspec.expressions.columns import Inner
from kernelspec.expressions.pairs import NumericPairs, Pairs
from kernelspec.expressions.symbolic_pairs import SymbolicPairs
from kernelspec.kernels.kernel import Verdict
from kernelspec.kernels.leaf import Leaf
from kernelspec.kernels.leaves.gaussian import Gaussian
from kernelspec.loading import sympy
from kernelspec.random.streams import Stream
from kernelspec.special.elementary import floats
from kernelspec.tables.cells import Domain, Signs, Span, UnitSphere

__all__ = [
    "Binary",
    "Brownian",
    "CosineSimilarity",
    "Gibbs",
    "InnerProduct",
    "Linear",
    "Match",
    "MinMax",
    "Noise",
    "RbfCosine",
    "Shaped",
    "Sphere",
]


class InnerProduct(Leaf):
    """k(x, y) = x·y, perhaps of rows of norm 1 (`has_unit_rows`), given so or made so (`of_directions`)."""

    takes_differences: ClassVar[bool] = False
    has_unit_rows: ClassVar[bool] = False
    of_signs: ClassVar[bool] = False
    """Whether it has one column of −1 and 1, which is its own feature."""

    of_directions: ClassVar[bool] = False
    is_analytic: ClassVar[bool] = True

    def numbers(self, pairs: NumericPairs) -> np.ndarray:
        return Inner(directions=self.of_directions).numbers(pairs)

    def expression(self, pairs: Pairs) -> Any:
        return Inner(directions=self.of_directions).expression(pairs)

    def verdict(self) -> Verdict:
        return Verdict("proved", (f"{self}: positive definite, an inner product",), stationary=False)

    def without_measure(self) -> str:
        written = self.span.text if self.span else str(self)  # levels() and basis() are inner products of functions
        name = written if len(written) < 24 else f"{written.partition('(')[0]}()"
        return f"{name} is an inner product, not a function of x − y, so it has no spectral measure"


@dataclass(frozen=True, kw_only=True)
class CosineSimilarity(InnerProduct):
    """k(x, y) = x·y / ‖x‖‖y‖, the result of normalize(linear()): sphere() of the rows divided by their norms.

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
        raise TypeError("k(x, x) = ‖x‖² of linear() depends on x: check has_constant_diagonal first")


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
        self.require_one_column("binary()[0], or write image(…, base=binary())", " of −1 and 1")


@dataclass(frozen=True, kw_only=True)
class RbfCosine(Leaf):
    """k(x, y) = e^{−γ(1−ρ)} with ρ = x·y / ‖x‖‖y‖: the Gaussian kernel of scale 1/√γ on rows divided by their norm.

    γ = `gamma` > 0. Frequencies ω ~ N(0, γ I) act on the normalized rows; a row of zeros is rejected. Reference: Li
    2017, section 2.
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
        return sympy.exp(-self.gamma * (1 - pairs.cosine()))

    def of_cosine(self, cosine: Any) -> tuple[Leaf, Any]:
        return CosineSimilarity(dim=self.dim, span=self.span), sympy.exp(sympy.S(self.gamma) * (cosine - 1))

    def raised(self, exponent: Scalar) -> RbfCosine:
        return RbfCosine(gamma=self.gamma * exponent, dim=self.dim, span=self.span)

    def verdict(self) -> Verdict:
        reason = f"{self}: positive definite, a Gaussian kernel on the directions of the rows [{self.reference}]"
        return Verdict("proved", (reason,), stationary=False)

    def without_measure(self) -> str:
        return (
            "rbf_cosine() is a function of the angle between x and y, not of x − y: it has no spectral measure on "
            "the columns; on rows divided by their norm it is that of gaussian(scale=1/√γ)"
        )


@dataclass(frozen=True, kw_only=True)
class Match(Leaf):
    """k(x, y) = 1 if x and y agree in every column, else 0; columns of text or of numbers.

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

    def without_measure(self) -> str:
        return "match() compares categories, which have no difference x − y, so it has no spectral measure"


@dataclass(frozen=True, kw_only=True)
class Noise(Match):
    """k(x, y) = 1 if the rows x and y agree in every column, else 0: match() for columns of numbers.

    A top-level term `v*noise()` without a selection is observation noise of variance v instead: it compares positions,
    like WhiteKernel in scikit-learn, and is never sampled. Alone, in products and in selections it is a kernel of the
    rows: equal rows have the value 1, within one table and between two. No spectral measure: k jumps at zero.
    Reference: Rasmussen and Williams 2006, section 2.2.
    """

    name: ClassVar[str] = "noise"
    formula: ClassVar[str] = "1[x = y], for numbers"
    frequencies: ClassVar[str] = "none: a key, with no variance"
    reference: ClassVar[str] = "Rasmussen and Williams 2006, section 2.2"
    is_analytic: ClassVar[bool] = False
    reads_numbers: ClassVar[bool] = True
    is_noise: ClassVar[bool] = True

    def verdict(self) -> Verdict:
        return Verdict("proved", ("noise(): positive definite, an inner product of indicators of rows",))

    def without_measure(self) -> str:
        return "noise() jumps at zero, so it has no spectral measure: kernels with a finite one are continuous"


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
        return floats(np.where(maxima == 0, 1.0, minima / np.where(maxima == 0, 1.0, maxima)))

    def expression(self, pairs: Pairs) -> Any:
        minima, maxima = pairs.minima_and_maxima()
        return sympy.Piecewise((minima / maxima, sympy.Gt(maxima, 0)), (1, True))

    def verdict(self) -> Verdict:
        reason = (
            "minmax(): positive definite, the probability that the consistent samples of x and y agree, an inner "
            f"product of indicators [{self.reference}]"
        )
        return Verdict("proved", (reason,), stationary=False)

    def without_measure(self) -> str:
        return "minmax() depends on the sizes of x and y, not on x − y alone: it has no spectral measure"


class Shaped(Leaf):
    """k(x, y) = E w f_a(x) f_a(y) cos(ω(x_0 − y_0)) over random functions f_a of one column; perhaps without ω."""

    takes_differences: ClassVar[bool] = False
    shape: ClassVar[Literal["ramp", "damped"]]
    shape_column: ClassVar[int] = 0
    has_waves: ClassVar[bool] = False

    @property
    def power(self) -> int:
        """The n of (x − a)₊ⁿ."""
        return 0

    @abstractmethod
    def draw_shapes(self, stream: Stream, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """n draws of the weight w, the number a and, for waves, the frequency ω, (n,) each."""

    @abstractmethod
    def second_moments(self, pairs: Pairs) -> tuple[Any, Any]:
        """E|p|² and E Re p² of one sample p."""

    @abstractmethod
    def formula_at(self, pairs: Pairs, library: Any) -> Any:
        """k(x, y) with the functions of NumPy or SymPy."""

    def numbers(self, pairs: NumericPairs) -> np.ndarray:
        return floats(np.asarray(self.formula_at(pairs, np)))

    def expression(self, pairs: Pairs) -> Any:
        return self.formula_at(pairs, sympy)


def _sides(pairs: Pairs, column: int) -> tuple[Any, Any]:
    """One column of x and of y, that values of pairs are computed from."""
    if isinstance(pairs, NumericPairs):
        x, y = pairs.x.dense()[:, column], pairs.y.dense()[:, column]
        return (x[:, None], y[None, :]) if pairs.grid else (x, y)
    if not isinstance(pairs, SymbolicPairs):
        pairs = SymbolicPairs.between(pairs.dim, getattr(pairs, "columns", None))
    if pairs.operands is None:
        raise TypeError("a frequency is not a pair of rows")
    found: tuple[Any, Any] = pairs.operands(column + 1)
    return found


@dataclass(frozen=True, kw_only=True)
class Brownian(Shaped):
    """k(x, y) = ∫₀^{min(x, y)} (x−u)^{p−1} (y−u)^{p−1} du / (p−1)!², p = `order`, on one column from 0 to T = `until`.

    Brownian motion, min(x, y), for p = 1, and its integrals: a spline of degree 2p − 1. Features √T (x − u)₊^{p−1} / (p
    − 1)!, u uniform on [0, T]. Rejects rows outside [0, T], whose T does not change k; by default the largest value in
    the data, rounded up. Reference: Wahba 1990, section 1.2.
    """

    name: ClassVar[str] = "brownian"
    formula: ClassVar[str] = "∫₀^{min(x, y)} (x−u)^{p−1} (y−u)^{p−1} du / (p−1)!²"
    frequencies: ClassVar[str] = "none: √T (x − u)₊^{p−1} / (p − 1)!, u uniform on [0, T]"
    reference: ClassVar[str] = "Wahba 1990, section 1.2"
    shape: ClassVar[Literal["ramp", "damped"]] = "ramp"

    order: Scalar = integer(1, at_least=1, at_most=5)
    until: Scalar = real(above=0, from_data=True)

    def __post_init__(self) -> None:
        self.require_one_column("brownian(until=1)[time], or write each(brownian(until=1))")

    @property
    def domain(self) -> Domain | None:  # type: ignore[override]
        """The rows from 0 to `until`; None if that is a symbol."""
        return Span(float(self.until)) if isinstance(self.until, int | float) else None

    @property
    def power(self) -> int:
        return int(self.order) - 1

    def formula_at(self, pairs: Pairs, library: Any) -> Any:
        x, y = _sides(pairs, 0)
        low, lag = (np.minimum(x, y), np.abs(x - y)) if library is np else (library.Min(x, y), library.Abs(x - y))
        p, scale = self.power, factorial(self.power) ** 2
        terms = [comb(p, j) * lag ** (p - j) * low ** (p + 1 + j) / ((p + 1 + j) * scale) for j in range(p + 1)]
        return sum(terms[1:], terms[0])

    def draw_shapes(self, stream: Stream, n: int) -> tuple[np.ndarray, np.ndarray, None]:
        until = float(self.until)
        return np.full(n, until / factorial(self.power) ** 2), until * stream.uniform("start", n), None

    def second_moments(self, pairs: Pairs) -> tuple[Any, Any]:
        """Squares of these functions are those of order 2p − 1."""
        p = self.power
        size = factorial(2 * p) ** 2 // factorial(p) ** 4
        moment = self.until * size * replace(self, order=2 * p + 1).value(pairs)
        return moment, moment

    def magnitude(self) -> Scalar:
        return self.until ** (2 * self.power + 1) / factorial(self.power) ** 2

    @property
    def has_constant_diagonal(self) -> bool:
        return False

    def diagonal(self) -> NoReturn:
        raise TypeError("k(x, x) of brownian() depends on x: check has_constant_diagonal first")

    def verdict(self) -> Verdict:
        return Verdict("proved", (f"{self}: positive definite, an integral of products f(x) f(y)",), stationary=False)


@dataclass(frozen=True, kw_only=True)
class Gibbs(Shaped):
    """k(x, y) = √(2ℓ_x ℓ_y/S) e^{−(x − y)²/S}, S = ℓ_x² + ℓ_y², on two columns: x, and its length scale ℓ > 0.

    = ∫ a_ω(x) a_ω(y) cos ω(x − y) dω, a_ω(x) = (ℓ²/2π)^{1/4} e^{−ω²ℓ²/4}. Frequencies ω ~ Cauchy(0, 1/√2ℓ₀), ℓ₀ =
    `typical`, have a finite variance for every ℓ; it is least near ℓ₀, ¼ more than that of one Gaussian kernel.
    Reference: Gibbs 1997, section 3.10.3.
    """

    name: ClassVar[str] = "gibbs"
    formula: ClassVar[str] = "√(2ℓ_x ℓ_y / (ℓ_x² + ℓ_y²)) exp(−(x − y)² / (ℓ_x² + ℓ_y²))"
    frequencies: ClassVar[str] = "Cauchy(0, 1/√2ℓ₀), with weights"
    reference: ClassVar[str] = "Gibbs 1997, section 3.10.3"
    shape: ClassVar[Literal["ramp", "damped"]] = "damped"
    shape_column: ClassVar[int] = 1
    has_waves: ClassVar[bool] = True

    typical: Scalar = real(1, above=0)

    def formula_at(self, pairs: Pairs, library: Any) -> Any:
        (x, y), (own, other) = _sides(pairs, 0), _sides(pairs, 1)
        total = own**2 + other**2
        return library.sqrt(2 * own * other / total) * library.exp(-((x - y) ** 2) / total)

    def draw_shapes(self, stream: Stream, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        scale = 1 / (np.sqrt(2) * float(self.typical))
        standard = np.tan(np.pi * (stream.uniform("frequency", n) - 0.5))
        frequency = scale * standard
        return np.sqrt(np.pi / 2) * scale * (1 + standard**2), frequency**2 / 4, frequency

    def second_moments(self, pairs: Pairs) -> tuple[Any, Any]:
        library: Any = np if isinstance(pairs, NumericPairs) else sympy
        (x, y), (own, other) = _sides(pairs, 0), _sides(pairs, 1)
        total, square = own**2 + other**2, 2 * self.typical**2  # 1/c²
        size = own * other * library.sqrt(library.pi / (square * total) * 2) / 2
        lag = (x - y) ** 2 / total
        return (size * (1 + square / total), size * library.exp(-2 * lag) * (1 + square * (1 - 4 * lag) / total))

    def verdict(self) -> Verdict:
        reason = f"{self}: positive definite, an integral of products a(x) a(y) cos ω(x − y) [{self.reference}]"
        return Verdict("proved", (reason,), stationary=False)
