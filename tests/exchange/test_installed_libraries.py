"""Kernels of the real libraries, where they are installed, against their specs on random rows, both ways."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import kernelspec as ks

GENERATOR = np.random.default_rng(11)
X, Y = GENERATOR.standard_normal((9, 3)), GENERATOR.standard_normal((7, 3))
LABELS = GENERATOR.integers(0, 4, (9, 1))
TIMES = np.sort(GENERATOR.uniform(0, 10, 12))[:, None]


@pytest.mark.filterwarnings("ignore:.*will be removed in GPyTorch 2.0:DeprecationWarning")
@pytest.mark.filterwarnings("ignore:Sparse invariant checks:UserWarning")
def test_gpytorch() -> None:
    torch, library = pytest.importorskip("torch"), pytest.importorskip("gpytorch").kernels
    three = {"ard_num_dims": 3}
    cases = [
        (library.RBFKernel(**three), {}),
        (library.RBFKernel(ard_num_dims=2, active_dims=(2, 0)), {}),
        (library.ScaleKernel(library.MaternKernel(nu=1.5, active_dims=(1, 2))), {}),
        (library.ScaleKernel(library.RBFKernel(active_dims=(0,)) + library.MaternKernel(), active_dims=(2, 1)), {}),
        (library.MaternKernel(nu=0.5), {}),
        (library.RQKernel(**three), {}),
        (library.LinearKernel(**three), {}),
        (library.PolynomialKernel(power=3), {}),
        (library.ConstantKernel() + library.RBFKernel() * library.PeriodicKernel(**three), {}),
        (library.CosineKernel(active_dims=(1,)), {}),
        (library.PiecewisePolynomialKernel(q=0), {}),
        (library.PiecewisePolynomialKernel(q=1, **three), {}),
        (library.SpectralMixtureKernel(num_mixtures=2, ard_num_dims=3), {}),
        (library.AdditiveStructureKernel(library.ScaleKernel(library.RBFKernel()), num_dims=3), {}),
        (library.ProductStructureKernel(library.MaternKernel(), num_dims=3), {}),
        (library.IndexKernel(num_tasks=4, rank=2), {"rows": LABELS}),
    ]
    for kernel, given in cases:
        kernel.double()
        with torch.no_grad():
            for parameter in kernel.parameters():
                parameter.copy_(torch.as_tensor(0.7 * GENERATOR.standard_normal(parameter.shape)))
            rows = given.get("rows", X)
            values = kernel(torch.as_tensor(rows), torch.as_tensor(given.get("rows", Y))).to_dense().numpy()
        found = ks.from_gpytorch(kernel).gram(rows, given.get("rows", Y))
        np.testing.assert_allclose(found, values, rtol=1e-10, atol=1e-13, err_msg=str(kernel))


def test_gpflow() -> None:
    library = pytest.importorskip("gpflow").kernels
    three = np.ones(3)
    cases = [
        (library.SquaredExponential(lengthscales=np.ones(2), active_dims=[2, 0]), {}),
        (library.RationalQuadratic(lengthscales=three) + library.White(), {}),
        (library.Exponential() * library.Matern12(active_dims=slice(1, 3)) * library.Constant(), {}),
        (library.Matern32(lengthscales=three) + library.Matern52(), {}),
        (library.Cosine(lengthscales=three), {}),
        (library.Linear(variance=three), {}),
        (library.Polynomial(degree=3, variance=three), {}),
        (library.Periodic(library.SquaredExponential(lengthscales=three), period=three), {}),
        (library.Coregion(output_dim=4, rank=2), {"rows": LABELS.astype(float)}),
        (library.ChangePoints([library.Matern12(), library.Constant()], [0.3], steepness=2.0), {"dim": 1}),
    ]
    for kernel, given in cases:
        for parameter in kernel.trainable_parameters:
            parameter.assign(np.exp(0.5 * GENERATOR.standard_normal(parameter.shape)))
        rows, other = (X[:, :1], Y[:, :1]) if "dim" in given else (given.get("rows", X), given.get("rows", Y))
        spec = ks.from_gpflow(kernel)
        for second in (None, other):
            values = kernel(rows, second).numpy()
            np.testing.assert_allclose(spec.gram(rows, second), values, rtol=1e-10, atol=1e-13, err_msg=str(spec))


def test_celerite2() -> None:
    terms: Any = pytest.importorskip("celerite2.terms")
    wave, fall = terms.SHOTerm(S0=1.2, w0=2.0, Q=3.0), terms.RealTerm(a=1.3, c=0.7)
    cases = [
        terms.ComplexTerm(a=1.3, b=0.0, c=0.7, d=2.0),
        terms.ComplexTerm(a=1.3, b=0.3, c=0.7, d=2.0),
        terms.ComplexTerm(a=1.3, b=0.455, c=0.7, d=2.0),
        terms.SHOTerm(sigma=1.2, rho=2.0, Q=0.2),
        terms.SHOTerm(sigma=1.2, rho=2.0, tau=3.0),
        terms.RotationTerm(sigma=1.5, period=3.45, Q0=1.3, dQ=1.05, f=0.5),
        (fall + wave) * terms.RealTerm(a=0.3, c=0.2) + fall,
    ]
    for term in cases:
        found = ks.from_celerite2(term).gram(TIMES)
        np.testing.assert_allclose(found, term.get_value(TIMES - TIMES.T), rtol=1e-10, atol=1e-13)
    # celerite2 approximates a Matérn kernel, with an error of the order of its eps
    found = ks.from_celerite2(terms.Matern32Term(sigma=1.3, rho=2.0, eps=1e-5)).gram(TIMES)
    values = terms.Matern32Term(sigma=1.3, rho=2.0, eps=1e-5).get_value(TIMES - TIMES.T)
    np.testing.assert_allclose(found, values, rtol=1e-8, atol=1e-9)


SEVERAL = [
    "stretch(gaussian(), [1, 2, 3])",
    "2*stretch(matern(nu=5/2), [1, 3])[2, 0] + 0.3*matern(nu=3/2)",
    "matern(nu=1/2, scale=2)*stretch(rational_quadratic(alpha=0.7), [1, 2, 0.5])",
    "3*(laplace(scale=2) + 2*linear()[1])*cauchy()",
    "stretch(periodic(period=2, scale=0.7), [1, 2, 3])",
    "cosine(by=2)[1] + 2*constant()",
    "spectral_mixture([0.5, 0.7], [1, 2], [0.3, 0.4])[0]",
    "0.5*polynomial(3, 0.5) + gaussian()**3 + matern(nu=3/2)**2",
    "additive(2*matern(nu=5/2), order=2)",
]
CODES = "levels([0, 2, 1, 3], [[2, 1, 0, 0], [1, 2, 1, 0], [0, 1, 2, 1], [0, 0, 1, 2]])"


@pytest.mark.filterwarnings("ignore:Sparse invariant checks:UserWarning")
def test_to_gpytorch() -> None:
    torch = pytest.importorskip("torch")
    pytest.importorskip("gpytorch")
    more = ["stretch(wendland(order=1), [4, 5, 6])", "2*triangle(width=4)", "wendland(order=0, scale=4)[0, 1]"]
    for text, rows, other in [*((text, X, Y) for text in SEVERAL + more), (CODES, LABELS, LABELS)]:
        spec = ks.parse(text)
        kernel = ks.to_gpytorch(spec, dim=rows.shape[1])
        for second in (rows, other):
            with torch.no_grad():
                values = kernel(torch.as_tensor(rows), torch.as_tensor(second)).to_dense().numpy()
            np.testing.assert_allclose(values, spec.gram(rows, second), rtol=1e-10, atol=1e-10, err_msg=text)
        assert all(parameter.dtype == torch.float64 for parameter in kernel.parameters())
        np.testing.assert_allclose(ks.from_gpytorch(kernel).gram(rows), spec.gram(rows), rtol=1e-10, atol=1e-12)
    shared = ks.to_gpytorch("matern(nu=3/2)**3", dim=1)
    assert len(list(shared.parameters())) == 1


def test_to_gpflow() -> None:
    pytest.importorskip("gpflow")
    more = [
        "cosine(by=[1, 2, 3])",
        "gaussian() + 0.1*noise()",
        "changepoint(gaussian()[1]*matern(nu=3/2)[1], 2*constant(), on=1, at=-0.5, width=1/3) + 3*gaussian()[0]",
    ]
    for text, rows, other in [*((text, X, Y) for text in SEVERAL + more), (CODES, LABELS.astype(float), LABELS)]:
        spec = ks.parse(text)
        kernel = ks.to_gpflow(spec, dim=rows.shape[1])
        for second in (None, np.asarray(other, dtype=float)):
            expected = spec.gram(rows, second)
            np.testing.assert_allclose(kernel(rows, second).numpy(), expected, rtol=1e-10, atol=1e-13, err_msg=text)
            np.testing.assert_allclose(ks.from_gpflow(kernel).gram(rows, second), expected, rtol=1e-10, atol=1e-12)


def test_to_celerite2() -> None:
    pytest.importorskip("celerite2")
    for text in (
        "2*laplace() + 3*constant()",
        "0.5*matern(nu=3/2, scale=2)",
        *(f"2*sho(frequency=2, quality={quality})" for quality in (0.3, 0.4999999, 0.5, 0.5000001, 3)),
        "cosine(by=-2) - 0.1*exponential(scale=3)*cosine(by=3)",
        "product(t -> exp(-0.3*t)*(cos(2*t) + 0.1*sin(2*t)))",
        "matern(nu=3/2)*cosine(by=3)*sho(frequency=1, quality=4)",
        "(exponential() + cosine(by=2))**2",
        "polya(gamma(shape=2))",
    ):
        spec, term = ks.parse(text), ks.to_celerite2(text)
        expected = spec.gram(TIMES)
        np.testing.assert_allclose(term.get_value(TIMES - TIMES.T), expected, rtol=1e-10, atol=1e-10, err_msg=text)
        # what its solver makes of the coefficients
        vector = GENERATOR.standard_normal((len(TIMES), 1))
        found = term.dot(TIMES[:, 0], np.zeros(len(TIMES)), vector)
        np.testing.assert_allclose(found, expected @ vector, rtol=1e-9, atol=1e-9, err_msg=text)
        np.testing.assert_allclose(ks.from_celerite2(term).gram(TIMES), expected, rtol=1e-10, atol=1e-12)
