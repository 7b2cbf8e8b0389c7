"""Every method is judged, and each stage of the way to features is held against its samples."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.errors import PlanError
from kernelspec.maps.dense import DenseFeatures
from kernelspec.maps.feature_map import FeatureMap
from kernelspec.testing.samples import Judged, assert_samples, methods_of

X = np.array([[0.3, 0.0], [0.4, 0.0], [1.1, 1.0], [-0.7, 2.0]])


def test_all_methods_are_judged() -> None:
    assert methods_of("laplace()[0] * match()[1]", X) == ("paired", "phase", "binning", "category_phases")
    assert assert_samples("gaussian()", X) == (Judged("paired", 16, 12, 0, False), Judged("phase", 16, 16, 0, False))
    (found,) = assert_samples(ks.parse("laplace()[0] * match()[1]"), X, methods=["paired"])
    assert found.hashed
    assert found.n_variances > 0


@pytest.mark.slow
def test_a_method_that_is_refused_is_judged_by_nothing() -> None:
    found = assert_samples("shift_gaussian(by=0.5)[0]", X)
    assert {judged.method: judged.n_means > 0 for judged in found}["rejection"] is False
    with pytest.raises(PlanError):
        assert_samples("shift_gaussian(by=0.5)[0]", X, methods=["rejection"])


def test_infinite_variances_are_counted() -> None:
    rows = np.random.default_rng(0).standard_normal((5, 3))
    (found,) = assert_samples("dual(relu, normalize(linear()))", rows, methods=["paired"])
    assert found.n_infinite >= 5


@pytest.mark.parametrize("name", ["approximate", "left"])
def test_maps_and_features_are_held_against_their_samples(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    right = getattr(FeatureMap, name)
    monkeypatch.setattr(FeatureMap, name, lambda self, *rows: 1.01 * right(self, *rows))
    with pytest.raises(AssertionError, match="against"):
        assert_samples("gaussian()", X)


def test_single_precision_is_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    right = DenseFeatures.evaluate

    def wrong(self, rows, side, form, dtype, out):  # type: ignore[no-untyped-def]
        right(self, rows, side, form, dtype, out)
        out *= 2 if dtype == np.float32 else 1

    monkeypatch.setattr(DenseFeatures, "evaluate", wrong)
    with pytest.raises(AssertionError, match="single precision"):
        assert_samples("gaussian()", X)
