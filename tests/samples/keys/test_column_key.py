"""Keys that read one column each."""

from __future__ import annotations

import numpy as np
import pytest

from kernelspec.random.streams import hash_text
from kernelspec.samples.changed_keys import TranslatedKey
from kernelspec.samples.keys import BinningKey, ColumnKey
from kernelspec.samples.samples import KeyFactor
from kernelspec.samples.weighted_keys import GcwsKey
from kernelspec.tables.rows import Rows
from tests.maps.parts import there_and_back

GENERATOR = np.random.default_rng(0)
X = GENERATOR.uniform(0, 3, (6, 5))
CHOSEN = np.array([3, 0, 3, 4, 1, 0, 3])


def bins(n: int) -> BinningKey:
    return BinningKey(GENERATOR.uniform(0.5, 2, (n, 1)), GENERATOR.random((n, 1)), (0,))


def expected(factor: KeyFactor, chosen: np.ndarray, side: str = "left") -> np.ndarray:
    """Sample by sample, on a table of one column."""
    found = [factor.take(np.array([j])).keys(Rows(X[:, [column]]), side) for j, column in enumerate(chosen)]  # type: ignore[arg-type]
    return np.concatenate(found, axis=1)


@pytest.mark.slow
def test_every_sample_reads_its_column() -> None:
    words = GENERATOR.integers(0, 2**63, 7).astype(np.uint64)
    for factor in (bins(7), GcwsKey(words, (0,))):
        key = ColumnKey(factor, CHOSEN)
        assert np.array_equal(key.keys(Rows(X), "left"), expected(factor, CHOSEN))
        assert key.columns == (0, 1, 3, 4)
        assert not key.has_sides


def test_sides() -> None:
    key = ColumnKey(TranslatedKey(bins(7), (0.4,), (0,)), CHOSEN)
    assert key.has_sides
    for side in ("left", "right"):
        assert np.array_equal(key.keys(Rows(X), side), expected(key.factor, CHOSEN, side))  # type: ignore[arg-type]
    assert not np.array_equal(key.keys(Rows(X), "left"), key.keys(Rows(X), "right"))


def test_taken_and_joined() -> None:
    key, index = ColumnKey(bins(7), CHOSEN), np.array([5, 2, 2])
    whole = key.keys(Rows(X), "left")
    assert np.array_equal(key.take(index).keys(Rows(X), "left"), whole[:, index])
    other = ColumnKey(bins(2), np.array([2, 2]))
    assert other.structure == key.structure
    joined = key.join([other]).keys(Rows(X), "left")
    assert np.array_equal(joined, np.hstack([whole, other.keys(Rows(X), "left")]))
    assert key.take(np.zeros(0, dtype=np.intp)).keys(Rows(X), "left").shape == (6, 0)


def test_beside_categories_and_in_sparse_tables() -> None:
    from scipy.sparse import csr_array

    key = ColumnKey(bins(7), CHOSEN)
    rows = Rows(np.where(np.arange(5) == 2, 0.0, X), {2: hash_text(list("aabbcc"))})
    assert np.array_equal(key.keys(rows, "left"), key.keys(Rows(X), "left"))
    assert np.array_equal(key.keys(Rows(csr_array(X)), "left"), key.keys(Rows(X), "left"))


def test_what_is_saved() -> None:
    key = ColumnKey(bins(7), CHOSEN)
    assert np.array_equal(there_and_back(key).keys(Rows(X), "left"), key.keys(Rows(X), "left"))
