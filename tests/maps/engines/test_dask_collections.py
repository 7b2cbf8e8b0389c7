"""Collections of Dask: the bits of one machine, whatever the chunks, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

import kernelspec as ks
from kernelspec.errors import CellTypeError, DataError, PlanError
from kernelspec.maps.feature_map import FeatureMap

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
pytest.importorskip("dask.bag")

ROWS = np.random.default_rng(0).standard_normal((60, 3))
FRAME = pd.DataFrame({"a": ROWS[:, 0], "b": ROWS[:, 1].astype(np.float32), "c": ["x", "y", "z"] * 20})


@pytest.fixture(scope="module")
def maps() -> dict[str, FeatureMap]:
    """Dense, complex, of bins, correction and asymmetric maps of three columns."""
    return {
        "paired": ks.compile("gaussian()", 3, 16, method="paired"),
        "complex": ks.compile("gaussian()", 3, 16, method="complex"),
        "keyed": ks.compile("laplace()", 3, 8, method="binning", buckets=16),
        "landmarks": ks.compile("gaussian()*laplace()", data=ROWS, n_features=16, method="landmarks"),
        "shifted": ks.compile("shift(gaussian(), by=1/2)", 3, 16),
    }


def equal(lazy: Any, exact: Any) -> None:
    """The same type, kind and bits, and what Dask was told of it."""
    found = lazy.compute(scheduler="threads")
    assert type(found) is type(exact) is type(lazy._meta)
    assert found.dtype == exact.dtype == lazy.dtype
    assert lazy.shape[1] == exact.shape[1] == found.shape[1]
    if isinstance(exact, np.ndarray):
        np.testing.assert_array_equal(found, exact)
    else:
        for part in ("indptr", "indices", "data"):
            np.testing.assert_array_equal(getattr(found, part), getattr(exact, part))


@pytest.mark.slow
@settings(max_examples=15)
@given(
    st.lists(st.integers(0, 25), min_size=1, max_size=5).filter(lambda sizes: sum(sizes) > 0),
    st.sampled_from([(3,), (1, 2), (1, 1, 1)]),
    st.sampled_from(["paired", "complex", "keyed", "landmarks"]),
    st.sampled_from([np.float32, np.float64, np.int64]),
)
def test_the_same_bits_whatever_the_chunks(
    maps: dict[str, FeatureMap], rows: list[int], columns: tuple[int, ...], kind: str, dtype: type
) -> None:
    X = np.random.default_rng(sum(rows)).normal(0, 3, (sum(rows), 3)).astype(dtype)
    equal(maps[kind].transform(da.from_array(X, chunks=(tuple(rows), columns))), maps[kind].transform(X))


@pytest.mark.slow
def test_sides_and_both(maps: dict[str, FeatureMap]) -> None:
    shifted, X = maps["shifted"], da.from_array(ROWS, chunks=17)
    equal(shifted.left(X), shifted.left(ROWS))
    equal(shifted.right(X), shifted.right(ROWS))
    equal(shifted.transform(X, side="both"), shifted.transform(ROWS, side="both"))
    with pytest.raises(PlanError, match="asymmetric"):
        shifted.transform(X)


@pytest.mark.slow
def test_frames_by_name_with_categories_and_partitions_without_rows() -> None:
    fmap = ks.compile("laplace()[a]*match()[c] + gaussian()[b]", data=FRAME, n_features=16)
    frame = dd.from_pandas(FRAME[["c", "b", "a"]], npartitions=4)
    equal(fmap.transform(frame), fmap.transform(FRAME))
    equal(fmap.transform(frame[frame.a > 1.5]), fmap.transform(FRAME[FRAME.a > 1.5]))
    single = ks.compile("gaussian()[b]", data=FRAME, n_features=16)
    lazy = single.transform(frame)
    assert lazy.dtype == np.float32
    equal(lazy, single.transform(FRAME))


@pytest.mark.slow
def test_chunks_of_sparse_rows_and_of_unknown_length(maps: dict[str, FeatureMap]) -> None:
    rows = np.where(ROWS > 0, ROWS, 0)
    X = da.from_array(rows, chunks=(20, 3))
    sparse = X.map_blocks(csr_array, meta=csr_array((0, 3)))
    equal(maps["paired"].transform(sparse), maps["paired"].transform(csr_array(rows)))
    equal(maps["paired"].transform(X[X[:, 0] > 0]), maps["paired"].transform(rows[rows[:, 0] > 0]))


def test_what_is_wrong_with_columns_is_said_at_once(maps: dict[str, FeatureMap]) -> None:
    paired = maps["paired"]
    with pytest.raises(DataError, match="X has 4 features"):
        paired.transform(da.ones((5, 4)))
    for other in (da.ones(5), dd.from_pandas(FRAME, npartitions=2).a, dd.from_pandas(FRAME, npartitions=2).to_bag()):
        with pytest.raises(DataError, match=r"Dask's .* is not a table"):
            paired.transform(other)
    with pytest.raises(DataError, match="no column 'a'"):
        ks.compile("gaussian()[a]", columns=["a"], n_features=4).transform(dd.from_pandas(FRAME[["b"]], npartitions=2))
    with pytest.raises(PlanError, match="out"):
        paired.transform(da.ones((5, 3)), np.empty((5, 16)))


def test_what_is_wrong_with_rows_names_the_chunk(maps: dict[str, FeatureMap]) -> None:
    bad = ROWS.copy()
    bad[25, 1] = np.nan
    with pytest.raises(DataError, match=r"^chunk 2: .*row 5, column 1"):
        maps["paired"].transform(da.from_array(bad, chunks=(10, 3))).compute(scheduler="sync")
    fmap = ks.compile("match()[c]", data=FRAME, n_features=4)
    text = dd.from_pandas(FRAME.assign(c=range(60)), npartitions=3)
    with pytest.raises(CellTypeError, match=r"^partition \d: column 'c' holds"):
        fmap.transform(text).compute(scheduler="sync")


def test_elsewhere_rows_must_be_in_memory(maps: dict[str, FeatureMap]) -> None:
    X = da.from_array(ROWS, chunks=17)
    for take in (maps["paired"].approximate, maps["paired"].blocks, lambda X: ks.compile("gaussian()", data=X)):
        with pytest.raises(DataError, match="not in memory:"):
            take(X)


@pytest.mark.slow
def test_delayed_tables_and_complex_numbers_are_refused(maps: dict[str, FeatureMap]) -> None:
    dense = next(iter(maps.values()))
    for other in (dask.delayed(np.ones((2, 3))), da.ones(3), dask.bag.from_sequence([1])):
        with pytest.raises(DataError, match="is not a table"):
            dense.transform(other)
    with pytest.raises(DataError, match="Complex data not supported"):
        dense.transform(da.ones((2, 3), dtype=complex))


class Labelled:
    """As an array of xarray: it could hold a collection of Dask, and holds numbers."""

    def __init__(self, rows: np.ndarray) -> None:
        self.rows = rows

    def __dask_graph__(self) -> None:
        return None

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return self.rows


def test_what_merely_may_hold_a_collection_is_an_array(maps: dict[str, FeatureMap]) -> None:
    rows = np.random.default_rng(0).standard_normal((5, 3))
    for fmap in maps.values():
        found, expected = fmap.left(Labelled(rows)), fmap.left(rows)
        assert (found != expected).sum() == 0
