"""The sign of a weighted sum of densities, and the largest quotient of two of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Literal

from kernelspec.loading import mpmath as mp
from kernelspec.special.closed_forms import Band, Density, Falling, Fejer
from kernelspec.verdicts.densities import Logarithms, ProductLaw, RadialLaw, SpectralLaw, is_known, margin, sign_of_sum

__all__ = ["Comparison", "Largest", "compare", "largest_quotient"]

_SLACK = 1e-18
_OCTAVES = 40


@dataclass(frozen=True)
class Largest:
    """log sup p/q, and a frequency near which it is attained; `is_exact` if that is 0 or the quotient is constant."""

    log: Any
    at: Any
    is_exact: bool = False


def largest_quotient(over: Density, under: Density) -> Largest | None:
    """A proved bound on log p/q, p = `over` and q = `under`, sharp up to 1e-18; None if none is found.

    Infinite if p/q is unbounded, with a frequency at which q is 0 or far smaller. Requires 30 digits.
    """
    zero = mp.mpf(0)
    if over == under:
        return Largest(zero, zero, True)
    match over, under:
        case Band(), Band():
            log = mp.log(under.width / over.width)
            return Largest(log, zero, True) if over.width <= under.width else Largest(mp.inf, over.width)
        case Band(), Falling():
            return Largest(-mp.log(2 * over.width) - under.log(over.width**2), over.width)
        case _, Band():
            at = 2 * under.width
            return Largest(mp.inf, at if not isinstance(over, Fejer) else at * mp.mpf("1.234"))
        case Band(), Fejer():
            if over.width * under.width < 2 * mp.pi:
                return Largest(-mp.log(2 * over.width) - mp.log(under.density(over.width)), over.width)
            return Largest(mp.inf, 2 * mp.pi / under.width)
        case Fejer(), Fejer():
            return Largest(mp.inf, 2 * mp.pi / under.width) if (over.width / under.width) % 1 else None
        case Falling(), Fejer():
            return Largest(mp.inf, 2 * mp.pi / under.width)
        case Fejer(), Falling():
            found = largest_quotient(over.above, under)
            return found if found is None or found.log == mp.inf else Largest(found.log, found.at)
    return _of_falling(over, under)


def _of_falling(over: Density, under: Density) -> Largest | None:
    assert isinstance(over, Falling)
    assert isinstance(under, Falling)
    if over.weight_of_tail < under.weight_of_tail:
        return Largest(mp.inf, mp.sqrt(max(over.scales + under.scales)) * mp.mpf(2) ** _OCTAVES)

    def gap(u: Any) -> Any:
        return over.log(u) - under.log(u)

    powers = list(zip(over.powers, under.powers, strict=False))
    if (
        not (over.bessel or under.bessel)
        and len(over.powers) == len(under.powers)
        and over.line >= under.line
        and over.root >= under.root
        and all(mine[0] == its[0] and mine[1] >= its[1] for mine, its in powers)
    ):  # every factor of the quotient falls
        return Largest(gap(mp.mpf(0)), mp.mpf(0), True)
    start = over.log(0)
    if start == mp.inf:
        return Largest(mp.inf, mp.sqrt(min(over.scales + under.scales)) * mp.mpf(2) ** -_OCTAVES)
    scales = over.scales + under.scales
    octaves = 61 + int(mp.log(max(scales) / min(scales), 2))
    places = [min(scales) * mp.mpf(2) ** (mp.mpf(n) / 2 - 30) for n in range(2 * octaves)]
    heights = [gap(u) for u in places]
    best = max(range(len(places)), key=lambda i: heights[i])
    if under.log(0) != mp.inf and gap(mp.mpf(0)) >= heights[best]:
        log = gap(mp.mpf(0))
        exact = sign_of_sum([(mp.exp(log), under), (mp.mpf(-1), over)], lambda at: 0)
        return Largest(log, mp.mpf(0), True) if exact.answer == "proved" else None
    if over.has_same_power(under):
        return Largest(over.log_of_limit() - under.log_of_limit(), mp.sqrt(places[-1]))
    at = _golden(gap, places[max(best - 1, 0)], places[min(best + 1, len(places) - 1)])
    log = gap(at) + _SLACK
    proof = sign_of_sum([(mp.exp(log), under), (mp.mpf(-1), over)])
    return Largest(log, mp.sqrt(at)) if proof.answer == "proved" else None


def _golden(height: Any, low: Any, high: Any) -> Any:
    """The maximizer of a unimodal function between two points."""
    share = (mp.sqrt(5) - 1) / 2
    left, right = high - share * (high - low), low + share * (high - low)
    values = height(left), height(right)
    while high - low > mp.mpf(10) ** -12 * high:
        if values[0] > values[1]:
            high, right = right, left
            left = high - share * (high - low)
            values = height(left), values[0]
        else:
            low, left = left, right
            right = low + share * (high - low)
            values = values[1], height(right)
    return (low + high) / 2


Term = tuple[Any, SpectralLaw]

_MOST_TRIED = 3000
_TIE = 1e-18  # how close to 1 a largest quotient must be for exact numbers to decide; beyond, 30 digits suffice


@dataclass(frozen=True)
class Comparison:
    """Whether Σ w_i p_i ≥ 0 everywhere, with the argument, and a frequency at which it fails.

    Without a `density` there, only exact numbers show its sign.
    """

    answer: Literal["proved", "disproved", "unknown"]
    words: str = ""
    frequency: tuple[Any, ...] | None = None
    density: Any = None


def compare(terms: Sequence[Term], sign_at: Callable[[float], int | None]) -> Comparison:
    """The sign of Σ w_i p_i for laws on the same columns; requires 30 digits.

    Radial laws, and all laws on one column, are functions of ‖ω‖². For products, the negative terms are bounded by
    multiples of the positive ones. Next to a radial law, a product ∏ p(ω_i) at fixed length of ω is largest on an axis
    and smallest on the diagonal, as log p is convex in ω².
    """
    if all(weight > 0 for weight, _ in terms):
        return Comparison("proved", "all weights are positive")
    dim = len(terms[0][1].columns)
    radial = [(w, _radial(law)) for w, law in terms]
    if all(profile is not None for _, profile in radial):
        found = sign_of_sum([(w, profile) for w, profile in radial if profile is not None], sign_at)
        if found.answer == "proved":
            return Comparison("proved", "as functions of the length of ω, between tangents and chords of logarithms")
        if found.answer == "disproved":
            at = (mp.sqrt(found.at),) + (0 * found.at,) * (dim - 1)
            # at 0, exact numbers may disprove what these digits cannot
            return _at(terms, [at]) if found.at else Comparison("disproved", "", at)
        return Comparison("unknown")
    if all(isinstance(law, ProductLaw) for _, law in terms):
        return _of_products(terms, sign_at)
    return _mixed(terms)


def _radial(law: SpectralLaw) -> Falling | None:
    """The law as a function of ‖ω‖²: radial, on one column, or a product of equal Gaussians."""
    if isinstance(law, RadialLaw):
        return law.profile
    first = law.factors[0]
    if not isinstance(first, Falling) or any(factor != first for factor in law.factors):
        return None
    if len(law.factors) == 1:
        return first
    if first.powers or first.root or first.bessel:
        return None
    return Falling(len(law.factors) * first.constant, line=first.line)


def _of_products(terms: Sequence[Term], sign_at: Callable[[float], int | None]) -> Comparison:
    positive = [(w, law) for w, law in terms if w > 0]
    negative = [(-w, law) for w, law in terms if w < 0]
    found = [[_quotients(over, under) for _, under in positive] for _, over in negative]
    worst = _at(terms, _candidates(terms, found))
    if worst.answer == "disproved":
        return worst
    bounds = [[mp.exp(sum(own.log if own else mp.inf for own in quotients)) for quotients in row] for row in found]
    if len(positive) == 1:
        used = sum(w * row[0] for (w, _), row in zip(negative, bounds, strict=True))
        room = positive[0][0]
    elif len(negative) == 1:
        used = mp.mpf(1)
        room = sum(w / (negative[0][0] * bound) for (w, _), bound in zip(positive, bounds[0], strict=True))
    else:
        return Comparison("unknown")
    if used < room * (1 - margin()):
        share = mp.nstr(used / room, 4)
        return Comparison("proved", f"the negative terms are at most {share} of the positive ones, column by column")
    single = len(positive) == len(negative) == 1 and all(q is not None and q.is_exact for q in found[0][0])
    # the largest quotient is attained, at 0: the sign there is that of the sum
    exact = sign_at(0.0) if single and abs(used - room) < _TIE * room else None
    if exact == -1:
        return Comparison("disproved", "", (mp.mpf(0),) * len(terms[0][1].columns))
    if exact is not None:
        words = "equal at ω = 0" if exact == 0 else "nearly equal at ω = 0"
        return Comparison("proved", f"the negative term is at most the positive one, and {words}")
    return Comparison("unknown")


def _quotients(over: SpectralLaw, under: SpectralLaw) -> list[Largest | None]:
    assert isinstance(over, ProductLaw)
    assert isinstance(under, ProductLaw)
    pairs = list(zip(over.factors, under.factors, strict=True))
    known = {pair: largest_quotient(*pair) for pair in dict.fromkeys(pairs)}
    return [known[pair] for pair in pairs]


def _candidates(terms: Sequence[Term], found: list[list[list[Largest | None]]]) -> list[tuple[Any, ...]]:
    """Frequencies at which a quotient is largest or a positive term vanishes, and grid points."""
    dim = len(terms[0][1].columns)
    zero = mp.mpf(0)
    places: list[tuple[Any, ...]] = [
        tuple(zero if quotient is None else quotient.at for quotient in quotients) for row in found for quotients in row
    ]
    places += [tuple(w if i == j else zero for j in range(dim)) for place in places for i, w in enumerate(place)]
    laws = [law for _, law in terms if isinstance(law, ProductLaw)]
    own = [_of_one_column([law.factors[column] for law in laws]) for column in range(dim)]
    if dim == 1:
        return places + [(w,) for w in own[0]]
    for count in range(1, dim + 1):
        places += [tuple(w if j < count else zero for j in range(dim)) for w in own[0]]
    if len(own[0]) ** min(dim, 2) <= _MOST_TRIED:
        places += [(a, b, *[zero] * (dim - 2)) for a, b in product(own[0][::2], own[1][::2])]
    return places


def _of_one_column(factors: list[Density]) -> list[Any]:
    scales = []
    for factor in factors:
        match factor:
            case Falling():
                scales += [mp.sqrt(u) for u in factor.scales]
            case Band():
                scales.append(factor.width)
            case Fejer():
                scales.append(1 / factor.width)
    grid = [s * mp.mpf(2) ** (mp.mpf(n) / 2) for s in set(scales) for n in range(-8, 13)]
    grid += [2 * mp.pi * n / factor.width for factor in factors if isinstance(factor, Fejer) for n in (1, 2, 3)]
    grid += [mp.mpf("1.001") * factor.width for factor in factors if isinstance(factor, Band)]
    return sorted(set(grid))


def _mixed(terms: Sequence[Term]) -> Comparison:
    """Radial laws next to products of equal factors."""
    dim = len(terms[0][1].columns)
    bounds = []
    for weight, law in terms:
        profile = _radial(law)
        if profile is None:
            assert isinstance(law, ProductLaw)
            first = law.factors[0]
            if not isinstance(first, Falling) or first.bessel or any(factor != first for factor in law.factors):
                return Comparison("unknown")
            profile = first.on_diagonal(dim) if weight > 0 else first.on_axis(dim)
        bounds.append((weight, profile))
    found = sign_of_sum(bounds)
    if found.answer == "proved":
        return Comparison("proved", "at every length of ω, products on the axes or the diagonal being the extremes")
    lengths = sorted({s * mp.mpf(2) ** (mp.mpf(n) / 2) for _, p in bounds for s in p.scales for n in range(-16, 41)})
    lengths += [] if found.at is None else [found.at]
    zero = mp.mpf(0)
    places = [
        tuple(mp.sqrt(u / count) if i < count else zero for i in range(dim))
        for u in lengths
        for count in sorted({1, 2, dim})
    ]
    return _at(terms, [(zero,) * dim, *places])


def _at(terms: Sequence[Term], frequencies: Sequence[tuple[Any, ...]]) -> Comparison:
    """Disproved if the density is negative beyond rounding: at the given frequency with most mass nearby."""
    known: Logarithms = {}
    best, found, density = mp.mpf(0), None, None
    least = min((w for omega in frequencies for w in omega if w > 0), default=mp.mpf(1))
    for omega in frequencies:
        values = []
        for weight, law in terms:
            log = law.log(list(omega), known, 1 if weight > 0 else -1)
            zero = log == -mp.inf
            values.append(mp.mpf(0) if zero else weight * mp.exp(log) if is_known(log) else mp.nan)
        size = sum(map(abs, values))
        if not mp.isfinite(size) or size == 0:
            continue
        total = sum(values)
        if total < -margin() * size:
            mass = total * (mp.norm(omega) + least)
            if found is None or mass < best:
                best, found, density = mass, omega, total
    return Comparison("unknown") if found is None else Comparison("disproved", "", found, density)
