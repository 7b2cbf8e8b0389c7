"""The assertion about features: right ones pass, and each kind of mistake is named."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.errors import DataError, PlanError
from kernelspec.maps.columns.buckets import Buckets
from kernelspec.maps.feature_map import FeatureMap
from kernelspec.testing import assertions
from kernelspec.testing.assertions import assert_unbiased

X = np.array([[0.0, 0.0], [0.4, 0.0], [1.1, 1.0], [-0.7, 1.0], [0.2, 2.0]])


def shrunk(spec: ks.Spec) -> ks.Spec:
    """The same spec, which believes that its kernel is a tenth smaller."""

    class Shrunk(type(spec)):  # type: ignore[misc]
        def gram(self, *arguments: object, **options: object) -> np.ndarray:
            return 0.9 * np.asarray(super().gram(*arguments, **options))

    found: ks.Spec = Shrunk(spec.program)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("method", ["auto", "paired", "phase", "complex"])
@pytest.mark.parametrize("text", ["gaussian()", "0.5 * laplace(scale=2)[0] - match()[1]"])
def test_right_maps_pass(text: str, method: str) -> None:
    assert_unbiased(text, X, method=method, n_features=12, n_maps=60)  # type: ignore[arg-type]
    assert_unbiased(ks.parse(text), X, method=method, n_features=12, n_maps=60, hashed=True)  # type: ignore[arg-type]


def test_a_bias_is_found() -> None:
    with pytest.raises(AssertionError, match=r"^mean of gaussian\(\) as paired"):
        assert_unbiased(shrunk(ks.parse("gaussian()")), X, method="paired")


@pytest.mark.parametrize("factor", [0.5, 2])
def test_a_wrong_prediction_is_found(monkeypatch: pytest.MonkeyPatch, factor: float) -> None:
    predicted = FeatureMap.predicted_variance
    monkeypatch.setattr(FeatureMap, "predicted_variance", lambda *a, **options: factor * predicted(*a, **options))
    with pytest.raises(AssertionError, match=r"^variance of gaussian\(\) as paired"):
        assert_unbiased("gaussian()", X, method="paired")


def test_maps_that_are_all_one_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    right = assertions.draw
    monkeypatch.setattr(assertions, "draw", lambda plan: right(replace(plan, seed=0)))
    with pytest.raises(AssertionError, match="has no variance"):
        assert_unbiased("gaussian()", X, n_maps=20)


def test_only_hashed_features_show_mistakes_of_hashing(monkeypatch: pytest.MonkeyPatch) -> None:
    right = Buckets.place

    def unsigned(self, keys):  # type: ignore[no-untyped-def]
        missing = right(self, keys)
        keys &= ~np.uint64(1)  # the last bit of a place is its sign
        return missing

    monkeypatch.setattr(Buckets, "place", unsigned)
    rows = np.arange(8.0)[:, None]
    assert_unbiased("match()", rows, n_features=64, n_maps=400)
    with pytest.raises(AssertionError, match=r"^mean of match\(\)"):
        assert_unbiased("match()", rows, n_features=64, n_maps=400, hashed=True)


def test_columns_of_frames_go_by_name() -> None:
    import pandas as pd

    frame = pd.DataFrame({"land": list("abcab"), "other": list("vwxyz"), "age": X[:, 0]})
    assert_unbiased("gaussian()[age] * match()[land]", frame, n_features=8, n_maps=60)


def test_what_cannot_be_compiled_is_refused_as_by_compile() -> None:
    with pytest.raises(PlanError):
        assert_unbiased("gaussian()", X, n_features=0)
    with pytest.raises(DataError):
        assert_unbiased("gaussian()", [[np.nan]])
