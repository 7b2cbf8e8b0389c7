"""The rule for power series of one kernel: Schur's theorem, and Schoenberg's on spheres."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from math import comb
from typing import Any, NamedTuple

import numpy as np

from kernelspec.elaboration.operators import weighted_terms
from kernelspec.expressions.symbolic import PROOF_CALLS, within
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaf import Leaf, Stationary
from kernelspec.kernels.leaves.of_rows import InnerProduct
from kernelspec.kernels.nodes.columns_and_lags import Select
from kernelspec.kernels.nodes.dual import Dual
from kernelspec.loading import mpmath as mp
from kernelspec.loading import sympy
from kernelspec.special.closed_numbers import ClosedNumber, NotDecided
from kernelspec.verdicts.expansion import factors_of
from kernelspec.verdicts.rules import Finding, Question

__all__ = ["by_monomials", "by_powers"]

_MOST_MONOMIALS = 5_000  # monomials of a polynomial in the products of columns, multiplied out

_LARGEST_DEGREE = 60
_DEGREES = 1500  # degrees of the series of a dual that are summed, if the dual has no exact expression

_DIGITS = 50
_ON_SPHERE = "Gegenbauer's polynomials"


class _Series(NamedTuple):
    """c·f(b), f(ρ) = Σ a_l ρˡ with a_l ≥ 0, in SymPy; the dual if f has no exact expression."""

    size: ClosedNumber
    profile: Any
    dual: Dual | None


def by_powers(question: Question) -> Finding | None:
    """Σ a_n bⁿ: positive definite if no a_n is negative [Schur 1911], and only then for b = x·y.

    For a polynomial in x·y there are rows on a line and weights c with Σ c_i x_iᵐ = 0 for all of its powers m except n,
    so c'Kc has the sign of a_n. On the sphere of R^d, Gegenbauer's P_n, P_n(1) = 1, with ρP_n = ((n + d − 2)P_{n+1} +
    nP_{n−1})/(2n + d − 2), replace the powers; the powers remain sufficient for every d [Schoenberg 1942].
    """
    kernel = question.expanded
    try:
        powers, series, base = _collected(kernel)
        if base is None or base.verdict().positive_definite != "proved":
            return None
        inner = base if isinstance(base, InnerProduct) else None
        on_sphere = inner is not None and (inner.has_unit_rows or inner.of_signs)
        if series and inner is not None and not on_sphere:
            return None
        dim = 1 if inner is not None and inner.of_signs else base.dim if on_sphere else None
        dim = dim if isinstance(dim, int) else None
        found = powers if dim is None else _on_sphere(powers, dim)
        totals = within(PROOF_CALLS, lambda: _totals(found, series, dim), lambda: None)
        if totals is None:
            return None
        signs = {n: _sign(total) for n, total in totals.items()}
    except (NotDecided, TypeError):
        return None
    of_powers = dim is None
    what = f"coefficient of {'the powers' if of_powers else _ON_SPHERE} of {base}"
    columns = "" if of_powers else f", d = {dim},"
    steps = tuple(f"coefficient of degree {n}: {_shown(total)}" for n, total in totals.items())
    negative = next((n for n, sign in signs.items() if sign == -1), None)
    if negative is not None and inner is not None and not (on_sphere and of_powers):
        reason = f"the {what}{columns} of degree {negative} is negative [Schoenberg 1942]"
        return Finding("disproved", (reason,), steps=steps)
    if negative == 0 and isinstance(base, Stationary) and base.has_no_atoms():
        reason = f"the {what} of degree 0 is negative: an atom of the spectral measure [Bochner 1932]"
        return Finding("disproved", (reason,), (0.0,) * base.dim if isinstance(base.dim, int) else None, steps)
    if set(signs.values()) <= {0, 1}:
        reason = f"no {what}{columns} is negative [Schoenberg 1942]"
        return Finding("proved", (*base.verdict().reasons, reason), steps=steps)
    return None


def by_monomials(question: Question) -> Finding | None:
    """A polynomial Σ c_α Π (x_i y_i)^α_i in linear() of some columns: a kernel if and only if no c_α is negative.

    Monomials x^α are linearly independent functions, so there are rows and weights w with Σ w_i x_i^β = 0 for all of
    the others, and w'Kw has the sign of c_α.
    """
    kernel = question.expanded
    found: dict[tuple[int, ...], ClosedNumber] = {}
    try:
        for weight, term in weighted_terms(kernel):
            columns = [_columns_of_linear(factor, kernel.dim) for factor in factors_of(term)]
            if None in columns:
                return None
            for monomial, count in _multiplied_out([own for own in columns if own is not None]).items():
                found[monomial] = found.get(monomial, ClosedNumber.of(0)) + ClosedNumber.of(weight) * count
            if len(found) > _MOST_MONOMIALS:
                return None
        signs = {monomial: _sign(total) for monomial, total in found.items()}
    except (NotDecided, TypeError):
        return None
    negative = [monomial for monomial, sign in signs.items() if sign == -1]
    if negative:
        shown = "·".join(f"x_{i + 1}·y_{i + 1}" for i in negative[0]) or "1"
        return Finding("disproved", (f"the coefficient of {shown} is negative, multiplied out",))
    if set(signs.values()) <= {0, 1}:
        return Finding("proved", ("a polynomial in the x_i·y_i of columns without a negative coefficient",))
    return None


def _columns_of_linear(kernel: Kernel, dim: Any) -> tuple[int, ...] | None:
    """The columns i of Σ x_i y_i; None for another kernel."""
    base, columns = (kernel.base, kernel.positions) if isinstance(kernel, Select) else (kernel, None)
    if not isinstance(base, InnerProduct) or base.has_unit_rows or base.of_signs or base.of_directions:
        return None
    return columns or (tuple(range(dim)) if isinstance(dim, int) else None)


def _multiplied_out(sums: list[tuple[int, ...]]) -> dict[tuple[int, ...], int]:
    """How often each product of columns, in order, occurs in a product of sums; more than the most at most once."""
    found: dict[tuple[int, ...], int] = {(): 1}
    for own in sums:
        longer: dict[tuple[int, ...], int] = {}
        for monomial, count in found.items():
            for i in own:
                product = tuple(sorted((*monomial, i)))
                longer[product] = longer.get(product, 0) + count
        found = longer
        if len(found) > _MOST_MONOMIALS:
            break
    return found


def _collected(kernel: Kernel) -> tuple[dict[int, ClosedNumber], list[_Series], Kernel | None]:
    """The weights of the powers of one kernel, the series in it, and the kernel; None if there are several.

    Raises NotDecided for a negative multiple of a series.
    """
    powers: dict[int, ClosedNumber] = {}
    series: list[_Series] = []
    bases: set[Kernel] = set()
    rho = _variable()
    for weight, term in weighted_terms(kernel):
        factors, size = factors_of(term), ClosedNumber.of(weight)
        if len(factors) > _LARGEST_DEGREE:
            return {}, [], None
        first = factors[0] if factors else None
        dual = first if isinstance(first, Dual) else None
        of_cosine: tuple[Kernel, Any] | None = first.of_cosine(rho) if isinstance(first, Leaf) else None
        if dual is not None:
            of_cosine = dual.base, _profile(dual, rho)
        if of_cosine is not None:
            if len(factors) > 1 or size.sign() < 0:
                raise NotDecided("a negative multiple of a series")
            bases.add(of_cosine[0])
            series.append(_Series(size, of_cosine[1], dual))
            continue
        bases |= set(factors)
        powers[len(factors)] = powers.get(len(factors), ClosedNumber.of(0)) + size
    if len(bases) > 1:  # rows of norm 1 are their own directions
        bases = {base for base in bases if not (isinstance(base, InnerProduct) and base.of_directions)}
        if not all(isinstance(base, InnerProduct) and base.has_unit_rows for base in bases):
            return {}, [], None
    return powers, series, next(iter(bases)) if len(bases) == 1 else None


def _variable() -> Any:
    return sympy.Symbol("rho", real=True)


def _profile(dual: Dual, rho: Any) -> Any | None:
    """σ̂(ρ) in exact numbers, or None."""
    if dual.max_degree is not None or not dual.activation.is_complete:
        raise NotDecided("a series that is cut")
    profile = dual.activation.dual_expression(rho)
    profile = profile.xreplace({number: sympy.S.One for number in profile.atoms(sympy.Float) if number == 1.0})
    is_open = profile.has(sympy.Float, sympy.Integral, sympy.Sum, sympy.core.function.AppliedUndef)
    return None if is_open or profile.free_symbols != {rho} else profile


def _on_sphere(powers: dict[int, ClosedNumber], dim: int) -> dict[int, ClosedNumber]:
    """The coefficients of Σ a_n ρⁿ in the P_n; for one column, ρ = ±1, in 1 and ρ."""
    found: dict[int, ClosedNumber] = {}
    row = {0: Fraction(1)}
    for n in range(max(powers, default=0) + 1):
        for k, share in row.items():
            if n in powers:
                found[k] = found.get(k, ClosedNumber.of(0)) + powers[n] * share
        row = _times_rho(row, dim)
    return found


def _times_rho(row: dict[int, Any], dim: int) -> dict[int, Any]:
    following: dict[int, Any] = {}
    for k, share in row.items():
        if dim == 1:
            following[1 - k] = following.get(1 - k, 0) + share
            continue
        above = Fraction(k + dim - 2, 2 * k + dim - 2) if k else Fraction(1)
        following[k + 1] = following.get(k + 1, 0) + share * above
        if k:
            following[k - 1] = following.get(k - 1, 0) + share * (1 - above)
    return following


_Total = ClosedNumber | tuple[Any, Any]  # exact, or an interval


def _totals(found: dict[int, ClosedNumber], series: list[_Series], dim: int | None) -> dict[int, _Total]:
    """The coefficients by degree, up to the first that is negative."""
    totals: dict[int, _Total] = {}
    for n, weight in sorted(found.items()):
        totals[n] = _total(weight, n, series, dim)
        if _sign(totals[n]) == -1:
            break
    return totals


def _total(weight: ClosedNumber, degree: int, series: list[_Series], dim: int | None) -> _Total:
    """The coefficient of P_n, or of ρⁿ, of powers and series together."""
    if not series or weight.sign() >= 0:
        return weight
    try:
        total = weight
        for part in series:
            if part.profile is None:
                raise NotDecided("no exact expression")
            total = total + part.size * ClosedNumber.of(_exact(part.profile, degree, dim))
        return total
    except NotDecided:
        pass
    with mp.workdps(_DIGITS):
        middle, error = weight.enclosed(_DIGITS)
        low, high = middle - error, middle + error
        for part in series:
            least, most = _enclosed(part, degree, dim)
            size, error = part.size.enclosed(_DIGITS)
            low, high = low + (size - error) * least, high + (size + error) * most
        return low, high


def _sign(total: _Total) -> int | None:
    if isinstance(total, ClosedNumber):
        return total.sign()
    low, high = total
    return 1 if low > 0 else -1 if high < 0 else None


def _shown(total: _Total) -> str:
    if isinstance(total, ClosedNumber):
        return str(total.expression())
    return f"between {mp.nstr(total[0], 20)} and {mp.nstr(total[1], 20)}"


def _exact(profile: Any, degree: int, dim: int | None) -> Any:
    """N ∫ f(sin φ) P_n(sin φ) cos^{d−2} φ dφ / ∫ cos^{d−2} φ dφ for N harmonics of degree n. Raises NotDecided.

    f is a polynomial in ρ, arcsin ρ = φ (to the first power), √(1 − ρ²) = cos φ, and for odd d exponentials of ρ.
    """
    rho = _variable()
    if dim is None:
        return profile.diff(rho, degree).subs(rho, 0) / sympy.factorial(degree)
    if dim == 1:
        return (profile.subs(rho, 1) + (-1) ** degree * profile.subs(rho, -1)) / 2
    polynomial, total = _legendre(degree, dim), sympy.S.Zero
    for constant, rate, m, j, k in _terms(profile, dim):
        total += constant * sum(
            c * (_angle_moment(j, m + n, k + dim - 2) if rate == 0 else _exponential_moment(m + n, rate, dim))
            for n, c in polynomial.items()
        )
    return sympy.expand(total * _harmonics(degree, dim) / _angle_moment(0, 0, dim - 2))


@lru_cache(maxsize=8)
def _terms(profile: Any, dim: int) -> tuple[tuple[Any, Any, int, int, int], ...]:
    """(b, c, m, j, k) of f = Σ b e^{cρ} ρᵐ φʲ cosᵏφ. Raises NotDecided for another f, or without a closed integral."""
    rho, angle, root = _variable(), sympy.Symbol("a"), sympy.Symbol("c")
    plain = sympy.expand(profile.rewrite(sympy.exp) if profile.has(sympy.sinh, sympy.cosh) else profile)
    plain = plain.xreplace({sympy.asin(rho): angle, sympy.sqrt(1 - rho**2): root})
    found = []
    for term in sympy.Add.make_args(sympy.expand(plain)):
        constant, varying = term.as_independent(rho, angle, root, as_Add=False)
        rate: Any = 0
        for factor in varying.atoms(sympy.exp):
            rate = factor.args[0].coeff(rho)
            constant, varying = constant * sympy.exp(factor.args[0] - rate * rho), varying / factor
        powers = varying.as_powers_dict()
        if set(powers) - {rho, angle, root, sympy.S.One} or powers.get(angle, 0) > 1:
            raise NotDecided("no closed integral")
        m, j, k = (int(powers.get(symbol, 0)) for symbol in (rho, angle, root))
        if rate != 0 and (dim % 2 == 0 or j or k):
            raise NotDecided("no closed integral")
        found.append((constant, rate, m, j, k))
    return tuple(found)


def _harmonics(degree: int, dim: int) -> Any:
    """The number of spherical harmonics of a degree: the mean of P_n² is its inverse."""
    if degree == 0:
        return sympy.S.One
    return sympy.Rational(2 * degree + dim - 2, degree) * comb(degree + dim - 3, degree - 1)


def _legendre(degree: int, dim: int) -> dict[int, Any]:
    """The coefficients of P_n: (n + d − 2)P_{n+1} = (2n + d − 2)ρP_n − nP_{n−1}."""
    before: dict[int, Any] = {}
    found: dict[int, Any] = {0: sympy.S.One}
    for n in range(degree):
        raised = {k + 1: c * (2 * n + dim - 2 if n else dim - 1) for k, c in found.items()}
        over = n + dim - 2 if n else dim - 1
        before, found = found, {
            k: (raised.get(k, sympy.S.Zero) - n * before.get(k, sympy.S.Zero)) / over for k in {*raised, *before}
        }  # fmt: skip
    return found


@lru_cache(maxsize=1024)
def _angle_moment(j: int, m: int, k: int) -> Any:
    """∫ φʲ sinᵐφ cosᵏφ dφ over [−π/2, π/2], j = 0 or 1."""
    if (j + m) % 2:
        return sympy.S.Zero
    if j == 0:
        a, b = sympy.Rational(m + 1, 2), sympy.Rational(k + 1, 2)
        return sympy.gamma(a) * sympy.gamma(b) / sympy.gamma(a + b)
    half = (m - 1) // 2  # by parts, with sin^{m−1} = (1 − cos²)^half
    return sum(
        (-1) ** i * comb(half, i) * _angle_moment(0, 0, k + 2 * i + 1) / (k + 2 * i + 1) for i in range(half + 1)
    )


@lru_cache(maxsize=1024)
def _exponential_moment(m: int, rate: Any, dim: int) -> Any:
    """∫ ρᵐ e^{cρ} (1 − ρ²)^{(d−3)/2} dρ over [−1, 1], d odd."""
    half, found = (dim - 3) // 2, sympy.S.Zero
    integrals = [(sympy.exp(rate) - sympy.exp(-rate)) / rate]
    for n in range(1, m + 2 * half + 1):
        integrals.append((sympy.exp(rate) - (-1) ** n * sympy.exp(-rate) - n * integrals[-1]) / rate)
    for i in range(half + 1):
        found += (-1) ** i * comb(half, i) * integrals[m + 2 * i]
    return found


def _enclosed(part: _Series, degree: int, dim: int | None) -> tuple[Any, Any]:
    """The coefficient less and plus an error: by quadrature, which estimates it, or the first terms of the series."""
    if part.profile is None or dim is None or dim == 1:
        if part.dual is None:
            raise NotDecided("no exact expression")
        found, rest = _first_terms(part.dual, dim)
        rounding = 1e-7 * (1 + abs(found[degree]))
        return found[degree] - rounding, found[degree] + rest + rounding
    ends = [-mp.pi / 2, 0, mp.pi / 2]
    top, error = mp.quad(lambda phi: _at_node(part.profile, dim, phi)[degree], ends, error=True)
    error += mp.mpf(10) ** (10 - _DIGITS) * (1 + abs(top))
    scale = mp.mpf(int(_harmonics(degree, dim))) / sympy.N(_angle_moment(0, 0, dim - 2), _DIGITS)._to_mpmath(mp.mp.prec)
    return (top - error) * scale, (top + error) * scale


@lru_cache(maxsize=2048)
def _at_node(profile: Any, dim: int, phi: Any) -> list[Any]:
    """f(sin φ) cos^{d−2} φ P_n(sin φ) for all degrees n, whose quadratures share their nodes."""
    x = mp.sin(phi)
    polynomials = [mp.mpf(1), x]
    for n in range(1, _LARGEST_DEGREE):
        last, before = polynomials[-1], polynomials[-2]
        polynomials.append(((2 * n + dim - 2) * x * last - n * before) / (n + dim - 2))
    size = _function(profile)(x) * mp.cos(phi) ** (dim - 2)
    return [size * own for own in polynomials]


@lru_cache(maxsize=8)
def _function(profile: Any) -> Callable[[Any], Any]:
    function: Callable[[Any], Any] = sympy.lambdify(_variable(), profile, "mpmath")
    return function


@lru_cache(maxsize=8)
def _first_terms(dual: Dual, dim: int | None) -> tuple[list[float], float]:
    """The coefficients from the first terms of Σ a_l ρˡ, and a bound on the rest: Σ a_l = 1, in ρˡ at most 1."""
    coefficients = dual.activation.coefficient(np.arange(_DEGREES, dtype=float))
    if dim is None:
        return coefficients[: _LARGEST_DEGREE + 1].tolist(), 0.0
    row = np.zeros(_DEGREES + 2)
    row[0] = 1
    k = np.arange(_DEGREES + 1)
    above = np.ones(_DEGREES + 1) if dim > 1 else 1.0 * (k == 0)
    if dim > 1:
        above[1:] = (k[1:] + dim - 2) / (2 * k[1:] + dim - 2)
    found = np.zeros(_LARGEST_DEGREE + 1)
    for coefficient in coefficients:
        found += coefficient * row[: _LARGEST_DEGREE + 1]
        following = np.zeros_like(row)
        following[1:] = row[:-1] * above
        following[:-2] += row[1:-1] * (1 - above[1:])
        row = following
    return found.tolist(), max(0.0, 1 - float(coefficients.sum()))
