"""Ties from theorems: kernels that are positive definite exactly if a weight is at most a number known in closed form.

Every family states its derivation. u is ω² or ‖ω‖², p a spectral density up to a common factor.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any, NamedTuple

import sympy
from sympy import Rational, S, exp, gamma, pi, sqrt

__all__ = ["Border", "theorems"]


class Border(NamedTuple):
    """`text` with {c} for a weight, in `dim` columns: positive definite exactly if the weight is at most `largest`."""

    text: str
    largest: str
    dim: int
    source: str
    is_exact: bool = True


def theorems() -> Iterator[Border]:
    """All families."""
    for family in (
        _matern_scales,
        _matern_orders,
        _matern_over_gaussian,
        _exponential_over_cauchy,
        _geometric_means,
        _waves,
        _edges,
        _fejer,
        _cosines,
        _oscillators,
        _polynomials,
        _spheres,
        _columns,
    ):
        yield from family()


def _matern_scales() -> Iterator[Border]:
    """s^d (2ν + s²u)^{−ν−d/2}: the quotient of two scales is monotone in u, c ≤ s^{−d} for s > 1, else c ≤ s^{2ν}."""
    for (nu, dim), s in product((("1", 2), ("3/2", 1), ("3/2", 3), ("5/2", 1), ("5/2", 2)), ("sqrt(3)", "pi/2")):
        yield Border(f"matern({nu}) - {{c}}*matern({nu}, scale={s})", f"({s})**(-{dim})", dim, "ω = 0")
    for (nu, power), s in product((("1", 2), ("3/2", 3), ("5/2", 5)), ("2/3", "sqrt(2)/2")):
        yield Border(f"matern({nu}) - {{c}}*matern({nu}, scale={s})", f"({s})**{power}", 2, "ω → ∞")


def _matern(nu: Any, rate: Any, dim: int) -> Any:
    """Γ(ν + d/2)/(Γ(ν) π^{d/2}) a^{2ν}, which times (a² + u)^{−ν−d/2} is the density."""
    return gamma(nu + Rational(dim, 2)) / gamma(nu) / pi ** Rational(dim, 2) * rate ** (2 * nu)


def _matern_orders() -> Iterator[Border]:
    """(b² + u)ⁿ/(a² + u)^m, m < n, is least at u = (mb² − na²)/(n − m) if that is above 0, else at u = 0."""
    half, scales = Rational(1, 2), ((S(1), S(1)), (sqrt(2), S(1)), (S(3), Rational(3, 2)), (S(1), sqrt(5)))
    for (low, high), dim, (s, t) in product(((1, 3), (3, 5), (1, 5)), (1, 3), scales):
        mu, nu = low * half, high * half
        a, b, m, n = sqrt(2 * mu) / s, sqrt(2 * nu) / t, mu + Rational(dim, 2), nu + Rational(dim, 2)
        u = max(S(0), (m * b**2 - n * a**2) / (n - m))
        border = _matern(mu, a, dim) / _matern(nu, b, dim) * (b**2 + u) ** n / (a**2 + u) ** m
        text = f"matern({mu}, scale={s}) - {{c}}*matern({nu}, scale={t})"
        yield Border(text, str(sympy.simplify(border)), dim, "one critical point")


def _matern_over_gaussian() -> Iterator[Border]:
    """e^{t²u/2} (a² + u)^{−n} is least at u = 2n/t² − a² if that is above 0, else at u = 0."""
    for (twice, dim), (s, t) in product(((1, 1), (3, 1), (1, 2), (1, 3)), ((S(1), S(1)), (sqrt(2), S(1)), (S(2), pi))):
        nu, n = Rational(twice, 2), Rational(twice + dim, 2)
        a = sqrt(2 * nu) / s
        u = sympy.Max(0, 2 * n / t**2 - a**2)
        quotient = exp(t**2 * u / 2) * (a**2 + u) ** (-n) * (2 * pi) ** Rational(dim, 2) / t**dim
        border = sympy.simplify(_matern(nu, a, dim) * quotient)
        yield Border(
            f"matern({nu}, scale={s}) - {{c}}*gaussian(scale={t})",
            str(border).replace("E", "exp(1)"),
            dim,
            "one critical point",
        )


def _exponential_over_cauchy() -> Iterator[Border]:
    """e^{sω}/(1 + t²ω²) rises for s ≥ t: 2t/πs at ω = 0, to the power d for products over the columns."""
    for (s, t), dim in product((("1", "1"), ("2", "1"), ("sqrt(2)", "1"), ("pi", "3")), (1, 2)):
        text = f"laplace(scale={t}) - {{c}}*cauchy(scale={s})"
        yield Border(text, f"(2*{t}/(pi*{s}))**{dim}", dim, "ω = 0")


def _geometric_means() -> Iterator[Border]:
    """The mean of two densities is at least their geometric mean, with equality where they are equal.

    a^d e^{−a²u/2} + b^d e^{−b²u/2} ≥ 2(ab)^{d/2} e^{−(a²+b²)u/4}; ae^{−aω} + be^{−bω} ≥ 2√(ab) e^{−(a+b)ω/2}; and
    (1 + u)²/((1 + s²u)(s² + u)) = 1/(s² + (1 − s²)²u/(1 + u)²) is least at u = 1.
    """
    for (a, b), dim in product((("1", "2"), ("1", "sqrt(2)"), ("sqrt(3)", "1/2"), ("pi", "2*pi")), (1, 2)):
        middle = f"sqrt((({a})**2 + ({b})**2)/2)"
        text = f"gaussian(scale={a}) + gaussian(scale={b}) - {{c}}*gaussian(scale={middle})"
        yield Border(text, f"2*(({a})*({b}))**({dim}/2)/{middle}**{dim}", dim, "equal densities")
    for a, b in (("1", "2"), ("1/2", "3"), ("sqrt(2)", "3*sqrt(2)"), ("pi", "2*pi")):
        text = f"cauchy(scale={a}) + cauchy(scale={b}) - {{c}}*cauchy(scale=({a} + {b})/2)"
        yield Border(text, f"4*sqrt(({a})*({b}))/({a} + {b})", 1, "equal densities")
    for s in ("2", "1/3", "sqrt(2)", "sqrt(3)/2", "pi"):
        text = f"laplace(scale={s}) + laplace(scale=1/({s})) - {{c}}*laplace()"
        yield Border(text, f"4*({s})/(1 + ({s})**2)", 1, "ω = 1")


def _waves() -> Iterator[Border]:
    """The density moved to ±w over the density itself is least at ω = 0.

    e^{−w²/2} cosh ωw for a Gaussian; for Matérn, with h = ν + ½, at least ((a² + u)²/((a² + u + w²)² − 4w²u))^{h/2} by
    the inequality of means, which is least at u = 0, where both are equal; for Cauchy e^{−w} cosh ω e^ω up to ω = w.
    """
    for w, square in (("1", "1"), ("3/2", "9/4"), ("sqrt(2)", "2"), ("pi", "pi**2")):
        yield Border(f"gaussian()*cosine({w}) - {{c}}*gaussian()", f"exp(-{square}/2)", 1, "ω = 0")
        yield Border(f"cauchy()*cosine({w}) - {{c}}*cauchy()", f"exp(-{w})", 1, "ω = 0")
        for twice in (3, 5):
            text = f"matern({twice}/2)*cosine({w}) - {{c}}*matern({twice}/2)"
            yield Border(text, f"({twice}/({twice} + {square}))**{(twice + 1) // 2}", 1, "ω = 0")


def _edges() -> Iterator[Border]:
    """A density that falls, over 1/2b on [−b, b]: least at ω = b, where the difference jumps; in every column."""
    for (b, square), dim in product((("1/2", "1/4"), ("1", "1"), ("sqrt(2)", "2"), ("pi", "pi**2")), (1, 2)):
        gauss = f"(2*{b}*exp(-{square}/2)/sqrt(2*pi))**{dim}"
        yield Border(f"gaussian() - {{c}}*sinc(bandwidth={b})", gauss, dim, "ω = b")
        laplace = f"(2*{b}/(pi*(1 + {square})))**{dim}"
        yield Border(f"laplace() - {{c}}*sinc(bandwidth={b})", laplace, dim, "ω = b")
    yield Border("matern(3/2) - {c}*sinc()", "12*sqrt(3)/(16*pi)", 1, "ω = 1")
    yield Border("cauchy(scale=2) - {c}*sinc(bandwidth=1/2)", "exp(-1)", 1, "ω = 1/2")
    yield Border("gaussian() + laplace() - {c}*sinc()", "sqrt(2/pi)*exp(-1/2) + 1/pi", 1, "ω = 1: both fall")
    twice = "gaussian() - sinc(bandwidth=2)*exp(-2)*sqrt(2/pi) - {c}*sinc()"
    yield Border(
        twice, "sqrt(2/pi)*(exp(-1/2) - exp(-2)/2)", 1, "ω = 1; 0 is within reach at ω = 2, where it stays > 0"
    )


def _fejer() -> Iterator[Border]:
    """1 + a₁ cos θ + … + a_n cos nθ ≥ 0 only if |a₁| ≤ 2 cos(π/(n + 2)) [Fejér 1915]; with the a_k of equality.

    1 + 2c cos θ; 1 + c cos θ + ½ cos 2θ ≥ 1/2 − c²/4; and, with φ = 2 cos(π/5), |(1 + z)(1 + (φ − 1)z + z²)|², whose
    zeros all have cos θ < 0.
    """

    def waves(base: str, *weights: str) -> str:
        moved = "{base}, by={n}) + shift({base}, by=-{n}))"
        parts = [f"{w}*(shift({moved.format(base=base, n=n)}" for n, w in enumerate(weights, 1)]
        return " + ".join([base, *parts])

    phi = "(1 + sqrt(5))/2"
    for base in ("gaussian()", "laplace(scale=sqrt(2))", "matern(3/2)"):
        yield Border(waves(base, "({c})"), "1/2", 1, "1 + 2c cos θ")
        yield Border(waves(base, "(-{c})"), "1/2", 1, "1 − 2c cos θ")
        yield Border(waves(base, "({c}/2)", "1/4"), "sqrt(2)", 1, "Fejér, n = 2")
        third = (f"{phi}/({phi} + 2)", f"1/(2*({phi}) + 4)")
        yield Border(waves(base, "({c}/2)", f"({third[0]})", f"({third[1]})"), phi, 1, "Fejér, n = 3")


def _cosines() -> Iterator[Border]:
    """cosⁿ wt = 2^{1−n} Σ binom(n, j) cos((n − 2j)wt): the weight of one atom; cos a cos b has (a ± b) with ½ each."""
    for w in ("1", "sqrt(2)", "pi"):
        yield Border(f"cosine({w})**3 - {{c}}*cosine({w})", "3/4", 1, "an atom")
        yield Border(f"cosine({w})**4 - {{c}}*constant()", "3/8", 1, "an atom")
        yield Border(f"cosine({w})**5 - {{c}}*cosine(5*{w})", "1/16", 1, "an atom")
        yield Border(f"cosine({w})*cosine(2) - {{c}}*cosine({w} + 2)", "1/2", 1, "an atom")


def _oscillators() -> Iterator[Border]:
    """e^{−t}(cos wt + c sin wt) has the density of 2(1 + w²) + …: |c|w ≤ 1 [Foreman-Mackey et al. 2017, celerite].

    e^{−t}(cosh bt + c sinh bt) = ½(1 + c)e^{−(1−b)t} + ½(1 − c)e^{−(1+b)t}: 2 − 2bc at ω → ∞, 2 + 2bc at ω = 0.
    """
    for w, sign in product(("1/2", "1", "sqrt(3)", "pi"), "+-"):
        text = f"radial(t -> exp(-t)*(cos({w}*t) {sign} {{c}}*sin({w}*t)))"
        yield Border(text, f"1/({w})", 1, "celerite's condition")
    for b, sign in product(("1/2", "sqrt(2)/2"), "+-"):
        text = f"radial(t -> exp(-t)*(cosh({b}*t) {sign} {{c}}*sinh({b}*t)))"
        yield Border(text, f"1/({b})", 1, "the ends in ω²")


def _polynomials() -> Iterator[Border]:
    """With D(a) = a(a² + u)^{−h}, h = (d + 1)/2, the density of e^{−ar}, that of rⁿe^{−r} is (−∂/∂a)ⁿD at a = 1.

    (1 + cr)e^{−r}: (1 − c)u + 1 + cd, and (1 + r + cr²)e^{−r}: (1 − 3c)(1 + u) + (d + 3)c, over positive powers. That
    of (1 − cr²)e^{−r²/2} is (1 − cd + cu)e^{−u/2}. e^{−r} cos cr: d arctan c ≤ π/2.
    """
    for dim in (1, 2, 3, 5):
        yield Border("radial(r -> (1 - {c}*r)*exp(-r))", f"1/{dim}", dim, "1 + cd ≥ 0")
        yield Border("radial(r -> (1 + r - {c}*r**2)*exp(-r))", f"1/{dim}", dim, "1 + cd ≥ 0")
        yield Border("radial(r -> (1 + r + {c}*r**2)*exp(-r))", "1/3", dim, "1 − 3c ≥ 0")
    yield Border("radial(r -> (1 - {c}*r**2)*exp(-r**2/2))", "1/7", 7, "1 − cd ≥ 0")
    yield Border("radial(r -> exp(-r)*cos({c}*r))", "sqrt(2) - 1", 4, "tan(π/8)")
    yield Border("radial(r -> exp(-r)*cos({c}*r))", "2 - sqrt(3)", 6, "tan(π/12)")


def _spheres() -> Iterator[Border]:
    """The coefficients of Gegenbauer's polynomials [Schoenberg 1942].

    On S^{d−1} the mean of ρ² is 1/d, of ρ⁴ 3/(d(d + 2)); ρ³ 3/(d + 2) of ρ, and ρ⁴ − cρ² the mean (3/(d + 2) − c)/d.
    The arc-cosine kernels of order 0 and 1 have the odd parts arcsin(ρ)/π and ρ/2, and the means ½ and, with ρ = cos θ,
    ∫(sin θ + (π − θ)cos θ) over π², which is 4/π² for d = 2, and 3/8 for d = 3.
    """
    for dim in (2, 3, 4):
        yield Border("sphere()**2 - {c}*constant()", f"1/{dim}", dim, "the mean")
        yield Border("sphere()**4 - {c}*constant()", f"3/{dim * (dim + 2)}", dim, "the mean")
        yield Border("sphere()**3 - {c}*sphere()", f"3/{dim + 2}", dim, "the first coefficient")
        yield Border("sphere()**4 - {c}*sphere()**2", f"3/{dim + 2}", dim, "the mean")
        yield Border("dual(relu, sphere()) - {c}*sphere()", "1/2", dim, "the odd part")
        yield Border("dual(step, sphere()) - {c}*constant()", "1/2", dim, "the mean")
    yield Border("dual(relu, sphere()) - {c}*constant()", "3/8", 3, "the mean")
    yield Border("dual(step, sphere()) - {c}*sphere()", "4/pi**2", 2, "(2/π²)∫(π/2 − θ)cos θ")
    yield Border("dual(step, sphere()) - {c}*sphere()", "3/8", 3, "(3/2π)∫ρ arcsin ρ")


def _columns() -> Iterator[Border]:
    """A product over the columns of quotients that are each largest at ω = 0, or of bands, 1/2b each."""
    for a, b in (("1", "2"), ("sqrt(2)", "pi")):
        text = f"gaussian()[0]*cauchy()[1] - {{c}}*gaussian(scale=1 + {a})[0]*cauchy(scale=1 + {b})[1]"
        yield Border(text, f"1/((1 + {a})*(1 + {b}))", 2, "ω = 0")
        text = f"sinc(bandwidth=1 + {a})[0]*laplace()[1] - {{c}}*sinc()[0]*laplace(scale=1 + {b})[1]"
        yield Border(text, f"1/((1 + {a})*(1 + {b}))", 2, "ω = 0")
        text = f"stretch(gaussian(), [1, 1/2]) - {{c}}*stretch(gaussian(), [1 + {a}, 1/2 + {b}])"
        yield Border(text, f"1/((1 + {a})*(1 + 2*{b}))", 2, "ω = 0")
