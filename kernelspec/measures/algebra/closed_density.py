"""The entry point of the algebra: the density of a measure in closed form, in SymPy or in numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache, partial, reduce
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.expressions.symbolic_pairs import SymbolicPairs
from kernelspec.loading import sympy
from kernelspec.measures.algebra.line import has_logarithms, logarithmic_expression
from kernelspec.measures.algebra.numeric_density import LineNumbers, RadialNumbers
from kernelspec.measures.algebra.pieces import NotClosed
from kernelspec.measures.algebra.symbolic_density import line_expression, line_parts, radial_expression
from kernelspec.measures.convolution import Convolution, convolve
from kernelspec.measures.inversion import is_radial
from kernelspec.measures.measure import Measure, Spectral
from kernelspec.measures.mixture import Embedding, Mixture, PushForward
from kernelspec.measures.translated import ComplexFrequency, Directional, Shifted

__all__ = [
    "closed_expression",
    "closed_numbers",
    "closed_parts",
    "column_terms",
    "mirrored",
    "reason_not_closed",
    "terms_by_column",
]

_MOST_TERMS = 64

_Term = tuple[Any, list[tuple[Measure, ...]]]
"""A weight, and for every column the measures whose convolution is its law."""


def column_terms(measure: Measure) -> list[tuple[Any, tuple[Measure, ...]]]:
    """Weights and measures whose sum is the measure, one measure per column (one for all if their number is a symbol).

    Raises NotClosed if a part has dependent columns, or if a column has only the frequency zero.
    """
    found = []
    for weight, columns in terms_by_column(measure):
        if not all(columns):
            raise NotClosed("a column has only the frequency zero")
        found.append((weight, tuple(convolve(parts) for parts in columns)))
    return found


def mirrored(measure: Measure) -> Measure | None:
    """The measure at −ω, whose density is the conjugate; None if it is not obvious."""
    match measure:
        case Spectral():
            return measure
        case Directional():
            return Directional(replace(measure.kernel, by=tuple(-entry for entry in measure.kernel.by)))
        case Convolution():
            parts = [mirrored(part) for part in measure.parts]
            known = tuple(part for part in parts if part is not None)
            return Convolution(known) if len(known) == len(parts) else None
    return None


def terms_by_column(measure: Measure) -> list[_Term]:
    """The terms with the parts of each column, none for a column without frequencies. Raises NotClosed."""
    n = measure.dim if isinstance(measure.dim, int) else 1
    match measure:
        case Spectral() if measure.kernel.has_independent_coordinates:
            return [(1, [(Spectral(measure.kernel.on_line()),)] * n)]
        case Directional():
            return [
                (weight, [(Directional(replace(kernel, by=(entry,), dim=1)),) for entry in _entries(kernel.by, n)])
                for weight, kernel in measure.kernel.tilts()
            ]
        case ComplexFrequency() if measure.kernel.has_independent_coordinates:
            line = measure.kernel.on_line()
            return [(1, [(replace(measure, kernel=line, by=(entry,)),) for entry in _entries(measure.by, n)])]
        case Shifted():
            return _changed(measure.part, _entries(measure.by, n), lambda part, r: Shifted(part, (r,), 1))
        case PushForward() if not measure.is_matrix:
            scales = _entries(measure.matrix if isinstance(measure.matrix, tuple) else (measure.matrix,), n)
            return _changed(measure.part, scales, lambda part, scale: PushForward(part, scale, 1))
        case Embedding() if isinstance(measure.dim, int):
            return [
                (weight, [dict(zip(measure.positions, columns, strict=True)).get(i, ()) for i in range(n)])
                for weight, columns in terms_by_column(measure.part)
            ]
        case Mixture():
            parts = zip(measure.weights, measure.parts, strict=True)
            return _bounded([(w * v, columns) for w, part in parts for v, columns in terms_by_column(part)])
        case Convolution():
            return reduce(_product, (terms_by_column(part) for part in measure.parts))
    raise NotClosed(f"{measure.describe()} has dependent columns")


def _changed(measure: Measure, entries: Sequence[Any], change: Callable[[Measure, Any], Measure]) -> list[_Term]:
    """The terms with every part changed by the entry of its column."""

    def column(parts: tuple[Measure, ...], entry: Any) -> tuple[Measure, ...]:
        return tuple(change(part, entry) for part in parts)

    return [(weight, list(map(column, columns, entries))) for weight, columns in terms_by_column(measure)]


def _product(left: list[_Term], right: list[_Term]) -> list[_Term]:
    return _bounded(
        [(v * w, [a + b for a, b in zip(first, second, strict=True)]) for v, first in left for w, second in right]
    )


def _bounded(terms: list[_Term]) -> list[_Term]:
    if len(terms) > _MOST_TERMS:
        raise NotClosed(f"more than {_MOST_TERMS} terms")
    return terms


def _entries(vector: tuple[Any, ...], n: int) -> tuple[Any, ...]:
    return tuple(vector) * n if len(vector) == 1 else tuple(vector)


_LARGEST = 1e140
"""Beyond this, squared frequencies overflow; every density here falls at least like ω⁻², and counts as 0."""

_Numbers = Callable[[NDArray[np.float64]], NDArray[Any]]


def closed_expression(measure: Measure, frequency: SymbolicPairs) -> Any | None:
    """The density at ω in SymPy, in real form for an even measure; None if the algebra has no closed form.

    On one column, from pieces of the lag and of the frequency; on several, for radial kernels and products over the
    columns. The number of columns may be a symbol.
    """
    found = _expression_or_reason(measure, frequency)
    return None if isinstance(found, NotClosed) else found


def reason_not_closed(measure: Measure, frequency: SymbolicPairs) -> str:
    """Why there is no `closed_expression`."""
    return str(_expression_or_reason(measure, frequency))


def _expression_or_reason(measure: Measure, frequency: SymbolicPairs) -> Any:
    reason: Any = None
    for form in (_expression_on_line,) if frequency.dim == 1 else (_expression_over_columns, radial_expression):
        try:
            return form(measure, frequency)
        except NotClosed as error:
            reason = error if reason is None or is_radial(measure) else reason
    return reason


def _expression_on_line(measure: Measure, frequency: SymbolicPairs) -> Any:
    omega = frequency.component(1)
    try:
        return line_expression(measure, omega)
    except NotClosed:
        if not has_logarithms(measure):
            raise
    return logarithmic_expression(measure, omega)


def closed_parts(measure: Measure, frequency: SymbolicPairs) -> tuple[Any, Any] | None:
    """(Re μ, Im μ) at ω in SymPy, both in real form, for a measure on one column; None if it is not closed."""
    with suppress(NotClosed):
        return line_parts(measure, frequency.component(1)) if frequency.dim == 1 else None
    return None


def closed_numbers(measure: Measure, frequencies: NDArray[np.float64]) -> NDArray[Any] | None:
    """The density at frequencies (n, d) → (n,), complex for a complex measure; None without a closed form.

    The error is at most 5e-12 by its own bound, relative to the density or, if that oscillates, to its envelope.
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
    """The closed form as a function, prepared once per measure."""
    if dim == 1:
        with suppress(NotClosed):
            line = LineNumbers(measure)
            return lambda frequencies: line(frequencies[:, 0])
        return None
    with suppress(NotClosed):
        return _numbers_over_columns(measure)
    with suppress(NotClosed):
        return RadialNumbers(measure, dim)
    return None


