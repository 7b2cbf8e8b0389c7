"""Tests of `models/features.py`."""

from __future__ import annotations

import copy
import io
import pickle
import warnings

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import check_estimator

import kernelspec as ks
from kernelspec.errors import CellTypeError, DataError, PlanError, SpecError
from kernelspec.models.features import KernelFeatures, UnmetKeysWarning

RNG = np.random.default_rng(0)
X = RNG.standard_normal((60, 3))
FRAME = pd.DataFrame(
    {"age": RNG.uniform(20, 80, 60), "country": RNG.choice(["de", "fr", "it"], 60), "balance": RNG.standard_normal(60)}
)
CHURN = "0.7*gaussian(scale=10)[age] * match()[country] + 0.3*gaussian()[balance]"


INDEPENDENT = {"draws": "independent", "landmarks": "never"}
"""Planned in a tenth of the time: for tests that fit often, beside one in which everything is compared."""


CONTRACT = {
    "dense": ("gaussian()", {"n_features": 32}),
    "phase": (
        "0.5*gaussian(scale=3) + 0.5*gaussian(scale=4)",
        {"n_features": 17, "method": "phase", **INDEPENDENT},
    ),
    "params": ("param s = 2\ngaussian(scale=s)", {"params": {"s": 3}, "n_features": 8, **INDEPENDENT}),
    "sparse": (ks.parse("gaussian() * match()"), {"n_features": 16, "buckets": 16, **INDEPENDENT}),
    "exact": ("gaussian() + match()", {"n_features": 16, "keys": "exact", **INDEPENDENT}),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["dense", *(pytest.param(own, marks=pytest.mark.long) for own in list(CONTRACT)[1:])])
def test_every_check_of_scikit_learn_passes(kind):
    spec, options = CONTRACT[kind]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # rows that a check transforms without having fitted them have unmet keys
        results = check_estimator(KernelFeatures(spec, **options), on_fail=None, on_skip=None)
    assert [result for result in results if result["status"] not in ("passed", "skipped")] == []
    # the one check that needs a variable of the environment to be set
    assert {result["check_name"] for result in results if result["status"] == "skipped"} <= {"check_array_api_input"}
    assert len(results) > 40


def test_tags():
    dense, sparse = KernelFeatures("gaussian()"), KernelFeatures("let k = match()[0]\ngaussian()[1]*k")
    assert get_tags(dense).input_tags.sparse
    assert not get_tags(dense).input_tags.categorical
    assert get_tags(sparse).input_tags.categorical
    assert not get_tags(dense).non_deterministic
    assert get_tags(dense).transformer_tags.preserves_dtype == ["float64", "float32"]
    assert not get_tags(KernelFeatures("no kernel")).input_tags.categorical


@pytest.mark.slow
@pytest.mark.parametrize("method", ["auto", "paired", "phase", "complex"])
def test_features_are_those_of_compile(method):
    estimator = KernelFeatures("gaussian(scale=2)", method=method, n_features=64, random_state=5)
    features = estimator.fit_transform(X)
    expected = ks.compile("gaussian(scale=2)", method=method, n_features=64, seed=5, data=X)
    np.testing.assert_array_equal(features, expected.transform(X))
    assert estimator.feature_map_.method == expected.method
    assert np.iscomplexobj(features) == (method == "complex")
    assert np.abs(features @ features.conj().T - ks.parse("gaussian(scale=2)").gram(X)).max() < 0.6


def test_the_fewest_features_for_an_error():
    options = {"n_features": "auto", "error": 0.1, "landmarks": "never", "draws": "independent"}
    estimator = KernelFeatures("gaussian(scale=2)", random_state=3, **options).fit(X)
    expected = ks.compile("gaussian(scale=2)", data=X, seed=3, **options)
    np.testing.assert_array_equal(estimator.transform(X), expected.transform(X))
    assert clone(estimator).get_params()["error"] == 0.1
    with pytest.raises(PlanError, match="needs n_features='auto', not 1024"):
        KernelFeatures("gaussian(scale=2)", pointwise=0.1).fit(X)


@pytest.mark.slow
def test_random_states():
    def features(state):
        return KernelFeatures("gaussian()", n_features=16, random_state=state, **INDEPENDENT).fit_transform(X)

    np.testing.assert_array_equal(features(3), features(np.int64(3)))
    np.testing.assert_array_equal(features(np.random.RandomState(3)), features(np.random.RandomState(3)))
    state = np.random.RandomState(3)
    assert not np.array_equal(features(state), features(state))
    np.random.seed(11)  # noqa: NPY002
    first = features(None)
    np.random.seed(11)  # noqa: NPY002
    np.testing.assert_array_equal(first, features(None))
    with pytest.raises(PlanError, match="seed"):
        features(-1)
    with pytest.raises(ValueError, match="seed"):
        features("zero")


