"""The density of a convolution, in numbers and in SymPy, and whether it is closed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import reduce
from itertools import count
from typing import Any, Literal

import numpy as np

from kernelspec.errors import NoDensityError
from kernelspec.expressions.arguments import Scalar
from kernelspec.expressions.symbolic_pairs import SymbolicPairs
from kernelspec.kernels.atoms import Atoms
from kernelspec.loading import sympy
from kernelspec.measures.algebra.closed_density import closed_expression, closed_numbers
from kernelspec.measures.convolution import (
    Composed,
    Convolution,
    convolve,
    expanded_mixture,
    factors_of,
    independent_blocks,
)
from kernelspec.measures.inversion import (
    common_marginal,
    invert_line,
    invert_plane,
    invert_radial,
    is_radial,
    marginals,
)
from kernelspec.measures.measure import Measure, Spectral
from kernelspec.measures.mixture import Embedding, Mixture, PushForward
from kernelspec.measures.translated import Continued, Directional, Shifted, Tilted
from kernelspec.special.elementary import product_and_error

__all__ = ["Closure", "closure", "is_inverted", "moved_by_atoms", "multiplied_out", "summed_over_atoms"]

_MOST_TERMS = 64  # cap on the terms when a product of sums is multiplied out

_MOST_DOUBT = 1e-6  # a density whose error may exceed this share of its peak is refused

_Values = tuple[np.ndarray, np.ndarray]


def block_density(parts: tuple[Measure, ...], frequencies: np.ndarray) -> _Values:
    """Density of the convolution of measures that share columns, at frequencies (n, d) → (n,), and its error (n,).

    Sums among the parts are multiplied out, and atoms translate the density of the others; the rest, if not in closed
    form, is inverted numerically if that needs one variable at a time. Raises NoDensityError otherwise, and if
    inversion does not reach a millionth of the peak.
    """
    closed = _closed(parts, frequencies)  # of the whole first: its terms may cancel
    if closed is not None:
        return closed, np.zeros(len(frequencies))
    terms = _terms(parts)
    if len(terms) == 1:
        return _open(parts, frequencies)
    mixed = [(w, *_of_term(factors, frequencies)) for w, factors in terms]
    values = sum((w * found for w, found, _ in mixed), np.zeros(len(frequencies)))
    return values, np.asarray(sum(abs(w) * doubt for w, _, doubt in mixed))


def is_inverted(measure: Measure) -> bool:
    """Whether every value of the density is a numerical integral."""
    match measure:
        case Convolution():
            blocks = (parts for _, parts in independent_blocks(measure.parts))
            return any(_is_inverted_product(parts) for parts in blocks)
        case Mixture():
            return any(map(is_inverted, measure.parts))
        case Shifted() | Embedding() | PushForward():
            return is_inverted(measure.part)
        case Spectral() | Directional() | Tilted():
            return False
        case Continued():
            return closed_numbers(measure.of_column(0), np.zeros((0, 1))) is None
        case Composed():
            return True
    raise TypeError(f"no rule says whether the density of {type(measure).__name__} is an integral")


def _is_inverted_product(parts: tuple[Measure, ...]) -> bool:
    if any(map(is_inverted, parts)):
        return True
    several = sum(part.atoms() is None for part in parts) > 1
    return several and _closed(parts, np.zeros((0, int(parts[0].dim)))) is None


def _closed(parts: tuple[Measure, ...], frequencies: np.ndarray) -> np.ndarray | None:
    return closed_numbers(Convolution(parts), frequencies) if len(parts) > 1 else None


def _terms(parts: tuple[Measure, ...]) -> list[tuple[float, tuple[Measure, ...]]]:
    """∏ Σ w μ multiplied out, including atoms in sums; unchanged if that makes too many terms or atoms alone."""
    found = _products(parts)
    has_densities = all(Convolution(factors).without_density() is None for _, factors in found)
    return found if has_densities else [(1.0, parts)]


def _products(parts: tuple[Measure, ...]) -> list[tuple[float, tuple[Measure, ...]]]:
    found: list[tuple[float, tuple[Measure, ...]]] = [(1.0, ())]
    for part in parts:
        choices = list(zip(part.weights, part.parts, strict=True)) if isinstance(part, Mixture) else [(1.0, part)]
        found = [(w * float(v), (*factors, factor)) for w, factors in found for v, factor in choices]
        if len(found) > _MOST_TERMS:
            return [(1.0, parts)]
    return found


def multiplied_out(measure: Measure) -> Measure:
    """A convolution of sums as the sum of convolutions, also in sums; unchanged if that makes too many terms."""
    match measure:
        case Convolution():
            found = [(w, convolve(factors)) for w, factors in _products(tuple(map(multiplied_out, measure.parts)))]
        case Mixture():
            inner = zip(measure.weights, map(multiplied_out, measure.parts), strict=True)
            found = [
                (w * v, part)
                for w, own in inner
                for v, part in (zip(own.weights, own.parts, strict=True) if isinstance(own, Mixture) else [(1, own)])
            ]
        case PushForward() | Embedding():
            part = multiplied_out(measure.part)
            if not isinstance(part, Mixture):
                return measure
            found = [(w, replace(measure, part=own)) for w, own in zip(part.weights, part.parts, strict=True)]
        case _:
            return measure
    if not 2 <= len(found) <= _MOST_TERMS:
        return measure
    return Mixture(tuple(own for _, own in found), tuple(w for w, _ in found), measure.dim)


def _of_term(parts: tuple[Measure, ...], frequencies: np.ndarray) -> _Values:
    closed = _closed(parts, frequencies)
    return _open(parts, frequencies) if closed is None else (closed, np.zeros(len(frequencies)))


def _open(parts: tuple[Measure, ...], frequencies: np.ndarray) -> _Values:
    """The density of a convolution without closed form, or of one measure."""
    found = [(part, part.atoms()) for part in parts]
    discrete = [atoms for _, atoms in found if atoms is not None]
    diffuse = [part for part, atoms in found if atoms is None]
    if len(diffuse) > 1 and discrete and frequencies.shape[1] > 1 and marginals(Convolution(parts)) is not None:
        return inverted(Convolution(parts), frequencies)
    rest = convolve(tuple(diffuse))
    if not discrete:
        return inverted(rest, frequencies) if isinstance(rest, Convolution) else rest.density_and_error(frequencies)
    return _moved(rest, reduce(Atoms.convolve, discrete), frequencies)


def _moved(rest: Measure, atoms: Atoms, frequencies: np.ndarray) -> _Values:
    """Σ w p(ω − a) over the atoms w δ_a, all at once, and the possible error from omitted atoms."""
    n, d = frequencies.shape
    places = (frequencies[None, :, :] - atoms.points[:, None, :]).reshape(-1, d)
    found, doubt = rest.density_and_error(places)
    values = np.asarray(atoms.weights @ found.reshape(-1, n))
    errors = np.abs(atoms.weights) @ doubt.reshape(-1, n)
    return values, errors + abs(atoms.omitted) * np.abs(found).max(initial=0.0) if atoms.omitted else errors


def inverted(block: Measure, frequencies: np.ndarray) -> _Values:
    """The density by numerical inversion: for functions of one variable, their products, or functions of two."""
    if frequencies.shape[1] == 1:
        return trusted(*invert_line(block, frequencies[:, 0]))
    independent = marginals(block)
    if independent is not None:
        columns = zip(independent, frequencies.T, strict=True)
        return product_and_error([part.density_and_error(column[:, None]) for part, column in columns])
    if is_radial(block):
        return trusted(*invert_radial(block, np.linalg.norm(frequencies, axis=1)))
    if frequencies.shape[1] == 2:
        return trusted(*invert_plane(block, frequencies))
    raise NoDensityError(
        "the density is a convolution of several variables without closed form; its characteristic function and its "
        "sampler are exact"
    )


def trusted(values: np.ndarray, errors: np.ndarray, peak: float) -> _Values:
    """Values and errors, if the errors are small relative to the larger of value and peak."""
    worst = errors > _MOST_DOUBT * np.maximum(np.abs(values), peak)
    if worst.any():
        raise NoDensityError(
            f"the density has no closed form, and numerical inversion leaves an error of {errors[worst].max():.2g} "
            f"relative to a peak of about {peak:.2g}; its characteristic function is exact"
        )
    return values, errors


def density_of_convolution(measure: Convolution, frequencies: np.ndarray) -> _Values:
    """The density at frequencies (n, d) → (n,), and bounds on its errors. Raises NoDensityError, as `block_density`."""
    blocks = (block_density(p, frequencies[:, list(columns)]) for columns, p in independent_blocks(measure.parts))
    values, errors = product_and_error(list(blocks))
    return values.astype(complex) if measure.is_complex else values, errors


def density_of_continued(measure: Continued, frequencies: np.ndarray) -> _Values:
    """`density_of_convolution` for a product over the columns."""
    factors = []
    for i, column in enumerate(frequencies.T):
        one = measure.of_column(i)
        closed = closed_numbers(one, column[:, None])
        factors.append(trusted(*invert_line(one, column)) if closed is None else (closed, np.zeros(len(column))))
    values, errors = product_and_error(factors)
    return values.astype(complex), errors


_Density = Callable[[tuple[Measure, ...], SymbolicPairs], Any]
"""The density of the convolution of some measures at a frequency."""


def block_expression(parts: tuple[Measure, ...], frequency: SymbolicPairs) -> Any:
    """The convolution of measures that share columns in SymPy: atoms by translation, else an unevaluated integral.

    Independent coordinates give a product of integrals on the line; without such a form, the undefined function
    `Convolution` of the densities is used.
    """
    exact = Convolution(parts).finite_atoms() if len(parts) > 1 else None
    if exact is not None:
        return sympy.Add(*[w * frequency.shift(point).product(sympy.DiracDelta) for point, w in exact])
    moved = moved_by_atoms(parts, frequency, block_expression)
    if moved is not None:
        return moved
    if len(parts) == 1:
        return parts[0].expression(frequency)
    if frequency.dim == 1 or marginals(Convolution(parts)) is None:
        summed = summed_over_atoms(parts, frequency, block_expression)
        if summed is not None:
            return summed
    closed = closed_expression(Convolution(parts), frequency)
    if closed is not None:
        return closed
    expanded = expanded_mixture(parts)
    if expanded is not None:
        # a sum with one open term still shows the others in closed form
        return sympy.Add(*[sympy.S(w) * block_expression(factors_of(term), frequency) for w, term in expanded])
    if frequency.dim == 1:
        kernels = [part.kernel for part in parts if isinstance(part, Spectral)]
        if len(kernels) == len(parts) == 2:
            closed = kernels[0].product_density(kernels[1], frequency.component(1))
        return _integral(parts, frequency) if closed is None else closed
    common = common_marginal(Convolution(parts))
    if common is not None:
        return frequency.product(lambda coordinate: common.expression(SymbolicPairs(1, lambda i: coordinate)))
    independent = marginals(Convolution(parts))
    if independent is not None:
        coordinates = enumerate(independent)
        return sympy.Mul(*[part.expression(frequency.select((i,))) for i, part in coordinates])
    return sympy.Function("Convolution")(*[part.expression(frequency) for part in parts])


def moved_by_atoms(parts: tuple[Measure, ...], frequency: SymbolicPairs, density: _Density) -> Any | None:
    """Σ w S(ω − a) over the atoms w δ_a of parts with finitely many, S the `density` of the other parts.

    None if no part has finitely many atoms, or all have.
    """
    shifts = [(part, part.finite_atoms()) for part in parts]
    rest = tuple(part for part, atoms in shifts if atoms is None)
    finite = [atoms for _, atoms in shifts if atoms is not None]
    if not rest or not finite:
        return None
    # equal sums become one atom after each part: powers of a part have few points, and many sums
    moves: dict[tuple[Any, ...], Any] = {}
    for atoms in finite:
        found: dict[tuple[Any, ...], Any] = {}
        for start, w in moves.items() or (((), sympy.S.One),):
            for point, weight in atoms:
                end = tuple(a + b for a, b in zip(start, point, strict=True)) if start else tuple(point)
                found[end] = found.get(end, 0) + w * weight
        moves = found
    return sympy.Add(*[w * density(rest, frequency.shift(point)) for point, w in moves.items()])


def summed_over_atoms(parts: tuple[Measure, ...], frequency: SymbolicPairs, density: _Density) -> Any | None:
    """Σ_n w_n S(ω − ω_n) for the infinitely many atoms of periodic kernels and the `density` S of the other parts.

    None if no part is periodic, if all are, or if the number of columns is a symbol.
    """
    found = [(part, _harmonics(part)) for part in parts]
    rest = tuple(part for part, harmonics in found if harmonics is None)
    series = [harmonics for _, harmonics in found if harmonics is not None]
    if not series or not rest or not isinstance(frequency.dim, int):
        return None
    names = (f"n_{i}" if i else "n" for i in count())
    weights, limits, at = [], [], frequency
    for spacing, weight in series:
        orders = [sympy.Symbol(next(names), integer=True) for _ in range(frequency.dim)]
        weights += [weight(order) for order in orders]
        limits += [(order, -sympy.oo, sympy.oo) for order in orders]
        at = at.shift(tuple(spacing * order for order in orders))
    return sympy.Sum(sympy.Mul(*weights) * density(rest, at), *limits)


def _harmonics(part: Measure) -> tuple[Any, Callable[[Any], Any]] | None:
    """The spacing of the atoms of a periodic kernel on every axis, and the weight of the n-th; None for others."""
    if isinstance(part, PushForward) and not isinstance(part.matrix, tuple):
        inner = _harmonics(part.part)
        return None if inner is None else (inner[0] * part.matrix, inner[1])
    return part.kernel.harmonics() if isinstance(part, Spectral) else None


def _integral(parts: tuple[Measure, ...], frequency: SymbolicPairs) -> Any:
    """∫ μ_1(ω − ν_2 − ν_3 − …) μ_2(ν_2) μ_3(ν_3) … dν on the line."""
    omega = frequency.component(1)
    taken = {symbol.name for symbol in omega.free_symbols}  # nested measures integrate over other variables
    names = (name for i in count() if (name := f"nu_{i}" if i else "nu") not in taken)
    inner = [sympy.Symbol(next(names), real=True) for _ in parts[1:]]
    points = (omega - sympy.Add(*inner), *inner)
    densities = [part.expression(frequency.shift((omega - at,))) for part, at in zip(parts, points, strict=True)]
    if any(e.has(sympy.Integral) for e in densities) and any(e.has(sympy.Piecewise) for e in densities):
        # SymPy would pull the cases out of the inner integral, past the variable that they depend on
        return sympy.Function("Convolution")(*[part.expression(frequency) for part in parts])
    return sympy.Integral(sympy.Mul(*densities), *[(at, -sympy.oo, sympy.oo) for at in inner])


def expression_of_convolution(measure: Convolution, frequency: SymbolicPairs) -> Any:
    """The density in SymPy."""
    if not isinstance(measure.dim, int):
        return block_expression(measure.parts, frequency)
    blocks = independent_blocks(measure.parts)
    used = {column for columns, _ in blocks for column in columns}
    factors = [block_expression(parts, frequency.select(columns)) for columns, parts in blocks]
    unused = [sympy.DiracDelta(frequency.component(i + 1)) for i in range(measure.dim) if i not in used]
    return sympy.Mul(*factors, *unused)


def expression_of_continued(measure: Continued, frequency: SymbolicPairs) -> Any:
    """The density in SymPy."""
    if not isinstance(measure.dim, int) or len(set(measure.by)) == 1:
        return frequency.product(lambda omega: _continued_on_column(measure, omega, measure.by[0]))
    rates = enumerate(measure.by, 1)
    return sympy.Mul(*[_continued_on_column(measure, frequency.component(i), rate) for i, rate in rates])


def _continued_on_column(measure: Continued, omega: Any, rate: Scalar) -> Any:
    """The density on one column, a closed form or an integral."""
    line = measure.on_line()
    closed = closed_expression(Continued(line, (rate,)), SymbolicPairs(1, lambda i: omega))
    if closed is not None:
        return closed
    t = sympy.Symbol("t", real=True)
    wave = sympy.exp(rate * t - sympy.I * omega * t)
    return sympy.Integral(line.factor_expression(t) * wave, (t, -sympy.oo, sympy.oo)) / (2 * sympy.pi)


Closure = Literal["closed", "series", "open", "atoms"]


def closure(measure: Measure) -> Closure:
    """Whether the density is closed, a series over the atoms of a factor, open, or consists of atoms only.

    Open means an unevaluated convolution in SymPy or, in numbers, an integral per frequency or unavailable.
    """
    if measure.without_density() is not None:
        return "atoms"
    if is_inverted(measure):
        return "open"
    factors = measure.parts if isinstance(measure, Convolution) else (measure,)
    if any(isinstance(part, Spectral) and not _is_stated(part) for part in factors):
        return "open"
    periodic = any(part.atoms() is not None and part.finite_atoms() is None for part in factors)
    return "series" if periodic else "closed"


def _is_stated(part: Spectral) -> bool:
    """Whether the catalogue has the density, or the atoms, without an integral."""
    return not sympy.S(part.expression(SymbolicPairs.frequency(part.dim))).has(sympy.Integral)
