"""E σ(U)²σ(V)²/(E σ²)², against closed forms and integrals over the plane."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from scipy.integrate import dblquad

import kernelspec as ks
from kernelspec.laws.compositional.neurons import neuron_moment, neuron_moment_expression

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
