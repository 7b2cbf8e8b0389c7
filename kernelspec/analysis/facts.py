"""Everything kernelspec knows about a kernel, computed on request."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from kernelspec.analysis.spectral_facts import SpectralFacts
from kernelspec.catalogue import FaultsNamed
from kernelspec.elaboration.valued_program import ValuedProgram, as_program
from kernelspec.errors import DimensionError, KernelspecError, NotStationaryError, PlanError, SpecError
from kernelspec.expressions.arguments import Scalar
from kernelspec.loading import suggests_arguments
from kernelspec.rendering.notebooks import quoted

if TYPE_CHECKING:
    from kernelspec.analysis.bounds import Bound, Composition, Guarantee
    from kernelspec.analysis.norm_bound import PolyaFacts
    from kernelspec.analysis.variances import DualNode
    from kernelspec.kernels.nodes.skeleton import Skeleton

__all__ = ["Fact", "Facts", "analyze", "answer_or_reason"]

T = TypeVar("T")


def answer_or_reason(question: Callable[[], T]) -> tuple[T | None, str | None]:
    """The answer and None, or None and why there is none; the reason shows no place in a spec."""
    try:
        return question(), None
    except SpecError as error:
        return None, error.message
    except KernelspecError as error:
        return None, str(error)


@dataclass(frozen=True, kw_only=True)
class Fact:
    """A fact by name: its `lines` of text, its rows of LaTeX and its value as JSON data.

    A report that has no place for it shows nothing: no lines, no rows. Every row is (left side, right side) of an
    equation. What does not exist has the value None; where a reason belongs to it, `explains` is true and `missing`
    says why (None where the value exists).
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
    """What a kernel is: its expression, spectral measure, masses, moments, verdict, variance.

    Without `dim` or `columns` the analysis is symbolic in d; parameters without values stay symbols.
    Raises SpecError, with the span, for whatever does not fit.
    """
    spec = as_program(spec)
    table = spec.columns(dim, columns)
    facts = Facts(spec, table)
    _ = facts.verdict  # refuses at once what cannot be analysed
    return facts


