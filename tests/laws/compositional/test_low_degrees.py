"""Tests of `laws/compositional/low_degrees.py`."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.laws.compositional.low_degrees import VaryingLaw, curved_neurons, low_degrees, varying
from kernelspec.laws.compositional.neurons import low_degrees_of
from kernelspec.laws.rules import schemes_of
from kernelspec.laws.sums_and_products import MixtureLaw, OneLaw
from kernelspec.random.streams import Stream
from kernelspec.tables.rows import Rows
from kernelspec.testing.samples import assert_samples
from tests.laws.texts import kernel_of, law

X = np.random.default_rng(7).standard_normal((6, 4))
UNIT = X / np.linalg.norm(X, axis=1, keepdims=True)
COSINES = UNIT @ UNIT.T
NEURONS = ("relu", "erf(1)", "step", "sign", "exp(c=1/2)", "activation(x -> x**3 + 1)", "activation(x -> x*abs(x) - x)")


@pytest.mark.parametrize("name", NEURONS)
def test_the_low_degrees_of_an_activation(name: str) -> None:
    activation = kernel_of(f"dual({name}, sphere())", 4).activation  # type: ignore[attr-defined]
    constant, slope = low_degrees_of(activation)
    points, weights = np.polynomial.hermite_e.hermegauss(200)
    values = activation.evaluate(points) * weights / np.sqrt(2 * np.pi)
    # Gauss's rule converges slowly where σ has a kink or a jump
    np.testing.assert_allclose([constant, slope], [values.sum(), values @ points], atol=0.02)
    np.testing.assert_allclose([constant**2, slope**2], activation.coefficient(np.arange(2.0)), rtol=1e-12, atol=1e-15)


@pytest.mark.slow
def test_the_second_moment_of_curved_neurons() -> None:
    """Of step: (step √2 − 1/√2 − x/√π)², against a sum over a fine grid of both inputs."""
    rest = law("dual(step, sphere())", 4, "curved_neurons")
    assert isinstance(rest, MixtureLaw)
    pairs = NumericPairs(Rows(UNIT[:2]), Rows(UNIT[:2]))
    rho = COSINES[0, 1]
    grid = (np.arange(-8, 8, 0.004) + 0.002)[:, None]
    u, v = grid, grid.T

    def curved(x: np.ndarray) -> np.ndarray:
        return (np.sqrt(2) * (x > 0) - np.sqrt(0.5) - x / np.sqrt(np.pi)) ** 2

    density = np.exp(-(u**2 - 2 * rho * u * v + v**2) / (2 * (1 - rho**2))) / (2 * np.pi * np.sqrt(1 - rho**2))
    expected = (density * curved(u) * curved(v)).sum() * 0.004**2 / (1 - 0.5 - 1 / np.pi) ** 2
    assert np.asarray(rest.parts[2].moments(pairs).a)[0, 1] == pytest.approx(expected, rel=1e-5)


@pytest.mark.slow
def test_less_error_where_most_is_linear() -> None:
    """Of erf 91 % is linear: for equal columns, a fifth of the error or less."""
    text = "dual(erf(1), normalize(linear()))"
    plain, curved = (ks.compile(text, dim=4, n_features=64, method=name) for name in ("neurons", "curved_neurons"))
    assert curved.predicted_error(X) < plain.predicted_error(X) / 5
    assert curved.transform(X).shape == (6, 64)


def test_what_has_no_linear_part_of_its_own() -> None:
    for text in (
        "dual(relu, gaussian())",
        "dual(exp(c=1), linear(), max_degree=5)",
        "dual(step, match())",
        "dual(hermite(2), sphere())",
        "dual(identity, sphere())",
        "layer(relu, circle()[0], circle()[1])",
    ):
        kernel = kernel_of(text, 4)
        assert low_degrees(kernel) is None
        assert curved_neurons(kernel) is None
        assert not {"low_degrees", "curved_neurons"} & set(schemes_of(kernel))


def test_a_product_keeps_the_dual_whole() -> None:
    assert "low_degrees" not in ks.compile("dual(exp(c=1), linear()) * gaussian()", dim=3, n_features=64).explain()


X_OF_VARYING = np.random.default_rng(6).uniform(0, 1.5, (5, 16))
X_OF_VARYING[1] = X_OF_VARYING[0]
SMALL = "full({}, input=conv({}, size=2, stride=2, input=image(4, 4, 1{})))"

KERNELS = {
    "dual(exp(c=1), gaussian())": np.exp(-1.0),
    "dual(step, circle()[3])": 0.5,
    "dual(relu, 0.5*gaussian() + 0.5*laplace())": 1 / np.pi,
    # Σ a_l m^l with m = 3: a sample is e^{c(m − 1)}, and constant with probability e^{−cm}
    "dual(exp(c=1/2), 2*gaussian(scale=1) - gaussian(scale=2))": np.exp(-1.5),
    SMALL.format("relu", "exp(c=1)", ""): None,
    SMALL.format("step", "relu", ", base=gaussian()"): None,
}


def split(text: str) -> tuple[MixtureLaw, OneLaw, VaryingLaw]:
    found = law(text, 16, "varying")
    assert isinstance(found, MixtureLaw)
    one, rest = found.parts
    assert isinstance(one, OneLaw)
    assert isinstance(rest, VaryingLaw)
    return found, one, rest


def test_the_share_of_a_skeleton() -> None:
    # relu over e^{ρ − 1}: σ̂(e^{−1})
    rho = np.exp(-1.0)
    expected = (np.sqrt(1 - rho**2) + rho * (np.pi - np.arccos(rho))) / np.pi
    assert split(SMALL.format("relu", "exp(c=1)", ""))[2].share == pytest.approx(expected, rel=1e-12)


@pytest.mark.long
@pytest.mark.parametrize(
    "text",
    [
        "0.7*dual(exp(c=1), gaussian()) - 0.3*dual(relu, circle()[1])",
        "stretch(dual(exp(c=1), gaussian()), 2)",
        "full(relu, input=image(2, 2, 1))[3, 2, 1, 0]",
        SMALL.format("relu", "exp(c=1)", ", base=match()"),
    ],
)
def test_through_sums_selections_and_stretches(text: str) -> None:
    assert_samples(text, np.round(X_OF_VARYING), methods=["varying"], n=4000, budget=1e-8)


@pytest.mark.parametrize("text", KERNELS)
def test_less_variance_for_as_many_samples(text: str) -> None:
    _, _, rest = split(text)
    pairs = NumericPairs(Rows(X_OF_VARYING), Rows(X_OF_VARYING))
    whole, apart = (np.asarray(own.moments(pairs).paired() - own.value(pairs) ** 2) for own in (rest.base, rest))
    own = (1 - rest.share) ** 2 * apart
    assert (own <= whole + 1e-14).all()
    # what is left out is the variance of the choice between both: q(1 − q)(difference of their means)²
    # and that of the constant, which is none; the rest is spread over 1/(1 − q) times the samples
    between = rest.share * (1 - rest.share) * (rest.magnitude() - np.asarray(rest.value(pairs))) ** 2
    np.testing.assert_allclose(own / (1 - rest.share) + between, whole, rtol=1e-9, atol=1e-14)


def test_a_constant_below_a_product_stays_where_it_is() -> None:
    for text in (
        "dual(relu, gaussian()) * laplace()",
        "dual(relu, dual(polynomial([0, 1, 1]), gaussian())) ** 2",
        "shift(dual(relu, gaussian()), 1)",
    ):
        assert "varying" not in ks.compile(text, dim=2, n_features=64).explain()


def test_without_a_share_there_is_nothing_apart() -> None:
    for text in ("dual(sign, gaussian())", "dual(relu, gaussian(), max_degree=4)", "dual(exp(c=1e-5), gaussian())"):
        kernel = kernel_of(text, 2)
        assert varying(kernel) is None
        assert "varying" not in schemes_of(kernel)


def test_what_varies() -> None:
    """(k − q)/(1 − q) of e^{ρ − 1}: positive definite, and no samples of it are constant."""
    _, _, rest = split("dual(exp(c=1), gaussian())")
    pairs = NumericPairs(Rows(X_OF_VARYING), Rows(X_OF_VARYING))
    assert np.linalg.eigvalsh(np.asarray(rest.value(pairs))).min() > -1e-12
    assert rest.fourier_kernel() is None
    assert all(batch.phasors is not None for batch in rest.draw(Stream(0), 200, tuple(range(16))))
    assert "given that l ≥ 1" in rest.lines(tuple(range(16)))[0]
