"""Tests of `testing/assertions.py`."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.errors import DataError, PlanError
from kernelspec.maps.dense import DenseFeatures
from kernelspec.maps.feature_map import FeatureMap
from kernelspec.maps.hashed_columns import Buckets
from kernelspec.numerics.phasor import Form
from kernelspec.random.streams import Stream
from kernelspec.testing import assert_growth, assert_unbiased, assert_variance, subjects
from kernelspec.testing.assertions import assert_deviations, assert_exact
from kernelspec.testing.samples import Judged, assert_samples, methods_of, sample_values
from kernelspec.verification.statistics import Deviations
from tests.laboratory import samples_to_find
from tests.thoroughness import sweep

X = np.array([[0.0, 0.0], [0.4, 0.0], [1.1, 1.0], [-0.7, 1.0], [0.2, 2.0]])


def shrunk(spec: ks.Spec, factor: float = 0.9) -> ks.Spec:
    """The same spec, which believes that its kernel is smaller."""

    class Shrunk(type(spec)):  # type: ignore[misc]
        def gram(self, *arguments: object, **options: object) -> np.ndarray:
            return factor * np.asarray(super().gram(*arguments, **options))

    found: ks.Spec = Shrunk(spec.program)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("method", sweep(["paired", "auto", "phase", "complex"], every=2))
@pytest.mark.parametrize("text", ["gaussian()", "0.5 * laplace(scale=2)[0] - match()[1]"])
def test_right_maps_pass(text: str, method: str) -> None:
    assert_unbiased(text, X, method=method, n_features=12, n_maps=60)  # type: ignore[arg-type]
    assert_unbiased(ks.parse(text), X, method=method, n_features=12, n_maps=60, hashed=True)  # type: ignore[arg-type]


@pytest.mark.slow
def test_a_bias_is_found() -> None:
    with pytest.raises(AssertionError, match=r"^mean of gaussian\(\) as paired"):
        assert_unbiased(shrunk(ks.parse("gaussian()")), X, method="paired")


@pytest.mark.slow
@pytest.mark.parametrize("factor", [0.5, 2])
def test_a_wrong_prediction_is_found(monkeypatch: pytest.MonkeyPatch, factor: float) -> None:
    predicted = FeatureMap.predicted_variance
    monkeypatch.setattr(FeatureMap, "predicted_variance", lambda *a, **options: factor * predicted(*a, **options))
    with pytest.raises(AssertionError, match=r"^variance of gaussian\(\) as paired"):
        assert_unbiased("gaussian()", X, method="paired")


def test_maps_that_are_all_one_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    right = subjects.draw_map
    monkeypatch.setattr(subjects, "draw_map", lambda plan: right(replace(plan, seed=0)))
    with pytest.raises(AssertionError, match=r"^mean of gaussian\(\) as paired"):
        assert_unbiased("gaussian()", X, n_maps=100)


@pytest.mark.slow
def test_rare_events_are_no_false_alarm() -> None:
    """exp(−10) · 8 samples · 60 maps: a fiftieth of an event, which is met by one seed in fifty."""
    rows = np.array([[0.0], [10.0]])
    for seed in range(0, 600, 60):
        assert_unbiased("laplace()", rows, method="binning", n_features=8, n_maps=60, seed=seed)


def test_rare_events_that_are_too_many_are_found() -> None:
    rows = np.array([[0.0], [10.0]])
    with pytest.raises(AssertionError, match=r"^mean of laplace\(\) as binning"):
        assert_unbiased(shrunk(ks.parse("laplace()"), 0), rows, method="binning", n_features=8, n_maps=60)


def test_without_a_finite_variance_nothing_is_judged() -> None:
    rows = np.random.default_rng(0).standard_normal((8, 3))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    with pytest.raises(AssertionError, match="not judged"):
        assert_unbiased("dual(relu, sphere())", rows, method="paired", n_maps=20)


def random_features(rows: np.ndarray, generator: np.random.Generator, n: int = 20) -> np.ndarray:
    waves = rows @ generator.standard_normal((rows.shape[1], n))
    return np.hstack([np.cos(waves), np.sin(waves)]) / np.sqrt(n)


def one_sided(rows: np.ndarray, generator: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    found = random_features(rows, generator)
    return found, 1.1 * found


@pytest.mark.slow
def test_features_of_any_origin() -> None:
    from sklearn.kernel_approximation import RBFSampler

    assert_unbiased(RBFSampler(gamma=0.5, n_components=40), X, "gaussian()")
    assert_unbiased(random_features, X, ks.parse("gaussian()"))
    assert_unbiased(random_features, X, lambda a, b: ks.parse("gaussian()").gram(a, b))
    with pytest.raises(AssertionError, match=r"^mean of RBFSampler"):
        assert_unbiased(RBFSampler(gamma=1, n_components=40), X, "gaussian()")
    with pytest.raises(AssertionError, match=r"^mean of one_sided"):
        assert_unbiased(one_sided, X, "gaussian()")
    with pytest.raises(PlanError, match="name the kernel"):
        assert_unbiased(random_features, X)
    with pytest.raises(PlanError, match="must be a spec"):
        assert_unbiased(3, X, "gaussian()")
    with pytest.raises(AssertionError, match="rare events"):
        assert_unbiased(
            lambda rows, generator: np.ones((len(rows), 1)) * (generator.random() < 0.01), X, np.zeros((5, 5))
        )


@pytest.mark.slow
def test_variances_of_any_origin() -> None:
    predicted = ks.compile("gaussian()", dim=2, n_features=40, method="paired").predicted_variance(X)
    assert_variance("gaussian()", X)
    assert_variance(random_features, X, predicted)
    with pytest.raises(AssertionError, match=r"^variance of random_features"):
        assert_variance(random_features, X, 2 * predicted)
    with pytest.raises(PlanError, match="give the expected variance"):
        assert_variance(random_features, X)


def with_a_floor(rows: np.ndarray, generator: np.random.Generator, n: int) -> np.ndarray:
    return np.hstack([random_features(rows, generator, n), np.full((len(rows), 1), 0.4)])


@pytest.mark.slow
def test_errors_that_fall() -> None:
    from sklearn.kernel_approximation import RBFSampler

    assert_growth("laplace() + gaussian()", X)
    assert_growth(RBFSampler(gamma=0.5), X, "gaussian()")
    assert_growth(random_features, X, "gaussian()")
    with pytest.raises(AssertionError, match="rises"):
        assert_growth(with_a_floor, X, "gaussian()")


@pytest.mark.slow
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


@pytest.mark.slow
def test_columns_of_frames_go_by_name() -> None:
    import pandas as pd

    frame = pd.DataFrame({"land": list("abcab"), "other": list("vwxyz"), "age": X[:, 0]})
    assert_unbiased("gaussian()[age] * match()[land]", frame, n_features=8, n_maps=60)


def test_what_cannot_be_compiled_is_refused_as_by_compile() -> None:
    with pytest.raises(PlanError):
        assert_unbiased("gaussian()", X, n_features=0)
    with pytest.raises(DataError):
        assert_unbiased("gaussian()", [[np.nan]])


VALUE, SIZE = np.array([0.5, 0.2, 1.0]), np.ones(3)


def kept(deviations: tuple[float, float, float], shift: float = 0.0) -> Deviations:
    """Normal errors of three values; the last has no variance."""
    errors = np.random.default_rng(0).standard_normal((4000, 3)) * deviations
    errors[:, 1] += shift
    return Deviations(errors, np.array([1.0, 4.0, 0.0]), np.full(3, 4e-15), np.array([3.0, 48.0, 0.0]))


def test_each_claim_is_judged() -> None:
    assert assert_deviations(kept((1, 2, 0)), VALUE, SIZE, budget=1e-6, what="right") == 2
    with pytest.raises(AssertionError, match=r"^mean of it: z = \+.* at entry 1 of 2"):
        assert_deviations(kept((1, 2, 0), 0.4), VALUE, SIZE, budget=1e-6, what="it")
    with pytest.raises(AssertionError, match=r"^variance of it: .*observed/predicted 1\.4"):
        assert_deviations(kept((1.2, 2, 0)), VALUE, SIZE, budget=1e-6, what="it")
    assert_deviations(kept((1.2, 2, 0)), VALUE, SIZE, budget=1e-6, what="it", variance=False)
    assert_deviations(kept((1, 2, 0), 0.25), VALUE, SIZE, budget=1e-6, what="it", mean=False)
    with pytest.raises(AssertionError, match="no variance, and is off"):
        assert_deviations(kept((1, 2, 0.1)), VALUE, SIZE, budget=1e-6, what="it")
    assert_exact(np.full((1, 2), 1e-7), np.ones(2), "it")
    with pytest.raises(AssertionError, match="entry 1 has no variance"):
        assert_exact(np.array([[0, 1e-3]]), np.ones(2), "it")


X_OF_POWER = np.array([[0.0], [0.5]])


def test_of_a_key_it_is_the_binomial_formula() -> None:
    k = np.exp(-0.5)
    found = samples_to_find("laplace()", X_OF_POWER, "binning", bias=0.1, variance=10, level=1e-6)
    reach = np.sqrt(2 * np.log(2e6)) + 3.0902
    assert found == pytest.approx(reach**2 * (1 - k) / k / 0.01, rel=1e-3)
    # the variance of (p − k)² for p of two values: k(1 − k)((1 − 2k)²)
    found = samples_to_find("laplace()", X_OF_POWER, "binning", bias=10, variance=0.05, level=1e-6)
    assert found == pytest.approx(
        max(2 * np.log(2e6), (reach / 0.05) ** 2 * (1 - 2 * k) ** 2 / (k * (1 - k))), rel=1e-3
    )


def test_what_never_varies_needs_none() -> None:
    assert samples_to_find("match()", X_OF_POWER, "paired") == 2


X_OF_FEW = np.array([[0.3, 1.0], [1.1, 1.0], [-0.4, 2.0]])
PLACES = tuple(np.indices((3, 3)).reshape(2, -1))


def values_of(text: str, form: Form, n: int = 50) -> np.ndarray:
    """Samples of the first term."""
    plan = ks.compile(text, dim=2, n_features=8, method="paired").plan
    rows = plan.layout.read(X_OF_FEW)
    return sample_values(plan.strata[0], form, n, Stream(3), rows, rows, PLACES)


def test_cosines_of_frequencies() -> None:
    lag = (X_OF_FEW[PLACES[0], 0] - X_OF_FEW[PLACES[1], 0])[None]
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


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"budget": 0}, "budget must be"),
        ({"budget": 2}, "budget must be"),
        ({"n_maps": 0}, "n_maps must be at least 2"),
    ],
)
def test_a_budget_or_number_of_maps_that_tests_nothing_is_refused(options: dict[str, float], words: str) -> None:
    with pytest.raises(ks.PlanError, match=words):
        assert_unbiased("gaussian()", np.eye(3), **options)  # type: ignore[arg-type]
