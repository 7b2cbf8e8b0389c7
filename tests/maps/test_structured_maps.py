"""Maps whose frequencies are structured: features as by NumPy with the matrix, in one part or several."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.errors import FileError
from kernelspec.maps.dense import DenseFeatures
from kernelspec.samples.hadamard_frequencies import HadamardFrequencies

X = np.random.default_rng(0).standard_normal((7, 70))
MATRIX = [[((3 * i + 5 * j * j) % 7 - 3) / 9 for j in range(69)] for i in range(66)]
TEXTS = [
    "gaussian(scale=8)",
    f"stretch(gaussian(scale=8)[2:66], {MATRIX})[1:70] + gaussian(scale=9)",
    "stretch(matern(nu=3/2, scale=4), 2)[66, 1:66] + 0.5*gaussian(scale=2)[0:3] + 0.25*exponential(scale=9)",
]


def compiled(text: str, method: str = "paired", **options: Any) -> ks.FeatureMap:
    return ks.compile(text, 70, 80, seed=3, draws="hadamard", method=method, **options)


def with_numpy(dense: DenseFeatures, rows: np.ndarray, method: str) -> np.ndarray:
    assert isinstance(dense.phasors.frequencies, HadamardFrequencies)
    angle = rows[:, list(dense.phasors.columns)] @ np.asarray(dense.phasors.frequencies).T + dense.offsets
    size = np.sqrt(dense.weight)
    if method == "paired":
        return np.hstack([size * np.cos(angle), size * np.sin(angle)])
    return np.sqrt(2) * size * np.cos(angle) if method == "phase" else size * np.exp(1j * angle)


@pytest.mark.long
@pytest.mark.parametrize("method", ["paired", "phase", "complex"])
@pytest.mark.parametrize("text", TEXTS)
def test_features_are_those_of_the_matrix(text: str, method: str, tmp_path: Path) -> None:
    fmap = compiled(text, method)
    assert fmap.dense is not None
    expected = with_numpy(fmap.dense, X, method)
    found = fmap.left(X)
    assert np.abs(found - expected).max() < 1e-12
    rounded = X.astype(np.float32)
    turned = np.abs(X[:, list(fmap.dense.phasors.columns)]) @ np.abs(np.asarray(fmap.dense.phasors.frequencies)).T
    rounding = np.finfo(np.float32).eps * np.tile(turned, 2 if method == "paired" else 1)  # of angles of heavy tails
    error = np.abs(fmap.left(rounded) - with_numpy(fmap.dense, rounded.astype(float), method))
    assert (error < 2e-6 + rounding / 4).all()
    for i in range(len(X)):
        assert np.array_equal(fmap.left(X[i : i + 1])[0], found[i])
    fmap.save(tmp_path / "map.npz")
    loaded = ks.load_map(tmp_path / "map.npz", redraw=True)
    assert np.array_equal(loaded.left(X), found)
    assert loaded.explain() == fmap.explain()


@pytest.mark.slow
def test_a_map_stores_signs_and_lengths_alone(tmp_path: Path) -> None:
    fmap = ks.compile("gaussian(scale=16)", 256, 1024, draws="hadamard")
    fmap.save(tmp_path / "map.npz")
    assert (tmp_path / "map.npz").stat().st_size < 60_000  # the matrix takes a megabyte


@pytest.mark.slow
def test_arrays_of_torch_are_multiplied_by_the_matrix() -> None:
    torch, _ = pytest.importorskip("torch"), pytest.importorskip("array_api_compat")
    fmap = compiled(TEXTS[0])
    assert np.abs(fmap.transform(torch.asarray(X)).numpy() - fmap.transform(X)).max() < 1e-12


@pytest.mark.slow
def test_samples_with_keys_have_none() -> None:
    dense, (keyed,) = compiled(TEXTS[0]).dense, ks.compile("match()[0] * gaussian()[1:70]", 70, 80).keyed
    assert dense is not None
    with pytest.raises(ValueError, match="structured frequencies"):
        replace(keyed, phasors=dense.phasors).validate()


@pytest.mark.slow
def test_a_file_with_other_blocks_is_refused(tmp_path: Path) -> None:
    compiled(TEXTS[0]).save(tmp_path / "map.npz")
    with np.load(tmp_path / "map.npz", allow_pickle=False) as archive:
        arrays = dict(archive)
    (name,) = [name for name in arrays if name.endswith(".words")]
    np.savez(tmp_path / "other.npz", **arrays | {name: arrays[name][..., :1]})
    with pytest.raises(FileError):
        ks.load_map(tmp_path / "other.npz")
