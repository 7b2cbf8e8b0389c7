"""Tests of `verdicts/ties.py`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise, product
from typing import Any, NamedTuple

import mpmath
import pytest
import sympy
from click.testing import CliRunner

import kernelspec as ks
from kernelspec.cli import main
from tests.thoroughness import half
from tests.verdicts.tie_theorems import Border, theorems

__all__ = ["DISTANCES", "Case", "borders", "cases", "squares"]

DISTANCES = ("1e-12", "1e-16", "1e-20", "1e-25", "1e-30")


class Case(NamedTuple):
    """A spec, the number of its columns, whether it is positive definite there, and why."""

    text: str
    dim: int
    is_positive_definite: bool
    source: str


def borders() -> Iterator[Border]:
    """All families."""
    for family in (
        _laplace,
        _gaussian,
        _cosine,
        _matern,
        _cauchy,
        _exponential,
        _triangle,
        _sinc,
        _numerical,
        _touching,
        _formula,
    ):
        yield from family()


def cases() -> Iterator[Case]:
    """The borders themselves, and kernels at `DISTANCES` from them; the ends of these for further theorems."""
    own = tuple(borders())
    for border in (*own, *theorems()):
        if border.is_exact:
            yield Case(border.text.format(c=f"({border.largest})"), border.dim, True, border.source)
        for distance, sign in product(DISTANCES if border in own else ("1e-12", "1e-30"), "-+"):
            weight = f"({border.largest})*(1{sign}{distance})"
            yield Case(border.text.format(c=weight), border.dim, sign == "-", border.source)
    yield from squares()


def _laplace() -> Iterator[Border]:
    """a/(1 + a²ω²) − c b/(1 + b²ω²): linear in ω² over the denominators, so the ends decide: c ≤ min(a/b, b/a)^d."""
    for a, b, quotient in (
        ("1", "2", "1/2"), ("1/3", "2/7", "6/7"), ("sqrt(2)", "1", "sqrt(2)/2"), ("1", "pi", "1/pi"),
        ("exp(1)", "1", "exp(-1)"), ("sqrt(2)", "sqrt(3)", "sqrt(6)/3"), ("2**(1/3)", "1", "2**(-1/3)"),
    ):  # fmt: skip
        for dim in (1, 2):
            yield Border(f"laplace(scale={a}) - {{c}}*laplace(scale={b})", f"({quotient})**{dim}", dim, "ends in ω²")


def _gaussian() -> Iterator[Border]:
    """a^d e^{−a²u/2} − c b^d e^{−b²u/2}, b > a: the quotient falls from u = 0 on, c ≤ (a/b)^d."""
    for a, b, quotient in (
        ("1", "2", "1/2"), ("1", "sqrt(2)", "sqrt(2)/2"), ("1/3", "pi", "1/(3*pi)"), ("1", "101/100", "100/101"),
        ("sqrt(2)", "sqrt(3)", "sqrt(6)/3"), ("1", "exp(1/2)", "exp(-1/2)"),
    ):  # fmt: skip
        for dim in (1, 2, 3):
            yield Border(f"gaussian(scale={a}) - {{c}}*gaussian(scale={b})", f"({quotient})**{dim}", dim, "ω = 0")


def _cosine() -> Iterator[Border]:
    """laplace·cos(wt) over laplace is (1 + u)(1 + u + w²)/((1 + u + w²)² − 4w²u), least at u = 0: 1/(1 + w²)."""
    for w, square in (("1", "1"), ("2", "4"), ("sqrt(2)", "2"), ("1/3", "1/9"), ("sqrt(3)/2", "3/4"), ("pi", "pi**2")):
        yield Border(f"laplace()*cosine({w}) - {{c}}*laplace()", f"1/(1 + {square})", 1, "ω = 0")
        yield Border(f"modulate(laplace(), by={w}) - {{c}}*laplace()", f"1/(1 + {square})", 1, "ω = 0")


def _matern() -> Iterator[Border]:
    """s(3 + u)²/(6√3(1 + s²u)) is least at u = 3 − 2/s² if that is above 0, there 2(3s² − 1)/(3√3 s³)."""
    for s, border in (
        ("1", "4*sqrt(3)/9"), ("2", "11*sqrt(3)/36"), ("sqrt(2)", "5*sqrt(3)/(9*sqrt(2))"), ("1/2", "sqrt(3)/4"),
        ("5/3", "22*2*sqrt(3)*27/(9*3*125)"), ("sqrt(3)", "16/27"),
    ):  # fmt: skip
        yield Border(f"laplace(scale={s}) - {{c}}*matern(3/2)", border, 1, "ω² = 3 − 2/s² or 0")
    yield Border("3*sqrt(3)*laplace() - {c}*matern(3/2)", "4", 1, "ω = 1")
    yield Border("pi*laplace() - {c}*matern(3/2)", "4*pi*sqrt(3)/9", 1, "ω = 1")


def _cauchy() -> Iterator[Border]:
    """(s/2)e^{−sω} over (t/√2π)e^{−t²ω²/2} is least at ω = s/t²: (s/t)√(π/2) e^{−s²/2t²}; powers of v = e^{−ω}."""
    yield Border("cauchy() + cauchy(scale=3) - {c}*cauchy(scale=2)", "sqrt(3)", 1, "1 − 2√3v + 3v² is a square")
    yield Border("cauchy()**2 - {c}*cauchy()", "1/2", 1, "(1 + ω)/4 at ω = 0")
    yield Border("cauchy()*sinc() - {c}*cauchy()", "1 - exp(-1)", 1, "1 − cosh(ω)/e at ω = 0, sinh(1)e^{−ω} from 1 on")
    for s, t, square in (("1", "1", "1"), ("2", "1", "4"), ("1", "sqrt(2)", "1/2"), ("1/2", "1/3", "9/4")):
        border = f"({s})/({t})*sqrt(pi/2)*exp(-({square})/2)"
        yield Border(f"cauchy(scale={s}) - {{c}}*gaussian(scale={t})", border, 1, "ω = s/t²")


def _exponential() -> Iterator[Border]:
    """s^d (1 + s²u)^{−(d+1)/2}: the quotient of two is monotone in u, c ≤ s^{−d} for s > 1 and c ≤ s for s < 1."""
    for dim in (2, 3):
        for s in ("2", "sqrt(2)", "3/2", "pi"):
            yield Border(f"exponential() - {{c}}*exponential(scale={s})", f"({s})**(-{dim})", dim, "ω = 0")
        for s in ("1/2", "sqrt(2)/2", "1/pi"):
            yield Border(f"exponential() - {{c}}*exponential(scale={s})", s, dim, "ω → ∞")


def _triangle() -> Iterator[Border]:
    """(1 − cos wω)/wω²: of widths 1 and 2 the quotient is 2cos²(ω/2)."""
    yield Border("triangle() - {c}*triangle(width=2)", "1/2", 1, "ω = 0")
    yield Border("triangle(width=sqrt(2)) - {c}*triangle(width=2*sqrt(2))", "1/2", 1, "ω = 0")
    yield Border("triangle(width=pi) - {c}*triangle(width=3*pi)", "1/3", 1, "sin²3x/sin²x ≤ 9")
    for m, width in ((3, "sqrt(3)/2"), (5, "1/7"), (5, "sqrt(2)"), (7, "sqrt(2)"), (9, "sqrt(3)/2")):  # zeros in common
        yield Border(f"triangle(width={width}) - {{c}}*triangle(width={m}*{width})", f"1/{m}", 1, "sin²mx/sin²x ≤ m²")
    # 1 − x + a(1 − T₂(x)) − c(1 − T₃(x))/3 over 1 − x: 1 + 2a(1 + x) − c(2x + 1)²/3, a = 1/4, worst at x = 1
    yield Border("triangle() + 1/2*triangle(width=2) - {c}*triangle(width=3)", "2/3", 1, "ω = 0")


def _sinc() -> Iterator[Border]:
    """Bands: the band of half width b has the density 1/2b on [−b, b], powers are splines."""
    yield Border("sinc() - {c}*sinc(bandwidth=1/2)", "1/2", 1, "ω = 0")
    yield Border("sinc()**2 - {c}*sinc()", "1/2", 1, "(2 − |ω|)/4 at ω = 1")
    yield Border("sinc()**3 - {c}*sinc()", "1/2", 1, "(3 − ω²)/8 at ω = 1")
    yield Border("sinc()*sinc(bandwidth=2) - {c}*sinc()", "1/2", 1, "1/4 up to ω = 1")
    yield Border("sinc(bandwidth=sqrt(2))**2 - {c}*sinc(bandwidth=sqrt(2))", "1/2", 1, "(2√2 − |ω|)/8 at ω = √2")
    double = "(ω² − 1/4)²/128 up to ω = 1, by 115/384 − 5ω²/64 + ω⁴/128 and (3 − ω²)/8"
    yield Border("sinc()**5 - 19/32*sinc()**3 - {c}*sinc()", "469/3072", 1, double)


def _numerical() -> Iterator[Border]:
    """Borders without a closed form, by golden section with 100 digits: c = min p/q over ω."""
    with mpmath.workdps(100):
        root5, pi = mpmath.sqrt(5), mpmath.pi
        m52 = lambda u: mpmath.mpf(8) / 3 * 25 * root5 / (5 + u) ** 3 / pi  # noqa: E731
        m32 = lambda u: 6 * mpmath.sqrt(3) / (3 + u) ** 2 / pi  # noqa: E731
        lap = lambda u: 1 / (1 + u) / pi  # noqa: E731
        wave = lambda w: lambda u: (1 + u + w * w) / ((1 + u + w * w) ** 2 - 4 * w * w * u) / pi  # noqa: E731
        gauss = lambda u: mpmath.exp(-u / 2) / mpmath.sqrt(2 * pi)  # noqa: E731
        for over, under, p, q, low, high in (
            ("laplace()", "matern(5/2)", lap, m52, 0, 20),
            ("matern(3/2)", "matern(5/2)", m32, m52, 0, 20),
            ("laplace()", "laplace()*cosine(2)", lap, wave(mpmath.mpf(2)), 0, 30),
            ("laplace()", "laplace()*cosine(1/2)", lap, wave(mpmath.mpf(1) / 2), 0, 30),
            ("matern(3/2)", "gaussian()", m32, gauss, 0, 20),
        ):
            least = _least(lambda u, p=p, q=q: p(u) / q(u), mpmath.mpf(low), mpmath.mpf(high))
            yield Border(f"{over} - {{c}}*{under}", mpmath.nstr(least, 80), 1, "the least quotient", False)


def _touching() -> Iterator[Border]:
    """v p(3) + w p(1/3) − p(1) of scales 3, 1/3 and 1 with a double root at ω = 1: weights by a linear system."""
    pi = mpmath.pi
    families: dict[str, tuple[int, Any]] = {
        "exponential(scale={s})": (2, lambda s, u: s**2 / (1 + s * s * u) ** 1.5),
        "gaussian(scale={s})": (1, lambda s, u: s * mpmath.exp(-s * s * u / 2)),
        "gaussian(scale=sqrt({s}))": (2, lambda s, u: s * mpmath.exp(-s * u / 2)),
        "matern(1, scale={s})": (1, lambda s, u: 2 * s * pi / 2 / (2 + s * s * u) ** 1.5),
        "laplace(scale={s})": (1, lambda s, u: s / (1 + s * s * u)),
        "cauchy(scale={s})": (1, lambda s, u: pi * s / 2 * mpmath.exp(-s * mpmath.sqrt(u))),
    }
    gaussian = {"gaussian()": lambda u: mpmath.sqrt(pi / 2) * mpmath.exp(-u / 2)}
    with mpmath.workdps(110):
        three, third, one = mpmath.mpf(3), 1 / mpmath.mpf(3), mpmath.mpf(1)
        for text, (dim, p) in families.items():
            own = {text.format(s="1"): lambda u, p=p: p(one, u)}
            for under, q in (own | gaussian if text.startswith(("laplace", "cauchy")) else own).items():
                columns = [lambda u, p=p, s=s: p(s, u) for s in (three, third)]
                rows = [[f(one) for f in columns], [mpmath.diff(f, one) for f in columns]]
                v, w = mpmath.lu_solve(mpmath.matrix(rows), mpmath.matrix([q(one), mpmath.diff(q, one)]))
                assert min(v, w) > 0
                over = [f"{mpmath.nstr(x, 90)}*{text.format(s=s)}" for x, s in ((v, "3"), (w, "(1/3)"))]
                yield Border(f"{over[0]} + {over[1]} - {{c}}*{under}", "1", dim, "a double root at 1", False)


def _formula() -> Iterator[Border]:
    """Formulas whose dimensions are known: math.md section 13, and Yaglom 1987 for the damped cosine."""
    yield Border("radial(r -> exp(-r)*cos({c}*r))", "1", 2, "d arctan b ≤ π/2")
    yield Border("radial(r -> exp(-r)*cos({c}*r))", "1/sqrt(3)", 3, "d arctan b ≤ π/2")
    for dim in (1, 2, 3):
        yield Border("radial(r -> (1 + {c}*r)*exp(-r))", "1", dim, "−1/d ≤ c ≤ 1")
        yield Border("radial(r -> (1 - {c}*r**2)*exp(-r**2/2))", f"1/{dim}", dim, "0 ≤ c ≤ 1/d")


def _least(function: Any, low: Any, high: Any) -> Any:
    share = (mpmath.sqrt(5) - 1) / 2
    grid = [low + (high - low) * n / 400 for n in range(401)]
    best = min(range(401), key=lambda n: function(grid[n]))
    low, high = grid[max(best - 1, 0)], grid[min(best + 1, 400)]
    while high - low > mpmath.mpf(10) ** -48:
        left, right = high - share * (high - low), low + share * (high - low)
        low, high = (low, right) if function(left) < function(right) else (left, high)
    return function((low + high) / 2)


def squares() -> Iterator[Case]:
    """((u − r)² ± δ)/∏(a_i² + u) by partial fractions, Σ (A_i/a_i) laplace(1/a_i), and (v − r)²v ± δ of Gaussians.

    On one column the density of laplace(1/a) is a/π(a² + u); that of gaussian(√m) is a multiple √m of v^m.
    """
    for roots, r, delta in product(((1, 2, 3), (1, Fraction(1, 2), 5)), (1, Fraction(3, 7), 2), ("0", *DISTANCES)):
        for sign in "+-" if delta != "0" else "+":
            terms = []
            for a in map(Fraction, roots):
                below = Fraction(1)
                for b in map(Fraction, roots):
                    below *= b * b - a * a if a != b else 1
                terms.append(f"({(a * a + r) ** 2} {sign} {delta})*({1 / below / a})*laplace(scale={1 / a})")
            source = "a square over a positive polynomial"
            yield Case(" + ".join(terms), 1, sign == "+", source)
            scaled = [t.replace("laplace", "1/sqrt(2)*laplace").replace("(scale=", "(scale=sqrt(2)*") for t in terms]
            yield Case(" + ".join(scaled), 1, sign == "+", source)
    for r, delta in product((Fraction(1, 2), Fraction(2, 3), Fraction(1, 7)), ("0", *DISTANCES)):
        for sign in "+-" if delta != "0" else "+":
            yield Case(
                f"({r * r} {sign} {delta})*gaussian() - {2 * r}/sqrt(2)*gaussian(scale=sqrt(2))"
                " + 1/sqrt(3)*gaussian(scale=sqrt(3))",
                1, sign == "+", "a square in exp(−ω²/2)",
            )  # fmt: skip


ALL = tuple(cases())

AUDIT = [
    Case("laplace()*cosine(sqrt(2)) - 1/3*laplace()", 1, True, "4ω² + 2ω⁴ beside a positive denominator"),
    Case("laplace() - 4*sqrt(3)/9*matern(3/2)", 1, True, "(ω² − 1)²"),
    Case("cauchy() - sqrt(pi/2)*exp(-1/2)*gaussian()", 1, True, "e^{−ω} ≥ e^{−1/2 − ω²/2}"),
    Case("3*sqrt(3)*laplace() - (4 + 1e-25)*matern(3/2)", 1, False, "negative at ω = 1"),
    Case("radial(r -> 3/r**2*(sin(r)/r - cos(r)))", 1, True, "the uniform law on a ball of R³, projected"),
    Case("radial(r -> 6/r**2*(1 - sin(r)/r))", 1, True, "a mixture of sinc²"),
    Case("radial(r -> 3/r**2*(1 - tanh(r)/r))", 1, True, "partial fractions of positive weight"),
]
"""Each was decided wrongly."""

NEAR = [
    Case("2*gaussian() - gaussian(scale=1 - 1e-40)", 1, False, "the heavier tail, by exp(1e-40·ω²)"),
    Case("2*gaussian() - gaussian(scale=1 + 1e-40)", 1, True, "the lighter tail"),
    Case("2*matern(1 + 1e-40) - matern(1)", 1, False, "the heavier tail, by ω^(2e-40)"),
    Case("2*matern(1) - matern(1 + 1e-40)", 1, True, "the lighter tail"),
    Case("2*cauchy() - cauchy(scale=1 - 1e-40)", 1, False, "the heavier tail"),
    Case("2*sinc() - sinc(bandwidth=1 + 1e-40)", 1, False, "mass outside of the band"),
    Case("2*triangle() - triangle(width=1 + 1e-40)", 1, False, "the densities have zeros at 2π and a little before"),
    Case("cosine(by=1) - 0.5*cosine(by=1 + 1e-40)", 1, False, "a negative atom"),
    Case("cosine(by=(1 + sqrt(2))**2) - 0.5*cosine(by=3 + 2*sqrt(2))", 1, True, "one frequency"),
    Case("gaussian(scale=(1 + sqrt(2))**2) - 0.5*gaussian(scale=3 + 2*sqrt(2))", 1, True, "one scale"),
    Case("gaussian()[1, 0] - 0.5*gaussian()[0, 1]", 2, True, "one kernel"),
    Case("stretch(gaussian(), [1, 2])[1, 0] - 0.5*stretch(gaussian(), [2, 1])", 2, True, "one kernel"),
]
"""Numbers that thirty digits do not tell apart, and kernels written in two ways."""


def answer(case: Case) -> str:
    """ "right", "unknown" or "wrong"."""
    found = ks.analyze(ks.parse(case.text), dim=case.dim).verdict.positive_definite
    expected = "proved" if case.is_positive_definite else "disproved"
    return "right" if found == expected else "unknown" if found == "unknown" else "wrong"


def test_there_are_enough_of_them() -> None:
    assert len(ALL) == len(set(ALL)) >= 1000


@pytest.mark.slow
@pytest.mark.parametrize(
    "case",
    [pytest.param(case, marks=[pytest.mark.long] * case.text.startswith("radial"), id=case.text) for case in AUDIT],
)
def test_cases_of_the_audit(case: Case) -> None:
    assert answer(case) != "wrong"


@pytest.mark.slow
@pytest.mark.parametrize("case", NEAR, ids=lambda case: case.text)
def test_numbers_that_are_nearly_equal_are_told_apart(case: Case) -> None:
    assert answer(case) != "wrong"


def test_a_reader_can_check_the_signs() -> None:
    found = CliRunner().invoke(main, ["check", "-e", "3*sqrt(3)*laplace() - 4*matern(3/2)", "--dim", "1", "--steps"])
    x = sympy.Symbol("x")
    lines = dict(re.findall(r"(S_\d|P)\(x\) = ([^,\n]*)", found.output))
    chain = [sympy.parse_expr(lines[name], {"x": x}) for name in ("P", "S_0", "S_1")]
    assert sympy.factor(chain[0] / chain[1]).is_positive
    assert sympy.simplify(sympy.diff(chain[0], x) / chain[2]).is_positive
    assert sympy.rem(chain[1], chain[2], x) == 0
    for place, changes, value in re.findall(r"changes of sign at x = (\S+): (\d+); P\(\S+\) = (.*)", found.output):
        signs = [sympy.sign(member.subs(x, sympy.Rational(place))) for member in chain[1:]]
        assert int(changes) == sum(bool(a * b < 0) for a, b in pairwise(signs))
        assert chain[0].subs(x, sympy.Rational(place)) == sympy.parse_expr(value) > 0
    assert "distinct roots: 1" in found.output


def test_a_disproof_has_an_exact_value() -> None:
    verdict = ks.analyze("3*sqrt(3)*laplace() - (4 + 1e-25)*matern(3/2)", dim=1).verdict
    assert verdict.steps[-1] == "P(1) = -3*sqrt(3)/2500000000000000000000000 < 0"
    assert verdict.to_dict()["steps"] == list(verdict.steps)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "status", "words"),
    [
        ("3*sqrt(3)*laplace() - (4 + 1e-25)*matern(3/2)", 1, "disproved"),
        ("3*sqrt(3)*laplace() - (4 - 1e-25)*matern(3/2)", 0, "proved"),
        ("3*sqrt(3)*laplace() - 4*matern(3/2)", 0, "proved"),
    ],
)
def test_the_command_line_decides_them_too(text: str, status: int, words: str) -> None:
    found = CliRunner().invoke(main, ["check", "-e", text, "--dim", "1"])
    assert found.exit_code == status
    assert words in found.output


@pytest.mark.slow
def test_a_few_of_each_family() -> None:
    answers = Counter(answer(case) for case in ALL[3::90])
    assert answers["wrong"] == 0
    assert answers["unknown"] <= 0.05 * answers.total()


_PARTS = 8


@pytest.mark.long
@pytest.mark.parametrize("part", half(range(_PARTS)))
def test_all_of_them(part: int) -> None:
    answers = {case: answer(case) for case in ALL[part::_PARTS]}
    assert {case.text for case, found in answers.items() if found == "wrong"} == set()
    unknown = [case.text for case, found in answers.items() if found == "unknown"]
    assert len(unknown) <= 0.01 * len(answers), unknown
