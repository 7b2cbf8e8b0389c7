"""Compositional kernels with their constant in a term of its own."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.laws.compositional.low_degrees import VaryingLaw, varying
from kernelspec.laws.mixture import MixtureLaw
from kernelspec.laws.product import OneLaw
from kernelspec.laws.rules import schemes_of
from kernelspec.random.streams import Stream
from kernelspec.tables.rows import Rows
from kernelspec.testing.samples import assert_samples
from tests.laws.texts import kernel_of, law

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


def split(text: str) -> tuple[MixtureLaw, OneLaw, VaryingLaw]:
    found = law(text, 16, "varying")
    assert isinstance(found, MixtureLaw)
    one, rest = found.parts
    assert isinstance(one, OneLaw)
    assert isinstance(rest, VaryingLaw)
    return found, one, rest


@pytest.mark.parametrize("text", KERNELS)
def test_the_sum_is_the_kernel(text: str) -> None:
    found, _, rest = split(text)
    pairs = NumericPairs(Rows(X), Rows(X))
    np.testing.assert_allclose(found.value(pairs), rest.base.value(pairs), rtol=1e-13)
    np.testing.assert_allclose(np.diag(found.value(pairs)), float(kernel_of(text, 16).diagonal()), rtol=1e-13)
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


@pytest.mark.long
@pytest.mark.parametrize("method", ["varying", "auto"])
@pytest.mark.parametrize("text", KERNELS)
def test_mean_and_variance(text: str, method: str) -> None:
    assert_samples(text, X, methods=[method], n=4000, budget=1e-8)  # type: ignore[list-item]


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
    assert_samples(text, np.round(X), methods=["varying"], n=4000, budget=1e-8)


@pytest.mark.parametrize("text", KERNELS)
def test_less_variance_for_as_many_samples(text: str) -> None:
    _, _, rest = split(text)
    pairs = NumericPairs(Rows(X), Rows(X))
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
    pairs = NumericPairs(Rows(X), Rows(X))
    assert np.linalg.eigvalsh(np.asarray(rest.value(pairs))).min() > -1e-12
    assert rest.fourier_kernel() is None
    assert all(batch.phasors is not None for batch in rest.draw(Stream(0), 200, tuple(range(16))))
    assert "given that l ≥ 1" in rest.lines(tuple(range(16)))[0]
