"""The last layer of a skeleton."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.errors import ArgumentError, DimensionError, TypeMismatchError

X = np.random.default_rng(3).uniform(0, 3, size=(3, 12))


def test_is_the_dual_of_the_mean() -> None:
    mean = np.cos(X[:, None] - X[None]).mean(axis=2)
    np.testing.assert_allclose(ks.parse("full(exp(c=2), input=image(2, 3, 2))").gram(X), np.exp(2 * (mean - 1)))
    np.testing.assert_allclose(ks.parse("full(hermite(n=3), image(2, 3, 2))").gram(X), mean**3)


def test_agrees_with_layers_of_kernels() -> None:
    columns = ", ".join(f"circle()[{i}]" for i in range(4))
    one_by_one = ks.parse(f"layer(relu, {columns})").gram(X[:, :4])
    np.testing.assert_allclose(ks.parse("full(relu, input=image(2, 2, 1))").gram(X[:, :4]), one_by_one, rtol=1e-13)


def test_is_a_kernel_like_any_other() -> None:
    left = ks.parse("full(relu, input=image(2, 3, 1))[0:6]").gram(X)
    text = "0.5 * full(relu, input=image(2, 3, 1))[0:6] * gaussian()[6:12] + 0.5 * gaussian()"
    gaussian, rest = (np.exp(-((x[:, None] - x[None]) ** 2).sum(axis=2) / 2) for x in (X, X[:, 6:]))
    np.testing.assert_allclose(ks.parse(text).gram(X), 0.5 * left * rest + 0.5 * gaussian, rtol=1e-12)


@pytest.mark.parametrize("text", ["full()", "full(relu)"])
def test_needs_an_activation_and_an_input(text: str) -> None:
    with pytest.raises(
        ArgumentError, match=r"full\(\) needs the argument '(activation|input)': full\(activation, input\)"
    ):
        ks.parse(text)


def test_is_no_grid_itself() -> None:
    with pytest.raises(TypeMismatchError, match=r"full.* is a kernel already"):
        ks.parse("full(relu, input=full(relu, input=image(2, 3, 2)))")


def test_facts_without_data_need_the_columns() -> None:
    with pytest.raises(DimensionError, match="give dim=12"):
        ks.analyze("full(relu, input=image(2, 3, 2))")


def test_a_spec_with_free_sizes_can_be_checked() -> None:
    spec = ks.parse("param n > 0\nfull(relu, input=conv(relu, size=n, input=image(n, n, 3)))")
    np.testing.assert_allclose(
        spec.with_params({"n": 2}).gram(X),
        ks.parse("full(relu, input=conv(relu, size=2, input=image(2, 2, 3)))").gram(X),
    )
