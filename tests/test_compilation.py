"""From a spec to a feature map: what may be left out, and what is refused."""

from __future__ import annotations

import pickle
import warnings
from inspect import Parameter, signature
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.spatial.distance import pdist
from sklearn.base import clone
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

import kernelspec as ks
from kernelspec.compilation import compile_spec
from kernelspec.errors import DataError, DimensionError, ParameterError, PlanError, SpecError

X = np.random.default_rng(0).standard_normal((20, 3))


def test_texts_and_specs() -> None:
    first, second = ks.compile("gaussian()", dim=3), ks.compile(ks.parse("gaussian()"), dim=3)
    assert np.array_equal(first.approximate(X), second.approximate(X))
    assert ks.compile is compile_spec


@pytest.mark.slow
def test_columns_come_from_columns_data_dim_or_the_spec() -> None:
    import pandas as pd

    table = pd.DataFrame(X, columns=["a", "b", "c"])
    assert ks.compile("gaussian()", dim=4).plan.layout.dim == 4
    assert ks.compile("gaussian()[b]", columns=["a", "b"]).plan.layout.numeric == (1,)
    assert ks.compile("gaussian()[b]", data=table).plan.layout.names == ("a", "b", "c")
    assert ks.compile("gaussian()", data=X).plan.layout.dim == 3
    assert ks.compile("gaussian()", data=X.tolist()).plan.layout.dim == 3
    assert ks.compile("gaussian()", data=csr_array(X)).plan.layout.dim == 3
    assert ks.compile("gaussian()[v] + laplace()[u]").plan.layout.names == ("v", "u")


def test_no_columns_at_all() -> None:
    with pytest.raises(DimensionError, match="is unknown: set dim=, columns= or data="):
        ks.compile("gaussian()")


def test_columns_that_disagree() -> None:
    with pytest.raises(DimensionError, match="dim is 3, but there are 2 column names"):
        ks.compile("gaussian()", dim=3, columns=["a", "b"])
    with pytest.raises(DataError, match="has 3 features"):
        ks.compile("gaussian()", dim=4, data=X)
    with pytest.raises(DimensionError):
        ks.compile("gaussian()", dim=0)


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        (np.ones(3), "1D array"),
        (np.ones((2, 2, 2)), "3 dimensions"),
        (5, "scalar array instead: 5"),
        ("abc", "'abc' is the name of a file"),
        (np.ones((2, 0)), "0 feature"),
        (np.rec.fromarrays(X.T), "a structured array is not a table: pass a data frame"),
    ],
    ids=["vector", "cube", "number", "path", "no columns", "records"],
)
def test_data_that_are_no_table(bad: Any, said: str) -> None:
    with pytest.raises(DataError, match=said):
        ks.compile("gaussian()", data=bad)


def test_types_that_are_none() -> None:
    with pytest.raises(PlanError, match=r"types must be those of a map, fmap\.plan\.layout\.types, not 3"):
        ks.compile("match()", dim=1, types=3)  # type: ignore[arg-type]


def test_data_with_holes() -> None:
    spoiled = X.copy()
    spoiled[4, 2] = np.nan
    with pytest.raises(DataError, match="NaN in row 4, column 2"):
        ks.compile("gaussian()", data=spoiled)
    ks.compile("gaussian()[0:2]", data=spoiled)  # a column that is not used may hold anything


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_features": 0}, "n_features must be at least 1, not 0"),
        ({"n_features": -5}, "n_features must be at least 1, not -5"),
        ({"n_features": 10.5}, "n_features must be a whole number, not 10.5"),
        ({"n_features": None}, "n_features must be a whole number, not None"),
        ({"seed": -1}, "seed must be at least 0, not -1"),
        ({"seed": 1.5}, "seed must be a whole number, not 1.5"),
        ({"seed": "a"}, "seed must be a whole number, not 'a'"),
        ({"buckets": 1}, "buckets must be at least 2, not 1"),
        ({"buckets": 2.5}, "buckets must be a whole number, not 2.5"),
        ({"method": "magic"}, "method must be one of"),
    ],
)
def test_options_out_of_range(options: dict[str, Any], message: str) -> None:
    with pytest.raises(PlanError, match=message):
        ks.compile("gaussian() * match()", dim=3, **options)


