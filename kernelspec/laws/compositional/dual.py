"""Features of dual activations: products of random numbers of independent samples."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.activations.activation import Activation
from kernelspec.activations.piecewise import Arcsine, TwoSlopes
from kernelspec.activations.series import central_binomial, first_return_at
from kernelspec.errors import PlanError
from kernelspec.expressions.arguments import Scalar, Value
from kernelspec.expressions.pairs import NumericPairs, Pairs
from kernelspec.kernels.nodes.dual import Dual
from kernelspec.laws.columns_and_lags import Derived
from kernelspec.laws.law import Cut, Moments, indented, lost_by
from kernelspec.laws.rules import OF_SHARES, closed_to, own_law
from kernelspec.laws.sums_and_products import multiply_runs, ones
from kernelspec.loading import sympy
from kernelspec.random.streams import Stream
from kernelspec.samples.samples import Samples, gather, multiply

__all__ = ["LARGEST_SUM", "MOST", "MOST_DRAWS", "MOST_OF_ONE", "ONE_BY_ONE", "DualLaw", "draw_degree_sums", "too_many"]

ONE_BY_ONE = 32
"""Up to this many factors are drawn one by one, even if the distribution of their product is known."""

MOST_OF_ONE = 10_000
MOST = 1_000_000
"""Most factors of one sample, and of all samples that are drawn together."""


def too_many(factors: NDArray[Any]) -> str | None:
    """What exceeds a limit in `factors`, the number of each sample, in words; None if all can be drawn."""
    largest, total = int(factors.max(initial=0)), float(factors.sum(dtype=float))
    if largest > MOST_OF_ONE:
        return f"a sample of {largest:,} factors"
    return f"{total:,.0f} factors" if total > MOST else None


LARGEST_SUM = 2**52
"""Most factors of one node of one feature; beyond that, integers are not exact in double precision."""

MOST_DRAWS = 2**25
"""Most degrees drawn one by one for a batch of features, if nothing better is known."""

_ONE_BY_ONE = 4096  # up to this number of degrees, all are drawn

_TABLE = 1024  # degrees below this are counted, larger ones are drawn one by one; even

_NEGLIGIBLE = 2.0**-52  # mass of the tail hidden by rounding of the other probabilities

_Tail = Callable[[NDArray[np.float64]], tuple[NDArray[np.float64], NDArray[np.float64]]]
"""Maps uniform numbers to proposals for degrees of at least _TABLE, and to acceptance probabilities."""


def draw_degree_sums(activation: Activation, stream: Stream, counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Σ_{i ≤ counts_j} l_i for independent degrees l_i of the activation, one sum per j; exact.

    For many degrees, draws at once how often each one below 1024 occurs, and how many are larger, which are few: for
    relu one in 10⁵. Raises PlanError for sums beyond 2^52, and for more than 2^25 single draws, which all are if the
    distribution of large degrees is unknown.
    """
    sums = np.zeros(len(counts))
    large = counts > _ONE_BY_ONE
    if large.any():
        coefficients = activation.coefficient(np.arange(_TABLE, dtype=float))
        mass = 1.0 - float(coefficients.sum())
        tail = _tail(activation)
        if mass <= _NEGLIGIBLE or tail is not None:
            mass = mass if mass > _NEGLIGIBLE else 0.0
            generator = stream.child(1).generator("counts")
            beyond = generator.binomial(counts[large], mass)
            _check(int(beyond.sum()), activation)
            shares, degrees = coefficients / coefficients.sum(), np.arange(_TABLE)
            sums[large] = [float(generator.multinomial(m, shares) @ degrees) for m in counts[large] - beyond]
            if tail is not None:
                owner = np.repeat(np.flatnonzero(large), beyond)
                np.add.at(sums, owner, _drawn(tail, stream.child(1).generator("tail"), len(owner)))
        else:
            large = np.zeros(len(counts), dtype=bool)
    small = ~large & (counts > 0)
    total = int(counts[small].sum())
    _check(total, activation)
    if total:
        drawn = activation.draw_degrees(stream.child(0), total).astype(np.float64)
        sums[small] = np.add.reduceat(drawn, np.cumsum(counts[small]) - counts[small])
    largest = sums.max(initial=0.0)
    if largest > LARGEST_SUM:
        raise PlanError(f"a feature has {largest:.3g} factors below a node {activation}, but at most 2^52 can be drawn")
    return sums.astype(np.int64)


def _check(total: int, activation: Activation) -> None:
    if total > MOST_DRAWS:
        raise PlanError(
            f"a batch of features has {total:,} nodes {activation} to draw, but at most {MOST_DRAWS:,} can be drawn: "
            "the degrees of the layers above have a heavy tail"
        )


