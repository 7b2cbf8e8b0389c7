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
from kernelspec.measures.algebra.radial_transform import derivatives_of_line, fractions, has_curvature, require_radial
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
    return sympy.Add(*[_of_term(term, frequency) for term in terms])


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
    radius = sympy.sqrt(square)
    if term.tilt:
        return derivatives_of_line(term.profile, dim, radius, PlainNumbers())
    numbers = ExactNumbers()
    value = derivatives_of_line(term.profile, dim, numbers.frequency(radius), numbers).re
    if dim == 1:
        return value
    return sympy.Piecewise((_at_zero(term.profile, dim), sympy.Eq(radius, 0)), (value, True))


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
