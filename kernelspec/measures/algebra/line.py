"""Measures on the line as sums of products, also with powers of log |t|, and their transforms in closed form."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import reduce
from math import factorial
from typing import Any

from kernelspec.loading import sympy
from kernelspec.measures.algebra.exact_numbers import ExactNumbers
from kernelspec.measures.algebra.frequency_pieces import convolved, fraction_integral, require_convolved, smoothed
from kernelspec.measures.algebra.members import Member, PieceMaker, lag_of, pieces_of
from kernelspec.measures.algebra.numbers import Arithmetic, Coefficients
from kernelspec.measures.algebra.pieces import NotClosed, Piece, Piecewise, transform
from kernelspec.measures.convolution import Convolution
from kernelspec.measures.measure import Measure, Spectral
from kernelspec.measures.mixture import Embedding, Mixture, PushForward
from kernelspec.measures.translated import ComplexFrequency, Directional, Shifted

__all__ = [
    "density_of_member",
    "gathered_terms",
    "has_logarithms",
    "is_even",
    "line_members",
    "logarithmic_expression",
    "require_closed",
    "transforms_of_member",
]


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


_NUMBERS = ExactNumbers()
_MOST_LOGARITHMS = 2

_Powers = list[Piecewise]  # the p_j by increasing j


def has_logarithms(measure: Measure) -> bool:
    """Whether a factor of a measure on one column has a logarithm."""
    if isinstance(measure, Convolution):
        return any(map(has_logarithms, measure.parts))
    part = measure.part if isinstance(measure, PushForward) else measure
    return isinstance(part, Spectral) and part.kernel.logarithmic_pieces(PieceMaker(_NUMBERS)) is not None


def logarithmic_expression(measure: Measure, omega: Any) -> Any:
    """μ(ω) of an even measure on one column, in exponential integrals and, with (log t)², in ₃F₃. Raises NotClosed.

    For a wave on an interval, the frequency at which the exponent is 0 is a case of its own.
    """
    powers = _powers(measure)
    halves = [(piece, j) for j, part in enumerate(powers) for piece in part.after_zero.pieces]
    if not all(part.is_even for part in powers):
        raise NotClosed("a logarithm in a kernel that is not even")
    if any(piece.curvature != 0 for piece, _ in halves):
        raise NotClosed("a logarithm times a Gaussian: derivatives of parabolic cylinder functions by their order")

    def density(at: Any) -> Any:
        total = sympy.Add(*[_transform(piece, j, at) for piece, j in halves])
        return sympy.re(total, evaluate=False) / sympy.pi

    poles = sorted({piece.wave for piece, _ in halves if piece.rate == 0}, key=sympy.default_sort_key)
    special = [(density(pole), sympy.Eq(omega, pole)) for pole in poles]
    return sympy.Piecewise(*special, (density(omega), True)) if special else density(omega)


def _powers(measure: Measure, unit: Any = 1) -> _Powers:
    """The p_j of k(t/unit). Raises NotClosed."""
    if isinstance(measure, Convolution):
        return reduce(_product_of_powers, (_powers(part, unit) for part in measure.parts))
    if isinstance(measure, PushForward) and measure.factor is not None:
        return _powers(measure.part, unit / abs(sympy.S(measure.factor)))
    if isinstance(measure, Spectral):
        found = measure.kernel.logarithmic_pieces(PieceMaker(_NUMBERS), unit)
        if found is not None:
            return [lag_of(member) for member in found]
    members = line_members(measure, _NUMBERS)
    if any(member.frequency is not None for member in members):
        raise NotClosed("a logarithm times a kernel that is known by its density")
    return [lag_of(member).stretched(1 / sympy.S(unit)) for member in members]


def _product_of_powers(left: _Powers, right: _Powers) -> _Powers:
    found = [Piecewise.of([], _NUMBERS)] * (len(left) + len(right) - 1)
    for i, a in enumerate(left):
        for j, b in enumerate(right):
            found[i + j] = found[i + j] + a * b
    while len(found) > 1 and not found[-1].pieces:
        found.pop()
    if len(found) > _MOST_LOGARITHMS + 1:
        raise NotClosed(f"a power of a logarithm above {_MOST_LOGARITHMS}")
    return found


def _transform(piece: Piece, power: int, omega: Any) -> Any:
    """∫_u^v Σ c_n tⁿ (log t)^m e^{g − st + iφ} dt, s = a + i(ω − w), m = `power`, over a piece with u ≥ 0."""
    s = piece.rate + sympy.I * (omega - piece.wave)
    ends = [(end, sign) for end, sign in ((piece.high, 1), (piece.low, -1)) if end is not None]
    values = [sign * _primitive(piece.weights, power, s, end) for end, sign in ends]
    return sympy.exp(piece.level + sympy.I * piece.phase) * sympy.Add(*values)


def _primitive(weights: Any, power: int, s: Any, t: Any) -> Any:
    """−e^{−st} P (log t)^m + m ∫ P (log t)^{m−1} e^{−st} dt/t, P = Σ_k q^{(k)}/s^{k+1}, for q = Σ c_n tⁿ.

    At t = 0 terms in log t cancel, and are left out.
    """
    log = sympy.S.Zero if t == 0 else sympy.log(t)
    if s == 0:
        areas = ((c * t**n, [sympy.S(1) / n ** (i + 1) for i in range(power + 1)]) for n, c in enumerate(weights, 1))
        return sympy.Add(*[area * _with_logarithms(power, log, shares) for area, shares in areas])
    parts: list[Any] = []
    for n in reversed(range(len(weights))):
        parts.insert(0, (weights[n] + (n + 1) * (parts[0] if parts else 0)) / s)
    found = -sympy.exp(-s * t) * sympy.Add(*[c * t**n for n, c in enumerate(parts)]) * log**power
    if power and parts:
        found += power * (parts[0] * _over_t(power - 1, s * t, log) + _primitive(parts[1:], power - 1, s, t))
    return found


def _over_t(power: int, z: Any, log: Any) -> Any:
    """∫ (log t)^m e^{−st} dt/t, z = st: by F_i = Σ_n (−z)ⁿ/(n! n^i), F_1 = −E₁(z) − log z − γ; 0 at t = 0."""
    if z == 0:
        return sympy.S.Zero
    series = [-sympy.expint(1, z) - sympy.log(z) - sympy.EulerGamma]
    series += [-z * sympy.hyper([1] * (i + 1), [2] * (i + 1), -z) for i in range(2, power + 2)]
    return log ** (power + 1) / (power + 1) + _with_logarithms(power, log, series)


def _with_logarithms(power: int, log: Any, shares: list[Any]) -> Any:
    """Σ_i (−1)^i m!/(m − i)! (log t)^{m−i} f_i."""
    m = factorial(power)
    return sympy.Add(*[(-1) ** i * (m // factorial(power - i)) * log ** (power - i) * f for i, f in enumerate(shares)])