def _drawn(tail: _Tail, generator: np.random.Generator, n: int) -> NDArray[np.float64]:
    """n degrees beyond the table, by rejection."""
    found = np.zeros(0)
    while len(found) < n:
        proposed, kept = tail(1.0 - generator.random(2 * (n - len(found)) + 16))
        found = np.concatenate([found, proposed[generator.random(len(proposed)) < kept]])
    return found[:n]


def _tail(activation: Activation) -> _Tail | None:
    """The distribution of degrees beyond the table, if it follows from that of first returns of a random walk.

    P(K > k) = c_k, and P(K = k) = c_k/(2k − 1): the coefficients of slopes are ∝ c_k/(2k − 1)² at 2k, those of jumps ∝
    c_{k−1}/(2k − 1) ∝ P(K = k) 2k/(2k − 1) at 2k − 1.
    """
    jumps = isinstance(activation, Arcsine) and float(activation.argument()) == 1
    if not jumps and not isinstance(activation, TwoSlopes):
        return None
    first = _TABLE // 2 + jumps
    beyond = float(central_binomial(np.array(first - 1)))  # P(K ≥ first)

    def proposed(u: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        k = first_return_at(u * beyond)
        if jumps:
            return 2 * k - 1, k / (2 * k - 1) * (2 * first - 1) / first
        return 2 * k, (2 * first - 1) / (2 * k - 1)

    return proposed


@dataclass(frozen=True)
class DualLaw(Derived):
    """p = S ∏_{t ≤ l} p_t / m, l ~ a_l m^l / S, S = Σ a_l m^l, for σ̂(k) = Σ a_l k^l and samples p_t of `base`, of k.

    m is the magnitude of the base. E|p|² = S Σ a_l (A/m)^l, infinite if A/m is beyond the radius of convergence. Draws
    all Σ l factors at once, and multiplies them within each sample. Products of very many factors are drawn in one draw
    if the base supports it (frequencies of Gaussian, Cauchy and cosine laws). With `max_degree` of the kernel, p is 0
    for larger l: biased by at most Σ_{l > max_degree} a_l m^l. With `least_degree`, samples are conditional on l being
    at least that. Raises PlanError for more factors than can be drawn. Reference: Daniely, Frostig, Gupta and Singer
    2017, Algorithm 1.
    """

    kernel: Dual
    least_degree: int = 0

    @property
    def mass(self) -> float:
        """m, or the radius of convergence if m differs from it only by rounding."""
        return self.kernel.rounded_mass(self.base.magnitude())

    def validate(self) -> None:
        super().validate()
        if self.base.dim not in (None, self.kernel.base.dim) or self.least_degree not in (0, 1, 2):
            raise ValueError(f"a law on {self.base.dim} columns is below a dual on {self.kernel.base.dim}")

    def draw(self, stream: Stream, n: int, columns: tuple[int, ...]) -> list[Samples]:
        stream = stream.apart()  # samples of the base are multiplied, so they must be independent
        degrees, mass = self._degrees(stream.child(1), n), self.mass
        size = float(self.kernel.activation.dual_absolute(np.array(mass)))
        if size == 0:
            raise PlanError(
                f"the values of the activation {self.kernel.activation} over a kernel of mass {mass:g} are smaller "
                "than any float"
            )
        kept, max_degree = np.ones(n), self.kernel.max_degree
        if max_degree is not None:
            kept = np.where(degrees > max_degree, 0.0, 1.0)
            degrees = np.where(degrees > max_degree, 0, degrees)
        large = np.flatnonzero(degrees > ONE_BY_ONE)
        # draw all factors if the distribution of a product may be unknown
        at_once = self.base.draw_products(stream.child(2), degrees[large], columns) if len(large) else None
        if at_once is None:
            large = large[:0]
        one_by_one = degrees.copy()
        one_by_one[large] = 0
        self._check(one_by_one)
        drawn = self._factors(stream.child(0), one_by_one, columns)
        if at_once is not None:
            powers = replace(at_once, index=large, weight=at_once.weight * mass ** -degrees[large].astype(float))
            rest = ones(np.setdiff1d(np.arange(n), large))
            drawn = multiply(drawn, [powers, rest])
        return [replace(batch, weight=batch.weight * (size * kept[batch.index])) for batch in gather(drawn)]

    def value(self, pairs: Pairs) -> Value:
        return self.kernel.value(pairs)

    def mean(self, pairs: Pairs) -> Value:
        if self.kernel.max_degree is not None:
            return self.kernel.kept_series(self.base.mean(pairs))
        return self.kernel.of_values(self.base.mean(pairs)) if self.base.cuts else self.value(pairs)

    def moments(self, pairs: Pairs) -> Moments:
        if isinstance(pairs, NumericPairs):
            found: Moments = pairs.once("moments", self, lambda: self._moments(pairs))
            return found
        parts, mass = self.base.moments(pairs), self.base.magnitude()
        size = self.magnitude()
        series = self.kernel.of_values if self.kernel.max_degree is None else self.kernel.kept_series
        return Moments(*(size * series(sympy.S(part) / mass) for part in (parts.a, parts.b, parts.real)))

    def _moments(self, pairs: NumericPairs) -> Moments:
        parts, mass, size = self.base.moments(pairs), float(self.base.magnitude()), float(self.magnitude())
        a, b, real = (np.asarray(part, dtype=float) / mass for part in (parts.a, parts.b, parts.real))
        if self.kernel.max_degree is not None:
            return Moments(*(size * self.kernel.kept_series(part) for part in (a, b, real)))
        first = self._beyond(a)
        finite = np.isfinite(first)
        return Moments(size * first, *(np.where(finite, size * self._beyond(part), 0.0) for part in (b, real)))

    def _beyond(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        """σ̂ at any numbers; ∞ where the series diverges."""
        with np.errstate(over="ignore", invalid="ignore"):
            found = self.kernel.activation.dual_at(x)
        return np.where(np.isnan(found), np.inf, found)

    def magnitude(self) -> Scalar:
        return self.kernel.of_size(self.base.magnitude())

    @property
    def cuts(self) -> tuple[Cut, ...]:
        own: tuple[Cut, ...] = ()
        with suppress(TypeError):  # symbolic parameters
            omitted = self.kernel.omitted(self.mass)
            if omitted > 0:
                activation, most = self.kernel.activation, self.kernel.max_degree
                reasons = [] if most is None else [f"is cut at degree {most}"]
                reasons += [] if activation.is_complete else [lost_by(activation)]
                own = (Cut(f"dual({activation}, …) {' and '.join(reasons)}", omitted),)
        return tuple(dict.fromkeys([*own, *self.base.cuts]))

    @property
    def n_terms(self) -> int:
        return 1 if self.base.n_terms == 1 else MOST  # no budget covers a power of a sum

    def work(self, n: int, nonzeros: float) -> float:
        return 0.0

    def lines(self, columns: tuple[int, ...], names: Sequence[str] | None = None) -> list[str]:
        law = f"l ~ the coefficients of {self.kernel.activation}"
        if self.mass != 1:
            law += f" times {self.mass:.3g}^l"
        if self.least_degree:
            law += f", given that l ≥ {self.least_degree}"
        if self.kernel.max_degree is not None:
            law += f", cut at l = {self.kernel.max_degree} (biased)"
        else:
            mean = self._mean_degree()
            law += f", E l is {'infinite' if np.isinf(mean) else f'{mean:.3g}'}"
        return [f"product of l independent draws, {law}:", *indented(self.base.lines(columns, names))]

    def _mean_degree(self) -> float:
        """E l, conditional on l ≥ `least_degree`."""
        less, activation = np.arange(self.least_degree, dtype=float), self.kernel.activation
        shares = activation.law(less, self.mass)
        return float((activation.mean_degree(self.mass) - less @ shares) / (1 - shares.sum()))

    def _degrees(self, stream: Stream, n: int) -> NDArray[np.int64]:
        """The first n degrees of a sequence that are not too small."""
        most = n
        while True:
            drawn = self.kernel.activation.draw_degrees(stream, most, self.mass)
            kept = drawn[drawn >= self.least_degree]
            if len(kept) >= n:
                return np.asarray(kept[:n])
            most = 2 * most + 64

    def _factors(self, stream: Stream, degrees: NDArray[np.int64], columns: tuple[int, ...]) -> list[Samples]:
        n, total, mass = len(degrees), int(degrees.sum()), self.mass
        if not total:
            return [ones(np.arange(n))]
        owner = np.repeat(np.arange(n), degrees)
        factors = self.base.draw(stream, total, columns)
        if mass != 1:
            factors = [replace(batch, weight=batch.weight / mass) for batch in factors]
        return multiply_runs(factors, owner, n)

    def _check(self, degrees: NDArray[np.int64]) -> None:
        met = too_many(degrees)
        if met is not None:
            raise PlanError(
                f"the samples of the activation {self.kernel.activation} need {met}, more than can be drawn one by "
                f"one ({MOST_OF_ONE:,} in a sample, {MOST:,} in all): their number has a heavy-tailed distribution. "
                "Use fewer features, or cut it with max_degree=…, which biases the estimate by at most the sum of the "
                "coefficients left out"
            )


own_law.register(Dual, lambda kernel, below: DualLaw(below(kernel.base), kernel))


@closed_to.register
def _(kernel: Dual) -> frozenset[str]:
    """Samples of "exact", "rows" and "shifts" are sums of terms, whose powers cannot be drawn."""
    del kernel
    return OF_SHARES | {"exact", "rows", "shifts"}
