"""Convolutions of measures: the spectral side of a product of kernels."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from itertools import count
from math import prod
from operator import add, mul
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelspec.errors import NoDensityError
from kernelspec.kernels.arguments import Scalar
from kernelspec.kernels.symbolic_pairs import SymbolicPairs
from kernelspec.measures.atoms import Atoms
from kernelspec.measures.blocks import independent_blocks, support
from kernelspec.measures.measure import Measure
from kernelspec.measures.spectral import Spectral

if TYPE_CHECKING:
    from kernelspec.streams import Stream

__all__ = ["Convolution", "convolve"]

_MOST_WRITTEN_OUT = 64
"""Atoms that a convolution of atoms lists one by one in its expression."""


def convolve(parts: tuple[Measure, ...]) -> Measure:
    """The convolution of measures on one space; catalogue kernels whose product is one again are fused."""
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

    def total_mass(self) -> Scalar:
        return reduce(mul, (part.total_mass() for part in self.parts))

    def sample(self, stream: Stream, n: int) -> np.ndarray:
        frequencies = self.parts[0].sample(stream.child(0), n)
        for i, part in enumerate(self.parts[1:], 1):
            frequencies = frequencies + part.sample(stream.child(i), n)
        return frequencies

    def characteristic_function(self, lags: np.ndarray) -> np.ndarray:
        return np.asarray(prod(part.characteristic_function(lags) for part in self.parts))

    def without_density(self) -> str | None:
        if any(part.without_density() is None for part in self.parts):
            return None  # what is convolved with a density has one
        reasons = [(part, _own(part).without_density()) for part in self.parts]
        covered = {column for part, reason in reasons if reason is None for column in support(part)}
        if covered >= {column for part in self.parts for column in support(part)} == _all_columns(self.dim):
            return None
        return next((reason for _, reason in reasons if reason is not None), None) or (
            "a kernel that ignores a column has all its frequencies at zero there: there is no density on R^d"
        )

    def density(self, frequencies: np.ndarray) -> np.ndarray:
        reason = self.without_density()
        if reason is not None:
            raise NoDensityError(reason)
        values = np.ones(len(frequencies))
        for columns, parts in independent_blocks(self.parts):
            values *= _block_density(parts, frequencies[:, list(columns)])
        return values

    def expression(self, frequency: SymbolicPairs) -> Any:
        import sympy

        if not isinstance(self.dim, int):
            return _block_expression(self.parts, frequency)
        blocks = independent_blocks(self.parts)
        used = {column for columns, _ in blocks for column in columns}
        factors = [_block_expression(parts, frequency.select(columns)) for columns, parts in blocks]
        unused = [sympy.DiracDelta(frequency.component(i + 1)) for i in range(self.dim) if i not in used]
        return sympy.Mul(*factors, *unused)

    def second_moment(self, matrix: Scalar | None = None) -> Scalar:
        # the parts are even, hence centred wherever the moment is finite, and cross terms vanish
        return sum(part.second_moment(matrix) for part in self.parts)

    def describe(self) -> str:
        return "convolution of " + ", ".join(part.describe() for part in self.parts)

    def atoms(self) -> Atoms | None:
        found = [part.atoms() for part in self.parts]
        discrete = [atoms for atoms in found if atoms is not None]
        return reduce(Atoms.convolve, discrete) if len(discrete) == len(found) else None

    def finite_atoms(self) -> tuple[tuple[tuple[Any, ...], Any], ...] | None:
        found = [atoms for part in self.parts if (atoms := part.finite_atoms()) is not None]
        if len(found) < len(self.parts) or prod(map(len, found)) > _MOST_WRITTEN_OUT:
            return None
        return reduce(_sums, found)


def _sums(left: Any, right: Any) -> tuple[tuple[tuple[Any, ...], Any], ...]:
    return tuple((tuple(map(add, p, q)), v * w) for p, v in left for q, w in right)


def _own(part: Measure) -> Measure:
    from kernelspec.measures.embedding import Embedding

    return part.part if isinstance(part, Embedding) else part


def _all_columns(dim: Scalar) -> set[Any]:
    return set(range(dim)) if isinstance(dim, int) else {dim}


def _split(parts: tuple[Measure, ...]) -> tuple[Atoms | None, list[Measure]]:
    found = [(part, part.atoms()) for part in parts]
    atoms = [atoms for _, atoms in found if atoms is not None]
    return (reduce(Atoms.convolve, atoms) if atoms else None), [part for part, atoms in found if atoms is None]


def _block_density(parts: tuple[Measure, ...], frequencies: np.ndarray) -> np.ndarray:
    from kernelspec.measures.marginals import marginals

    atoms, diffuse = _split(parts)
    block = Convolution(parts)
    if len(diffuse) > 1 and (atoms is None or frequencies.shape[1] == 1 or marginals(block) is not None):
        return _inverted(block, frequencies)
    rest = convolve(tuple(diffuse))
    if atoms is None:
        return rest.density(frequencies)
    values = np.zeros(len(frequencies))
    for point, weight in zip(atoms.points, atoms.weights, strict=True):
        values += weight * rest.density(frequencies - point)
    return values


def _inverted(block: Convolution, frequencies: np.ndarray) -> np.ndarray:
    """The density by numerical inversion, where it is a function of one variable or a product of such."""
    from kernelspec.measures.inversion import invert_line, invert_radial
    from kernelspec.measures.marginals import is_radial, marginals

    if frequencies.shape[1] == 1:
        return invert_line(block, frequencies[:, 0])
    independent = marginals(block)
    if independent is not None:
        columns = zip(independent, frequencies.T, strict=True)
        return np.asarray(prod(part.density(column[:, None]) for part, column in columns))
    if is_radial(block):
        return invert_radial(block, np.linalg.norm(frequencies, axis=1))
    raise NoDensityError(
        "the density is a convolution of several variables without closed form; its characteristic function and its "
        "sampler are exact"
    )


def _block_expression(parts: tuple[Measure, ...], frequency: SymbolicPairs) -> Any:
    import sympy

    exact = Convolution(parts).finite_atoms() if len(parts) > 1 else None
    if exact is not None:
        return sympy.Add(*[w * frequency.shift(point).product(sympy.DiracDelta) for point, w in exact])
    shifts = [(part, part.finite_atoms()) for part in parts]
    rest = [part for part, atoms in shifts if atoms is None]
    finite = [atoms for _, atoms in shifts if atoms is not None]
    if rest and finite:
        terms = [(sympy.S.One, frequency)]
        for atoms in finite:
            terms = [(w * weight, at.shift(point)) for w, at in terms for point, weight in atoms]
        return sympy.Add(*[w * _block_expression(tuple(rest), at) for w, at in terms])
    if len(parts) == 1:
        return parts[0].expression(frequency)
    if frequency.dim == 1:
        return _integral(parts, frequency)
    from kernelspec.measures.marginals import common_marginal, marginals

    common = common_marginal(Convolution(parts))
    if common is not None:
        return frequency.product(lambda coordinate: common.expression(SymbolicPairs(1, lambda i: coordinate)))
    independent = marginals(Convolution(parts))
    if independent is not None:
        coordinates = enumerate(independent)
        return sympy.Mul(*[part.expression(frequency.select((i,))) for i, part in coordinates])
    return sympy.Function("Convolution")(*[part.expression(frequency) for part in parts])


def _integral(parts: tuple[Measure, ...], frequency: SymbolicPairs) -> Any:
    """∫ μ_1(ω − ν_2 − ν_3 − …) μ_2(ν_2) μ_3(ν_3) … dν on the line."""
    import sympy

    omega = frequency.component(1)
    taken = {symbol.name for symbol in omega.free_symbols}  # a measure inside a measure integrates over others
    names = (name for i in count() if (name := f"nu_{i}" if i else "nu") not in taken)
    inner = [sympy.Symbol(next(names), real=True) for _ in parts[1:]]
    points = (omega - sympy.Add(*inner), *inner)
    densities = [part.expression(frequency.shift((omega - at,))) for part, at in zip(parts, points, strict=True)]
    if any(e.has(sympy.Integral) for e in densities) and any(e.has(sympy.Piecewise) for e in densities):
        # SymPy would pull the cases out of the inner integral, past the variable that they depend on
        return sympy.Function("Convolution")(*[part.expression(frequency) for part in parts])
    return sympy.Integral(sympy.Mul(*densities), *[(at, -sympy.oo, sympy.oo) for at in inner])
