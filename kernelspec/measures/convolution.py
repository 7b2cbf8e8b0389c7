"""Convolutions of measures: the spectral side of a product of kernels."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import reduce
from math import comb, prod
from operator import add, mul
from typing import Any

import numpy as np

from kernelspec.errors import PlanError
from kernelspec.expressions.arguments import Scalar
from kernelspec.expressions.elementary import undefined
from kernelspec.expressions.symbolic_pairs import SymbolicPairs
from kernelspec.kernels.atoms import Atoms
from kernelspec.kernels.leaf import Stationary
from kernelspec.kernels.nodes.dual import Dual
from kernelspec.kernels.nodes.sums_and_products import Power, Product
from kernelspec.loading import load_from, sympy
from kernelspec.measures.measure import DENSITIES, Measure, Spectral, measure_of, measure_rule
from kernelspec.measures.mixture import IGNORED_COLUMN, Embedding, Mixture
from kernelspec.random.streams import Stream

__all__ = [
    "Composed",
    "Convolution",
    "convolve",
    "expanded_mixture",
    "factors_of",
    "independent_blocks",
    "without_embedding",
]


def support(part: Measure) -> tuple[Any, ...]:
    """The columns on which a measure lives: all of them, except for an embedding."""
    if isinstance(part, Embedding):
        return part.positions
    return tuple(range(part.dim)) if isinstance(part.dim, int) else (part.dim,)


def without_embedding(part: Measure) -> Measure:
    """The measure on its own columns."""
    return part.part if isinstance(part, Embedding) else part


def independent_blocks(parts: tuple[Measure, ...]) -> list[tuple[tuple[int, ...], tuple[Measure, ...]]]:
    """The parts grouped so that no two groups share a column: the density is the product over the groups.

    Each group comes with its columns in increasing order and its parts as measures on those columns.
    """
    groups: list[tuple[set[int], list[Measure]]] = []
    for part in parts:
        columns, members = set(support(part)), [part]
        for group in [group for group in groups if group[0] & columns]:
            columns |= group[0]
            members = group[1] + members
            groups.remove(group)
        groups.append((columns, members))
    result = []
    for unordered, members in groups:
        kept = tuple(sorted(unordered))
        result.append((kept, tuple(_restricted(member, kept) for member in members)))
    return result


def _restricted(part: Measure, columns: tuple[int, ...]) -> Measure:
    own = support(part)
    if own == columns:
        return without_embedding(part)
    return Embedding(without_embedding(part), tuple(columns.index(column) for column in own), len(columns))


_MOST_WRITTEN_OUT = 64  # up to this many atoms, a convolution of atoms lists them one by one in its expression


def convolve(parts: tuple[Measure, ...]) -> Measure:
    """The convolution of measures on one space; kernels whose product is in the catalogue are fused."""
    fused: list[Measure] = []
    for part in parts:
        for i, other in enumerate(fused):
            if isinstance(part, Spectral) and isinstance(other, Spectral):
                joint = other.kernel.fuse(part.kernel)
                if joint is not None:
                    fused[i] = Spectral(joint)
                    break
        else:
            fused.append(part)
    return fused[0] if len(fused) == 1 else Convolution(tuple(fused))


@dataclass(frozen=True)
class Convolution(Measure):
    """The law of ω_1 + ω_2 + …, ω_i ~ μ_i independent."""

    parts: tuple[Measure, ...]

    @property
    def dim(self) -> Scalar:
        return self.parts[0].dim

    @property
    def is_complex(self) -> bool:
        return any(part.is_complex for part in self.parts)

    def total_mass(self) -> Scalar:
        return reduce(mul, (part.total_mass() for part in self.parts))

    def sample(self, stream: Stream, n: int) -> np.ndarray:
        frequencies = self.parts[0].sample(stream.child(0), n)
        for i, part in enumerate(self.parts[1:], 1):
            frequencies = frequencies + part.sample(stream.child(i), n)
        return frequencies

    def characteristic_function(self, lags: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore"):  # infinite if the product overflows
            powers = Counter(self.parts)  # evaluates each part once for a power
            return np.asarray(prod(part.characteristic_function(lags) ** n for part, n in powers.items()))

    def coordinates_read(self) -> list[int]:
        return sorted({i for part in self.parts for i in part.coordinates_read()})

    def without_density(self) -> str | None:
        if any(part.without_density() is None for part in self.parts):
            return None  # a convolution with a density has a density
        reasons = [(part, without_embedding(part).without_density()) for part in self.parts]
        covered = {column for part, reason in reasons if reason is None for column in support(part)}
        if covered >= {column for part in self.parts for column in support(part)} == set(support(self)):
            return None
        return next((reason for _, reason in reasons if reason is not None), IGNORED_COLUMN)

    def density_and_error(self, frequencies: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        self.require_density()
        found: tuple[np.ndarray, np.ndarray] = load_from(f"{DENSITIES}:density_of_convolution")(self, frequencies)
        return found

    def expression(self, frequency: SymbolicPairs) -> Any:
        return load_from(f"{DENSITIES}:expression_of_convolution")(self, frequency)

    def second_moment(self, matrix: Scalar | None = None) -> Scalar:
        # even parts are centered if the moment is finite, and cross terms vanish; complex ones have cross terms
        if not self.is_complex:
            return sum(part.second_moment(matrix) for part in self.parts)
        on_line = self.dim == 1 and np.ndim(1 if matrix is None else matrix) == 0
        found = load_from("kernelspec.measures.algebra.kernel_series:second_moment_on_line")(self) if on_line else None
        if found is None:
            return undefined(*(part.total_mass() for part in self.parts))
        return found if matrix is None else found * matrix**2

    def describe(self) -> str:
        return "convolution of " + ", ".join(part.describe() for part in self.parts)

    def atoms(self) -> Atoms | None:
        found = [(part.atoms(), n) for part, n in Counter(self.parts).items()]
        discrete = [atoms.convolved(n) for atoms, n in found if atoms is not None]
        return reduce(Atoms.convolve, discrete) if len(discrete) == len(found) else None

    def finite_atoms(self) -> tuple[tuple[tuple[Any, ...], Any], ...] | None:
        found = [atoms for part in self.parts if (atoms := part.finite_atoms()) is not None]
        if len(found) < len(self.parts) or prod(map(len, found)) > _MOST_WRITTEN_OUT:
            return None
        return reduce(_sums, found)


def expanded_mixture(parts: tuple[Measure, ...]) -> list[tuple[Scalar, Measure]] | None:
    """The convolution as a sum, with its first sum multiplied out; None without a sum.

    A repeated sum of two terms is multiplied out as a power: n + 1 terms, not 2ⁿ.
    """
    for i, part in enumerate(parts):
        if isinstance(part, Mixture) and part.parts:
            count = parts.count(part)
            if count > 1 and len(part.parts) == 2:
                others = tuple(other for other in parts if other != part)
                return [(w, convolve((*factors, *others))) for w, factors in _binomial_terms(part, count)]
            others = parts[:i] + parts[i + 1 :]
            return [
                (weight, convolve((*factors_of(term), *others)))
                for weight, term in zip(part.weights, part.parts, strict=True)
            ]
    return None


def _binomial_terms(part: Mixture, count: int) -> list[tuple[Scalar, tuple[Measure, ...]]]:
    """The weighted terms of the convolution of `count` copies of v μ + w ν."""
    (v, w), (left, right) = part.weights, map(factors_of, part.parts)
    ways = [comb(count, n) for n in range(count + 1)]
    return [(many * v ** (count - n) * w**n, left * (count - n) + right * n) for n, many in enumerate(ways)]


def factors_of(measure: Measure) -> tuple[Measure, ...]:
    """The measures whose convolution it is: itself for other measures."""
    return measure.parts if isinstance(measure, Convolution) else (measure,)


def _sums(left: Any, right: Any) -> tuple[tuple[tuple[Any, ...], Any], ...]:
    return tuple((tuple(map(add, p, q)), v * w) for p, v in left for q, w in right)


measure_rule.register(Product, lambda kernel: convolve(tuple(measure_of(factor) for factor in kernel.factors)))
measure_rule.register(Power, lambda kernel: convolve((measure_of(kernel.base),) * kernel.exponent))


_MOST_DRAWS = 2**25


@dataclass(frozen=True)
class Composed(Measure):
    """Σ a_l μ^{*l}, the measure of σ̂(k) = Σ a_l k^l, where k has the measure μ, with mass a_0 at ω = 0.

    Reference: Daniely, Frostig, Gupta and Singer 2017, section 3.
    """

    kernel: Dual
    part: Measure

    @property
    def dim(self) -> Scalar:
        return self.part.dim

    @property
    def is_complex(self) -> bool:
        return self.part.is_complex

    @property
    def at_zero(self) -> float:
        """a_0, the mass of the atom at ω = 0. Raises TypeError or RangeError if the activation has symbols."""
        return float(self.kernel.activation.coefficient(np.zeros(1))[0])

    def total_mass(self) -> Scalar:
        return self.kernel.diagonal()

    def sample(self, stream: Stream, n: int) -> np.ndarray:
        """Raises PlanError if more frequencies than can be drawn add up, and not in one draw."""
        degrees = self.kernel.activation.draw_degrees(stream.child(0), n, self.kernel.mass)
        if isinstance(self.part, Spectral) and isinstance(self.part.kernel, Stationary):
            sums = self.part.kernel.draw_sums(stream.child(1), degrees)
            if sums is not None:
                return sums
        if (total := degrees.sum(dtype=float)) > _MOST_DRAWS:
            raise PlanError(
                f"{n:,} frequencies of {self.kernel} are sums of {total:.3g} frequencies of {self.kernel.base}, but at "
                f"most {_MOST_DRAWS:,} can be drawn"
            )
        ends = np.concatenate([[0], np.cumsum(degrees)])
        drawn = self.part.sample(stream.child(1), int(ends[-1]))
        sums = np.concatenate([np.zeros((1, drawn.shape[1])), np.cumsum(drawn, axis=0)])
        return np.asarray(sums[ends[1:]] - sums[ends[:-1]])

    def characteristic_function(self, lags: np.ndarray) -> np.ndarray:
        return np.asarray(self.kernel.of_values(self.part.characteristic_function(lags)))

    def without_density(self) -> str | None:
        reason = self.part.without_density()
        if reason is not None or self._starts_at_degree_one():
            return reason
        return (
            f"the dual of {self.kernel.activation} has a constant term, so that a share of the frequencies is exactly "
            "zero: the rest has a density, the whole has none"
        )

    def density_and_error(self, frequencies: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        self.require_density()
        found: tuple[np.ndarray, np.ndarray] = load_from(f"{DENSITIES}:inverted")(self, frequencies)
        return found

    def expression(self, frequency: SymbolicPairs) -> Any:
        degree = sympy.Symbol("l", integer=True, positive=True)
        share = sympy.Function(f"coefficient_of_{self.kernel.activation}")(degree)
        power = sympy.Function("convolution_power")(self.part.expression(frequency), degree)
        rest = sympy.Sum(share * power, (degree, 1, sympy.oo))
        return self.kernel.of_values(sympy.S.Zero) * frequency.product(sympy.DiracDelta) + rest

    def second_moment(self, matrix: Scalar | None = None) -> Scalar:
        """k(0) σ̂′(k(0))/σ̂(k(0)) · E‖Aω‖², since ∇k(0) = 0 for symmetric k; undefined for others."""
        below = self.part.second_moment(matrix)
        return undefined(below) if self.is_complex else self.kernel.growth() * below

    def describe(self) -> str:
        return f"sums of l frequencies of ({self.part.describe()}), l of the law of {self.kernel.activation}"

    def _starts_at_degree_one(self) -> bool:
        try:
            return self.at_zero == 0
        except TypeError:
            return False


measure_rule.register(Dual, lambda kernel: Composed(kernel, measure_of(kernel.base)))
