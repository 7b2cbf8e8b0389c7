"""Pilot samples chosen for what is left of them."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.planning.landmarks.landmarks import Residual
from kernelspec.planning.landmarks.pilot import FINE_PILOT, Pilots, products_of_sizes, screened
from kernelspec.random.streams import Stream
from kernelspec.tables.rows import Rows

X = np.random.default_rng(4).standard_normal((300, 4))


def left_by(text: str, anchors: int = 64) -> tuple[Residual, list]:
    fmap = ks.compile(text, data=X, n_features=2 * anchors, method="anchored", draws="independent", seed=1)
    rows, plan = Rows(X[:60]), fmap.plan
    assert plan.anchors is not None
    residual = Residual.on(NumericPairs(rows, rows), plan.anchors, plan.strata)
    return residual, [stratum.independent for stratum in plan.strata]


def test_sums_over_pairs_of_rows() -> None:
    generator = np.random.default_rng(0)
    left, right = (generator.standard_normal((n, 3)) + 1j * generator.standard_normal((n, 3)) for n in (5, 4))
    every = np.square((left[:, None] * np.conj(right)[None]).real).sum(axis=(0, 1))
    np.testing.assert_allclose(products_of_sizes(left, right), every, rtol=1e-13)


@pytest.mark.long
@pytest.mark.parametrize("text", ["dual(relu, gaussian(scale=2))", "gaussian(scale=2)", "matern(nu=1/2, scale=2)"])
def test_means_are_those_of_all_candidates(text: str) -> None:
    """Σ w f is within five standard errors of a mean over 200,000 other samples, and f = 1 within rounding's reach."""
    residual, strata = left_by(text)
    stratum = strata[-1]
    found = screened(stratum, residual, FINE_PILOT)
    assert found is not None
    assert len(found.weights) <= FINE_PILOT
    assert found.weights.max() <= 2 / FINE_PILOT * (1 + 1e-9)
    assert found.weights.sum() == pytest.approx(1, abs=0.05)
    few = residual.some(30)
    values = products_of_sizes(*few.sides(found.batch))
    (many,) = stratum.law.draw(Stream(77), 200_000, stratum.positions)
    others = np.concatenate(
        [products_of_sizes(*few.forgetting().sides(many.take(np.arange(i, i + 4000)))) for i in range(0, 200_000, 4000)]
    )
    # of the 32,768 candidates, of the choice among them, and of the others
    spread = others.var() / 32_768 + (found.weights**2 * values**2).sum() + others.var() / len(others)
    assert abs(found.weights @ values - others.mean()) <= 5 * np.sqrt(spread)


@pytest.mark.slow
def test_a_fraction_of_the_spread_of_plain_pilots() -> None:
    """Of a dual, whose few samples of large degree make most of what is left."""
    residual, strata = left_by("dual(relu, gaussian(scale=2))")
    stratum, few = strata[-1], residual.some(30)
    (many,) = stratum.law.draw(Stream(78), 200_000, stratum.positions)
    others = np.concatenate(
        [products_of_sizes(*few.forgetting().sides(many.take(np.arange(i, i + 4000)))) for i in range(0, 200_000, 4000)]
    )
    plain = others.std() / np.sqrt(FINE_PILOT)
    found = screened(stratum, residual, FINE_PILOT)
    assert found is not None
    values = products_of_sizes(*few.sides(found.batch))
    assert np.sqrt((found.weights**2 * values**2).sum()) < plain / 2


def test_what_cannot_be_screened_is_sampled_plainly() -> None:
    residual, strata = left_by("linear() ** 2 + gaussian()")
    kinds = [screened(stratum, residual, FINE_PILOT) is None for stratum in strata]
    assert screened(strata[0], residual, 20_000) is None
    for stratum, plain in zip(strata, kinds, strict=True):
        variance = Pilots(FINE_PILOT, chosen=True).total_variance(stratum, residual)
        assert (variance == Pilots(FINE_PILOT).total_variance(stratum, residual)) == plain