def test_numpy_numbers_are_numbers() -> None:
    feature_map = ks.compile("match()", dim=3, n_features=np.int64(9), seed=np.uint32(4), buckets=np.int16(8))  # type: ignore[arg-type]
    assert (feature_map.plan.n_features, feature_map.plan.seed, feature_map.plan.buckets) == (9, 4, 8)
    assert all(type(value) is int for value in (feature_map.plan.n_features, feature_map.plan.seed))


def test_a_seed_of_the_system_is_recorded() -> None:
    first, second = ks.compile("gaussian()", dim=3, seed=None), ks.compile("gaussian()", dim=3, seed=None)
    assert first.plan.seed != second.plan.seed
    again = ks.compile("gaussian()", dim=3, seed=first.plan.seed)
    assert np.array_equal(first.approximate(X), again.approximate(X))
    assert str(first.plan.seed) in first.explain()


def test_large_seeds() -> None:
    seeds = [2**63, 2**64, 2**64 + 1, 2**200]
    maps = [ks.compile("gaussian() * match()[0]", dim=3, seed=seed) for seed in seeds]
    frequencies = {part.phasors.frequencies.tobytes() for m in maps for part in m.keyed if part.phasors is not None}
    assert len(frequencies) == 4


def test_free_parameters_are_asked_for() -> None:
    with pytest.raises(ParameterError, match="'s' has no value"):
        ks.compile("param s > 0\ngaussian(scale=s)", dim=3)
    assert ks.compile(ks.parse("param s > 0\ngaussian(scale=s)", {"s": 2}), dim=3).unbiased


def test_only_spec_dim_and_n_features_are_given_by_position() -> None:
    kinds = {name: own.kind for name, own in signature(ks.compile).parameters.items()}
    positional = [name for name, kind in kinds.items() if kind is Parameter.POSITIONAL_OR_KEYWORD]
    assert positional == ["spec", "dim", "n_features"]
    assert set(kinds.values()) == {Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY}


def test_errors_of_the_text_come_through() -> None:
    with pytest.raises(SpecError, match="did you mean 'gaussian'"):
        ks.compile("gausian()", dim=3)


@pytest.mark.filterwarnings("ignore::kernelspec.DeadKernelWarning")  # rows so far apart are strangers
def test_data_decide_between_plans() -> None:
    far = 20 * np.arange(60.0)[:, None]
    for data, method in ((far, "phase"), (far / 1000, "paired")):
        assert ks.compile("cauchy()", data=data, draws="independent", landmarks="never").method == method
    assert ks.compile("cauchy()", data=far, method="paired").method == "paired"


X_OF_DEAD_KERNELS = np.random.default_rng(2).standard_normal((120, 2)) * 780


def test_compile_and_fit_warn_at_the_line_that_calls_them() -> None:
    text = "param w = 1\ngaussian(w)"
    pipeline = make_pipeline(ks.KernelFeatures("gaussian()", n_features=16, method="paired"), Ridge())
    for work, words in (
        (lambda: ks.compile(text, data=X_OF_DEAD_KERNELS, n_features=16), "try params={'w': "),
        (lambda: ks.KernelFeatures(text, n_features=16).fit(X_OF_DEAD_KERNELS), "try params={'w': "),
        (lambda: pipeline.fit(X_OF_DEAD_KERNELS, X_OF_DEAD_KERNELS[:, 0]), "try scale="),
    ):
        with pytest.warns(
            ks.DeadKernelWarning, match=f"all pairs are nearly uncorrelated; .* the scale 1; {words}"
        ) as found:
            work()
        assert [warning.filename for warning in found] == [__file__]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ks.compile("gaussian(800)", data=X_OF_DEAD_KERNELS, n_features=16)


