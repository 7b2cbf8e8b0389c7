"""k(t) as a power series on the right and on the left of a point, for kernels on a line whose parts are known."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from kernelspec.measures.algebra.analytic_series import analytic_series
from kernelspec.measures.algebra.exact_numbers import ExactNumbers
from kernelspec.measures.algebra.lag_transform import transform
from kernelspec.measures.algebra.member import Member
from kernelspec.measures.algebra.moments import series_product
from kernelspec.measures.algebra.parts_on_line import Parts
from kernelspec.measures.algebra.piece import NotClosed, Piece, derivatives_at
from kernelspec.measures.algebra.piecewise import Piecewise

__all__ = ["one_sided_series"]

_NUMBERS = ExactNumbers()


def one_sided_series(parts: Parts, place: Any, count: int, *, right: bool) -> list[Any]:
    """The coefficients of τⁿ, n < `count`, in k(place + τ) on one side of τ = 0, in SymPy."""
    import sympy

    total = [sympy.S.Zero] * count
    for weight, factors in parts.terms:
        product = [sympy.S(weight)] + [sympy.S.Zero] * (count - 1)
        for factor in factors:
            product = series_product(product, _of_factor(factor, place, count, right))
        total = [a + b for a, b in zip(total, product, strict=True)]
    return [sympy.expand(value) for value in total]


def _of_factor(factor: Any, place: Any, count: int, right: bool) -> list[Any]:
    import sympy

    if not isinstance(factor, Member):
        kernel, scale, shift = factor
        return [value * scale**n for n, value in enumerate(analytic_series(kernel, scale * place + shift, count))]
    found = [sympy.S.One] + [sympy.S.Zero] * (count - 1)
    if factor.lag is not None:
        lag = factor.lag
        near = [_of_piece(piece, place, count) for piece in lag.pieces if _reaches(piece, place, right, lag.numbers)]
        found = [sympy.Add(*values) for values in zip(*near, strict=True)] or [sympy.S.Zero] * count
    if factor.frequency is not None:
        found = series_product(found, _of_density(factor.frequency, place, count))
    return found


def _of_piece(piece: Piece, place: Any, count: int) -> list[Any]:
    """Σ c_n tⁿ · e^{g − at − bt² + i(φ + wt)} at place + τ: (n + 1) e_{n+1} = −s eₙ − 2b eₙ₋₁, s the slope there."""
    import sympy

    slope = piece.rate + 2 * piece.curvature * place - sympy.I * piece.wave
    level = piece.level - piece.rate * place - piece.curvature * place**2
    series = [sympy.exp(level) * sympy.exp(sympy.I * (piece.phase + piece.wave * place))]
    for n in range(count - 1):
        before = series[n - 1] if n else 0
        series.append(sympy.expand((-slope * series[n] - 2 * piece.curvature * before) / (n + 1)))
    weights = derivatives_at(piece.weights, place)
    return series_product(series, [d / sympy.factorial(n) for n, d in enumerate(weights)])


def _of_density(density: Piecewise, place: Any, count: int) -> list[Any]:
    """The coefficients iⁿ/n! ∫ νⁿ e^{iν·place} f(ν) dν of the transform of a density."""
    import sympy

    found = []
    for n in range(count):
        raised = [replace(piece, weights=(sympy.S.Zero,) * n + piece.weights) for piece in density.pieces]
        value = transform(raised, _NUMBERS.frequency(-place), _NUMBERS, _NUMBERS)
        found.append(sympy.I**n * (value.re + sympy.I * value.im) / sympy.factorial(n))
    return found


def _reaches(piece: Piece, place: Any, right: bool, numbers: Any) -> bool:
    """Whether the piece covers the points next to a place, on the right or on the left of it."""
    if right:
        starts = piece.low is None or _known(numbers.less(place, piece.low), piece.low == place) is False
        return starts and (piece.high is None or _known(numbers.less(place, piece.high), piece.high == place))
    ends = piece.high is None or _known(numbers.less(piece.high, place), piece.high == place) is False
    return ends and (piece.low is None or _known(numbers.less(piece.low, place), piece.low == place))


def _known(order: bool | None, equal: bool) -> bool:
    if equal:
        return False
    if order is None:
        raise NotClosed("the order of two breakpoints depends on symbols")
    return order
