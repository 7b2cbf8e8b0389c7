"""Random neurons."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import kernelspec as ks
from kernelspec.activations.activation import load_activation
from kernelspec.samples.amplitudes import Neurons
from kernelspec.tables.rows import Rows

X = np.random.default_rng(0).standard_normal((300, 4))
RELU = load_activation("relu")()


def test_values_are_the_activation_of_the_linear_forms() -> None:
    weights = np.random.default_rng(1).standard_normal((600, 2))
    found = Neurons(RELU, (1, 3), weights).values(Rows(X), "left")
    np.testing.assert_allclose(found, np.sqrt(2) * np.maximum(X[:, [1, 3]] @ weights.T, 0), rtol=1e-12, atol=1e-12)
    sparse = Neurons(RELU, (1, 3), weights).values(Rows(sp.csr_array(X)), "left")
    np.testing.assert_allclose(sparse, found, rtol=1e-12, atol=1e-12)


def test_bits_do_not_depend_on_the_batch() -> None:
    fmap = ks.compile("dual(relu, normalize(linear()))", dim=4, n_features=40, method="neurons")
    whole = fmap.transform(X)
    assert np.array_equal(whole[17:18], fmap.transform(X[17:18]))
    assert np.array_equal(whole[100:], fmap.transform(X[100:]))


@pytest.mark.slow
def test_round_trip(tmp_path) -> None:
    for text in (
        "dual(leaky_relu(0.1), normalize(linear()))",
        "dual(activation(x -> x**2 + x / 3), normalize(linear()))",
    ):
        fmap = ks.compile(text, dim=4, n_features=20, method="neurons")
        fmap.save(tmp_path / "map.npz")
        assert np.array_equal(ks.load_map(tmp_path / "map.npz").transform(X), fmap.transform(X))
