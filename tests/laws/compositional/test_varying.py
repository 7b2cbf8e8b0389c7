"""Compositional kernels with their constant in a term of its own."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.kernels.nodes.one import One
from kernelspec.kernels.nodes.sum import Sum
from kernelspec.laws.compositional.varying import Varying, constant_apart
from kernelspec.notation.pairs import NumericPairs
from kernelspec.tables.rows import Rows
from kernelspec.testing.assertions import assert_unbiased

X = np.random.default_rng(6).uniform(0, 1.5, (5, 16))
X[1] = X[0]
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


def split(text: str) -> tuple[Sum, One, Varying]:
    spec = ks.parse(text)
    found = spec.kernel(spec.columns(16)).alternatives()["varying"]
    assert isinstance(found, Sum)
    one, rest = found.terms
    assert isinstance(one, One)
    assert isinstance(rest, Varying)
    return found, one, rest


@pytest.mark.parametrize("text", KERNELS)
def test_the_sum_is_the_kernel(text: str) -> None:
    found, _, rest = split(text)
    pairs = NumericPairs(Rows(X), Rows(X))
    np.testing.assert_allclose(found.value(pairs), rest.base.value(pairs), rtol=1e-13)
    assert float(found.diagonal()) == pytest.approx(float(rest.base.diagonal()), rel=1e-13)
    assert found.magnitude() == pytest.approx(rest.base.magnitude(), rel=1e-13)
    # a mixture of both terms has the law of the samples of the kernel itself
    whole, mixed = rest.base.moments(pairs), found.moments(pairs)
    for part in ("a", "b", "real"):
        np.testing.assert_allclose(getattr(mixed, part), getattr(whole, part), rtol=1e-12)
    share = KERNELS[text]
    if share is not None:
        assert rest.share == pytest.approx(share, rel=1e-14)


def test_the_share_of_a_skeleton() -> None:
    # relu over e^{ρ − 1}: σ̂(e^{−1})
    rho = np.exp(-1.0)
    expected = (np.sqrt(1 - rho**2) + rho * (np.pi - np.arccos(rho))) / np.pi
    assert split(SMALL.format("relu", "exp(c=1)", ""))[2].share == pytest.approx(expected, rel=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["varying", "auto"])
@pytest.mark.parametrize("text", KERNELS)
def test_mean_and_variance(text: str, method: str) -> None:
    assert_unbiased(text, X, method=method, n_features=24, n_maps=150, budget=1e-8)  # type: ignore[arg-type]


@pytest.mark.slow
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
    assert_unbiased(text, np.round(X), method="varying", n_features=24, n_maps=150, budget=1e-8)


@pytest.mark.parametrize("text", KERNELS)
def test_less_variance_for_as_many_samples(text: str) -> None:
    _, _, rest = split(text)
    pairs = NumericPairs(Rows(X), Rows(X))
    whole, apart = (
        np.asarray(kernel.moments(pairs).paired() - kernel.value(pairs) ** 2) for kernel in (rest.base, rest)
    )
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
    spec = ks.parse("dual(exp(c=1), gaussian())")
    kernel = spec.kernel(spec.columns(2))
    assert constant_apart(kernel, 0.0) == {}  # type: ignore[arg-type]
    assert constant_apart(kernel, 0.9999) == {}  # type: ignore[arg-type]
    for text in ("dual(sign, gaussian())", "dual(relu, gaussian(), max_degree=4)", "dual(exp(c=1e-5), gaussian())"):
        spec = ks.parse(text)
        assert "varying" not in spec.kernel(spec.columns(2)).alternatives()


def test_facts_of_what_varies() -> None:
    _, _, rest = split("dual(exp(c=1), gaussian())")
    assert rest.verdict().positive_definite == "proved"
    assert rest.is_stationary
    assert not rest.is_fourier
    assert str(rest) == str(rest.base)
    assert rest.transposed() == rest
