"""The closed density of radial products in SymPy; the number of columns may be a symbol."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from kernelspec.measures.algebra.exact_numbers import ExactNumbers
from kernelspec.measures.algebra.lag_transform import transform
from kernelspec.measures.algebra.piece import NotClosed
from kernelspec.measures.algebra.piecewise import Piecewise
from kernelspec.measures.algebra.plain_numbers import PlainNumbers
from kernelspec.measures.algebra.radial_profile import RadialTerm, radial_terms
from kernelspec.measures.algebra.radial_transform import (
    derivative_weights,
    derivatives_of_line,
    fractions,
    has_curvature,
    require_radial,
)
from kernelspec.measures.measure import Measure

if TYPE_CHECKING:
    from kernelspec.notation.symbolic_pairs import SymbolicPairs

__all__ = ["radial_expression"]


def radial_expression(measure: Measure, frequency: SymbolicPairs) -> Any:
    """μ(ω) for products of radial kernels, some of them tilted or shifted Gaussians. Raises NotClosed."""
    import sympy

    terms = radial_terms(measure, ExactNumbers())
    for term in terms:
        require_radial(term.profile, frequency.dim)
    found, left = [], list(terms)
    while left:
        term = left.pop(0)
        value = _of_term(term, frequency)
        opposite = next((other for other in left if _is_opposite(term, other)), None)
        if opposite is not None:  # f(r) sinh(β·Δ): the densities of e^{β·Δ} and e^{−β·Δ} are conjugate
            left.remove(opposite)
            value = 2 * sympy.I * sympy.im(value, evaluate=False)
        found.append(value)
    return sympy.Add(*found)


def _is_opposite(term: RadialTerm, other: RadialTerm) -> bool:
    """Whether the other is the negative of the term at −Δ."""
    if (
        not term.tilt
        or len(term.tilt) != len(other.tilt)
        or any(a + b != 0 for a, b in zip(term.tilt, other.tilt, strict=True))
    ):
        return False
    return not (term.profile + other.profile).pieces


def _of_term(term: RadialTerm, frequency: SymbolicPairs) -> Any:
    import sympy

    if term.tilt:
        frequency = frequency.shift(tuple(-sympy.I * entry for entry in term.tilt))
    square = frequency.squared_norm()
    if not has_curvature(term.profile):
        return _fraction(term.profile, square, frequency.dim)
    dim = frequency.dim
    if not isinstance(dim, int):
        raise NotClosed("a Gaussian in an unknown number of columns")
    value = _from_line(term.profile, dim, sympy.sqrt(square), bool(term.tilt))
    if term.tilt or dim == 1:
        return value
    return sympy.Piecewise((_at_zero(term.profile, dim), sympy.Eq(square, 0)), (value, True))


def _from_line(profile: Piecewise, dim: int, radius: Any, is_complex: bool) -> Any:
    """The density in odd d from that on the line: one transform of k(t) times a polynomial for each side of zero.

    For real ‖ω‖ the sides are conjugate, and the first of them is enough.
    """
    import sympy

    numbers, m, zero = ExactNumbers(), (dim - 1) // 2, sympy.S.Zero
    whole = Piecewise(tuple(piece for piece in profile.pieces if piece.is_whole_line), numbers)
    rest = Piecewise(tuple(piece for piece in profile.pieces if not piece.is_whole_line), numbers)
    if is_complex:
        smooth = derivatives_of_line(whole, dim, radius, PlainNumbers())
    else:
        smooth = derivatives_of_line(whole, dim, numbers.frequency(radius), numbers).re
    half = rest.restricted(zero, None).pieces
    if not half:
        return smooth
    alphas = derivative_weights(dim)
    lowest = min(alphas)
    # what all terms have in common stays outside
    r = sympy.Dummy("r", positive=None if is_complex else True)
    size = radius ** (lowest - 2 * m) / (-2 * sympy.pi) ** m / (2 * sympy.pi)
    factors = [zero] * lowest + [
        alphas.get(j, 0) * (-sympy.I * r) ** (j - lowest) for j in range(lowest, max(alphas) + 1)
    ]

    def side(sign: int) -> Any:
        pieces = []
        for piece in half:
            weights = [zero] * (len(piece.weights) + len(factors) - 1)
            for j, factor in enumerate(factors):
                for n, weight in enumerate(piece.weights):
                    weights[n + j] += sign**j * factor * weight
            pieces.append(replace(piece, weights=tuple(weights)))
        return transform(pieces, sign * r, numbers, PlainNumbers())

    turn = (-sympy.I) ** lowest
    if is_complex:
        return smooth + size * turn * _plain_terms_together(side(1) + side(-1)).subs(r, radius)
    part = sympy.im if lowest % 2 else sympy.re
    sign = (-1) ** (lowest // 2)  # Re((−i)^n z) is ±Re z, or ±Im z
    return smooth + 2 * sign * size * part(_plain_terms_together(side(1)).subs(r, radius), evaluate=False)


def _plain_terms_together(value: Any) -> Any:
    """The sum, shorter: terms without a special function, which cancel in part, multiplied out; common factors."""
    import sympy

    terms = sympy.Add.make_args(value)
    special = [term for term in terms if term.has(sympy.erfc)]
    plain = sympy.Add(*[term for term in terms if term not in special])
    return sympy.expand(plain) + sympy.factor_terms(sympy.Add(*special))


def _fraction(profile: Piecewise, square: Any, dim: Any) -> Any:
    import sympy

    h = (sympy.S(dim) + 1) / 2
    found = []
    for c, weights in fractions(profile, dim):
        q, top = sympy.Symbol("q", positive=True), len(weights) - 1
        numerator = sympy.Add(*[b * c ** (2 * j) * q ** (top - j) for j, b in enumerate(weights)])
        whole = sympy.factor_terms(sympy.factor(sympy.expand(numerator)))
        found.append((whole * q ** (-h - top)).subs(q, c**2 + square))
    return sympy.gamma(h) / sympy.pi**h * sympy.Add(*found)


def _at_zero(profile: Piecewise, dim: int) -> Any:
    """(2π)^{−d} times the integral of k: the surface of the sphere times ∫ r^{d−1} f(r) dr."""
    import sympy

    numbers, half = ExactNumbers(), sympy.Rational(dim, 2)
    pieces = [
        replace(piece, weights=(sympy.S.Zero,) * (dim - 1) + piece.weights)
        for piece in profile.restricted(sympy.S.Zero, None).pieces
    ]
    mass = transform(pieces, numbers.frequency(0), numbers, numbers).re
    return 2 * sympy.pi**half / sympy.gamma(half) / (2 * sympy.pi) ** dim * mass