def test_not_fitted():
    estimator = KernelFeatures("gaussian()")
    for call in (estimator.transform, estimator.count_unmet, estimator.get_feature_names_out):
        with pytest.raises(NotFittedError):
            call(X)


@pytest.mark.slow
def test_fitted_attributes_and_names():
    estimator = KernelFeatures(CHURN, n_features=16, buckets=8, random_state=0).fit(FRAME)
    assert estimator.n_features_in_ == 3
    assert estimator.feature_names_in_.tolist() == ["age", "country", "balance"]
    names = estimator.get_feature_names_out()
    assert names.dtype == object
    assert len(set(names)) == len(names) == estimator.transform(FRAME).shape[1]
    assert estimator.get_feature_names_out(["age", "country", "balance"]).tolist() == names.tolist()
    with pytest.raises(ValueError, match="input_features"):
        estimator.get_feature_names_out(["a", "b", "c"])
    estimator.set_params(spec="gaussian()").fit(X)
    assert not hasattr(estimator, "feature_names_in_")


@pytest.mark.slow
@pytest.mark.parametrize(
    "convert",
    [
        np.asarray,
        np.ndarray.tolist,
        sp.csr_array,
        sp.csc_matrix,
        sp.coo_array,
        pd.DataFrame,
        pl.DataFrame,
        lambda table: pa.table({f"column_{i}": table[:, i] for i in range(3)}),
    ],
    ids=["numpy", "list", "csr", "csc", "coo", "pandas", "polars", "arrow"],
)
def test_numbers_in_every_container(convert):
    given = KernelFeatures("gaussian()", n_features=16, random_state=0, **INDEPENDENT)
    expected = given.fit_transform(X)
    features = clone(given).fit(convert(X)).transform(convert(X))
    assert isinstance(features, np.ndarray)
    np.testing.assert_allclose(features, expected, atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(
    "container", ["pandas", "categorical", "polars", "enum", "arrow", "dict", "batches", "dictionary"]
)
def test_mixed_tables_in_every_frame(container):
    columns = {name: FRAME[name].to_numpy() for name in FRAME}
    make = {
        "pandas": lambda: FRAME,
        "categorical": lambda: FRAME.astype({"country": "category"}),
        "polars": lambda: pl.DataFrame(columns),
        "enum": lambda: pl.DataFrame(columns).with_columns(pl.col("country").cast(pl.Enum(["it", "fr", "de"]))),
        "arrow": lambda: pa.table(columns),
        "dict": lambda: columns,
        "batches": lambda: pa.RecordBatchReader.from_batches(
            pa.table(columns).schema, pa.table(columns).to_batches(max_chunksize=2)
        ),
        "dictionary": lambda: pa.table({**columns, "country": pa.array(columns["country"]).dictionary_encode()}),
    }[container]
    estimator = KernelFeatures(CHURN, n_features=32, buckets=16, random_state=0).fit(FRAME)
    expected, features = estimator.transform(FRAME), estimator.transform(make())
    assert sp.issparse(features)
    assert (features != expected).nnz == 0
    assert (KernelFeatures(CHURN, n_features=32, buckets=16, random_state=0).fit_transform(make()) != expected).nnz == 0


@pytest.mark.slow
def test_names_that_come_or_go_are_warned_of():
    estimator = KernelFeatures("gaussian()", n_features=8).fit(pd.DataFrame(X, columns=list("abc")))
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        from_array = estimator.transform(X)
    np.testing.assert_array_equal(from_array, estimator.transform(pd.DataFrame(X, columns=list("abc"))))
    with pytest.warns(UserWarning, match="fitted without feature names"):
        KernelFeatures("gaussian()", n_features=8).fit(X).transform(pd.DataFrame(X, columns=list("abc")))


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["gaussian()", "gaussian() + 0.1*match()"])
def test_float32_is_kept(spec):
    estimator = KernelFeatures(spec, n_features=16, keys="hashed", buckets=8).fit(X)
    assert estimator.transform(X.astype(np.float32)).dtype == np.float32
    assert estimator.transform(pd.DataFrame(X.astype(np.float32))).dtype == np.float32
    assert estimator.transform(sp.csr_array(X.astype(np.float32))).dtype == np.float32
    assert estimator.transform(X).dtype == np.float64


@pytest.mark.parametrize("kind", ["numbers", "categories"])
@pytest.mark.parametrize(("output", "frame"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame)])
def test_set_output(output, frame, kind):
    table = pd.DataFrame(X, columns=list("abc")) if kind == "numbers" else FRAME
    given = {"numbers": ("gaussian()", {}), "categories": (CHURN, {"storage": "dense"})}[kind]
    estimator = KernelFeatures(given[0], n_features=64, random_state=0, **given[1]).set_output(transform=output)
    made = estimator.fit_transform(table.set_axis(range(100, 160)))
    assert isinstance(made, frame)
    assert list(made.columns) == estimator.get_feature_names_out().tolist()
    assert made.shape[0] == 60
    assert made.shape[1] <= 64
    if output == "pandas":
        assert made.index.tolist() == list(range(100, 160))


