"""Densities whose logarithm is a convex, decreasing function of the square of the frequency."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

__all__ = ["Bessel", "Falling"]

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
