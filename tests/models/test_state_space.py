"""The filter and smoother against the exact solution by matrices."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.models.given_table import Observations, Table
from kernelspec.models.posterior import fit_exact
from kernelspec.models.state_space import fit_state_space

SPECS = (
    "matern(nu=3/2, scale=2)[time]*cosine(3)[time] + exponential(scale=5)[time] + 0.1*constant()",
    "matern(nu=5/2, scale=20)[time]",
    "0.5*periodic(7)[time]*exponential(scale=30)[time] + 2*matern(nu=1/2, scale=0.1)[time]",
)


@pytest.mark.parametrize("text", SPECS)
def test_it_is_the_exact_gaussian_process(text: str) -> None:
    generator = np.random.default_rng(0)
    n = 300
    time = generator.uniform(0, 50, n)
    time[10] = time[11]  # equal rows
    X = np.stack([generator.normal(size=n), time], axis=1)
    y = np.stack([np.sin(time), 0.1 * time + np.cos(time)], axis=1) + 0.2 * generator.normal(size=(n, 2))
    weights = generator.integers(1, 4, n).astype(float)
    read = Table.of(X, ("x", "time")).under(ks.parse(text), ("x", "time"), (), "refuse")
    observations = Observations.of(read.rows, y, weights)
    exact, filtered = (fit(read.kernel, observations, 0.1) for fit in (fit_exact, fit_state_space))
    rows = read.layout.read(np.stack([np.zeros(60), generator.uniform(-20, 80, 60)], axis=1))
    close = {"rtol": 1e-8, "atol": 1e-8}
    np.testing.assert_allclose(filtered.log_likelihoods, exact.log_likelihoods, **close)
    np.testing.assert_allclose(filtered.amplitudes, exact.amplitudes, **close)
    np.testing.assert_allclose(filtered.mean(rows), exact.mean(rows), **close)
    np.testing.assert_allclose(filtered.variance(rows), exact.variance(rows), **close)
    np.testing.assert_allclose(filtered.covariance(rows, 1), exact.covariance(rows, 1), **close)
    left, right = (each.leave_one_out(observations) for each in (filtered, exact))
    np.testing.assert_allclose(left.errors, right.errors, **close)
    np.testing.assert_allclose(left.deviations, right.deviations, **close)
