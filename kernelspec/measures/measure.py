"""The contract of a spectral measure, the rules from kernels to measures, and the measure of a leaf."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cache, singledispatch
from typing import Any

import numpy as np

from kernelspec.errors import NoDensityError, NotStationaryError
from kernelspec.expressions.arguments import Scalar
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.expressions.symbolic_pairs import SymbolicPairs
from kernelspec.kernels.atoms import Atoms
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaf import Leaf, Stationary
from kernelspec.limits import spend
from kernelspec.loading import load_from, load_rules, loaded, sympy
from kernelspec.random.streams import Stream

__all__ = ["DENSITIES", "Measure", "Spectral", "measure_of", "measure_rule"]


DENSITIES = "kernelspec.measures.block_density"
"""The module that computes densities without closed form; it knows all measures, and is imported on use."""


@dataclass(frozen=True)
class Measure(ABC):
    """A finite measure μ on R^dim with k(Δ) = ∫ exp(i ω·Δ) μ(dω); μ(−ω) = conj μ(ω), because k is real.

    It is even, unless it is complex, for an asymmetric kernel. A sampler and a characteristic function always exist; a
    density is optional.
    """

    @property
    @abstractmethod
    def dim(self) -> Scalar:
        """Dimension of the space."""

    @property
    def is_complex(self) -> bool:
        """Whether the density, or the weights of the atoms, may be complex."""
        return False

    @abstractmethod
    def total_mass(self) -> Scalar:
        """∫ dμ = k(0)."""

    @abstractmethod
    def sample(self, stream: Stream, n: int) -> np.ndarray:
        """n independent frequencies from μ / k(0), (n, dim), exactly.

        Raises PlanError for a measure with negative parts: those are sampled part by part, with signs.
        """

    @abstractmethod
    def characteristic_function(self, lags: np.ndarray) -> np.ndarray:
        """∫ exp(i ω·Δ) μ(dω) for lags (n, dim) → (n,)."""

    @abstractmethod
    def without_density(self) -> str | None:
        """Why the measure has no density with respect to Lebesgue measure on R^dim; None if there is one."""

    def require_density(self) -> None:
        """Raise NoDensityError, with the reason, if the measure has no density."""
        reason = self.without_density()
        if reason is not None:
            raise NoDensityError(reason)

    def density(self, frequencies: np.ndarray) -> np.ndarray:
        """The density at frequencies (n, dim) → (n,).

        Raises NoDensityError if there is none, or none that can be evaluated. Measures implement this for a closed
        form, else `density_and_error`.
        """
        return self.density_and_error(frequencies)[0]

    def density_and_error(self, frequencies: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The density at frequencies (n, dim), and bounds on the error of numerical integration in each value, (n,).

        The bounds are 0 for closed forms. Raises NoDensityError as `density` does.
        """
        return self.density(frequencies), np.zeros(len(frequencies))

    @abstractmethod
    def expression(self, frequency: SymbolicPairs) -> Any:
        """The density in SymPy; `DiracDelta` for atoms, an unevaluated convolution without a closed form."""

    @abstractmethod
    def second_moment(self, matrix: Scalar | None = None) -> Scalar:
        """E‖Aω‖² under μ / k(0); A is the identity, a number, one number per column, or a matrix."""

    @abstractmethod
    def describe(self) -> str:
        """The measure in a few words, for plans and reports."""

    def coordinates_read(self) -> list[int]:
        """The coordinates that are not always zero; the others' columns are not used."""
        return list(range(self.dim))

    def atoms(self) -> Atoms | None:
        """The atoms of a discrete measure; None for others."""
        return None

    def finite_atoms(self) -> tuple[tuple[tuple[Any, ...], Any], ...] | None:
        """All atoms as ((point, weight), …) in exact numbers, if there are finitely many; else None."""
        return None


_NODES = "kernelspec.kernels.nodes"

