"""Base kernels on the columns of an image."""

from __future__ import annotations

import numpy as np
import pytest

from kernelspec.expressions.pairs import NumericPairs
from kernelspec.kernels.leaves.gaussian import Gaussian
from kernelspec.kernels.nodes import skeleton as module
from kernelspec.kernels.nodes.skeleton import Image
from kernelspec.tables.rows import Rows

X, Y = np.random.default_rng(0).normal(size=(2, 5, 12))
IMAGE = Image(2, 3, 2, Gaussian(scale=2.0, dim=1))


@pytest.mark.parametrize("together", [1, 60, 2**17])
def test_sums_over_the_channels(together: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_TOGETHER", together)
    values = np.exp(-((X[:, None] - Y[None]) ** 2) / 8)
    expected = values.reshape(5, 5, 2, 3, 2).sum(axis=4).transpose(2, 3, 0, 1)
    found = IMAGE.sums(NumericPairs(Rows(X), Rows(Y)), IMAGE.base.value)
    np.testing.assert_allclose(found, expected, rtol=1e-13)
    single = IMAGE.sums(NumericPairs(Rows(X), Rows(Y), grid=False), IMAGE.base.value)
    np.testing.assert_allclose(single, np.einsum("hwnn->hwn", expected), rtol=1e-13)


def test_values_that_are_one_number() -> None:
    assert (IMAGE.sums(NumericPairs(Rows(X), Rows(Y)), lambda pairs: 1) == 2).all()


def test_size_and_print() -> None:
    assert IMAGE.n_nodes == 12
    assert str(IMAGE) == "image(2, 3, 2, base=gaussian(scale=2))"
