"""Features of rows: their type, where they are written, and that batches and threads change nothing."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

import kernelspec as ks
from kernelspec.errors import PlanError
from kernelspec.numerics import threads
from kernelspec.planning.methods import Method
from tests.maps.example_maps import BOTH, DENSE, KEYED, METHODS, SIGNED, X, as_array, compiled


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("text", [DENSE, KEYED, BOTH, SIGNED])
@pytest.mark.parametrize("n", [7, 8, 33, 64])
def test_stored_entries_are_within_the_budget(text: str, method: Method, n: int) -> None:
    feature_map = compiled(text, n, method=method)
    left = feature_map.left(X)
    real = 2 if method == "complex" and text == DENSE else 1
    if isinstance(left, csr_array):
        assert np.diff(left.indptr).max() <= n
    else:
        assert left.shape[1] * real <= n


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_features_have_the_type_of_the_data(kind: type) -> None:
    for text in (DENSE, KEYED):
        assert compiled(text).transform(X.astype(kind)).dtype == kind
    assert compiled(DENSE).transform(np.ones((2, 3), dtype=int)).dtype == np.float64
    assert compiled(DENSE, method="complex").transform(X.astype(np.float32)).dtype == np.complex64
    single = as_array(compiled(DENSE).transform(X.astype(np.float32)))
    assert np.abs(single - as_array(compiled(DENSE).transform(X))).max() <= 1e-4


@pytest.mark.slow
@pytest.mark.parametrize("text", [DENSE, BOTH])
def test_batches_threads_and_memory_order_do_not_change_a_bit(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    feature_map, generator = compiled(text, 64), np.random.default_rng(1)
    rows = np.column_stack([generator.standard_normal((600, 2)), generator.integers(0, 3, 600)])
    for data in (rows, rows.astype(np.float32)):
        whole = as_array(feature_map.transform(data))
        for size in (7, 255, 256, 257):
            pieces = [as_array(feature_map.transform(data[i : i + size])) for i in range(0, 600, size)]
            assert np.array_equal(np.concatenate(pieces), whole)
        assert np.array_equal(as_array(feature_map.transform(data[599:])), whole[599:])
        assert np.array_equal(as_array(feature_map.transform(np.asfortranarray(data))), whole)
        for processors in (1, 3, 8):
            monkeypatch.setattr(threads, "processors", lambda count=processors: count)
            assert np.array_equal(as_array(feature_map.transform(data)), whole)
        assert np.abs(as_array(feature_map.transform(csr_array(data))) - whole).max() <= 1e-5


def test_out_is_written_and_returned() -> None:
    feature_map = compiled(DENSE)
    out = np.full((30, feature_map.n_columns), np.nan)
    assert feature_map.transform(X, out=out) is out
    assert np.array_equal(out, feature_map.transform(X))
    assert feature_map.transform(X[::-1], out=out) is out
    for wrong in (np.empty((29, feature_map.n_columns)), np.empty(out.shape, dtype=np.float32)):
        with pytest.raises(PlanError, match="out must have shape"):
            feature_map.transform(X, out=wrong)
    with pytest.raises(PlanError, match="sparse"):
        compiled(KEYED).transform(X, out=out)


def test_the_bits_do_not_depend_on_the_batch() -> None:
    rows = np.random.default_rng(3).standard_normal((700, 3))
    for text in ("cosh_gaussian(by=0.2)", "tilt(laplace(2), by=0.2) * match()[2]"):
        feature_map = ks.compile(text, dim=3, n_features=64, method="rows" if "cosh" in text else "paired", buckets=4)
        whole = as_array(feature_map.right(rows))
        for part in (slice(0, 1), slice(3, 290), slice(699, 700)):
            assert np.array_equal(as_array(feature_map.right(rows[part])), whole[part])
    single = ks.compile("cosh_gaussian(by=0.2)", dim=3, n_features=64, method="rows").left(X.astype(np.float32))
    assert single.dtype == np.float32
