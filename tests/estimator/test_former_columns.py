"""The argument `columns` of version 0.1, which is called `keys` now."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from kernelspec.errors import PlanError
from kernelspec.estimator.estimator import KernelFeatures
from kernelspec.estimator.former_columns import keys_asked_for, with_keys

RNG = np.random.default_rng(0)
FRAME = pd.DataFrame({"age": RNG.standard_normal(60), "country": RNG.choice(["de", "es", "fr"], 60)})
SPEC = "gaussian()[age] * match()[country]"


@pytest.mark.slow
@pytest.mark.parametrize(("columns", "keys"), [("buckets", "hashed"), ("bits", "bits"), ("exact", "exact")])
def test_it_warns_and_does_what_it_did(columns: Any, keys: Any) -> None:
    spec = "match()[country]" if columns == "bits" else SPEC
    before = KernelFeatures(spec, columns=columns, n_features=16, random_state=0)
    with pytest.warns(FutureWarning, match=f"use keys='{keys}' instead") as said:
        features = before.fit(FRAME).transform(FRAME)
    assert said[0].filename == __file__
    now = KernelFeatures(spec, keys=keys, n_features=16, random_state=0).fit_transform(FRAME)
    assert (features != now).nnz == 0


def test_the_default_says_nothing() -> None:
    assert keys_asked_for("auto", "deprecated") == "auto"
    assert keys_asked_for("exact", "deprecated") == "exact"
    assert KernelFeatures(SPEC).get_params()["columns"] == "deprecated"


def test_other_columns_are_refused() -> None:
    with pytest.raises(PlanError, match="columns must be 'buckets', 'bits', 'exact', not 'all'"):
        KernelFeatures(SPEC, columns="all").fit(FRAME)  # type: ignore[arg-type]
    with pytest.raises(PlanError, match="keys must be one of"):
        KernelFeatures(SPEC, keys="buckets").fit(FRAME)  # type: ignore[arg-type]


@pytest.mark.slow
def test_clones_and_parameters_keep_it() -> None:
    before = KernelFeatures(SPEC, columns="exact")
    assert clone(before).get_params()["columns"] == "exact"
    assert clone(before).get_params()["keys"] == "auto"
    again = clone(KernelFeatures(SPEC)).set_params(columns="exact", n_features=8)
    with pytest.warns(FutureWarning, match="keys='exact'"):
        again.fit(FRAME)
    assert again.set_params(columns="deprecated", keys="exact").fit(FRAME).count_unmet(FRAME) == 0


@pytest.mark.slow
def test_a_search_over_keys() -> None:
    y = FRAME["age"] * (FRAME["country"] == "de")
    model = make_pipeline(KernelFeatures(SPEC, n_features=64, random_state=0), Ridge(1e-3))
    search = GridSearchCV(model, {"kernelfeatures__keys": ["auto", "hashed", "exact"]}, cv=3).fit(FRAME, y)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


@pytest.mark.parametrize(
    ("columns", "keys"), [("buckets", "hashed"), ("exact", "exact"), ("bits", "bits"), ("other", "other")]
)
def test_pickles_of_version_0_1(columns: str, keys: str) -> None:
    old = KernelFeatures(SPEC, n_features=8)
    state = {name: value for name, value in old.__dict__.items() if name != "keys"} | {"columns": columns}
    again = KernelFeatures.__new__(KernelFeatures)
    again.__setstate__(state)
    assert again.get_params(deep=False) | {"keys": keys, "columns": "deprecated"} == again.get_params(deep=False)
    fresh = pickle.loads(pickle.dumps(again))
    assert fresh.keys == keys
    assert clone(fresh).keys == keys


def test_the_state_of_today_is_left_alone() -> None:
    state = {"keys": "exact", "columns": "buckets", "feature_names": ["a"]}
    assert with_keys(state) == state
    assert with_keys({"keys": "exact"}) == {"keys": "exact", "feature_names": None}
