"""Gradients of a function of the kernel matrix against its differences, and against the derivatives of the matrix."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.errors import NoCounterpartError
from kernelspec.exchange.adjoints import gradient, slopes
from kernelspec.exchange.to_sklearn import compiled_kernel, hyperparameters_of
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.tables.rows import Rows

PARAMETERS = "param a = 1.5\nparam b = 0.7\nparam c = 2\n"

BODIES = [
    "a*gaussian(scale=b)*laplace(scale=a) + b*matern(nu=3/2, scale=c)**2",
    "stretch(gaussian(), [a, b, c]) + 0.5*stretch(laplace(scale=a), [c, b, a])[0, 1, 2] + cosine([a, b, c])",
    "stretch(matern(nu=5/2), [[a, b, 1], [0, b, a]]) + periodic(period=a)[1] + b*constant()",
    "rational_quadratic(alpha=a, scale=b)[2, 0] + stretch(cosine([1, c, 0]), a)",
    "stretch(stretch(exponential(), [a, 2, b]), c) - 0.2*gaussian(scale=a)[0]",
    "a*stretch(radial(r -> 1 - 1.5*min(r, 1) + 0.5*min(r, 1)**3), [2, b, c]) + radial(r -> exp(-a*r)*(1 + a*r))",
    "stretch(product(t -> exp(-a*t**1.5)), [b, c, 1])*radial(r -> max(0, 1 - r/(8*b))**2) + rbf_cosine(gamma=c)",
    "a*(triangle(width=4)[0] + b*gaussian(scale=c)[1])*cauchy(scale=2)",
]


@pytest.mark.slow
@pytest.mark.parametrize("body", BODIES)
def test_gradients_are_those_of_differences(body: str) -> None:
    generator = np.random.default_rng(0)
    rows = generator.standard_normal((30, 3))
    rows[7] = rows[3]  # equal rows
    adjoint = generator.standard_normal((30, 30))
    adjoint += adjoint.T
    spec = ks.parse(PARAMETERS + body)
    found = hyperparameters_of(spec, {})
    kernel, numbers = compiled_kernel(spec, found, spec.columns(3))
    at, pairs = numbers([own.value for own in found]), NumericPairs(Rows(rows), Rows(rows))
    by_parameter = gradient(kernel, pairs, at, adjoint)
    summed = [float((adjoint * slope).sum()) for slope in slopes(kernel, pairs, at)]
    np.testing.assert_allclose(by_parameter, summed, rtol=1e-9, atol=1e-9)
    step, differences = 1e-5, []
    for own in found:
        up, down = (spec.with_params({own.name: own.value + by}).gram(rows) for by in (step, -step))
        differences.append(float(np.vdot(adjoint, up - down)) / (2 * step))
    np.testing.assert_allclose(by_parameter, differences, rtol=1e-6, atol=1e-6)


def test_a_kernel_without_a_rule_is_refused() -> None:
    spec = ks.parse("param a = 1\nstretch(minmax(), a)")
    found = hyperparameters_of(spec, {})
    kernel, numbers = compiled_kernel(spec, found, spec.columns(2))
    rows = Rows(np.ones((4, 2)))
    with pytest.raises(NoCounterpartError, match="has no known derivative"):
        gradient(kernel, NumericPairs(rows, rows), numbers([1.0]), np.ones((4, 4)))
