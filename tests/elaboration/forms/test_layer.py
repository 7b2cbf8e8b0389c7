"""layer(activation, k1, k2, …): the dual over the average."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.errors import ArgumentError, RangeError

X = np.random.default_rng(0).standard_normal((4, 3))


def test_is_the_dual_of_the_mean() -> None:
    for parts in ("gaussian()", "gaussian(), match()[0], circle()[1]", "gaussian(), gaussian(), laplace()"):
        layer, dual = f"layer(relu, {parts})", f"dual(relu, mean({parts}))"
        np.testing.assert_allclose(ks.parse(layer).gram(X), ks.parse(dual).gram(X), rtol=1e-14)
    cut = ks.parse("layer(relu, gaussian(), max_degree=4)")
    assert cut.kernel(cut.columns(3, None)).max_degree == 4  # type: ignore[attr-defined]


def test_layers_nest() -> None:
    text = "layer(relu, layer(exp(c=1/4), circle()[0], circle()[1]), layer(exp(c=1/4), circle()[1], circle()[2]))"
    means = [
        np.exp(
            0.25 * ((np.cos(np.subtract.outer(X[:, i], X[:, i])) + np.cos(np.subtract.outer(X[:, j], X[:, j]))) / 2 - 1)
        )
        for i, j in ((0, 1), (1, 2))
    ]
    angle = np.arccos(np.clip(sum(means) / 2, -1, 1))
    np.testing.assert_allclose(
        ks.parse(text).gram(X), (np.sin(angle) + (np.pi - angle) * np.cos(angle)) / np.pi, atol=1e-8
    )


def test_messages() -> None:
    with pytest.raises(ArgumentError, match=r"layer\(\) takes an activation and one or more kernels"):
        ks.parse("layer(relu)")
    with pytest.raises(ArgumentError, match=r"layer\(\) has no argument 'max_degre'; did you mean 'max_degree'"):
        ks.parse("layer(relu, gaussian(), max_degre=3)")
    with pytest.raises(RangeError, match=r"layer\(relu, …\) is a power series that converges up to 1"):
        ks.parse("layer(relu, 3 * gaussian(), gaussian())")
