"""Kernels times an exponential of the lag."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.kernels.nodes.tilt import Tilt
from kernelspec.laws.rules import law_of
from kernelspec.notation.pairs import NumericPairs
from tests.kernels.asymmetric import rows


@pytest.mark.parametrize("text", ["laplace(2)", "(gaussian() - 0.5 * laplace())[1]", "gaussian()[0] * cauchy()"])
def test_is_the_kernel_with_scaled_rows(text: str) -> None:
    spec, beta = ks.parse(text), np.array([0.5, -0.25])
    node = Tilt(base=spec.kernel(spec.columns(2)), by=tuple(beta), dim=2)
    x, y = rows(2).dense(), rows(2, seed=9).dense()
    expected = np.exp(x @ beta)[:, None] * spec.gram(x, y) * np.exp(-(y @ beta))
    pairs, turned = NumericPairs(rows(2), rows(2, seed=9)), NumericPairs(rows(2, seed=9), rows(2))
    np.testing.assert_allclose(node.value(pairs), expected, rtol=1e-12)
    np.testing.assert_allclose(np.asarray(node.transposed().value(turned)).T, expected, rtol=1e-12)
    square = np.exp(2 * ((x @ beta)[:, None] - y @ beta))
    base = law_of(node.base).moments(pairs)
    np.testing.assert_allclose(law_of(node).moments(pairs).a, base.a * square, rtol=1e-12)
    np.testing.assert_allclose(law_of(node).moments(pairs).b, base.b * square, rtol=1e-12)
    assert node.diagonal() == node.base.diagonal()


def test_verdict() -> None:
    spec = ks.parse("laplace()")
    node = Tilt(base=spec.kernel(spec.columns(1)), by=(0.5,), dim=1)
    assert (node.verdict().positive_definite, node.verdict().symmetric) == ("disproved", False)
    signed = ks.parse("gaussian() - 2 * laplace()")
    node = Tilt(base=signed.kernel(signed.columns(1)), by=(0.5,), dim=1)
    assert (node.verdict().positive_definite, node.verdict().symmetric) == ("unknown", None)
