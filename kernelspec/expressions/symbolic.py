"""Formulas as SymPy expressions, and bounds on the work of SymPy and mpmath for user input."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from importlib import import_module
from inspect import CO_GENERATOR
from math import comb, inf, prod
from types import FrameType
from typing import Any, NamedTuple, TypeVar

from kernelspec.expressions.formula import (
    ARITIES,
    Constant,
    Formula,
    Operation,
    Operations,
    Pi,
    Term,
    Variable,
    depends_on_variable,
    evaluate,
    operation,
    terms_of,
)
from kernelspec.loading import sympy
from kernelspec.special.elementary import as_exponent, gamma_function, half_integer_coefficients

__all__ = [
    "DENSITY_CALLS",
    "KERNEL_CALLS",
    "PROOF_CALLS",
    "VALUE_CALLS",
    "bounded",
    "charge",
    "derive",
    "expanded",
    "formula_expression",
    "half_matern_order",
    "limit_of",
    "limit_of_formula",
    "matern_size",
    "monomial",
    "multiplied_out",
    "patience",
    "power_of",
    "simplified",
    "stretched_exponential",
    "within",
]

T = TypeVar("T")

MOST_CALLS = 1_200_000
"""Bound for one step: calls and returns of Python and C functions, half a second of SymPy while counted."""

PROOF_CALLS = 8_000_000
"""For a criterion of definiteness; Wendland's functions need half of it."""

VALUE_CALLS = 3_000_000
"""For values with many digits."""

KERNEL_CALLS = 2_000_000
"""For k(x, y); a residual network on an image of nine pixels needs 1,600,000."""

DENSITY_CALLS = 2_500_000
"""For a spectral density; a Matérn kernel times a cosine and a Gaussian, with symbols, needs 2,000,000."""

_COUNTED = ("sympy", "mpmath")
"""Modules in which a step may be stopped; elsewhere, as in a garbage collector callback, the exception might be lost.
"""


class WorkExceeded(BaseException):
    """Raised inside a step that exceeds its bound; not caught by `except Exception`."""


_CALLS_LEFT: ContextVar[list[int] | None] = ContextVar("calls left to the step that is counted", default=None)


def within(calls: int, step: Callable[[], T], otherwise: Callable[[], T]) -> T:
    """The result of `step()`, or of `otherwise()` if the step needs more than this number of calls.

    Unlike seconds, calls do not depend on the load of the machine. Nested steps count for both. While another profiler
    runs calls are not bounded, because Python allows only one. A single call can still cost any amount of time and
    memory if its numbers are long; the parser bounds those.
    """
    return _counted(calls, step, otherwise)[0]


def charge(calls: float) -> None:
    """Charge this many calls to the current step, for an mpmath loop that makes none."""
    left = _CALLS_LEFT.get()
    if left is not None:
        left[0] -= int(calls)


def _can_be_stopped(frame: FrameType) -> bool:
    """Whether an exception raised here reaches the step; a closing generator would lose it."""
    is_generator = frame.f_code.co_flags & CO_GENERATOR
    return not is_generator and frame.f_globals.get("__name__", "").startswith(_COUNTED)


def _counted(calls: int, step: Callable[[], T], otherwise: Callable[[], T]) -> tuple[T, int]:
    """What `within` returns, and the number of calls."""
    outer, profiler = _CALLS_LEFT.get(), sys.getprofile()
    if profiler is not None and outer is None:
        return step(), 0
    own = calls if outer is None else min(calls, outer[0])
    left = [own]

    def count(frame: FrameType, _event: str, _argument: object) -> None:
        left[0] -= 1
        if left[0] < 0 and _can_be_stopped(frame):
            raise WorkExceeded

    token = _CALLS_LEFT.set(left)
    sys.setprofile(count)
    try:
        return step(), own - left[0]
    except WorkExceeded:
        pass
    finally:
        sys.setprofile(profiler)
        _CALLS_LEFT.reset(token)
        if outer is not None:
            outer[0] -= own - left[0]
    return otherwise(), own


@dataclass
class _Patience:
    """The share of its bound that each step gets, and the calls of all steps so far."""

    share: float
    spent: int = 0

    def left(self) -> float:
        """The share of the next step: halved for every MOST_CALLS after the first."""
        return self.share * float(2 ** -max(0.0, self.spent / MOST_CALLS - 1))


_OPEN: ContextVar[_Patience | None] = ContextVar("patience with the steps of one report", default=None)


