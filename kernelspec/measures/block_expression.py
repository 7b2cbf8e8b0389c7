"""The density of a convolution in SymPy."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

from kernelspec.kernels.leaves.periodic import Periodic
from kernelspec.measures.blocks import independent_blocks
from kernelspec.measures.continued import Continued
from kernelspec.measures.convolution import Convolution, expanded_mixture, factors_of
from kernelspec.measures.marginals import common_marginal, marginals
from kernelspec.measures.measure import Measure, expression_rule
from kernelspec.measures.push_forward import PushForward
from kernelspec.measures.spectral import Spectral
from kernelspec.notation.arguments import Scalar
from kernelspec.notation.symbolic_pairs import SymbolicPairs

__all__ = ["block_expression", "moved_by_atoms", "summed_over_atoms"]

_Density = Callable[[tuple[Measure, ...], SymbolicPairs], Any]
"""The density of the convolution of some measures at a frequency."""


def block_expression(parts: tuple[Measure, ...], frequency: SymbolicPairs) -> Any:
    """The convolution of measures that share columns in SymPy: atoms by shifts, else an unevaluated integral.

    Coordinates that are independent give a product of integrals on the line; where no such form exists, the
    undefined function `Convolution` of the densities stands for it.
    """
    import sympy

    from kernelspec.measures.algebra.closed_density import closed_expression

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
        # a sum with one open term shows the others in closed form
        return sympy.Add(*[sympy.S(w) * block_expression(factors_of(term), frequency) for w, term in expanded])
    if frequency.dim == 1:
        return _integral(parts, frequency)
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

    None where no part has finitely many atoms, or all have.
    """
    import sympy

    shifts = [(part, part.finite_atoms()) for part in parts]
    rest = tuple(part for part, atoms in shifts if atoms is None)
    finite = [atoms for _, atoms in shifts if atoms is not None]
    if not rest or not finite:
        return None
    # sums that are one point become one atom after each part: powers of a part have few points, and many sums
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

    None where no part is periodic, where all are, or where the number of columns is a symbol.
    """
    import sympy

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
    """The distance of the atoms of a periodic kernel on every axis, and the weight of the n-th; None for others."""
    if isinstance(part, PushForward) and not isinstance(part.matrix, tuple):
        inner = _harmonics(part.part)
        return None if inner is None else (inner[0] * part.matrix, inner[1])
    if not isinstance(part, Spectral) or not isinstance(part.kernel, Periodic):
        return None
    import sympy

    kernel = part.kernel
    rate = sympy.S(kernel.scale) ** -2
    return 2 * sympy.pi / sympy.S(kernel.period), lambda n: sympy.exp(-rate) * sympy.besseli(n, rate)


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


@expression_rule.register
def _(measure: Convolution, frequency: SymbolicPairs) -> Any:
    import sympy

    if not isinstance(measure.dim, int):
        return block_expression(measure.parts, frequency)
    blocks = independent_blocks(measure.parts)
    used = {column for columns, _ in blocks for column in columns}
    factors = [block_expression(parts, frequency.select(columns)) for columns, parts in blocks]
    unused = [sympy.DiracDelta(frequency.component(i + 1)) for i in range(measure.dim) if i not in used]
    return sympy.Mul(*factors, *unused)


@expression_rule.register
def _(measure: Continued, frequency: SymbolicPairs) -> Any:
    import sympy

    if not isinstance(measure.dim, int) or len(set(measure.by)) == 1:
        return frequency.product(lambda omega: _continued_on_column(measure, omega, measure.by[0]))
    rates = enumerate(measure.by, 1)
    return sympy.Mul(*[_continued_on_column(measure, frequency.component(i), rate) for i, rate in rates])


def _continued_on_column(measure: Continued, omega: Any, rate: Scalar) -> Any:
    """The density on one column, a closed form or an integral."""
    import sympy

    from kernelspec.measures.algebra.closed_density import closed_expression

    line = measure.on_line()
    closed = closed_expression(Continued(line, (rate,)), SymbolicPairs(1, lambda i: omega))
    if closed is not None:
        return closed
    t = sympy.Symbol("t", real=True)
    wave = sympy.exp(rate * t - sympy.I * omega * t)
    return sympy.Integral(line.factor_expression(t) * wave, (t, -sympy.oo, sympy.oo)) / (2 * sympy.pi)
