"""Specs of scikit-learn's kernels: the same matrices as scikit-learn's own, on random rows."""

from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import pytest
from sklearn.gaussian_process import kernels as sk
from sklearn.metrics.pairwise import PAIRWISE_KERNEL_FUNCTIONS, pairwise_kernels

import kernelspec as ks
from kernelspec.errors import NoCounterpartError

GENERATOR = np.random.default_rng(7)
X, Y = GENERATOR.standard_normal((6, 3)), GENERATOR.standard_normal((5, 3))

KERNELS = [
    sk.RBF(0.7),
    sk.RBF([0.5, 1.5, 3.0]),
    sk.Matern(1.3, nu=0.5),
    sk.Matern(0.8, nu=1.5),
    sk.Matern([0.5, 1.5, 3.0], nu=2.5),
    sk.Matern(2.0, nu=0.9),
    sk.Matern(2.0, nu=math.inf),
    sk.RationalQuadratic(length_scale=1.4, alpha=0.6),
    sk.DotProduct(sigma_0=0.4),
    sk.DotProduct(sigma_0=0.0),
    sk.ConstantKernel(2.5),
    sk.ConstantKernel(0.3) * sk.RBF(2.0) + sk.RationalQuadratic() ** 2,
    sk.RBF(0.7) ** 1.5,
    (sk.DotProduct(1.0) + sk.RBF(1.0)) ** 3,
    sk.PairwiseKernel(gamma=0.4, metric="rbf"),
    sk.PairwiseKernel(gamma=0.4, metric="laplacian"),
    sk.PairwiseKernel(gamma=0.4, metric="poly", pairwise_kernels_kwargs={"degree": 2, "coef0": 0.5}),
    sk.PairwiseKernel(gamma=0.4, metric="polynomial"),
    sk.PairwiseKernel(metric="linear"),
    sk.PairwiseKernel(metric="cosine"),
]


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_values(kernel: sk.Kernel) -> None:
    spec = ks.from_sklearn(kernel)
    for other in (None, Y):
        np.testing.assert_allclose(spec.gram(X, other), kernel(X, other), rtol=1e-12, atol=1e-14)
    np.testing.assert_array_equal(ks.parse(str(spec)).gram(X), spec.gram(X))


@pytest.mark.parametrize("name", ["linear", "rbf", "laplacian", "poly", "polynomial", "cosine"])
def test_names_of_pairwise_kernels_with_their_defaults(name: str) -> None:
    np.testing.assert_allclose(
        ks.from_sklearn(name).gram(X, Y), pairwise_kernels(X, Y, metric=name), rtol=1e-12, atol=1e-14
    )


def test_texts() -> None:
    kernel = 0.5 * sk.RBF([1.0, 2.0]) + sk.WhiteKernel(0.1)
    assert str(ks.from_sklearn(kernel)) == "0.5*constant()*stretch(gaussian(), [1, 2]) + 0.1*noise()"
    assert str(ks.from_sklearn("rbf")) == "gaussian(scale=sqrt(d/2))"


def test_white_kernel_on_one_table_of_different_rows() -> None:
    kernel = sk.RBF() + sk.WhiteKernel(0.2)
    np.testing.assert_allclose(ks.from_sklearn(kernel).gram(X), kernel(X), rtol=1e-13)


def test_a_periodic_kernel_on_one_column() -> None:
    kernel = sk.ExpSineSquared(length_scale=0.7, periodicity=1.3)
    spec = ks.from_sklearn(kernel, dim=1)
    np.testing.assert_allclose(spec.gram(X[:, :1], Y[:, :1]), kernel(X[:, :1], Y[:, :1]), rtol=1e-12)
    with pytest.raises(NoCounterpartError, match="of the norm of the difference, which is not positive definite"):
        ks.from_sklearn(kernel)
    # what is refused: a Gram matrix with a negative eigenvalue on two columns
    grid = np.stack(np.meshgrid(np.linspace(0, 2, 12), np.linspace(0, 2, 12)), axis=-1).reshape(-1, 2)
    assert np.linalg.eigvalsh(kernel(grid)).min() < -0.1


def test_the_sum_of_absolute_differences() -> None:
    exponential = ks.from_sklearn(sk.Matern(2.0, nu=0.5), norm="l1")
    expected = np.exp(-np.abs(X[:, None] - Y[None]).sum(axis=-1) / 2)
    np.testing.assert_allclose(exponential.gram(X, Y), expected, rtol=1e-13)
    lengths = ks.from_sklearn(sk.Matern([1.0, 2.0, 4.0], nu=0.5), norm="l1")
    expected = np.exp(-(np.abs(X[:, None] - Y[None]) / [1, 2, 4]).sum(axis=-1))
    np.testing.assert_allclose(lengths.gram(X, Y), expected, rtol=1e-13)
    with pytest.raises(NoCounterpartError, match="orders above 1/2 not positive definite on two columns or more"):
        ks.from_sklearn(sk.Matern(nu=1.5), norm="l1")
    for kernel in (sk.RBF(), sk.RationalQuadratic()):
        with pytest.raises(NoCounterpartError, match=r"norm='l1'"):
            ks.from_sklearn(kernel, norm="l1")
    on_a_line = ks.from_sklearn(sk.Matern(nu=1.5), norm="l1", dim=1)
    np.testing.assert_allclose(on_a_line.gram(X[:, :1]), sk.Matern(nu=1.5)(X[:, :1]), rtol=1e-12)


class Subclass(sk.RBF):
    """May compute anything."""


@pytest.mark.parametrize(
    ("kernel", "reason"),
    [
        *((sk.PairwiseKernel(metric=name), "^PairwiseKernel has") for name in ("additive_chi2", "chi2", "sigmoid")),
        ("sigmoid", r"'sigmoid' has no counterpart: tanh\(γ x·y \+ c\) is not positive definite"),
        ("additive_chi2", "only conditionally"),
        ("chi2", "no chi-squared kernels"),
        ("rbff", "no name of pairwise_kernels"),
        (sk.PairwiseKernel(metric=np.dot), "its metric is a function"),
        (sk.CompoundKernel([sk.RBF(), sk.RBF()]), "several kernels"),
        (Subclass(), "Subclass has no counterpart: from_sklearn knows"),
        (sk.RBF() + Subclass(), "Subclass has no counterpart"),
        (3.5, "float has no counterpart"),
    ],
)
def test_what_has_no_counterpart(kernel: object, reason: str) -> None:
    with pytest.raises(NoCounterpartError, match=reason):
        ks.from_sklearn(kernel)


def test_every_name_and_class_is_answered() -> None:
    assert set(PAIRWISE_KERNEL_FUNCTIONS) == {
        "additive_chi2", "chi2", "linear", "polynomial", "poly", "rbf", "laplacian", "sigmoid", "cosine",
    }  # fmt: skip


def test_a_class_of_another_library_of_the_same_name() -> None:
    class RationalQuadratic:
        alpha = 1.0

    with pytest.raises(NoCounterpartError, match="no attribute 'length_scale', which its library gives it"):
        ks.from_sklearn(RationalQuadratic())


@pytest.mark.slow
def test_scikit_learn_is_not_imported() -> None:
    program = (
        "import sys, kernelspec as ks\n"
        "RBF = type('RBF', (), {'length_scale': 2.0})\n"
        "print(ks.from_sklearn(RBF()), [m for m in ('sklearn', 'torch', 'tensorflow') if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout == "gaussian(scale=2) []\n"
