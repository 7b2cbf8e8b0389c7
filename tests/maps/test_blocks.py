"""Features block by block: the bits of the whole, in memory that does not grow with the rows."""

from __future__ import annotations

import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import vstack

import kernelspec as ks
from kernelspec.errors import DataError, PlanError
from kernelspec.maps.transformed_rows import ReusedFeatures, rows_at_a_time
from kernelspec.tables.rows import Rows

MIB = 2**20
X = np.random.default_rng(0).integers(-3, 4, (20, 3)).astype(np.float64)


@pytest.mark.parametrize(
    ("text", "n_features", "method", "rows"),
    [
        ("gaussian()", 16, "paired", 16384),  # the most at a time
        ("gaussian()", 1024, "paired", 32 * MIB // (8 * 1024)),
        ("gaussian()", 1024, "complex", 32 * MIB // (16 * 512)),
        ("gaussian()", 14_000, "paired", 256),  # 299 would fit
        ("gaussian()", 100_000, "paired", 41),  # less than a numerical block of 256
        ("match()", 1024, "paired", 32 * MIB // (16 * 1024)),
    ],
)
def test_rows_of_so_many_bytes(text: str, n_features: int, method: Any, rows: int) -> None:
    assert rows_at_a_time(ks.compile(text, dim=1, n_features=n_features, method=method)) == rows


@pytest.mark.parametrize("side", ["left", "both"])
@pytest.mark.parametrize("text", ["gaussian()", "shift_gaussian(by=1)", "match()[0] * gaussian()[1]", "minmax()"])
def test_blocks_are_the_whole(text: str, side: Any) -> None:
    fmap = ks.compile(text, dim=3, n_features=12)
    whole = fmap.transform(X, side=side)
    for rows in (1, 7, None):
        parts = [block.copy() for block in fmap.blocks(X, rows=rows, side=side)]
        assert [part.shape[0] for part in parts] == (
            [20] if rows is None else [rows] * (20 // rows) + [20 % rows] * (20 % rows > 0)
        )
        if isinstance(whole, np.ndarray):
            assert np.array_equal(np.concatenate(parts), whole)
        else:
            assert (vstack(parts, format="csr") != whole).nnz == 0


def test_dense_blocks_share_their_memory(tmp_path: Path) -> None:
    fmap = ks.compile("gaussian()", dim=3, n_features=6)
    np.save(tmp_path / "x.npy", X)
    blocks = list(fmap.blocks(np.load(tmp_path / "x.npy", mmap_mode="r"), rows=8))
    assert all(np.shares_memory(blocks[0], block) for block in blocks)
    assert np.array_equal(blocks[2], fmap.transform(X)[16:])


def shares_memory(a: Any, b: Any) -> bool:
    return np.shares_memory(a.data, b.data) and np.shares_memory(a.indices, b.indices)


def test_sparse_blocks_share_their_memory() -> None:
    fmap = ks.compile("laplace()", dim=3, n_features=6, method="binning")
    blocks = list(fmap.blocks(X, rows=8))
    assert all(shares_memory(blocks[0], block) for block in blocks)
    assert (blocks[2] != fmap.transform(X[16:])).nnz == 0


@pytest.mark.parametrize("keys", ["exact", "bits"])
def test_entries_that_are_dropped_do_not_come_back(keys: Any) -> None:
    """Categories that were not met have no entry, and constant columns that take chance agreement off are emptied."""
    data = X[:4] if keys == "exact" else None
    fmap = ks.compile("match()", dim=3, n_features=12, keys=keys, data=data, bits=2)
    whole = fmap.transform(X)
    assert 0 < whole.nnz < 20 * (12 if keys == "exact" else 13)
    parts = [block.copy() for block in fmap.blocks(X, rows=7)]
    assert (vstack(parts, format="csr") != whole).nnz == 0


def test_what_cannot_be_done_is_refused_at_once() -> None:
    fmap = ks.compile("gaussian()", dim=3, n_features=6)
    with pytest.raises(ValueError, match="a block has a whole number of rows, one at least, not 0"):
        fmap.blocks(X, rows=0)
    for rows in (1.5, "3", True):
        with pytest.raises(ValueError, match="a block has a whole number of rows"):
            fmap.blocks(X, rows=rows)
    with pytest.raises(PlanError, match="side is 'left', 'right' or 'both', not 'up'"):
        fmap.blocks(X, side="up")
    with pytest.raises(DataError, match="NaN in row 19, column 2"):
        fmap.blocks(np.where(np.arange(60).reshape(20, 3) == 59, np.nan, X), rows=4)
    with pytest.raises(PlanError, match="the kernel is asymmetric"):
        ks.compile("shift_gaussian(by=1)", dim=3, n_features=12).blocks(X)


def test_the_buffer_is_made_anew_for_more_rows_or_another_type() -> None:
    fmap = ks.compile("gaussian()", dim=3, n_features=6)
    reused = ReusedFeatures(fmap)
    first = reused.of(Rows(X[:4]))
    assert np.shares_memory(first, reused.of(Rows(X[:2])))
    single = reused.of(Rows(X[:3].astype(np.float32)))
    assert single.dtype == np.float32
    assert np.array_equal(reused.of(Rows(X)), fmap.transform(X))


SPECS = ["gaussian()", "gaussian()[0, 2] * laplace()[1]", "tilt(gaussian(), by=0.1)", "normalized"]


@pytest.mark.slow
@pytest.mark.parametrize("text", SPECS)
def test_memory_does_not_grow_with_rows(text: str) -> None:
    """What is made in C is not counted: the compiled loops take none that depends on the number of rows."""
    options: dict[str, Any] = (
        {"published": ks.Published(normalized=True), "method": "phase"} if text == "normalized" else {}
    )
    fmap = ks.compile("gaussian()" if options else text, dim=3, n_features=64, **options)
    rows = np.random.default_rng(0).standard_normal((200_000, 3))
    out = np.empty((len(rows), fmap.n_columns))
    fmap.transform(rows[:10], side="left")

    def peak(work: Any) -> int:
        tracemalloc.start()
        work()
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    assert out.nbytes > 100 * MIB * 0.9
    assert peak(lambda: fmap.transform(rows, out, side="left")) < 8 * MIB
    assert peak(lambda: [None for _ in fmap.blocks(rows, side="left")]) < 64 * MIB
