"""Tests of `testing/samples.py`."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.errors import PlanError
from kernelspec.maps.dense import DenseFeatures
from kernelspec.maps.feature_map import FeatureMap
from kernelspec.numerics.phasor import Form
from kernelspec.random.streams import Stream
from kernelspec.testing.samples import Coverage, Judged, assert_samples, methods_of, sample_values

PARTS = frozenset({"kernel gaussian", "operator sum"})


def test_counts() -> None:
    covered = Coverage()
    covered.enter(PARTS, [Judged("paired", 20, 0, 0, True), Judged("phase", 20, 12, 0, False)])
    covered.enter({"kernel match"}, [Judged("paired", 0, 0, 25, False)])
    assert covered.drawn == {"kernel gaussian": 1, "operator sum": 1, "kernel match": 1}
    assert covered.times_judged("operator sum") == 3  # paired, hashed, phase
    assert covered.variances_judged("operator sum") == 1
    assert covered.times_judged("kernel match") == 0
    other = Coverage()
    other.enter(PARTS, [Judged("paired", 20, 20, 0, False)])
    covered.merge(other)
    assert covered.judged["kernel gaussian", "paired"] == 2
    text = "\n".join(covered.lines())
    assert "kernel gaussian                       2" in text
    assert "paired 2/1" in text
    assert "1 of 2 pairs met" in text


X = np.array([[0.3, 1.0], [1.1, 1.0], [-0.4, 2.0]])
PLACES = tuple(np.indices((3, 3)).reshape(2, -1))


def values_of(text: str, form: Form, n: int = 50) -> np.ndarray:
    """Samples of the first term."""
    plan = ks.compile(text, dim=2, n_features=8, method="paired").plan
    rows = plan.layout.read(X)
    return sample_values(plan.strata[0], form, n, Stream(3), rows, rows, PLACES)


def test_cosines_of_frequencies() -> None:
    lag = (X[PLACES[0], 0] - X[PLACES[1], 0])[None]
    found = values_of("gaussian()[0]", "paired")
    omega = np.arccos(found[:, 1])[:, None] / 0.8  # up to its sign, and turns, which are rare here
    small = (np.abs(omega) * 1.5 < np.pi / 2).ravel()
    np.testing.assert_allclose(found[small], np.cos(omega * lag)[small], atol=1e-9)
    np.testing.assert_allclose(found[:, 0], 1)


def test_offsets_add_a_wave() -> None:
    paired, phase = values_of("gaussian()[0]", "paired", 4000), values_of("gaussian()[0]", "phase", 4000)
    difference = phase - paired  # cos(ω·(x + y) + 2b)
    assert np.abs(difference).max() <= 1 + 1e-9
    assert np.abs(difference.mean(axis=0)).max() < 0.06
    assert difference.std() == pytest.approx(np.sqrt(0.5), abs=0.02)


def test_keys_agree_or_not() -> None:
    np.testing.assert_array_equal(values_of("match()[1]", "phase", 3), [[1, 1, 0, 1, 1, 0, 0, 0, 1]] * 3)


X_OF_SAMPLES = np.array([[0.3, 0.0], [0.4, 0.0], [1.1, 1.0], [-0.7, 2.0]])


def test_all_methods_are_judged() -> None:
    assert methods_of("laplace()[0] * match()[1]", X_OF_SAMPLES) == ("paired", "phase", "binning", "category_phases")
    assert assert_samples("gaussian()", X_OF_SAMPLES) == (
        Judged("paired", 16, 12, 0, False),
        Judged("phase", 16, 16, 0, False),
    )
    (found,) = assert_samples(ks.parse("laplace()[0] * match()[1]"), X_OF_SAMPLES, methods=["paired"])
    assert found.hashed
    assert found.n_variances > 0


@pytest.mark.slow
def test_a_method_that_is_refused_is_judged_by_nothing() -> None:
    found = assert_samples("shift_gaussian(by=0.5)[0]", X_OF_SAMPLES)
    assert {judged.method: judged.n_means > 0 for judged in found}["rejection"] is False
    with pytest.raises(PlanError):
        assert_samples("shift_gaussian(by=0.5)[0]", X_OF_SAMPLES, methods=["rejection"])


def test_infinite_variances_are_counted() -> None:
    rows = np.random.default_rng(0).standard_normal((5, 3))
    (found,) = assert_samples("dual(relu, normalize(linear()))", rows, methods=["paired"])
    assert found.n_infinite >= 5


@pytest.mark.parametrize("name", ["approximate", "left"])
def test_maps_and_features_are_held_against_their_samples(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    right = getattr(FeatureMap, name)
    monkeypatch.setattr(FeatureMap, name, lambda self, *rows: 1.01 * right(self, *rows))
    with pytest.raises(AssertionError, match="against"):
        assert_samples("gaussian()", X_OF_SAMPLES)


def test_single_precision_is_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    right = DenseFeatures.evaluate

    def wrong(self, rows, side, form, dtype, out):  # type: ignore[no-untyped-def]
        right(self, rows, side, form, dtype, out)
        out *= 2 if dtype == np.float32 else 1

    monkeypatch.setattr(DenseFeatures, "evaluate", wrong)
    with pytest.raises(AssertionError, match="single precision"):
        assert_samples("gaussian()", X_OF_SAMPLES)
