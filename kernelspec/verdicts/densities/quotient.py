"""The largest quotient of two densities of one coordinate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kernelspec.verdicts.densities.falling import Falling
from kernelspec.verdicts.densities.laws import Band, Factor, Fejer
from kernelspec.verdicts.densities.sign import sign_of_sum

__all__ = ["Largest", "largest_quotient"]

_SLACK = 1e-18
_OCTAVES = 40


@dataclass(frozen=True)
class Largest:
    """log sup p/q, and a frequency near which it is attained; `is_exact` where that is 0 or the quotient constant."""

    log: Any
    at: Any
    is_exact: bool = False


def largest_quotient(over: Factor, under: Factor) -> Largest | None:
    """A proved bound on log p/q, p = `over` and q = `under`, attained but for 1e-18; None where none is found.

    Infinite, with a frequency where q is 0 or far smaller, where p/q has no bound. To be called with 30 digits.
    """
    import mpmath as mp

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


def _of_falling(over: Factor, under: Factor) -> Largest | None:
    import mpmath as mp

    assert isinstance(over, Falling)
    assert isinstance(under, Falling)
    if over.weight_of_tail < under.weight_of_tail:
        return Largest(mp.inf, mp.sqrt(max(over.scales + under.scales)) * mp.mpf(2) ** _OCTAVES)

    def gap(u: Any) -> Any:
        return over.log(u) - under.log(u)

    start = over.log(0)
    if start == mp.inf:
        return Largest(mp.inf, mp.sqrt(min(over.scales + under.scales)) * mp.mpf(2) ** -_OCTAVES)
    scales = over.scales + under.scales
    places = [min(scales) * mp.mpf(2) ** (mp.mpf(n) / 2 - 30) for n in range(int(2 * (60 + _ratio(scales))))]
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


def _ratio(scales: list[Any]) -> int:
    import mpmath as mp

    return int(mp.log(max(scales) / min(scales), 2)) + 1


def _golden(height: Any, low: Any, high: Any) -> Any:
    """Where a function with one maximum between two points has it."""
    import mpmath as mp

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
