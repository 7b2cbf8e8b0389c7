"""Tests of `exchange/audit.py`."""

from __future__ import annotations

import runpy
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics.pairwise import additive_chi2_kernel, polynomial_kernel, rbf_kernel

from kernelspec.errors import PlanError
from kernelspec.exchange.audit import (
    COLUMNS,
    LIBRARIES,
    SAMPLERS,
    audit,
    is_installed,
    measure_sampler,
    variance_of_pairs,
    variance_of_phases,
)
from kernelspec.testing.subjects import kernel_matrix

SCRIPTS = Path(__file__).parents[2] / "examples" / "audit"
FILES = {
    "RBFSampler": "rbf_sampler",
    "SkewedChi2Sampler": "skewed_chi2_sampler",
    "AdditiveChi2Sampler": "additive_chi2_sampler",
    "PolynomialCountSketch": "polynomial_count_sketch",
    "Nystroem": "nystroem",
    "WeightedMinHash": "datasketch_weighted_minhash",
    "RandMeth(Gaussian)": "gstools_gaussian",
    "RandMeth(Exponential)": "gstools_exponential",
    "RandMeth(Matern, ν = 3/2)": "gstools_matern",
    "RFFKernel": "gpytorch_rff_kernel",
    "gen_kernel_features(RBF)": "botorch_gaussian",
    "gen_kernel_features(Matern, ν = 3/2)": "botorch_matern",
}


def test_every_sampler_has_a_script() -> None:
    assert {name for library in LIBRARIES for name in SAMPLERS[library]} == set(FILES)
    assert {path.stem for path in SCRIPTS.glob("*.py")} == set(FILES.values())


@pytest.mark.long
@pytest.mark.parametrize("library", LIBRARIES)
def test_every_line_is_found_by_a_script_of_its_own(library: str, capsys: pytest.CaptureFixture[str]) -> None:
    if not is_installed(library):
        pytest.skip(f"{library} is not installed")
    for each in audit(library):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            runpy.run_path(str(SCRIPTS / f"{FILES[each.sampler]}.py"), run_name="__main__")
        assert capsys.readouterr().out.strip() == f"{each.bias:+.4f}"


