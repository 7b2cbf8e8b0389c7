"""As many samples as are needed, by formulas of other origin."""

from __future__ import annotations

import numpy as np
import pytest

from kernelspec.testing.assertions import samples_to_find

X = np.array([[0.0], [0.5]])


def test_of_a_key_it_is_the_binomial_formula() -> None:
    k = np.exp(-0.5)
    found = samples_to_find("laplace()", X, "binning", bias=0.1, variance=10, level=1e-6)
    reach = np.sqrt(2 * np.log(2e6)) + 3.0902
    assert found == pytest.approx(reach**2 * (1 - k) / k / 0.01, rel=1e-3)
    # the variance of (p − k)² for p of two values: k(1 − k)((1 − 2k)²)
    found = samples_to_find("laplace()", X, "binning", bias=10, variance=0.05, level=1e-6)
    assert found == pytest.approx(
        max(2 * np.log(2e6), (reach / 0.05) ** 2 * (1 - 2 * k) ** 2 / (k * (1 - k))), rel=1e-3
    )


def test_what_never_varies_needs_none() -> None:
    assert samples_to_find("match()", X, "paired") == 2


def test_half_the_error_needs_four_times_as_many() -> None:
    one, two = (samples_to_find("gaussian()", X, "paired", bias=b, variance=1) for b in (0.01, 0.005))
    assert two == pytest.approx(4 * one, rel=1e-3)
