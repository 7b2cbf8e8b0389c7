"""Specs of GPflow's kernels, held against its formulas; stand-ins have the names and attributes of version 2.9.

The formulas are those of the methods K, K_r and K_d in gpflow/kernels of GPflow 2.9.2 (Apache 2.0), in NumPy.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.errors import NoCounterpartError

GENERATOR = np.random.default_rng(4)
X, Y = GENERATOR.standard_normal((6, 2)), GENERATOR.standard_normal((5, 2))
LAG = X[:, None] - Y[None]
LENGTHS = np.array([0.5, 2.0])


class Parameter:
    """What GPflow has: numbers that leave it through numpy()."""

    def __init__(self, value: Any) -> None:
        self.value = np.asarray(value, dtype=float)

    def numpy(self) -> np.ndarray:
        return self.value


def like(name: str, *, active_dims: Any = slice(None, None, None), **attributes: Any) -> Any:
    """An instance of a class of this name with these attributes; numbers and lists of them become parameters."""
    values = {key: Parameter(value) if _is_number(value) else value for key, value in attributes.items()}
    return type(name, (), {"active_dims": active_dims, **values})()


def _is_number(value: Any) -> bool:
    return isinstance(value, float) or (isinstance(value, list) and isinstance(value[0], float))


def distance(lengths: Any) -> np.ndarray:
    return np.sqrt(np.square(LAG / lengths).sum(axis=-1))


R, S = distance(0.7), distance(LENGTHS)

CASES = [
    (like("SquaredExponential", variance=2.0, lengthscales=0.7), 2 * np.exp(-0.5 * R**2)),
    (like("SquaredExponential", variance=1.0, lengthscales=[0.5, 2.0]), np.exp(-0.5 * S**2)),
    (like("RationalQuadratic", variance=1.5, lengthscales=0.7, alpha=0.4), 1.5 * (1 + 0.5 * R**2 / 0.4) ** -0.4),
    (like("Exponential", variance=1.5, lengthscales=0.7), 1.5 * np.exp(-0.5 * R)),
    (like("Exponential", variance=1.5, lengthscales=[0.5, 2.0]), 1.5 * np.exp(-0.5 * S)),
    (like("Matern12", variance=1.5, lengthscales=0.7), 1.5 * np.exp(-R)),
    (
        like("Matern32", variance=0.5, lengthscales=[0.5, 2.0]),
        0.5 * (1 + np.sqrt(3) * S) * np.exp(-np.sqrt(3) * S),
    ),
    (
        like("Matern52", variance=1.0, lengthscales=0.7),
        (1 + np.sqrt(5) * R + 5 / 3 * R**2) * np.exp(-np.sqrt(5) * R),
    ),
    (like("Cosine", variance=2.0, lengthscales=0.7), 2 * np.cos(2 * np.pi * (LAG / 0.7).sum(axis=-1))),
    (like("Cosine", variance=2.0, lengthscales=[0.5, 2.0]), 2 * np.cos(2 * np.pi * (LAG / LENGTHS).sum(axis=-1))),
    (like("Linear", variance=0.3), 0.3 * X @ Y.T),
    (like("Linear", variance=[0.5, 2.0]), (LENGTHS * X) @ Y.T),
    (like("Polynomial", degree=3.0, variance=0.3, offset=0.8), (0.3 * X @ Y.T + 0.8) ** 3),
    (like("Constant", variance=0.3), np.full((6, 5), 0.3)),
    (
        like("Periodic", base_kernel=like("SquaredExponential", variance=2.0, lengthscales=0.7), period=1.3),
        2 * np.exp(-0.5 * (np.square(np.sin(np.pi * LAG / 1.3) / 0.7)).sum(axis=-1)),
    ),
    (
        like(
            "Periodic",
            base_kernel=like("SquaredExponential", variance=2.0, lengthscales=[0.5, 2.0]),
            period=[1.3, 0.9],
        ),
        2 * np.exp(-0.5 * (np.square(np.sin(np.pi * LAG / [1.3, 0.9]) / LENGTHS)).sum(axis=-1)),
    ),
    (
        like("Matern12", variance=1.0, lengthscales=1.0, active_dims=np.array([1])),
        np.exp(-np.abs(LAG[..., 1])),
    ),
    (
        like("Matern12", variance=1.0, lengthscales=1.0, active_dims=slice(0, 1, None)),
        np.exp(-np.abs(LAG[..., 0])),
    ),
]


@pytest.mark.parametrize(("kernel", "values"), CASES, ids=lambda value: type(value).__name__)
def test_values(kernel: Any, values: np.ndarray) -> None:
    spec = ks.from_gpflow(kernel)
    np.testing.assert_allclose(spec.gram(X, Y), values, rtol=1e-11, atol=1e-13)
    np.testing.assert_array_equal(ks.parse(str(spec)).gram(X), spec.gram(X))


def test_sums_and_products() -> None:
    parts = [like("Linear", variance=1.0), like("SquaredExponential", variance=1.0, lengthscales=0.7)]
    linear, gaussian = X @ Y.T, np.exp(-0.5 * R**2)
    added = ks.from_gpflow(like("Sum", kernels=[*parts, like("White", variance=0.1)]))
    np.testing.assert_allclose(added.gram(X, Y), linear + gaussian, rtol=1e-11)
    np.testing.assert_allclose(added.gram(X), ks.from_gpflow(like("Sum", kernels=parts)).gram(X) + 0.1 * np.eye(6))
    multiplied = ks.from_gpflow(like("Product", kernels=parts))
    np.testing.assert_allclose(multiplied.gram(X, Y), linear * gaussian, rtol=1e-11)


@pytest.mark.parametrize(
    ("kernel", "norm", "reason"),
    [
        (
            like("Periodic", base_kernel=like("Matern32", variance=1.0, lengthscales=1.0), period=1.0),
            None,
            r"over Matern32 it is a function of the sum of \|sin\(πΔ_i/p\)\|/ℓ, an L1 norm",
        ),
        (like("Matern52", variance=1.0, lengthscales=1.0), "l1", "not positive definite on two columns or more"),
        (like("ArcCosine", order=0), None, "ArcCosine has no counterpart: from_gpflow knows Constant"),
        (like("White", variance=1.0, active_dims=slice(1, None)), None, "give them as a list of columns"),
        (like("Matern12", variance=[1.0, 2.0], lengthscales=1.0), None, "its variance has 2 numbers"),
        (like("SquaredExponential", variance=1.0), None, "no attribute 'lengthscales', which its library gives it"),
    ],
)
def test_what_has_no_counterpart(kernel: Any, norm: Any, reason: str) -> None:
    with pytest.raises(NoCounterpartError, match=reason):
        ks.from_gpflow(kernel, norm=norm)


def test_sums_of_absolute_differences() -> None:
    spec = ks.from_gpflow(like("Exponential", variance=1.0, lengthscales=0.7), norm="l1")
    np.testing.assert_allclose(spec.gram(X, Y), np.exp(-0.5 * np.abs(LAG / 0.7).sum(axis=-1)), rtol=1e-12)
