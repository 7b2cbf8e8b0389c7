"""Positive definite functions of the distance, with their dimensions: Askey, Wendland, overlaps of balls, waves."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

from kernelspec.expressions.criteria.necessary import Statement
from kernelspec.expressions.formula import Constant, Formula, Operation, Term, Variable, depends_on_variable
from kernelspec.expressions.limits import limit
from kernelspec.expressions.piecewise_polynomial import polynomial_pieces
from kernelspec.expressions.polya_criterion import polya_criterion, prove_convexity
from kernelspec.expressions.symbolic import expanded, formula_expression, simplified
from kernelspec.loading import sympy
from kernelspec.special.closed_numbers import ClosedNumber, NotDecided
from kernelspec.special.elementary import as_exponent, gamma_function

__all__ = [
    "by_bessel_waves",
    "by_convexity",
    "by_damped_cosine",
    "by_euclid_hat",
    "by_polynomials",
    "by_truncated_power",
    "hat_of",
    "truncated_power_of",
    "wave_of",
]


def by_convexity(formula: Formula) -> Statement | None:
    """Positive definite on the line if f(0) = 1, f tends to 0 and is convex [Polya 1949]."""
    found = polya_criterion(formula)
    if found.is_proved:
        return Statement(1, None, f"a Polya kernel, since {found.reason} [Polya 1949]")
    least = None if formula.unknowns() else limit(formula, math.inf)
    if not isinstance(least, Fraction) or not 0 < least < 1 or limit(formula, Fraction(0)) != 1:
        return None
    proof = prove_convexity(formula)
    if proof is None:
        return None
    reason = f"a constant and a Polya kernel: f(0) = 1, f tends to {least}, and f is convex"
    return Statement(1, None, f"{reason} (f'' ≥ 0 by interval arithmetic on {proof.n_pieces} intervals) [Polya 1949]")


_MOST_TERMS = 40
_CLOSE = 1e-12


def by_damped_cosine(formula: Formula) -> Statement | None:
    """e^{−ar} cos(br) is positive definite on R^d if and only if d arctan(b/a) ≤ π/2 [Yaglom 1987, section 22].

    Its density is a multiple of Re z(z² + ρ²)^{−(d+1)/2}, z = a − ib, whose argument lies between −θ and dθ, θ =
    arctan(b/a); dθ is attained at ρ = 0.
    """
    if formula.unknowns() or formula.size() > _MOST_TERMS:
        return None
    r = sympy.Symbol("r", positive=True)
    f = formula_expression(formula, r)
    if f.func is not sympy.Mul or len(f.args) != 2 or {part.func for part in f.args} != {sympy.exp, sympy.cos}:
        return None
    cosine, decay = sorted(f.args, key=lambda part: str(part.func))
    a, b = -decay.args[0] / r, cosine.args[0] / r
    if a.has(r) or b.has(r) or not (a.is_positive and b.is_positive):
        return None
    ratio = float(sympy.pi / (2 * sympy.atan(b / a)))
    most = round(ratio)
    if most > 1 and abs(ratio - most) < _CLOSE * ratio:
        try:
            room = ClosedNumber.of(sympy.tan(sympy.pi / (2 * most)) - b / a).sign()
        except NotDecided:
            return None
        most -= 1 if room < 0 else 0
    else:
        most = int(ratio)
    return Statement(most, most + 1, f"d·arctan(b/a) ≤ π/2 only for d ≤ {most} [Yaglom 1987]")


def _wendland_weights(order: Any) -> tuple[tuple[Any, ...], ...]:
    """The polynomials beside (1 − x)^ℓ in ∫_x^1 u (u² − x²)^{k−1} (1 − u)^{ℓ−k} du, k = 0, 1, 2, 3, with 1 at 0."""
    third, fifth = (order**2 - 1) / 3, (2 * order**2 - 3) / 5
    return (1,), (1, order), (1, order, third), (1, order, fifth, order * (order**2 - 4) / 15)


class TruncatedPower(NamedTuple):
    """max(0, 1 − cr)^ℓ Σ w_n rⁿ: ℓ = `order`, c = `rate`, in SymPy."""

    order: Any
    rate: Any
    weights: tuple[Any, ...]


@lru_cache(maxsize=256)
def truncated_power_of(formula: Formula) -> TruncatedPower | None:
    """ℓ, c and w of the formula; None for others."""
    if formula.unknowns() or formula.size() > _MOST_TERMS or "max" not in formula.operations():
        return None
    r = sympy.Symbol("r", positive=True)
    expression = formula_expression(formula, r)
    powers = [part for part in sympy.Mul.make_args(expression) if part.as_base_exp()[0].func is sympy.Max]
    if len(powers) != 1:
        return None
    base, order = powers[0].as_base_exp()
    if sympy.S.Zero not in base.args or len(base.args) != 2 or not order.is_positive:
        return None
    (line,) = (part for part in base.args if part != 0)
    rate = simplified((1 - line) / r)
    beside = expanded(expression / powers[0])
    if rate.has(r) or not rate.is_positive or not beside.is_polynomial(r):
        return None
    return TruncatedPower(order, rate, tuple(sympy.Poly(beside, r).all_coeffs()[::-1]))


def by_truncated_power(formula: Formula) -> Statement | None:
    """max(0, 1 − r/c)^ℓ is positive definite on R^d if and only if ℓ ≥ (d + 1)/2 [Golubov 1981; Askey 1973].

    Wendland's functions, (1 − r/c)^ℓ times a polynomial of degree k, if and only if ℓ ≥ (d + 1)/2 + 2k, for real ℓ too
    [Gneiting 2002; Zastavnyi 2006].
    """
    found = truncated_power_of(formula)
    if found is None:
        return None
    order, rate, weights = found
    k, start = len(weights) - 1, weights[0]
    known = _wendland_weights(order)[k] if k < 4 and start.is_positive else ()
    if not known or any(
        simplified(a / start - b * rate**n) != 0 for n, (a, b) in enumerate(zip(weights, known, strict=True))
    ):
        return None
    most = max(0, int(sympy.floor(2 * order - 1 - 4 * k)))
    what, more = ("Wendland's function", f" + {2 * k}") if k else ("(1 − r/c)₊^ℓ", "")
    source = "Gneiting 2002; Zastavnyi 2006" if k else "Askey 1973; Golubov 1981"
    why = f"{what} is positive definite only if ℓ ≥ (d + 1)/2{more}; here ℓ = {order} [{source}]"
    return Statement(most, most + 1, why)


class Wave(NamedTuple):
    """f(r) = Γ(m/2) (2/br)^{m/2−1} J_{m/2−1}(br): m = `order`, b = `rate`, in SymPy."""

    order: Any
    rate: Any


def by_bessel_waves(formula: Formula) -> Statement | None:
    """Ω_m(br), the transform of the uniform distribution on a sphere of radius b in R^m: exactly for d ≤ m [Schoenberg
    1938].

    Ω₁ = cos r, Ω₂ = J₀(r), Ω₃ = sin(r)/r; m need not be an integer.
    """
    wave = wave_of(formula)
    if wave is None or not wave.order.is_number or wave.order < 1:
        return None
    most = int(wave.order)
    if wave.order.is_integer:
        what = f"the transform of the uniform law on a sphere in {most} dimension{'s' * (most > 1)}"
    else:
        what = f"the Bessel wave of {wave.order} dimensions"
    return Statement(most, most + 1, f"{what} [Schoenberg 1938]")


@lru_cache(maxsize=256)
def wave_of(formula: Formula) -> Wave | None:
    """m and b if the formula is a wave with f(0) = 1, else None; does not import SymPy if no wave occurs."""
    if formula.size() > _MOST_TERMS or formula.operations().isdisjoint(("cos", "sin", "besselj")):
        return None
    r = sympy.Symbol("r", positive=True)
    f = formula_expression(formula, r)
    for part in f.atoms(sympy.cos, sympy.sin, sympy.besselj):
        rate = simplified(part.args[-1] / r)
        if rate.has(r) or not rate.is_positive:
            continue
        x = rate * r
        match part.func:
            case sympy.cos:
                order, wave = sympy.Integer(1), sympy.cos(x)
            case sympy.sin:
                order, wave = sympy.Integer(3), sympy.sin(x) / x
            case _:
                nu = part.args[0]
                if nu.has(r) or not (nu + sympy.Rational(1, 2)).is_nonnegative:
                    continue
                order, wave = 2 * nu + 2, gamma_function(nu + 1) * (2 / x) ** as_exponent(nu) * sympy.besselj(nu, x)
        if simplified(f / wave) == 1:
            return Wave(order, rate)
    return None


_MOST_HAT_TERMS = 80


def by_euclid_hat(formula: Formula) -> Statement | None:
    """The relative overlap of two balls of R^m with diameter c at distance r: exactly for d ≤ m.

    f′ is then a multiple of (1 − r²/c²)^{(m−1)/2} on r ≤ c. For d ≤ m its transform is the square of that of a section
    of a ball; for d > m it is negative somewhere [Gneiting 1999].
    """
    hat = hat_of(formula)
    if hat is None:
        return None
    most = hat.order
    name = {1: "the triangle", 2: "the circular kernel", 3: "the spherical kernel", 5: "the pentaspherical kernel"}
    balls = "intervals" if most == 1 else "discs" if most == 2 else "balls" if most == 3 else f"balls of R^{most}"
    what = f"{name[most]}, " if most in name else ""
    return Statement(most, most + 1, f"{what}the overlap of two {balls} [Matérn 1960; Gneiting 1999]")


class Hat(NamedTuple):
    """The relative overlap of two balls of R^m with diameter c: m = `order`, c = `end`, in SymPy."""

    order: int
    end: Any


@lru_cache(maxsize=256)
def hat_of(formula: Formula) -> Hat | None:
    """m and c of the formula; None for others."""
    if formula.unknowns() or formula.size() > _MOST_HAT_TERMS:
        return None
    x = sympy.Symbol("x", positive=True)
    found = inner_part(formula, x)
    if found is None:
        return None
    inside, end = found
    slope = sympy.diff(inside, x)
    if slope == 0 or simplified(inside.subs(x, 0)) != 1 or simplified(inside.subs(x, end)) != 0:
        return None
    order = simplified(1 - sympy.diff(slope, x) / slope * (end**2 - x**2) / x)
    if not order.is_Integer or order < 1 or not bool(slope.subs(x, end / 2) < 0):
        return None
    return Hat(int(order), end)


def inner_part(formula: Formula, x: Any) -> tuple[Any, Any] | None:
    """The expression of f on [0, c] and c, for f that is 0 beyond: one polynomial, or a function of min(r, c)."""
    pieces = polynomial_pieces(formula)
    if pieces is not None:
        stop, inner = pieces[0]
        if len(pieces) != 2 or pieces[1][1] or stop is None:
            return None
        inside = sum(sympy.Rational(c.numerator, c.denominator) * x**k for k, c in enumerate(inner))
        return inside, sympy.Rational(stop.numerator, stop.denominator)
    ends: set[Term] = set()
    body = _without_minimum(formula.body, ends)
    if body is None or len(ends) != 1:
        return None
    (place,) = ends
    assert isinstance(place, Constant)
    end = sympy.Rational(place.value.numerator, place.value.denominator)
    return formula_expression(Formula(body), x), end


def _without_minimum(term: Term, ends: set[Term]) -> Term | None:
    """The term with x for min(x, c), collecting the constants c; None if x occurs outside such a minimum."""
    if not depends_on_variable(term):
        return term
    if not isinstance(term, Operation):
        return None
    if term.name == "min" and Variable() in term.operands:
        (other,) = [part for part in term.operands if not isinstance(part, Variable)] or [term]
        if not isinstance(other, Constant):
            return None
        ends.add(other)
        return Variable()
    parts = [_without_minimum(part, ends) for part in term.operands]
    known = tuple(part for part in parts if part is not None)
    return Operation(term.name, known) if len(known) == len(parts) else None


_MOST_STEPS = 4
_MOST_PAIRS = 8


def by_polynomials(formula: Formula) -> Statement | None:
    """Positive definite for d ≤ 2l + 1 if (−d/dt)^{k+l−1} [−η′(t^α)] is convex, η = (−d/du)^k f(√u) at u = r².

    Tries α = 1/2 and 1, k ≤ 4, and the largest l; rational arithmetic decides every sign. With k = 0 and α = 1 it is
    Askey's criterion, (−1)^l f^(l) convex [Askey 1973; Gneiting 2001, theorem 1.1].

    Proof: with m = k + l, a function whose derivative of order m − 1 is convex in this way is a mixture of (c − t)₊^m,
    c > 0. So η is a mixture of (c − t)₊^{m+1} for α = 1, and for α = 1/2 of overlaps of balls in 2m + 1 dimensions,
    both positive definite there; and if −df/du is positive definite in d + 2 dimensions, f is in d.
    """
    if polynomial_pieces(formula) is None:
        return None
    r = sympy.Symbol("r", positive=True)
    found = inner_part(formula, r)
    if found is None or found[0].subs(r, found[1]) != 0:
        return None
    best = max((_largest(*found, r, k, alpha), -k, alpha) for k in range(_MOST_STEPS + 1) for alpha in _ALPHAS)
    pairs, k, alpha = best[0], -best[1], best[2]
    if pairs < 0:
        return None
    most = 2 * pairs + 1
    how = f"with k = {k}, l = {pairs}, α = {alpha}"
    return Statement(most, None, f"Gneiting's criterion {how} holds, for d ≤ 2l + 1 = {most} [Gneiting 2001]")


_ALPHAS = (Fraction(1), Fraction(1, 2))


def _largest(inside: Any, end: Any, r: Any, k: int, alpha: Fraction) -> int:
    """The largest l for which the criterion holds with k and α; −1 if it holds for none."""
    power = sympy.Rational(alpha.numerator, alpha.denominator)
    eta = inside
    for _ in range(k):
        eta = sympy.expand(-sympy.diff(eta, r) / (2 * r))
        if eta.subs(r, end) != 0:
            return -1
    t = sympy.Symbol("t", positive=True)
    found, last = sympy.expand(-sympy.diff(eta, r).subs(r, t**power)), end ** (1 / power)
    largest = -1
    for order in range(_MOST_STEPS + _MOST_PAIRS):  # k + l − 1
        if simplified(found.subs(t, last)) != 0:
            break
        if order + 1 >= k and _is_convex(found, last, t, power):
            largest = order + 1 - k
        found = sympy.expand(-sympy.diff(found, t))
    return largest


def _is_convex(function: Any, end: Any, t: Any, power: Any) -> bool:
    """Whether a function that is 0 from the end on is convex on t > 0: f″ ≥ 0 before the end, and f′ ≤ 0 there."""
    if simplified(sympy.diff(function, t).subs(t, end)) > 0:
        return False
    r = sympy.Symbol("r", positive=True)
    bend = sympy.expand(sympy.diff(function, t, 2).subs(t, r ** (1 / power)))
    numerator = sympy.Poly(sympy.numer(sympy.together(bend)), r)
    if numerator.is_zero:
        return True
    crossing = sympy.Poly(1, r)
    for factor, times in numerator.sqf_list()[1]:
        crossing *= factor if times % 2 else 1
    stop = end**power
    inside = crossing.count_roots(0, stop) - sum(1 for x in (0, stop) if crossing.as_expr().subs(r, x) == 0)
    return inside == 0 and bool(bend.subs(r, stop / 2) >= 0)
