"""Keys without a column: counted exactly, and warned of."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

from kernelspec.models.features import KernelFeatures, UnmetKeysWarning

RNG = np.random.default_rng(0)
FRAME = pd.DataFrame({"age": RNG.uniform(20, 80, 60), "country": "de", "balance": RNG.standard_normal(60)})
CHURN = "0.7*gaussian(scale=10)[age] * match()[country] + 0.3*gaussian()[balance]"


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
