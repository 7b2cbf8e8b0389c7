"""Tests of `exchange/from_libraries.py`."""

from __future__ import annotations

import math
import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from sklearn.gaussian_process import kernels as sk
from sklearn.metrics.pairwise import PAIRWISE_KERNEL_FUNCTIONS, pairwise_kernels

import kernelspec as ks
from kernelspec.errors import NoCounterpartError

GENERATOR = np.random.default_rng(7)
X, Y = GENERATOR.standard_normal((6, 3)), GENERATOR.standard_normal((5, 3))


def named(name: str, **attributes: Any) -> Any:
    """A kernel of a library that is not installed."""
    return type(name, (), attributes)()


@pytest.mark.parametrize("norm", ["L1", "manhattan", 1])
def test_another_norm_is_refused(norm: Any) -> None:
    with pytest.raises(ks.ArgumentError, match="norm must be 'l1', 'l2' or None"):
        ks.from_sklearn(sk.Matern(nu=0.5), norm=norm)
    with pytest.raises(ks.ArgumentError, match="norm must be"):
        ks.from_gpytorch(named("RBFKernel", lengthscale=np.ones((1, 1))), norm=norm)


@pytest.mark.parametrize("dim", ["1", 0, True])
def test_another_dim_is_refused(dim: Any) -> None:
    with pytest.raises(ks.DimensionError, match="dim must be a whole number, at least 1"):
        ks.from_sklearn(sk.ExpSineSquared(), dim=dim)


@pytest.mark.parametrize(
    ("convert", "kernel", "message"),
    [
        (ks.from_sklearn, sk.Matern(nu="a"), "its nu is not a number"),
        (ks.from_sklearn, sk.PairwiseKernel(metric="poly", pairwise_kernels_kwargs={"degree": "x"}), "not numbers"),
        (ks.from_gpytorch, named("RBFKernel", lengthscale="a"), "its lengthscale is not a number"),
        (ks.from_gpytorch, named("RBFKernel", lengthscale=1.0, active_dims=[0.5]), "are not whole numbers"),
        (ks.from_gpytorch, named("AdditiveKernel", kernels=[]), "it has no parts"),
        (ks.from_gpflow, named("Sum", kernels=[]), "it has no parts"),
        (ks.from_celerite2, named("RotationTerm", sigma=1, period=3, Q0=0, dQ=0, f=0.4), "must be above 0"),
        (ks.from_celerite2, named("RotationTerm", sigma=1, period=3, Q0=1, dQ=0, f=-1), "f above -1"),
    ],
)
def test_numbers_that_no_kernel_has(convert: Any, kernel: Any, message: str) -> None:
    with pytest.raises(NoCounterpartError, match=message):
        convert(kernel)


def test_one_column_by_its_number() -> None:
    found = ks.from_gpflow(named("SquaredExponential", variance=1.0, lengthscales=2.0, active_dims=5))
    assert str(found) == "(1*gaussian(scale=2))[5]"


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
    with pytest.raises(
        NoCounterpartError, match="for orders above 1/2 it is not positive definite on two or more columns"
    ):
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
        ("rbff", "pairwise_kernels has no such name"),
        (sk.PairwiseKernel(metric=np.dot), "its metric is a Python function"),
        (sk.CompoundKernel([sk.RBF(), sk.RBF()]), "several kernels"),
        (Subclass(), "Subclass has no counterpart: from_sklearn supports"),
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

    with pytest.raises(
        NoCounterpartError, match="no attribute 'length_scale', which every kernel of this name in its library has"
    ):
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


A, B = X[:, :2], Y[:, :2]
LAG = A[:, None] - B[None]


class Tensor:
    """What PyTorch has: numbers that leave it through detach(), cpu() and numpy()."""

    def __init__(self, value: Any) -> None:
        self.value = np.asarray(value, dtype=np.float32)

    def detach(self) -> Tensor:
        return self

    def cpu(self) -> Tensor:
        return self

    def numpy(self) -> np.ndarray:
        return self.value


def like(name: str, **attributes: Any) -> Any:
    """An instance of a class of this name with these attributes; lists become tensors."""
    values = {key: Tensor(value) if isinstance(value, list | float) else value for key, value in attributes.items()}
    return type(name, (), {"active_dims": None, **values})()


