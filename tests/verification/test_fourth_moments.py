"""Bounds on fourth moments: exact for cosines of frequencies, never below the truth, close enough to be of use."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.maps.draw import draw_map
from kernelspec.planning.methods import Method
from kernelspec.verification.judgement import estimate_fourth_moment

X = np.array([[0.2, 0.0], [0.4, 0.1], [1.2, -0.5]])


def bound_of(text: str, n_features: int, method: Method, hashed: bool = False) -> np.ndarray:
    """The bound for all pairs of X."""
    plan = ks.compile(text, dim=2, n_features=n_features, method=method).plan
    rows = plan.layout.read(X)
    return estimate_fourth_moment(plan, NumericPairs(rows, rows), plan.collisions if hashed else None)


@pytest.mark.parametrize(("method", "n_features"), [("paired", 2), ("phase", 1), ("paired", 6)])
def test_that_of_cosines_is_exact(method: Method, n_features: int) -> None:
    """By quadrature over frequencies and offsets: E (k̂ − k)⁴ of one sample, and of the mean of three."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)
    weights = weights / weights.sum()
    lag, total = X[2] - X[0], 1.4
    omega = nodes[:, None] * lag[0] + nodes[None, :] * lag[1]
    joint = weights[:, None] * weights[None, :]
    exact = np.exp(-(lag @ lag) / 2)
    sample = np.cos(omega)
    if method == "phase":
        turns = np.arange(64) / 64 * 2 * np.pi
        sample = sample[..., None] + np.cos(total + turns)
        joint = np.repeat(joint[..., None] / 64, 64, axis=2)
    second, fourth = (float((joint * (sample - exact) ** p).sum()) for p in (2, 4))
    n = n_features // (2 if method == "paired" else 1)
    expected = (fourth + 3 * (n - 1) * second**2) / n**3
    assert bound_of("gaussian()", n_features, method)[2, 0] == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("hashed", [False, True])
@pytest.mark.parametrize("text", ["laplace()[0]", "0.5 * match()[0] * gaussian() - 0.25 * laplace()[1]", "gaussian()"])
def test_it_bounds_what_maps_show(text: str, hashed: bool) -> None:
    method: Method = "paired" if text == "gaussian()" else "auto"
    bound = bound_of(text, 12, method, hashed)
    exact = ks.parse(text).gram(X)
    plan = ks.compile(text, dim=2, n_features=12, method=method).plan
    plans = [replace(plan, seed=seed) for seed in range(300)]
    maps = [draw_map(own) for own in plans]
    seen = np.mean([(feature_map.approximate(X) - exact) ** 4 for feature_map in maps], axis=0)
    assert (seen <= 1.5 * bound + 1e-12).all()
    assert (bound <= 60 * seen + 1e-12).all()


def test_samples_that_only_look_like_two_values() -> None:
    """cos(SΔ), S a random walk of as many steps as sign has degrees, has E p² = E p, and is no key."""
    rows = np.array([[0.0], [0.4]])
    plan = ks.compile("dual(sign, circle())", dim=1, n_features=2, method="paired").plan
    table = plan.layout.read(rows)
    bound = estimate_fourth_moment(plan, NumericPairs(table, table))[0, 1]
    generator, odd = np.random.default_rng(0), np.arange(1, 400_001, 2.0)
    ratios = odd[:-1] ** 2 / ((odd[:-1] + 1) * odd[1:])  # of the coefficients of the arcsine
    law = 2 / np.pi * np.cumprod(np.append(1, ratios))
    degrees = generator.choice(odd, 100_000, p=law / law.sum()).astype(int)
    values = np.cos(0.4 * (2 * generator.binomial(degrees, 0.5) - degrees))
    exact = 1 - 2 * 0.4 / np.pi
    assert values.mean() == pytest.approx(exact, abs=0.01)
    assert np.square(values).mean() == pytest.approx(exact, abs=0.01)
    assert bound >= 0.98 * ((values - exact) ** 4).mean()


def test_samples_without_a_bound_have_no_fourth_moment_known() -> None:
    assert np.isinf(bound_of("dual(relu, normalize(linear()))[0, 1]", 4, "neurons")[0, 1:]).all()
