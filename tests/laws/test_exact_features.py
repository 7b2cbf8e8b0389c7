"""The columns themselves as features."""

from __future__ import annotations

import numpy as np

import kernelspec as ks
from kernelspec.kernels.leaves.binary import Binary
from kernelspec.kernels.leaves.gaussian import Gaussian
from kernelspec.kernels.leaves.linear import Linear
from kernelspec.kernels.leaves.sphere import Sphere
from kernelspec.laws.exact_features import ExactFeaturesLaw, exact
from kernelspec.notation.pairs import NumericPairs
from kernelspec.random.streams import Stream
from kernelspec.tables.rows import Rows

X = np.random.default_rng(0).standard_normal((4, 3))


def test_a_term_for_every_column() -> None:
    law = ExactFeaturesLaw(Linear(dim=2))
    (batch,) = law.draw(Stream(0), 3, (2, 0))
    assert batch.index.tolist() == [0, 0, 1, 1, 2, 2]
    assert law.n_terms == 2
    assert (law.has_phasor, law.has_key, law.has_amplitude) == (False, False, True)
    assert law.lines((2, 0)) == ["all of the columns 2, 0, exactly"]


def test_estimates_are_exact_for_any_seed() -> None:
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    for text, table, expected in (
        ("linear()", X, X @ X.T),
        ("normalize(linear())", X, unit @ unit.T),
        ("sphere()", unit, unit @ unit.T),
    ):
        for seed in range(3):
            fmap = ks.compile(text, dim=3, n_features=7, method="exact", seed=seed)
            np.testing.assert_allclose(fmap.approximate(table), expected, atol=1e-14)


def test_has_no_variance() -> None:
    law = ExactFeaturesLaw(Linear(dim=3))
    pairs = NumericPairs(Rows(X), Rows(X))
    moments = law.moments(pairs)
    for moment in (moments.a, moments.b, moments.real):
        np.testing.assert_allclose(moment, (X @ X.T) ** 2, rtol=1e-12)
    assert np.array_equal(law.value(pairs), Linear(dim=3).value(pairs))
    assert np.abs(law.variance(pairs, 1, "paired")).max() <= 1e-14
    assert law.magnitude() == Linear(dim=3).magnitude()
    assert ExactFeaturesLaw(Sphere(dim=3)).magnitude() == 1


def test_which_kernels_have_it() -> None:
    assert exact(Linear(dim=3)) == ExactFeaturesLaw(Linear(dim=3))
    assert exact(Binary(dim=1)) is None
    assert exact(Gaussian(dim=3)) is None


def test_products_have_a_term_for_every_column() -> None:
    text = "linear() * gaussian(scale=3)"
    fmap = ks.compile(text, dim=3, n_features=600, method="exact")
    assert fmap.n_columns == 600
    assert fmap.plan.chosen.counts == (100,)
    random = ks.compile(text, dim=3, n_features=600, method="paired")
    assert fmap.predicted_variance(X).mean() < random.predicted_variance(X).mean()
