"""Landmarks in other libraries: NumPy's features within the rounding that is stated."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.errors import DataError, PlanError
from kernelspec.maps import array_features as array_landmarks
from kernelspec.maps.feature_map import FeatureMap
from tests.maps.engines.test_array_api import libraries, stated

pytest.importorskip("array_api_compat")

ROWS = np.random.default_rng(0).normal(0, 0.8, (40, 3))
DATA = np.random.default_rng(1).normal(0, 0.8, (150, 3))
EPS = 2.0**-52


@cache
def compiled(text: str, method: str) -> FeatureMap:
    return ks.compile(text, 3, 48, method=method, data=DATA)


def stated_with_landmarks(fmap: FeatureMap, rows: np.ndarray, side: str) -> np.ndarray:
    """The bound on differences (n, columns), for kernels that are at most 1 in size, with values rounded a few times.

    With q = Σ |Δ_i|^p/s^p rounded by (d + 8) EPS q, the errors of e^{−q} are below (d + 12) EPS in each library.
    """
    landmarks, features = fmap.plan.landmarks, getattr(fmap.correction, side)
    root = np.abs(landmarks.left_root if side == "left" else landmarks.right_root)
    own = (2 * (rows.shape[1] + 12) + 2 * len(root)) * EPS * np.tile(root.sum(axis=0), (len(rows), 1))
    samples = np.zeros((len(rows), 0)) if fmap.dense is None else stated(fmap, rows)
    samples = samples + own @ np.abs(features)
    exact = np.abs(fmap.transform(rows, side=side))
    return np.hstack([own, samples]) + 4 * np.finfo(rows.dtype).eps * exact


@pytest.mark.parametrize("library", libraries())
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    ("text", "method"),
    [
        ("gaussian()", "nystrom"),
        ("matern(nu=5/2)[2, 0]", "landmarks"),
        ("0.5*laplace(scale=4)*gaussian(scale=3) + 0.5*rational_quadratic(alpha=2)", "landmarks"),
        ("shift(gaussian(), by=1/2)", "landmarks"),
        ("gaussian() - 0.3*laplace()[1]", "landmarks"),
        ("dual(relu, cauchy(scale=2))", "nystrom"),
    ],
)
def test_close_to_numpys(library: str, dtype: str, text: str, method: str) -> None:
    xp = pytest.importorskip(library)
    fmap, rows = compiled(text, method), ROWS.astype(dtype)
    X = xp.asarray(rows)
    for side in ("left", "right"):
        found, exact = fmap.transform(X, side=side), fmap.transform(rows, side=side)
        assert type(found) is type(X)
        assert (found.dtype, found.device, tuple(found.shape)) == (X.dtype, X.device, exact.shape)
        assert (np.abs(np.asarray(found) - exact) <= stated_with_landmarks(fmap, rows, side)).all()
    both, exact = fmap.transform(X, side="both"), fmap.transform(rows, side="both")
    np.testing.assert_allclose(np.asarray(both), exact, rtol=0, atol=1e-4 if dtype == "float32" else 1e-11)


def strict(rows: np.ndarray) -> Any:
    return pytest.importorskip("array_api_strict").asarray(rows)


def test_rows_are_taken_a_few_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    fmap = ks.compile("exponential(scale=2)", 3, 48, method="landmarks", data=DATA)
    whole = np.asarray(fmap.transform(strict(ROWS)))
    monkeypatch.setattr(array_landmarks, "_IN_CACHE", 7 * len(fmap.plan.landmarks.left))
    np.testing.assert_allclose(np.asarray(fmap.transform(strict(ROWS))), whole, rtol=0, atol=1e-14)


def test_a_kernel_without_a_counterpart_is_named() -> None:
    fmap = ks.compile("gaussian() + 2*matern(nu=1.3)", 3, 48, method="nystrom", data=DATA)
    with pytest.raises(PlanError, match=r"the values of matern\(nu=1.3.*kve has no counterpart.*landmarks='never'"):
        fmap.transform(strict(ROWS))


def test_features_that_overflow_are_refused() -> None:
    fmap, large = ks.compile("9*linear()", 3, 8, method="nystrom", data=DATA), np.full((2, 3), 3e38, dtype=np.float32)
    for X in (large, strict(large)):
        with pytest.raises(DataError, match="too large"):
            fmap.transform(X)


@pytest.mark.slow
@pytest.mark.parametrize("text", ["gaussian()", "matern(nu=5/2)"])
def test_torch_differentiates_features_at_landmarks_too(text: str) -> None:
    torch = pytest.importorskip("torch")
    fmap = compiled(text, "nystrom")
    landmark = fmap.plan.landmarks.left.numbers[3]
    X = torch.tensor(landmark[None], requires_grad=True)
    size, step = np.sqrt(np.arange(1, 1 + fmap.n_columns)), 1e-4
    (fmap.transform(X)[0] * torch.tensor(size)).sum().backward()
    for i in range(3):
        moved = np.tile(landmark, (2, 1))
        moved[:, i] += [-step, step]
        low, high = fmap.transform(moved) @ size
        assert float(X.grad[0, i]) == pytest.approx((high - low) / (2 * step), rel=1e-3, abs=1e-2)
