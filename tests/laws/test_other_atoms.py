"""Samples of all atoms but the heaviest."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import skellam

from kernelspec.expressions.pairs import NumericPairs
from kernelspec.laws.atoms import AtomsLaw, OtherAtomsLaw
from kernelspec.laws.joint import JointLaw
from kernelspec.laws.law import Law
from kernelspec.random.streams import Stream
from kernelspec.tables.rows import Rows
from kernelspec.testing.laboratory import z_threshold
from tests.laws.texts import kernel_of

KERNEL = kernel_of("periodic(period=1, scale=1/4)", 1)
OTHERS = OtherAtomsLaw(KERNEL, 3)
"""All harmonics but 0 and 1, 2, 3, up and down."""


def harmonics(law: Law, seed: int, n: int) -> np.ndarray:
    (batch,) = law.draw(Stream(seed), n, (0,))
    assert batch.phasors is not None
    assert isinstance(batch.phasors.frequencies, np.ndarray)
    return batch.phasors.frequencies[:, 0] / (2 * np.pi)


def test_the_law_is_that_of_the_measure_without_the_exact_ones() -> None:
    # a Skellam law given that |n| > 3; with Sobol' points every sample alone has it too
    cells = np.concatenate([np.arange(-12, -3), np.arange(4, 13)])
    chance = skellam(8, 8).pmf(cells)
    given = chance / (1 - skellam(8, 8).pmf(np.arange(-3, 4)).sum())
    drawn = harmonics(OTHERS, 7, 20_000)
    np.testing.assert_allclose(drawn, np.round(drawn), atol=1e-9)
    counts = (np.round(drawn)[:, None] == cells).sum(axis=0)
    deviation = (counts - 20_000 * given) / np.sqrt(20_000 * given * (1 - given))
    assert np.abs(deviation).max() <= z_threshold(len(cells), 1e-8)
    assert not (np.abs(np.round(drawn)) <= 3).any()


def test_prefixes() -> None:
    for law in (OTHERS, JointLaw(OTHERS, "sobol")):
        np.testing.assert_array_equal(harmonics(law, 3, 5), harmonics(law, 3, 32)[:5])
    assert not np.array_equal(harmonics(OTHERS, 3, 32), harmonics(OTHERS, 4, 32))


def test_value_and_moments() -> None:
    x = np.linspace(-1, 1, 7)[:, None]
    pairs = NumericPairs(Rows(x), Rows(x))
    exact = np.asarray(AtomsLaw(KERNEL, 3).value(pairs)) + OTHERS.all_atoms.constant
    np.testing.assert_allclose(OTHERS.value(pairs), np.asarray(KERNEL.value(pairs)) - exact, atol=1e-14)
    assert OTHERS.magnitude() == pytest.approx(1 - exact[0, 0], rel=1e-13)


def test_numbers_that_there_are_not() -> None:
    OtherAtomsLaw(KERNEL, 0).validate()
    for wrong in (-1, len(OTHERS.all_atoms)):
        with pytest.raises(ValueError, match="pairs of atoms"):
            OtherAtomsLaw(KERNEL, wrong).validate()
