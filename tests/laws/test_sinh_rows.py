"""The sinh kernel with its hyperbolic factor on the rows."""

from __future__ import annotations

import numpy as np

from kernelspec.laws.sinh_rows import SinhRows
from kernelspec.measures.measure_of import measure_of
from kernelspec.notation.pairs import NumericPairs
from tests.kernels.asymmetric import make, rows


def test_value_moments_and_measure() -> None:
    kernel = make("sinh", 3)
    node = kernel.alternatives()["rows"]
    assert isinstance(node, SinhRows)
    pairs = NumericPairs(rows(3), rows(3, seed=8))
    np.testing.assert_allclose(node.value(pairs), kernel.value(pairs), rtol=1e-11)
    factor = 1 + np.sinh(pairs.inner(kernel.by))
    gaussian = kernel.gaussian.moments(pairs)
    np.testing.assert_allclose(node.moments(pairs).a, gaussian.a * factor**2, rtol=1e-11)
    np.testing.assert_allclose(node.moments(pairs).b, gaussian.b * factor**2, rtol=1e-11)
    assert measure_of(node) == measure_of(kernel)
    assert node.diagonal() == 1
    assert not node.verdict().symmetric
