"""Facts about the spectral measure of a kernel: symbolic, and numeric at given points."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernelspec.analysis.gram import Reading, gram
from kernelspec.catalogue import names_faults
from kernelspec.errors import (
    DataError,
    DimensionError,
    NoDensityError,
    NotAvailableYet,
    NotStationaryError,
    ParameterError,
)
from kernelspec.expressions.arguments import Scalar
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.expressions.symbolic import DENSITY_CALLS, derive
from kernelspec.kernels.atoms import Atoms
from kernelspec.kernels.kernel import Verdict
from kernelspec.loading import sympy
from kernelspec.verdicts.decision import decide

if TYPE_CHECKING:
    from kernelspec.analysis.closed_products import ClosedProducts
    from kernelspec.measures.derivation_steps import Step
    from kernelspec.measures.jordan import Jordan, Polar
    from kernelspec.measures.masses import Masses
    from kernelspec.measures.mixture import Mixture
    from kernelspec.measures.processes import MeanEmbedding, Paths
    from kernelspec.measures.realization import StateSpace
    from kernelspec.measures.state_space import ExactStateSpace

__all__ = ["SpectralFacts"]

_LARGEST_ORDER = 12  # the largest order of a moment


@names_faults
@dataclass(frozen=True)
class SpectralFacts(Reading):
    """The facts about μ with k(Δ) = ∫ exp(i ω·Δ) μ(dω)."""

    @cached_property
    def verdict(self) -> Verdict:
        """Positive definite ("proved", "disproved", "unknown"), symmetric, stationary, with reasons."""
        return decide(self.spec, self.columns)

    # -- in symbols --------------------------------------------------------------------------------------------------

    @cached_property
    def spectral_measure(self) -> Any:
        """The spectral measure as a SymPy expression in ω: a density, with DiracDelta for atoms.

        Raises NotStationaryError without a spectral measure.
        """
        return derive(
            lambda: self._symbolic_measure.expression(self._frequency), lambda late: late, calls=DENSITY_CALLS
        )

    @cached_property
    def spectral_density(self) -> Any:
        """The density of the spectral measure in SymPy; an unevaluated convolution without a closed form.

        Raises NoDensityError for atoms or frequencies confined to a subspace, NotStationaryError.
        """
        reason = self._symbolic_measure.without_density()
        if reason is not None:
            raise NoDensityError(reason)
        return self.spectral_measure

    @cached_property
    def open_density(self) -> str | None:
        """Why `spectral_density` is an integral or an unevaluated convolution; None for a closed form.

        Raises as `spectral_density`.
        """
        from kernelspec.measures.derivation import is_open, why_open

        if not is_open(self.spectral_density):
            return None
        late = "its derivation is too long here"
        if self.spectral_density.has(sympy.Symbol("not_derived_in_time")):
            return late
        return derive(lambda: why_open(self._symbolic_measure), lambda _: late, calls=DENSITY_CALLS)

    @cached_property
    def derivation(self) -> tuple[Step, ...]:
        """The derivation of the spectral measure: the rules applied, in order, each with its formula.

        The last step gives the whole, called mu; empty if this takes too long. Raises NotStationaryError.
        """
        from kernelspec.measures.derivation import derivation

        return derive(lambda: derivation(self._symbolic_measure, self._frequency), lambda late: (), calls=DENSITY_CALLS)

    @cached_property
    def closed_products(self) -> ClosedProducts | None:
        """Which products of two catalogue kernels in the spec have a closed density.

        None if there are fewer than two such kernels, or numbers are missing.
        """
        from kernelspec.analysis.closed_products import products_of_kernels

        try:
            return products_of_kernels(self._numeric)
        except (ParameterError, DimensionError):
            return None

    @cached_property
    def second_moment(self) -> Scalar:
        """E‖ω‖² under the normalized measure; SymPy's ±oo if infinite, nan if k(0) = 0, or if an activation given by a
        formula may have slopes that are not square integrable. On several columns also nan for complex measures, and if
        infinite terms of both signs may cancel in a kernel that is not radial.

        Raises NotStationaryError.
        """
        from kernelspec.measures.algebra.kernel_series import second_moment

        proved = self.verdict.positive_definite == "proved"
        found = second_moment(self._symbolic_measure, positive_definite=proved)
        if found is not sympy.nan or not proved or self.mapped.count is None:
            return found
        return sympy.oo if self._falls_no_faster(self.mapped.dim + 2) else found

    def _falls_no_faster(self, exponent: Any) -> bool:
        """Whether the density is known to fall at most as ‖ω‖^−exponent."""
        try:
            return bool(self.tail_exponent <= exponent)
        except (NotAvailableYet, ParameterError, DimensionError, NoDensityError):
            return False

    def moment(self, order: int) -> Scalar:
        """E ωⁿ on one column under the normalized measure, n = `order` even: ± the n-th derivative of k at 0, over
        k(0).

        SymPy's oo if infinite; nan if undefined, as for an asymmetric kernel with a kink. Raises NotStationaryError;
        DimensionError for another number of columns, DataError for an order other than 2, 4, …, 12, NotAvailableYet for
        a kernel that is neither known in pieces nor periodic.
        """
        from kernelspec.measures.algebra.kernel_series import even_moment

        if self.mapped.count != 1:
            raise DimensionError("moments beyond facts.second_moment require a single column: pass dim=1")
        if order not in range(2, _LARGEST_ORDER + 1, 2):
            raise DataError(f"the order must be one of 2, 4, …, {_LARGEST_ORDER}, not {order}")
        proved = self.verdict.positive_definite == "proved"
        try:
            return even_moment(self._symbolic_measure, order, positive_definite=proved)
        except NotAvailableYet:
            if not proved:
                raise
            if order == 2 or self.second_moment == sympy.oo:  # above an infinite moment, none is finite
                return self.second_moment
            if not self._falls_no_faster(order + 1):
                raise
            return sympy.oo

    @cached_property
    def tail_exponent(self) -> float:
        """The best α with |μ(ω)| = O(‖ω‖^−α): infinite if it falls faster than any power.

        From the lowest derivative of k that jumps. Raises NoDensityError, NotStationaryError; ParameterError,
        DimensionError if numbers are missing; NotAvailableYet for a kernel that is neither radial nor on one column, or
        not known in pieces.
        """
        from kernelspec.measures.tails import tail_exponent

        _ = self._numeric  # raises for symbols
        return tail_exponent(self._symbolic_measure)

    @cached_property
    def masses(self) -> Masses:
        """Masses of the Jordan parts and the total variation; numbers with their error if no series gives them.

        All mass is positive if the verdict proves it. Raises NotStationaryError; ParameterError, DimensionError,
        NotAvailableYet if numbers are needed.
        """
        from kernelspec.measures.masses import masses_of

        proved = self.verdict.positive_definite == "proved"
        return masses_of(self._symbolic, lambda: self._numeric, positive_definite=proved)

    @cached_property
    def jordan(self) -> Jordan:
        """The densities of the four Jordan parts in SymPy, max(±Re μ, 0) and max(±Im μ, 0).

        Raises NoDensityError, NotStationaryError.
        """
        from kernelspec.measures.jordan import Jordan, jordan_parts

        _ = self.spectral_density  # raises for atoms
        return derive(
            lambda: jordan_parts(self._symbolic_measure, self._frequency), lambda late: Jordan(late, late, late, late)
        )

    @cached_property
    def polar(self) -> Polar:
        """Modulus and argument of the spectral density in SymPy. Raises NoDensityError, NotStationaryError."""
        from kernelspec.measures.jordan import Polar, polar_form

        _ = self.spectral_density
        return derive(lambda: polar_form(self._symbolic_measure, self._frequency), lambda late: Polar(late, late))

    @cached_property
    def state_space(self) -> StateSpace:
        """F, L, q, H, P of a stochastic differential equation whose solution has the kernel, on one column.

        k(τ) = H exp(F|τ|) P H' within `error`, which is 0 for rational densities. Raises NotAvailableYet if there is
        none, NotStationaryError; ParameterError, DimensionError if numbers are missing.
        """
        from kernelspec.measures.algebra.pieces import NotClosed
        from kernelspec.measures.state_space import state_space

        measure = self._measure
        self._require_proof()
        try:
            return state_space(measure)
        except NotClosed as error:  # in exact numbers terms may cancel that rounded ones leave
            try:
                return state_space(self._symbolic_measure)
            except (NotClosed, TypeError):
                raise error from None

    @cached_property
    def exact_state_space(self) -> ExactStateSpace | None:
        """`state_space` in SymPy, possibly with symbols; None if the matrices are too long.

        Raises NotStationaryError.
        """
        from kernelspec.measures.state_space import exact_state_space

        measure = self._symbolic_measure
        self._require_proof()
        return derive(lambda: exact_state_space(measure), lambda late: None, calls=DENSITY_CALLS)

    @cached_property
    def paths(self) -> Paths:
        """For a Gaussian process with the kernel: mean-square derivatives, Hölder order, rate of mean crossings.

        Raises NotAvailableYet if the behavior of k at 0 is unknown, NotStationaryError; ParameterError, DimensionError
        if numbers are missing.
        """
        from kernelspec.measures.processes import paths_of

        _ = self._numeric  # raises for symbols
        measure = self._symbolic_measure
        self._require_proof("paths")
        return paths_of(measure, self.second_moment)

    def mean_embedding(self, X: Any = None, *, normal: Any = None, uniform: Any = None) -> MeanEmbedding:
        """m(x) = ∫ k(x, y) ν(dy) and ∫ m dν for independent columns with the law `normal=(m, s)` or `uniform=(a, b)`,
        or for the rows of a table X.

        In closed form if the algebra has the integral, otherwise by quadrature with its error. The numbers may be
        sequences with one entry per column. Raises ParameterError unless exactly one law is given, NotAvailableYet for
        a function of the distance on several columns, NotStationaryError; ParameterError, DimensionError if numbers are
        missing.
        """
        from kernelspec.measures.processes import MeanEmbedding, embedding_expression, law_of_columns, mean_embedding

        given = {name: law for name, law in (("X", X), ("normal", normal), ("uniform", uniform)) if law is not None}
        if len(given) != 1:
            raise ParameterError("a mean embedding needs one of X, normal=(mean, deviation) and uniform=(low, high)")
        ((kind, law),) = given.items()
        if kind == "X":
            mean = float(gram(self.spec, X, X, self.columns.names).mean())

            def at(rows: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
                values = gram(self.spec, rows, X, self.columns.names).mean(axis=1)
                return values, np.zeros(len(values))

            return MeanEmbedding(at, mean, 0.0)
        laws = law_of_columns(kind, law, int(self._measure.dim))
        found = mean_embedding(self._measure, laws)
        symbols = [self._row(i) for i in range(1, len(laws) + 1)]
        expression = derive(
            lambda: embedding_expression(self._symbolic_measure, laws, symbols), lambda late: None, calls=DENSITY_CALLS
        )
        return MeanEmbedding(lambda rows: found.at(self._vectors(rows, "X")), found.mean, found.error, expression)

    @cached_property
    def normal_embedding(self) -> Any | None:
        """∫ k(x, y) N(y; m, s²) dy in SymPy, in x, m and s (m_0 and s_0 if the spec has those names).

        None if it is not closed, and on several columns. Raises NotStationaryError.
        """
        from kernelspec.measures.processes import Law, embedding_expression

        if self.mapped.count != 1:
            return None
        measure = self._symbolic_measure
        m, s = sympy.Symbol("m", real=True), sympy.Symbol("s", positive=True)
        if {"m", "s"} & set(self.spec.params):
            m, s = sympy.Symbol("m_0", real=True), sympy.Symbol("s_0", positive=True)
        return derive(
            lambda: embedding_expression(measure, (Law(True, m, s),), [self._row(1)]),
            lambda late: None,
            calls=DENSITY_CALLS,
        )

    def _row(self, i: int) -> Any:
        operands = self._pairs.operands
        assert operands is not None
        return operands(i)[0]

    def _require_proof(self, what: str = "state space") -> None:
        if self.verdict.positive_definite != "proved":
            raise NotAvailableYet(f"no {what}: positive definiteness is {self.verdict.positive_definite}")

    # -- in numbers --------------------------------------------------------------------------------------------------

    def spectral_density_at(self, omega: ArrayLike) -> NDArray[np.float64] | NDArray[np.complex128]:
        """The spectral density at frequencies (n, d) → (n,), complex if the kernel is asymmetric.

        Raises NoDensityError, NotStationaryError, DataError for a wrong shape.
        """
        with np.errstate(over="ignore"):  # it falls to 0
            return self._measure.density(self._vectors(omega, "omega"))

    def spectral_density_error_at(self, omega: ArrayLike) -> NDArray[np.float64]:
        """Bounds on the error of `spectral_density_at` by numerical inversion, (n, d) → (n,); 0 for closed forms.

        Raises NoDensityError, NotStationaryError, DataError for another shape.
        """
        return self._measure.density_and_error(self._vectors(omega, "omega"))[1]

    def characteristic_function(self, delta: ArrayLike) -> NDArray[np.float64]:
        """k(Δ) = ∫ exp(i ω·Δ) μ(dω) at lags (n, d) → (n,), from k itself if μ has no known form.

        Raises NotStationaryError, DataError for a wrong shape.
        """
        vectors = self._vectors(delta, "delta")
        try:
            measure = self._measure
        except NotStationaryError:
            if not self._numeric.is_stationary:
                raise
            values = self._numeric.value(NumericPairs.of_vectors(vectors))
            return np.broadcast_to(np.asarray(values, dtype=float), len(vectors)).copy()
        return measure.characteristic_function(vectors)

    @cached_property
    def atoms(self) -> Atoms | None:
        """Points and weights of the atoms of the spectral measure, and the omitted mass; None without atoms.

        The rest of a mixed measure is `density_beside_atoms_at`. Raises NotStationaryError.
        """
        apart = self._apart
        return (self._measure if apart is None else apart[0]).atoms()

    @cached_property
    def _apart(self) -> tuple[Mixture, Mixture] | None:
        """The atoms and the part with a density, if there are both."""
        from kernelspec.measures.block_density import multiplied_out
        from kernelspec.measures.mixture import atoms_apart

        return atoms_apart(multiplied_out(self._measure))

    def density_beside_atoms_at(self, omega: ArrayLike) -> NDArray[np.float64] | NDArray[np.complex128]:
        """The density of a mixed spectral measure without its atoms, at frequencies (n, d) → (n,).

        For a measure without atoms, its whole density. Raises as `spectral_density_at`.
        """
        apart = self._apart
        with np.errstate(over="ignore"):
            return (self._measure if apart is None else apart[1]).density(self._vectors(omega, "omega"))

    def _vectors(self, vectors: ArrayLike, name: str) -> NDArray[np.float64]:
        try:
            array = np.asarray(vectors, dtype=np.float64)
        except (TypeError, ValueError):
            raise DataError(f"{name} must be an array of numbers of shape (n, {self.mapped.dim})") from None
        if array.ndim != 2 or array.shape[1] != self.mapped.dim:
            raise DataError(f"{name} must have shape (n, {self.mapped.dim}), not {array.shape}")
        return array