@pytest.mark.parametrize("spec", ["minmax()", "laplace(scale=2)"])
def test_bits_of_keys(spec: str) -> None:
    method = "binning" if "laplace" in spec else "auto"
    estimator = KernelFeatures(spec, n_features=64, keys="bits", bits=4, method=method, random_state=0).fit(X)  # type: ignore[arg-type]
    features = estimator.transform(X)
    assert features.shape == (len(X), 64 * 16 + 1)
    assert (features.indptr[1:] - features.indptr[:-1] == 64).all()  # the constant column is left empty
    exact = estimator.feature_map_.approximate(X)
    assert np.abs((features @ features.T).toarray() - exact - 1 / 15).max() < 0.5
    with pytest.raises(PlanError, match="bits must be"):
        KernelFeatures(spec, keys="bits", bits=0, method=method).fit(X)  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.parametrize("keys", ["auto", "hashed", "exact"])
def test_clone_copy_and_pickle(keys):
    estimator = KernelFeatures(ks.parse(CHURN), keys=keys, n_features=16, random_state=0).fit(FRAME)
    expected = estimator.transform(FRAME)
    file = io.BytesIO()
    joblib.dump(estimator, file)
    file.seek(0)
    for again in (pickle.loads(pickle.dumps(estimator)), joblib.load(file), copy.deepcopy(estimator)):
        assert (again.transform(FRAME) != expected).nnz == 0
        assert again.get_feature_names_out().tolist() == estimator.get_feature_names_out().tolist()
    fresh = clone(estimator)
    assert not hasattr(fresh, "feature_map_")
    assert (fresh.fit_transform(FRAME) != expected).nnz == 0


@pytest.mark.slow
def test_pipelines_and_column_transformers():
    y = (FRAME["age"] > 50).astype(int)
    model = make_pipeline(KernelFeatures(CHURN, n_features=64, random_state=0), LogisticRegression())
    assert cross_val_score(model, FRAME, y, cv=3).mean() > 0.8
    kinds = make_column_transformer(
        (StandardScaler(), ["age", "balance"]),
        (KernelFeatures("match()", n_features=1, buckets=16), ["country"]),
        sparse_threshold=0,
    )
    assert kinds.fit_transform(FRAME).shape == (60, 2 + 3 + 4)


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::kernelspec.DeadKernelWarning")  # of the scales 30 and 1000, which are too large
def test_a_grid_search_over_a_parameter_of_the_spec():
    y = np.sin(4 * X[:, 0])
    model = make_pipeline(KernelFeatures("param s = 1\ngaussian(scale=s)[0]", random_state=0), Ridge(1e-3))
    search = GridSearchCV(model, {"kernelfeatures__params__s": [0.5, 30, 1000]}, cv=3).fit(X, y)
    assert search.best_params_ == {"kernelfeatures__params__s": 0.5}
    assert search.best_estimator_[0].feature_map_.plan.values == (("s", 0.5),)


def test_wrong_arguments_are_reported_by_fit_not_before():
    for wrong, error in [
        ({"spec": "gausian()"}, SpecError),
        ({"spec": 3}, PlanError),
        ({"keys": "all"}, PlanError),
        ({"method": "best"}, PlanError),
        ({"n_features": 0}, PlanError),
        ({"n_features": 2.5}, PlanError),
        ({"buckets": 1}, PlanError),
    ]:
        estimator = KernelFeatures(**{"spec": "gaussian()", **wrong})
        assert repr(estimator)
        assert clone(estimator).get_params().keys() >= {"spec"}
        with pytest.raises(error):
            estimator.fit(X)
        assert not hasattr(estimator, "feature_map_")


@pytest.mark.parametrize(
    ("table", "error", "said"),
    [
        (np.where(np.eye(60, 3, k=-4) > 0, np.nan, X), DataError, "NaN in row 4, column 0"),
        (np.where(np.eye(60, 3, k=-4) > 0, np.inf, X), DataError, "infinity in row 4, column 0"),
        (FRAME, CellTypeError, "column 'country' holds .* in row 0"),
        (X[:, 0], DataError, "1D array"),
        (X[:0], DataError, "0 sample"),
        (X[:, :0], DataError, "0 feature"),
        (sp.csr_array(X[:, :0]), DataError, "0 feature"),
        (X + 1j, DataError, "Complex data"),
        (pl.LazyFrame({"a": [1.0]}), DataError, "collect"),
    ],
    ids=["nan", "inf", "text", "vector", "no rows", "no columns", "sparse without columns", "complex", "lazy"],
)
def test_bad_data(table, error, said):
    with pytest.raises(error, match=said):
        KernelFeatures("gaussian()").fit(table)