def squares(lengths: Any = 1.0) -> np.ndarray:
    return np.square(LAG / np.float32(lengths)).sum(axis=-1)


RBF = like("RBFKernel", lengthscale=[[0.7]])
ARD = np.float32([0.5, 2.0])
MEANS, SCALES, WEIGHTS = [[[0.2, 0.5]], [[1.0, 0.1]]], [[[0.3, 0.2]], [[0.5, 0.4]]], [0.6, 0.9]


def mixture(column: int) -> np.ndarray:
    """Σ_q w_q exp(−2π²σ²Δ²) cos(2πμΔ) of one column."""
    lag, total = LAG[..., column], np.zeros(LAG.shape[:2])
    for weight, mean, scale in zip(WEIGHTS, np.float32(MEANS)[:, 0], np.float32(SCALES)[:, 0], strict=True):
        decay = np.exp(-2 * np.pi**2 * (lag * scale[column]) ** 2)
        total += np.float32(weight) * decay * np.cos(2 * np.pi * lag * mean[column])
    return total


CASES = [
    (RBF, np.exp(-squares(0.7) / 2)),
    (like("RBFKernel", lengthscale=[ARD.tolist()]), np.exp(-squares(ARD) / 2)),
    (like("MaternKernel", nu=0.5, lengthscale=[[1.5]]), np.exp(-np.sqrt(squares(1.5)))),
    (
        like("MaternKernel", nu=1.5, lengthscale=[ARD.tolist()]),
        (1 + np.sqrt(3 * squares(ARD))) * np.exp(-np.sqrt(3 * squares(ARD))),
    ),
    (
        like("MaternKernel", nu=2.5, lengthscale=[[1.0]]),
        (1 + np.sqrt(5 * squares()) + 5 / 3 * squares()) * np.exp(-np.sqrt(5 * squares())),
    ),
    (like("RQKernel", lengthscale=[[1.5]], alpha=[0.75]), (1 + squares(1.5) / (2 * 0.75)) ** -0.75),
    (
        like("PeriodicKernel", period_length=[[1.25]], lengthscale=[[0.5]]),
        np.exp(-2 * (np.sin(np.pi * LAG / 1.25) ** 2 / 0.5).sum(axis=-1)),
    ),
    (
        like("PeriodicKernel", period_length=[[1.25, 2.0]], lengthscale=[ARD.tolist()]),
        np.exp(-2 * (np.sin(np.pi * LAG / [1.25, 2.0]) ** 2 / ARD).sum(axis=-1)),
    ),
    (like("LinearKernel", variance=[[0.5]]), 0.5 * A @ B.T),
    (like("LinearKernel", variance=[ARD.tolist()]), (ARD * A) @ B.T),
    (like("PolynomialKernel", power=3, offset=[0.5]), (A @ B.T + 0.5) ** 3),
    (like("ConstantKernel", constant=[1.5]), np.full((6, 5), 1.5)),
    (
        like("SpectralMixtureKernel", mixture_weights=WEIGHTS, mixture_means=MEANS, mixture_scales=SCALES),
        mixture(0) * mixture(1),
    ),
    (like("ScaleKernel", base_kernel=RBF, outputscale=2.5), 2.5 * np.exp(-squares(0.7) / 2)),
]


def test_sums_and_products() -> None:
    parts = [like("LinearKernel", variance=[[1.0]]), RBF, like("ConstantKernel", constant=[2.0])]
    linear, gaussian = A @ B.T, np.exp(-squares(0.7) / 2)
    added = ks.from_gpytorch(like("AdditiveKernel", kernels=tuple(parts)))
    np.testing.assert_allclose(added.gram(A, B), linear + gaussian + 2, rtol=1e-11)
    multiplied = ks.from_gpytorch(like("ProductKernel", kernels=tuple(parts)))
    np.testing.assert_allclose(multiplied.gram(A, B), 2 * linear * gaussian, rtol=1e-11)


