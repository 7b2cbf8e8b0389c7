"""Sums of very many independent degrees of one activation, without drawing them one by one."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kernelspec.activations.arcsine import Arcsine
from kernelspec.activations.central_binomial import central_binomial, first_return_at
from kernelspec.activations.two_slopes import TwoSlopes
from kernelspec.errors import PlanError

if TYPE_CHECKING:
    from kernelspec.activations.activation import Activation
    from kernelspec.random.streams import Stream

__all__ = ["LARGEST_SUM", "MOST_DRAWS", "draw_degree_sums"]

LARGEST_SUM = 2**52
"""Of one node of one feature: beyond that whole numbers are not exact in double precision."""

MOST_DRAWS = 2**25
"""Degrees drawn one by one for a batch of features, where nothing better is known."""

_ONE_BY_ONE = 4096
"""Up to this number of degrees all are drawn."""

_TABLE = 1024
"""Degrees below are counted, those from here on are drawn one by one; even."""

_NEGLIGIBLE = 2.0**-52
"""Mass of the tail that rounding of the other probabilities hides."""

_Tail = Callable[[NDArray[np.float64]], tuple[NDArray[np.float64], NDArray[np.float64]]]
"""From uniform numbers proposals for degrees of at least _TABLE, and the probability to keep each."""


def draw_degree_sums(activation: Activation, stream: Stream, counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Σ_{i ≤ counts_j} l_i for independent degrees l_i of the activation, one sum for each j; exact.

    Of many degrees it is drawn how often each one below 1024 is met, all at once, and how many are larger, of which
    there are few: for relu one in 10⁵. Raises PlanError for sums beyond 2^52, and for more than 2^25 draws one by one,
    which all are where the law of the larger ones is not known.
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
            sums[large] = _counted(coefficients, generator, counts[large] - beyond)
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
        raise PlanError(f"a feature has {largest:.3g} factors below a node {activation}, and at most 2^52 are drawn")
    return sums.astype(np.int64)


def _check(total: int, activation: Activation) -> None:
    if total > MOST_DRAWS:
        raise PlanError(
            f"a batch of features has {total:,} nodes {activation} to draw, and at most {MOST_DRAWS:,} are drawn: the "
            "degrees of the layers above have a heavy tail"
        )


def _counted(
    coefficients: NDArray[np.float64], generator: np.random.Generator, counts: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Sums of degrees in the table, from how often each one is met."""
    shares, degrees = coefficients / coefficients.sum(), np.arange(len(coefficients))
    return np.array([float(generator.multinomial(m, shares) @ degrees) for m in counts])


def _drawn(tail: _Tail, generator: np.random.Generator, n: int) -> NDArray[np.float64]:
    """n degrees beyond the table, by rejection."""
    found = np.zeros(0)
    while len(found) < n:
        proposed, kept = tail(1.0 - generator.random(2 * (n - len(found)) + 16))
        found = np.concatenate([found, proposed[generator.random(len(proposed)) < kept]])
    return found[:n]


def _tail(activation: Activation) -> _Tail | None:
    """The law of the degrees beyond the table, where it comes from that of first returns of a random walk.

    P(K > k) = c_k, and P(K = k) = c_k/(2k − 1): the coefficients of slopes are ∝ c_k/(2k − 1)² at 2k, those of jumps
    ∝ c_{k−1}/(2k − 1) ∝ P(K = k) 2k/(2k − 1) at 2k − 1.
    """
    if isinstance(activation, TwoSlopes):
        first = _TABLE // 2
        return lambda u: _slopes(first_return_at(u * _beyond(first)), first)
    if isinstance(activation, Arcsine) and float(activation.argument()) == 1:
        first = _TABLE // 2 + 1
        return lambda u: _jumps(first_return_at(u * _beyond(first)), first)
    return None


def _beyond(first: int) -> float:
    """P(K ≥ first)."""
    return float(central_binomial(np.array(first - 1)))


def _slopes(k: NDArray[np.float64], first: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    return 2 * k, (2 * first - 1) / (2 * k - 1)


def _jumps(k: NDArray[np.float64], first: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    return 2 * k - 1, k / (2 * k - 1) * (2 * first - 1) / first
