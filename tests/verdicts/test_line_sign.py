"""Tests of `verdicts/line_sign.py`."""

from __future__ import annotations

from fractions import Fraction
from itertools import product as pairs

import mpmath as mp
import numpy as np
import pytest
import sympy

import kernelspec as ks
from kernelspec.elaboration.scope import Columns
from kernelspec.measures.algebra.line import line_members
from kernelspec.measures.algebra.numbers import MultiprecisionNumbers
from kernelspec.measures.algebra.pieces import NotClosed
from kernelspec.measures.inversion import invert_line
from kernelspec.measures.realization import power, product, total
from kernelspec.special.closed_forms import DIGITS, Bessel, Falling, number
from kernelspec.special.closed_numbers import ClosedNumber, NotDecided
from kernelspec.verdicts.densities import RadialLaw, law_of_kernel
from kernelspec.verdicts.line_sign import LagBounds, sign_on_line
from kernelspec.verdicts.sturm import Polynomial, sign_on_half_line
from tests.measures.algebra import referees as r
from tests.measures.algebra.referees import measure_of_text
from tests.thoroughness import sweep

__all__ = ["EXAMPLES"]

EXAMPLES = {
    "gaussian": (
        Falling(-mp.log(2 * mp.pi) / 2, line=mp.mpf(1) / 2), lambda u: mp.exp(-u / 2) / mp.sqrt(2 * mp.pi)
    ),
    "laplace": (Falling(-mp.log(mp.pi), ((mp.mpf(1), mp.mpf(1)),)), lambda u: 1 / (mp.pi * (1 + u))),
    "cauchy": (Falling(mp.log(mp.mpf(1)), root=mp.mpf(2)), lambda u: mp.exp(-2 * mp.sqrt(u))),
    "student": (
        Falling(mp.mpf(1), ((mp.mpf(3) / 2, mp.mpf(4)), (mp.mpf(1), mp.mpf(1) / 7))),
        lambda u: mp.e * (1 + 4 * u) ** mp.mpf(-1.5) / (1 + u / 7),
    ),
    "bessel": (
        Falling(mp.mpf(0), bessel=Bessel(mp.mpf(2), mp.mpf(1) / 3, mp.mpf(3))),
        lambda u: 2 * (3 * mp.sqrt(u) / 2) ** (mp.mpf(1) / 3) * mp.besselk(mp.mpf(1) / 3, 3 * mp.sqrt(u)),
    ),
}  # fmt: skip


TEXTS = [
    "gaussian(scale=1.3)", "laplace(scale=2)", "cauchy(scale=0.7)", "triangle(width=1.5)", "sinc(bandwidth=2)",
    "exponential(scale=3)", "matern(nu=2/3, scale=0.4)", "rational_quadratic(alpha=7/4, scale=2)",
    "powered_exponential(alpha=1, scale=2)", "polya(gamma(shape=2, scale=3))", "bochner(gaussian(scale=2))",
    "bochner(cauchy(scale=2))", "bochner(cauchy(scale=2), isotropic=true)", "bochner(laplace(scale=3))",
    "bochner(student_t(dof=3, scale=2))", "bochner(student_t(dof=3, scale=2), isotropic=true)",
    "stretch(laplace(), [2, 5])", "stretch(exponential(), 3)", "gaussian()[1]*laplace(scale=2)[0]",
]  # fmt: skip


@pytest.mark.parametrize("text", TEXTS)
def test_densities_are_those_of_the_measure(text: str) -> None:
    spec = ks.parse(text)
    omega = np.random.default_rng(0).uniform(-2, 2, (4, 2))
    expected = ks.analyze(spec, dim=2).spectral_density_at(omega)
    with mp.workdps(DIGITS):
        law = law_of_kernel(spec.symbolic_kernel(Columns(2)), (0, 1))
        assert law is not None
        assert law.columns == (0, 1)
        found = [float(mp.exp(law.log([mp.mpf(w) for w in row]))) for row in omega]
    np.testing.assert_allclose(found, expected, rtol=1e-10)


def test_on_one_column_a_radial_law_is_a_product() -> None:
    with mp.workdps(DIGITS):
        kernel = ks.parse("matern(nu=2)").symbolic_kernel(Columns(1))
        assert not isinstance(law_of_kernel(kernel, (0,)), RadialLaw)


@pytest.mark.parametrize(
    "text", ["periodic(1)", "gaussian()*laplace()", "stretch(exponential(), [1, 2])", "shift(gaussian(), by=1)"]
)
def test_other_kernels_have_none(text: str) -> None:
    with mp.workdps(DIGITS):
        assert law_of_kernel(ks.parse(text).symbolic_kernel(Columns(2)), (0, 1)) is None


def test_symbols_are_no_numbers() -> None:
    kernel = ks.parse("param s > 0\ngaussian(scale=s)").symbolic_kernel(Columns(1))
    with pytest.raises(TypeError, match="not a number"):
        law_of_kernel(kernel, (0,))
    assert number(0.5) == 0.5


of = ClosedNumber.of
ROOTS = [Fraction(1, 2), 1, Fraction(10**6 + 1, 10**6), sympy.sqrt(2), sympy.sqrt(3) / 7, 1000]


def linear(root: object) -> Polynomial:
    return [-of(root), of(1)]