def test_columns() -> None:
    # ScaleKernel takes over the active_dims of its base, and calls forward() of it: the choice is made once
    base = like("RBFKernel", lengthscale=[[1.0]], active_dims=Tensor([1]))
    scaled = ks.from_gpytorch(like("ScaleKernel", base_kernel=base, outputscale=2.0, active_dims=Tensor([1])))
    np.testing.assert_allclose(scaled.gram(A, B), 2 * np.exp(-(LAG[..., 1] ** 2) / 2), rtol=1e-11)
    assert str(scaled) == "(2*gaussian(scale=1))[1]"
    cosine = like("CosineKernel", period_length=[[2.0]], active_dims=Tensor([0]))
    np.testing.assert_allclose(ks.from_gpytorch(cosine).gram(A, B), np.cos(np.pi * LAG[..., 0] / 2), atol=1e-14)


def test_a_periodic_kernel_of_a_norm() -> None:
    periodic = like("PeriodicKernel", period_length=[[1.25]], lengthscale=[[0.5]])
    for norm in ("l1", "l2"):
        with pytest.raises(NoCounterpartError, match=r"not positive definite on two or more columns.*pass dim=1"):
            ks.from_gpytorch(periodic, norm=norm)
        line = ks.from_gpytorch(periodic, norm=norm, dim=1)
        expected = np.exp(-2 * np.sin(np.pi * LAG[..., 0] / 1.25) ** 2 / 0.5)
        np.testing.assert_allclose(line.gram(A[:, :1], B[:, :1]), expected, rtol=1e-11)


LENGTHS = np.array([0.5, 2.0])


class Parameter:
    """What GPflow has: numbers that leave it through numpy()."""

    def __init__(self, value: Any) -> None:
        self.value = np.asarray(value, dtype=float)

    def numpy(self) -> np.ndarray:
        return self.value


class Flow:
    """A kernel of GPflow."""


def flow(name: str, *, active_dims: Any = slice(None, None, None), **attributes: Any) -> Any:
    """An instance of a class of this name with these attributes; numbers and lists of them become parameters."""
    values = {key: Parameter(value) if _is_number(value) else value for key, value in attributes.items()}
    return type(name, (Flow,), {"active_dims": active_dims, **values})()


def _is_number(value: Any) -> bool:
    return isinstance(value, float) or (isinstance(value, list) and isinstance(value[0], float))


def distance(lengths: Any) -> np.ndarray:
    return np.sqrt(np.square(LAG / lengths).sum(axis=-1))


R, S = distance(0.7), distance(LENGTHS)

FLOW_CASES = [
    (flow("SquaredExponential", variance=2.0, lengthscales=0.7), 2 * np.exp(-0.5 * R**2)),
    (flow("SquaredExponential", variance=1.0, lengthscales=[0.5, 2.0]), np.exp(-0.5 * S**2)),
    (flow("RationalQuadratic", variance=1.5, lengthscales=0.7, alpha=0.4), 1.5 * (1 + 0.5 * R**2 / 0.4) ** -0.4),
    (flow("Exponential", variance=1.5, lengthscales=0.7), 1.5 * np.exp(-0.5 * R)),
    (flow("Exponential", variance=1.5, lengthscales=[0.5, 2.0]), 1.5 * np.exp(-0.5 * S)),
    (flow("Matern12", variance=1.5, lengthscales=0.7), 1.5 * np.exp(-R)),
    (flow("Matern32", variance=0.5, lengthscales=[0.5, 2.0]), 0.5 * (1 + np.sqrt(3) * S) * np.exp(-np.sqrt(3) * S)),
    (flow("Matern52", variance=1.0, lengthscales=0.7), (1 + np.sqrt(5) * R + 5 / 3 * R**2) * np.exp(-np.sqrt(5) * R)),
    (flow("Cosine", variance=2.0, lengthscales=0.7), 2 * np.cos(2 * np.pi * (LAG / 0.7).sum(axis=-1))),
    (flow("Cosine", variance=2.0, lengthscales=[0.5, 2.0]), 2 * np.cos(2 * np.pi * (LAG / LENGTHS).sum(axis=-1))),
    (flow("Linear", variance=0.3), 0.3 * A @ B.T),
    (flow("Linear", variance=[0.5, 2.0]), (LENGTHS * A) @ B.T),
    (flow("Polynomial", degree=3.0, variance=0.3, offset=0.8), (0.3 * A @ B.T + 0.8) ** 3),
    (flow("Constant", variance=0.3), np.full((6, 5), 0.3)),
    (
        flow("Periodic", base_kernel=flow("SquaredExponential", variance=2.0, lengthscales=0.7), period=1.3),
        2 * np.exp(-0.5 * (np.square(np.sin(np.pi * LAG / 1.3) / 0.7)).sum(axis=-1)),
    ),
    (
        flow(
            "Periodic", base_kernel=flow("SquaredExponential", variance=2.0, lengthscales=[0.5, 2.0]), period=[1.3, 0.9]
        ),
        2 * np.exp(-0.5 * (np.square(np.sin(np.pi * LAG / [1.3, 0.9]) / LENGTHS)).sum(axis=-1)),
    ),
    (flow("Matern12", variance=1.0, lengthscales=1.0, active_dims=np.array([1])), np.exp(-np.abs(LAG[..., 1]))),
    (flow("Matern12", variance=1.0, lengthscales=1.0, active_dims=slice(0, 1, None)), np.exp(-np.abs(LAG[..., 0]))),
]


