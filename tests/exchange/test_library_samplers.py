"""Tests of `exchange/library_samplers.py`."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel

import kernelspec as ks
from kernelspec.exchange.audit import audit
from kernelspec.exchange.library_samplers import BOTORCH as SAMPLERS
from kernelspec.exchange.library_samplers import DATASKETCH as SAMPLERS_OF_DATASKETCH
from kernelspec.exchange.library_samplers import GPYTORCH as SAMPLERS_OF_GPYTORCH
from kernelspec.exchange.library_samplers import GSTOOLS as SAMPLERS_OF_GSTOOLS
from kernelspec.exchange.library_samplers import SCIKIT_LEARN as SAMPLERS_OF_SCIKIT_LEARN


def test_kernels_are_those_of_the_library() -> None:
    gpytorch, torch = pytest.importorskip("gpytorch"), pytest.importorskip("torch")
    rows = np.random.default_rng(0).gamma(2, size=(5, 4))
    kernels = {
        "gen_kernel_features(RBF)": gpytorch.kernels.RBFKernel(),
        "gen_kernel_features(Matern, ν = 3/2)": gpytorch.kernels.MaternKernel(nu=1.5),
    }
    for name, kernel in kernels.items():
        kernel.double().lengthscale = 1.0
        expected = kernel(torch.as_tensor(rows)).to_dense().detach().numpy()
        np.testing.assert_allclose(
            SAMPLERS[name].kernel(rows, rows), expected, atol=1e-7
        )  # a distance of 1e-15 is added


def test_the_kernel_is_minmax() -> None:
    rows = np.random.default_rng(0).gamma(2, size=(5, 3))
    np.testing.assert_allclose(
        SAMPLERS_OF_DATASKETCH["WeightedMinHash"].kernel(rows, rows), ks.parse("minmax()").gram(rows)
    )


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


def test_the_kernel_is_that_of_the_library() -> None:
    gpytorch, torch = pytest.importorskip("gpytorch"), pytest.importorskip("torch")
    rows = np.random.default_rng(0).gamma(2, size=(5, 4))
    kernel = gpytorch.kernels.RBFKernel().double()
    kernel.lengthscale = 1.0
    np.testing.assert_allclose(
        SAMPLERS_OF_GPYTORCH["RFFKernel"].kernel(rows, rows),
        kernel(torch.as_tensor(rows)).to_dense().detach().numpy(),
        atol=1e-10,
    )


def test_kernels_are_those_of_the_models() -> None:
    gstools = pytest.importorskip("gstools")
    rows = np.random.default_rng(0).gamma(2, size=(5, 4))
    r = np.sqrt(np.square(rows[:, None] - rows).sum(axis=-1))
    models = {
        "RandMeth(Gaussian)": gstools.Gaussian(dim=4, len_scale=1),
        "RandMeth(Exponential)": gstools.Exponential(dim=4, len_scale=1),
        "RandMeth(Matern, ν = 3/2)": gstools.Matern(dim=4, nu=1.5, len_scale=1),
    }
    for name, model in models.items():
        np.testing.assert_allclose(SAMPLERS_OF_GSTOOLS[name].kernel(rows, rows), model.correlation(r), rtol=1e-10)


def test_kernels_are_those_of_scikit_learn() -> None:
    X, Y = np.random.default_rng(0).gamma(2, size=(4, 3)), np.random.default_rng(1).gamma(2, size=(5, 3))
    np.testing.assert_allclose(
        SAMPLERS_OF_SCIKIT_LEARN["RBFSampler"].kernel(X, Y), rbf_kernel(X, Y, gamma=0.5), rtol=1e-12
    )
    found = SAMPLERS_OF_SCIKIT_LEARN["PolynomialCountSketch"].kernel(X, Y)
    np.testing.assert_allclose(found, polynomial_kernel(X, Y, degree=2, gamma=1, coef0=1), rtol=1e-12)
    skewed = np.prod(2 * np.sqrt((X[:, None] + 1) * (Y + 1)) / (X[:, None] + Y + 2), axis=-1)
    np.testing.assert_allclose(SAMPLERS_OF_SCIKIT_LEARN["SkewedChi2Sampler"].kernel(X, Y), skewed, rtol=1e-12)


@pytest.mark.slow
def test_what_is_biased() -> None:
    found = {each.sampler: each for each in audit("scikit-learn", n_maps=200)}
    assert set(found) == set(SAMPLERS_OF_SCIKIT_LEARN)
    assert {name for name, each in found.items() if each.is_biased} == {"AdditiveChi2Sampler", "Nystroem"}
    for name in ("RBFSampler", "SkewedChi2Sampler"):
        low, high = found[name].ratio_interval
        assert low < 1 < high
