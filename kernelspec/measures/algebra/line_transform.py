"""The spectral density, on a line, of a product of pieces in the lag with pieces in the frequency."""

from __future__ import annotations

from typing import Any

from kernelspec.measures.algebra.arithmetic import Arithmetic, Coefficients
from kernelspec.measures.algebra.frequency_integrals import fraction_integral, smoothed
from kernelspec.measures.algebra.lag_transform import transform
from kernelspec.measures.algebra.member import Member
from kernelspec.measures.algebra.piece import NotClosed, Piece
from kernelspec.measures.algebra.piecewise import Piecewise

__all__ = ["density_of_member", "is_even", "require_closed", "transforms_of_member"]


def density_of_member(member: Member, frequency: Any, arithmetic: Arithmetic) -> Any:
    """μ(ω) of a member with a function of the lag; ω a number of the arithmetic.

    Of a real function f the transform is H(ω) + H⁻(−ω) with H(ω) = ∫_0^∞ f(t) e^{−iωt} dt and H⁻ the same for f(−t); of
    an even one it is 2 Re H. Raises NotClosed.
    """
    total, right, left = transforms_of_member(member, frequency, arithmetic)
    if right is not None:
        total = total + right + (arithmetic.conjugate(right) if left is None else left)
    return total * arithmetic.real(1 / (2 * _numbers(member).pi()))


def transforms_of_member(member: Member, frequency: Any, arithmetic: Arithmetic) -> tuple[Any, Any, Any]:
    """What the Gaussians on the whole line give, and the rest for t > 0 and t < 0, all times 2π.

    The second is None without a rest; the third where the rest is even, and so the conjugate. Raises NotClosed.
    """
    lag, weight = member.lag, member.frequency
    if lag is None:
        raise NotClosed("a density is no transform")
    numbers = lag.numbers
    require_closed(member)
    whole, rest = _whole_line(lag)

    def half(part: Piecewise, at: Any) -> Any:
        if weight is None:
            return transform(part.pieces, at, numbers, arithmetic)
        return fraction_integral(part.pieces, weight.pieces, at, numbers, arithmetic)

    if weight is None:
        total = transform(whole, frequency, numbers, arithmetic)
    else:
        total = smoothed(whole, weight.pieces, frequency, numbers, arithmetic)
    if not rest.pieces:
        return total, None, None
    return total, half(rest.after_zero, frequency), None if is_even(member) else half(rest.before_zero, -frequency)


def is_even(member: Member) -> bool:
    """Whether the member is seen from its pieces to be even, so that its density is real."""
    return all(part is None or part.is_even for part in (member.lag, member.frequency))


def _numbers(member: Member) -> Coefficients:
    assert member.lag is not None
    return member.lag.numbers


def _whole_line(lag: Piecewise) -> tuple[tuple[Piece, ...], Piecewise]:
    """The Gaussians, which need no cut at zero, and the rest."""
    whole = tuple(piece for piece in lag.pieces if piece.is_whole_line)
    return whole, lag.with_ends


def require_closed(member: Member) -> None:
    """Raise NotClosed unless the member is of a form whose transform the algebra has."""
    lag, weight = member.lag, member.frequency
    if lag is None:
        return
    if weight is None:
        if not lag.decays:
            raise NotClosed("a function that does not decay has no density")
        return
    numbers = lag.numbers
    whole, rest = _whole_line(lag)
    for piece in whole:
        if len(piece.weights) > 1 or numbers.is_zero(piece.curvature, piece.curvature):
            raise NotClosed("a wave or a polynomial on the whole line, times a density")
    if not rest.pieces:
        return
    if any(not numbers.is_zero(piece.curvature, piece.curvature) for piece in rest.pieces):
        raise NotClosed("a Gaussian on a half-line, times a density")
    flat = all(numbers.is_zero(piece.wave, piece.wave) for piece in weight.pieces)
    if not flat or not weight.is_even:
        raise NotClosed("a density that is not even, times a function with breakpoints")