@pytest.mark.parametrize(
    ("convert", "kernel", "values"),
    [*((ks.from_gpytorch, *own) for own in CASES), *((ks.from_gpflow, *own) for own in FLOW_CASES)],
    ids=lambda value: type(value).__name__,
)
def test_values_from_other_libraries(convert: Any, kernel: Any, values: np.ndarray) -> None:
    spec = convert(kernel)
    np.testing.assert_allclose(spec.gram(A, B), values, rtol=1e-11, atol=1e-13)
    np.testing.assert_array_equal(ks.parse(str(spec)).gram(A), spec.gram(A))


def test_sums_and_products_from_gpflow() -> None:
    parts = [flow("Linear", variance=1.0), flow("SquaredExponential", variance=1.0, lengthscales=0.7)]
    linear, gaussian = A @ B.T, np.exp(-0.5 * R**2)
    added = ks.from_gpflow(flow("Sum", kernels=[*parts, flow("White", variance=0.1)]))
    np.testing.assert_allclose(added.gram(A, B), linear + gaussian, rtol=1e-11)
    np.testing.assert_allclose(added.gram(A), ks.from_gpflow(flow("Sum", kernels=parts)).gram(A) + 0.1 * np.eye(6))
    on_some = flow("White", variance=0.1, active_dims=[0])  # compares positions all the same
    spec = ks.from_gpflow(flow("Sum", kernels=[*parts, on_some]))
    assert ks.compile(spec, dim=3).noise == 0.1
    multiplied = ks.from_gpflow(flow("Product", kernels=parts))
    np.testing.assert_allclose(multiplied.gram(A, B), linear * gaussian, rtol=1e-11)


@pytest.mark.parametrize(
    ("kernel", "norm", "reason"),
    [
        (like("CosineKernel", period_length=[[2.0]]), None, r"cos\(π r/p\) of the norm"),
        (like("MaternKernel", nu=1.5, lengthscale=[[1.0]]), "l1", "not positive definite on two or more columns"),
        (like("RBFKernel", lengthscale=[[[1.0]], [[2.0]]]), None, "it is a batch of kernels"),
        (like("RBFKernel", lengthscale=[[np.nan]]), None, "its lengthscale is not finite"),
        (like("RQKernel", lengthscale=[[1.0]], alpha=[1.0, 2.0]), None, "its alpha has 2 numbers"),
        (
            like("SpectralMixtureKernel", mixture_weights=[WEIGHTS], mixture_means=[MEANS], mixture_scales=[SCALES]),
            None,
            "it is a batch of kernels",
        ),
        (like("ArcKernel"), None, "ArcKernel has no counterpart: from_gpytorch supports AdditiveKernel"),
        (like("ScaleKernel", base_kernel=like("IndexKernel"), outputscale=1.0), None, "IndexKernel has no counterpart"),
        (
            flow("Periodic", base_kernel=flow("Matern32", variance=1.0, lengthscales=1.0), period=1.0),
            None,
            r"over Matern32 it is a function of the sum of \|sin\(πΔ_i/p\)\|/ℓ, an L1 norm",
        ),
        (flow("Matern52", variance=1.0, lengthscales=1.0), "l1", "not positive definite on two or more columns"),
        (flow("ArcCosine", order=0), None, "ArcCosine has no counterpart: from_gpflow supports ChangePoints"),
        (flow("Linear", variance=1.0, active_dims=slice(1, None)), None, "give them as a list of columns"),
        (flow("Matern12", variance=[1.0, 2.0], lengthscales=1.0), None, "its variance has 2 numbers"),
        (
            flow("SquaredExponential", variance=1.0),
            None,
            "no attribute 'lengthscales', which every kernel of this name in its library has",
        ),
    ],
)
def test_what_has_no_counterpart_in_other_libraries(kernel: Any, norm: Any, reason: str) -> None:
    convert = ks.from_gpflow if isinstance(kernel, Flow) else ks.from_gpytorch
    with pytest.raises(NoCounterpartError, match=reason):
        convert(kernel, norm=norm)


