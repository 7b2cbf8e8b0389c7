"""The comparable spectral densities of the terms of a sum, and the sign of their weighted sum."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import reduce
from itertools import pairwise
from operator import itemgetter
from typing import Any, Literal, NamedTuple

from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaf import Stationary
from kernelspec.kernels.nodes.columns_and_lags import Select, Stretch
from kernelspec.kernels.nodes.sums_and_products import Product
from kernelspec.loading import mpmath as mp
from kernelspec.special.closed_forms import DIGITS, Density, Falling, Fejer, number

__all__ = [
    "Logarithms",
    "ProductLaw",
    "RadialLaw",
    "SpectralLaw",
    "are_told_apart",
    "is_known",
    "law_of_kernel",
    "margin",
    "numbers_of_law",
    "sign_of_sum",
]


def margin() -> Any:
    """The rounding error of a sum, as a share of its largest term: all but ten of the present digits are right."""
    return mp.mpf(10) ** (10 - mp.mp.dps)


Logarithms = dict[tuple[int, Any, int], Any]
"""log p of factors, by identity, at numbers, by side: valid while the factors live and the precision is fixed."""


@dataclass(frozen=True)
class ProductLaw:
    """Independent coordinates, each with its own density, on the given `columns`."""

    columns: tuple[int, ...]
    factors: tuple[Density, ...]

    def log(self, omega: list[Any], known: Logarithms | None = None, side: int = 0) -> Any:
        """log p at a frequency, one number per column; −∞ if p is 0. On a `side`, a bound where no digit is right.

        `known` caches logarithms across frequencies: usually there is one density, at few numbers.
        """
        known = {} if known is None else known
        total = 0
        for factor, w in zip(self.factors, omega, strict=True):
            key = id(factor), w, side
            if key not in known:
                known[key] = _log(factor, w, side)
            total += known[key]
        return total


@dataclass(frozen=True)
class RadialLaw:
    """A function of ‖ω‖² on the given `columns`."""

    columns: tuple[int, ...]
    profile: Falling

    def log(self, omega: list[Any], known: Logarithms | None = None, side: int = 0) -> Any:
        """log p at a frequency; see `ProductLaw.log`."""
        return self.profile.log(sum(w * w for w in omega))


SpectralLaw = ProductLaw | RadialLaw


def law_of_kernel(kernel: Kernel, columns: tuple[int, ...]) -> SpectralLaw | None:
    """The law of the frequencies of a kernel on some columns; None if its density is not comparable.

    The columns of the law are in increasing order. Requires 30 digits. Raises TypeError if a parameter is a symbol.
    """
    law = _law(kernel, columns)
    if isinstance(law, RadialLaw):
        return replace(law, columns=tuple(sorted(law.columns)))
    if law is None:
        return None
    pairs = sorted(zip(law.columns, law.factors, strict=True), key=itemgetter(0))
    return ProductLaw(tuple(column for column, _ in pairs), tuple(factor for _, factor in pairs))


def _law(kernel: Kernel, columns: tuple[int, ...]) -> SpectralLaw | None:
    match kernel:
        case Stationary():
            found = kernel.simplest()
            if not isinstance(found, Stationary):
                return None
            independent = found.has_independent_coordinates
            density = found.comparable_density(1 if independent else len(columns))
            if isinstance(density, Falling) and not independent and len(columns) > 1:
                return RadialLaw(columns, density)
            return None if density is None else ProductLaw(columns, (density,) * len(columns))
        case Select():
            return _law(kernel.base, tuple(columns[i] for i in kernel.positions))
        case Stretch() if not kernel.is_matrix:
            entries = kernel.matrix if isinstance(kernel.matrix, tuple) else (kernel.matrix,) * len(columns)
            return _stretched(_law(kernel.base, columns), dict(zip(columns, entries, strict=True)))
        case Product():
            parts = [_law(factor, columns) for factor in kernel.factors]
            return reduce(_joined, parts[1:], parts[0])
    return None


def _stretched(law: SpectralLaw | None, by_column: Mapping[int, Any]) -> SpectralLaw | None:
    if law is None:
        return None
    entries = [number(by_column[column]) for column in law.columns]
    if 0 in entries:
        return None
    if isinstance(law, RadialLaw):
        same = len(set(entries)) == 1
        return replace(law, profile=law.profile.stretched(entries[0], len(entries))) if same else None
    moved = [
        factor.stretched(entry, 1) if isinstance(factor, Falling) else factor.stretched(entry)
        for factor, entry in zip(law.factors, entries, strict=True)
    ]
    return ProductLaw(law.columns, tuple(moved))


def _joined(left: SpectralLaw | None, right: SpectralLaw | None) -> SpectralLaw | None:
    """The law of a product of kernels on different columns."""
    if not isinstance(left, ProductLaw) or not isinstance(right, ProductLaw) or set(left.columns) & set(right.columns):
        return None
    return ProductLaw((*left.columns, *right.columns), (*left.factors, *right.factors))


_MANY_DIGITS = 700
"""Numbers of a spec have at most 100 digits and lie between 1e-308 and 1e308: agreement to this many means equality."""


_LEFT_OUT = frozenset({"constant", "columns"})


def are_told_apart(kernels: Sequence[Kernel], columns: tuple[int, ...]) -> bool:
    """Whether numbers of the laws that agree to the present digits also agree to many more, hence exactly.

    Which density falls faster far out depends on such numbers, however close they are.
    """

    def numbers() -> list[Any]:
        return [number for kernel in kernels for number in numbers_of_law(law_of_kernel(kernel, columns))]

    rough = numbers()
    order = pairwise(sorted(range(len(rough)), key=rough.__getitem__))
    near = [(i, j) for i, j in order if abs(rough[i] - rough[j]) <= margin() * abs(rough[j])]
    if not near:
        return True
    with mp.workdps(_MANY_DIGITS):
        fine, least = numbers(), mp.mpf(10) ** (20 - _MANY_DIGITS)
        return all(abs(fine[i] - fine[j]) <= least * abs(fine[j]) for i, j in near)


def numbers_of_law(law: Any) -> Iterator[Any]:
    """The parameters that a law depends on, up to constant factors."""
    if is_dataclass(law):
        for part in fields(law):
            yield from () if part.name in _LEFT_OUT else numbers_of_law(getattr(law, part.name))
    elif isinstance(law, tuple):
        yield from (number for entry in law for number in numbers_of_law(entry))
    elif law is not None:
        yield law


def _log(factor: Density, omega: Any, side: int) -> Any:
    if isinstance(factor, Falling):
        return factor.log(omega * omega)
    value = factor.density(omega, side) if isinstance(factor, Fejer) else factor.density(omega)
    return mp.log(value) if value > 0 else -mp.inf


Term = tuple[Any, Falling]

_MOST_PIECES = 1500
_NARROW = 1.03  # the quotient of the ends of pieces on which the sum may be convex

_OCTAVES, _MORE_OCTAVES = 14, 60


_LARGEST_LOGARITHM = 1e8  # beyond this, 30 digits of a logarithm leave fewer than 20 of the number


@dataclass(frozen=True)
class Sign:
    """Whether Σ w_i p_i(u) ≥ 0 for all u ≥ 0; if not, a u where it is negative."""

    answer: Literal["proved", "disproved", "unknown"]
    at: Any = None


def sign_of_sum(terms: Sequence[Term], sign_at: Callable[[float], int | None] = lambda at: None) -> Sign:
    """The sign of Σ w_i p_i; requires 30 digits.

    Everything is divided by the positive term that falls slowest. On a piece [a, b] the logarithms of the others lie
    between their tangents and their chords, because they are convex: this bounds every quotient, and pieces are halved
    until the sum is positive on each, or convex with a positive minimum. Beyond the last piece the quotients are
    monotone. `sign_at` returns the exact sign of the sum at u = 0, or of its quotient by the first term at ∞, if 30
    digits cannot distinguish it from 0; None if unknown.
    """
    positive = [(w, p) for w, p in terms if w > 0]
    negative = [(w, p) for w, p in terms if w < 0]
    if not negative:
        return Sign("proved")
    scales = [scale for _, p in terms for scale in p.scales]
    low, high = min(scales) * mp.mpf(2) ** -_OCTAVES, max(scales) * mp.mpf(2) ** _OCTAVES
    if not positive:
        return Sign("disproved", min(scales))
    leading = min(positive, key=_weight_of_tail)
    sums = _Quotients(leading, [term for term in positive if term is not leading], negative)
    met = sums.smallest(low, high)
    if met is not None:
        return Sign("disproved", met)
    edge = next((u for n in range(_MORE_OCTAVES) if sums.falls_beyond(u := high * mp.mpf(4) ** n)), None)
    if edge is None or not sums.is_positive_beyond(edge, sign_at):
        return Sign("unknown")
    touching = abs(sums.at(mp.mpf(0))) <= margin() * sums.at(mp.mpf(0), abs)
    at_zero = sign_at(0.0) if touching else 1
    if at_zero is None:
        return Sign("unknown")
    if at_zero < 0:
        return Sign("disproved", mp.mpf(0))
    return _on_pieces(sums, low, edge, touching)


def _on_pieces(sums: _Quotients, low: Any, edge: Any, touching: bool) -> Sign:
    """The sign on [0, edge], the pieces above `low` halved until each is decided; minima need more digits."""
    pending, count = [(mp.mpf(0), low)], 0
    while low < edge:
        pending.append((low, min(4 * low, edge)))
        low = 4 * low
    while pending:
        a, b = pending.pop()
        count += 1
        if (touching and a == 0 and sums.rises_from_zero(b)) or sums.is_positive_on(a, b):
            continue
        bottom = sums.bottom(a, b) if mp.mp.dps > DIGITS and a < b < _NARROW * a else None
        if bottom is not None and bottom.answer == "proved":
            continue
        if bottom is not None or count > _MOST_PIECES:
            return bottom or Sign("unknown")
        middle = b / 16 if a == 0 else mp.sqrt(a * b) if b > 2 * a else (a + b) / 2
        pending += [(a, middle), (middle, b)]
    return Sign("proved")


def is_known(logarithm: Any) -> bool:
    """Whether the number has 20 correct digits."""
    return bool(abs(logarithm) < _LARGEST_LOGARITHM)


def _weight_of_tail(term: Term) -> Any:
    """The smaller, the larger the term far out."""
    weight, p = term
    return p.weight_of_tail, -mp.log(weight) - (0 if p.line or p.root or p.bessel else p.log_of_limit())


_STEP, _FINER, _FALLS = 2**0.25, 8, 0.99
"""The factor between u that are tried; into how many parts a valley is cut, at most as often, while its least value
falls by this factor.
"""


class _Tried(NamedTuple):
    """A sum at u, relative to the sizes of its terms, and the mass nearby."""

    u: Any
    relative: Any
    mass: Any


@dataclass(frozen=True)
class _Quotients:
    """w_0 + Σ w_i p_i/p_0 over the other positive and the negative terms."""

    leading: Term
    positive: list[Term]
    negative: list[Term]

    @property
    def others(self) -> list[Term]:
        return [*self.positive, *self.negative]

    def at(self, u: Any, size: Callable[[Any], Any] = lambda w: w) -> Any:
        """The sum at u, with the `size` of every weight."""
        first = self.leading[1].log(u)
        others = self.others if first < mp.inf else ()
        return self.leading[0] + sum(size(w) * mp.exp(p.log(u) - first) for w, p in others)

    def smallest(self, low: Any, high: Any) -> Any:
        """A u with a negative sum, beyond rounding: among those tried, the one with most mass nearby.

        If none is negative, more are tried about the least, whose valley may be narrower than the steps.
        """
        places, u = [mp.mpf(0)], low
        while u < high:
            places.append(u)
            u = u * _STEP
        places += [high * mp.mpf(16) ** n for n in range(1, 40)]
        tried = [own for own in map(self._tried, places) if own is not None]
        if tried and all(own.relative >= 0 for own in tried):
            least = min(tried, key=lambda own: own.relative)
            begin, width = least.u / _STEP, 2 * math.log(_STEP)
            for _ in range(_FINER if least.u else 0):
                steps = [begin * math.exp(width * i / _FINER) for i in range(_FINER + 1)]
                finer = [own for own in map(self._tried, steps) if own is not None]
                tried += finer
                before, least = least, min(finer, key=lambda own: own.relative, default=least)
                if not 0 <= least.relative < _FALLS * before.relative:
                    break
                begin, width = least.u * math.exp(-width / _FINER), 2 * width / _FINER
        negative = [own for own in tried if own.relative < -margin()]
        return min(negative, key=lambda own: own.mass).u if negative else None

    def _tried(self, u: Any) -> _Tried | None:
        """The sum at u; None if a term is not known there."""
        first, logs = self.leading[1].log(u), [p.log(u) for _, p in self.others]
        if not all(map(is_known, (first, *logs))):
            return None
        parts = [w * mp.exp(log - first) for (w, _), log in zip(self.others, logs, strict=True)]
        value = self.leading[0] + sum(parts)
        return _Tried(u, value / (self.leading[0] + sum(map(abs, parts))), value * mp.exp(first) * mp.sqrt(u))

    def falls_beyond(self, start: Any) -> bool:
        first = self.leading[1]
        return all(p.falls_faster(first, start) or p.has_same_power(first) for _, p in self.negative)

    def is_positive_beyond(self, start: Any, sign_at: Callable[[float], int | None]) -> bool:
        w, first = self.leading
        total, at_limit = w, True
        for weight, p in self.negative:
            if not (is_known(p.log(start)) and is_known(first.log(start))):
                return False
            largest = mp.exp(p.log(start) - first.log(start))
            limit = mp.exp(p.log_of_limit() - first.log_of_limit()) if p.has_same_power(first) else mp.mpf(0)
            at_limit = at_limit and limit > largest
            total += weight * max(largest, limit)
        if total > margin() * w:
            return True
        if not at_limit or self.positive or abs(total) > margin() * w:
            return False
        exact = sign_at(math.inf)
        return exact is not None and exact >= 0

    def is_positive_on(self, a: Any, b: Any) -> bool:
        return bool(self._lower(a, b) > margin() * self.leading[0])

    def _lower(self, a: Any, b: Any) -> Any:
        w, first = self.leading
        total = w
        for weight, p in self.positive:
            gap = _affine(p, first, a, b)
            if gap is not None:
                total += weight * mp.exp(-gap)
        for weight, p in self.negative:
            gap = _affine(first, p, a, b)
            if gap is None:
                return -mp.inf
            total += weight * mp.exp(gap)
        return total

    def bottom(self, a: Any, b: Any) -> Sign | None:
        """The sign on [a, b] by that at the minimizer; None unless the sum is provably convex there.

        Its second derivative is Σ w_i r_i ((ℓ_i′ − ℓ_0′)² + ℓ_i″ − ℓ_0″), r_i = p_i/p_0, ℓ = log p. It lies above its
        tangents.
        """
        first = self.leading[1]
        if any(p.bessel for p in (first, *(p for _, p in self.others))):
            return None
        total, size = mp.mpf(0), mp.mpf(0)
        for weight, p in self.others:
            above, below = _affine(first, p, a, b), _affine(p, first, a, b)
            if above is None or below is None:
                return None
            steep = p.slope(a) - first.slope(b), p.slope(b) - first.slope(a)
            squares = [s * s for s in steep] + [mp.mpf(0)] * (steep[0] * steep[1] < 0)
            bends = p.curvature(b) - first.curvature(a), p.curvature(a) - first.curvature(b)
            bounds = min(squares) + bends[0], max(squares) + bends[1]
            ends = [weight * r * bend for r in (mp.exp(-below), mp.exp(above)) for bend in bounds]
            total, size = total + min(ends), size + max(map(abs, ends))
        if not total > margin() * size:
            return None
        low, high = (a, a) if self._slope(a) >= 0 else (b, b) if self._slope(b) <= 0 else (a, b)
        while high - low > 16 * mp.eps * high:
            middle = (low + high) / 2
            low, high = (low, middle) if self._slope(middle) > 0 else (middle, high)
        value, size = self.at(low), margin() * self.at(low, abs)
        if value < -size:
            return Sign("disproved", low)
        lost = 0 if low in (a, b) else abs(self._slope(low)) * (b - a)
        return Sign("proved" if value > lost + size else "unknown")

    def _slope(self, u: Any) -> Any:
        first = self.leading[1]
        return sum(w * mp.exp(p.log(u) - first.log(u)) * (p.slope(u) - first.slope(u)) for w, p in self.others)

    def rises_from_zero(self, b: Any) -> bool:
        """Whether the derivative is positive on [0, b]: Σ w_i r_i (ℓ_i′ − ℓ_0′), with r_i and ℓ′ in their ranges."""
        first = self.leading[1]
        steep = [p for _, p in [self.leading, *self.others] if p.root or p.bessel]
        if any(p.bessel for p in steep) or any(p.root for _, p in [self.leading, *self.positive]):
            return False
        zero = total = mp.mpf(0)
        for weight, p in self.others:
            above, below = _affine(first, p, zero, b), _affine(p, first, zero, b)
            if above is None or below is None:
                return False
            quotients = mp.exp(-below), mp.exp(above)
            slopes = [p.slope(b) - first.slope(zero)]
            if p in steep:  # a negative term that falls like √u: its slope starts at −∞
                if slopes[0] >= 0:
                    return False
            else:
                slopes.append(p.slope(zero) - first.slope(b))
            total += min(weight * r * s for r in quotients for s in slopes)
        return bool(total > 0)


def _affine(under: Falling, over: Falling, a: Any, b: Any) -> Any:
    """A bound on log over − log under on [a, b]: a chord of one minus a tangent of the other; None with a pole."""
    ends = over.log(a), over.log(b)
    middle = (a + b) / 2
    height, slope = under.log(middle), under.slope(middle)
    if not all(map(is_known, (*ends, height))):
        return None
    return max(end - height - slope * (u - middle) for end, u in zip(ends, (a, b), strict=True))
