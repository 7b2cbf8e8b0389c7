"""Inner products by their own columns."""

from __future__ import annotations

import numpy as np
from kernelspec.laws.exact_columns import ExactColumns

import kernelspec as ks
from kernelspec.kernels.leaves.linear import Linear
from kernelspec.kernels.leaves.sphere import Sphere
from kernelspec.notation.pairs import NumericPairs
from kernelspec.tables.rows import Rows

X = np.random.default_rng(0).standard_normal((5, 3))


def test_has_no_variance() -> None:
    kernel = ExactColumns(base=Linear(dim=3), dim=3)
    pairs = NumericPairs(Rows(X), Rows(X))
    for moment in vars_of(kernel.moments(pairs)):
        np.testing.assert_allclose(moment, (X @ X.T) ** 2, rtol=1e-12)
    assert not kernel.has_constant_diagonal
    assert ExactColumns(base=Sphere(dim=3), dim=3).diagonal() == 1
    assert str(kernel) == "linear()"


def vars_of(moments) -> list:
    return [moments.a, moments.b, moments.real]


def test_products_have_a_term_for_every_column() -> None:
    text = "linear() * gaussian(scale=3)"
    fmap = ks.compile(text, dim=3, n_features=600, method="exact")
    assert fmap.n_columns == 600
    assert fmap.plan.chosen.counts == (100,)
    random = ks.compile(text, dim=3, n_features=600, method="paired")
    assert fmap.predicted_variance(X).mean() < random.predicted_variance(X).mean()
