"""The feature map: one output contract for every kernel, and its own errors predicted."""

from __future__ import annotations

import pickle
import subprocess
import sys

import numpy as np
import pytest
from scipy.sparse import csr_array

import kernelspec as ks
from kernelspec.errors import DataError, PlanError
from kernelspec.features import threads
from kernelspec.features.feature_map import FeatureMap
from kernelspec.planning.methods import Method
from kernelspec.testing.laboratory import assert_mean

GENERATOR = np.random.default_rng(0)
X = np.column_stack([GENERATOR.standard_normal((30, 2)), GENERATOR.integers(0, 3, 30)])
METHODS: list[Method] = ["paired", "phase", "complex"]
DENSE = "0.7 * gaussian(scale=2) + 0.3 * laplace()[0]"
KEYED = "gaussian()[0:2] * match()[2] + 0.5 * match()[2]"
BOTH = f"{KEYED} + {DENSE}"
SIGNED = "gaussian() - 0.5 * laplace() + 0.25 * match()[2]"
ZERO = "gaussian() - gaussian()"


def compiled(text: str, n: int = 40, *, method: Method = "auto", seed: int = 0) -> FeatureMap:
    return ks.compile(text, dim=3, n_features=n, method=method, seed=seed)


def as_array(features: np.ndarray | csr_array) -> np.ndarray:
    return features if isinstance(features, np.ndarray) else features.toarray()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("text", [DENSE, KEYED, BOTH, SIGNED, ZERO])
def test_contract(text: str, method: Method) -> None:
    feature_map = compiled(text, method=method)
    left, right = feature_map.left(X), feature_map.right(X)
    assert feature_map.method == method
    assert left.shape == right.shape == (30, feature_map.n_columns)
    assert feature_map.signs.shape == (feature_map.n_columns,)
    assert len(set(feature_map.names())) == feature_map.n_columns
    assert feature_map.is_sparse == isinstance(left, csr_array) == ("match" in text)
    assert left.dtype == (np.complex128 if method == "complex" else np.float64)
    assert feature_map.unbiased
    assert feature_map.approximate(X, X[:4]).shape == (30, 4)
    if not feature_map.is_sparse:
        products = ((as_array(left) * feature_map.signs) @ as_array(right).conj().T).real
        assert np.abs(products - feature_map.approximate(X)).max() <= 1e-13


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


def test_an_odd_leftover_stays_unused() -> None:
    assert compiled("gaussian()", 7, method="paired").n_columns == 6
    assert compiled("gaussian()", 7, method="complex").n_columns == 3
    assert compiled("gaussian()", 7, method="phase").n_columns == 7


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_features_have_the_type_of_the_data(kind: type) -> None:
    for text in (DENSE, KEYED):
        assert compiled(text).transform(X.astype(kind)).dtype == kind
    assert compiled(DENSE).transform(np.ones((2, 3), dtype=int)).dtype == np.float64
    assert compiled(DENSE, method="complex").transform(X.astype(np.float32)).dtype == np.complex64
    single = as_array(compiled(DENSE).transform(X.astype(np.float32)))
    assert np.abs(single - as_array(compiled(DENSE).transform(X))).max() <= 1e-4