@pytest.mark.slow
def test_the_estimator_takes_the_median(tmp_path: Path) -> None:
    spec = "param w > 0\nparam share = 0.5\nshare*gaussian(w) + 0.5*laplace(900)"
    model = ks.KernelFeatures(spec, params={"w": "median"}, n_features=16, landmarks="never", random_state=0)
    assert clone(model).get_params()["params"] == {"w": "median"}
    assert model.get_params()["params__w"] == "median"
    model.fit(X_OF_DEAD_KERNELS)
    assert model.params_ == pytest.approx({"w": np.median(pdist(X_OF_DEAD_KERNELS)), "share": 0.5}, rel=5e-4)
    model.feature_map_.save(tmp_path / "map.npz")
    loaded = ks.load_map(tmp_path / "map.npz", redraw=True)
    assert dict(loaded.plan.values)["w"] == pytest.approx(model.params_["w"])
    assert (pickle.loads(pickle.dumps(model)).transform(X_OF_DEAD_KERNELS) == model.transform(X_OF_DEAD_KERNELS)).all()
    search = GridSearchCV(make_pipeline(model, Ridge()), {"kernelfeatures__params__w": ["median", 500]}, cv=2)
    search.fit(X_OF_DEAD_KERNELS, X_OF_DEAD_KERNELS[:, 0])
    assert search.best_params_["kernelfeatures__params__w"] in ("median", 500)
    with pytest.raises(ks.KernelspecError, match="only works for a scale"):
        ks.KernelFeatures(spec, params={"w": 1, "share": "median"}).fit(X_OF_DEAD_KERNELS)


def test_a_median_over_an_array_with_named_columns() -> None:
    spec = "param w\ngaussian(w)[b]*gaussian(700)[a]"
    with pytest.raises(ks.KernelspecError, match="no column names"):
        ks.KernelFeatures(spec, params={"w": "median"}, n_features=16).fit(X_OF_DEAD_KERNELS)
    model = ks.KernelFeatures(spec, params={"w": "median"}, n_features=16, feature_names=["b", "a"]).fit(
        X_OF_DEAD_KERNELS
    )
    assert model.params_["w"] == pytest.approx(np.median(pdist(X_OF_DEAD_KERNELS[:, :1])), rel=5e-4)


def keys(*rows: list[int]) -> np.ndarray:
    return np.array(rows, dtype=np.uint64)


def test_the_formula_of_the_share_that_agrees() -> None:
    x, y = keys([1, 2, 3, 4], [1, 1, 1, 1]), keys([1, 2, 3, 4], [1, 2, 9, 9], [7, 7, 7, 7])
    share = np.array([[1, 0.5, 0], [0.25, 0.25, 0]])
    expected = np.exp(-2 * 1.5 * ((1 - share) / (1 + share)) ** 2)
    np.testing.assert_allclose(ks.estimate_rbf(x, y, 1.5), expected, rtol=1e-14)


def test_blocks_of_rows_are_the_rows() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 4, (700, 64)).astype(np.uint64), rng.integers(0, 4, (600, 64)).astype(np.uint64)
    whole = ks.estimate_rbf(x, y, 1.0)
    assert whole.shape == (700, 600)
    for i in (0, 436, 437, 699):
        assert np.array_equal(ks.estimate_rbf(x[[i]], y, 1.0)[0], whole[i])


def test_nothing_to_compare() -> None:
    assert ks.estimate_rbf(keys([1])[:0], keys([1]), 1.0).shape == (0, 1)
    assert ks.estimate_rbf(keys([1]), keys([1])[:0], 1.0).shape == (1, 0)


@pytest.mark.parametrize(
    ("x", "y", "gamma", "message"),
    [
        (np.ones((2, 3)), keys([1, 2, 3]), 1.0, "uint64, as keys"),
        (keys([1, 2]), keys([1, 2, 3]), 1.0, "equally many keys on both sides, not 2 and 3"),
        (keys([1, 2]), keys([1, 2]), 0.0, "gamma must be greater than 0"),
        (keys([1, 2])[0], keys([1, 2]), 1.0, "must be an array"),
    ],
)
def test_refusals(x: np.ndarray, y: np.ndarray, gamma: float, message: str) -> None:
    with pytest.raises(DataError, match=message):
        ks.estimate_rbf(x, y, gamma)