@contextmanager
def patience(share: float = 1.0) -> Iterator[None]:
    """In the body, steps get this share of their bounds; each step that exceeds its own halves it.

    Every further MOST_CALLS of all steps together halves it too: if one step is long, others for the same kernel often
    are.
    """
    token = _OPEN.set(_Patience(share))
    try:
        yield
    finally:
        _OPEN.reset(token)


def bounded(step: Callable[[], T], otherwise: Callable[[], T], calls: int = MOST_CALLS) -> T:
    """The result of a SymPy step, or of `otherwise()` if it needs more than `calls`, or its share of them."""
    own = _OPEN.get()
    if own is None:
        return within(calls, step, otherwise)

    def late() -> T:
        own.share /= 2
        return otherwise()

    found, spent = _counted(int(calls * own.left()), step, late)
    own.spent += spent
    return found


_LATE = "not_derived_in_time"


def derive(step: Callable[[], T], undone: Callable[[Any], T], calls: int = MOST_CALLS) -> T:
    """The result of a symbolic step, or `undone(s)` with the symbol s = not_derived_in_time if it is too long.

    Also if mpmath fails at an argument such as that of erfc(10²⁰⁰).
    """

    def late() -> T:
        return undone(sympy.Symbol(_LATE))

    try:
        return bounded(step, late, calls)
    except OverflowError:
        return late()


_LONGEST_WITH_LIMIT = 30


def limit_of(expression: Any, variable: Any, place: Any) -> Any | None:
    """SymPy's limit, at 0 from above; None if SymPy fails, or needs more than MOST_CALLS."""
    return _answer(lambda: sympy.limit(expression, variable, place), None)


def limit_of_formula(formula: Formula, place: Any) -> Any | None:
    """The same for a short formula; None for those with functions that take SymPy long."""
    x = sympy.Symbol("x", positive=True)
    f = formula_expression(formula, x)
    if formula.size() > _LONGEST_WITH_LIMIT or f.has(sympy.besselk, sympy.gamma, sympy.Max, sympy.Min):
        return None
    return limit_of(f, x, place)


def _answer(step: Callable[[], Any], otherwise: Any) -> Any:
    """SymPy's answer within MOST_CALLS, or None; SymPy fails with many kinds of exceptions."""
    try:
        return bounded(step, lambda: otherwise)
    except Exception:
        return otherwise


_MOST_SUMMANDS = 4_096


def expanded(expression: Any, *, most: int = _MOST_SUMMANDS, power_exp: bool = True) -> Any:
    """The expression multiplied out; itself if that has more than `most` terms, or needs more than MOST_CALLS."""
    if _summands(expression) > most:
        return expression
    return within(MOST_CALLS, lambda: sympy.expand(expression, power_exp=power_exp), lambda: expression)


def _summands(f: Any) -> float:
    """At most how many terms f, or an argument in it, has when it is multiplied out.

    SymPy counts combinations in a loop without calls, which a bound on calls does not stop.
    """
    inner = [_summands(part) for part in f.args]
    if f.is_Add:
        return sum(inner)
    if f.is_Mul:
        return prod(inner)
    if f.func is sympy.exp and f.has(sympy.log):  # a power: exp(n*log(1 + t)) is (1 + t)**n
        return inf
    most = max(inner, default=1.0)
    if f.is_Pow and f.exp.is_Integer and most > 1:
        n = abs(int(f.exp))
        count = comb(int(most) + n - 1, n) if max(most, n) <= _MOST_SUMMANDS else inf
        return float(count) if count <= _MOST_SUMMANDS else inf
    return most


_LARGEST_FACTOR = 1000
"""Bound on factors inside functions: e^{nr} and cos nr become polynomials of degree n."""

_LARGEST_NUMBER = 10**20
"""Bound on numerators and denominators beside functions of the variable."""

_MOST_FACTORS = 6


@lru_cache(maxsize=256)
def simplified(expression: Any) -> Any:
    """The simplified expression; only expanded if functions have large factors, which become degrees in SymPy.

    Returned unchanged if even that takes too long. Cached, because a report asks for the same expressions many times:
    kernels are rebuilt for each set of columns.
    """
    functions = [part for part in expression.atoms(sympy.Function) if part.free_symbols]
    numbers = expression.atoms(sympy.Number) if functions else ()
    factors = (number for part in functions for number in part.atoms(sympy.Number))
    if all(abs(factor) <= _LARGEST_FACTOR for factor in factors) and not any(map(_is_long, numbers)):
        import_module("sympy.physics.units")  # simplify() does: a million calls not due to the expression
        return _answer(lambda: sympy.simplify(expression), expression)
    whole = (power.exp for power in expression.atoms(sympy.Pow) if power.exp.is_Integer)
    return sympy.expand_mul(expression) if all(abs(exponent) <= _MOST_FACTORS for exponent in whole) else expression


