"""Tests of `laws/compositional/neurons.py`."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from scipy.integrate import dblquad

import kernelspec as ks
from kernelspec.errors import PlanError
from kernelspec.kernels.leaves.inner_products import CosineSimilarity, Sphere
from kernelspec.laws.compositional.neurons import NeuronLaw, neuron_moment, neuron_moment_expression, neurons
from kernelspec.laws.rules import law_of, schemes_of
from kernelspec.random.streams import Stream
from kernelspec.samples.amplitudes import Neurons
from kernelspec.samples.frequencies import UnitColumn
from kernelspec.testing.assertions import assert_unbiased
from kernelspec.testing.samples import assert_samples
from tests.laws.texts import kernel_of, law

RHO = np.array([-1.0, -0.999, -0.7, 0.0, 0.3, 0.9, 1.0])


def activation(text: str):
    spec = ks.parse(f"dual({text}, circle())")
    return spec.kernel(spec.columns(1, None)).activation


def plane(squared, rho: float) -> float:
    def integrand(z: float, x: float) -> float:
        return squared(x) * squared(rho * x + np.sqrt(1 - rho**2) * z) * np.exp(-0.5 * (x**2 + z**2)) / (2 * np.pi)

    return dblquad(integrand, -12, 12, -12, 12, epsabs=1e-8, epsrel=1e-8)[0]


@pytest.mark.parametrize("name", ["relu", "step", "sign", "identity"])
def test_closed_forms(name: str) -> None:
    found = neuron_moment(activation(name), RHO)
    exact = [float(neuron_moment_expression(activation(name), sympy.Float(rho))) for rho in RHO]
    np.testing.assert_allclose(found, exact, rtol=1e-9, atol=1e-9)


def test_relu_at_the_ends() -> None:
    # E (√2 u₊)⁴ = 4 · 3/2, and E u²₊(−u)²₊ = 0
    np.testing.assert_allclose(neuron_moment(activation("relu"), np.array([1.0, -1.0])), [6, 0], atol=1e-9)


@pytest.mark.long
@pytest.mark.parametrize(
    ("text", "square"), [("exp(c=0.25)", lambda x: np.exp(x - 0.5)), ("cos(1)", None), ("gelu", None)]
)
def test_smooth_activations_against_the_plane(text: str, square) -> None:
    own = activation(text)
    squared = square if square is not None else lambda x: float(own.evaluate(np.array(x)) ** 2)
    for rho in (-0.6, 0.5):
        assert float(neuron_moment(own, np.array(rho))) == pytest.approx(plane(squared, rho), rel=1e-6)


def test_exp_in_closed_form() -> None:
    # σ² = e^{x − ½} normalised has E σ(U)²σ(V)² = e^{ρ}
    np.testing.assert_allclose(neuron_moment(activation("exp(c=0.25)"), RHO), np.exp(RHO), rtol=1e-9)


RNG = np.random.default_rng(2)
X = RNG.standard_normal((5, 4))
U = X / np.linalg.norm(X, axis=1, keepdims=True)


@pytest.mark.long
@pytest.mark.parametrize("name", ["relu", "step", "sign", "abs", "erf", "cos(1)", "gelu", "activation(x -> x**2 + 1)"])
def test_unbiased_with_the_predicted_variance(name: str) -> None:
    assert_unbiased(f"dual({name}, normalize(linear()))", X, method="neurons", n_features=24, n_maps=250)


@pytest.mark.long
def test_on_some_columns_and_in_compositions() -> None:
    table = np.hstack([X, U])
    for text in (
        "dual(relu, sphere()[4:8])",
        "dual(relu, sphere())[4:8] * gaussian(scale=3)",
        "dual(exp(c=0.1), dual(step, sphere()[4:8]))",
    ):
        assert_samples(text, table, methods=["neurons"], n=4000)


def test_auto_takes_neurons_where_the_variance_of_monomials_is_infinite() -> None:
    fmap = ks.compile("dual(relu, sphere())", dim=4, n_features=64, data=U)
    assert fmap.method == "curved_neurons"
    assert fmap.n_columns == 64
    assert "infinite" in fmap.explain()
    plain = ks.compile("dual(relu, sphere())", dim=4, n_features=64, data=U, method="paired")
    assert "predicted standard error of an inner product: infinite" in plain.explain()
    assert np.isinf(plain.predicted_variance(U)).all(axis=None) or np.isinf(np.diag(plain.predicted_variance(U))).any()


def test_where_there_are_none() -> None:
    for text in ("dual(relu, gaussian())", "dual(relu, mean(sphere(), gaussian()))", "dual(exp, linear())"):
        spec = ks.parse(text)
        kernel = kernel_of(text, 4)
        assert neurons(kernel) is None
        assert "neurons" not in schemes_of(kernel)
        with pytest.raises(PlanError, match="no part of this kernel has the method 'neurons'"):
            ks.compile(spec, dim=4, method="neurons")


def test_columns_below_selections() -> None:
    kernel = kernel_of("dual(relu, (sphere()[2, 0])[3, 1, 2])", 4)
    found = neurons(kernel)
    assert found is not None
    assert found.positions == (2, 3)
    assert isinstance(found.below, Sphere)
    assert law_of(kernel, "neurons") == found


def test_draws_do_not_depend_on_how_many_follow() -> None:
    own = law("dual(relu, sphere())", 2, "neurons")
    few, many = (own.draw(Stream(3), n, (0, 1))[0].amplitudes[0] for n in (4, 9))
    assert isinstance(few, Neurons)
    assert isinstance(many, Neurons)
    assert np.array_equal(few.weights, many.weights[:4])
    assert (own.has_phasor, own.has_key, own.has_amplitude) == (False, False, True)


def test_unit_rows_are_read_where_the_kernel_divides_by_the_norm() -> None:
    unit = law("dual(relu, normalize(linear()))", 2, "neurons")
    assert isinstance(unit, NeuronLaw)
    assert isinstance(unit.below, CosineSimilarity)
    assert unit.lines((0, 1)) == ["neurons relu with normal weights on columns 0, 1, divided by the norm of the row"]
    (factor,) = unit.draw(Stream(3), 4, (3, 1))[0].amplitudes
    assert isinstance(factor, Neurons)
    assert factor.reads == (UnitColumn(3, (3, 1)), UnitColumn(1, (3, 1)))
