"""Tests of `measures/measure.py`."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest
import sympy
from scipy.integrate import quad

import kernelspec as ks
from benchmarks.random_densities import composite, ratios
from kernelspec.errors import NoDensityError, NotStationaryError, PlanError
from kernelspec.kernels.leaves.gaussian_directions import CoshGaussian, GaussianDirection, ShiftGaussian, SinhGaussian
from kernelspec.measures.convolution import Composed
from kernelspec.measures.measure import measure_of, measure_rule
from kernelspec.random.streams import Stream
from tests.measures import oracles as o
from tests.measures.oracles import measure_of_text
from tests.measures.random_composites import Composite, composites

KINDS = ["gaussian()", "2*laplace()", "gaussian()*laplace()", "stretch(cauchy(), [1, 2])", "sinc()[1]", "cosine(1)"]


@pytest.mark.parametrize("text", KINDS)
def test_no_draws_and_no_lags(text: str) -> None:
    measure = o.measure_of_text(text, 2)
    assert measure.sample(Stream(0), 0).shape == (0, 2)
    assert measure.characteristic_function(np.zeros((0, 2))).shape == (0,)


@pytest.mark.parametrize("text", KINDS)
def test_draws_depend_on_seed_and_place_alone(text: str) -> None:
    measure = o.measure_of_text(text, 2)
    draw = measure.sample(Stream(1, (0,)), 20)
    np.testing.assert_array_equal(draw, measure.sample(Stream(1, (0,)), 20))
    assert (draw != measure.sample(Stream(1, (1,)), 20)).any()
    assert (draw != measure.sample(Stream(2, (0,)), 20)).any()


@pytest.mark.parametrize("text", KINDS[4:])
def test_a_missing_density_is_refused_with_the_reason(text: str) -> None:
    measure = o.measure_of_text(text, 2)
    with pytest.raises(NoDensityError, match=re.escape(str(measure.without_density()))):
        measure.require_density()


STATIONARY = [
    "gaussian()", "0.3*laplace() + 0.7*gaussian()", "cauchy()*gaussian()", "gaussian()[0]*laplace()[1]",
    "stretch(matern(nu=3/2), [1, 2])", "shift(gaussian(), by=[0.5, 1])", "modulate(laplace(), by=1)",
    "tilt(gaussian(), by=0.3)", "gaussian() - 0.5*laplace()", "cosine(by=[1, 2])", "cauchy()**3",
]  # fmt: skip


@pytest.mark.parametrize("text", STATIONARY)
def test_the_transform_of_the_measure_is_the_kernel(text: str) -> None:
    """k(Δ) = ∫ exp(i ω·Δ) μ(dω), also where μ is complex."""
    lags = np.random.default_rng(0).uniform(-1, 1, (6, 2))
    found = measure_of_text(text, 2).characteristic_function(lags)
    expected = ks.parse(text).gram(lags, np.zeros((1, 2)))[:, 0]
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("linear()", "not a function of x"),
        ("match()", "there is no spectral measure|categories"),
        ("gaussian()*match()[0]", "there is no spectral measure|categories"),
        ("full(relu, input=image(1, 2, 1, base=circle()))", "mixture over all paths"),
    ],
)
def test_kernels_without_a_measure_say_why(text: str, reason: str) -> None:
    with pytest.raises(NotStationaryError, match=reason):
        measure_of_text(text, 2)


def test_a_class_without_a_rule_is_refused() -> None:
    with pytest.raises(TypeError, match="no rule for the spectral measure of object: register measure_rule"):
        measure_rule(object())  # type: ignore[arg-type]


def test_the_dual_of_an_exponential_over_a_polya_kernel_has_a_measure() -> None:
    facts = ks.analyze("dual(exp(c=1), polya(gamma(shape=2)))", dim=1)
    assert str(facts.spectral_measure).startswith("exp(-1)*DiracDelta(omega) + Sum(")
    assert (facts.masses.real_positive, facts.masses.total_variation) == (1, 1)
    with pytest.raises(NoDensityError, match="exactly zero"):
        _ = facts.spectral_density


def test_a_compound_poisson_law_of_cauchy_variables() -> None:
    measure = measure_of_text("dual(exp(c=1), laplace())", 1)
    assert isinstance(measure, Composed)
    assert measure.at_zero == pytest.approx(math.exp(-1), rel=1e-14)
    lags = np.array([[0.0], [0.3], [2.0]])
    np.testing.assert_allclose(measure.characteristic_function(lags), np.exp(np.exp(-lags[:, 0]) - 1), rtol=1e-14)
    drawn = measure.sample(Stream(1), 40_000)
    waves = np.cos(drawn @ lags.T)
    gap = waves.mean(axis=0) - np.exp(np.exp(-lags[:, 0]) - 1)
    assert (np.abs(gap[1:]) < 5 * waves.std(axis=0)[1:] / 200).all()  # 6e-7 a false alarm
    assert abs((drawn == 0).mean() - math.exp(-1)) < 5 * math.sqrt(0.25 / 40_000)


def test_sums_of_very_many_frequencies_are_drawn_at_once_or_refused() -> None:
    """σ = e^{−ax²} is almost a point for a = 1e50: half of the degrees exceed any number."""
    text = "dual(gaussian(a=1e50), {})"
    found = ks.analyze(text.format("gaussian()"), dim=1).simulated_error(np.zeros((2, 1)), n=8, delta=0.1)
    assert found.error < 1e-12  # equal rows
    with pytest.raises(PlanError, match="can be drawn"):
        ks.analyze(text.format("matern(3/2)"), dim=1).simulated_error(np.zeros((2, 1)), n=8, delta=0.1)


def test_without_a_constant_term_there_is_a_density() -> None:
    """The dual of x is k itself, and of (x² − 1)/√2 is k²."""
    for text, plain in (("dual(identity, gaussian())", "gaussian()"), ("dual(hermite(2), laplace())", "laplace(1/2)")):
        omega = np.array([[0.0], [1.3], [4.0]])
        facts = ks.analyze(text, dim=1)
        gap = facts.spectral_density_at(omega) - ks.analyze(plain, dim=1).spectral_density_at(omega)
        assert (np.abs(gap) <= facts.spectral_density_error_at(omega) + 1e-15).all()


def test_the_second_moment_is_that_of_the_mean_degree() -> None:
    facts = ks.analyze("dual(exp(c=2), gaussian(scale=3))", dim=2)
    assert float(facts.second_moment) == pytest.approx(2 * 2 / 9, rel=1e-12)  # E l = c


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("dual(exp(c=1), gaussian() - 0.5*gaussian(2))", 7 / 8),
        ("dual(erf, gaussian() - 0.4*gaussian(2))", 0.9 * 2 / 3 / math.sqrt(1 - 0.4**2) / math.asin(0.4)),
        ("dual(exp(c=1), shift(gaussian(), by=1))", math.nan),
    ],
)
def test_the_second_moment_of_a_dual_over_a_signed_kernel_is_that_of_its_values(text: str, moment: float) -> None:
    """−k″(0)/k(0) for k = σ̂(u): −u″(0) σ̂′(u(0))/σ̂(u(0)), σ̂ of degrees with k(0), not with the mass."""
    assert float(ks.analyze(text, dim=1).second_moment) == pytest.approx(moment, rel=1e-12, nan_ok=True)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("dual(exp(c=s), gaussian())", "s"), ("dual(exp(c=2), s*gaussian())", "2*s"),
        ("dual(cos(a=s), gaussian(scale=3))", "s**2*tanh(s**2)/9"), ("dual(gaussian(a=s), laplace())", "oo"),
        ("dual(exp(c=1), gaussian(s) + s*gaussian())", "1/s**2 + s"),
    ],
)  # fmt: skip
def test_the_second_moment_of_a_dual_with_a_free_parameter(text: str, moment: str) -> None:
    facts = ks.analyze(f"param s > 0\n{text}", dim=1)
    s = sympy.Symbol("s", positive=True)
    found = sympy.sympify(facts.second_moment)
    for value in (sympy.Rational(1, 2), sympy.Rational(3, 2)):
        at = found.subs(dict.fromkeys(found.free_symbols, value))
        expected = sympy.sympify(moment, locals={"s": s}).subs(s, value)
        assert at == expected or abs(sympy.N(at - expected)) < 1e-12
    assert facts.report()


@pytest.mark.parametrize(
    ("text", "dim", "moment"),
    [
        ("exponential() - 3*exponential(scale=2)", 1, "oo"),  # k/k(0) = 1 − |t|/4 + …
        ("exponential() - 3*exponential(scale=2)", 2, "oo"),
        ("3*exponential() - exponential(scale=2)*cosine(by=9)[0]", 1, "oo"),
        ("exponential() - 2*exponential(scale=2)", 1, "1/2"),  # the kinks cancel
        ("2*exponential() - 3*exponential(scale=2) - 3*gaussian()", 1, "-oo"),  # −k′(0)/k(0) = −1/8
        ("3*exponential(scale=2) - 2*exponential()", 1, "-oo"),
        ("triangle() - 2*triangle(width=2)", 1, "nan"),  # further kinks at 1 and 2
        ("0*gaussian()", 1, "nan"),
    ],
)
def test_the_second_moment_of_a_difference_follows_its_kink_at_zero(text: str, dim: int, moment: str) -> None:
    """The density over k(0) falls like −k′(0)/k(0) πω², unless kinks elsewhere count too."""
    facts = ks.analyze(text, dim=dim)
    assert str(facts.second_moment) == moment
    assert "E‖ω‖²" in facts.report()


@pytest.mark.parametrize(
    ("text", "k", "equal"),
    [
        ("cauchy(scale=a)*cauchy(scale=b)", lambda t, a, b: 1 / (1 + (t / a) ** 2) / (1 + (t / b) ** 2), (1, 1)),
        (
            "bochner(laplace(scale=a))*bochner(laplace(scale=b))*gaussian()",
            lambda t, a, b: math.exp(-t * t / 2) / (1 + (t * a) ** 2) / (1 + (t * b) ** 2),
            (2, 2),
        ),
        (
            "rational_quadratic(alpha=2, scale=a)*cauchy(scale=b)",
            lambda t, a, b: 1 / (1 + (t / a / 2) ** 2) ** 2 / (1 + (t / b) ** 2),
            (1, 2),
        ),
    ],
)
def test_a_density_with_free_scales_holds_where_they_coincide(text: str, k: Any, equal: tuple[float, float]) -> None:
    """The general form divides by the difference of the rates. Against ∫ k(t) cos(ωt) dt/π."""
    density = ks.analyze(f"param a > 0\nparam b > 0\n{text}", dim=1).spectral_density
    assert not density.has(sympy.Integral)
    omega = sympy.Symbol("omega", real=True)
    for pair in (equal, (1, 3)):
        values = {symbol: dict(zip("ab", pair, strict=True))[symbol.name] for symbol in density.free_symbols - {omega}}
        for w in (0.0, 0.7):
            expected = quad(lambda t, w=w, pair=pair: k(t, *pair) * math.cos(w * t), 0, 600, limit=4000)[0] / math.pi
            assert complex(density.subs(values | {omega: w})) == pytest.approx(expected, abs=1e-7)


@pytest.mark.parametrize(
    ("text", "dim"),
    [
        ("param a\nparam b\ncauchy(scale=a)*cauchy(scale=b)", 1),
        ("param a\ncauchy(scale=a)*cauchy(scale=2)", 1),
        ("param a\nparam b\ncauchy(scale=a)**2*cauchy(scale=b)", 1),
        ("param a > 0\nparam b > 0\ncauchy(scale=a)*cauchy(scale=b)*cauchy(scale=3)", 3),
    ],
)
def test_a_density_with_scales_of_unknown_sign_or_of_three_factors_is_closed(text: str, dim: int) -> None:
    """Coincidences of rates add cases to a closed form, and never take it away."""
    assert not ks.analyze(text, dim=dim).spectral_density.has(sympy.Integral)


CLASSES = [ShiftGaussian, SinhGaussian, CoshGaussian]


@pytest.mark.parametrize("cls", CLASSES)
def test_density_transforms_to_the_kernel(cls: type[GaussianDirection]) -> None:
    measure = measure_of(cls(scale=0.8, by=(0.7,), dim=1))

    def part(omega: float, lag: float) -> complex:
        return complex(measure.density(np.array([[omega]]))[0] * np.exp(1j * omega * lag))

    for lag in (0.0, 0.6, -1.4):
        real, imaginary = (
            quad(lambda w, f=f, t=lag: f(part(w, t)), -15, 15, epsabs=1e-12, limit=300)[0] for f in (np.real, np.imag)
        )
        assert real == pytest.approx(float(measure.characteristic_function(np.array([[lag]]))[0]), abs=1e-11)
        assert imaginary == pytest.approx(0, abs=1e-11)


@pytest.mark.parametrize("cls", CLASSES)
def test_conjugate_symmetry_and_expression(cls: type[GaussianDirection]) -> None:
    by = (sympy.Rational(1, 2), sympy.Rational(-1, 4))
    name = {ShiftGaussian: "shift", SinhGaussian: "sinh", CoshGaussian: "cosh"}[cls]
    facts = ks.analyze(f"{name}_gaussian(scale=1.25, by=[0.5, -0.25])", dim=2)
    omega = np.random.default_rng(0).standard_normal((4, 2))
    density = facts.spectral_density_at(omega)
    np.testing.assert_allclose(facts.spectral_density_at(-omega), density.conj(), rtol=1e-13)
    symbols = sympy.symbols("omega_1 omega_2", real=True)
    for point, value in zip(omega, density, strict=True):
        found = complex(facts.spectral_density.subs(dict(zip(symbols, point, strict=True))).evalf(20))
        assert found == pytest.approx(value, rel=1e-11)
    assert measure_of(cls(scale=sympy.Rational(5, 4), by=by, dim=2)).is_complex


@pytest.mark.parametrize("cls", CLASSES)
def test_second_moment_is_the_curvature(cls: type[GaussianDirection]) -> None:
    measure = measure_of(cls(scale=1.2, by=(0.7, -0.3), dim=2))
    matrix = np.array([[0.5, -1.0], [1.5, 0.25], [0.0, 2.0]])
    h = 1e-3
    for given, directions in ((None, np.eye(2)), (1.5, 1.5 * np.eye(2)), (matrix, matrix)):
        k0 = measure.characteristic_function(np.zeros((1, 2)))[0]
        ahead, behind = (measure.characteristic_function(s * h * directions) for s in (1, -1))
        curvature = -float(np.sum(ahead + behind - 2 * k0)) / h**2 / k0
        assert float(measure.second_moment(given)) == pytest.approx(curvature, rel=1e-4)


FEW = 16
POINTS = {1: [[0.0], [0.7], [-1.9]], 2: [[0.0, 0.0], [0.6, -1.1]]}


def deviations(composite: Composite) -> list[tuple[float, float, float]]:
    """At every point the distance from quadrature, the error stated, and that of the quadrature."""
    facts = ks.analyze(composite.text, dim=composite.dim)
    points = np.array(POINTS[composite.dim])
    found, stated = facts.spectral_density_at(points), facts.spectral_density_error_at(points)
    expected = [composite.density(point) for point in points.tolist()]
    return [
        (abs(complex(value) - right), float(error), doubt)
        for value, error, (right, doubt) in zip(found, stated, expected, strict=True)
    ]


def judge(composite: Composite) -> str:
    """`right`, `refused` with a reason, or what is wrong."""
    try:
        found = deviations(composite)
    except (NoDensityError, NotStationaryError) as error:
        return f"refused: {error}"
    for distance, stated, doubt in found:
        # closed forms state no error: they are right to rounding
        if not distance <= stated + doubt + 2e-14:
            return f"wrong: off by {distance:.2g}, stated {stated:.2g}, quadrature {doubt:.2g}"
        if stated > 1e-8:
            return f"vague: states an error of {stated:.2g}"
    return "right"


@pytest.mark.slow
@pytest.mark.parametrize("composite", composites(11, FEW), ids=lambda composite: composite.text)
def test_the_density_is_that_of_quadrature(composite: Composite) -> None:
    verdict = judge(composite)
    assert verdict == "right" or verdict.startswith("refused: "), verdict


@pytest.mark.long
def test_differences_are_within_the_error_bars() -> None:
    """Twelve on the line; python -m benchmarks.random_densities has two hundred, half of them in the plane."""
    generator = np.random.default_rng(8)
    for i in range(12):
        text = composite(generator, 1, asymmetric=i % 2 == 1)
        assert (ratios(text, generator.uniform(-3, 3, (3, 1))) <= 1).all(), text


@pytest.mark.parametrize(("text", "moment"), [("tanh(r)/r", 2.0), ("1/(1 + r)", math.inf)])
def test_second_moments_of_formulas_follow_their_start(text: str, moment: float) -> None:
    """tanh(r)/r = 1 − r²/3 + …, and −3 times its second derivative is 2; a kink at 0 has none."""
    assert float(ks.analyze(f"radial(r -> {text})", dim=3).second_moment) == pytest.approx(moment)
