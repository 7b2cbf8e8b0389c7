"""Asymmetric and indefinite kernels in the scikit-learn transformer."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import RidgeClassifier
from sklearn.pipeline import make_pipeline

import kernelspec as ks
from kernelspec.errors import PlanError

X = np.random.default_rng(0).standard_normal((300, 4))
Y = (X[:, 0] * X[:, 1] + 0.3 * X[:, 2] > 0).astype(int)


@pytest.mark.slow
@pytest.mark.parametrize("text", ["shift_gaussian(scale=2, by=0.5)", "cosh_gaussian(scale=2, by=0.1)"])
def test_both_sides_go_into_a_linear_model(text: str) -> None:
    estimator = ks.KernelFeatures(text, n_features=300, side="both", random_state=0)
    features = estimator.fit_transform(X)
    assert np.array_equal(features, estimator.feature_map_.transform(X, side="both"))
    assert len(estimator.get_feature_names_out()) == features.shape[1]
    assert estimator.get_feature_names_out()[-1].startswith("right_")
    model = make_pipeline(clone(estimator), RidgeClassifier()).fit(X[:200], Y[:200])
    assert model.score(X[200:], Y[200:]) > 0.7


@pytest.mark.slow
def test_indefinite_kernels_too() -> None:
    estimator = ks.KernelFeatures("gaussian(scale=2) - 0.5 * gaussian()", n_features=64, side="both", random_state=0)
    features = estimator.fit_transform(X)
    assert features.shape == (300, 64)
    assert (estimator.feature_map_.signs < 0).any()


@pytest.mark.slow
def test_one_side_is_refused_in_fit() -> None:
    with pytest.raises(PlanError, match=r"asymmetric: .* side='both' for a linear model"):
        ks.KernelFeatures("shift_gaussian(by=1)", n_features=16).fit(X)
    with pytest.raises(PlanError, match="indefinite"):
        ks.KernelFeatures("gaussian() - 0.5 * laplace()", n_features=16).fit(X)
    with pytest.raises(PlanError, match="'one' or 'both'"):
        ks.KernelFeatures("gaussian()", side="left").fit(X)  # type: ignore[arg-type]


@pytest.mark.slow
def test_a_symmetric_kernel_has_the_same_features_either_way() -> None:
    one = ks.KernelFeatures("gaussian()", n_features=32, side="one", random_state=0).fit_transform(X)
    both = ks.KernelFeatures("gaussian()", n_features=32, side="both", random_state=0).fit_transform(X)
    assert np.array_equal(one, both)