@dataclass(frozen=True, repr=False)
class Facts(SpectralFacts):
    """The facts about one spec on one set of columns; see `report` for all of them in words."""

    @cached_property
    def kernel(self) -> Any:
        """k(x, y) in SymPy."""
        from kernelspec.analysis.expression_text import kernel_expression

        return kernel_expression(self._symbolic, self._pairs)

    @cached_property
    def k0(self) -> Scalar:
        """k(x, x), the total mass of the spectral measure, in SymPy; of linear() an expression in x."""
        from kernelspec.analysis.expression_text import diagonal_expression

        return diagonal_expression(self._symbolic, self._pairs)

    @cached_property
    def variance(self) -> dict[str, Any]:
        """Variance of one sample's inner product, for each kind of feature, as SymPy expressions in x and y.

        Cosine and sine ("paired"), random offsets ("phase"), and any other way to sample some part, such as "binning".
        """
        from kernelspec.analysis.variances import sample_variances

        return sample_variances(self._symbolic, self._pairs)

    def infinite_variance(self, method: str) -> str | None:
        """Where the variance of a method of `variance` is infinite, in words; None where it is finite for all rows.

        Raises ParameterError or DimensionError where numbers are needed.
        """
        from kernelspec.analysis.variances import divergence
        from kernelspec.catalogue import SAMPLERS
        from kernelspec.laws.rules import SCHEMES, law_of

        return divergence(law_of(self._numeric, method if method in (*SCHEMES, *SAMPLERS) else None))

    # -- kernels of one kind -----------------------------------------------------------------------------------------

    @cached_property
    def polya(self) -> PolyaFacts | None:
        """Distribution, mean, E[1/R] and area of one Polya kernel (laplace() and triangle() too); None for others."""
        from kernelspec.analysis.norm_bound import polya_facts

        return polya_facts(self._symbolic)

    @property
    def mean(self) -> Scalar | None:
        """The mean of a Polya kernel's distribution in SymPy; None for every other kernel."""
        import sympy

        return None if self.polya is None else sympy.S(self.polya.mean)

    @cached_property
    def cosine_estimators(self) -> dict[str, Any]:
        """Variances of four estimators of one rbf_cosine(), in the cosine ρ; empty for other kernels [Li 2017]."""
        from kernelspec.analysis.variances import cosine_estimators

        return cosine_estimators(self._symbolic)

    @cached_property
    def norm(self) -> float:
        """C with |z(x)| ≤ C for every feature z; infinite where there is no bound.

        Raises ParameterError or DimensionError where numbers are needed.
        """
        from kernelspec.analysis.norm_bound import norm_bound

        return norm_bound(self._numeric)

    @cached_property
    def composition(self) -> Composition | None:
        """Of a kernel with dual activations the size of its features, and how many suffice; None for others.

        `complexity` and `norm`; `samples(eps, delta)` and `error(n, delta)` for one inner product, `learning_bound`.
        Raises ParameterError or DimensionError where numbers are needed.
        """
        from kernelspec.analysis.bounds import composition_of

        return composition_of(self._numeric)

    @cached_property
    def dual_nodes(self) -> tuple[DualNode, ...]:
        """The dual activations of a kernel, each before those below it: the law of degrees, and constant samples.

        Raises ParameterError or DimensionError where numbers are needed.
        """
        from kernelspec.analysis.variances import dual_nodes

        return dual_nodes(self._numeric)

    @cached_property
    def skeletons(self) -> tuple[Skeleton, ...]:
        """The skeletons in the kernel, each with its layers, `depth`, `complexity`, `sparsity`, `lines()`.

        Raises ParameterError or DimensionError where numbers are needed.
        """
        from kernelspec.analysis.variances import skeletons_in

        return skeletons_in(self._numeric)

    # -- bounds ------------------------------------------------------------------------------------------------------

    def bound(self, eps: float, delta: float, diameter: float) -> Bound:
        """Samples and columns that keep the error below eps at all lags in a ball, with probability 1 − delta.

        The bound of Rahimi and Recht for the paired frequencies of a positive definite kernel; for other stationary
        ones that of He et al. for the Jordan estimator, samples of each part. Raises PlanError where none applies,
        DimensionError where the number of columns is not known.
        """
        return self._guarantee.bound(eps, delta, diameter)

    def bound_error(self, n: int, delta: float, diameter: float) -> float:
        """The error that n samples keep to at all lags in a ball, with probability 1 − delta: the inverse of `bound`.

        Raises PlanError where no bound applies, DimensionError where the number of columns is not known.
        """
        return self._guarantee.error(n, delta, diameter)

    @cached_property
    def _guarantee(self) -> Guarantee:
        from kernelspec.analysis.bounds import guarantee_of

        dim, proved = self.mapped.count, self.verdict.positive_definite == "proved"
        if dim is None:
            raise DimensionError("the bound depends on the number of columns: give dim= or columns=")
        try:
            return guarantee_of(lambda: self._numeric, lambda: self.masses, dim, positive_definite=proved)
        except (NotStationaryError, PlanError) as error:
            if self.composition is None:
                raise
            raise PlanError(
                f"{error}; so there is no bound for all lags at once, but one for every inner product: "
                "facts.composition.samples(eps, delta) and facts.composition.error(n, delta)"
            ) from None

    # -- reports -----------------------------------------------------------------------------------------------------

    @cached_property
    def stated(self) -> tuple[Fact, ...]:
        """The one list of facts that all reports render: each with its text, its LaTeX and its JSON value."""
        from kernelspec.analysis.statements import stated

        return stated(self)

    def latex(self) -> str:
        """Kernel, spectral measure and variances as LaTeX."""
        from kernelspec.analysis.reports import latex_report

        return latex_report(self.stated)

    def report(self) -> str:
        """All facts in words."""
        from kernelspec.analysis.reports import text_report

        return text_report(self.stated)

    def __repr__(self) -> str:
        columns = "d columns" if self.columns.count is None else self.columns.counted()
        return f"Facts({quoted(str(self.spec))}, {columns})"

    def _repr_html_(self) -> str:
        """The spec, its verdict and formulas, and the whole report to be unfolded."""
        from kernelspec.analysis.reports import html_report

        return html_report(self)

    def _repr_latex_(self) -> str:
        return self.latex()

    def to_dict(self) -> dict[str, Any]:
        """All facts as JSON data."""
        from kernelspec.analysis.reports import facts_to_dict

        return facts_to_dict(self.stated)
