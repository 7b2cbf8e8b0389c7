"""Densities whose logarithm is convex and falls in the square of the frequency, and the sign of their sums."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

__all__ = ["Bessel", "Falling", "Sign", "is_known", "sign_of_sum"]

_LARGE_ORDER = 4
"""Of a Bessel function: others are found from two of these."""


@dataclass(frozen=True)
class Bessel:
    """The factor (2/Γ(α)) (x/2)^λ K_λ(x), x = c√u, of the density of a rational quadratic kernel."""

    shape: Any
    order: Any
    rate: Any


@dataclass(frozen=True)
class Falling:
    """p(u) = e^c ∏ (1 + βu)^{−α} e^{−γu − δ√u} times a `bessel` factor, u = ω²: a mixture of e^{−τu} over τ.

    So log p is convex and decreasing in u [Bernstein 1928], as are those of all parts. Numbers are mpmath's.
    """

    constant: Any
    powers: tuple[tuple[Any, Any], ...] = ()
    line: Any = 0
    root: Any = 0
    bessel: Bessel | None = None

    def log(self, u: Any) -> Any:
        """log p(u); ∞ at u = 0 where p has a pole."""
        import mpmath as mp

        total = self.constant
        if self.line:
            total -= self.line * u
        if self.root:
            total -= self.root * mp.sqrt(u)
        for alpha, beta in self.powers:
            total -= alpha * mp.log1p(beta * u)
        if self.bessel is None:
            return total
        shape, order, rate = self.bessel.shape, self.bessel.order, self.bessel.rate
        if u == 0:
            return total + mp.loggamma(order) - mp.loggamma(shape) if order > 0 else mp.inf
        x = rate * mp.sqrt(u)
        return total + mp.log(2 * _besselk(order, x)[1]) + order * mp.log(x / 2) - mp.loggamma(shape)

    def slope(self, u: Any) -> Any:
        """d log p/du for u > 0, negative and increasing."""
        import mpmath as mp

        total = -self.line - sum((alpha * beta / (1 + beta * u) for alpha, beta in self.powers), mp.mpf(0))
        if self.root:
            total -= self.root / (2 * mp.sqrt(u))
        if self.bessel is not None:
            x = self.bessel.rate * mp.sqrt(u)
            order = self.bessel.order
            below, whole = _besselk(order, x)
            total -= self.bessel.rate / (2 * mp.sqrt(u)) * below / whole
        return total

    @property
    def scales(self) -> list[Any]:
        """The u at which the parts change."""
        found = [1 / beta for _, beta in self.powers]
        found += [1 / self.line] if self.line else []
        found += [1 / self.root**2] if self.root else []
        return found + ([1 / self.bessel.rate**2] if self.bessel is not None else [])

    @property
    def weight_of_tail(self) -> tuple[Any, Any, Any]:
        """The smaller, the slower p falls: the coefficients of u, of √u and of log u."""
        return self.line, self._root_of_tail, self._power

    def falls_faster(self, other: Falling, start: Any) -> bool:
        """Whether p/other is shown to decrease from `start` on, by bounds on −u d log p/du.

        Of the Bessel factor it is x K_{λ−1}(x)/2K_λ(x), between x/2 − max(0, λ − ½) and x/2 + max(0, ½ − λ)
        [Segura 2011], and increases as those of the other parts do.
        """
        import mpmath as mp

        mine, its = self.bessel, other.bessel
        same = mine is not None and its is not None and mine.order == its.order and mine.rate >= its.rate
        if not (other.line or other.root or its):
            return bool(-start * self.slope(start) >= other._power)
        less = 0 if same or mine is None else max(mp.mpf(0), mine.order - mp.mpf(1) / 2)
        more = 0 if same or its is None else max(mp.mpf(0), mp.mpf(1) / 2 - its.order)
        line, root = self.line - other.line, (self._root_of_tail - other._root_of_tail) / 2
        if line < 0 or (line == 0 and root < 0):
            return False
        if root < 0 and mp.sqrt(start) < -root / line:
            return False
        return bool(line * start + root * mp.sqrt(start) >= less + more + other._power)

    def has_same_power(self, other: Falling) -> bool:
        """Whether both are one power (1 + βu)^{−α} of the same α, whose quotient is monotone in u."""
        bare = not (self.line or self.root or self.bessel or other.line or other.root or other.bessel)
        return bare and len(self.powers) == len(other.powers) == 1 and self.powers[0][0] == other.powers[0][0]

    def log_of_limit(self) -> Any:
        """log lim u^α p(u) where p falls like a power."""
        import mpmath as mp

        return self.constant - sum((alpha * mp.log(beta) for alpha, beta in self.powers), mp.mpf(0))

    def stretched(self, factor: Any, dim: int) -> Falling:
        """The density of k(aΔ), a = `factor`: p(ω/a)/|a|^d."""
        import mpmath as mp

        square = factor**2
        bessel = self.bessel and replace(self.bessel, rate=self.bessel.rate / abs(factor))
        powers = tuple((alpha, beta / square) for alpha, beta in self.powers)
        constant = self.constant - dim * mp.log(abs(factor))
        return Falling(constant, powers, self.line / square, self.root / abs(factor), bessel)

    def on_axis(self, dim: int) -> Falling:
        """∏ p(u_i) with u_1 = u and the others 0: the largest where Σ u_i = u, as log p is convex."""
        return replace(self, constant=self.constant + (dim - 1) * self.log(0))

    def on_diagonal(self, dim: int) -> Falling:
        """∏ p(u_i) with all u_i = u/d: the smallest where Σ u_i = u. For densities without Bessel factor."""
        import mpmath as mp

        powers = tuple((dim * alpha, beta / dim) for alpha, beta in self.powers)
        return Falling(dim * self.constant, powers, self.line, self.root * mp.sqrt(dim))

    @property
    def _root_of_tail(self) -> Any:
        return self.root + (self.bessel.rate if self.bessel is not None else 0)

    @property
    def _power(self) -> Any:
        return sum(alpha for alpha, _ in self.powers)


def _besselk(order: Any, x: Any) -> tuple[Any, Any]:
    """K_{λ−1}(x) and K_λ(x); of a large order from small ones, upwards, where nothing cancels [DLMF 10.29.1]."""
    import mpmath as mp

    steps = max(0, int(order) - _LARGE_ORDER)
    below, whole = mp.besselk(order - steps - 1, x), mp.besselk(order - steps, x)
    for n in range(steps):
        below, whole = whole, below + 2 * (order - steps + n) / x * whole
    return below, whole


Term = tuple[Any, Falling]

_MARGIN = 1e-20
"""What 30 digits may be wrong by, as a share of the largest term."""

_MOST_PIECES = 1500
_OCTAVES, _MORE_OCTAVES = 14, 60


_LARGEST_LOGARITHM = 1e8
"""Beyond, 30 digits of a logarithm leave fewer than 20 of the number."""


@dataclass(frozen=True)
class Sign:
    """Whether Σ w_i p_i(u) ≥ 0 for all u ≥ 0; where it is not, the u of the smallest value that was met."""

    answer: Literal["proved", "disproved", "unknown"]
    at: Any = None


def sign_of_sum(terms: Sequence[Term], sign_at: Callable[[float], int | None] = lambda at: None) -> Sign:
    """The sign of Σ w_i p_i, to be called with 30 digits.

    All is divided by the positive term that falls slowest. On a piece [a, b] the logarithms of the others lie between
    their tangents and their chords, because they are convex: that bounds every quotient, and pieces are halved until
    the sum is positive on each. Beyond the last piece the quotients are monotone. `sign_at` is asked for the exact
    sign of the sum at u = 0, or of its quotient by the first term at ∞, if 30 digits cannot tell it from 0; None is
    not known.
    """
    import mpmath as mp

    positive = [(w, p) for w, p in terms if w > 0]
    negative = [(w, p) for w, p in terms if w < 0]
    if not negative:
        return Sign("proved")
    scales = [scale for _, p in terms for scale in p.scales]
    low, high = min(scales) * mp.mpf(2) ** -_OCTAVES, max(scales) * mp.mpf(2) ** _OCTAVES
    if not positive:
        return Sign("disproved", min(scales))
    leading = min(positive, key=lambda term: term[1].weight_of_tail)
    sums = _Quotients(leading, [term for term in positive if term is not leading], negative)
    met = sums.smallest(low, high)
    if met is not None:
        return Sign("disproved", met)
    edge = _tail_start(sums, high)
    if edge is None:
        return Sign("unknown")
    if not sums.is_positive_beyond(edge, sign_at):
        return Sign("unknown")
    touching = abs(sums.at(mp.mpf(0))) <= _MARGIN * sums.size(mp.mpf(0))
    at_zero = sign_at(0.0) if touching else 1
    if at_zero is None:
        return Sign("unknown")
    if at_zero < 0:
        return Sign("disproved", mp.mpf(0))
    pending, count = [(mp.mpf(0), low)], 0
    while low < edge:
        pending.append((low, min(4 * low, edge)))
        low = 4 * low
    while pending:
        a, b = pending.pop()
        count += 1
        if (touching and a == 0 and sums.rises_from_zero(b)) or sums.is_positive_on(a, b):
            continue
        if count > _MOST_PIECES:
            return Sign("unknown")
        middle = b / 16 if a == 0 else mp.sqrt(a * b) if b > 2 * a else (a + b) / 2
        pending += [(a, middle), (middle, b)]
    return Sign("proved")


def is_known(logarithm: Any) -> bool:
    """Whether the number has 20 of its digits."""
    return bool(abs(logarithm) < _LARGEST_LOGARITHM)


def _tail_start(sums: _Quotients, start: Any) -> Any:
    for _ in range(_MORE_OCTAVES):
        if sums.falls_beyond(start):
            return start
        start = 4 * start
    return None


@dataclass(frozen=True)
class _Quotients:
    """w_0 + Σ w_i p_i/p_0 over the other positive and the negative terms."""

    leading: Term
    positive: list[Term]
    negative: list[Term]

    def at(self, u: Any) -> Any:
        import mpmath as mp

        first = self.leading[1].log(u)
        if first == mp.inf:
            return self.leading[0]
        return self.leading[0] + sum(w * mp.exp(p.log(u) - first) for w, p in [*self.positive, *self.negative])

    def size(self, u: Any) -> Any:
        import mpmath as mp

        first = self.leading[1].log(u)
        if first == mp.inf:
            return self.leading[0]
        return self.leading[0] + sum(abs(w) * mp.exp(p.log(u) - first) for w, p in [*self.positive, *self.negative])

    def smallest(self, low: Any, high: Any) -> Any:
        """A u with a negative sum, beyond rounding: the one where most mass is near, of those that are tried."""
        import mpmath as mp

        best, found, places = mp.mpf(0), None, [mp.mpf(0)]
        u = low
        while u < high:
            places.append(u)
            u = u * mp.sqrt(mp.sqrt(2))
        places += [high * mp.mpf(16) ** n for n in range(1, 40)]
        others = [*self.positive, *self.negative]
        for u in places:
            first, logs = self.leading[1].log(u), [p.log(u) for _, p in others]
            if not all(map(is_known, (first, *logs))):
                continue
            parts = [w * mp.exp(log - first) for (w, _), log in zip(others, logs, strict=True)]
            value = self.leading[0] + sum(parts)
            if value < -_MARGIN * (self.leading[0] + sum(map(abs, parts))):
                mass = value * mp.exp(first) * mp.sqrt(u + low)
                best, found = (mass, u) if found is None or mass < best else (best, found)
        return found

    def falls_beyond(self, start: Any) -> bool:
        first = self.leading[1]
        return all(p.falls_faster(first, start) or p.has_same_power(first) for _, p in self.negative)

    def is_positive_beyond(self, start: Any, sign_at: Callable[[float], int | None]) -> bool:
        import mpmath as mp

        w, first = self.leading
        total, at_limit = w, True
        for weight, p in self.negative:
            if not (is_known(p.log(start)) and is_known(first.log(start))):
                return False
            largest = mp.exp(p.log(start) - first.log(start))
            limit = mp.exp(p.log_of_limit() - first.log_of_limit()) if p.has_same_power(first) else mp.mpf(0)
            at_limit = at_limit and limit > largest
            total += weight * max(largest, limit)
        if total > _MARGIN * w:
            return True
        if not at_limit or self.positive or abs(total) > _MARGIN * w:
            return False
        exact = sign_at(math.inf)
        return exact is not None and exact >= 0

    def is_positive_on(self, a: Any, b: Any) -> bool:
        return bool(self._lower(a, b) > _MARGIN * self.leading[0])

    def _lower(self, a: Any, b: Any) -> Any:
        import mpmath as mp

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

    def rises_from_zero(self, b: Any) -> bool:
        """Whether the derivative is positive on [0, b]: Σ w_i r_i (ℓ_i′ − ℓ_0′), with r_i and ℓ′ in their ranges."""
        import mpmath as mp

        first = self.leading[1]
        steep = [p for _, p in [self.leading, *self.positive, *self.negative] if p.root or p.bessel]
        if any(p.bessel for p in steep) or any(p.root for _, p in [self.leading, *self.positive]):
            return False
        zero = mp.mpf(0)
        total = mp.mpf(0)
        for weight, p in [*self.positive, *self.negative]:
            above, below = _affine(first, p, zero, b), _affine(p, first, zero, b)
            if above is None or below is None:
                return False
            quotients = mp.exp(-below), mp.exp(above)
            slopes = [p.slope(b) - first.slope(zero)]
            if p in steep:  # a negative term that falls like √u: its slope begins at −∞
                if slopes[0] >= 0:
                    return False
            else:
                slopes.append(p.slope(zero) - first.slope(b))
            total += min(weight * r * s for r in quotients for s in slopes)
        return bool(total > 0)


def _affine(under: Falling, over: Falling, a: Any, b: Any) -> Any:
    """A bound on log over − log under on [a, b]: a chord of the one minus a tangent of the other; None with a pole."""
    ends = over.log(a), over.log(b)
    middle = (a + b) / 2
    height, slope = under.log(middle), under.slope(middle)
    if not all(map(is_known, (*ends, height))):
        return None
    return max(end - height - slope * (u - middle) for end, u in zip(ends, (a, b), strict=True))
