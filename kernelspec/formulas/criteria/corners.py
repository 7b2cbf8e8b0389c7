"""Functions of compact support with a corner that weighs more far out than their start."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

from kernelspec.formulas.criteria.statement import Statement
from kernelspec.formulas.formula import Formula
from kernelspec.formulas.piecewise_polynomial import Coefficients, polynomial_at, polynomial_pieces

__all__ = ["by_corners"]


def by_corners(formula: Formula) -> Statement | None:
    """Not positive definite on R^d for d > 2(β − j) + 1, for a polynomial on intervals that ends at 0.

    β is the least order of a derivative that jumps at a point p > 0, j the least odd power of r at 0. Far out the
    transform is c ρ^{−j−d} + ρ^{−β−(d+1)/2} Σ_p A_p cos(ρp − φ_p) and less, by parts; where the second term is
    the larger one it takes both signs, as its mean is 0. Without odd powers it always is.
    """
    pieces = polynomial_pieces(formula)
    if pieces is None or len(pieces) < 2 or pieces[-1][1]:
        return None
    found = [(_order(before, after, end), end) for (end, before), (_, after) in pairwise(pieces) if end is not None]
    order, place = min(found)
    odd = next((k for k, c in enumerate(pieces[0][1]) if k % 2 and c), None)
    fails = 1 if odd is None else max(2 * (order - odd) + 2, 1)
    what = "f" if order == 0 else f"the derivative of order {order}"
    start = "f is even at 0" if odd is None else f"f has the power {formula.variable}^{odd} at 0"
    return Statement(
        0, fails, f"{what} jumps at {place} and {start}: for d ≥ {fails} the density oscillates about 0 far out"
    )


def _order(before: Coefficients, after: Coefficients, place: Fraction) -> int:
    """The order of the first derivative in which two polynomials differ at a point."""
    size = max(len(before), len(after))
    left, right = ((*piece, *[Fraction(0)] * (size - len(piece))) for piece in (before, after))
    rest: Coefficients = tuple(b - a for a, b in zip(left, right, strict=True))
    order = 0
    while polynomial_at(rest, place) == 0:
        rest, order = tuple(k * c for k, c in enumerate(rest))[1:], order + 1
    return order