def test_sums_of_absolute_differences() -> None:
    spec = ks.from_gpflow(flow("Exponential", variance=1.0, lengthscales=0.7), norm="l1")
    np.testing.assert_allclose(spec.gram(A, B), np.exp(-0.5 * np.abs(LAG / 0.7).sum(axis=-1)), rtol=1e-12)


U, V = np.sort(GENERATOR.uniform(0, 3, (6, 1)), axis=0), GENERATOR.uniform(0, 3, (4, 1))
T = np.abs(U - V.T)


def plain(name: str, **attributes: Any) -> Any:
    """An object of a class of that name, with its numbers as they are."""
    return type(name, (SimpleNamespace,), {})(**attributes)


def oscillator(s0: float, w0: float, q: float, t: np.ndarray = T) -> np.ndarray:
    """The definition of SHOTerm, by complex roots [Foreman-Mackey et al. 2017, equation 23]."""
    eta = np.sqrt(complex(1 - 1 / (4 * q**2)))
    wave = np.cos(eta * w0 * t) + np.sin(eta * w0 * t) / (2 * eta * q)
    return np.asarray((s0 * w0 * q * np.exp(-w0 * t / (2 * q)) * wave).real)


def rotation(sigma: float, period: float, q0: float, dq: float, f: float) -> np.ndarray:
    """The definition of RotationTerm in the documentation of celerite2."""
    q1, q2, amplitude = 0.5 + q0 + dq, 0.5 + q0, sigma**2 / (1 + f)
    w1 = 4 * np.pi * q1 / (period * np.sqrt(4 * q1**2 - 1))
    w2 = 8 * np.pi * q2 / (period * np.sqrt(4 * q2**2 - 1))
    return oscillator(amplitude / (w1 * q1), w1, q1) + oscillator(f * amplitude / (w2 * q2), w2, q2)


SHO = plain("SHOTerm", S0=1.3, w0=2.0, Q=3.0)
REAL = plain("RealTerm", a=0.7, c=1.5)
CELERITE = [
    (SHO, oscillator(1.3, 2, 3)),
    (plain("SHOTerm", S0=1.3, w0=2.0, Q=0.2), oscillator(1.3, 2, 0.2)),
    (REAL, 0.7 * np.exp(-1.5 * T)),
    (plain("ComplexTerm", a=2.0, b=0.0, c=0.3, d=4.0), 2 * np.exp(-0.3 * T) * np.cos(4 * T)),
    (
        plain("ComplexTerm", a=2.0, b=0.6 / 4, c=0.3, d=4.0),
        np.exp(-0.3 * T) * (2 * np.cos(4 * T) + 0.15 * np.sin(4 * T)),
    ),
    (plain("ComplexTerm", a=2.0, b=0.1, c=0.3, d=4.0), np.exp(-0.3 * T) * (2 * np.cos(4 * T) + 0.1 * np.sin(4 * T))),
    (plain("Matern32Term", sigma=0.8, rho=1.7), 0.64 * (1 + np.sqrt(3) * T / 1.7) * np.exp(-np.sqrt(3) * T / 1.7)),
    (plain("RotationTerm", sigma=1.2, period=0.9, Q0=1.5, dQ=0.4, f=0.3), rotation(1.2, 0.9, 1.5, 0.4, 0.3)),
    (plain("TermSum", terms=[SHO, REAL]), oscillator(1.3, 2, 3) + 0.7 * np.exp(-1.5 * T)),
    (plain("TermProduct", term1=SHO, term2=REAL), oscillator(1.3, 2, 3) * 0.7 * np.exp(-1.5 * T)),
]


