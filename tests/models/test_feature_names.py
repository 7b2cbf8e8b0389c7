"""Tests of `models/feature_names.py`."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import Ridge, RidgeClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import kernelspec as ks
from kernelspec.errors import DataError, KernelspecError, ParameterError, PlanError
from kernelspec.models.features import KernelFeatures

SPEC = "gaussian(scale=0.2)[age] * gaussian(scale=5)[income]"
FRAME = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 2)), columns=["income", "age"])
ROWS = FRAME.to_numpy()
NAMES = ["income", "age"]

UNNAMED: dict[str, Callable[[], Any]] = {
    "array": lambda: ROWS,
    "float32": lambda: ROWS.astype(np.float32),
    "lists": ROWS.tolist,
    "sparse": lambda: csr_array(ROWS),
    "objects": lambda: ROWS.astype(object),
    "masked": lambda: np.ma.array(ROWS),
    "numbered frame": lambda: pd.DataFrame(ROWS),
}
NAMED: dict[str, Callable[[], Any]] = {
    "pandas": lambda: FRAME,
    "other order": lambda: FRAME[["age", "income"]],
    "other columns": lambda: FRAME.assign(city="Oslo")[["city", "age", "income"]],
    "polars": lambda: pl.from_pandas(FRAME).select("age", "income"),
    "arrow": lambda: pa.table({"age": FRAME["age"], "income": FRAME["income"]}),
}

REFUSED = r'column names\. .*set_output\(transform="pandas"\).*feature_names=\[…\]'


def features(**options: Any) -> ks.KernelFeatures:
    return ks.KernelFeatures(SPEC, n_features=64, random_state=0, **options)


@pytest.fixture(scope="module")
def expected() -> np.ndarray:
    return np.asarray(features().fit_transform(FRAME))


def test_the_features_are_those_of_the_kernel(expected: np.ndarray) -> None:
    exact = ks.parse(SPEC).gram(FRAME)
    assert np.linalg.norm(expected @ expected.T - exact) < 0.25 * np.linalg.norm(exact)
    swapped = ks.parse(SPEC).gram(ROWS, columns=["age", "income"])
    assert np.linalg.norm(expected @ expected.T - swapped) > 0.5 * np.linalg.norm(exact)


@pytest.mark.slow
@pytest.mark.parametrize("kind", UNNAMED)
def test_tables_without_names_are_refused(kind: str) -> None:
    table = UNNAMED[kind]()
    with pytest.raises(KernelspecError, match=REFUSED):
        features().fit(table)
    fitted = features().fit(FRAME)
    for call in (fitted.transform, fitted.count_unmet):
        with pytest.raises(DataError, match=REFUSED):
            call(table)
    for fmap in (ks.compile(SPEC, n_features=8), ks.compile(SPEC, data=FRAME, n_features=8)):
        for use in (fmap.transform, fmap.left, fmap.right, fmap.approximate, fmap.predicted_error, fmap.analyze):
            with pytest.raises(DataError, match=REFUSED):
                use(table)
        with pytest.raises(DataError, match=REFUSED):
            next(iter(fmap.blocks(table)))
    for refused in (
        lambda: ks.compile(SPEC, data=table),
        lambda: ks.compile(SPEC, dim=2),
        lambda: ks.parse(SPEC).gram(table),
        lambda: ks.parse(SPEC).gram(FRAME, table),
        lambda: ks.verify(SPEC, table, n_maps=50),
    ):
        with pytest.raises(KernelspecError, match=REFUSED):
            refused()


@pytest.mark.slow
@pytest.mark.parametrize("kind", UNNAMED)
def test_feature_names_name_the_columns(kind: str, expected: np.ndarray) -> None:
    table = UNNAMED[kind]()
    estimator = features(feature_names=NAMES).fit(table)
    assert estimator.n_features_in_ == 2
    assert not hasattr(estimator, "feature_names_in_")
    rounding = 1e-3 if kind == "float32" else 0
    np.testing.assert_allclose(estimator.transform(table), expected, atol=rounding)
    np.testing.assert_allclose(estimator.transform(FRAME[["age", "income"]]), expected, atol=rounding)
    fmap = ks.compile(SPEC, columns=NAMES, n_features=8)
    np.testing.assert_allclose(fmap.transform(table), fmap.transform(FRAME), atol=rounding)


@pytest.mark.slow
@pytest.mark.parametrize("kind", NAMED)
@pytest.mark.parametrize("names", [None, NAMES])
def test_tables_with_names_are_read_by_name(kind: str, names: list[str] | None, expected: np.ndarray) -> None:
    table = NAMED[kind]()
    estimator = features(feature_names=names)
    np.testing.assert_array_equal(estimator.fit(FRAME).transform(table), expected)
    np.testing.assert_array_equal(estimator.fit(table).transform(FRAME), estimator.transform(table))
    if names is not None:
        np.testing.assert_array_equal(estimator.transform(ROWS), estimator.transform(FRAME))
        assert estimator.n_features_in_ == 2
        assert estimator.feature_names_in_.tolist() == names


def test_missing_columns_are_named() -> None:
    with pytest.raises(KernelspecError, match="unknown column 'age'"):
        features().fit(FRAME[["income"]])
    fitted = features().fit(FRAME)
    for estimator in (fitted, features(feature_names=NAMES)):
        with pytest.raises(DataError, match="the data have no column 'age'"):
            (estimator.transform if estimator is fitted else estimator.fit)(FRAME[["income"]])
    with pytest.raises(DataError, match="row 3, column 'age'"):
        fitted.transform(FRAME.assign(age=FRAME["age"].where(FRAME.index != 3)))


def test_wrong_feature_names() -> None:
    with pytest.raises(DataError, match="X has 2 columns, but feature_names has 3 names"):
        features(feature_names=["a", "age", "income"]).fit(ROWS)
    with pytest.raises(KernelspecError, match="unknown column 'age'"):
        features(feature_names=["a", "income"]).fit(ROWS)
    with pytest.raises(KernelspecError, match="column names must be a list of strings"):
        features(feature_names="ab").fit(ROWS)  # type: ignore[arg-type]
    with pytest.raises(DataError, match="two columns of the data have the name 'age'"):
        features(feature_names=["age", "income", "age"]).fit(np.ones((5, 3)))
    with pytest.raises(DataError, match=r"a structured array is not a table: .*pandas\.DataFrame\(X\)"):
        features().fit(FRAME.to_records(index=False))
    with pytest.raises(DataError, match="X has 3 features"):
        features(feature_names=NAMES).fit(ROWS).transform(np.ones((2, 3)))
    with pytest.raises(DataError, match="X has 2 features, but KernelFeatures is expecting 3 features as input"):
        KernelFeatures("gaussian()").fit(X).transform(X[:, :2])


@pytest.mark.slow
def test_pipelines(expected: np.ndarray) -> None:
    """Steps that return arrays lose the names; `set_output` keeps them, and `feature_names` gives them back."""
    with pytest.raises(KernelspecError, match=REFUSED):
        make_pipeline(StandardScaler(), features()).fit(FRAME)
    kept = make_pipeline(StandardScaler().set_output(transform="pandas"), features()).fit_transform(FRAME)
    given = make_pipeline(StandardScaler(), features(feature_names=NAMES)).fit_transform(FRAME)
    np.testing.assert_allclose(given, kept, rtol=1e-12)
    scaled = pd.DataFrame(StandardScaler().fit_transform(FRAME), columns=NAMES)
    exact = ks.parse(SPEC).gram(scaled)
    assert np.linalg.norm(kept @ kept.T - exact) < 0.25 * np.linalg.norm(exact)

    def columns() -> ColumnTransformer:
        steps = [("a", "passthrough", ["age"]), ("i", "passthrough", ["income"])]
        return ColumnTransformer(steps, verbose_feature_names_out=False)

    with pytest.raises(KernelspecError, match=REFUSED):
        make_pipeline(columns(), features()).fit(FRAME)
    found = make_pipeline(columns().set_output(transform="pandas"), features()).fit_transform(FRAME)
    np.testing.assert_array_equal(found, features().fit_transform(FRAME[["age", "income"]]))


@pytest.mark.slow
def test_clones_and_searches() -> None:
    estimator = features(feature_names=NAMES, side="both")
    assert clone(estimator).get_params()["feature_names"] == NAMES
    assert clone(estimator).set_params(feature_names=None).feature_names is None
    model = make_pipeline(StandardScaler(), estimator, Ridge())
    grid = {"kernelfeatures__side": ["one", "both"], "kernelfeatures__feature_names": [NAMES, NAMES[::-1]]}
    search = GridSearchCV(model, grid, cv=2, error_score="raise").fit(FRAME, FRAME["age"])
    assert search.best_params_["kernelfeatures__feature_names"] in (NAMES, NAMES[::-1])


def test_saved_maps_keep_it(tmp_path: Path) -> None:
    for columns in (None, NAMES):
        fmap = ks.compile(SPEC, columns=columns, n_features=8)
        fmap.save(tmp_path / "map.npz")
        for loaded in (ks.load_map(tmp_path / "map.npz"), ks.load_map(tmp_path / "map.npz", redraw=True)):
            np.testing.assert_array_equal(loaded.transform(FRAME), fmap.transform(FRAME))
            if columns is None:
                with pytest.raises(DataError, match=REFUSED):
                    loaded.transform(ROWS)
            else:
                np.testing.assert_array_equal(loaded.transform(ROWS), fmap.transform(FRAME))


def test_frames_whose_numbers_are_the_names() -> None:
    """A frame with whole numbers for labels is found by them if they are the names, and else has none."""
    fmap = ks.compile("gaussian()[0] * gaussian(scale=2)[1]", columns=["0", "1"], n_features=8)
    np.testing.assert_array_equal(fmap.transform(pd.DataFrame(ROWS)[[1, 0]]), fmap.transform(ROWS))
    fmap = ks.compile("gaussian()", data=FRAME, n_features=8)
    np.testing.assert_array_equal(fmap.transform(ROWS), fmap.transform(FRAME))


def test_streams_and_chunks() -> None:
    fmap = ks.compile(SPEC, n_features=8)
    table = pa.table({"age": FRAME["age"], "income": FRAME["income"]})
    found = fmap.map_batches(table).read_all()
    np.testing.assert_array_equal(np.column_stack(found.columns), fmap.transform(FRAME))
    dask_array = pytest.importorskip("dask.array")
    with pytest.raises(DataError, match=REFUSED):
        fmap.transform(dask_array.from_array(ROWS, chunks=(20, 2))).compute()


def test_tensors() -> None:
    torch = pytest.importorskip("torch")
    with pytest.raises(DataError, match=REFUSED):
        ks.compile(SPEC, n_features=8).transform(torch.tensor(ROWS))
    named = ks.compile(SPEC, columns=NAMES, n_features=8)
    np.testing.assert_allclose(named.transform(torch.tensor(ROWS)).numpy(), named.transform(FRAME), atol=1e-12)


def test_certificates_need_no_names() -> None:
    """Rows that are drawn for a check have the columns of the spec, whatever they are called."""
    assert not ks.verify(SPEC, n_maps=50, method="paired", max_rows=6).checks[0].refuted
    assert ks.verify(SPEC, FRAME, n_maps=50, method="paired", max_rows=6).columns == 2


X = np.random.default_rng(0).standard_normal((60, 3))


@pytest.mark.slow
def test_parameters_of_the_spec_are_hyperparameters():
    given = {"s": 3}
    estimator = KernelFeatures("param s = 1\nparam w\nw * gaussian(scale=s)", params=given)
    assert estimator.get_params(deep=False).keys() == inspect.signature(KernelFeatures).parameters.keys()
    deep = estimator.get_params()
    assert (deep["params__s"], deep["params__w"]) == (3, None)
    assert estimator.set_params(params__w=2, n_features=8) is estimator
    assert given == {"s": 3}
    assert estimator.params == {"s": 3, "w": 2}
    copied = clone(estimator)
    assert copied.get_params()["params__w"] == 2
    copied.set_params(params__w=5)
    assert estimator.params == {"s": 3, "w": 2}
    assert estimator.fit(X).feature_map_.plan.values == (("s", 3), ("w", 2))
    assert estimator.spec == "param s = 1\nparam w\nw * gaussian(scale=s)"


def test_a_spec_and_its_parameters_are_set_together():
    estimator = KernelFeatures("gaussian()").set_params(params__r=2, spec="param r = 1\ngaussian(scale=r)")
    assert estimator.get_params()["params__r"] == 2
    assert KernelFeatures("param s = 1\ngaussian(scale=s)").set_params(params__s=3, params={"s": 4}).params == {"s": 3}


def test_unknown_and_free_parameters():
    estimator = KernelFeatures("param s\ngaussian(scale=s)")
    with pytest.raises(ValueError, match=r"Invalid parameter 'params__t'.*'s'"):
        estimator.set_params(params__t=1)
    with pytest.raises(ValueError, match="has no argument 'unknown'"):
        estimator.set_params(unknown=1)
    with pytest.raises(ParameterError, match="s"):
        estimator.fit(X)
    with pytest.raises(ParameterError, match="no parameter 't'"):
        KernelFeatures("gaussian()", params={"t": 1}).fit(X)
    with pytest.raises(ParameterError, match="mapping"):
        KernelFeatures("gaussian()", params=3).fit(X)


SIDED = np.random.default_rng(0).standard_normal((300, 4))
Y = (SIDED[:, 0] * SIDED[:, 1] + 0.3 * SIDED[:, 2] > 0).astype(int)


@pytest.mark.slow
@pytest.mark.parametrize("text", ["shift_gaussian(scale=2, by=0.5)", "cosh_gaussian(scale=2, by=0.1)"])
def test_both_sides_go_into_a_linear_model(text: str) -> None:
    estimator = ks.KernelFeatures(text, n_features=300, side="both", random_state=0)
    features = estimator.fit_transform(SIDED)
    assert np.array_equal(features, estimator.feature_map_.transform(SIDED, side="both"))
    assert len(estimator.get_feature_names_out()) == features.shape[1]
    assert estimator.get_feature_names_out()[-1].startswith("right_")
    model = make_pipeline(clone(estimator), RidgeClassifier()).fit(SIDED[:200], Y[:200])
    assert model.score(SIDED[200:], Y[200:]) > 0.7


@pytest.mark.slow
def test_indefinite_kernels_too() -> None:
    estimator = ks.KernelFeatures("gaussian(scale=2) - 0.5 * gaussian()", n_features=64, side="both", random_state=0)
    features = estimator.fit_transform(SIDED)
    assert features.shape == (300, 64)
    assert (estimator.feature_map_.signs < 0).any()


@pytest.mark.slow
def test_one_side_is_refused_in_fit() -> None:
    with pytest.raises(PlanError, match=r"asymmetric, .* side='both' for a linear model"):
        ks.KernelFeatures("shift_gaussian(by=1)", n_features=16).fit(SIDED)
    with pytest.raises(PlanError, match="indefinite"):
        ks.KernelFeatures("gaussian() - 0.5 * laplace()", n_features=16).fit(SIDED)
    with pytest.raises(PlanError, match="'one' or 'both'"):
        ks.KernelFeatures("gaussian()", side="left").fit(SIDED)  # type: ignore[arg-type]


@pytest.mark.slow
def test_a_symmetric_kernel_has_the_same_features_either_way() -> None:
    one = ks.KernelFeatures("gaussian()", n_features=32, side="one", random_state=0).fit_transform(SIDED)
    both = ks.KernelFeatures("gaussian()", n_features=32, side="both", random_state=0).fit_transform(SIDED)
    assert np.array_equal(one, both)


@pytest.mark.parametrize("text", ["gaussian()[x]", "gaussian()[log(2 + x**2), days(when)]"])
def test_dates_where_fit_saw_numbers_are_refused(text: str) -> None:
    when = pd.date_range("2026-01-01", periods=30)
    frame = pd.DataFrame({"when": when, "x": np.sin(np.arange(30.0))})
    model = ks.KernelRegressor(text).fit(frame, np.arange(30.0))
    assert model.predict(frame).shape == (30,)
    for swapped in (frame.assign(x=when), pa.Table.from_pandas(frame.assign(x=when))):
        with pytest.raises(ks.DataError, match="column 'x' holds dates, but the model was fitted to numbers there"):
            model.predict(swapped)