def power_of(base: Any, exponent: Any) -> Any:
    """base ** exponent, in decimals if the exact power might never finish."""
    return base ** as_exponent(exponent)


_LARGEST_POWER = 1000


def monomial(expression: Any, r: Any, power: int) -> Any:
    """c where the expression is c r^power with c > 0; else None."""
    quotient = expression / r**power
    if _is_not_a_positive_constant(quotient, r):
        return None
    coefficient = simplified(quotient)
    return coefficient if not coefficient.has(r) and coefficient.is_positive else None


def _is_not_a_positive_constant(expression: Any, r: Any) -> bool:
    """Whether values at three places rule it out: most expressions fail here, before a costly simplification."""
    if expression.free_symbols != {r}:
        return False
    if any(power.exp.is_number and abs(power.exp) > _LARGEST_POWER for power in expression.atoms(sympy.Pow)):
        return True  # whose numbers would have as many digits
    found = [expression.subs(r, sympy.Rational(*at)).evalf() for at in ((9, 7), (13, 5), (47, 6))]
    if not all(value.is_number and value.is_finite for value in found):
        return False
    if 0 in found:
        return True
    size = abs(found[0])  # relative to it, as values may lie beyond floats
    return any(abs(complex(value / size) - 1) > 1e-6 for value in found)


def stretched_exponential(f: Any, t: Any) -> tuple[Any, Any] | None:
    """(c, α) with f = exp(−c t^α), c > 0; None for other functions."""
    if not f.has(sympy.exp) and all(power.base.has(t) for power in f.atoms(sympy.Pow)):
        return None
    rate = -sympy.expand_log(sympy.log(f), force=True)
    for alpha in (2, 1):
        coefficient = monomial(rate, t, alpha)
        if coefficient is not None:
            return coefficient, sympy.S(alpha)
    coefficient, power = rate.as_independent(t, as_Add=False)
    base, alpha = power.as_base_exp()
    return (coefficient, alpha) if base == t and not alpha.has(t) and coefficient.is_positive else None


def matern_size(order: Any, rate: Any) -> Any:
    """2^{ν−1} Γ(ν) c^{−ν}, the value of r^ν K_ν(cr) at 0."""
    return power_of(2, order - 1) * gamma_function(order) / power_of(rate, order)


def _is_long(number: Any) -> bool:
    return bool(number.is_Rational and max(abs(number.p), number.q) > _LARGEST_NUMBER)


_LARGEST_ROOT = 10**40
"""Largest exact power of a rational other than 1; SymPy might never finish longer ones."""

_MOST_BITS = 10**6
"""Bound on decimals: functions of larger ones cost SymPy that many digits."""


_CAPITAL = {"abs": "Abs", "max": "Max", "min": "Min"}
"""Functions whose SymPy names are capitalized."""


def formula_expression(formula: Formula, x: Any) -> Any:
    """The formula at a SymPy expression."""
    return evaluate(formula, x, _Expressions())


class _Expressions(Operations[Any]):
    def constant(self, value: Any) -> Any:
        return sympy.Rational(value.numerator, value.denominator) if isinstance(value, Fraction) else sympy.S(value)

    def pi(self) -> Any:
        return sympy.pi

    def sum(self, terms: Sequence[Any]) -> Any:
        return sympy.Add(*terms)

    def product(self, factors: Sequence[Any]) -> Any:
        return sympy.Mul(*factors)

    def power(self, base: Any, exponent: Any) -> Any:
        return base**exponent

    def constant_power(self, base: Any, exponent: Any) -> Any:
        order = as_exponent(exponent)
        factor, rest = base.as_coeff_Mul()
        if order.is_Rational and order.q > _LARGEST_ROOT and factor.is_Rational and 0 < factor != 1:
            return sympy.Float(factor, 17) ** order * rest**order
        return _within_reach(base**order)

    def function(self, name: str, arguments: Sequence[Any]) -> Any:
        if any(argument.has(sympy.zoo, sympy.nan) for argument in arguments):
            return sympy.nan  # a quotient by 0, which SymPy cannot compare
        if name == "gamma":
            return gamma_function(*arguments)
        return getattr(sympy, _CAPITAL.get(name, name))(*arguments)


