"""What is known of the spectral measure of a kernel: in symbols, and in numbers at given points."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernelspec.analysis.gram import Reading
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
from kernelspec.verdicts.decision import decide

if TYPE_CHECKING:
    from kernelspec.analysis.closed_products import ClosedProducts
    from kernelspec.kernels.atoms import Atoms
    from kernelspec.kernels.kernel import Verdict
    from kernelspec.measures.derivation_steps import Step
    from kernelspec.measures.jordan import Jordan, Polar
    from kernelspec.measures.masses import Masses
    from kernelspec.measures.realization import StateSpace
    from kernelspec.measures.state_space import ExactStateSpace

__all__ = ["SpectralFacts"]

_LARGEST_ORDER = 12
"""Of a moment."""


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
        """The spectral measure as a SymPy expression in ω: a density, with DiracDelta where there are atoms.

        Raises NotStationaryError where there is none.
        """
        return derive(
            lambda: self._symbolic_measure.expression(self._frequency), lambda late: late, calls=DENSITY_CALLS
        )

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
    def derivation(self) -> tuple[Step, ...]:
        """How the spectral measure comes about: the rules applied, in order, each with its formula.

        The last step gives the whole, called mu; empty where this takes too long. Raises NotStationaryError.
        """
        from kernelspec.measures.derivation import derivation

        return derive(lambda: derivation(self._symbolic_measure, self._frequency), lambda late: (), calls=DENSITY_CALLS)

    @cached_property
    def closed_products(self) -> ClosedProducts | None:
        """Which products of two kernels of the catalogue in the spec have a closed density.

        None where there are fewer than two such kernels, or where numbers are missing.
        """
        from kernelspec.analysis.closed_products import products_of_kernels

        try:
            return products_of_kernels(self._numeric)
        except (ParameterError, DimensionError):
            return None

    @cached_property
    def second_moment(self) -> Scalar:
        """E‖ω‖² under the normalised measure; SymPy's oo where it is infinite, nan where k(0) is 0.

        Raises NotStationaryError.
        """
        import sympy

        from kernelspec.measures.algebra.kernel_series import second_moment_on_line

        found = sympy.S(self._symbolic_measure.second_moment())
        if found is not sympy.nan or self.mapped.count != 1:
            return found
        complex_one = second_moment_on_line(self._symbolic_measure)
        return found if complex_one is None else sympy.S(complex_one)

    def moment(self, order: int) -> Scalar:
        """E ωⁿ on one column under the normalised measure, n = `order` even: ± the n-th derivative of k at 0, by k(0).

        SymPy's oo where it is infinite; nan where it is undefined, as for an asymmetric kernel with a kink. Raises
        NotStationaryError; DimensionError for another number of columns, DataError for an order that is not 2, 4, …,
        12, NotAvailableYet for a kernel that is neither known in pieces nor periodic.
        """
        import sympy

        from kernelspec.measures.algebra.kernel_series import even_moment

        if self.mapped.count != 1:
            raise DimensionError("moments beyond facts.second_moment are known on one column: give dim=1")
        if order not in range(2, _LARGEST_ORDER + 1, 2):
            raise DataError(f"the order must be one of 2, 4, …, {_LARGEST_ORDER}, not {order}")
        proved = self.verdict.positive_definite == "proved"
        try:
            return even_moment(self._symbolic_measure, order, positive_definite=proved)
        except NotAvailableYet:
            if not proved or (
                order > 2 and self.second_moment != sympy.oo
            ):  # no moment is finite above an infinite one
                raise
            return self.second_moment

    @cached_property
    def tail_exponent(self) -> float:
        """α with |μ(ω)| = O(‖ω‖^−α) and no better: infinite where it falls faster than any power.

        From the lowest derivative of k that jumps. Raises NoDensityError, NotStationaryError; where numbers are needed
        ParameterError, DimensionError; NotAvailableYet for a kernel that is neither radial nor on one column, or not
        known in pieces.
        """
        from kernelspec.measures.tails import tail_exponent

        _ = self._numeric  # refuses symbols
        return tail_exponent(self._symbolic_measure)

    @cached_property
    def masses(self) -> Masses:
        """Masses of the Jordan parts and the total variation; numbers with their error where no series gives them.

        All is positive where the verdict proves that. Raises NotStationaryError; where numbers are needed
        ParameterError, DimensionError, NotAvailableYet.
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

        _ = self.spectral_density  # refuses atoms
        return derive(
            lambda: jordan_parts(self._symbolic_measure, self._frequency),
            lambda late: Jordan(late, late, late, late),
        )

    @cached_property
    def polar(self) -> Polar:
        """Modulus and argument of the spectral density in SymPy. Raises NoDensityError, NotStationaryError."""
        from kernelspec.measures.jordan import Polar, polar_form

        _ = self.spectral_density
        return derive(
            lambda: polar_form(self._symbolic_measure, self._frequency),
            lambda late: Polar(late, late),
        )

    @cached_property
    def state_space(self) -> StateSpace:
        """F, L, q, H, P of a stochastic differential equation whose solution has the kernel, on one column.

        k(τ) = H exp(F|τ|) P H' within `error`, which is 0 for rational densities. Raises NotAvailableYet if there is
        none, NotStationaryError; ParameterError, DimensionError if numbers are missing.
        """
        from kernelspec.measures.state_space import state_space

        measure = self._measure
        self._require_proof()
        return state_space(measure)

    @cached_property
    def exact_state_space(self) -> ExactStateSpace | None:
        """The same in SymPy, with symbols if there are any; None if the matrices cannot be written down.

        Raises NotStationaryError.
        """
        from kernelspec.measures.state_space import exact_state_space

        measure = self._symbolic_measure
        self._require_proof()
        return derive(lambda: exact_state_space(measure), lambda late: None, calls=DENSITY_CALLS)

    def _require_proof(self) -> None:
        if self.verdict.positive_definite != "proved":
            raise NotAvailableYet(f"no state space: positive definiteness is {self.verdict.positive_definite}")

    # -- in numbers --------------------------------------------------------------------------------------------------

    def spectral_density_at(self, omega: ArrayLike) -> NDArray[np.float64] | NDArray[np.complex128]:
        """The spectral density at frequencies (n, d) → (n,), complex where the kernel is not symmetric.

        Raises NoDensityError, NotStationaryError, DataError for another shape.
        """
        with np.errstate(over="ignore"):  # it falls to 0
            return self._measure.density(self._vectors(omega, "omega"))

    def spectral_density_error_at(self, omega: ArrayLike) -> NDArray[np.float64]:
        """Bounds on the error of `spectral_density_at` by numerical inversion, (n, d) → (n,); 0 for closed forms.

        Raises NoDensityError, NotStationaryError, DataError for another shape.
        """
        return self._measure.density_and_error(self._vectors(omega, "omega"))[1]

    def characteristic_function(self, delta: ArrayLike) -> NDArray[np.float64]:
        """k(Δ) = ∫ exp(i ω·Δ) μ(dω) at lags (n, d) → (n,), from k itself where μ has no form.

        Raises NotStationaryError, DataError for another shape.
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
        """Points, weights and the mass left out of the atoms of the spectral measure; None if it has no atoms.

        The rest of a mixed measure is `density_beside_atoms_at`. Raises NotStationaryError.
        """
        from kernelspec.measures.mixture import atoms_apart

        apart = atoms_apart(self._measure)
        return (self._measure if apart is None else apart[0]).atoms()

    def density_beside_atoms_at(self, omega: ArrayLike) -> NDArray[np.float64] | NDArray[np.complex128]:
        """The density of a mixed spectral measure without its atoms, at frequencies (n, d) → (n,).

        That of a measure without atoms is its whole density. Raises what `spectral_density_at` does.
        """
        from kernelspec.measures.mixture import atoms_apart

        apart = atoms_apart(self._measure)
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
