"""The kernel of the transformer: its parameters as hyperparameters."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from sklearn.base import clone

from kernelspec.errors import ParameterError
from kernelspec.models.features import KernelFeatures

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
