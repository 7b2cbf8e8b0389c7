"""Specs of GPyTorch's kernels, held against its formulas; stand-ins have the names and attributes of version 1.13.

The formulas are those of the forward methods in gpytorch/kernels of GPyTorch 1.13 (MIT), stated once more in NumPy.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.errors import NoCounterpartError

GENERATOR = np.random.default_rng(3)
X, Y = GENERATOR.standard_normal((6, 2)), GENERATOR.standard_normal((5, 2))
LAG = X[:, None] - Y[None]


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
    (
        like("RQKernel", lengthscale=[[1.5]], alpha=[0.75]),
        (1 + squares(1.5) / (2 * 0.75)) ** -0.75,
    ),
    (
        like("PeriodicKernel", period_length=[[1.25]], lengthscale=[[0.5]]),
        np.exp(-2 * (np.sin(np.pi * LAG / 1.25) ** 2 / 0.5).sum(axis=-1)),
    ),
    (
        like("PeriodicKernel", period_length=[[1.25, 2.0]], lengthscale=[ARD.tolist()]),
        np.exp(-2 * (np.sin(np.pi * LAG / [1.25, 2.0]) ** 2 / ARD).sum(axis=-1)),
    ),
    (like("LinearKernel", variance=[[0.5]]), 0.5 * X @ Y.T),
    (like("LinearKernel", variance=[ARD.tolist()]), (ARD * X) @ Y.T),
    (like("PolynomialKernel", power=3, offset=[0.5]), (X @ Y.T + 0.5) ** 3),
    (like("ConstantKernel", constant=[1.5]), np.full((6, 5), 1.5)),
    (
        like("SpectralMixtureKernel", mixture_weights=WEIGHTS, mixture_means=MEANS, mixture_scales=SCALES),
        mixture(0) * mixture(1),
    ),
    (like("ScaleKernel", base_kernel=RBF, outputscale=2.5), 2.5 * np.exp(-squares(0.7) / 2)),
]


@pytest.mark.parametrize(("kernel", "values"), CASES, ids=lambda value: type(value).__name__)
def test_values(kernel: Any, values: np.ndarray) -> None:
    spec = ks.from_gpytorch(kernel)
    np.testing.assert_allclose(spec.gram(X, Y), values, rtol=1e-11, atol=1e-14)
    np.testing.assert_array_equal(ks.parse(str(spec)).gram(X), spec.gram(X))


def test_sums_and_products() -> None:
    parts = [like("LinearKernel", variance=[[1.0]]), RBF, like("ConstantKernel", constant=[2.0])]
    linear, gaussian = X @ Y.T, np.exp(-squares(0.7) / 2)
    added = ks.from_gpytorch(like("AdditiveKernel", kernels=tuple(parts)))
    np.testing.assert_allclose(added.gram(X, Y), linear + gaussian + 2, rtol=1e-11)
    multiplied = ks.from_gpytorch(like("ProductKernel", kernels=tuple(parts)))
    np.testing.assert_allclose(multiplied.gram(X, Y), 2 * linear * gaussian, rtol=1e-11)


def test_columns() -> None:
    # ScaleKernel takes over the active_dims of its base, and calls forward() of it: the choice is made once
    base = like("RBFKernel", lengthscale=[[1.0]], active_dims=Tensor([1]))
    scaled = ks.from_gpytorch(like("ScaleKernel", base_kernel=base, outputscale=2.0, active_dims=Tensor([1])))
    np.testing.assert_allclose(scaled.gram(X, Y), 2 * np.exp(-(LAG[..., 1] ** 2) / 2), rtol=1e-11)
    assert str(scaled) == "(2*gaussian(scale=1))[1]"
    cosine = like("CosineKernel", period_length=[[2.0]], active_dims=Tensor([0]))
    np.testing.assert_allclose(ks.from_gpytorch(cosine).gram(X, Y), np.cos(np.pi * LAG[..., 0] / 2), atol=1e-14)


def test_a_periodic_kernel_of_a_norm() -> None:
    periodic = like("PeriodicKernel", period_length=[[1.25]], lengthscale=[[0.5]])
    for norm in ("l1", "l2"):
        with pytest.raises(NoCounterpartError, match=r"not positive definite on two columns or more.*say dim=1"):
            ks.from_gpytorch(periodic, norm=norm)
        line = ks.from_gpytorch(periodic, norm=norm, dim=1)
        expected = np.exp(-2 * np.sin(np.pi * LAG[..., 0] / 1.25) ** 2 / 0.5)
        np.testing.assert_allclose(line.gram(X[:, :1], Y[:, :1]), expected, rtol=1e-11)


@pytest.mark.parametrize(
    ("kernel", "norm", "reason"),
    [
        (like("CosineKernel", period_length=[[2.0]]), None, r"cos\(π r/p\) of the norm"),
        (like("MaternKernel", nu=1.5, lengthscale=[[1.0]]), "l1", "not positive definite on two columns or more"),
        (like("RBFKernel", lengthscale=[[[1.0]], [[2.0]]]), None, "it is a batch of kernels"),
        (like("RBFKernel", lengthscale=[[np.nan]]), None, "its lengthscale is not finite"),
        (like("RQKernel", lengthscale=[[1.0]], alpha=[1.0, 2.0]), None, "its alpha has 2 numbers"),
        (
            like("SpectralMixtureKernel", mixture_weights=[WEIGHTS], mixture_means=[MEANS], mixture_scales=[SCALES]),
            None,
            "it is a batch of kernels",
        ),
        (like("ArcKernel"), None, "ArcKernel has no counterpart: from_gpytorch knows AdditiveKernel"),
        (like("ScaleKernel", base_kernel=like("IndexKernel"), outputscale=1.0), None, "IndexKernel has no counterpart"),
    ],
)
def test_what_has_no_counterpart(kernel: Any, norm: Any, reason: str) -> None:
    with pytest.raises(NoCounterpartError, match=reason):
        ks.from_gpytorch(kernel, norm=norm)
