"""Weights fitted by least squares under a constraint."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize

import kernelspec as ks
from kernelspec.errors import PlanError
from kernelspec.published.estimators import fit_masses

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
    "text", ["shift_gaussian(scale=1, by=0.8)", "-2 * cosh_gaussian(by=0.7)", "sinh_gaussian(by=0.5)[1]"]
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


def test_refusals() -> None:
    with pytest.raises(PlanError, match="give data="):
        ks.compile("shift_gaussian(by=1)", dim=2, method="jordan", published=ks.Published(masses="estimated"))
    for text, method in (("gaussian()", "paired"), ("shift_gaussian(by=1)", "polar"),
                         ("shift_gaussian(by=1) + cosh_gaussian(by=1)", "jordan")):  # fmt: skip
        with pytest.raises(PlanError, match="of one kernel: use method='jordan'"):
            ks.compile(text, data=X, method=method, published=ks.Published(masses="estimated"))  # type: ignore[arg-type]
    with pytest.raises(PlanError, match="'exact' or 'estimated'"):
        ks.compile("gaussian()", dim=2, published=ks.Published(masses="guessed"))  # type: ignore[arg-type]
