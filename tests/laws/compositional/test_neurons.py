"""Random neurons instead of random monomials."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.errors import PlanError
from kernelspec.laws.compositional.neurons import Neurons, directions_below
from kernelspec.testing.assertions import assert_unbiased

RNG = np.random.default_rng(2)
X = RNG.standard_normal((5, 4))
U = X / np.linalg.norm(X, axis=1, keepdims=True)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["relu", "step", "sign", "abs", "erf", "cos(1)", "gelu", "activation(x -> x**2 + 1)"])
def test_unbiased_with_the_predicted_variance(name: str) -> None:
    assert_unbiased(f"dual({name}, normalize(linear()))", X, method="neurons", n_features=24, n_maps=250)


def test_on_some_columns_and_in_compositions() -> None:
    table = np.hstack([X, U])
    for text in (
        "dual(relu, sphere()[4:8])",
        "dual(relu, sphere())[4:8] * gaussian(scale=3)",
        "dual(exp(c=0.1), dual(step, sphere()[4:8]))",
    ):
        assert_unbiased(text, table, method="neurons", n_features=24, n_maps=250)


def test_auto_takes_neurons_where_the_variance_of_monomials_is_infinite() -> None:
    fmap = ks.compile("dual(relu, sphere())", dim=4, n_features=64, data=U)
    assert fmap.method == "neurons"
    assert fmap.n_columns == 64
    assert "infinite" in fmap.explain()
    plain = ks.compile("dual(relu, sphere())", dim=4, n_features=64, data=U, method="paired")
    assert "predicted standard error of an inner product: infinite" in plain.explain()
    assert np.isinf(plain.predicted_variance(U)).all(axis=None) or np.isinf(np.diag(plain.predicted_variance(U))).any()


def test_where_there_are_none() -> None:
    for text in ("dual(relu, gaussian())", "dual(relu, mean(sphere(), gaussian()))", "dual(exp, linear())"):
        spec = ks.parse(text)
        kernel = spec.kernel(spec.columns(4, None))
        assert directions_below(kernel.base) is None
        with pytest.raises(PlanError, match="no part of this kernel has the method 'neurons'"):
            ks.compile(spec, dim=4, method="neurons")


def test_columns_below_selections() -> None:
    spec = ks.parse("dual(relu, (sphere()[2, 0])[3, 1, 2])")
    kernel = spec.kernel(spec.columns(4, None))
    found = directions_below(kernel.base)
    assert found is not None
    assert found[1] == (2, 3)
    assert isinstance(kernel.alternatives()["neurons"], Neurons)
