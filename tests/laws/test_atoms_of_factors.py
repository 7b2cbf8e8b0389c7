"""Samples of their own for the heaviest atoms of a discrete factor."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import ive

import kernelspec as ks
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.laws.atoms import OtherAtomsLaw, atoms_of_factors
from kernelspec.laws.mixture import MixtureLaw
from kernelspec.laws.product import ProductLaw
from kernelspec.laws.rules import schemes_of
from kernelspec.maps.draw import draw_map
from kernelspec.tables.rows import Rows
from kernelspec.testing.assertions import assert_unbiased
from tests.laws.texts import kernel_of, law

X = np.random.default_rng(5).uniform(-2, 2, (5, 2))


def divided(text: str) -> MixtureLaw:
    found = law(text, 2, "atoms")
    assert isinstance(found, MixtureLaw)
    return found


def test_weights_are_those_of_the_harmonics() -> None:
    # exp((cos t - 1)/ℓ²) = e^{-1/ℓ²} (I_0 + 2 Σ I_n cos(nt)) at 1/ℓ²; of ℓ = 1 those of n > 2 have less than a 20th
    found = divided("periodic(period=3)[0] * gaussian(scale=10)")
    constant, first, second, rest = found.weights
    np.testing.assert_allclose([constant, first, second], [ive(0, 1), 2 * ive(1, 1), 2 * ive(2, 1)], rtol=1e-12)
    others = found.parts[3]
    assert isinstance(others, ProductLaw)
    assert rest == 1
    assert float(others.magnitude()) == pytest.approx(1 - ive(0, 1) - 2 * ive(1, 1) - 2 * ive(2, 1), rel=1e-12)


@pytest.mark.parametrize(
    "text",
    [
        "periodic(period=3) * gaussian(scale=10)",
        "periodic(period=2)[0] * cosine(by=2)[1] * laplace(scale=3)",
        "cosine(by=[1, 2])**2 * matern(nu=3/2)",
        "circle()[0] * periodic(period=3)[0] * match()[1]",
    ],
)
def test_the_parts_are_the_kernel(text: str) -> None:
    pairs = NumericPairs(Rows(X), Rows(X[::-1]))
    found = divided(text)
    total = sum(w * np.asarray(part.value(pairs)) for w, part in zip(found.weights, found.parts, strict=True))
    np.testing.assert_allclose(total, np.asarray(kernel_of(text, 2).value(pairs)), atol=1e-13)


def test_which_kernels_have_it() -> None:
    for text in (
        "cosine(by=[1, 2]) * gaussian()",
        "gaussian() * laplace()",
        "shift(periodic(period=1), by=[1, 0]) * gaussian()",
    ):
        kernel = kernel_of(text, 2)
        assert atoms_of_factors(kernel) is None
        assert "atoms" not in schemes_of(kernel), text
    # two heavy pairs and nothing else: every stratum is one of them
    assert not any(isinstance(part, OtherAtomsLaw) for part in divided("cosine(by=[1, 2])**2 * gaussian()").parts)


@pytest.mark.slow
def test_mean_and_variance() -> None:
    for text in ("periodic(period=2)[0] * gaussian()", "0.7*periodic(period=2)[0]*polya(gamma(2))[1] - 0.2*gaussian()"):
        assert_unbiased(text, X, method="atoms", n_features=24, n_maps=200, budget=1e-8)


def test_plans_with_data_take_it_and_know_its_error() -> None:
    rows = np.random.default_rng(2).standard_normal((64, 2))
    text = "periodic(period=3) * gaussian(scale=10)"
    plan = ks.compile(text, data=rows, n_features=16, draws="independent", anchors="never").plan
    assert plan.method == "atoms"
    plain = ks.compile(text, data=rows, n_features=16, draws="independent", anchors="never", method="paired").plan
    assert plan.chosen.error is not None
    assert plain.chosen.error is not None
    assert plan.chosen.error < plain.chosen.error / 2
    exact = ks.parse(text).gram(rows)
    drawn = (draw_map(replace(plan, seed=seed)).approximate(rows) for seed in range(64))
    squares = [np.square(estimate - exact).sum() / np.square(exact).sum() for estimate in drawn]
    # predicted from a half of the rows: within 10 %, and three standard errors of the 64 draws
    spread = 3 * np.std(squares) / 8
    assert abs(np.mean(squares) - plan.chosen.error**2) < 0.2 * plan.chosen.error**2 + spread