@pytest.mark.long
@pytest.mark.parametrize("number", sweep([-1, 1, sympy.pi, sympy.sqrt(3)], every=4))
def test_squares_are_not_negative_and_what_is_below_is(number: object) -> None:
    for first, second in pairs(ROOTS, ROOTS[:3]):
        square = power(product(linear(first), linear(second)), 2)
        scaled = [of(number) * c for c in square]
        assert sign_on_half_line(scaled).is_nonnegative == (of(number).sign() > 0)
        for distance in (Fraction(1, 10**12), Fraction(1, 10**30)):
            assert sign_on_half_line(total(square, [of(distance)])).is_nonnegative
            found = sign_on_half_line(total(square, [of(-distance)]))
            assert not found.is_nonnegative
            value = sum((c * found.place**n for n, c in enumerate(square)), of(-distance))
            assert value.sign() == -1


def test_roots_are_counted_and_those_of_odd_order_change_the_sign() -> None:
    double = power(linear(2), 2)
    assert sign_on_half_line(product(double, power(linear(3), 4))).roots == 2
    assert sign_on_half_line([of(1), of(0), of(1)]).roots == 0
    assert not sign_on_half_line(product(double, linear(3))).is_nonnegative
    assert sign_on_half_line(product(double, linear(-3))).is_nonnegative
    assert sign_on_half_line([of(0), of(0), of(3)]).is_nonnegative
    assert sign_on_half_line([]).is_nonnegative
    assert not sign_on_half_line([of(0), of(-1), of(1)]).is_nonnegative


def test_what_is_too_large_is_not_decided() -> None:
    with pytest.raises(NotDecided):
        sign_on_half_line([of((-1) ** n) for n in range(101)])


NUMBERS = MultiprecisionNumbers(60)


def bounds(text: str, power: int = 0) -> LagBounds:
    return LagBounds(line_members(r.measure_of_text(text), NUMBERS), NUMBERS, power)


def test_jumps_are_derivatives() -> None:
    """Of e^{−t²/2−t} at 0, and of (1 − t/2) e^{−t} at both its ends."""
    ((end, row),) = bounds("gaussian()*laplace()").jumps(4).items()
    assert end == 0
    assert [float(v) for v, _ in row] == pytest.approx([1, -1, 0, 2])
    found = {float(end): row for end, row in bounds("triangle(2)*laplace()").jumps(3).items()}
    assert [float(v) for v, _ in found[0.0]] == pytest.approx([1, -1.5, 2])
    assert [float(v) for v, _ in found[2.0]] == pytest.approx([0, mp.exp(-2) / 2, -mp.exp(-2)])
    assert [seen for _, seen in found[2.0]] == [False, True, True]


@pytest.mark.long
@pytest.mark.parametrize("order", [0, 2])
@pytest.mark.parametrize(
    ("text", "k"),
    [
        ("gaussian()*laplace()", r.product(r.gaussian(), r.laplace())),
        ("laplace()*cauchy()", r.product(r.laplace(), r.cauchy())),
        ("laplace()*cosine(2)", r.product(r.laplace(), r.cosine(2))),
    ],
)
def test_the_rest_is_bounded(text: str, k: r.Function, order: int) -> None:
    integral = mp.quad(lambda t: abs(mp.diff(lambda u: u * u * k(u), t, order)), mp.linspace(0.001, 20, 31))
    assert integral <= bounds(text, 2).rest(order)


PAIRS = [
    ("gaussian()*laplace()", "gaussian()"),
    ("laplace()*cauchy()", "gaussian(2)"),
    ("exponential()", "matern(nu=3/2)*exponential()"),
    ("triangle(2)*laplace()", "gaussian()"),
    ("laplace()*cosine(2)", "laplace()*gaussian()*triangle(3)"),
    ("matern(nu=3/2)*matern(nu=5/2)", "matern(nu=3/2)*matern(nu=3/2, scale=2)"),
]


@pytest.mark.long
@pytest.mark.parametrize(("over", "under"), PAIRS)
def test_both_sides_of_the_least_quotient(over: str, under: str) -> None:
    """The quotient on a grid by numerical inversion, which knows nothing of closed forms."""
    omega = np.concatenate([[0.0], 2.0 ** np.linspace(-4, 5, 400)])
    (p, doubt, _), (q, other, _) = (invert_line(measure_of_text(text), omega) for text in (over, under))
    known = (np.abs(p) > 1e3 * doubt) & (np.abs(q) > 1e3 * other)
    least = float(np.min(p[known & (q > 0)] / q[known & (q > 0)]))
    at = omega[known & (q > 0)][np.argmin(p[known & (q > 0)] / q[known & (q > 0)])]
    proved = sign_on_line(measure_of_text(f"{over} - {0.98 * least!r}*{under}"))
    disproved = sign_on_line(measure_of_text(f"{over} - {1.02 * least!r}*{under}"))
    assert disproved.answer == "disproved"
    assert disproved.density < 0
    assert proved.answer == "proved", (least, at)


def test_zero_and_the_smooth_are_left_open() -> None:
    """k − k touches zero everywhere; without a breakpoint there is no series to stand on."""
    assert (
        sign_on_line(measure_of_text("gaussian()*gaussian(2) - 0.1*gaussian()*cosine(1)*gaussian()")).answer != "proved"
    )
    with pytest.raises(NotClosed):
        sign_on_line(measure_of_text("matern(nu=1)*laplace()"))
    with pytest.raises(NotClosed):
        sign_on_line(measure_of_text("shift(laplace(), by=1)*gaussian()"))


@pytest.mark.slow
def test_a_tail_that_is_negative_far_out() -> None:
    """e^{−|t|} − 1.0001 e^{−|t|−t²}: the terms ω^{−2} nearly cancel, and what is left is negative."""
    found = sign_on_line(measure_of_text("laplace()*gaussian(2) - 1.0001*laplace()*gaussian(1)"))
    assert found.answer == "disproved"
    assert found.at > 1
