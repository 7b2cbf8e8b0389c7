"""Everything kernelspec knows about a kernel, computed when asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernelspec.analysis.bounded import within
from kernelspec.analysis.cosine_estimators import cosine_estimators
from kernelspec.analysis.deciding import decide
from kernelspec.analysis.masses import Masses, masses_of
from kernelspec.analysis.polya import PolyaFacts, polya_facts
from kernelspec.analysis.scope import Columns
from kernelspec.errors import DataError, NoDensityError, NotAvailableYet, NotStationaryError, PlanError
from kernelspec.kernels.arguments import Scalar
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.rewriting import rewrite, schemes
from kernelspec.kernels.symbolic_pairs import SymbolicPairs
from kernelspec.kernels.verdict import Verdict
from kernelspec.spec import Spec, parse

if TYPE_CHECKING:
    from kernelspec.analysis.complex_bound import JordanMoments
    from kernelspec.analysis.compositional import Composition
    from kernelspec.analysis.jordan import Jordan, Polar
    from kernelspec.analysis.uniform_bound import Bound
    from kernelspec.kernels.skeleton import Skeleton
    from kernelspec.measures.atoms import Atoms
    from kernelspec.measures.measure import Measure

__all__ = ["Facts", "analyze"]

_LATE = "not_derived_in_time"
_SECONDS = 1.0
"""Time limit of one symbolic step; what a step cannot do in that time is left undone, never waited for."""


def analyze(spec: Spec | str, dim: int | None = None, *, columns: Sequence[str] | None = None) -> Facts:
    """What a kernel is: its expression, spectral measure, masses, moments, verdict, variance.

    Without `dim` or `columns` the analysis is symbolic in d; parameters without values stay symbols.
    Raises SpecError, with the span, for whatever does not fit.
    """
    spec = parse(spec) if isinstance(spec, str) else spec
    table = spec.columns(dim, columns)
    facts = Facts(spec, table)
    _ = facts.verdict  # refuses at once what cannot be analysed
    return facts


@dataclass(frozen=True)
class Facts:
    """The facts about one spec on one set of columns; see `report` for all of them in words."""

    spec: Spec
    columns: Columns

    # -- symbolic ----------------------------------------------------------------------------------------------------

    @cached_property
    def kernel(self) -> Any:
        """k(x, y) in SymPy."""
        import sympy

        return self._bounded(lambda: sympy.S(self._symbolic.value(self._pairs)))

    @cached_property
    def spectral_measure(self) -> Any:
        """The spectral measure as a SymPy expression in ω: a density, with DiracDelta where there are atoms.

        Raises NotStationaryError where there is none.
        """
        return self._bounded(lambda: self._symbolic_measure.expression(self._frequency))

    @cached_property
    def spectral_density(self) -> Any:
        """The density of the spectral measure in SymPy; an unevaluated convolution where no closed form exists.

        Raises NoDensityError for atoms or frequencies confined to a subspace, NotStationaryError.
        """
        reason = self._symbolic_measure.without_density()
        if reason is not None:
            raise NoDensityError(reason)
        return self.spectral_measure

    @cached_property
    def k0(self) -> Scalar:
        """k(x, x), the total mass of the spectral measure, in SymPy; of linear() an expression in x."""
        import sympy

        operands = self._pairs.operands
        if not self._symbolic.has_constant_diagonal and operands is not None:
            once = replace(self._pairs, component=lambda i: 0, operands=lambda i: (operands(i)[0],) * 2)
            return self._bounded(lambda: sympy.S(self._symbolic.value(once)))
        return sympy.S(self._symbolic.diagonal())

    @cached_property
    def second_moment(self) -> Scalar:
        """E‖ω‖² under the normalised measure; SymPy's oo where it is infinite, nan where k(0) is 0.

        Raises NotStationaryError.
        """
        import sympy

        return sympy.S(self._symbolic_measure.second_moment())

    @cached_property
    def variance(self) -> dict[str, Any]:
        """Variance of one sample's inner product, for each kind of feature, as SymPy expressions in x and y.

        Cosine and sine ("paired"), random offsets ("phase"), and any other way to sample some part, such as "binning".
        """
        import sympy

        def derive() -> dict[str, Any]:
            moments = self._symbolic.moments(self._pairs)
            square = self._symbolic.value(self._pairs) ** 2
            paired = moments.paired() - square
            found = {"paired": paired, "phase": moments.phase() - square, "complex": paired}
            for scheme in others:
                found[scheme] = rewrite(self._symbolic, scheme).moments(self._pairs).paired() - square
            return {name: sympy.S(value) for name, value in found.items()}

        others = schemes(self._symbolic)
        late = sympy.Symbol(_LATE)
        return within(_SECONDS, derive, lambda: dict.fromkeys(("paired", "phase", "complex", *others), late))

    @cached_property
    def polya(self) -> PolyaFacts | None:
        """Distribution, mean, E[1/R] and area of one Polya kernel (laplace() and triangle() too); None for others."""
        return polya_facts(self._symbolic)

    @cached_property
    def cosine_estimators(self) -> dict[str, Any]:
        """Variances of four estimators of one rbf_cosine(), in the cosine ρ; empty for other kernels [Li 2017]."""
        return cosine_estimators(self._symbolic)

    @cached_property
    def composition(self) -> Composition | None:
        """Expected number of factors and norm of the features of a kernel with dual activations; None for others.

        Raises ParameterError or DimensionError where numbers are needed.
        """
        from kernelspec.analysis.compositional import composition_of

        return composition_of(self._numeric)

    @cached_property
    def skeletons(self) -> tuple[Skeleton, ...]:
        """The skeletons in the kernel, each with its layers, `complexity` and `lines()`.

        Raises ParameterError or DimensionError where numbers are needed.
        """
        from kernelspec.kernels.skeleton import Skeleton

        found, pending = [], [self._numeric]
        while pending:
            node = pending.pop()
            if isinstance(node, Skeleton):
                found.append(node)
            pending.extend(reversed(list(node.children())))
        return tuple(dict.fromkeys(found))

    @property
    def mean(self) -> Scalar | None:
        """The mean of a Polya kernel's distribution in SymPy; None for every other kernel."""
        import sympy

        return None if self.polya is None else sympy.S(self.polya.mean)

    @cached_property
    def masses(self) -> Masses:
        """Masses of the Jordan parts and the total variation; numbers with their error where no series gives them.

        Raises NotStationaryError; where numbers are needed ParameterError, DimensionError, NotAvailableYet.
        """
        return masses_of(self._symbolic, lambda: self._numeric)

    @cached_property
    def jordan(self) -> Jordan:
        """The densities of the four Jordan parts in SymPy, max(±Re μ, 0) and max(±Im μ, 0).

        Raises NoDensityError, NotStationaryError.
        """
        import sympy

        from kernelspec.analysis.jordan import Jordan, jordan_parts

        _ = self.spectral_density  # refuses atoms
        late = sympy.Symbol(_LATE)
        return within(
            _SECONDS,
            lambda: jordan_parts(self._symbolic_measure, self._frequency),
            lambda: Jordan(late, late, late, late),
        )

    @cached_property
    def polar(self) -> Polar:
        """Modulus and argument of the spectral density in SymPy. Raises NoDensityError, NotStationaryError."""
        import sympy

        from kernelspec.analysis.jordan import Polar, polar_form

        _ = self.spectral_density
        late = sympy.Symbol(_LATE)
        return within(_SECONDS, lambda: polar_form(self._symbolic_measure, self._frequency), lambda: Polar(late, late))

    # -- verdict -----------------------------------------------------------------------------------------------------

    @cached_property
    def verdict(self) -> Verdict:
        """Positive definite ("proved", "disproved", "unknown"), symmetric, stationary, with reasons."""
        return decide(self.spec, self.columns)

    # -- numbers -----------------------------------------------------------------------------------------------------

    def spectral_density_at(self, omega: ArrayLike) -> NDArray[np.float64] | NDArray[np.complex128]:
        """The spectral density at frequencies (n, d) → (n,), complex where the kernel is not symmetric.

        Raises NoDensityError, NotStationaryError.
        """
        return self._measure.density(self._vectors(omega, "omega"))

    def characteristic_function(self, delta: ArrayLike) -> NDArray[np.float64]:
        """k(Δ) = ∫ exp(i ω·Δ) μ(dω) at lags (n, d) → (n,). Raises NotStationaryError."""
        return self._measure.characteristic_function(self._vectors(delta, "delta"))

    @cached_property
    def atoms(self) -> Atoms | None:
        """Points, weights and the mass left out of a discrete spectral measure; None for the others."""
        return self._measure.atoms()

    def bound(self, eps: float, delta: float, diameter: float) -> Bound:
        """Samples and columns that keep the error below eps at all lags in a ball, with probability 1 − delta.

        For a positive definite kernel the bound of Rahimi and Recht on its paired frequencies; for every other
        stationary one that of He et al. on the Jordan estimator, with so many samples of each part. Raises
        PlanError where no bound applies.
        """
        from kernelspec.analysis.complex_bound import complex_bound
        from kernelspec.analysis.uniform_bound import uniform_bound

        dim = int(self.columns.dim)
        if self.verdict.positive_definite == "proved":
            return uniform_bound(eps, delta, diameter, dim=dim, k0=self._k0, second_moment=self._spread)
        masses, moments = self._complex
        return complex_bound(eps, delta, diameter, dim=dim, masses=masses, moments=moments)

    def bound_error(self, n: int, delta: float, diameter: float) -> float:
        """The error that n samples keep to at all lags in a ball, with probability 1 − delta: the inverse of `bound`.

        Raises PlanError where no bound applies.
        """
        from kernelspec.analysis.complex_bound import complex_bound_error
        from kernelspec.analysis.uniform_bound import uniform_bound_error

        dim = int(self.columns.dim)
        if self.verdict.positive_definite == "proved":
            return uniform_bound_error(n, delta, diameter, dim=dim, k0=self._k0, second_moment=self._spread)
        masses, moments = self._complex
        return complex_bound_error(n, delta, diameter, dim=dim, masses=masses, moments=moments)

    # -- reports -----------------------------------------------------------------------------------------------------

    def latex(self) -> str:
        """Kernel and spectral measure as LaTeX."""
        from kernelspec.analysis.report import latex_report

        return latex_report(self)

    def report(self) -> str:
        """All facts in words."""
        from kernelspec.analysis.report import text_report

        return text_report(self)

    def to_dict(self) -> dict[str, Any]:
        """All facts as JSON data."""
        from kernelspec.analysis.report import facts_to_dict

        return facts_to_dict(self)

    # -- how ---------------------------------------------------------------------------------------------------------

    @cached_property
    def _symbolic(self) -> Kernel:
        return self.spec.symbolic_kernel(self.columns)

    @cached_property
    def _symbolic_measure(self) -> Measure:
        return self._symbolic.measure()

    @cached_property
    def _numeric(self) -> Kernel:
        return self.spec.kernel(self.columns)

    @cached_property
    def _measure(self) -> Measure:
        return self._numeric.measure()

    @property
    def _k0(self) -> float:
        return float(self._numeric.diagonal())

    @property
    def _spread(self) -> float:
        return float(self._measure.second_moment())

    @cached_property
    def _complex(self) -> tuple[Masses, JordanMoments]:
        """Masses and second moments of the Jordan parts. Raises PlanError where they cannot be had."""
        from kernelspec.analysis.jordan_moments import jordan_moments

        try:
            return self.masses, jordan_moments(self._numeric, self.masses)
        except (NoDensityError, NotAvailableYet, NotStationaryError) as error:
            raise PlanError(f"there is no uniform bound for this kernel: {error}") from None

    @property
    def _pairs(self) -> SymbolicPairs:
        return SymbolicPairs.between(self._symbolic.dim, self.columns.names)

    @property
    def _frequency(self) -> SymbolicPairs:
        return SymbolicPairs.frequency(self._symbolic.dim, self.columns.names)

    def _vectors(self, vectors: ArrayLike, name: str) -> NDArray[np.float64]:
        array = np.asarray(vectors, dtype=np.float64)
        if array.ndim != 2 or array.shape[1] != self.columns.dim:
            raise DataError(f"{name} must have shape (n, {self.columns.dim}), not {array.shape}")
        return array

    @staticmethod
    def _bounded(step: Any) -> Any:
        import sympy

        return within(_SECONDS, step, lambda: sympy.Symbol(_LATE))
