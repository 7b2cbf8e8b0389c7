"""Dual activations over kernels: value, moments, domain, and the identities of the paper."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sympy

import kernelspec as ks
from kernelspec.errors import NoDensityError, RangeError
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.kernels.nodes.dual import Dual
from kernelspec.laws.rules import law_of
from kernelspec.tables.rows import Rows

RNG = np.random.default_rng(5)
X = RNG.standard_normal((5, 3))
U = X / np.linalg.norm(X, axis=1, keepdims=True)


def kernel_of(text: str, dim: int = 3) -> Dual:
    spec = ks.parse(text)
    kernel = spec.kernel(spec.columns(dim, None))
    assert isinstance(kernel, Dual)
    return kernel


def pairs(x: np.ndarray = X) -> NumericPairs:
    return NumericPairs(Rows(x), Rows(x))


@pytest.mark.parametrize("base", ["gaussian()", "normalize(linear())", "mean(gaussian(), circle()[1])"])
def test_relu_is_the_arc_cosine_kernel(base: str) -> None:
    rho = np.clip(ks.parse(base).gram(X), -1, 1)
    theta = np.arccos(rho)
    expected = (np.sin(theta) + (np.pi - theta) * np.cos(theta)) / np.pi  # Cho and Saul 2009
    np.testing.assert_allclose(ks.parse(f"dual(relu, {base})").gram(X), expected, atol=1e-12)
    assert np.array_equal(np.diag(ks.parse(f"dual(relu, {base})").gram(X)).round(12), np.ones(5))


@pytest.mark.parametrize(("n", "c"), [(1, 0.25), (2, 0.5), (3, 4.0)])
def test_exp_over_circles_is_a_product_of_periodic_kernels(n: int, c: float) -> None:
    # e^{c(mean cos Δ − 1)} = ∏ e^{−2 sin²(Δ/2) c/n}: the Gaussian of the points of the circle, not of the angles
    circles = ", ".join(f"circle()[{i}]" for i in range(n))
    parts = " * ".join(f"periodic(period=2*pi, scale=sqrt({n}/{c}))[{i}]" for i in range(n))
    table = X[:, :n] * 3
    points = np.hstack([np.cos(table), np.sin(table)])
    found = ks.parse(f"dual(exp(c={c}), mean({circles}))").gram(table)
    np.testing.assert_allclose(found, ks.parse(parts).gram(table), rtol=1e-12)
    np.testing.assert_allclose(found, ks.parse(f"gaussian(scale=sqrt({n}/{c}))").gram(points), rtol=1e-12)


@pytest.mark.parametrize("base", ["gaussian()", "gaussian() - 0.4 * gaussian(scale=2)", "match()[0]"])
def test_compositions_of_compositions(base: str) -> None:
    k = ks.parse(base).gram(X)
    twice = ks.parse(f"dual(exp(c=0.7), dual(exp(c=2), {base}))").gram(X)
    np.testing.assert_allclose(twice, np.exp(0.7 * (np.exp(2 * (k - 1)) - 1)), rtol=1e-13)
    power = ks.parse(f"dual(hermite(2), dual(hermite(3), {base}))")
    np.testing.assert_allclose(power.gram(X), k**6, rtol=1e-13, atol=1e-16)
    np.testing.assert_allclose(power.gram(X), ks.parse(f"({base}) ** 6").gram(X), rtol=1e-13, atol=1e-16)
    # σ̂ of exp of mass m is the dual of exp(cm), times e^{c(m − 1)}
    heavier = ks.parse(f"dual(exp(c=0.7), 2.5 * ({base}))").gram(X)
    same = np.exp(0.7 * 1.5) * ks.parse(f"dual(exp(c=1.75), {base})").gram(X)
    np.testing.assert_allclose(heavier, same, rtol=1e-13)


def test_the_expression_has_the_names_of_the_columns_alone() -> None:
    for text in ("dual(activation(x -> max(0, x)), circle())", "dual(activation(z -> z**2), dual(relu, circle()))"):
        kernel = ks.analyze(text, dim=1).kernel
        assert {str(symbol) for symbol in kernel.free_symbols} == {"x", "y"}


def test_what_is_left_out() -> None:
    assert kernel_of("dual(relu, gaussian())").omitted(1.0) == 0
    assert kernel_of("dual(activation(x -> sin(x)), gaussian())").omitted(1.0) == 0
    # e^{0.9 − 2} Σ_{l > 3} 0.9^l/l! for a mass of 0.45
    left = math.exp(-2) * sum(0.9**degree / math.factorial(degree) for degree in range(4, 40))
    assert kernel_of("dual(exp(c=2), 0.45 * gaussian(), max_degree=3)").omitted(0.45) == pytest.approx(left, rel=1e-12)
    # a formula: σ̂ itself is off by as much as is said, at the end of the interval
    sign = kernel_of("dual(activation(x -> x/abs(x)), gaussian())")
    rho = np.array([0.1, 0.9, 0.99999, 1.0])
    off = np.abs(sign.activation.dual(rho) - 2 / np.pi * np.arcsin(rho)).max()
    assert off <= sign.omitted(1.0) < 5 * off


@pytest.mark.parametrize(
    "text",
    [
        "dual(relu, gaussian())",
        "dual(exp(c=2), 0.5 * gaussian() + match()[0])",
        "dual(erf, laplace() - 0.2 * match()[0])",
    ],
)
def test_moments_are_the_series_of_the_degree_law(text: str) -> None:
    kernel = kernel_of(text)
    mass = float(kernel.base.magnitude())
    degrees = np.arange(3000 if mass == 1 else 100)
    a = kernel.activation.coefficient(degrees.astype(float))
    with np.errstate(under="ignore"):
        q = a * mass ** degrees.astype(float)
    total = q.sum()
    below, found = law_of(kernel.base).moments(pairs()), law_of(kernel).moments(pairs())
    # the coefficients of relu decrease like l^(−5/2): 3000 of them leave 1e-5
    with np.errstate(under="ignore", over="ignore"):
        for child, own in ((below.a, found.a), (below.b, found.b), (below.real, found.real)):
            ratio = np.asarray(child, dtype=float)[..., None] / mass
            expected = total * (a * ratio**degrees).sum(axis=-1)
            np.testing.assert_allclose(np.broadcast_to(own, (5, 5)), np.broadcast_to(expected, (5, 5)), atol=3e-5)


def test_infinite_variance_is_infinite_and_never_nan() -> None:
    for text in ("dual(relu, normalize(linear()))", "dual(exp, dual(step, normalize(linear()))) * match()[0]"):
        spec = ks.parse(text)
        kernel = spec.kernel(spec.columns(3, None))
        with np.errstate(invalid="ignore"):
            moments = law_of(kernel).moments(pairs())
        assert np.isinf(np.diag(np.asarray(moments.a))).all()
    variance = ks.compile(text, dim=3, n_features=20, method="paired").predicted_variance(X)
    assert not np.isnan(variance).any()
    assert np.isinf(variance).any()


def test_the_mass_must_lie_within_the_radius_of_convergence() -> None:
    with pytest.raises(RangeError, match=r"converges up to 1, and the mass of this kernel is 2: normalize the kernel"):
        ks.parse("dual(relu, 2 * gaussian())")
    with pytest.raises(RangeError, match=r"the mass of this kernel is 3: divide the kernel by 3"):
        ks.parse("dual(step, 2 * gaussian() - gaussian(scale=2))")
    with pytest.raises(RangeError, match=r"linear\(\) is unbounded: write normalize\(linear\(\)\)"):
        ks.parse("dual(relu, linear() * gaussian())")
    ks.parse("dual(relu, normalize(2 * gaussian()))")
    ks.parse("dual(exp, 2 * gaussian() - gaussian(scale=2))")
    ks.parse("dual(polynomial([0, 1, 0, 1]), linear())")


def test_verdict() -> None:
    facts = ks.analyze("dual(relu, gaussian())", dim=2)
    assert facts.verdict.positive_definite == "proved"
    assert "Schoenberg" in facts.verdict.reasons[-1]
    assert facts.verdict.stationary
    with pytest.raises(NoDensityError, match="constant term"):
        _ = facts.spectral_density
    assert "DiracDelta(omega_1)*DiracDelta(omega_2)/pi" in str(facts.spectral_measure)
    signed = ks.analyze("dual(exp, gaussian(scale=2) - gaussian())", dim=1)
    assert signed.verdict.positive_definite != "proved"
    assert (
        ks.analyze("dual(relu, gaussian()) - 2 * dual(relu, gaussian(scale=2))", dim=1).verdict.positive_definite
        == "disproved"
    )
    assert ks.analyze("dual(exp, shift(gaussian(), 1))", dim=1).verdict.symmetric is False


@pytest.mark.slow
def test_symbolic_kernel_is_the_number() -> None:
    for text in (
        "dual(relu, gaussian())",
        "layer(exp(c=1/2), gaussian(), circle()[0])",
        "dual(abs, normalize(linear()))",
    ):
        facts = ks.analyze(text, dim=2)
        values = {sympy.Symbol(f"{z}_{i + 1}", real=True): X[r, i] for r, z in enumerate("xy") for i in range(2)}
        exact = ks.parse(text).gram(X[:2, :2])[0, 1]
        assert float(facts.kernel.subs(values)) == pytest.approx(exact, rel=1e-10)
        paired = float(facts.variance["paired"].subs(values))
        fmap = ks.compile(text, dim=2, n_features=2, method="paired")
        if math.isfinite(fmap.predicted_variance(X[:2, :2])[0, 1]):
            assert paired == pytest.approx(fmap.predicted_variance(X[:2, :2])[0, 1], rel=1e-9)
