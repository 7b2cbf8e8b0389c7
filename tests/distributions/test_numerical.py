"""Laws that state their density alone, against closed forms of the same laws, and through the public door."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from scipy.stats import kstest, lomax

import kernelspec as ks
from kernelspec.catalogue import DISTRIBUTIONS
from kernelspec.distributions.distribution import Positive
from kernelspec.distributions.gamma_family import Gamma
from kernelspec.distributions.numerical import FromDensity
from kernelspec.distributions.power_tails import Pareto
from kernelspec.errors import RangeError
from kernelspec.expressions.arguments import Scalar, real
from kernelspec.random.streams import Stream
from kernelspec.testing.assertions import assert_unbiased


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
    assert time.process_time() - start < 5


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


@pytest.fixture
def registered() -> Iterator[None]:
    before = dict(DISTRIBUTIONS._registered)
    ks.register_distribution(Third)
    yield
    DISTRIBUTIONS._registered.clear()
    DISTRIBUTIONS._registered.update(before)


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
