"""Kernels on many pairs: the same values up to rounding, through every view of the pairs."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest

from kernelspec.expressions.pairs import NumericPairs
from kernelspec.numerics.distances import distances
from kernelspec.planning.landmarks import landmarks as compiled_pairs
from kernelspec.planning.landmarks.landmarks import CompiledPairs, OtherRows
from kernelspec.planning.strata import kernel_value, terms_of
from kernelspec.tables.rows import Rows
from tests.laws.texts import kernel_of

TEXTS = [
    "gaussian(scale=2)",
    "laplace(scale=3)[0:2] * cauchy()[2]",
    "stretch(matern(nu=3/2), by=[1, 2, 0.5])",
    "shift(gaussian(), by=0.3) + linear()",
    "dual(relu, normalize(linear()))",
]


@pytest.mark.parametrize("grid", [True, False])
@pytest.mark.parametrize("text", TEXTS)
def test_kernels_have_the_same_values(text: str, grid: bool) -> None:
    kernel = kernel_of(text, 3)
    x, y = (Rows(np.random.default_rng(seed).standard_normal((9, 3))) for seed in (1, 2))
    own, other = CompiledPairs(x, y, grid), NumericPairs(x, y, grid)
    assert isinstance(own.select((0,)), CompiledPairs)
    np.testing.assert_allclose(kernel.value(own), kernel.value(other), rtol=1e-12, atol=1e-15)
    packed = CompiledPairs(x, y, grid, others=OtherRows(y))
    assert np.array_equal(kernel.value(packed), kernel.value(own))


ONE_DISTANCE = ["gaussian() * exponential()", "gaussian() + matern(nu=3/2)", "cauchy() * (exponential() + gaussian())"]


@pytest.mark.parametrize("text", ONE_DISTANCE)
def test_distances_are_computed_once_for_all_nodes(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    strata = [stratum for term in terms_of(kernel_of(text, 3)) for stratum in term.under(None)]
    x, y = (Rows(np.random.default_rng(seed).standard_normal((9, 3))) for seed in (1, 2))
    expected, computed = kernel_value(strata, NumericPairs(x, y)), 0

    def counted(x: np.ndarray, y: np.ndarray, kind: Literal["squared", "absolute"]) -> np.ndarray:
        nonlocal computed
        computed += 1
        return distances(x, y, kind)

    monkeypatch.setattr(compiled_pairs, "distances", counted)
    np.testing.assert_allclose(kernel_value(strata, CompiledPairs(x, y)), expected, rtol=1e-13)
    assert computed == 1
    monkeypatch.setattr(compiled_pairs, "_KEPT", 80)
    np.testing.assert_allclose(kernel_value(strata, CompiledPairs(x, y)), expected, rtol=1e-13)
    assert computed > 2