def multiplied_out(formula: Formula) -> Formula | None:
    """The same function with cosh and sinh as exponentials, products expanded and exponents added.

    None if that takes too long, leaves something that a formula cannot say, or might give a function values where it
    has none, as 0·log(2 − t).
    """
    if not all(map(_is_real_everywhere, terms_of(formula.body))):
        return None
    t = sympy.Symbol("t", positive=True)

    def written() -> Any:
        f = formula_expression(formula, t)
        f = f.replace(sympy.cosh, lambda x: (sympy.exp(x) + sympy.exp(-x)) / 2)
        f = f.replace(sympy.sinh, lambda x: (sympy.exp(x) - sympy.exp(-x)) / 2)
        return sympy.powsimp(expanded(f, power_exp=False), combine="exp")

    found = bounded(written, lambda: None)
    try:
        return None if found is None else Formula(_as_term(found, t), formula.variable)
    except KeyError:
        return None


def _is_real_everywhere(term: Term) -> bool:
    """Whether an operation has a real value at all t > 0, but for poles, or does not depend on t."""
    if not isinstance(term, Operation) or not depends_on_variable(term):
        return True
    if term.name == "power":
        base, exponent = term.operands
        whole = isinstance(exponent, Constant) and Fraction(exponent.value).denominator == 1
        return whole or (isinstance(base, Variable) and not depends_on_variable(exponent))
    return term.name not in ("log", "sqrt", "asin", "acos", "tan", "gamma", "besselk", "besselj")


def _as_term(value: Any, t: Any) -> Term:
    """An expression in t as a term. Raises KeyError for a function that formulas do not have."""
    if value == t:
        return Variable()
    if value.is_Rational:
        return Constant(Fraction(int(value.p), int(value.q)))
    if value is sympy.pi:
        return Pi()
    if value.is_Mul and value.as_coeff_Mul()[0].is_negative:
        return operation("negation", (_as_term(-value, t),))
    if value.is_Add or value.is_Mul:
        parts = value.as_ordered_terms() if value.is_Add else value.as_ordered_factors()
        return operation("sum" if value.is_Add else "product", tuple(_as_term(part, t) for part in parts))
    if value.is_Pow and value.base != sympy.E:
        return operation("power", (_as_term(value.base, t), _as_term(value.exp, t)))
    name = value.func.__name__
    name = name.lower() if name.lower() in _CAPITAL else name
    if len(value.args) != ARITIES[name]:
        raise KeyError(name)
    return Operation(name, tuple(_as_term(part, t) for part in value.args))


def _within_reach(value: Any) -> Any:
    """The value; ∞ or 0 for decimals that are too large or too small, such as 2^(1e99)."""
    if not value.is_Float or not value:
        return value
    sign, _, power, bits = value._mpf_
    if abs(power + bits) <= _MOST_BITS:
        return value
    return sympy.S.Zero if power < 0 else sympy.S.NegativeInfinity if sign else sympy.S.Infinity


_LARGEST_HALF_ORDER = 6


class HalfMatern(NamedTuple):
    """f(0), ν and c."""

    size: Any
    nu: Any
    rate: Any


def half_matern_order(f: Any, t: Any) -> HalfMatern | None:
    """f(0), ν and c for a multiple of the Matérn function of order ν = n + ½, a polynomial in ct times e^{−ct}.

    The polynomial is Σ_k n!/(2n)! (n + k)!/(k! (n − k)!) (2ct)^{n−k}, n from 1 to 6; None for other functions.
    """
    for wave in f.atoms(sympy.exp):
        rate = monomial(-wave.args[0], t, 1)
        if rate is None:
            continue
        rest = f / wave
        if not rest.is_polynomial(t):
            rest = rest if rest.has(sympy.cos, sympy.sin) else simplified(rest)
        if not rest.is_polynomial(t):
            continue
        polynomial = sympy.Poly(rest, t)
        start, n = polynomial.coeff_monomial(1), polynomial.degree()
        if not 1 <= n <= _LARGEST_HALF_ORDER or start == 0:
            continue
        nu = sympy.Rational(2 * n + 1, 2)
        weights = map(sympy.Rational, half_integer_coefficients(n + 0.5) or ())
        expected = sum(weight * (rate * t) ** (n - k) for k, weight in enumerate(weights))
        if simplified(polynomial.as_expr() / start - expected) == 0:
            return HalfMatern(start, nu, rate)
    return None
