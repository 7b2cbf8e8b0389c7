"""Laws that state their density or their quantiles alone, against closed forms, and through the public door."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
import scipy
from scipy import stats
from scipy.integrate import quad
from scipy.special import expit
from scipy.stats import kstest, lomax

import kernelspec as ks
from kernelspec.catalogue import DISTRIBUTIONS
from kernelspec.distributions.distribution import Positive
from kernelspec.distributions.gamma_family import Gamma
from kernelspec.distributions.numerical import FromDensity, FromQuantile, SymmetricFromDensity, SymmetricFromQuantile
from kernelspec.distributions.power_tails import Pareto
from kernelspec.errors import RangeError
from kernelspec.expressions.arguments import Scalar, real
from kernelspec.random.streams import Stream
from kernelspec.testing.assertions import assert_unbiased
from tests.plain_plugin import PlainRayleigh
from tests.processor import seconds_since


@dataclass(frozen=True, kw_only=True)
class Third(FromDensity):
    """Gamma of shape 3."""

    name: ClassVar[str] = "third"
    formula: ClassVar[str] = "x² e^(−x/θ) / 2θ³"
    reference: ClassVar[str] = "Feller 1971"

    scale: Scalar = real(1, above=0)

    def density(self, x: np.ndarray) -> np.ndarray:
        return np.where(x > 0, x**2 * np.exp(-x / self.scale) / (2 * self.scale**3), 0.0)


@dataclass(frozen=True, kw_only=True)
class Steep(Third):
    """Gamma of shape ½: the density is infinite at 0, and so is E[1/R]."""

    def density(self, x: np.ndarray) -> np.ndarray:
        return np.where(x > 0, np.exp(-x / self.scale) / np.sqrt(np.pi * self.scale * x), 0.0)


@dataclass(frozen=True, kw_only=True)
class Heavy(Third):
    """Pareto of shape 3/2 from 1 on, with a jump at the end of its support."""

    shape: Scalar = real(1.5, above=0)

    def support(self) -> tuple[Scalar, Scalar]:
        return 1.0, np.inf

    def density(self, x: np.ndarray) -> np.ndarray:
        return np.where(x >= 1, self.shape * x ** (-self.shape - 1), 0.0)


@dataclass(frozen=True, kw_only=True)
class Half(Third):
    """Half of a density."""

    def density(self, x: np.ndarray) -> np.ndarray:
        return super().density(x) / 2


CASES: list[tuple[FromDensity, Positive]] = [
    (Third(scale=2.0), Gamma(shape=3.0, scale=2.0)),
    (Steep(), Gamma(shape=0.5, scale=1.0)),
    (Heavy(), Pareto(shape=1.5, scale=1.0)),
    (Heavy(shape=0.5), Pareto(shape=0.5, scale=1.0)),
]


@pytest.mark.slow
@pytest.mark.parametrize(("law", "closed"), CASES, ids=["smooth", "steep", "heavy", "heavier"])
def test_moments_kernel_transform_and_quantiles(law: FromDensity, closed: Positive) -> None:
    start = time.process_time()
    for computed, exact in ((law.mean(), closed.mean()), (law.inverse_mean(), closed.inverse_mean())):
        assert computed == exact or float(computed) == pytest.approx(float(exact), rel=1e-10)
    lags, frequencies = np.array([0, 1e-6, 0.01, 0.3, 1, 3, 10.0]), np.array([1e-4, 0.1, 1, 5, 40, 300, 1e4])
    np.testing.assert_allclose(law.polya_kernel(lags), closed.polya_kernel(lags), rtol=1e-10)
    np.testing.assert_allclose(law.polya_transform(frequencies), closed.polya_transform(frequencies), rtol=1e-10)
    drawn = law.draw(Stream(1), (20_000,))
    assert kstest(drawn, closed.draw(Stream(2), (20_000,))).pvalue > 1e-6
    np.testing.assert_array_equal(law.draw(Stream(1), (100,)), drawn[:100])
    assert seconds_since(start, bound=5) < 5


def test_a_quantile_of_one_s_own_is_drawn_from() -> None:
    @dataclass(frozen=True, kw_only=True)
    class Lomax(Third):
        def density(self, x: np.ndarray) -> np.ndarray:
            return np.asarray(lomax.pdf(x, 2))

        def quantile(self, probability: np.ndarray) -> np.ndarray:
            return np.asarray(lomax.ppf(probability, 2))

    law = Lomax()
    np.testing.assert_allclose(FromDensity.quantile(law, np.array([0.01, 0.5, 0.99])), lomax.ppf([0.01, 0.5, 0.99], 2))
    assert kstest(law.draw(Stream(3), (20_000,)), lomax(2).cdf).pvalue > 1e-6


def test_a_density_of_another_mass_is_refused() -> None:
    with pytest.raises(RangeError, match=r"the density of third\(scale=1\) integrates to 0.5 over its support"):
        Half().mean()


@dataclass(frozen=True, kw_only=True)
class Plain(FromQuantile):
    """Weibull of shape 3."""

    name: ClassVar[str] = "plain"
    formula: ClassVar[str] = "the quantiles s (−ln(1 − p))^(1/3)"
    reference: ClassVar[str] = "Johnson, Kotz and Balakrishnan 1994, chapter 21"

    scale: Scalar = real(1, above=0)

    def quantile(self, probability: np.ndarray) -> np.ndarray:
        with np.errstate(divide="ignore"):
            return np.asarray(self.scale * np.cbrt(-np.log1p(-probability)))


@dataclass(frozen=True, kw_only=True)
class OfScipy(Plain):
    """The quantiles of a law of SciPy."""

    law: ClassVar[stats.rv_continuous]

    def quantile(self, probability: np.ndarray) -> np.ndarray:
        return np.asarray(self.law.ppf(probability))


POSITIVE = {
    "smooth": stats.gamma(3),
    "steep": stats.gamma(0.5),
    "heavy": stats.pareto(1.5),
    "heavier": stats.pareto(0.5),
    "bounded": stats.beta(2, 3),
    "away from 0": stats.uniform(1, 2),
    "log-normal": stats.lognorm(0.7),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", POSITIVE)
def test_everything_follows_from_quantiles(kind: str) -> None:
    """By quadrature over the density of SciPy, which the law never sees."""
    scipy_law = POSITIVE[kind]

    @dataclass(frozen=True, kw_only=True)
    class Given(OfScipy):
        law: ClassVar[stats.rv_continuous] = scipy_law

    law, start = Given(), time.process_time()
    low, high = scipy_law.support()
    points = np.concatenate([scipy_law.ppf([1e-4, 0.01, 0.3, 0.7, 0.99, 0.9999]), [low - 1, min(high + 1, 1e3)]])
    np.testing.assert_allclose(law.density(points), scipy_law.pdf(points), rtol=1e-7, atol=1e-14)
    if np.isfinite(scipy_law.mean()):
        assert float(law.mean()) == pytest.approx(scipy_law.mean(), rel=1e-7)
    else:
        assert law.mean() == np.inf
    for lag in scipy_law.ppf([0.02, 0.5, 0.97]):
        exact = quad(lambda r, t=lag: (1 - t / r) * scipy_law.pdf(r), lag, high, epsabs=1e-12, limit=500)[0]
        assert float(law.polya_kernel(np.array(lag))) == pytest.approx(exact, abs=1e-8)
    s = np.linspace(-60, 34, 100_001)
    quantiles, weights = scipy_law.ppf(expit(s)), expit(s) * expit(-s)
    for omega in np.array([0.3, 3.0]) / scipy_law.ppf(0.5):
        exact = np.trapezoid(weights * 4 * (np.sin(omega * quantiles / 2) / omega) ** 2 / quantiles, s)
        assert float(law.polya_transform(np.array(omega))) == pytest.approx(exact, rel=1e-6)
    assert kstest(law.draw(Stream(5), (20_000,)), scipy_law.cdf).pvalue > 1e-6
    assert seconds_since(start, bound=5) < 5


@dataclass(frozen=True, kw_only=True)
class Bell(SymmetricFromQuantile):
    """The normal law."""

    name: ClassVar[str] = "bell"
    formula: ClassVar[str] = "the quantiles of N(0, s²)"
    reference: ClassVar[str] = "Johnson, Kotz and Balakrishnan 1994, chapter 13"

    scale: Scalar = real(1, above=0)

    def quantile(self, probability: np.ndarray) -> np.ndarray:
        return np.asarray(self.scale * stats.norm.ppf(probability))


@dataclass(frozen=True, kw_only=True)
class Straight(SymmetricFromDensity):
    """The logistic law."""

    name: ClassVar[str] = "straight"
    formula: ClassVar[str] = "1 / 4s cosh²(x/2s)"
    reference: ClassVar[str] = "Johnson, Kotz and Balakrishnan 1995, chapter 23"

    scale: Scalar = real(1, above=0)

    def density(self, x: np.ndarray) -> np.ndarray:
        return np.asarray(stats.logistic.pdf(x / self.scale) / self.scale)


@dataclass(frozen=True, kw_only=True)
class Skewed(Bell):
    """The quantiles of a normal law with another mean."""

    name: ClassVar[str] = "skewed"

    def quantile(self, probability: np.ndarray) -> np.ndarray:
        return super().quantile(probability) + 0.1


@dataclass(frozen=True, kw_only=True)
class Steps(Plain):
    """The quantiles of atoms."""

    name: ClassVar[str] = "steps"

    def quantile(self, probability: np.ndarray) -> np.ndarray:
        return 1 + np.floor(3 * probability)


@dataclass(frozen=True, kw_only=True)
class Gap(Plain):
    """The quantiles of a law without mass from ½ to 1."""

    name: ClassVar[str] = "gap"

    def quantile(self, probability: np.ndarray) -> np.ndarray:
        return np.where(probability > 0.5, probability + 0.5, probability)


@dataclass(frozen=True, kw_only=True)
class Falling(Plain):
    """Quantiles that fall."""

    name: ClassVar[str] = "falling"

    def quantile(self, probability: np.ndarray) -> np.ndarray:
        return 1 - probability / 2


SYMMETRIC = {
    "normal": (stats.norm(), lambda t: np.exp(-(t**2) / 2)),
    "Student's t": (stats.t(3), lambda t: (1 + np.sqrt(3) * t) * np.exp(-np.sqrt(3) * t)),
    "Cauchy": (stats.cauchy(), lambda t: np.exp(-t)),
    "Laplace": (stats.laplace(), lambda t: 1 / (1 + t**2)),
    "logistic": (
        stats.logistic(),
        lambda t: np.divide(np.pi * t, np.sinh(np.pi * t), where=t > 0, out=np.ones_like(t)),
    ),
    "triangle": (stats.triang(0.5, -1, 2), lambda t: np.sinc(t / (2 * np.pi)) ** 2),
}


FEW_DIGITS = {"Student's t"} if tuple(map(int, scipy.__version__.split(".")[:2])) < (1, 15) else set()
"""Laws whose quantiles of probabilities like 1e-15 are wrong in older versions of SciPy."""


@pytest.mark.slow
@pytest.mark.parametrize("from_density", [False, True])
@pytest.mark.parametrize("kind", SYMMETRIC)
def test_symmetric_laws_have_their_transforms(kind: str, from_density: bool) -> None:
    scipy_law, transform = SYMMETRIC[kind]
    if not from_density and kind in FEW_DIGITS:
        pytest.skip("this SciPy's quantiles of small probabilities have few digits")

    @dataclass(frozen=True, kw_only=True)
    class Quantiles(Bell):
        def quantile(self, probability: np.ndarray) -> np.ndarray:
            if kind == "Cauchy":  # SciPy before 1.15 has few digits of it near 0
                return np.asarray(-1 / np.tan(np.pi * probability))
            return np.asarray(scipy_law.ppf(probability))

    @dataclass(frozen=True, kw_only=True)
    class Density(Straight):
        def density(self, x: np.ndarray) -> np.ndarray:
            return np.asarray(scipy_law.pdf(x))

    law, start = Density() if from_density else Quantiles(), time.process_time()
    lags = np.array([0.0, 1e-3, 0.1, 1.0, 3.0, 10.0, 50.0])
    np.testing.assert_allclose(law.characteristic_function(lags), transform(lags), atol=1e-10 if from_density else 1e-8)
    points = np.array([-3.0, -0.5, 0.0, 0.1, 0.9, 4.0])
    np.testing.assert_allclose(law.density(points), scipy_law.pdf(points), rtol=1e-6, atol=1e-12)
    variance = np.inf if kind == "Cauchy" else scipy_law.var()
    assert law.second_moment() == variance == np.inf or float(law.second_moment()) == pytest.approx(variance, rel=1e-7)
    assert kstest(law.draw(Stream(5), (20_000,)), scipy_law.cdf).pvalue > 1e-6
    assert seconds_since(start, bound=5) < 5


@pytest.fixture
def registered() -> Iterator[None]:
    before = dict(DISTRIBUTIONS._registered)
    for law in (Third, Plain, Bell, Straight, Skewed, Steps, Gap, Falling):
        ks.register_distribution(law)
    yield
    DISTRIBUTIONS._registered.clear()
    DISTRIBUTIONS._registered.update(before)


@pytest.mark.slow
@pytest.mark.usefixtures("registered")
def test_a_registered_law_has_facts_and_features() -> None:
    facts = ks.analyze("polya(third(scale=2))", dim=1)
    same = ks.analyze("polya(gamma(shape=3, scale=2))", dim=1)
    assert facts.verdict.positive_definite == "proved"
    assert float(facts.mean) == pytest.approx(6)
    omega = np.linspace(0.1, 5, 20)[:, None]
    np.testing.assert_allclose(facts.spectral_density_at(omega), same.spectral_density_at(omega), rtol=1e-10)
    assert "density_of_third" in facts.report()
    rows = np.random.default_rng(0).standard_normal((5, 2))
    np.testing.assert_allclose(
        ks.parse("polya(third(scale=2))").gram(rows), ks.parse("polya(gamma(shape=3, scale=2))").gram(rows), rtol=1e-10
    )
    assert_unbiased("polya(third(scale=2))", rows, budget=1e-6, n_maps=100, n_features=32)
    fmap = ks.compile("polya(third(scale=2))", dim=2, method="paired")
    assert "to 1e-10 in the distribution function" in fmap.explain()


@pytest.mark.slow
@pytest.mark.usefixtures("registered")
@pytest.mark.parametrize(
    ("text", "same", "tolerance"),
    [
        ("polya(plain(scale=2))", "polya(weibull(shape=3, scale=2))", "1e-08"),
        ("polya(plain(scale=2), area=1)", "polya(weibull(shape=3, scale=2), area=1)", "1e-08"),
        ("bochner(bell(scale=2))", "gaussian(scale=1/2)", "1e-08"),
        ("bochner(straight(scale=1/pi))", "product(t -> t/sinh(t))", "1e-10"),
    ],
)
def test_registered_quantiles_and_densities_have_facts_and_features(text: str, same: str, tolerance: str) -> None:
    start = time.process_time()
    facts, closed = ks.analyze(text, dim=1), ks.analyze(same, dim=1)
    assert facts.verdict.positive_definite == "proved"
    omega = np.linspace(0.1, 5, 20)[:, None]
    np.testing.assert_allclose(facts.spectral_density_at(omega), closed.spectral_density_at(omega), atol=1e-6)
    lags = np.linspace(-3, 3, 20)[:, None]
    np.testing.assert_allclose(
        facts.characteristic_function(lags), closed.characteristic_function(lags), rtol=1e-7, atol=1e-8
    )
    rows = np.random.default_rng(0).standard_normal((5, 2))
    np.testing.assert_allclose(ks.parse(text).gram(rows), ks.parse(same).gram(rows), atol=1e-8)
    fmap = ks.compile(text, dim=2, method="paired", n_features=64)
    assert f"to {tolerance} in the distribution function" in fmap.explain()
    assert seconds_since(start, bound=5) < 5
    assert_unbiased(text, rows, budget=1e-6, n_maps=100, n_features=32)


@pytest.mark.usefixtures("registered")
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("bochner(skewed())", "not those of a law that is symmetric about zero"),
        ("polya(steps())", "jump"),
        ("polya(falling())", "do not increase with the probability"),
        ("polya(gap())", "jump"),
        ("bochner(bell(), isotropic=true)", "known in numbers alone"),
    ],
)
def test_what_no_quantiles_can_be_is_refused(text: str, words: str) -> None:
    with pytest.raises(ks.KernelspecError, match=words):
        ks.parse(text).gram(np.eye(2))


@pytest.mark.usefixtures("registered")
def test_symbols_wait_for_their_values() -> None:
    spec = "param s > 0\nbochner(bell(scale=s))"
    assert "density_of_bell" in str(ks.analyze(spec, dim=1).spectral_density)
    bound = ks.parse(spec, params={"s": 2})
    np.testing.assert_allclose(bound.gram(np.eye(2)), ks.parse("gaussian(scale=1/2)").gram(np.eye(2)), atol=1e-8)


@pytest.mark.usefixtures("registered")
def test_maps_of_a_module_with_types_as_annotations_are_loaded(tmp_path: Path) -> None:
    ks.register_distribution(PlainRayleigh)
    rows = np.linspace(-1, 1, 9)[:, None]
    fmap = ks.compile("polya(plain_rayleigh(s=2))", dim=1, n_features=32)
    fmap.save(tmp_path / "map.npz")
    np.testing.assert_array_equal(ks.load_map(tmp_path / "map.npz").transform(rows), fmap.transform(rows))
