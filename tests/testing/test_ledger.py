"""The ledger: shares of one budget, an account of what was spent, and the power that tests enter."""

from __future__ import annotations

import numpy as np
import pytest

from kernelspec.testing import Ledger, assert_unbiased
from kernelspec.testing.laboratory import assert_mean
from kernelspec.testing.ledger import granted, note_power

SAMPLES = np.random.default_rng(0).standard_normal((400, 3))


def test_without_a_ledger_an_assertion_gets_what_it_asks_for() -> None:
    assert granted(1e-3) == 1e-3
    note_power("bias", 0.1)


def test_under_a_ledger_nothing_spends_more_than_a_share() -> None:
    with Ledger(budget=1e-6, shares=100).open() as ledger:
        assert granted(1e-3) == 1e-8
        assert granted(1e-9) == 1e-9
        assert_mean(SAMPLES, np.zeros(3))
    assert (ledger.n_assertions, ledger.spent) == (3, pytest.approx(2.1e-8))
    assert not ledger.is_overspent
    assert granted(1e-3) == 1e-3


def test_limits_grow_under_a_ledger() -> None:
    off = SAMPLES + 0.25  # 5.0 standard errors: found alone, not among ten million
    with pytest.raises(AssertionError):
        assert_mean(off, np.zeros(3), budget=1e-3)
    with Ledger(budget=1e-6, shares=10_000_000).open():
        assert_mean(off, np.zeros(3), budget=1e-3)


def test_too_many_assertions_overspend() -> None:
    with Ledger(budget=1e-6, shares=3).open() as ledger:
        for _ in range(4):
            granted(1)
    assert ledger.is_overspent
    assert "OVERSPENT" in ledger.lines()[0]


@pytest.mark.slow
def test_powers_are_entered() -> None:
    with Ledger().open() as ledger:
        assert_unbiased("gaussian()", np.array([[0.0], [0.5]]), n_maps=300)
    assert set(ledger.powers) == {"bias of k by maps", "variance by maps"}
    assert "at worst" in "\n".join(ledger.lines())


def test_another_seed_of_the_run_moves_every_assertion() -> None:
    asked = []

    def features(X, generator):
        asked.append(generator.random())
        return np.ones((len(X), 1))

    for seed in (0, 0, 1):
        with Ledger(seed=seed).open():
            assert_unbiased(features, np.zeros((2, 1)), np.ones((2, 2)), n_maps=40)
    first, again, other = (asked[i : i + 40] for i in (0, 40, 80))
    assert first == again
    assert not set(first) & set(other)