@pytest.mark.long
def test_a_script_runs_alone() -> None:
    found = next(each for each in audit("scikit-learn") if each.sampler == "RBFSampler")
    command = [sys.executable, str(SCRIPTS / "rbf_sampler.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == f"{found.bias:+.4f}"


M = np.random.default_rng(3).standard_normal((5, 2))
FEATURES = 32


def features(M: np.ndarray, generator: np.random.Generator, size: float = 2.0) -> np.ndarray:
    frequencies, phases = generator.standard_normal((2, FEATURES)), generator.uniform(0, 2 * np.pi, FEATURES)
    return np.sqrt(size / FEATURES) * np.cos(M @ frequencies + phases)


def variance(M: np.ndarray) -> np.ndarray:
    squares = np.square(M[:, None] - M[None]).sum(axis=-1)
    return (1 + np.exp(-2 * squares) / 2 - np.exp(-squares)) / FEATURES


def measured(sampler, n_maps=400, seed=0, predicted=variance):
    return measure_sampler(
        sampler,
        M,
        "gaussian()",
        name="mine",
        claims="a Gaussian",
        variance=predicted,
        n_maps=n_maps,
        seed=seed,
    )


@pytest.mark.parametrize("seed", [0, 1000, 2000])
def test_a_right_sampler(seed: int) -> None:
    found = measured(features, seed=seed)
    assert not found.is_biased
    assert found.n_pairs == 15
    low, high = found.ratio_interval
    assert low < 1 < high


def test_a_bias_of_known_size() -> None:
    found = measured(lambda M, generator: features(M, generator, size=2.4))
    assert found.is_biased
    low, high = found.interval
    i, j = found.pair
    known = 0.2 * np.exp(-np.square(M[i] - M[j]).sum() / 2)  # every value is 1.2 times what it should be
    assert low < known < high
    assert found.ratio_interval[0] > 1  # and every variance 1.44 times


def test_a_variance_of_known_size() -> None:
    found = measured(features, predicted=lambda M: 2 * variance(M))
    assert found.ratio_interval[0] < 0.5 < found.ratio_interval[1]


def test_a_sampler_without_randomness() -> None:
    root = np.linalg.cholesky(np.exp(-np.square(M[:, None] - M[None]).sum(axis=-1) / 2) + 1e-3 * np.eye(5))
    found = measured(lambda M, generator: root, predicted=None)
    assert found.is_biased
    assert found.bias == pytest.approx(1e-3)
    assert found.pair[0] == found.pair[1]
    assert found.ratio is None


def test_words() -> None:
    assert str(measured(features)).startswith("mine for a Gaussian: no bias seen, ")
    assert str(measured(features, predicted=None)).endswith("; no variance is predicted")
    with pytest.raises(PlanError, match="n_maps must be at least 30, not 5"):
        measured(features, n_maps=5)


ROWS, MAPS = np.random.default_rng(0).gamma(2.0, 0.5, (4, 4)), 4000


def pairs(generator: np.random.Generator) -> np.ndarray:
    angles = ROWS @ generator.standard_normal((4, COLUMNS // 2))
    return np.hstack([np.cos(angles), np.sin(angles)]) / np.sqrt(COLUMNS // 2)


def phases(generator: np.random.Generator) -> np.ndarray:
    angles = ROWS @ generator.standard_normal((4, COLUMNS)) + generator.uniform(0, 2 * np.pi, COLUMNS)
    return np.sqrt(2 / COLUMNS) * np.cos(angles)


@pytest.mark.slow
@pytest.mark.parametrize(("features", "variance"), [(pairs, variance_of_pairs), (phases, variance_of_phases)])
def test_variances(features, variance) -> None:
    generator, off = np.random.default_rng(1), ~np.eye(4, dtype=bool)
    estimates = np.array([(z := features(generator)) @ z.T for _ in range(MAPS)])[:, off]
    predicted = variance("gaussian()", ROWS)[off]
    assert np.abs(np.var(estimates, axis=0, ddof=1) / predicted - 1).max() < 6 * np.sqrt(3 / MAPS)  # kurtosis below 4


def test_samples_of_many_rows_are_those_of_each() -> None:
    from datasketch import WeightedMinHashGenerator

    rows = np.random.default_rng(1).gamma(2, size=(5, 3))
    sketches = WeightedMinHashGenerator(3, 16, seed=2)
    for row, sketch in zip(rows, sketches.minhash_many(rows), strict=True):
        assert np.array_equal(sketch.hashvalues, sketches.minhash(row).hashvalues)


@pytest.mark.slow
def test_measured() -> None:
    (found,) = audit("datasketch", n_maps=200)
    assert not found.is_biased
    low, high = found.ratio_interval
    assert low < 1 < high


def kernel_of(name: str, rows: np.ndarray) -> np.ndarray:
    (found,) = [own[name].kernel for own in SAMPLERS.values() if name in own]
    return kernel_matrix(found, rows)


def test_kernels_are_those_of_gpytorch() -> None:
    gpytorch, torch = pytest.importorskip("gpytorch"), pytest.importorskip("torch")
    rows = np.random.default_rng(0).gamma(2, size=(5, 4))
    for name, kernel in (
        ("RFFKernel", gpytorch.kernels.RBFKernel()),
        ("gen_kernel_features(RBF)", gpytorch.kernels.RBFKernel()),
        ("gen_kernel_features(Matern, ν = 3/2)", gpytorch.kernels.MaternKernel(nu=1.5)),
    ):
        kernel.double().lengthscale = 1.0
        expected = kernel(torch.as_tensor(rows)).to_dense().detach().numpy()
        np.testing.assert_allclose(kernel_of(name, rows), expected, atol=1e-7)  # a distance of 1e-15 is added


def test_kernels_are_those_of_gstools() -> None:
    gstools = pytest.importorskip("gstools")
    rows = np.random.default_rng(0).gamma(2, size=(5, 4))
    r = np.sqrt(np.square(rows[:, None] - rows).sum(axis=-1))
    for name, model in (
        ("RandMeth(Gaussian)", gstools.Gaussian(dim=4, len_scale=1)),
        ("RandMeth(Exponential)", gstools.Exponential(dim=4, len_scale=1)),
        ("RandMeth(Matern, ν = 3/2)", gstools.Matern(dim=4, nu=1.5, len_scale=1)),
    ):
        np.testing.assert_allclose(kernel_of(name, rows), model.correlation(r), rtol=1e-10)


def test_kernels_are_those_that_are_claimed() -> None:
    X = np.random.default_rng(0).gamma(2, size=(4, 3))
    least, most = (own(X[:, None], X).sum(axis=-1) for own in (np.minimum, np.maximum))
    r = np.sqrt(np.square(X[:, None] - X).sum(axis=-1))
    expected = {
        "RBFSampler": rbf_kernel(X, gamma=0.5),
        "PolynomialCountSketch": polynomial_kernel(X, degree=2, gamma=1, coef0=1),
        "SkewedChi2Sampler": np.prod(2 * np.sqrt((X[:, None] + 1) * (X + 1)) / (X[:, None] + X + 2), axis=-1),
        "AdditiveChi2Sampler": additive_chi2_kernel(X) / 2 + (X[:, None] + X).sum(axis=-1) / 2,
        "Nystroem": rbf_kernel(X, gamma=0.5),
        "WeightedMinHash": least / most,
        "RandMeth(Gaussian)": np.exp(-np.pi * r**2 / 4),
        "RandMeth(Exponential)": np.exp(-r),
        "RandMeth(Matern, ν = 3/2)": (1 + np.sqrt(1.5) * r) * np.exp(-np.sqrt(1.5) * r),
        "RFFKernel": np.exp(-(r**2) / 2),
        "gen_kernel_features(RBF)": np.exp(-(r**2) / 2),
        "gen_kernel_features(Matern, ν = 3/2)": (1 + np.sqrt(3) * r) * np.exp(-np.sqrt(3) * r),
    }
    assert set(expected) == set(FILES)
    for name, values in expected.items():
        np.testing.assert_allclose(kernel_of(name, X), values, rtol=1e-10, err_msg=name)


@pytest.mark.slow
def test_what_is_biased() -> None:
    found = {each.sampler: each for each in audit("scikit-learn", n_maps=200)}
    assert set(found) == set(SAMPLERS["scikit-learn"])
    assert {name for name, each in found.items() if each.is_biased} == {"AdditiveChi2Sampler", "Nystroem"}
    for name in ("RBFSampler", "SkewedChi2Sampler"):
        low, high = found[name].ratio_interval
        assert low < 1 < high
