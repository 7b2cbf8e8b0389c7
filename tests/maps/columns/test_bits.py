"""The lowest bits of keys as columns: unbiased after the chance agreement is taken off."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kernelspec.errors import PlanError
from kernelspec.maps.columns.hashed import Bits, SparseTable
from kernelspec.maps.keyed import KeyedFeatures
from kernelspec.samples.keys import BinningKey
from kernelspec.samples.samples import Phasors
from kernelspec.tables.rows import Rows
from kernelspec.testing.laboratory import assert_mean, assert_variance

MAPS = 6000
LAGS = np.array([0.0, 0.1, 0.5, 0.9, 1.0, 3.0])
KERNEL = np.maximum(0, 1 - LAGS)
ROWS = Rows(12.3 + LAGS[:, None])


def part_of(n: int) -> KeyedFeatures:
    """Grids of pitch 1 on the line: two points share a cell with probability 1 − |lag|."""
    generator = np.random.default_rng(5)
    key = BinningKey(np.ones((n, 1)), generator.random((n, 1)), (0,))
    identity = generator.integers(0, 2**64, n, dtype=np.uint64)
    return KeyedFeatures((key,), None, np.ones(n), np.ones(n), np.zeros(n), identity)


def features(bits: int, part: KeyedFeatures) -> np.ndarray:
    encoding = Bits(bits)
    table = SparseTable.empty(
        len(ROWS), encoding.entries(part, "paired"), encoding.n_columns(part, "paired"), np.dtype(float)
    )
    assert encoding.write(part, ROWS, "left", "paired", table, 0, 0) == 0
    return table.finished(0).toarray()


@pytest.mark.slow
@pytest.mark.parametrize("bits", [1, 2, 4])
@pytest.mark.parametrize("sign", [(1.0, 1.0, 1.0), (1.0, -1.0, -1.0)], ids=["positive", "signed"])
def test_unbiased_with_the_variance_of_the_formula(bits: int, sign: tuple[float, ...]) -> None:
    # the samples of all maps side by side: each has its own columns, and the constant column is the sum of theirs
    weight, signs = np.array([0.5, 0.3, 0.4]), np.array(sign)
    samples = part_of(len(weight) * MAPS)
    part = replace(samples, weight=np.tile(weight, MAPS), sign=np.tile(signs, MAPS))
    z = features(bits, part)
    products = (z * Bits(bits).signs(part, "paired")) * z[0]
    drawn = products[:, :-1].reshape(len(LAGS), MAPS, -1).sum(axis=2).T + products[:, -1] / MAPS
    b = 2.0**bits
    agree = KERNEL + (1 - KERNEL) / b
    assert_mean(drawn, (weight * signs).sum() * KERNEL)
    assert_variance(drawn, (weight**2).sum() * (b / (b - 1)) ** 2 * agree * (1 - agree))


def test_the_column_is_the_lowest_bits_of_the_key() -> None:
    part = part_of(7)
    z = features(3, part)
    keys = part.keys(ROWS)
    for r in range(len(ROWS)):
        filled = np.flatnonzero(z[r, :-1])
        assert filled.tolist() == [8 * j + int(key) % 8 for j, key in enumerate(keys[r].tolist())]
    assert np.allclose(z[:, :-1].sum(axis=1), 7 * np.sqrt(8 / 7), rtol=1e-14)
    assert np.allclose(z[:, -1], 1, rtol=1e-14)  # √(7 / (8 − 1))


def test_one_constant_column_with_the_opposite_sign() -> None:
    part = part_of(2)
    assert Bits(2).signs(part, "paired").tolist() == [1.0] * 8 + [-1.0]
    assert Bits(2).names(part, "paired")[-1] == "chance"
    negative = replace(part, sign=np.array([-1.0, -1.0]))
    assert Bits(2).signs(negative, "paired").tolist() == [-1.0] * 8 + [1.0]
    assert Bits(2).unbiased


def test_amplitudes_are_refused_with_the_way_out() -> None:
    part = replace(part_of(2), phasors=Phasors.symmetric((0,), np.ones((2, 1))))
    for ask in (Bits(2).n_columns, Bits(2).signs, Bits(2).names, Bits(2).layout):
        with pytest.raises(PlanError, match="Use buckets"):
            ask(part, "paired")


@pytest.mark.parametrize("bits", [-1, 0, 25])
def test_numbers_of_bits_that_are_refused(bits: int) -> None:
    with pytest.raises(PlanError, match="from 1 to 24"):
        Bits(bits)
