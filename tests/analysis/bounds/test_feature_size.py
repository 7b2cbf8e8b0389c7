"""Complexity, norms and the bounds of the paper on compositional kernels."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import scipy.stats
from scipy.sparse import csr_array

import kernelspec as ks
from kernelspec.analysis.bounds import composition_of, concentration, learning_bound, pointwise_error, pointwise_samples
from kernelspec.analysis.norm_bound import norm_bound
from kernelspec.analysis.variances import complexity
from kernelspec.errors import PlanError
from kernelspec.kernels.kernel import Kernel
from kernelspec.laws.rules import law_of
from kernelspec.random.streams import Stream
from kernelspec.tables.rows import Rows

DIFFERENCE = "gaussian() - 0.5 * match()[0]"


def kernel_of(text: str, dim: int = 4) -> Kernel:
    spec = ks.parse(text)
    return spec.kernel(spec.columns(dim, None))


def mean_of_arcsine(q: Fraction, mass: float) -> float:
    """m σ̂′(m)/σ̂(m) = qm/(√(1 − q²m²) arcsin qm)."""
    with mpmath.workdps(40):
        x = mpmath.mpf(mass) * q.numerator / q.denominator
        return float(x / mpmath.sqrt(1 - x**2) / mpmath.asin(x))


def mean_of_relu(mass: float) -> float:
    """m σ̂′(m)/σ̂(m), σ̂′(ρ) = (π − arccos ρ)/π."""
    with mpmath.workdps(40):
        m = mpmath.mpf(mass)
        turn = mpmath.pi - mpmath.acos(m)
        return float(m * turn / (mpmath.sqrt(1 - m**2) + m * turn))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("gaussian()", 1),
        ("dual(relu, gaussian())", 1),  # σ̂′(1) = 1
        ("dual(exp(c=0.25), gaussian())", 0.25),
        ("dual(hermite(3), gaussian() * match()[0])", 6),
        ("full(hermite(3), input=image(1, 2, 2, base=gaussian() * match()))", 6),
        ("dual(relu, dual(exp(c=2), dual(hermite(2), gaussian())))", 4),
        ("layer(hermite(2), dual(exp(c=3), circle()[0]), circle()[1])", 2 * (3 + 1) / 2),
        ("dual(step, gaussian())", math.inf),
        ("dual(exp(c=2), 0.5 * gaussian())", 1),  # degrees are Poisson(c m)
        # m σ̂′(m)/σ̂(m), where nearly all of the law lies at thousands and millions of factors
        ("dual(exp(c=10000), 0.9 * gaussian())", 9000),
        ("dual(exp(c=5000), 0.9 * gaussian())", 4500),
        ("dual(sign, 0.9999999 * gaussian())", mean_of_arcsine(Fraction(1), 0.9999999)),
        ("dual(sign, 0.999999999999 * gaussian())", mean_of_arcsine(Fraction(1), 0.999999999999)),
        ("dual(erf, 1.499999 * gaussian())", mean_of_arcsine(Fraction(2, 3), 1.499999)),
        ("dual(erf, 1.5 * gaussian())", math.inf),
        ("dual(erf(0.7), 0.99/0.49 * gaussian())", math.inf),  # the radius but for its last bit
        ("dual(relu, 0.25 * dual(exp(c=3), gaussian()))", mean_of_relu(0.25) * 3),
        # formulas have the law that is drawn, of finitely many degrees: ¼ + ¼ρ + ½ρ²
        ("dual(activation(x -> x + x**2), 0.5 * gaussian())", (0.5 + 4 * 0.25) / (1 + 0.5 + 2 * 0.25)),
        # with a cut: E l; l ≤ n, of Poisson numbers of mean cm
        ("dual(exp(c=10000), 0.9 * gaussian(), max_degree=9050)", 9000 * scipy.stats.poisson(9000).cdf(9049)),
        ("dual(exp(c=2), 0.5 * gaussian(), max_degree=1)", math.exp(-1)),
        ("(gaussian() + match()[0]) ** 3 * match()[1]", 4),
    ],
)
def test_complexity(text: str, expected: float) -> None:
    assert complexity(kernel_of(text)) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("gaussian()", 1),
        ("circle()[0] * match()[1]", 1),
        ("sphere()", math.sqrt(2)),
        ("sphere()[0]", 1),
        ("sphere() ** 3", 2**1.5),
        ("linear()", math.inf),
        ("4 * gaussian()", 2),
        ("gaussian() - 0.5 * match()[0]", math.sqrt(1.5)),
        ("dual(relu, mean(gaussian(), circle()[0]))", 1),
        ("dual(relu, sphere())", math.inf),
        ("dual(hermite(3), sphere(), max_degree=3)", 2**1.5),
        ("dual(hermite(3), sphere(), max_degree=9000)", 2**1.5),  # the largest degree there is
        ("dual(hermite(2), sphere())", 2),
        ("dual(identity, sphere())", math.sqrt(2)),
        ("dual(polynomial([1, 1, 0, 1]), sphere())", 2**1.5),
        ("dual(hermite(0), linear())", 1),  # a constant
        ("dual(relu, sphere(), max_degree=5)", 4),  # a_5 is zero
        ("dual(relu, sphere(), max_degree=9000)", math.inf),  # 2^4500 is no float
        ("dual(relu, tilt(laplace(), by=0.1))", math.inf),
        ("product(t -> cos(t)**3)", math.inf),
        ("full(relu, input=image(2, 2, 1))", 1),
        ("dual(exp(c=1), 2 * gaussian())", math.sqrt(math.e)),
    ],
)
def test_norm(text: str, expected: float) -> None:
    assert norm_bound(kernel_of(text)) == pytest.approx(expected, rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("text", ["sphere() ** 2", "dual(relu, mean(gaussian(), circle()[0]))", DIFFERENCE])
def test_features_keep_the_bound_and_reach_it(text: str) -> None:
    x = np.random.default_rng(0).standard_normal((50, 4))
    unit = np.concatenate([np.eye(4), x / np.linalg.norm(x, axis=1, keepdims=True)])
    kernel, rows = kernel_of(text), Rows(unit)
    batches = law_of(kernel).draw(Stream(0), 2000, (0, 1, 2, 3))
    assert sorted(int(i) for batch in batches for i in batch.index) == list(range(2000))
    largest = []
    for batch in batches:  # |e^{iω·x}| = 1, and of keys that agree it is 1
        assert batch.growth is None
        values = [np.abs(factor.values(rows, "left")) for factor in batch.amplitudes]
        largest.append(np.max(np.sqrt(batch.weight) * math.prod(values, start=np.ones((len(unit), 1)))))
    assert max(largest) == pytest.approx(norm_bound(kernel), rel=1e-9)
    assert any(batch.keys for batch in batches) == (text == DIFFERENCE)


@pytest.mark.slow
@pytest.mark.parametrize("text", ["sphere() ** 2", "dual(relu, mean(gaussian(), circle()[0]))", f"({DIFFERENCE}) ** 2"])
def test_columns_of_maps_keep_the_bound(text: str) -> None:
    x = np.random.default_rng(0).standard_normal((50, 4))
    unit = x / np.linalg.norm(x, axis=1, keepdims=True)
    fmap = ks.compile(text, dim=4, n_features=2000, method="complex")
    ((_, n),) = fmap.plan.parts
    largest = np.abs(csr_array(fmap.left(unit)).toarray()).max() * math.sqrt(n)
    assert 0.7 * norm_bound(kernel_of(text)) <= largest <= norm_bound(kernel_of(text)) * (1 + 1e-9)


def test_the_bound_holds_and_inverts() -> None:
    n = pointwise_samples(1.0, 0.1, 0.01)
    assert n == math.ceil(2 * math.log(200) / 0.01)
    assert pointwise_samples(1.0, 0.1, 0.01, phase=True) == math.ceil(8 * math.log(200) / 0.01)
    assert pointwise_samples(math.sqrt(2), 0.1, 0.01) == math.ceil(8 * math.log(200) / 0.01 - 1e-9)
    assert pointwise_error(1.0, n, 0.01) <= 0.1 < pointwise_error(1.0, n - 1, 0.01)
    text = "dual(relu, gaussian())"
    x = np.random.default_rng(1).standard_normal((2, 4))
    errors = [
        abs(
            ks.compile(text, dim=4, n_features=n, method="complex", seed=seed).approximate(x)[0, 1]
            - ks.parse(text).gram(x)[0, 1]
        )
        for seed in range(20)
    ]
    assert max(errors) <= 0.1  # each fails with probability 1 % at most, by a bound that is far from sharp


def test_learning_bound() -> None:
    assert learning_bound(1.0, 800, 100, radius=2.0, lipschitz=3.0) == pytest.approx(6 * (0.1 + 0.1))
    assert learning_bound(2.0, 800, 100, radius=1.0) == pytest.approx(0.4)


def test_refusals() -> None:
    for call in (
        lambda: pointwise_samples(math.inf, 0.1, 0.1),
        lambda: pointwise_samples(1.0, 0, 0.1),
        lambda: pointwise_samples(1.0, 0.1, 1.5),
        lambda: pointwise_error(1.0, 0, 0.1),
        lambda: learning_bound(1.0, 0, 10, radius=1.0),
    ):
        with pytest.raises(PlanError):
            call()


def test_facts() -> None:
    assert ks.analyze("gaussian()", dim=2).composition is None
    assert composition_of(kernel_of("gaussian()")) is None
    facts = ks.analyze("1 * dual(exp(c=1/2), mean(circle()[0], circle()[1]))", dim=2)
    assert "a feature has 0.5 factors in the mean; its norm is at most C = 1" in facts.report()
    assert "2 ln(2/δ)/ε² samples" in facts.report()
    assert "8 with random offsets" in facts.report()
    assert facts.to_dict()["composition"] == {"complexity": 0.5, "norm": 1.0}
    assert "infinite factors" in ks.analyze("dual(step, gaussian())", dim=2).report()


def test_the_bounds_from_the_facts() -> None:
    found = ks.analyze("dual(hermite(2), sphere())", dim=8).composition
    assert found is not None
    assert found.samples(0.1, 0.05) == math.ceil(2 * 4**4 * math.log(40) / 0.01)
    assert found.samples(0.1, 0.05, phase=True) == math.ceil(8 * 4**4 * math.log(40) / 0.01)
    assert found.error(1000, 0.05) == pytest.approx(math.sqrt(2 * 4**4 * math.log(40) / 1000))
    assert found.learning_bound(800, 100, radius=3, lipschitz=2) == pytest.approx(2 * 3 * 4 * (0.1 + 0.1))
    assert (concentration(2), concentration(2, phase=True)) == (32, 128)
