"""Tests of `published/published.py`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

import kernelspec as ks
from kernelspec.errors import PlanError
from kernelspec.laws.keys import GcwsLaw
from kernelspec.laws.rules import law_of
from kernelspec.planning.plan import with_zero_bit
from kernelspec.planning.strata import Stratum
from kernelspec.published import fit_masses, published_plan
from kernelspec.testing.laboratory import assert_mean
from tests.laws.texts import kernel_of
from tests.maps.parts import there_and_back


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"masses": "guessed"}, "masses must be 'exact' or 'estimated', not 'guessed'"),
        ({"n_rows_for_masses": 1}, "n_rows_for_masses must be at least 2, not 1"),
        ({"n_rows_for_masses": 2.5}, "n_rows_for_masses must be a whole number, not 2.5"),
    ],
)
def test_what_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(PlanError, match=message):
        ks.Published(**options)


def test_nothing_asked_for_changes_nothing() -> None:
    plain, asked = (ks.compile("laplace()", dim=2, n_features=8, published=own).plan for own in (None, ks.Published()))
    assert plain == asked
    assert plain.unbiased


def test_refusal_and_round_trip() -> None:
    with pytest.raises(PlanError, match="but this kernel has none"):
        ks.compile("laplace() * match()[0]", dim=2, published=ks.Published(zero_bit=True))
    plan = ks.compile(
        "minmax()[0, 1] * laplace()[2]", dim=3, published=ks.Published(zero_bit=True), method="binning"
    ).plan
    assert plan.zero_bit
    assert there_and_back(plan) == plan


@pytest.mark.parametrize("scheme", ["gcws", "poisson"])
def test_every_minmax_is_changed_and_changed_back(scheme: str) -> None:
    kernel = kernel_of("(minmax()[0, 1] + match()[2]) * dual(exp(c=1), minmax()) + laplace()", 3)
    strata = (Stratum(1.0, law_of(kernel, scheme), (0, 1, 2), scheme),)
    short = with_zero_bit(strata)
    assert short != strata
    assert with_zero_bit(short, zero_bit=False) == strata
    found, pending = [], [short[0].law]
    while pending:
        law = pending.pop()
        pending.extend(law.children())
        if isinstance(law, GcwsLaw) or type(law).__name__ == "PoissonLaw":
            found.append(law)
    assert len(found) == 2
    assert all(law.zero_bit for law in found)  # type: ignore[attr-defined]


RNG = np.random.default_rng(0)
A, B, C, NOISE = (RNG.standard_normal((8, 8)) for _ in range(4))


def residual(xi: np.ndarray, gram: np.ndarray) -> float:
    return float(np.square(gram - xi[0] * A + xi[1] * B - 2 * xi[2] * C).sum())


@pytest.mark.parametrize("k0", [0.7, 0.0, -0.4])
@pytest.mark.parametrize("truth", [(1.2, 0.5, 0.3), (0.9, 0.2, 0.0), (0.7, 0.0, 0.4)])
def test_against_a_solver_of_another_kind(k0: float, truth: tuple[float, float, float]) -> None:
    gram = truth[0] * A - (truth[0] - 0.7) * B + 2 * truth[2] * C + 0.3 * NOISE
    found = np.array(fit_masses(gram, k0, A, B, C))
    assert (found >= 0).all()
    assert found[0] - found[1] == pytest.approx(k0, abs=1e-12)
    start = np.array([max(k0, 0) + 0.1, max(-k0, 0) + 0.1, 0.1])
    other = minimize(
        residual, start, args=(gram,), method="SLSQP", bounds=[(0, None)] * 3, tol=1e-14,
        constraints={"type": "eq", "fun": lambda xi: xi[0] - xi[1] - k0},
    )  # fmt: skip
    assert residual(found, gram) <= other.fun * (1 + 1e-9)
    np.testing.assert_allclose(found, other.x, atol=1e-4)


def test_exact_data_give_the_masses_back() -> None:
    found = fit_masses(1.3 * A - 0.4 * B + 2 * 0.25 * C, 0.9, A, B, C)
    np.testing.assert_allclose(found, (1.3, 0.4, 0.25), rtol=1e-10)


def test_parts_that_are_left_out() -> None:
    np.testing.assert_allclose(fit_masses(A + 0.6 * C, 1.0, A, None, C), (1.0, 0.0, 0.3), rtol=1e-12)
    np.testing.assert_allclose(fit_masses(1.5 * A - 0.5 * B, 1.0, A, B, None), (1.5, 0.5, 0.0), rtol=1e-12)
    assert fit_masses(A, 1.0, A, None, None) == (1.0, 0.0, 0.0)


X = RNG.standard_normal((120, 2))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("shift_gaussian(scale=1, by=0.8)", marks=pytest.mark.long),
        "-2 * cosh_gaussian(by=0.7)",
        "sinh_gaussian(by=0.5)[1]",
    ],
)
def test_through_compile(text: str, tmp_path: Path) -> None:
    exact, fitted = (
        ks.compile(
            text, n_features=3000, method="jordan", data=X, published=ks.Published(masses=masses, n_rows_for_masses=60)
        )  # type: ignore[arg-type]
        for masses in ("exact", "estimated")
    )
    weights, truth = ([stratum.weight for stratum in m.plan.strata] for m in (fitted, exact))
    assert np.sign(weights).tolist() == np.sign(truth).tolist()
    np.testing.assert_allclose(weights, truth, rtol=0.5, atol=0.1)
    k0 = float(ks.analyze(text, dim=2).k0)
    real = weights[:-1]
    assert sum(real) == pytest.approx(k0, rel=1e-9)
    gram = ks.parse(text).gram(X)
    rows = list(fitted.plan.estimated.rows)  # type: ignore[union-attr]
    assert len(rows) == 60
    own = np.ix_(rows, rows)
    errors = [np.square((m.approximate(X) - gram)[own]).sum() for m in (fitted, exact)]
    assert errors[0] <= errors[1] * (1 + 1e-9)  # least squares on these rows: the exact masses are admissible
    assert exact.unbiased
    assert not fitted.unbiased
    assert "not exactly unbiased" in fitted.explain()
    fitted.save(tmp_path / "map.npz")
    loaded = ks.load_map(tmp_path / "map.npz")
    assert loaded.plan.estimated == fitted.plan.estimated
    assert np.array_equal(loaded.approximate(X), fitted.approximate(X))
    assert loaded.explain() == fitted.explain()


@pytest.mark.slow
def test_refusals() -> None:
    with pytest.raises(PlanError, match="set data="):
        ks.compile("shift_gaussian(by=1)", dim=2, method="jordan", published=ks.Published(masses="estimated"))
    for text, method in (("gaussian()", "paired"), ("shift_gaussian(by=1)", "polar"),
                         ("shift_gaussian(by=1) + cosh_gaussian(by=1)", "jordan")):  # fmt: skip
        with pytest.raises(PlanError, match="of one kernel: use method='jordan'"):
            ks.compile(text, data=X, method=method, published=ks.Published(masses="estimated"))  # type: ignore[arg-type]
    with pytest.raises(PlanError, match="'exact' or 'estimated'"):
        ks.compile("gaussian()", dim=2, published=ks.Published(masses="guessed"))  # type: ignore[arg-type]


X_OF_PUBLISHED_PLAN = np.random.default_rng(0).standard_normal((40, 2))


def test_the_change_is_in_the_plan() -> None:
    plan = ks.compile("minmax()", n_features=8, data=X_OF_PUBLISHED_PLAN).plan
    short = published_plan(plan, ks.Published(zero_bit=True), plan.layout.read(X_OF_PUBLISHED_PLAN))
    assert short.zero_bit
    assert short.bias.startswith("by ")
    assert short.strata != plan.strata
    parts = ks.compile("cosh_gaussian(by=0.7)", n_features=12, data=X_OF_PUBLISHED_PLAN, method="jordan").plan
    fitted = published_plan(
        parts, ks.Published(masses="estimated", n_rows_for_masses=9), parts.layout.read(X_OF_PUBLISHED_PLAN)
    )
    assert fitted.estimated is not None
    assert len(fitted.estimated.rows) == 9


X_OF_ZERO_BIT = np.random.default_rng(0).standard_normal((12, 6))


@pytest.mark.slow
@pytest.mark.parametrize("method", ["gcws", "poisson"])
def test_keys_agree_more_often_than_the_kernel(method: str) -> None:
    fmap = ks.compile(
        "minmax()", dim=6, n_features=4096, method=method, published=ks.Published(zero_bit=True), data=X_OF_ZERO_BIT
    )  # type: ignore[arg-type]
    keys, upper = fmap.keys(X_OF_ZERO_BIT), np.triu_indices(len(X_OF_ZERO_BIT), 1)
    agree = (keys[upper[0]] == keys[upper[1]]).T.astype(float)
    exact = ks.parse("minmax()").gram(X_OF_ZERO_BIT)[upper]
    with pytest.raises(AssertionError, match="z ="):
        assert_mean(agree, exact)
    assert (agree.mean(axis=0) - exact).mean() > 0.01
    assert not fmap.unbiased
    assert "biased upwards, by 0." in fmap.explain()


def test_the_bias_that_is_told_is_that_of_the_samples() -> None:
    fmap = ks.compile("minmax()", dim=6, n_features=1024, published=ks.Published(zero_bit=True), data=X_OF_ZERO_BIT)
    told = re.search(r"by ([\d.e-]+) on average", fmap.plan.bias)
    assert told is not None
    whole = ks.compile("minmax()", dim=6, n_features=1024, data=X_OF_ZERO_BIT)
    off = ~np.eye(len(X_OF_ZERO_BIT), dtype=bool)
    measured = (fmap.approximate(X_OF_ZERO_BIT) - whole.approximate(X_OF_ZERO_BIT))[off].mean()
    assert float(told[1]) == pytest.approx(measured, rel=0.25)  # 64 random pairs of rows of the same twelve
