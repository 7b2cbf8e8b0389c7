"""The density of a convolution in SymPy."""

from __future__ import annotations

from itertools import count
from typing import Any

from kernelspec.measures.convolution import Convolution
from kernelspec.measures.marginals import common_marginal, marginals
from kernelspec.measures.measure import Measure
from kernelspec.notation.symbolic_pairs import SymbolicPairs

__all__ = ["block_expression"]


def block_expression(parts: tuple[Measure, ...], frequency: SymbolicPairs) -> Any:
    """The convolution of measures that share columns in SymPy: atoms by shifts, else an unevaluated integral.

    Coordinates that are independent give a product of integrals on the line; where no such form exists, the
    undefined function `Convolution` of the densities stands for it.
    """
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
        return sympy.Add(*[w * block_expression(tuple(rest), at) for w, at in terms])
    if len(parts) == 1:
        return parts[0].expression(frequency)
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
