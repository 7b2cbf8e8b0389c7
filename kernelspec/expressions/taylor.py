"""Taylor coefficients of a formula at 0, exact if they are rational, and enclosed on an interval."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial, reduce
from typing import Any, TypeAlias

from kernelspec.expressions.formula import (
    Constant,
    Formula,
    Operation,
    Operations,
    Term,
    depends_on_variable,
    evaluate,
    exact_root,
    fold,
    operation,
)
from kernelspec.expressions.interval import PI, Interval

__all__ = ["NotAnalytic", "Number", "Taylor", "as_interval", "taylor"]

Number: TypeAlias = Fraction | Interval
Series: TypeAlias = tuple[Number, ...]

_ONE, _ZERO = Fraction(1), Fraction(0)


class NotAnalytic(Exception):
    """No rule shows that the formula has a Taylor series on the interval."""


@dataclass(frozen=True, slots=True)
class Taylor:
    """f⁽ᵏ⁾(0)/k! in `start`, and intervals that contain f⁽ᵏ⁾(t)/k! for all t in [0, h] in `around`.

    `is_mended`: f contains a quotient of two functions that vanish at 0, replaced by its limit.
    """

    start: Series
    around: Series
    is_mended: bool = False


def taylor(formula: Formula, high: float, order: int) -> Taylor:
    """The coefficients 0 to `order` on [0, high]; fewer if zeros at 0 were divided by each other.

    g/tᵐ has the coefficients of g, shifted by m, if g vanishes to order m: (g/t)⁽ᵏ⁾(t)/k! is an average of
    g⁽ᵏ⁺¹⁾/(k+1)! over [0, t]. Raises NotAnalytic. Reference: Moore, Kearfott and Cloud 2009, chapter 9.
    """
    line: Series = (Interval(0.0, high), _ONE, *[_ZERO] * (order - 1))
    return evaluate(
        _with_gathered_poles(formula), Taylor((_ZERO, _ONE, *[_ZERO] * (order - 1)), line), _Taylors(order + 1)
    )


_MOST_POLES = 4
"""Most terms of a sum that are brought to one denominator."""


@lru_cache(maxsize=256)
def _with_gathered_poles(formula: Formula) -> Formula:
    """The same function, with nested and added quotients combined into one.

    A pole then meets the zero that cancels it: 3/t²·(sin(t)/t − cos(t)) becomes 3(sin(t) − t cos(t))/t³.
    """
    above, below = _gathered(formula.body)
    return Formula(above if below is None else operation("quotient", (above, below)), formula.variable)


def _gathered(term: Term) -> tuple[Term, Term | None]:
    """Numerator and denominator; None for a denominator without the variable."""
    if not isinstance(term, Operation):
        return term, None
    match term.name:
        case "quotient" if depends_on_variable(term.operands[1]):
            (top, under), (bottom, over) = map(_gathered, term.operands)
            return _times_all(top, over), _times_all(bottom, under)
        case "negation" | "quotient":
            top, under = _gathered(term.operands[0])
            return operation(term.name, (top, *term.operands[1:])), under
        case "product":
            parts = [_gathered(part) for part in term.operands]
            below = [under for _, under in parts if under is not None]
            return _times_all(*(top for top, _ in parts)), _times_all(*below) if below else None
        case "power":
            base, exponent = term.operands
            p = exponent.value if isinstance(exponent, Constant) else None
            if isinstance(p, Fraction) and p < 0 and p.denominator == 1 and depends_on_variable(base):
                raised = operation("power", (base, Constant(-p))) if p != -1 else base
                top, under = _gathered(raised)
                return Constant(_ONE) if under is None else under, top
        case "sum":
            parts = [_gathered(part) for part in term.operands]
            below = list(dict.fromkeys(under for _, under in parts if under is not None))
            if len(below) <= _MOST_POLES:
                tops = [_times_all(top, *(b for b in below if b != under)) for top, under in parts]
                return operation("sum", tuple(tops)), _times_all(*below) if below else None
    return Operation(term.name, tuple(_with_gathered_poles(Formula(part)).body for part in term.operands)), None


def _times_all(*factors: Term | None) -> Term:
    known = tuple(factor for factor in factors if factor is not None)
    return known[0] if len(known) == 1 else operation("product", known)


def as_interval(x: Number) -> Interval:
    """The number as an interval."""
    return x if isinstance(x, Interval) else Interval.of(x)


class _Taylors(Operations[Taylor]):
    """Power series arithmetic for both kinds of coefficients."""

    def __init__(self, length: int) -> None:
        self._length = length

    def constant(self, value: Any) -> Taylor:
        if not isinstance(value, Fraction):
            raise NotAnalytic
        return self._constant(value)

    def pi(self) -> Taylor:
        return self._constant(PI)

    def sum(self, terms: Sequence[Taylor]) -> Taylor:
        return _both(lambda *parts: tuple(_total(column) for column in zip(*parts, strict=False)), *terms)

    def negation(self, operand: Taylor) -> Taylor:
        return _both(lambda a: tuple(-x for x in a), operand)

    def product(self, factors: Sequence[Taylor]) -> Taylor:
        return reduce(partial(_both, _product), factors)

    def quotient(self, numerator: Taylor, denominator: Taylor) -> Taylor:
        zeros = _zeros(denominator.start)
        if zeros > _zeros(numerator.start) or zeros == len(denominator.start):
            raise NotAnalytic
        top, bottom = (Taylor(x.start[zeros:], x.around[zeros:], x.is_mended) for x in (numerator, denominator))
        found = _both(_quotient, top, bottom)
        return Taylor(found.start, found.around, found.is_mended or zeros > 0)

    def constant_power(self, base: Taylor, exponent: Taylor) -> Taylor:
        p = exponent.start[0]
        if isinstance(p, Fraction) and p.denominator == 1 and 0 <= p <= 64:
            factors: list[Taylor] = []
            for bit in reversed(f"{int(p):b}"):
                factors += [base] * (bit == "1")
                base = _both(_product, base, base) if p > 1 else base
            return self.product(factors) if p else self._constant(_ONE)
        return _both(lambda a: _power(a, p), base)

    def function(self, name: str, arguments: Sequence[Taylor]) -> Taylor:
        x = arguments[0]
        if name in _SERIES:
            return _both(_SERIES[name], x)
        match name:
            case "asin" | "acos" | "erf" | "gamma" | "besselj" | "besselk":
                raise NotAnalytic
            case "abs":
                return self.function("max", [x, self.negation(x)])
            case "max":
                return _ahead(x, arguments[1])
            case "min":
                return self.negation(_ahead(self.negation(x), self.negation(arguments[1])))
        raise TypeError(f"unknown function {name!r}")

    def _constant(self, value: Number) -> Taylor:
        series = (value, *[_ZERO] * (self._length - 1))
        return Taylor(series, series)


def _both(rule: Callable[..., Series], *arguments: Taylor) -> Taylor:
    start, around = rule(*(x.start for x in arguments)), rule(*(x.around for x in arguments))
    return Taylor(start, around, any(x.is_mended for x in arguments))


def _zeros(series: Series) -> int:
    """The number of leading coefficients that are exactly 0."""
    for i, x in enumerate(series):
        if x != _ZERO or isinstance(x, Interval):
            return i
    return len(series)


def _plus(a: Number, b: Number) -> Number:
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return a + b
    return b if a == _ZERO else a if b == _ZERO else as_interval(a) + as_interval(b)


def _times(a: Number, b: Number) -> Number:
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return a * b
    return _ZERO if _ZERO in (a, b) else as_interval(a) * as_interval(b)


def _inverse(a: Number) -> Number:
    if isinstance(a, Fraction):
        if a == 0:
            raise NotAnalytic
        return 1 / a
    if a.low <= 0 <= a.high:
        raise NotAnalytic
    return a.reciprocal() if a.low > 0 else -(-a).reciprocal()


def _total(terms: Sequence[Number]) -> Number:
    return reduce(_plus, terms) if terms else _ZERO


def _product(a: Series, b: Series) -> Series:
    return tuple(_total([_times(a[j], b[k - j]) for j in range(k + 1)]) for k in range(min(len(a), len(b))))


def _quotient(a: Series, b: Series) -> Series:
    inverse = _inverse(b[0])
    found: list[Number] = []
    for k in range(min(len(a), len(b))):
        rest = _total([_times(b[j], found[k - j]) for j in range(1, k + 1)])
        found.append(_times(_plus(a[k], -rest), inverse))
    return tuple(found)


def _power(a: Series, p: Number) -> Series:
    """r = aᵖ from a r′ = p a′ r."""
    first, inverse = _start_of_power(a[0], p), _inverse(a[0])
    found = [first]
    for k in range(1, len(a)):
        parts = [
            _times(_plus(_times(p, Fraction(j)), Fraction(j - k)), _times(a[j], found[k - j])) for j in range(1, k + 1)
        ]
        found.append(_times(_times(_total(parts), inverse), Fraction(1, k)))
    return tuple(found)


def _start_of_power(base: Number, p: Number) -> Number:
    if isinstance(base, Fraction) and isinstance(p, Fraction):
        exact = exact_root(base) if p == Fraction(1, 2) else _ONE if base == 1 else fold("power", [base, p])
        if exact is not None:
            return exact
    if not as_interval(base).is_positive:
        raise NotAnalytic
    return as_interval(base).power(as_interval(p))


def _exp(a: Series) -> Series:
    found: list[Number] = [_ONE if a[0] == _ZERO else as_interval(a[0]).exp()]
    for k in range(1, len(a)):
        parts = [_times(Fraction(j, k), _times(a[j], found[k - j])) for j in range(1, k + 1)]
        found.append(_total(parts))
    return tuple(found)


def _log(a: Series) -> Series:
    if not as_interval(a[0]).is_positive:
        raise NotAnalytic
    found: list[Number] = [_ZERO if a[0] == _ONE else as_interval(a[0]).log()]
    inverse = _inverse(a[0])
    for k in range(1, len(a)):
        rest = _total([_times(Fraction(j, k), _times(found[j], a[k - j])) for j in range(1, k)])
        found.append(_times(_plus(a[k], -rest), inverse))
    return tuple(found)


def _waves(a: Series) -> tuple[Series, Series]:
    """sin and cos."""
    still = a[0] == _ZERO
    sine: list[Number] = [_ZERO if still else as_interval(a[0]).sin()]
    cosine: list[Number] = [_ONE if still else as_interval(a[0]).cos()]
    for k in range(1, len(a)):
        steps = [_times(Fraction(j, k), a[j]) for j in range(1, k + 1)]
        up = _total([_times(step, cosine[k - j]) for j, step in enumerate(steps, 1)])
        down = _total([_times(step, sine[k - j]) for j, step in enumerate(steps, 1)])
        sine.append(up)
        cosine.append(-down)
    return tuple(sine), tuple(cosine)


def _hyperbolic(a: Series, sign: int) -> Series:
    """(e^a ± e^{−a})/2."""
    rising, falling = _exp(a), _exp(tuple(-x for x in a))
    return tuple(
        _times(Fraction(1, 2), _plus(p, _times(Fraction(sign), q))) for p, q in zip(rising, falling, strict=True)
    )


def _tanh(a: Series) -> Series:
    """1 − 2/(e^{2a} + 1)."""
    rising = _exp(tuple(_times(Fraction(2), x) for x in a))
    bottom = (_plus(rising[0], _ONE), *rising[1:])
    top = (Fraction(2), *[_ZERO] * (len(a) - 1))
    fall = _quotient(top, bottom)
    return (_plus(_ONE, -fall[0]), *[-x for x in fall[1:]])


_SERIES: Mapping[str, Callable[[Series], Series]] = {
    "exp": _exp,
    "log": _log,
    "sqrt": lambda a: _power(a, Fraction(1, 2)),
    "sin": lambda a: _waves(a)[0],
    "cos": lambda a: _waves(a)[1],
    "tan": lambda a: _quotient(*_waves(a)),
    "sinh": lambda a: _hyperbolic(a, -1),
    "cosh": lambda a: _hyperbolic(a, 1),
    "tanh": _tanh,
}


def _ahead(a: Taylor, b: Taylor) -> Taylor:
    """The one that is larger on the whole interval."""
    left, right = as_interval(a.around[0]), as_interval(b.around[0])
    if left.low > right.high:
        return a
    if right.low > left.high:
        return b
    raise NotAnalytic
