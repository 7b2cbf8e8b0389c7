"""Functions of the distance in closed form, and their densities in any number of columns."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import reduce
from itertools import zip_longest
from typing import Any

from kernelspec.measures.algebra.frequency_pieces import convolved, fraction_integral, smoothed
from kernelspec.measures.algebra.line import require_closed
from kernelspec.measures.algebra.members import Member, PieceMaker, pieces_of
from kernelspec.measures.algebra.numbers import Arithmetic, Coefficients
from kernelspec.measures.algebra.pieces import NotClosed, Piece, Piecewise, transform
from kernelspec.measures.convolution import Convolution
from kernelspec.measures.measure import Measure, Spectral
from kernelspec.measures.mixture import Mixture, PushForward
from kernelspec.measures.translated import Directional, Tilted

__all__ = [
    "RadialTerm",
    "derivative_weights",
    "derivatives_of_line",
    "fractions",
    "has_curvature",
    "line_derivative",
    "radial_terms",
    "require_radial",
]

_MOST_TERMS = 16


@dataclass(frozen=True)
class RadialTerm:
    """f(‖Δ‖) h(‖Δ‖) e^{β·Δ}: `profile` is the even function f on the line, `tilt` is β, empty without a tilt.

    `frequency` is the density of h on the line; None for h = 1.
    """

    profile: Piecewise
    tilt: tuple[Any, ...] = ()
    frequency: Piecewise | None = None


def radial_terms(measure: Measure, numbers: Coefficients, *, densities: bool = False) -> tuple[RadialTerm, ...]:
    """The terms whose sum is the kernel of a measure. Raises NotClosed if one is not radial.

    Factors known by their density on the line are refused without `densities`.
    """
    found = _terms(measure, numbers)
    if not densities and any(term.frequency is not None for term in found):
        raise NotClosed(f"{measure.describe()} has a factor known by its density")
    return found


def _terms(measure: Measure, numbers: Coefficients) -> tuple[RadialTerm, ...]:
    match measure:
        case Spectral() if measure.kernel.is_radial:
            return (_profile(measure.kernel.on_line(), numbers),)
        case Tilted() if measure.kernel.is_radial:
            term = _profile(measure.kernel.on_line(), numbers)
            return (replace(term, tilt=tuple(map(numbers.number, measure.by))),)
        case Directional():
            return _directional(measure, numbers)
        case PushForward() if not isinstance(measure.matrix, tuple):
            factor = numbers.number(measure.matrix)
            return tuple(_stretched(term, factor) for term in _terms(measure.part, numbers))
        case Mixture():
            parts = zip(measure.weights, measure.parts, strict=True)
            return _collected(
                replace(term, profile=term.profile.scaled(numbers.number(weight)))
                for weight, part in parts
                for term in _terms(part, numbers)
            )
        case Convolution():
            return reduce(_product, (_terms(part, numbers) for part in measure.parts))
    raise NotClosed(f"{measure.describe()} is not radial")


def _profile(kernel: Any, numbers: Coefficients) -> RadialTerm:
    member, zero = pieces_of(kernel, numbers), numbers.number(0)
    one = Piecewise.of([Piece(None, None, (numbers.number(1),), *[zero] * 5)], numbers)
    return RadialTerm(one if member.lag is None else member.lag, frequency=member.frequency)


def _stretched(term: RadialTerm, factor: Any) -> RadialTerm:
    density = term.frequency and term.frequency.stretched(1 / factor).scaled(1 / abs(factor))
    return RadialTerm(term.profile.stretched(factor), tuple(factor * b for b in term.tilt), density)


def _directional(measure: Directional, numbers: Coefficients) -> tuple[RadialTerm, ...]:
    kernel = measure.kernel
    if not isinstance(kernel.dim, int):
        raise NotClosed(f"{kernel} in an unknown number of columns")
    bell = _profile(kernel.gaussian.on_line(), numbers).profile
    terms = []
    for weight, part in kernel.tilts():
        size, tilt = part.as_tilt(PieceMaker(numbers))
        profile = bell.scaled(size * numbers.number(weight))
        terms.append(RadialTerm(profile, tuple(map(numbers.simplified, tilt)) if any(part.by) else ()))
    return _collected(terms)


def _product(left: tuple[RadialTerm, ...], right: tuple[RadialTerm, ...]) -> tuple[RadialTerm, ...]:
    return _collected(
        RadialTerm(
            a.profile * b.profile,
            tuple(x + y for x, y in zip(a.tilt, b.tilt, strict=True)) if a.tilt and b.tilt else a.tilt or b.tilt,
            convolved(a.frequency, b.frequency) if a.frequency and b.frequency else a.frequency or b.frequency,
        )
        for a in left
        for b in right
    )


def _collected(terms: Iterable[RadialTerm]) -> tuple[RadialTerm, ...]:
    """The terms, with those of equal tilt and density added."""
    found: dict[tuple[Any, ...], Piecewise] = {}
    for term in terms:
        key = () if all(entry == 0 for entry in term.tilt) else term.tilt, term.frequency
        found[key] = found[key] + term.profile if key in found else term.profile
    if len(found) > _MOST_TERMS:
        raise NotClosed(f"more than {_MOST_TERMS} terms")
    return tuple(RadialTerm(profile, *key) for key, profile in found.items())


Fraction = tuple[Any, list[Any]]
"""A rate c and weights B_j: the density Γ(h) π^{−h} q^{−h} Σ B_j (c²/q)^j, q = c² + ‖ω‖², h = (d + 1)/2."""


def has_curvature(profile: Piecewise) -> bool:
    return any(not profile.numbers.is_zero(piece.curvature, piece.curvature) for piece in profile.pieces)


def require_radial(profile: Piecewise, dim: Any, frequency: Piecewise | None = None) -> None:
    """Raise NotClosed unless the density of the profile in `dim` columns has a closed form here.

    `frequency` as in `RadialTerm`.
    """
    numbers = profile.numbers
    if not profile.decays or not profile.is_even:
        raise NotClosed("a profile that is not even, or does not decay")
    for piece in profile.after_zero.pieces:
        start = piece.low is not None and numbers.is_zero(piece.low, piece.low)
        if not start or piece.high is not None or not numbers.is_zero(piece.wave, piece.wave):
            raise NotClosed("a profile with breakpoints or waves")
    if (frequency is not None or has_curvature(profile)) and not (isinstance(dim, int) and dim % 2):
        raise NotClosed("a Gaussian times a radial function has a closed density in odd dimensions only")
    if frequency is not None:
        require_closed(Member(profile, frequency))
        if any(piece.high is not None for piece in frequency.after_zero.pieces):
            raise NotClosed("a density with breakpoints")


def fractions(profile: Piecewise, dim: Any) -> list[Fraction]:
    """The density of Σ c_n rⁿ e^{−cr}: (−∂/∂c)ⁿ of the density of e^{−cr}, Γ(h) π^{−h} c q^{−h}.

    (−∂/∂c)ⁿ (c q^{−h}) = Σ_j A_{nj} c^{1−n+2j} q^{−h−j}, A_{n+1, j} = (n−1−2j) A_{nj} + 2(h+j−1) A_{n, j−1}.
    """
    numbers = profile.numbers
    h = (numbers.number(dim) + 1) / 2
    groups: dict[Any, list[Piece]] = {}
    for piece in profile.after_zero.pieces:
        groups.setdefault(piece.rate, []).append(piece)
    found = []
    for c, pieces in groups.items():
        degree = max(len(piece.weights) for piece in pieces)
        terms: list[list[Any]] = [[] for _ in range(degree + 1)]
        for piece in pieces:
            size = numbers.exponential(piece.level)
            row = [numbers.number(1)]
            for n, weight in enumerate(piece.weights):
                for j, a in enumerate(row):
                    terms[j].append(size * weight * a * c ** (1 - n))
                lower = [(n - 1 - 2 * j) * a for j, a in enumerate(row)]
                raised = [2 * (h + j) * a for j, a in enumerate(row)]
                row = [x + y for x, y in zip([*lower, 0], [0, *raised], strict=True)]
        weights = []
        for row in terms:
            total, size = sum(row, 0 * c), sum((abs(term) for term in row), 0 * c) if row else 0 * c
            weights.append(0 * c if numbers.is_zero(total, size) else numbers.simplified(total))
        while weights and weights[-1] == 0:
            weights.pop()
        found.append((c, weights))
    return found


def derivative_weights(dim: int) -> dict[int, int]:
    """The α_{mj} by j in (ρ^{−1} d/dρ)^m = Σ_j α_{mj} ρ^{j−2m} (d/dρ)^j, m = (d − 1)/2."""
    alphas = {0: 1}
    for step in range((dim - 1) // 2):
        following: dict[int, int] = {}
        for j, alpha in alphas.items():
            following[j + 1] = following.get(j + 1, 0) + alpha
            following[j] = following.get(j, 0) - (2 * step - j) * alpha
        alphas = {j: alpha for j, alpha in following.items() if alpha}
    return alphas


def derivatives_of_line(
    profile: Piecewise, dim: int, radius: Any, arithmetic: Arithmetic, frequency: Piecewise | None = None
) -> Any:
    """The density in odd d at ‖ω‖ = `radius`, possibly complex, from the line: S_{d+2}(ρ) = −S_d′(ρ)/(2πρ).

    A derivative of S_1 is the transform of −it k(t); for 0 only ∫ of t^{d−1} k(t) is left. `frequency` as in
    `RadialTerm`.
    """
    numbers, m = profile.numbers, (dim - 1) // 2
    total = arithmetic.real(numbers.number(0))
    for j, alpha in derivative_weights(dim).items():
        factor = numbers.number(alpha) / (-2 * numbers.pi()) ** m / (2 * numbers.pi())
        value = line_derivative(profile, j, radius, arithmetic, frequency) * arithmetic.real(factor)
        total = total + (value / radius ** (2 * m - j) if 2 * m > j else value)
    return total


def line_derivative(
    profile: Piecewise, order: int, radius: Any, arithmetic: Arithmetic, frequency: Piecewise | None = None
) -> Any:
    """2π times the derivative of S_1: ∫ (−it)^j k(t) e^{−iρt} dt."""
    numbers = profile.numbers
    zero, whole = numbers.number(0), profile.whole_line

    def raised(pieces: tuple[Piece, ...]) -> list[Piece]:
        return [replace(piece, weights=(zero,) * order + piece.weights) for piece in pieces]

    half = raised(profile.with_ends.after_zero.pieces)
    if frequency is None:
        right = transform([*raised(whole.pieces), *half], radius, numbers, arithmetic)
        left = transform(half, -radius, numbers, arithmetic)
    else:
        right = fraction_integral(half, frequency.pieces, radius, numbers, arithmetic)
        left = fraction_integral(half, frequency.pieces, -radius, numbers, arithmetic)
    for _ in range(order):
        right, left = -arithmetic.turned(right), arithmetic.turned(left)
    total = right + left
    if frequency is not None and whole.pieces:
        for i in range(order):
            if i % 2:  # an odd derivative of an even density jumps at 0
                sizes = (piece.weights[0] * numbers.exponential(piece.level) for piece in frequency.after_zero.pieces)
                jump = arithmetic.real(2 * sum(sizes, zero))
                total = total + jump * line_derivative(whole, order - 1 - i, radius, arithmetic)
            frequency = Piecewise.of(map(_slope, frequency.pieces), numbers)
        total = total + smoothed(whole.pieces, frequency.pieces, radius, numbers, arithmetic)
    return total


def _slope(piece: Piece) -> Piece:
    """The derivative of Σ c_n νⁿ e^{g − aν}."""
    rising = [n * c for n, c in enumerate(piece.weights)][1:]
    pairs = zip_longest(rising, piece.weights, fillvalue=0 * piece.rate)
    return replace(piece, weights=tuple(a - piece.rate * b for a, b in pairs))
