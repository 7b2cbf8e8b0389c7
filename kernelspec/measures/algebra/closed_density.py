"""The one door of the algebra: the density of a measure in closed form, in SymPy or in numbers, where there is one."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.measures.convolution import Convolution
from kernelspec.measures.measure import Measure
from kernelspec.notation.symbolic_pairs import SymbolicPairs

__all__ = ["closed_expression", "closed_numbers", "closed_parts"]

_LARGEST = 1e140
"""Beyond it squares of frequencies leave the floats; every density here falls like ω⁻² at least, and counts as 0."""

_Numbers = Callable[[NDArray[np.float64]], NDArray[Any]]


def closed_expression(measure: Measure, frequency: SymbolicPairs) -> Any | None:
    """The density at ω in SymPy, in real form for an even measure; None where the algebra has no closed form.

    On one column from pieces of the lag and of the frequency; on several for radial kernels, and for those that are
    products over the columns. The number of columns may be a symbol.
    """
    from kernelspec.measures.algebra.line_expression import line_expression
    from kernelspec.measures.algebra.piece import NotClosed
    from kernelspec.measures.algebra.radial_expression import radial_expression

    if frequency.dim == 1:
        try:
            return line_expression(measure, frequency.component(1))
        except NotClosed:
            return None
    for form in (_expression_over_columns, radial_expression):
        try:
            return form(measure, frequency)
        except NotClosed:
            continue
    return None


def closed_parts(measure: Measure, frequency: SymbolicPairs) -> tuple[Any, Any] | None:
    """(Re μ, Im μ) at ω in SymPy, both in real form, for a measure on one column; None where there is no such form."""
    from kernelspec.measures.algebra.line_expression import line_parts
    from kernelspec.measures.algebra.piece import NotClosed

    if frequency.dim != 1:
        return None
    try:
        return line_parts(measure, frequency.component(1))
    except NotClosed:
        return None


def closed_numbers(measure: Measure, frequencies: NDArray[np.float64]) -> NDArray[Any] | None:
    """The density at frequencies (n, d) → (n,), complex for a complex measure; None without a closed form.

    Relative to the density or, where that oscillates, to its envelope, the error is at most 5e-12 by its own bound.
    """
    found = _numbers(measure, frequencies.shape[1])
    if found is None:
        return None
    beyond = np.any(np.abs(frequencies) > _LARGEST, axis=1)
    if not beyond.any():
        return found(frequencies)
    return np.where(beyond, 0.0, found(np.where(beyond[:, None], 0.0, frequencies)))


@lru_cache(maxsize=256)
def _numbers(measure: Measure, dim: int) -> _Numbers | None:
    """The closed form as a function, made ready once for each measure."""
    from kernelspec.measures.algebra.line_numbers import LineNumbers
    from kernelspec.measures.algebra.piece import NotClosed
    from kernelspec.measures.algebra.radial_numbers import RadialNumbers

    if dim == 1:
        try:
            line = LineNumbers(measure)
        except NotClosed:
            return None

        def on_line(frequencies: NDArray[np.float64]) -> NDArray[Any]:
            return line(frequencies[:, 0])

        return on_line
    try:
        return _numbers_over_columns(measure)
    except NotClosed:
        pass
    try:
        return RadialNumbers(measure, dim)
    except NotClosed:
        return None


def _expression_over_columns(measure: Measure, frequency: SymbolicPairs) -> Any:
    """Σ over the terms of a product over the columns."""
    import sympy

    from kernelspec.measures.algebra.columns import column_terms, mirrored
    from kernelspec.measures.algebra.piece import NotClosed

    def on_line(part: Measure, at: Any) -> Any:
        found = part.expression(SymbolicPairs(1, lambda i: at))
        if isinstance(part, Convolution) and closed_expression(part, SymbolicPairs(1, lambda i: at)) is None:
            raise NotClosed("a column without closed form")
        return found

    total = []
    terms = column_terms(measure)
    while terms:
        weight, columns = terms.pop(0)
        opposite = (-weight, tuple(map(mirrored, columns)))
        if len(columns) == 1:
            values = [frequency.product(partial(on_line, columns[0]))]
        else:
            values = [on_line(part, frequency.component(i)) for i, part in enumerate(columns, 1)]
        value = sympy.S(weight) * sympy.Mul(*values)
        if opposite in terms:  # its density is minus the conjugate
            terms.remove(opposite)
            value = 2 * sympy.I * sympy.im(value, evaluate=False)
        total.append(value)
    return sympy.Add(*total)


def _numbers_over_columns(measure: Measure) -> _Numbers:
    from kernelspec.measures.algebra.columns import column_terms
    from kernelspec.measures.algebra.piece import NotClosed

    terms = column_terms(measure)
    for _, columns in terms:
        if any(isinstance(part, Convolution) and _numbers(part, 1) is None for part in columns):
            raise NotClosed("a column without closed form")

    def density(frequencies: NDArray[np.float64]) -> NDArray[Any]:
        total: Any = sum(
            float(weight) * prod(part.density(at[:, None]) for part, at in zip(columns, frequencies.T, strict=True))
            for weight, columns in terms
        )
        return np.asarray(total) if measure.is_complex else np.asarray(total.real)

    return density
