"""Tests of `distributions/distribution.py`."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, dataclass
from typing import Any, ClassVar

import numpy as np
import pytest
import scipy.stats
import sympy
from scipy.integrate import quad
from scipy.stats import kstest

from kernelspec.catalogue import DISTRIBUTIONS
from kernelspec.distributions.discrete import Discrete, ShiftedPoisson
from kernelspec.distributions.distribution import (
    Distribution,
    Isotropic,
    Positive,
    Scaled,
    load_distribution,
    square_root,
)
from kernelspec.distributions.power_tails import InverseGamma, Pareto
from kernelspec.distributions.symmetric import Cauchy, Gaussian, Laplace, StudentT
from kernelspec.distributions.uniform import Uniform
from kernelspec.errors import DimensionError, NoDensityError, RangeError, UnknownNameError
from kernelspec.expressions.arguments import Scalar, declared, real
from kernelspec.kernels.leaves.coordinatewise import Triangle
from kernelspec.kernels.leaves.of_distributions import Polya
from kernelspec.loading import Source, Span
from kernelspec.random.streams import Stream
from kernelspec.testing.laboratory import assert_mean


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_entry(name):
    cls = load_distribution(name)
    assert issubclass(cls, Distribution)
    assert cls.name == name
    assert cls.formula
    assert cls.reference
    assert list(DISTRIBUTIONS) == sorted(DISTRIBUTIONS)


def test_unknown_name():
    with pytest.raises(UnknownNameError, match="unknown distribution 'normal': use one of"):
        load_distribution("normal")


@dataclass(frozen=True, kw_only=True)
class Coin(Distribution):
    name: ClassVar[str] = "coin"
    formula: ClassVar[str] = "½ δ(x − a) + ½ δ(x + a)"
    reference: ClassVar[str] = "none"

    size: Scalar = real(1, above=0)

    @property
    def is_symmetric(self) -> bool:
        return True

    def support(self) -> tuple[Scalar, Scalar]:
        return -self.size, self.size

    def mean(self) -> Scalar:
        return 0 * self.size

    def density(self, x: np.ndarray) -> np.ndarray:
        raise NoDensityError("a coin has atoms")

    def density_expression(self, x: Any) -> Any:
        return (sympy.DiracDelta(x - self.size) + sympy.DiracDelta(x + self.size)) / 2

    def draw(self, stream: Stream, shape: tuple[int, ...]) -> np.ndarray:
        return self.size * stream.generator("side").choice([-1.0, 1.0], shape)


LAWS = [
    Coin(size=2.0),
    Cauchy(scale=2.0),
    Gaussian(scale=2.0),
    Laplace(scale=2.0),
    StudentT(dof=2.0, scale=1.0),
    StudentT(dof=5.0, scale=2.0),
    Uniform(low=-2.0, high=2.0),
]


def test_shown_with_its_arguments_as_a_spec_would_have_them() -> None:
    a, nu = sympy.symbols("a nu", positive=True)
    assert str(Coin(size=2.0)) == "coin(size=2)"
    assert str(Coin(size=0.1)) == "coin(size=0.1)"
    assert str(Coin(size=sympy.Rational(1, 3) * a)) == "coin(size=a/3)"
    assert str(StudentT(dof=nu, scale=1e-30)) == "student_t(dof=nu, scale=1e-30)"
    assert str(Uniform(low=-2.0, high=0.5)) == "uniform(low=-2, high=0.5)"


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_a_law_is_its_arguments_and_not_its_place(law: Distribution) -> None:
    arguments = {name: getattr(law, name) for name in declared(type(law))}
    placed = type(law)(**arguments, span=Span(Source("somewhere"), 0, 4))
    assert placed == law
    assert hash(placed) == hash(law)
    assert "span" not in repr(placed)
    changed = {name: value + 0.25 for name, value in arguments.items()}
    assert type(law)(**changed) != law
    with pytest.raises(FrozenInstanceError):
        law.span = None  # type: ignore[misc]


def test_a_law_keeps_the_whole_contract_or_is_none() -> None:
    for method in Distribution.__abstractmethods__:
        partial = type("Partial", (Coin,), {method: getattr(Distribution, method)})
        with pytest.raises(TypeError, match=f"abstract method '?{method}"):
            partial(size=1.0)


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_the_parts_of_the_contract_agree(law: Distribution) -> None:
    low, high = (float(end) for end in law.support())
    drawn = law.draw(Stream(7), (999, 2))
    assert drawn.shape == (999, 2)
    assert ((low <= drawn) & (drawn <= high)).all()
    assert law.is_symmetric
    assert low == -high
    mean = float(law.mean())
    assert np.isnan(mean) or mean == 0
    if isinstance(law, Coin):
        with pytest.raises(NoDensityError):
            law.density(drawn)
    else:
        np.testing.assert_array_equal(law.density(-drawn), law.density(drawn))
        x = sympy.Symbol("x", real=True)
        written = law.density_expression(x).subs(x, sympy.Float(0.7, 30))
        assert float(written) == pytest.approx(float(law.density(np.array([0.7]))[0]), rel=1e-12)


@pytest.mark.parametrize("law", [law for law in LAWS if isinstance(law, Isotropic)], ids=str)
def test_the_characteristic_function_agrees_with_the_second_moment(law: Isotropic) -> None:
    t, step = np.linspace(0, 9, 200), 1e-3
    values = law.characteristic_function(t)
    assert values[0] == 1
    assert np.abs(values).max() <= 1
    np.testing.assert_array_equal(law.characteristic_function(-t), values)
    # E X² is minus the curvature of E cos tX at zero; where it is infinite, the quotient grows as the step falls
    curvature = 2 * (1 - law.characteristic_function(np.array([step, step / 10]))) / np.array([step, step / 10]) ** 2
    if np.isfinite(moment := float(law.second_moment())):
        assert curvature[0] == pytest.approx(moment, rel=1e-4)
    else:
        assert curvature[1] > 1.1 * curvature[0]


SEED = 20_251_209
BUDGET = 1e-8
LAWS_OF_ISOTROPIC = [Gaussian(scale=0.7), Cauchy(scale=1.3), Laplace(scale=0.6), StudentT(dof=3.5, scale=1.2)]
BALL = Uniform(low=-2.0, high=2.0)


def at(law: Isotropic, radius: float, dim: int) -> float:
    return float(law.isotropic_density(np.array([radius]), dim)[0])


@pytest.mark.long
@pytest.mark.parametrize("law", LAWS_OF_ISOTROPIC, ids=str)
@pytest.mark.parametrize("dim", [1, 2, 3, 6])
def test_leaving_out_a_coordinate_integrates_over_it(law: Isotropic, dim: int) -> None:
    """p_d(x) = 2 ∫₀^∞ p_{d+1}(√(x² + y²)) dy, with y = x sinh s."""
    for x in (0.3, 1.1, 4.0):
        total, _ = quad(
            lambda s, x=x: 2 * at(law, x * np.cosh(s), dim + 1) * x * np.cosh(s), 0, 40, epsabs=0, limit=200
        )
        assert total == pytest.approx(at(law, x, dim), rel=1e-8)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("law", "dim"), [*((law, dim) for law in LAWS_OF_ISOTROPIC for dim in (1, 2, 3, 5)), (BALL, 1), (BALL, 2)]
)
def test_written_in_sympy(law: Isotropic, dim: int) -> None:
    radius = sympy.Symbol("r", positive=True)
    written = law.isotropic_density_expression(radius, dim)
    for point in (0.01, 0.4, 1.5, 9.0):
        value = float(written.subs(radius, sympy.Float(point, 40)).evalf(25))
        assert at(law, point, dim) == pytest.approx(value, rel=1e-12)
    assert law.without_isotropic_density(dim) is None


@pytest.mark.parametrize("law", LAWS_OF_ISOTROPIC, ids=str)
@pytest.mark.parametrize("dim", [2, 5])
def test_draws_have_the_density_and_no_direction(law: Isotropic, dim: int) -> None:
    drawn = law.draw_isotropic(Stream(SEED), 20_000, dim)
    sphere = 2 * np.pi ** (dim / 2) / float(sympy.gamma(sympy.Rational(dim, 2)))
    s = np.linspace(-18, 12, 20_001)  # radius e^s; the share within it by Simpson's rule
    density = sphere * law.isotropic_density(np.exp(s), dim) * np.exp(dim * s)
    steps = (s[1] - s[0]) / 3 * (density[:-2:2] + 4 * density[1:-1:2] + density[2::2])
    share = np.concatenate([[0], np.cumsum(steps)])
    assert share[-1] == pytest.approx(1, abs=1e-4)
    radii = np.linalg.norm(drawn, axis=1)
    assert kstest(radii, lambda r: np.interp(np.log(r), s[::2], share)).pvalue > BUDGET
    for first, second in ((0, 1), (1, dim - 1 if dim > 2 else 0)):
        angle = np.arctan2(drawn[:, first], drawn[:, second])
        assert kstest(angle, "uniform", args=(-np.pi, 2 * np.pi)).pvalue > BUDGET


def test_the_uniform_law_is_the_shadow_of_a_sphere() -> None:
    for x in (0.0, 0.7, 1.9):
        # the chord through the disc: y = √(b² − x²) sin s
        half = np.sqrt(4 - x**2)
        total, _ = quad(
            lambda s, x=x, half=half: at(BALL, np.hypot(x, half * np.sin(s)), 2) * half * np.cos(s), -1.57, 1.57
        )
        assert total == pytest.approx(at(BALL, x, 1), rel=2e-3)
    drawn = BALL.draw_isotropic(Stream(SEED), 1000, 3)
    np.testing.assert_allclose(np.linalg.norm(drawn, axis=1), 2, rtol=1e-15)
    assert "no volume" in str(BALL.without_isotropic_density(3))


@pytest.mark.parametrize("dim", [4, 7])
def test_where_there_is_no_law_nothing_is_drawn_or_evaluated(dim: int) -> None:
    assert BALL.largest_dim == 3
    with pytest.raises(NoDensityError, match=f"R\\^{dim}"):
        BALL.isotropic_density(np.ones(1), dim)
    with pytest.raises(NoDensityError):
        BALL.isotropic_density_expression(sympy.Symbol("r"), dim)
    with pytest.raises(DimensionError, match="Schoenberg 1938"):
        BALL.draw_isotropic(Stream(SEED), 5, dim)


@dataclass(frozen=True, kw_only=True)
class Certain(Positive):
    name: ClassVar[str] = "certain"
    formula: ClassVar[str] = "δ(r − a)"
    reference: ClassVar[str] = "none"

    size: Scalar = real(1, above=0)

    def support(self) -> tuple[Scalar, Scalar]:
        return self.size, self.size

    def mean(self) -> Scalar:
        return self.size

    def inverse_mean(self) -> Scalar:
        return 1 / self.size

    def density(self, x: np.ndarray) -> np.ndarray:
        raise NoDensityError("a certain number has no density")

    def density_expression(self, x: Any) -> Any:
        return sympy.DiracDelta(x - self.size)

    def polya_kernel(self, lag: np.ndarray) -> np.ndarray:
        return np.maximum(0, 1 - lag / float(self.size))

    def polya_kernel_expression(self, lag: Any) -> Any:
        return sympy.Max(0, 1 - lag / self.size)

    def polya_transform(self, frequency: np.ndarray) -> np.ndarray:
        return float(self.size) * np.sinc(frequency * self.size / (2 * np.pi)) ** 2

    def polya_transform_expression(self, frequency: Any) -> Any:
        return self.size * sympy.sinc(frequency * self.size / 2) ** 2

    def draw(self, stream: Stream, shape: tuple[int, ...]) -> np.ndarray:
        return np.full(shape, float(self.size))


def test_a_law_keeps_the_whole_contract_or_is_none_positive() -> None:
    own = Positive.__abstractmethods__ - Distribution.__abstractmethods__
    assert own == {
        "inverse_mean",
        "polya_kernel",
        "polya_kernel_expression",
        "polya_transform",
        "polya_transform_expression",
    }
    for method in Positive.__abstractmethods__:
        partial = type("Partial", (Certain,), {method: getattr(Positive, method)})
        with pytest.raises(TypeError, match=f"abstract method '?{method}"):
            partial(size=1.0)


def test_pitches_have_no_sign_and_no_mass_at_zero_unless_they_say_so() -> None:
    assert not Certain(size=2.0).is_symmetric
    assert Certain(size=2.0).mass_at_zero() == 0


def test_a_certain_pitch_makes_the_triangle_kernel() -> None:
    polya, triangle = Polya(distribution=Certain(size=1.7), dim=1), Triangle(width=1.7, dim=1)
    lags, frequencies = np.linspace(-3, 3, 41), np.linspace(-20, 20, 41)
    np.testing.assert_allclose(polya.factor(lags), triangle.factor(lags), rtol=1e-15)
    np.testing.assert_allclose(polya.factor_density(frequencies), triangle.factor_density(frequencies), rtol=1e-12)
    np.testing.assert_allclose(polya.draw(Stream(3), 50), triangle.draw(Stream(3), 50), rtol=1e-15)


def test_mass_at_zero_is_refused_where_it_is_known() -> None:
    @dataclass(frozen=True, kw_only=True)
    class Half(Certain):
        def mass_at_zero(self) -> Scalar:
            return self.size / 2

    with pytest.raises(RangeError, match="mass at 0"):
        Polya(distribution=Half(size=1.0), dim=1)
    Polya(distribution=Half(size=sympy.Symbol("s")), dim=1)  # not known yet


PAIRS = [
    (Scaled(base=Pareto(shape=2.5, scale=0.7), factor=3.0), Pareto(shape=2.5, scale=2.1)),
    (Scaled(base=InverseGamma(shape=3.0, scale=2.0), factor=0.25), InverseGamma(shape=3.0, scale=0.5)),
    (
        Scaled(base=Discrete(values=(0.5, 2.0), weights=(1.0, 3.0)), factor=4.0),
        Discrete(values=(2.0, 8.0), weights=(1.0, 3.0)),
    ),
]


@pytest.mark.slow
@pytest.mark.parametrize(("scaled", "same"), PAIRS, ids=lambda law: law.name)
def test_everything_is_that_of_the_law_with_another_scale(scaled, same):
    lags, frequencies = np.linspace(0, 9, 50), np.linspace(-30, 30, 61)
    np.testing.assert_allclose(scaled.polya_kernel(lags), same.polya_kernel(lags), rtol=1e-13, atol=1e-300)
    np.testing.assert_allclose(
        scaled.polya_transform(frequencies), same.polya_transform(frequencies), rtol=1e-10, atol=1e-30
    )
    np.testing.assert_allclose(scaled.draw(Stream(3), (40, 2)), same.draw(Stream(3), (40, 2)), rtol=1e-14)
    assert scaled.support() == pytest.approx(same.support(), rel=1e-14)
    assert scaled.mean() == pytest.approx(same.mean(), rel=1e-14)
    assert scaled.inverse_mean() == pytest.approx(same.inverse_mean(), rel=1e-14)
    assert scaled.mass_at_zero() == 0
    if scaled.name != "discrete" and not isinstance(same, Discrete):
        np.testing.assert_allclose(scaled.density(lags), same.density(lags), rtol=1e-13)
    t, w = sympy.Symbol("t", positive=True), sympy.Symbol("w", positive=True)
    for found, expected, variable in (
        (scaled.polya_kernel_expression(t), same.polya_kernel_expression(t), t),
        (scaled.polya_transform_expression(w), same.polya_transform_expression(w), w),
    ):
        at = {variable: sympy.Float("1.37", 30)}
        assert float(found.subs(at).evalf(20)) == pytest.approx(float(expected.subs(at).evalf(20)), rel=1e-13)


def test_the_density_in_sympy_integrates_to_one():
    x = sympy.Symbol("x", positive=True)
    written = Scaled(base=Pareto(shape=sympy.S(3), scale=sympy.S(2)), factor=sympy.S(5)).density_expression(x)
    assert sympy.integrate(written, (x, 0, sympy.oo)) == 1


def test_mass_at_zero_stays_there():
    assert Scaled(base=Discrete(values=(0.0, 1.0), weights=(1.0, 3.0)), factor=7.0).mass_at_zero() == 0.25


def test_the_area_of_a_polya_kernel_is_the_one_asked_for():
    """2 ∫ φ(t) dt over t > 0 by the trapezoidal rule between the kinks, and the mean of the pitches."""
    kernel = Polya(distribution=ShiftedPoisson(rate=1.5), area=4.0, dim=1)
    pitch = kernel.pitch_law()
    assert isinstance(pitch, Scaled)
    assert pitch.factor == 4.0 / 2.5
    edges = 1.6 * np.arange(60)
    assert 2 * np.trapezoid(kernel.factor(edges), edges) == pytest.approx(4.0, rel=1e-12)
    assert_mean(pitch.draw(Stream(11), (50_000,)), 4.0, budget=1e-8)
    assert float(kernel.factor_density(np.zeros(1))[0]) == pytest.approx(4.0 / (2 * np.pi), rel=1e-14)
    chances = scipy.stats.poisson(1.5, loc=1).pmf(np.arange(1, 40))
    expected = float(chances @ np.maximum(0, 1 - 2.9 / (1.6 * np.arange(1, 40))))
    assert float(kernel.factor(np.array([2.9]))[0]) == pytest.approx(expected, rel=1e-12)


def test_numbers_stay_floats() -> None:
    assert square_root(6.25) == 2.5
    assert type(square_root(4, 1.0)) is float


def test_symbols_stay_exact() -> None:
    x = sympy.Symbol("x", positive=True)
    assert square_root(x**2) == x
    assert square_root(2, x) == sympy.sqrt(2)