@pytest.mark.slow
def test_exact_columns_reproduce_the_estimate_on_what_was_fitted():
    estimator = KernelFeatures(CHURN, keys="exact", n_features=64, random_state=1).fit(FRAME)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        features = estimator.transform(FRAME)
    assert estimator.feature_map_.unbiased
    np.testing.assert_allclose((features @ features.T).toarray(), estimator.feature_map_.approximate(FRAME), atol=1e-12)
    assert estimator.count_unmet(FRAME) == 0


@pytest.mark.slow
def test_exact_columns_of_a_kernel_without_keys_change_nothing():
    exact = KernelFeatures("gaussian()", keys="exact", n_features=16, random_state=0).fit_transform(X)
    np.testing.assert_array_equal(exact, KernelFeatures("gaussian()", n_features=16, random_state=0).fit_transform(X))


def test_storage_is_a_parameter_like_others():
    array = clone(KernelFeatures("gaussian()", n_features=8)).set_params(storage="sparse", random_state=0)
    assert sp.issparse(array.fit_transform(X))
    with pytest.raises(PlanError, match="storage must be"):
        KernelFeatures("gaussian()", storage="array").fit(X)


def test_unmet_categories_in_arrays_are_warned_of():
    estimator = KernelFeatures(CHURN, n_features=64, storage="dense", method="paired", random_state=0).fit(FRAME)
    with pytest.warns(UnmetKeysWarning, match="100"):
        features = estimator.transform(FRAME.assign(country="atlantis"))
    assert isinstance(features, np.ndarray)


@pytest.mark.slow
def test_unmet_keys_are_counted_and_warned_of():
    seen, new = FRAME.assign(country="de"), FRAME.assign(country=["de"] * 45 + ["es"] * 15)
    estimator = KernelFeatures(CHURN, keys="exact", n_features=32, random_state=1).fit(seen)
    samples = sum(map(len, estimator.feature_map_.keyed))
    assert estimator.count_unmet(new) == 15 * samples
    with pytest.warns(UnmetKeysWarning, match=r"25\.00% of the keys"):
        features = estimator.transform(new)
    assert features.shape[1] == len(estimator.get_feature_names_out())
    hashed = KernelFeatures(CHURN, keys="hashed", n_features=32, random_state=1).fit(seen)
    assert hashed.count_unmet(new) == 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        hashed.transform(new)


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "mean(full(cos(0.58), input=image(1, 3, 1, base=laplace(scale=2)))[0:3], constant())",
        "full(relu(), input=image(1, 3, 1, base=gaussian(scale=2)))[0:3] * laplace(scale=3)[1:4]",
    ],
)
def test_a_skeleton_on_sparse_rows_has_the_features_of_the_dense_ones(text):
    generator = np.random.default_rng(0)
    rows = np.round(generator.standard_normal((40, 5))) * (generator.random((40, 5)) < 0.4)
    maps = [KernelFeatures(text, n_features=64, random_state=0).fit(sp.csr_array(rows)) for _ in range(2)]
    of_sparse, of_dense = maps[0].transform(sp.csr_array(rows)), maps[1].transform(rows)
    np.testing.assert_allclose(of_sparse, of_dense, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    ("text", "is_refused"),
    [
        ("gaussian() - 1/10*laplace()", True),
        ("sho(1, 1/2)*sho(2, 1/2) - 1/1000*laplace()", True),
        ("1.5*laplace(0.3) - 0.5*laplace(0.1)", True),  # positive definite, but its samples have signs
        ("gaussian() + 1/100*shift(gaussian(), by=1)", True),
        ("gaussian() + 1/100*tilt(gaussian(), by=1)", True),
        ("(linear() - 1/10*constant())**3*gaussian()", True),
        ("gaussian() + 1/100*shift(constant(), by=1)", False),
        ("product(t -> cos(t)**4*exp(-t))", False),
        ("(linear() + 1/10*constant())**3*gaussian()", False),
    ],
)
def test_whether_one_side_is_enough_does_not_depend_on_what_is_drawn(text: str, is_refused: bool) -> None:
    """With two features, a sign of one sample in a thousand is rarely there; without it, features have another mean."""
    rows = np.random.default_rng(0).standard_normal((12, 1))
    for seed in range(20):
        model = ks.KernelFeatures(text, n_features=2, random_state=seed)
        if is_refused:
            with pytest.raises(ks.PlanError, match="one set of features represents another kernel"):
                model.fit(rows)
        else:
            assert model.fit(rows).transform(rows).shape[0] == 12