@pytest.mark.parametrize("text", [DENSE, BOTH])
def test_batches_threads_and_memory_order_do_not_change_a_bit(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    feature_map = compiled(text, 64)
    rows = np.column_stack([GENERATOR.standard_normal((600, 2)), GENERATOR.integers(0, 3, 600)])
    for data in (rows, rows.astype(np.float32)):
        whole = as_array(feature_map.transform(data))
        for size in (7, 255, 256, 257):
            pieces = [as_array(feature_map.transform(data[i : i + size])) for i in range(0, 600, size)]
            assert np.array_equal(np.concatenate(pieces), whole)
        assert np.array_equal(as_array(feature_map.transform(data[599:])), whole[599:])
        assert np.array_equal(as_array(feature_map.transform(np.asfortranarray(data))), whole)
        for processors in (1, 3, 8):
            monkeypatch.setattr(threads, "_processors", lambda count=processors: count)
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


@pytest.mark.parametrize("method", METHODS)
def test_zero_kernel_is_one_zero_column(method: Method) -> None:
    feature_map = compiled(ZERO, method=method)
    assert feature_map.n_columns == 1
    assert feature_map.names() == ["zero"]
    assert not as_array(feature_map.transform(X)).any()
    assert not feature_map.approximate(X).any()
    assert feature_map.predicted_error(X) == 0
    assert "zero kernel" in feature_map.explain()


def test_one_sided_features_of_an_indefinite_kernel_are_refused_with_the_way_out() -> None:
    feature_map = compiled(SIGNED)
    with pytest.raises(PlanError, match=r"left\(X\), right\(Y\) and signs"):
        feature_map.transform(X)
    assert set(feature_map.signs) == {-1.0, 1.0}
    estimate = (feature_map.left(X).multiply(feature_map.signs).tocsr() @ feature_map.right(X).T).toarray()  # type: ignore[union-attr]
    assert np.abs(estimate - ks.parse(SIGNED).gram(X)).max() < 2


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("hashed", [False, True])
def test_predicted_error_is_the_root_mean_square_over_maps(method: Method, hashed: bool) -> None:
    # budget 1e-6 for each combination: the mean of ‖K̂ − K‖²_F over 400 maps against its prediction
    exact = ks.parse(BOTH).gram(X[:6])
    errors = []
    for seed in range(400):
        feature_map = compiled(BOTH, 24, method=method, seed=seed)
        estimate = feature_map.approximate(X[:6])
        if hashed:
            features = feature_map.transform(X[:6])
            estimate = (features @ features.conj().T).toarray().real  # type: ignore[union-attr]
        errors.append(np.square(estimate - exact).sum())
    predicted = (feature_map.predicted_error(X[:6], hashed=hashed) * np.linalg.norm(exact)) ** 2
    assert_mean(np.array(errors), [predicted])


def test_predicted_error_follows_from_the_predicted_variance() -> None:
    feature_map = compiled(BOTH)
    exact = ks.parse(BOTH).gram(X, X[:9])
    variance = feature_map.predicted_variance(X, X[:9])
    assert variance.shape == (30, 9)
    expected = np.sqrt(variance.sum()) / np.linalg.norm(exact)
    assert feature_map.predicted_error(X, X[:9]) == pytest.approx(expected, rel=1e-12)
    assert (feature_map.predicted_variance(X, hashed=True) >= feature_map.predicted_variance(X)).all()


def test_predictions_go_block_by_block(monkeypatch: pytest.MonkeyPatch) -> None:
    from kernelspec.features import feature_map as module

    feature_map = compiled(BOTH)
    variance, error = feature_map.predicted_variance(X), feature_map.predicted_error(X)
    monkeypatch.setattr(module, "_SIDE_BY_SIDE", 7)
    assert np.allclose(feature_map.predicted_variance(X), variance, rtol=1e-14)
    assert feature_map.predicted_error(X) == pytest.approx(error, rel=1e-13)


def test_pickle() -> None:
    for text in (DENSE, BOTH, SIGNED, ZERO):
        feature_map = compiled(text)
        again = pickle.loads(pickle.dumps(feature_map))
        assert again.plan == feature_map.plan
        assert np.array_equal(as_array(again.left(X)), as_array(feature_map.left(X)))
        assert np.array_equal(again.approximate(X), feature_map.approximate(X))


def test_maps_compare_by_identity() -> None:
    feature_map = compiled(DENSE)
    assert feature_map == feature_map  # noqa: PLR0124
    assert feature_map != compiled(DENSE)
    assert len({feature_map, compiled(DENSE)}) == 2


def test_data_frames_are_read_by_name() -> None:
    import pandas as pd

    table = pd.DataFrame({"age": X[:, 0], "country": ["a", "b", "c"] * 10, "extra": "x", "income": X[:, 1]})
    feature_map = ks.compile("gaussian()[age, income] * match()[country]", n_features=32)
    assert feature_map.plan.layout.names == ("age", "income", "country")
    shuffled = table[["income", "country", "age"]]
    again = shuffled[["age", "country", "income"]]
    assert np.array_equal(as_array(feature_map.transform(shuffled)), as_array(feature_map.transform(again)))
    with pytest.raises(DataError, match="no column 'country'"):
        feature_map.transform(table[["age", "income", "extra"]])


def test_wrong_data_is_refused() -> None:
    feature_map = compiled(DENSE)
    spoiled = X.copy()
    spoiled[3, 1] = np.nan
    for bad, message in (
        (X[:, :2], "has 2 features"),
        (X[0], "Expected 2D array"),
        (spoiled, "NaN in row 3, column 1"),
        (X[:0], "0 sample"),
    ):
        for ask in (feature_map.transform, feature_map.left, feature_map.approximate, feature_map.predicted_error):
            with pytest.raises(DataError, match=message):
                ask(bad)


def test_drawing_transforming_and_loading_import_no_heavy_package() -> None:
    script = f"""
import sys
import numpy as np
import kernelspec as ks
X = np.arange(12.0).reshape(4, 3)
feature_map = ks.compile({BOTH!r}, dim=3, n_features=32)
feature_map.transform(X), feature_map.approximate(X), feature_map.predicted_error(X), feature_map.explain()
feature_map.save(sys.argv[1])
ks.load_map(sys.argv[1]).transform(X)
heavy = {{"sympy", "sklearn", "scipy.stats", "mpmath", "pandas", "pyarrow", "click", "rich", "matplotlib"}}
print(sorted(heavy & set(sys.modules)))
"""
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-c", script, str(Path(folder) / "map.npz")]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