def _expression_over_columns(measure: Measure, frequency: SymbolicPairs) -> Any:
    """Σ over the terms of products over the columns."""

    def on_line(part: Measure, at: Any) -> Any:
        found = part.expression(SymbolicPairs(1, lambda i: at))
        if isinstance(part, Convolution) and closed_expression(part, SymbolicPairs(1, lambda i: at)) is None:
            raise NotClosed("a column without closed form")
        return found

    total = []
    for weight, columns, has_opposite in _with_opposites(column_terms(measure)):
        if len(columns) == 1:
            values = [frequency.product(partial(on_line, columns[0]))]
        else:
            values = [on_line(part, frequency.component(i)) for i, part in enumerate(columns, 1)]
        value = sympy.S(weight) * sympy.Mul(*values)
        total.append(2 * sympy.I * sympy.im(value, evaluate=False) if has_opposite else value)
    return sympy.Add(*total)


def _numbers_over_columns(measure: Measure) -> _Numbers:
    terms = column_terms(measure)
    for _, columns in terms:
        if any(isinstance(part, Convolution) and _numbers(part, 1) is None for part in columns):
            raise NotClosed("a column without closed form")

    paired = list(_with_opposites(terms))

    def density(frequencies: NDArray[np.float64]) -> NDArray[Any]:
        total: Any = 0
        for weight, columns, has_opposite in paired:
            value = prod(part.density(at[:, None]) for part, at in zip(columns, frequencies.T, strict=True))
            total = total + float(weight) * (2j * np.imag(value) if has_opposite else value)
        return np.asarray(total) if measure.is_complex else np.asarray(total.real)

    return density


def _with_opposites(
    terms: Sequence[tuple[Any, tuple[Measure, ...]]],
) -> Iterator[tuple[Any, tuple[Measure, ...], bool]]:
    """The terms, and whether each has a partner of opposite weight at −ω, whose density is minus the conjugate.

    Such a pair is listed once.
    """
    left = list(terms)
    while left:
        weight, columns = left.pop(0)
        opposite: Any = (-weight, tuple(map(mirrored, columns)))
        has_opposite = opposite in left
        if has_opposite:
            left.remove(opposite)
        yield weight, columns, has_opposite
