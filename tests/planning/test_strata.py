"""The additive spine: terms found through sums, selections and stretches, and nowhere else."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.notation.pairs import NumericPairs
from kernelspec.planning.strata import Stratum, strata
from kernelspec.tables.rows import Rows

X = np.random.default_rng(0).integers(-2, 3, (7, 3)).astype(float)


def spine(text: str) -> list[Stratum]:
    spec = ks.parse(text)
    return strata(spec.kernel(spec.columns(3)))


@pytest.mark.parametrize(
    ("text", "weights"),
    [
        ("gaussian()", [1]),
        ("3 * gaussian()", [3]),
        ("0.5 * gaussian() - 2 * laplace()", [0.5, -2]),
        ("2 * (gaussian() + 3 * (laplace() + cauchy()))", [2, 6, 6]),
        ("mean(gaussian(), laplace(), match(), cauchy())", [0.25] * 4),
        ("(gaussian() + laplace())[0, 1] + match()[2]", [1, 1, 1]),
        ("stretch(gaussian() + 2 * laplace(), [1, 2, 3])", [1, 2]),
        ("stretch((gaussian() - 2 * laplace())[0], 2)", [1, -2]),
        ("stretch(stretch(gaussian() - 2 * laplace(), 2), 3)", [1, -2]),
        ("(2 * (gaussian() + laplace())[1])[2, 1] * 3", [6, 6]),
        ("normalize(gaussian() + 3 * laplace())", [0.25, 0.75]),
        ("(gaussian() + laplace()) * match()", [1]),
        ("(gaussian() + laplace()) ** 2", [1]),
        ("gaussian() - gaussian()", []),
        ("(gaussian() - gaussian())[0] * match()", []),
    ],
)
def test_weights_of_the_terms(text: str, weights: list[float]) -> None:
    found = spine(text)
    assert [stratum.weight for stratum in found] == pytest.approx(weights, rel=1e-14)
    pairs = NumericPairs(Rows(X), Rows(X))
    total = sum((s.weight * np.asarray(s.value(pairs)) for s in found), start=np.zeros((7, 7)))
    assert np.abs(total - ks.parse(text).gram(X)).max() <= 1e-13


def test_positions_are_those_of_the_table() -> None:
    assert [s.positions for s in spine("(gaussian()[1] + laplace())[2, 0] + match()")] == [(0,), (2, 0), (0, 1, 2)]


def test_moments_are_without_the_weight() -> None:
    (stratum,) = spine("3 * match()[1]")
    pairs = NumericPairs(Rows(X), Rows(X))
    assert np.array_equal(stratum.moments(pairs).a, X[:, None, 1] == X[None, :, 1])
    assert stratum.sampler().has_key


def test_the_mean_of_samples_that_are_cut() -> None:
    pairs = NumericPairs(Rows(X), Rows(X))
    first, second = spine("dual(identity, gaussian(), max_degree=0) + laplace()[1]")
    assert np.array_equal(first.mean_value(pairs), np.zeros((7, 7)))
    assert second.mean is second.kernel
    assert np.array_equal(second.mean_value(pairs), second.value(pairs))
