"""Everything kernelspec knows about a kernel, computed on demand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from kernelspec.analysis.spectral_facts import SpectralFacts
from kernelspec.catalogue import SAMPLERS, FaultsNamed, names_faults
from kernelspec.elaboration.valued_program import ValuedProgram, as_program
from kernelspec.errors import DimensionError, KernelspecError, NotStationaryError, PlanError, PluginError, SpecError
from kernelspec.expressions.arguments import Scalar
from kernelspec.loading import load_from, suggests_arguments, sympy
from kernelspec.rendering.notebooks import quoted

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike

    from kernelspec.analysis.bounds import Bound, Composition, SimulatedError
    from kernelspec.analysis.variances import DualNode, PolyaFacts
    from kernelspec.kernels.nodes.skeleton import Skeleton

__all__ = ["Fact", "Facts", "analyze", "answer_or_reason"]

T = TypeVar("T")


def answer_or_reason(question: Callable[[], T]) -> tuple[T | None, str | None]:
    """The answer and None, or None and the reason for its absence, without a place in the spec.

    The failure of a plug-in is raised: it says nothing about the kernel.
    """
    try:
        return question(), None
    except PluginError:
        raise
    except SpecError as error:
        return None, error.message
    except KernelspecError as error:
        return None, str(error)


@dataclass(frozen=True, kw_only=True)
class Fact:
    """A named fact: its `lines` of text, its rows of LaTeX and its value as JSON data.

    A report that omits it gets no lines or rows. Every row is (left side, right side) of an equation. A missing fact
    has the value None; if it comes with a reason, `explains` is true and `missing` is the reason (None if the value
    exists).
    """

    name: str
    value: Any
    lines: tuple[str, ...] = ()
    latex: tuple[tuple[str, str], ...] = ()
    explains: bool = False
    missing: str | None = None


@suggests_arguments()
@FaultsNamed()
def analyze(spec: ValuedProgram | str, dim: int | None = None, *, columns: Sequence[str] | None = None) -> Facts:
    """The properties of a kernel: expression, spectral measure, masses, moments, verdict, variance.

    Without `dim` or `columns` the analysis is symbolic in d; parameters without values stay symbols. Raises SpecError,
    with the span, for an invalid spec.
    """
    spec = as_program(spec)
    table = spec.columns(dim, columns)
    facts = Facts(spec, table)
    _ = facts.verdict  # raises immediately if the spec cannot be analyzed
    return facts


@names_faults
@dataclass(frozen=True, repr=False)
class Facts(SpectralFacts):
    """The facts about one spec on one set of columns; see `report` for all of them as text."""

    @cached_property
    def kernel(self) -> Any:
        """k(x, y) in SymPy."""
        from kernelspec.analysis.expression_text import kernel_expression

        return kernel_expression(self._symbolic, self._pairs)

    @cached_property
    def k0(self) -> Scalar:
        """k(x, x), the total mass of the spectral measure, in SymPy; for linear() an expression in x."""
        from kernelspec.analysis.expression_text import diagonal_expression

        return diagonal_expression(self._symbolic, self._pairs)

    @property
    def noise(self) -> Scalar | None:
        """The variance v of the observation noise, a term v*noise(), in SymPy; None without any."""
        return sympy.S(self._elaborated.noise) if self._elaborated.noise else None

    @cached_property
    def variance(self) -> dict[str, Any]:
        """Variance of one sample's inner product, per kind of feature, as SymPy expressions in x and y.

        Cosine and sine ("paired"), random offsets ("phase"), and other schemes for some part, such as "binning".
        """
        from kernelspec.analysis.variances import sample_variances

        return sample_variances(self._symbolic, self._pairs)

    def infinite_variance(self, method: str) -> str | None:
        """The condition under which the variance of a method is infinite, as text; None if it is finite for all rows.

        Raises ParameterError or DimensionError if numbers are missing.
        """
        from kernelspec.analysis.variances import divergence
        from kernelspec.laws.rules import SCHEMES, law_of

        return divergence(law_of(self._numeric, method if method in (*SCHEMES, *SAMPLERS) else None))

    # -- kernels of one kind -----------------------------------------------------------------------------------------

    @cached_property
    def polya(self) -> PolyaFacts | None:
        """Distribution, mean, E[1/R] and area of a Polya kernel (including laplace() and
        triangle()); None for others.
        """
        from kernelspec.analysis.variances import polya_facts

        return polya_facts(self._symbolic)

    @property
    def mean(self) -> Scalar | None:
        """The mean of a Polya kernel's distribution in SymPy; None for other kernels."""
        return None if self.polya is None else sympy.S(self.polya.mean)

    @cached_property
    def cosine_estimators(self) -> dict[str, Any]:
        """Variances of four estimators of one rbf_cosine(), in the cosine ρ; empty for other kernels [Li 2017]."""
        from kernelspec.analysis.variances import cosine_estimators

        return cosine_estimators(self._symbolic)

    @cached_property
    def norm(self) -> float:
        """C with |z(x)| ≤ C for every feature z; infinite if unbounded.

        Raises ParameterError or DimensionError if numbers are missing.
        """
        from kernelspec.analysis.variances import norm_bound

        return norm_bound(self._numeric)

    @cached_property
    def composition(self) -> Composition | None:
        """For a kernel with dual activations, the size of its features and how many suffice; None for others.

        `complexity` and `norm`; `samples(eps, delta)` and `error(n, delta)` for one inner product, `learning_bound`.
        Raises ParameterError or DimensionError if numbers are missing.
        """
        from kernelspec.analysis.bounds import composition_of

        return composition_of(self._numeric)

    @cached_property
    def dual_nodes(self) -> tuple[DualNode, ...]:
        """The dual activations of a kernel, in prefix order: the law of degrees, and the share of constant samples.

        Raises ParameterError or DimensionError if numbers are missing.
        """
        from kernelspec.analysis.variances import dual_nodes

        return dual_nodes(self._numeric)

    @cached_property
    def skeletons(self) -> tuple[Skeleton, ...]:
        """The skeletons in the kernel, each with its layers, `depth`, `complexity`, `sparsity`, `lines()`.

        Raises ParameterError or DimensionError if numbers are missing.
        """
        from kernelspec.analysis.variances import skeletons_in

        return skeletons_in(self._numeric)

    # -- bounds ------------------------------------------------------------------------------------------------------

    def bound(self, eps: float, delta: float, diameter: float) -> Bound:
        """Samples and columns that keep the error below eps with probability 1 − delta, for all pairs of rows of a set.

        The diameter is the largest distance between two rows, in the columns that the kernel uses. Paired frequencies
        for a positive definite kernel; for other stationary ones the Jordan estimator, with samples of each part.
        Raises PlanError if neither applies or features are biased, DimensionError if the number of columns is unknown.
        """
        from kernelspec.analysis.bounds import guarantee_of
        from kernelspec.laws.rules import law_of

        proved = self.verdict.positive_definite == "proved"
        if self.mapped.count is None:
            raise DimensionError("the bound depends on the number of columns: give dim= or columns=")
        try:
            guarantee = guarantee_of(lambda: self._numeric, lambda: self.masses, positive_definite=proved)
            found = guarantee.bound(eps, delta, diameter)
        except (NotStationaryError, PlanError) as error:
            if self.composition is None:
                raise
            raise PlanError(
                f"{error}; a bound for every inner product exists: "
                "facts.composition.samples(eps, delta) and facts.composition.error(n, delta)"
            ) from None
        for cut in law_of(self._numeric).cuts:
            raise PlanError(f"no uniform bound holds: {cut.what}, so that features may be off by {cut.omitted:.3g}")
        return found

    def simulated_error(self, X: ArrayLike, n: int, delta: float, *, seed: int = 0) -> SimulatedError:
        """An estimate of the largest error of n paired frequencies over all pairs of the given rows, exceeded with
        probability delta: a quantile of simulated maps, to compare with `bound`.

        X are rows (n, d) of the columns of the kernel. Raises PlanError, NotStationaryError, DataError.
        """
        from kernelspec.analysis.bounds import simulated_error

        return simulated_error(self._measure, self._vectors(X, "X"), n, delta, seed)

    # -- reports -----------------------------------------------------------------------------------------------------

    @cached_property
    def stated(self) -> tuple[Fact, ...]:
        """The list of facts rendered by all reports: each with its text, LaTeX and JSON value."""
        from kernelspec.analysis.statements import stated

        return stated(self)

    def latex(self) -> str:
        """Kernel, spectral measure and variances as LaTeX."""
        from kernelspec.analysis.reports import latex_report

        return latex_report(self.stated)

    def report(self) -> str:
        """All facts as text."""
        from kernelspec.analysis.reports import text_report

        return text_report(self.stated)

    def plot(
        self,
        what: Literal["kernel", "density", "samples"] | None = None,
        *,
        lags: tuple[float, float] | None = None,
        frequencies: tuple[float, float] | None = None,
        dark: bool | None = None,
    ) -> Figure:
        """The picture of `spec.plot`: k against the lag beside its spectral density, or `what`. Raises its errors."""
        found: Figure = load_from("kernelspec.analysis.pictures:plot_kernels")(
            [self.spec], what=what, lags=lags, frequencies=frequencies, dark=dark
        )
        return found

    def __repr__(self) -> str:
        columns = "d columns" if self.columns.count is None else self.columns.counted()
        return f"Facts({quoted(str(self.spec))}, {columns})"

    def _repr_html_(self) -> str:
        """The spec, its verdict and formulas, with the whole report as a fold-out."""
        from kernelspec.analysis.reports import html_report

        return html_report(self)

    def _repr_latex_(self) -> str:
        return self.latex()

    def to_dict(self) -> dict[str, Any]:
        """All facts as JSON data."""
        from kernelspec.analysis.reports import facts_to_dict

        return facts_to_dict(self.stated)
