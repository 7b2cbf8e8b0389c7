"""Deviations are judged by what was claimed of them, and nothing else is asked."""

from __future__ import annotations

import numpy as np
import pytest

from kernelspec.testing.assertions import assert_deviations, assert_exact
from kernelspec.verification.statistics import Deviations

VALUE, SIZE = np.array([0.5, 0.2, 1.0]), np.ones(3)


def kept(deviations: tuple[float, float, float], shift: float = 0.0) -> Deviations:
    """Normal errors of three values; the last has no variance."""
    errors = np.random.default_rng(0).standard_normal((4000, 3)) * deviations
    errors[:, 1] += shift
    return Deviations(errors, np.array([1.0, 4.0, 0.0]), np.full(3, 4e-15), np.array([3.0, 48.0, 0.0]))


def test_right_ones_pass() -> None:
    assert assert_deviations(kept((1, 2, 0)), VALUE, SIZE, budget=1e-6, what="right") == 2


def test_each_claim_is_judged() -> None:
    with pytest.raises(AssertionError, match=r"^mean of it: z = \+.* at entry 1 of 2"):
        assert_deviations(kept((1, 2, 0), 0.4), VALUE, SIZE, budget=1e-6, what="it")
    with pytest.raises(AssertionError, match=r"^variance of it: .*observed/predicted 1\.4"):
        assert_deviations(kept((1.2, 2, 0)), VALUE, SIZE, budget=1e-6, what="it")
    assert_deviations(kept((1.2, 2, 0)), VALUE, SIZE, budget=1e-6, what="it", variance=False)
    assert_deviations(kept((1, 2, 0), 0.25), VALUE, SIZE, budget=1e-6, what="it", mean=False)
    with pytest.raises(AssertionError, match="no variance, and is off"):
        assert_deviations(kept((1, 2, 0.1)), VALUE, SIZE, budget=1e-6, what="it")


def test_exact() -> None:
    assert_exact(np.full((1, 2), 1e-7), np.ones(2), "it")
    with pytest.raises(AssertionError, match="entry 1 has no variance"):
        assert_exact(np.array([[0, 1e-3]]), np.ones(2), "it")
