"""Gradients of a function of the kernel matrix against its differences, and against the derivatives of the matrix."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

import kernelspec as ks
from kernelspec.elaboration.data_columns import kernel_and_layout
from kernelspec.errors import NoCounterpartError
from kernelspec.exchange.adjoints import gradient, slopes
from kernelspec.exchange.to_sklearn import compiled, hyperparameters_of
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
    "a*gibbs(t -> b + t**2/c)[0]*circle()[b*column(1)] + brownian(until=1000)[a*column(2)**2]",
    "brownian(order=3, until=1000)[exp(b*column(0)) + a] + gibbs(t -> 1 + t**2, typical=a)[0]",
    "gneiting(space=matern(nu=3/2, scale=a)[0, 1], time=2, alpha=b, scale=c)",
    "a*gneiting(space=rational_quadratic(alpha=b, scale=c)[0], time=b*column(2), alpha=1/4, scale=1)[0, 2, 1]",
    "gneiting(space=stretch(gaussian(), [a, b])[0, 1], time=column(2)/c, scale=c)*sho(frequency=a, quality=b/2)[0]",
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
    kernel, numbers, moving, _ = compiled(spec, found, spec.columns(3))
    values = [own.value for own in found]
    layout = kernel_and_layout(spec, spec.columns(3))[1]
    at, mapped, changes = numbers(values), layout.read(rows), []
    if moving is not None:
        mapped, changes = moving.at(values, layout.read(rows, mapped=False), mapped)
    pairs = NumericPairs(mapped, mapped)
    by_parameter = gradient(kernel, pairs, at, adjoint, changes)
    summed = [float((adjoint * slope).sum()) for slope in slopes(kernel, pairs, at, changes)]
    np.testing.assert_allclose(by_parameter, summed, rtol=1e-9, atol=1e-9)
    step, differences = 1e-5, []
    for own in found:
        up, down = (spec.with_params({own.name: own.value + by}).gram(rows) for by in (step, -step))
        differences.append(float(np.vdot(adjoint, up - down)) / (2 * step))
    np.testing.assert_allclose(by_parameter, differences, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("quality", [0.1, 0.49, 0.4999, 0.5, 0.500001, 0.51, 3.0])
def test_an_oscillator_of_any_quality(quality: float) -> None:
    """With 40 digits, the wave's formula has derivatives on both sides of Q = ½, where it is 0/0."""

    def wave(t: float, omega: mpmath.mpf, q: mpmath.mpf) -> mpmath.mpf:
        beta = omega / (2 * q)
        alpha = mpmath.sqrt(mpmath.mpc(omega**2 - beta**2))
        return mpmath.re(mpmath.exp(-beta * t) * (mpmath.cos(alpha * t) + beta / alpha * mpmath.sin(alpha * t)))

    lags, start = [0.0, 0.3, 2.5, 30.0, 2000.0], [1.7, quality]
    spec = ks.parse(f"param w = 1.7\nparam q = {quality!r}\nsho(frequency=w, quality=q)")
    _, found = ks.to_sklearn(spec)(np.array(lags)[:, None], eval_gradient=True)
    with mpmath.workdps(40):
        step, own = mpmath.mpf(10) ** -12, [value + mpmath.mpf(10) ** -25 for value in start]
        for i, t in enumerate(lags):
            for j in range(2):
                ends = [[value + (k == j) * by for k, value in enumerate(own)] for by in (step, -step)]
                difference = (wave(t, *ends[0]) - wave(t, *ends[1])) / (2 * step) * own[j]
                assert abs(difference - found[0, i, j]) < 1e-11


def test_a_kernel_without_a_rule_is_refused() -> None:
    spec = ks.parse("param a = 1\nstretch(minmax(), a)")
    found = hyperparameters_of(spec, {})
    kernel, numbers, _, _ = compiled(spec, found, spec.columns(2))
    rows = Rows(np.ones((4, 2)))
    with pytest.raises(NoCounterpartError, match="has no known derivative"):
        gradient(kernel, NumericPairs(rows, rows), numbers([1.0]), np.ones((4, 4)))