@pytest.mark.slow
@pytest.mark.parametrize(("term", "values"), CELERITE, ids=[type(term).__name__ for term, _ in CELERITE])
def test_values_from_celerite2(term: Any, values: np.ndarray) -> None:
    spec = ks.from_celerite2(term)
    np.testing.assert_allclose(spec.gram(U, V), values, rtol=1e-10, atol=1e-12)
    np.testing.assert_array_equal(ks.parse(str(spec)).gram(U, V), spec.gram(U, V))


def test_an_unknown_term_of_celerite2() -> None:
    with pytest.raises(NoCounterpartError, match="from_celerite2 supports ComplexTerm, Matern32Term, RealTerm"):
        ks.from_celerite2(plain("TermDiff", term=SHO))


FACTOR = np.array([[1.0, 0.5], [0.3, -0.2], [0.0, 0.7]])
SIMILAR = FACTOR @ FACTOR.T + np.diag([0.1, 0.2, 0.3])
LABELS = np.array([[0.0], [2.0], [1.0], [2.0]])
LATE = 1 / (1 + np.exp(-2 * (LABELS[:, 0] - 1)))


@pytest.mark.parametrize(
    ("spec", "values"),
    [
        (
            lambda: ks.from_gpytorch(plain("IndexKernel", covar_factor=FACTOR, var=np.array([0.1, 0.2, 0.3]))),
            SIMILAR[np.ix_([0, 2, 1, 2], [0, 2, 1, 2])],
        ),
        (
            lambda: ks.from_gpflow(flow("Coregion", W=FACTOR, kappa=np.array([0.1, 0.2, 0.3]))),
            SIMILAR[np.ix_([0, 2, 1, 2], [0, 2, 1, 2])],
        ),
        (
            lambda: ks.from_gpytorch(plain("PiecewisePolynomialKernel", q=1, lengthscale=4.0)),
            np.maximum(0, 1 - np.abs(LABELS - LABELS.T) / 4) ** 3 * (1 + 3 * np.abs(LABELS - LABELS.T) / 4),
        ),
        (
            lambda: ks.from_gpflow(
                flow(
                    "ChangePoints",
                    kernels=[
                        flow("SquaredExponential", variance=1.0, lengthscales=2.0),
                        flow("Constant", variance=3.0),
                    ],
                    locations=np.array([1.0]),
                    steepness=2.0,
                    switch_dim=0,
                ),
                dim=1,
            ),
            np.outer(1 - LATE, 1 - LATE) * np.exp(-((LABELS - LABELS.T) ** 2) / 8) + 3 * np.outer(LATE, LATE),
        ),
    ],
    ids=["IndexKernel", "Coregion", "PiecewisePolynomialKernel", "ChangePoints"],
)
def test_categories_compact_kernels_and_change_points(spec: Any, values: np.ndarray) -> None:
    np.testing.assert_allclose(spec().gram(LABELS), values, rtol=1e-12, atol=1e-14)


def test_a_sum_over_the_columns_from_gpytorch() -> None:
    base = plain("ScaleKernel", base_kernel=plain("RBFKernel", lengthscale=0.7), outputscale=2.0)
    spec = ks.from_gpytorch(plain("AdditiveStructureKernel", base_kernel=base, num_dims=3))
    lag = X[:, None] - X[None]
    np.testing.assert_allclose(spec.gram(X), 2 * np.exp(-(lag**2) / 0.98).sum(axis=-1), rtol=1e-12)
    product = ks.from_gpytorch(plain("ProductStructureKernel", base_kernel=base, num_dims=3))
    np.testing.assert_allclose(product.gram(X), np.prod(2 * np.exp(-(lag**2) / 0.98), axis=-1), rtol=1e-12)
    for order, reason in ((2, r"documented kernel is wendland\(order=2, scale=4"), (3, "orders 0, 1 and 2")):
        with pytest.raises(NoCounterpartError, match=reason):
            ks.from_gpytorch(plain("PiecewisePolynomialKernel", q=order, lengthscale=4.0))


def test_several_change_points_have_no_counterpart() -> None:
    parts = [flow("Constant", variance=1.0)] * 3
    kernel = flow("ChangePoints", kernels=parts, locations=np.array([1.0, 2.0]), steepness=2.0)
    with pytest.raises(NoCounterpartError, match="several change points"):
        ks.from_gpflow(kernel)
