"""Warnings of kernels that say nothing about the data."""

from __future__ import annotations

import pickle
import warnings
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.distance import pdist
from sklearn.base import clone
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

import kernelspec as ks

X = np.random.default_rng(2).standard_normal((120, 2)) * 780


def test_compile_and_fit_warn_at_the_line_that_calls_them() -> None:
    text = "param w = 1\ngaussian(w)"
    pipeline = make_pipeline(ks.KernelFeatures("gaussian()", n_features=16, method="paired"), Ridge())
    for work, words in (
        (lambda: ks.compile(text, data=X, n_features=16), "try params={'w': "),
        (lambda: ks.KernelFeatures(text, n_features=16).fit(X), "try params={'w': "),
        (lambda: pipeline.fit(X, X[:, 0]), "try scale="),
    ):
        with pytest.warns(ks.DeadKernelWarning, match=f"all rows are strangers; .* the scale 1; {words}") as found:
            work()
        assert [warning.filename for warning in found] == [__file__]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ks.compile("gaussian(800)", data=X, n_features=16)


def test_the_estimator_takes_the_median(tmp_path: Path) -> None:
    spec = "param w > 0\nparam share = 0.5\nshare*gaussian(w) + 0.5*laplace(900)"
    model = ks.KernelFeatures(spec, params={"w": "median"}, n_features=16, landmarks="never", random_state=0)
    assert clone(model).get_params()["params"] == {"w": "median"}
    assert model.get_params()["params__w"] == "median"
    model.fit(X)
    assert model.params_ == pytest.approx({"w": np.median(pdist(X)), "share": 0.5}, rel=5e-4)
    model.feature_map_.save(tmp_path / "map.npz")
    loaded = ks.load_map(tmp_path / "map.npz", redraw=True)
    assert dict(loaded.plan.values)["w"] == pytest.approx(model.params_["w"])
    assert (pickle.loads(pickle.dumps(model)).transform(X) == model.transform(X)).all()
    search = GridSearchCV(make_pipeline(model, Ridge()), {"kernelfeatures__params__w": ["median", 500]}, cv=2)
    search.fit(X, X[:, 0])
    assert search.best_params_["kernelfeatures__params__w"] in ("median", 500)
    with pytest.raises(ks.KernelspecError, match="only a parameter that is a scale"):
        ks.KernelFeatures(spec, params={"w": 1, "share": "median"}).fit(X)


def test_a_median_over_an_array_with_named_columns() -> None:
    spec = "param w\ngaussian(w)[b]*gaussian(700)[a]"
    with pytest.raises(ks.KernelspecError, match="no column names"):
        ks.KernelFeatures(spec, params={"w": "median"}, n_features=16).fit(X)
    model = ks.KernelFeatures(spec, params={"w": "median"}, n_features=16, feature_names=["b", "a"]).fit(X)
    assert model.params_["w"] == pytest.approx(np.median(pdist(X[:, :1])), rel=5e-4)
