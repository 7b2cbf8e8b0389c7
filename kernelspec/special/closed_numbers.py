"""Real numbers in a normal form: sums of rationals times radicals, powers of π and e, and other constants."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import isqrt, prod
from typing import Any, TypeAlias

from kernelspec.limits import spend
from kernelspec.loading import mpmath, sympy

__all__ = ["ClosedNumber", "NotDecided", "SignNotKnown", "exponential", "without_sums_below"]

Monomial: TypeAlias = frozenset[tuple[Any, Fraction]]
"""∏ bᵉ as pairs (b, e): b an integer with 0 < e < 1, or a SymPy constant such as π."""

_ONE: Monomial = frozenset()

_DIGITS = (40, 120, 400)  # digits for each attempt at a sign

_GUARD = 40  # guard bits for rounding in powers and their sum

_LARGEST_EXPONENT = 1000  # the largest power of e for which the guard bits are safe

_SMALLEST_PRIMES = tuple(n for n in range(2, 1000) if all(n % p for p in range(2, isqrt(n) + 1)))
_MOST_TERMS = 64
_MOST_BITS = 20_000
_LARGEST_POWER = 64
_OPERATIONS = 10_000  # operations counted for a number of a SymPy tree, or for one power in many digits


class NotDecided(Exception):
    """The number has no normal form of acceptable size, or its sign is unknown."""


class SignNotKnown(NotDecided):
    """All attempted precisions fail to separate the number from 0; the message gives an interval that contains it."""


@dataclass(frozen=True, eq=False, slots=True)
class ClosedNumber:
    """Σ q ∏ bᵉ; equal normal forms are equal numbers, and the normal form of 0 is 0.

    The converse holds for radicals of primes, which are linearly independent over the rationals [Besicovitch 1940]. No
    answer relies on it: a nonzero sign always comes from an interval that excludes 0.
    """

    terms: Mapping[Monomial, Fraction]

    @classmethod
    def of(cls, value: Any) -> ClosedNumber:
        """An int, a float (exactly), a Fraction or a real SymPy number. Raises NotDecided, TypeError for a symbol."""
        if isinstance(value, ClosedNumber):
            return value
        if isinstance(value, int | float | Fraction):
            return _rational(Fraction(value))
        return _of_expression(value)

    def __add__(self, other: _Operand) -> ClosedNumber:
        found = dict(self.terms)
        for monomial, weight in ClosedNumber.of(other).terms.items():
            found[monomial] = found.get(monomial, Fraction(0)) + weight
        return _checked(found)

    def __mul__(self, other: _Operand) -> ClosedNumber:
        found: dict[Monomial, Fraction] = {}
        for left, v in self.terms.items():
            for right, w in ClosedNumber.of(other).terms.items():
                monomial, factor = _product(left, right)
                found[monomial] = found.get(monomial, Fraction(0)) + v * w * factor
        return _checked(found)

    def __neg__(self) -> ClosedNumber:
        return ClosedNumber({monomial: -weight for monomial, weight in self.terms.items()})

    def __sub__(self, other: _Operand) -> ClosedNumber:
        return self + -ClosedNumber.of(other)

    def __truediv__(self, other: _Operand) -> ClosedNumber:
        return self * ClosedNumber.of(other).inverse()

    def __rsub__(self, other: _Operand) -> ClosedNumber:
        return -self + other

    def __rtruediv__(self, other: _Operand) -> ClosedNumber:
        return self.inverse() * other

    __radd__, __rmul__ = __add__, __mul__

    def __pow__(self, exponent: int) -> ClosedNumber:
        if exponent < 0:
            return self.inverse() ** -exponent
        return prod([self] * exponent, start=_rational(Fraction(1)))

    def __abs__(self) -> ClosedNumber:
        return -self if self.sign() < 0 else self

    def __eq__(self, other: object) -> bool:
        if isinstance(other, int | float | Fraction):
            other = _rational(Fraction(other))
        return isinstance(other, ClosedNumber) and self.terms == other.terms

    def __hash__(self) -> int:
        rational = self.rational()
        return hash(frozenset(self.terms.items()) if rational is None else rational)

    def rational(self) -> Fraction | None:
        """The number as a fraction; None if its normal form has other terms."""
        if not self.terms:
            return Fraction(0)
        return self.terms.get(_ONE) if len(self.terms) == 1 else None

    def inverse(self) -> ClosedNumber:
        """1/x, for one term or square roots of integers. Raises NotDecided, ZeroDivisionError."""
        if not self.terms:
            raise ZeroDivisionError("1/0")
        above, below = _rational(Fraction(1)), self
        while len(below.terms) > 1:
            bases = [(b, e) for monomial in below.terms for b, e in monomial]
            root = next((b for b, e in bases if isinstance(b, int) and e == Fraction(1, 2)), None)
            if root is None or any(not isinstance(b, int) or e != Fraction(1, 2) for b, e in bases):
                raise NotDecided("the inverse of a sum of terms other than square roots")
            turned = (root, Fraction(1, 2))
            conjugate = ClosedNumber({m: -w if turned in m else w for m, w in below.terms.items()})
            above, below = above * conjugate, below * conjugate
        ((monomial, weight),) = below.terms.items()
        inverse, factor = _power(monomial, Fraction(-1))
        return above * ClosedNumber({inverse: factor / weight})

    def root(self, exponent: Fraction) -> ClosedNumber:
        """xᵉ for a positive number of one term. Raises NotDecided."""
        if len(self.terms) != 1 or self.sign() <= 0:
            raise NotDecided("a root of a sum, or of a number not known to be positive")
        ((monomial, weight),) = self.terms.items()
        found, factor = _power(monomial, exponent)
        return ClosedNumber({found: factor}) * _radical(weight, exponent)

    def sign(self) -> int:
        """−1, 0 or 1. Raises NotDecided if an interval with 400 digits contains 0 and no rule shows that it is 0."""
        if not self.terms:
            return 0
        rational = self.rational()
        if rational is not None:
            return 1 if rational > 0 else -1
        for digits in _DIGITS:
            value, error = self.enclosed(digits)
            if abs(value) > error:
                return 1 if value > 0 else -1
        if not without_sums_below([self])[0].terms:
            return 0
        ends = (mpmath.nstr(end, 3) for end in (value - error, value + error))
        raise SignNotKnown(f"{digits} digits do not separate the number from 0: it lies in [{', '.join(ends)}]")

    def expression(self) -> Any:
        """The number in SymPy."""
        parts = []
        for monomial, weight in self.terms.items():
            powers = [sympy.Integer(b) if isinstance(b, int) else b for b, _ in monomial]
            exponents = [sympy.Rational(e.numerator, e.denominator) for _, e in monomial]
            size = sympy.Mul(*(b**e for b, e in zip(powers, exponents, strict=True)))
            parts.append(sympy.Rational(weight.numerator, weight.denominator) * size)
        return sympy.Add(*parts)

    def enclosed(self, digits: int) -> tuple[Any, Any]:
        """The value to that many digits of its largest term, and a bound on its error, as mpmath numbers."""
        spend(_OPERATIONS * (digits / 40) * len(self.terms))
        with mpmath.workprec(int(digits * 3.33) + _GUARD):
            parts = [
                mpmath.mpf(w.numerator) / w.denominator * prod(_number_power(b, e, digits) for b, e in monomial)
                for monomial, w in self.terms.items()
            ]
            return mpmath.fsum(parts), mpmath.fsum(map(abs, parts)) * mpmath.mpf(10) ** -digits


def without_sums_below(numbers: Sequence[ClosedNumber]) -> list[ClosedNumber]:
    """The numbers times one positive number, so that no sum such as 3 + π² is left in a denominator.

    Raises NotDecided if the sign of such a sum is unknown.
    """
    found = list(numbers)
    powers: dict[Any, int] = {}
    for base, exponent in (pair for number in found for monomial in number.terms for pair in monomial):
        if isinstance(base, sympy.Add) and exponent < 0 and exponent.denominator == 1:
            powers[base] = max(powers.get(base, 0), -int(exponent))
    for base, power in powers.items():
        size = ClosedNumber.of(base)
        sign = size.sign() ** power
        for n, number in enumerate(found):
            found[n] = ClosedNumber.of(0)
            for monomial, weight in number.terms.items():
                own = int(dict(monomial).get(base, Fraction(0)))
                rest = ClosedNumber({frozenset(pair for pair in monomial if pair[0] != base): sign * weight})
                found[n] = found[n] + rest * size ** (power + own)
    return found


_Operand: TypeAlias = ClosedNumber | int | Fraction


def _rational(value: Fraction) -> ClosedNumber:
    return ClosedNumber({_ONE: value} if value else {})


def _checked(terms: dict[Monomial, Fraction]) -> ClosedNumber:
    found = {monomial: weight for monomial, weight in terms.items() if weight}
    if len(found) > _MOST_TERMS:
        raise NotDecided(f"a number of more than {_MOST_TERMS} terms")
    if any(w.numerator.bit_length() + w.denominator.bit_length() > _MOST_BITS for w in found.values()):
        raise NotDecided(f"a fraction of more than {_MOST_BITS} bits")
    return ClosedNumber(found)


def _product(left: Monomial, right: Monomial) -> tuple[Monomial, Fraction]:
    if not left or not right:
        return left or right, Fraction(1)
    return _reduced((*left, *right))


def _power(monomial: Monomial, exponent: Fraction) -> tuple[Monomial, Fraction]:
    for base, own in monomial:
        if exponent.denominator > 1 and not isinstance(base, int) and not _is_power_of_e_or_pi(base) and own:
            raise NotDecided("a root of a constant whose sign is not known")
    return _reduced([(base, own * exponent) for base, own in monomial])


def _reduced(powers: Iterable[tuple[Any, Fraction]]) -> tuple[Monomial, Fraction]:
    """The monomial, and the integer powers of integers split off as a fraction."""
    exponents: dict[Any, Fraction] = {}
    for base, exponent in powers:
        exponents[base] = exponents.get(base, Fraction(0)) + exponent
    factor = Fraction(1)
    for base, exponent in exponents.items():
        if isinstance(base, int):
            whole = exponent.numerator // exponent.denominator
            if abs(whole) > _MOST_BITS:
                raise NotDecided("a power that is too large")
            factor *= Fraction(base) ** whole
            exponents[base] = exponent - whole
    return frozenset((base, exponent) for base, exponent in exponents.items() if exponent), factor


def _radical(value: Fraction, exponent: Fraction) -> ClosedNumber:
    """valueᵉ for a positive fraction."""
    bits = value.numerator.bit_length() + value.denominator.bit_length()
    if bits * max(Fraction(1), abs(exponent)) > _MOST_BITS or exponent.denominator > _LARGEST_POWER:
        raise NotDecided("a power that is too large")
    powers = [(p, n * exponent) for p, n in _factors(value.numerator, exponent.denominator)]
    powers += [(p, -n * exponent) for p, n in _factors(value.denominator, exponent.denominator)]
    monomial, factor = _reduced(powers)
    return ClosedNumber({monomial: factor})


def _factors(number: int, root: int) -> list[tuple[int, int]]:
    """Small primes with their powers, and the remaining factor, as a perfect power if it is one."""
    from sympy import integer_nthroot

    found = []
    for prime in _SMALLEST_PRIMES:
        count = 0
        while number % prime == 0:
            number, count = number // prime, count + 1
        if count:
            found.append((prime, count))
    if number > 1:
        base, is_exact = integer_nthroot(number, root)
        found.append((int(base), root) if is_exact else (number, 1))
    return found


def _is_power_of_e_or_pi(base: Any) -> bool:
    return base is sympy.pi or isinstance(base, sympy.exp)


def _of_expression(value: Any) -> ClosedNumber:
    expression = sympy.S(value)
    if not expression.is_number:
        raise TypeError(f"{value} is not a number")
    spend(_OPERATIONS)
    match expression:
        case sympy.Rational():
            return _rational(Fraction(int(expression.p), int(expression.q)))
        case sympy.Float():
            exact = sympy.Rational(expression)
            return _rational(Fraction(int(exact.p), int(exact.q)))
        case sympy.Add():
            return sum(map(_of_expression, expression.args), _rational(Fraction(0)))
        case sympy.Mul():
            return prod(map(_of_expression, expression.args), start=_rational(Fraction(1)))
        case sympy.exp():
            return exponential(_of_expression(expression.exp))
        case sympy.Pow() if isinstance(expression.exp, sympy.Rational):
            return _of_power(expression)
    if expression is sympy.E:
        return exponential(_rational(Fraction(1)))
    if not expression.is_real or not expression.is_finite or expression.has(sympy.Integral):
        raise NotDecided(f"{value} is not known to be a real number")
    return ClosedNumber({frozenset({(expression, Fraction(1))}): Fraction(1)})


def _of_power(expression: Any) -> ClosedNumber:
    base, exponent = expression.as_base_exp()
    power = Fraction(int(exponent.p), int(exponent.q))
    if abs(power) > _LARGEST_POWER:
        raise NotDecided("a power that is too large")
    inner = _of_expression(base)
    try:
        return inner ** int(power) if power.denominator == 1 else inner.root(power)
    except NotDecided:
        if not expression.is_real:
            raise
        constant = (base, power) if power.denominator == 1 else (expression, Fraction(1))
        return ClosedNumber({frozenset({constant}): Fraction(1)})


def exponential(exponent: ClosedNumber) -> ClosedNumber:
    """e^x = ∏ (e^m)^q over the terms q·m of x."""
    powers = []
    for monomial, weight in exponent.terms.items():
        size = sympy.Mul(*(sympy.S(b) ** sympy.Rational(e.numerator, e.denominator) for b, e in monomial))
        powers.append((sympy.exp(size, evaluate=False), weight))
    return ClosedNumber({frozenset(powers): Fraction(1)})


@lru_cache(maxsize=1024)
def _number_power(base: Any, exponent: Fraction, digits: int) -> Any:
    """bᵉ to 2^−(prec − 20) of itself, where prec includes the guard bits."""
    with mpmath.workprec(int(digits * 3.33) + 2 * _GUARD):
        power = mpmath.mpf(exponent.numerator) / exponent.denominator
        if isinstance(base, int):
            return mpmath.mpf(base) ** power
        if isinstance(base, sympy.exp):
            argument = mpmath.mpmathify(base.exp.evalf(digits + 30)) * power
            if abs(argument) > _LARGEST_EXPONENT:
                raise NotDecided("a power of e that is too large")
            return mpmath.exp(argument)
        found = base.evalf(digits + 30)
        if not isinstance(found, sympy.Float):
            raise NotDecided(f"{base} is not a known real number")
        return mpmath.mpmathify(found) ** power
