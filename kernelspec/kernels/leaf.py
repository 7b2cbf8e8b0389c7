"""The interface of catalogue kernels, and the catalogue by name."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from kernelspec.catalogue import KERNELS
from kernelspec.errors import DimensionError
from kernelspec.expressions.arguments import Scalar, Value, call_text, declared
from kernelspec.expressions.elementary import Height, height_off_zero
from kernelspec.expressions.pairs import NumericPairs, Pairs
from kernelspec.expressions.symbolic_pairs import SymbolicPairs
from kernelspec.kernels.atoms import Atoms
from kernelspec.kernels.kernel import Kernel, Verdict
from kernelspec.random.streams import Stream
from kernelspec.special.closed_forms import Density, Line
from kernelspec.special.elementary import Scaled
from kernelspec.tables.cells import Domain

if TYPE_CHECKING:
    from kernelspec.distributions.distribution import Positive

__all__ = ["Leaf", "Stationary", "is_one", "load_kernel"]


def load_kernel(name: str) -> type[Leaf]:
    """The class of a catalogue kernel."""
    found: type[Leaf] = KERNELS.load(name)
    return found


@dataclass(frozen=True, kw_only=True)
class Leaf(Kernel):
    """A catalogue kernel: named, with a formula and a reference; k(x, x) = 1 unless overridden."""

    name: ClassVar[str]
    formula: ClassVar[str]
    frequencies: ClassVar[str]
    reference: ClassVar[str]
    compares_categories: ClassVar[bool] = False
    pieces_if: ClassVar[str] = ""
    """For which arguments the kernel has `pieces`, as the end of a sentence that says it has none."""
    density_if: ClassVar[str] = ""
    """For which arguments the density has a closed form, if not for all."""
    reads_numbers: ClassVar[bool] = True
    """Whether its columns must hold numbers; a kernel that reads neither numbers nor categories reads no column."""
    takes_differences: ClassVar[bool] = True
    """Whether changing the lag x − y makes sense."""
    is_analytic: ClassVar[bool] = False
    """Whether k has all derivatives at Δ = 0 along the numeric columns."""
    is_round_at_zero: ClassVar[bool] = False
    """Whether k decreases with ‖Δ‖₂ at Δ = 0, as where ln k is quadratic, and not with ‖Δ‖₁."""
    is_noise: ClassVar[bool] = False
    """Whether a top-level term with positive weight and without a selection is observation noise."""
    is_one: ClassVar[bool] = False
    """Whether k is 1 for all rows, so that it has no effect as a factor."""
    recognized_in: ClassVar[tuple[str, ...]] = ()
    """The forms whose formulas may be recognized as this kernel: "product", "radial", and "radial on a line"."""
    acts_on_each_column: ClassVar[bool] = True
    """Whether the kernel on several columns is the product of those on one, with the same arguments; for kernels
    recognized in products.
    """
    is_written: ClassVar[bool] = False
    """Whether the user wrote its formula, in which a length may be any number."""
    powers_are_one_draw: ClassVar[bool] = False
    """Whether an integer power is sampled as one catalogue kernel, `raised`, not as independent factors."""
    domain: ClassVar[Domain | None] = None
    """The rows on which the kernel is defined, if not on every row of numbers."""

    @abstractmethod
    def numbers(self, pairs: NumericPairs) -> np.ndarray:
        """k(x, y) as floats."""

    @abstractmethod
    def expression(self, pairs: Pairs) -> Any:
        """k(x, y) as a SymPy expression."""

    def value(self, pairs: Pairs) -> Value:
        return pairs.of(self)

    def exponent(self, pairs: NumericPairs) -> np.ndarray | None:
        """ln k(x, y) if k is an exponential, so that products with other kernels do not underflow; else None."""
        return None

    def scaled_value(self, pairs: NumericPairs) -> Scaled:
        exponent = self.exponent(pairs)
        return super().scaled_value(pairs) if exponent is None else Scaled(np.ones(()), exponent)

    def without_measure(self) -> str:
        """Why the kernel has no spectral measure, if it is not a function of the lag."""
        return f"{self} is not a function of x − y, so it has no spectral measure"

    @property
    def is_stationary(self) -> bool:
        return False

    def require_one_column(self, example: str, kind: str = "") -> None:
        """Raise DimensionError, with an `example` of a selection, for several columns."""
        if isinstance(self.dim, int) and self.dim != 1:
            raise DimensionError(
                f"{self.name}() is a kernel on one column{kind}, not on {self.dim}: select a column, as in {example}",
                self.span,
            )

    def diagonal(self) -> Scalar:
        return 1

    def magnitude(self) -> Scalar:
        return 1

    @property
    def length(self) -> Scalar | None:
        """The number with the unit of the columns that distances are compared with: a scale or width, if any."""
        name = self.length_name
        return None if name is None else getattr(self, name)

    @property
    def length_name(self) -> str | None:
        """The name of the length."""
        return next((name for name, (argument, _) in declared(type(self)).items() if argument.is_length), None)

    def distance(self, pairs: NumericPairs) -> np.ndarray:
        """The distance to compare with `length`: the norm of Δ in which k decreases."""
        norm: np.ndarray = np.sqrt(pairs.squared_norm()) if self.is_round_at_zero else pairs.absolute_sum()
        return norm

    def of_cosine(self, cosine: Any) -> tuple[Leaf, Any] | None:
        """The inner product of which k is a function, and k as an expression in this symbol; None without one."""
        return None

    def roughness(self) -> float | None:
        """β with k(0) − k(Δ) = even powers of a distance + c|Δ_i|^β + … at Δ = 0, up to logarithms; infinite if k is
        analytic there, None if that is not stated."""
        return math.inf if self.is_analytic else None

    def derivatives(self) -> float | None:
        """The m for which k(Δ) is exactly 2m times differentiable at Δ = 0; None if unknown."""
        found = self.roughness()
        return found if found is None or math.isinf(found) else math.ceil(found / 2) - 1

    def height(self, lag: Sequence[Scalar]) -> Height:
        """How k(lag) compares with k(0), for a kernel proved positive definite; see `kernels.parts.height`."""
        return None

    def simplest(self) -> Leaf:
        """The canonical kernel among several catalogue names for it, which rules compare."""
        return self

    def pieces(self, line: Line) -> Any | None:
        """The one-column kernel as piecewise polynomials times exponentials; None if it is not of this form."""
        return None

    def logarithmic_pieces(self, line: Line, unit: Any = 1) -> list[Any] | None:
        """The p_j, as `pieces`, of the one-column kernel k(t/unit) = Σ p_j(t) (log |t|)^j; None for others."""
        return None

    def series(self, place: Any, count: int) -> list[Any] | None:
        """The coefficients of τⁿ, n < `count`, in k(place + τ) on one column, in SymPy, for an entire kernel; None for
        others, and for those that have `pieces`.
        """
        return None

    def raised(self, exponent: Scalar) -> Leaf | None:
        """The catalogue kernel equal to this one to a positive real power, if there is one."""
        return None

    def moved_verdict(self, by: tuple[Scalar, ...], name: str) -> Verdict | None:
        """The verdict on k(Δ + by) or k(Δ) e^{by·Δ}, made by the form `name`, if k knows more than the rules."""
        return None

    def normalized(self) -> Leaf | None:
        """The catalogue kernel equal to k(x, y)/√(k(x, x) k(y, y)), if there is one and k(x, x) depends on x."""
        return None

    def shifted(self, by: tuple[Scalar, ...]) -> Leaf | None:
        """The catalogue kernel equal to k(Δ + by), if there is one."""
        return None

    @classmethod
    def recognized(cls, f: Any, t: Any) -> tuple[Any, dict[str, Any]] | None:
        """f(0), and the arguments with which f(t)/f(0), t > 0, is this kernel on one column; None if it is another.

        All in SymPy; a distribution is a pair of its name and arguments.
        """
        del f, t
        return None

    def transposed(self) -> Kernel:
        return self

    def __str__(self) -> str:
        return call_text(self)


def is_one(kernel: Kernel) -> bool:
    """Whether the kernel is constant()."""
    return isinstance(kernel, Leaf) and kernel.is_one


@dataclass(frozen=True, kw_only=True)
class Stationary(Leaf):
    """A positive definite function of Δ = x − y, given with its spectral measure (a probability).

    k(Δ) = ∫ exp(i ω·Δ) μ(dω)  [Bochner 1932].
    """

    is_discrete: ClassVar[bool] = False
    is_positive: ClassVar[bool] = False
    """Whether the kernel guarantees k(Δ) > 0 for all Δ."""
    has_continued_density: ClassVar[bool] = False
    """Whether the formula of the density holds at complex frequencies with imaginary parts below `decay_rate`."""
    decay_limit: ClassVar[str] = "the rate at which it falls"
    """`decay_rate` as a formula."""

    @abstractmethod
    def draw(self, stream: Stream, n: int) -> np.ndarray:
        """n independent frequencies ω ~ μ, (n, dim), exactly."""

    def draw_sums(self, stream: Stream, counts: np.ndarray) -> np.ndarray | None:
        """Sums of counts_j independent frequencies, (n, dim), in one draw, if their distribution is known."""
        return None

    def tolerance(self) -> float:
        """The error of the distribution function that `draw` inverts: 0 for exact draws."""
        return 0.0

    @abstractmethod
    def frequency_variance(self) -> Scalar:
        """E ω_i² of one coordinate (the same for all); infinite for heavy tails."""

    @abstractmethod
    def density(self, frequencies: NumericPairs) -> np.ndarray:
        """Density of μ with respect to Lebesgue measure on R^dim, (n,). Raises NoDensityError for atoms."""

    def density_and_error(self, frequencies: NumericPairs) -> tuple[np.ndarray, np.ndarray]:
        """The density, and bounds on the errors of numerical integration; 0 for closed forms."""
        return self.density(frequencies), np.zeros(len(frequencies.x))

    @abstractmethod
    def density_expression(self, frequency: SymbolicPairs) -> Any:
        """The density as a SymPy expression, with DiracDelta for atoms."""

    def without_density(self) -> str | None:
        """Why μ has no density with respect to Lebesgue measure on R^dim; None if it has one."""
        return f"the spectral measure of {self} consists of atoms: see facts.atoms" if self.is_discrete else None

    def has_no_atoms(self) -> bool:
        """Whether it is certain that μ has no atoms; without a density it may have some."""
        return self.without_density() is None

    def narrow_lags(self) -> tuple[float, ...]:
        """The lags t > 0 on a line near which k changes within far less than t; by default, k has none."""
        return ()

    def comparable_density(self, dim: int) -> Density | None:
        """The density of μ in a form whose weighted sums have provable signs, in 30 digits of mpmath; None without one.

        Of one coordinate if these are independent, else as a function of ‖ω‖² in `dim` columns. Raises TypeError if a
        parameter is a symbol.
        """
        return None

    def harmonics(self) -> tuple[Any, Callable[[Any], Any]] | None:
        """The spacing of atoms on every axis, and the weight of the n-th, in SymPy, if independent and on a grid."""
        return None

    def skellam_rate(self) -> Scalar | None:
        """r if `harmonics` have the weights e^{−r} I_n(r); None for other kernels."""
        return None

    def decay_rate(self) -> Scalar:
        """β₀ such that k(Δ) e^{β·Δ} is integrable for all smaller β, in the largest entry if coordinates of ω are
        independent, else in the norm; 0 if unknown.
        """
        return 0

    def atoms(self) -> Atoms | None:
        """The atoms of μ, for kernels whose measure is discrete; None for the others."""
        return None

    def finite_atoms(self) -> tuple[tuple[tuple[Any, ...], Any], ...] | None:
        """All atoms as ((point, weight), …) in exact numbers, if there are finitely many; else None."""
        return None

    def fuse(self, other: Stationary) -> Stationary | None:
        """The catalogue kernel equal to the product of this one and `other`, if there is one."""
        return None

    def product_density(self, other: Stationary, omega: Any) -> Any | None:
        """The density of the product with another kernel on one column in SymPy, for what pieces do not give."""
        return None

    def tilted(self, by: tuple[Scalar, ...]) -> Leaf | None:
        """The catalogue kernel equal to k(Δ) e^{by·Δ}, if there is one."""
        return None

    def roughness(self) -> float | None:
        found, law = super().roughness(), self.pitch_law()
        return found if law is None else law.roughness()

    def derivatives(self) -> float | None:
        found = super().derivatives()
        return 0 if found is None and abs(self.frequency_variance()) == math.inf else found

    def height(self, lag: Sequence[Scalar]) -> Height:
        """Frequencies with a continuous distribution lie on no grid of planes; for atoms, their positions decide."""
        return None if self.is_discrete else height_off_zero(lag)

    def pitch_law(self) -> Positive | None:
        """The distribution of R with k(Δ) = ∏ E max(0, 1 − |Δ_i|/R), for a Polya kernel; None for others."""
        return None

    @property
    def is_polya(self) -> bool:
        """Whether k is a mixture of triangles, ∏ E max(0, 1 − |Δ_i|/R)."""
        return self.pitch_law() is not None

    def second_moment(self, matrix: Scalar | None = None) -> Scalar:
        """E‖Aω‖², A the identity, a number, one number per column, or a matrix (of NumPy or SymPy numbers)."""
        variance = self.frequency_variance()
        if matrix is None:
            return self.dim * variance
        entries = np.asarray(matrix)
        size = self.dim * entries.item() ** 2 if entries.ndim == 0 else sum(e**2 for e in entries.ravel().tolist())
        return size if size == 0 else size * variance  # 0, not 0·∞

    @property
    def is_stationary(self) -> bool:
        return True

    @property
    def has_independent_coordinates(self) -> bool:
        """Whether the coordinates of ω are independent, each with the distribution of the kernel on one column."""
        return False

    def on_line(self) -> Stationary:
        """The same kernel on one column."""
        return replace(self, dim=1)

    @property
    def is_radial(self) -> bool:
        """Whether k is a function of ‖Δ‖ alone."""
        return False

    def verdict(self) -> Verdict:
        reason = f"{self}: positive definite by Bochner's theorem, its spectral measure is {self.frequencies}"
        return Verdict("proved", (f"{reason} [{self.reference}]",))