_HOMES = {
    f"{_NODES}.sums_and_products:Sum": "kernelspec.measures.mixture",
    f"{_NODES}.sums_and_products:Additive": "kernelspec.measures.mixture",
    f"{_NODES}.columns_and_lags:Select": "kernelspec.measures.mixture",
    f"{_NODES}.columns_and_lags:Stretch": "kernelspec.measures.mixture",
    f"{_NODES}.sums_and_products:Product": "kernelspec.measures.convolution",
    f"{_NODES}.sums_and_products:Power": "kernelspec.measures.convolution",
    f"{_NODES}.dual:Dual": "kernelspec.measures.convolution",
    f"{_NODES}.columns_and_lags:Shift": "kernelspec.measures.translated",
    f"{_NODES}.columns_and_lags:Tilt": "kernelspec.measures.translated",
    "kernelspec.kernels.leaves.gaussian_directions:GaussianDirection": "kernelspec.measures.translated",
}
"""Kernel class → the module that registers its measure; those of other leaves are here."""


def measure_of(kernel: Kernel) -> Measure:
    """The spectral measure on R^dim with k(Δ) = ∫ exp(i ω·Δ) μ(dω).

    Raises NotStationaryError without one; TypeError for a kernel without a rule.
    """
    _load_rules(type(kernel))
    return measure_rule(kernel)


@cache
def _load_rules(cls: type[Kernel]) -> None:
    load_rules(_HOMES, cls)


@singledispatch
def measure_rule(kernel: Kernel) -> Measure:
    """The measure of a kind of kernel; each measure registers it for its kernels."""
    if isinstance(kernel, loaded(f"{_NODES}.columns_and_lags:Unavailable")):
        kernel.refuse()
    if isinstance(kernel, loaded(f"{_NODES}.skeleton:Skeleton")):
        raise NotStationaryError(
            "the spectral measure of a skeleton is a mixture over all paths to its base kernels, which has no closed "
            "form here; its samples are drawn exactly"
        )
    raise TypeError(f"no rule for the spectral measure of {type(kernel).__name__}: register measure_rule")


_OPERATIONS, _OPERATIONS_OF_A_DRAW = 100, 200  # cost of a value of the density and of a draw, per column


@dataclass(frozen=True)
class Spectral(Measure):
    """The probability μ of a stationary kernel of the catalogue."""

    kernel: Stationary

    @property
    def dim(self) -> Scalar:
        return self.kernel.dim

    def total_mass(self) -> Scalar:
        return 1

    def sample(self, stream: Stream, n: int) -> np.ndarray:
        spend(_OPERATIONS_OF_A_DRAW * float(n) * int(self.dim))
        return self.kernel.draw(stream, n)

    def characteristic_function(self, lags: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore"):  # k is 0 at lags whose squares overflow
            return self.kernel.numbers(NumericPairs.of_vectors(lags))

    def without_density(self) -> str | None:
        return self.kernel.without_density()

    def density(self, frequencies: np.ndarray) -> np.ndarray:
        self.require_density()
        with np.errstate(over="ignore"):  # for frequencies whose squares overflow
            return self.kernel.density(NumericPairs.of_vectors(frequencies))

    def density_and_error(self, frequencies: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        self.require_density()
        spend(_OPERATIONS * float(frequencies.size))
        with np.errstate(over="ignore"):
            return self.kernel.density_and_error(NumericPairs.of_vectors(frequencies))

    def expression(self, frequency: SymbolicPairs) -> Any:
        found = self.kernel.density_expression(frequency)
        if not found.has(sympy.Integral):
            return found
        closed = load_from("kernelspec.measures.algebra.closed_density:closed_expression")(self, frequency)
        return found if closed is None else closed

    def second_moment(self, matrix: Scalar | None = None) -> Scalar:
        return self.kernel.second_moment(matrix)

    def describe(self) -> str:
        return f"{self.kernel}: {self.kernel.frequencies}"

    def atoms(self) -> Atoms | None:
        return self.kernel.atoms()

    def finite_atoms(self) -> tuple[tuple[tuple[Any, ...], Any], ...] | None:
        return self.kernel.finite_atoms()


measure_rule.register(Stationary, Spectral)


@measure_rule.register
def _(kernel: Leaf) -> Measure:
    raise NotStationaryError(kernel.without_measure())
