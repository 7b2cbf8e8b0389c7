"""Measures on the line as sums of products, and their transforms in closed form."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import reduce
from typing import Any

from kernelspec.loading import sympy
from kernelspec.measures.algebra.frequency_pieces import convolved, fraction_integral, require_convolved, smoothed
from kernelspec.measures.algebra.members import Member, pieces_of
from kernelspec.measures.algebra.numbers import Arithmetic, Coefficients
from kernelspec.measures.algebra.pieces import NotClosed, Piece, Piecewise, transform
from kernelspec.measures.convolution import Convolution
from kernelspec.measures.measure import Measure, Spectral
from kernelspec.measures.mixture import Embedding, Mixture, PushForward
from kernelspec.measures.translated import ComplexFrequency, Directional, Shifted

__all__ = ["density_of_member", "gathered_terms", "is_even", "line_members", "require_closed", "transforms_of_member"]


def density_of_member(member: Member, frequency: Any, arithmetic: Arithmetic) -> Any:
    """μ(ω) of a member with a function of the lag; ω a number of the arithmetic.

    For a real function f the transform is H(ω) + H⁻(−ω) with H(ω) = ∫_0^∞ f(t) e^{−iωt} dt and H⁻ the same for f(−t);
    for an even one it is 2 Re H. Raises NotClosed.
    """
    total, right, left = transforms_of_member(member, frequency, arithmetic)
    if right is not None:
        total = total + right + (arithmetic.conjugate(right) if left is None else left)
    return total * arithmetic.real(1 / (2 * _numbers(member).pi()))


def transforms_of_member(member: Member, frequency: Any, arithmetic: Arithmetic) -> tuple[Any, Any, Any]:
    """The contribution of Gaussians on the whole line, and the remainders for t > 0 and t < 0, all times 2π.

    The second is None without a remainder; the third if the remainder is even, hence the conjugate. Raises NotClosed.
    """
    lag, weight = member.lag, member.frequency
    if lag is None:
        raise NotClosed("a density is not a transform")
    numbers = lag.numbers
    require_closed(member)
    whole, rest = lag.whole_line.pieces, lag.with_ends

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
    """Whether the pieces show that the member is even, so that its density is real."""
    return all(part is None or part.is_even for part in (member.lag, member.frequency))


def _numbers(member: Member) -> Coefficients:
    assert member.lag is not None
    return member.lag.numbers


def require_closed(member: Member) -> None:
    """Raise NotClosed unless the algebra has the transform of the member."""
    lag, weight = member.lag, member.frequency
    if lag is None:
        return
    if weight is None:
        if not lag.decays:
            raise NotClosed("a function that does not decay has no density")
        return
    numbers = lag.numbers
    whole, rest = lag.whole_line.pieces, lag.with_ends
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


_MOST_TERMS = 16


def line_members(measure: Measure, numbers: Coefficients) -> tuple[Member, ...]:
    """The members whose sum is the kernel of a measure on one column, each a product of a lag part and a density.

    Raises NotClosed if a factor is neither.
    """
    match measure:
        case Spectral() | Directional():
            return (pieces_of(measure.kernel, numbers),)
        case ComplexFrequency():
            member = pieces_of(measure.kernel, numbers)
            if member.lag is None:
                raise NotClosed("a density that is tilted")
            return (Member(member.lag.tilted(numbers.number(measure.by[0]))),)
        case Shifted():
            by = numbers.number(measure.by[0])
            return tuple(_shifted(member, by, numbers) for member in line_members(measure.part, numbers))
        case PushForward() if measure.factor is not None:
            factor = numbers.number(measure.factor)
            return tuple(_stretched(member, factor) for member in line_members(measure.part, numbers))
        case Embedding():
            return line_members(measure.part, numbers)
        case Mixture():
            parts = zip(measure.parts, measure.weights, strict=True)
            terms = [
                _scaled(member, numbers.number(weight))
                for part, weight in parts
                for member in line_members(part, numbers)
            ]
            return _collected(terms)
        case Convolution():
            factors = [line_members(part, numbers) for part in _flat(measure)]
            boxes = [m.frequency for part in factors if len(part) == 1 for m in part if m.frequency and not m.lag]
            require_convolved(boxes)
            return reduce(_product, factors)
    raise NotClosed(f"{measure.describe()} has no pieces")


def _flat(measure: Measure) -> Iterator[Measure]:
    for part in measure.parts if isinstance(measure, Convolution) else ():
        yield from _flat(part) if isinstance(part, Convolution) else (part,)


def _product(left: tuple[Member, ...], right: tuple[Member, ...]) -> tuple[Member, ...]:
    found = [
        Member(
            a.lag * b.lag if a.lag and b.lag else a.lag or b.lag,
            convolved(a.frequency, b.frequency) if a.frequency and b.frequency else a.frequency or b.frequency,
        )
        for a in left
        for b in right
    ]
    return _collected(found)


def _collected(terms: Iterable[Member]) -> tuple[Member, ...]:
    """The terms, with pieces of one kind added."""
    lags = frequencies = None
    mixed = []
    for term in terms:
        if term.frequency is None and term.lag is not None:
            lags = term.lag if lags is None else lags + term.lag
        elif term.lag is None and term.frequency is not None:
            frequencies = term.frequency if frequencies is None else frequencies + term.frequency
        else:
            mixed.append(term)
    found = tuple(
        member for member in (Member(lags), Member(None, frequencies), *mixed) if member.lag or member.frequency
    )
    if len(found) > _MOST_TERMS:
        raise NotClosed(f"more than {_MOST_TERMS} terms")
    return found


def _scaled(member: Member, weight: Any) -> Member:
    if member.lag is not None:
        return Member(member.lag.scaled(weight), member.frequency)
    return Member(None, None if member.frequency is None else member.frequency.scaled(weight))


def _shifted(member: Member, by: Any, numbers: Coefficients) -> Member:
    """k(t + r): the density times e^{irω}."""
    frequency = member.frequency
    if frequency is not None:
        zero = 0 * by
        wave = Piecewise.of([Piece(None, None, (zero + 1,), zero, zero, zero, zero, by)], numbers)
        frequency = frequency * wave
    return Member(None if member.lag is None else member.lag.shifted(by), frequency)


def _stretched(member: Member, factor: Any) -> Member:
    """k(at): the density at ω/a, over |a|."""
    frequency = member.frequency
    if frequency is not None:
        frequency = frequency.stretched(1 / factor).scaled(1 / abs(factor))
    return Member(None if member.lag is None else member.lag.stretched(factor), frequency)


def gathered_terms(expression: Any) -> Any:
    """Σ q e^{g} (erf a − erf b) with equal g written as e^{g} Σ p erf a, where erf(−a) counts as −erf(a).

    The expression is unchanged if no two terms share an exponential, or nothing is saved.
    """
    if not expression.has(sympy.erf):
        return expression
    number, rest = expression.as_independent(*expression.free_symbols, as_Add=False)
    groups: dict[Any, list[tuple[Any, Any]]] = {}
    others = []
    for term in sympy.Add.make_args(rest):
        exponentials = [part for part in term.args if part.func is sympy.exp] if term.is_Mul else []
        if len(exponentials) == 1 and term.has(sympy.erf):
            (found,) = exponentials
            groups.setdefault(sympy.expand(found.args[0]), []).append((found, term / found))
        else:
            others.append(term)
    if all(len(group) < 2 for group in groups.values()):
        return expression
    for group in groups.values():
        exponential = group[0][0]
        total = sympy.Add(*[factor for _, factor in group])
        others.append(exponential * (_by_arguments(total) if len(group) > 1 else total))
    content, rest = sympy.Add(*others).as_content_primitive()
    found = number * content * rest
    return found if found.count_ops() < expression.count_ops() else expression


def _by_arguments(total: Any) -> Any:
    """Σ p erf a with one term per argument, up to its sign."""
    names: dict[Any, tuple[Any, Any]] = {}
    replaced = {}
    for function in sorted(total.atoms(sympy.erf), key=sympy.default_sort_key):
        key = sympy.expand(function.args[0])
        if -key in names:
            replaced[function] = -names[-key][0]
        else:
            names[key] = (sympy.Dummy(), function)
            replaced[function] = names[key][0]
    symbols = [symbol for symbol, _ in names.values()]
    weights = sympy.Poly(total.xreplace(replaced), *symbols)
    terms = [
        sympy.factor_terms(sympy.expand(weights.coeff_monomial(symbol))) * function
        for symbol, function in names.values()
    ]
    return sympy.factor_terms(sympy.Add(*terms, weights.coeff_monomial(1)))
