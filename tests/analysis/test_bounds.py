"""Tests of `analysis/bounds.py`."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import scipy.stats
from scipy.sparse import csr_array

import kernelspec as ks
from kernelspec.analysis.bounds import (
    ComplexGuarantee,
    JordanMoments,
    PositiveGuarantee,
    complex_bound,
    complex_bound_error,
    composition_of,
    concentration,
    guarantee_of,
    learning_bound,
    least_error,
    pointwise_error,
    pointwise_samples,
    uniform_bound,
)
from kernelspec.analysis.norm_bound import norm_bound
from kernelspec.analysis.variances import complexity
from kernelspec.elaboration.scope import Columns
from kernelspec.errors import DimensionError, NotStationaryError, PlanError
from kernelspec.kernels.kernel import Kernel
from kernelspec.laws.rules import law_of
from kernelspec.measures.masses import Masses
from kernelspec.random.streams import Stream
from kernelspec.tables.rows import Rows
from tests.thoroughness import sweep

MASSES = Masses(1.2, 0.2, 0.5, 0.5, 1.5)
MOMENTS = JordanMoments(2.0, 3.0, 4.0)


def test_the_formula() -> None:
    d, eps, delta, diameter = 3, 0.2, 0.01, 5.0
    beta = ((d / 2) ** (-d / (d + 2)) + (d / 2) ** (2 / (d + 2))) * 2 ** ((6 * d + 2) / (d + 2))
    alpha = math.sqrt((1.2**2 + 0.2**2 + 2 * 0.5**2) * (2 + 3 + 2 * 4))
    size = 1.2 + 0.2 + 2 * 0.5
    bracket = math.log(beta / delta) + 2 * d / (d + 2) * math.log(alpha * diameter / eps)
    found = complex_bound(eps, delta, diameter, dim=d, masses=MASSES, moments=MOMENTS)
    assert found.samples == math.ceil(4 * (d + 2) * size**2 / eps**2 * bracket)
    assert found.columns == 6 * found.samples


@pytest.mark.parametrize("n", [10, 1000, 10**6])
def test_the_inverse(n: int) -> None:
    error = complex_bound_error(n, 0.05, 4.0, dim=2, masses=MASSES, moments=MOMENTS)
    assert complex_bound(error * (1 + 1e-9), 0.05, 4.0, dim=2, masses=MASSES, moments=MOMENTS).samples <= n
    assert complex_bound(error * (1 - 1e-6), 0.05, 4.0, dim=2, masses=MASSES, moments=MOMENTS).samples > n


def test_refusals() -> None:
    with pytest.raises(PlanError, match="0 < delta < 1"):
        complex_bound(0.1, 1.0, 1.0, dim=1, masses=MASSES, moments=MOMENTS)
    with pytest.raises(PlanError, match="n of at least 1"):
        complex_bound_error(0, 0.1, 1.0, dim=1, masses=MASSES, moments=MOMENTS)
    with pytest.raises(PlanError, match="infinite"):
        complex_bound(0.1, 0.1, 1.0, dim=1, masses=MASSES, moments=JordanMoments(1.0, math.inf, 0.0))


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
    sweep(
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
        costly=["product(t -> cos(t)**3)"],
    ),
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


def test_refusals_feature_size() -> None:
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


def never() -> Masses:
    raise AssertionError("the masses are not needed")


def test_what_a_positive_definite_kernel_brings() -> None:
    """k(0) = 5 and E‖ω‖² = d/σ² = 3/4."""
    kernel = ks.parse("5*gaussian(scale=2)").kernel(Columns(3))
    found = guarantee_of(lambda: kernel, never, 3, positive_definite=True)
    assert found == PositiveGuarantee(3, 5.0, pytest.approx(0.75))


def test_what_any_other_kernel_brings() -> None:
    kernel, masses = ks.parse("sinh_gaussian(by=0.5)").kernel(Columns(2)), Masses(1, 0, 0.25, 0.25, 1.5)
    found = guarantee_of(lambda: kernel, lambda: masses, 2, positive_definite=False)
    assert isinstance(found, ComplexGuarantee)
    assert (found.dim, found.masses) == (2, masses)
    assert found.moments.real_positive == pytest.approx(2)  # the real part is the Gaussian N(0, I)


def test_through_the_facts() -> None:
    facts = ks.analyze("shift_gaussian(scale=2, by=0.5)", dim=3)
    bound = facts.bound(0.1, 0.05, 4)
    assert bound.columns == 6 * bound.samples
    assert facts.bound_error(bound.samples, 0.05, 4) == pytest.approx(0.1, rel=1e-3)
    definite = ks.analyze("gaussian()", dim=3)
    assert definite.bound_error(definite.bound(0.1, 0.05, 4).samples, 0.05, 4) == pytest.approx(0.1, rel=1e-3)
    with pytest.raises(PlanError, match="infinite"):
        ks.analyze("2*gaussian() - laplace()", dim=1).bound(0.1, 0.05, 4)
    with pytest.raises(PlanError, match="no uniform bound"):
        ks.analyze("gaussian() - match()", dim=1).bound(0.1, 0.05, 4)


def test_where_the_bound_does_not_apply() -> None:
    with pytest.raises(PlanError, match="second moment of the spectral measure is infinite"):
        ks.analyze("laplace()", dim=2).bound(0.1, 0.1, 1)
    with pytest.raises(PlanError, match="no spectral measure"):
        ks.analyze("2*gaussian() - match()", dim=2).bound(0.1, 0.1, 1)
    with pytest.raises(NotStationaryError, match="inner product"):
        ks.analyze("linear()", dim=2).bound(0.1, 0.1, 1)


@pytest.mark.parametrize("text", ["gaussian()", "dual(relu, gaussian())", "2*gaussian() - laplace()"])
def test_without_a_number_of_columns(text: str) -> None:
    for call in (lambda facts: facts.bound(0.1, 0.1, 1), lambda facts: facts.bound_error(100, 0.1, 1)):
        with pytest.raises(DimensionError, match="number of columns"):
            call(ks.analyze(text))


def test_a_dual_has_the_bound_of_its_second_moment() -> None:
    """E‖ω‖² = E l · d for the dual of an activation with the mean degree E l."""
    dual, wide = ks.analyze("dual(relu, gaussian())", dim=2), ks.analyze("gaussian()", dim=2)
    degree = float(dual.second_moment / wide.second_moment)
    assert degree == pytest.approx(1, rel=1e-12)  # ½(1 + 1) of relu: E σ′² = E σ²
    assert dual.bound(0.1, 0.1, 1).samples == wide.bound(0.1, 0.1, 1).samples


@pytest.mark.parametrize("text", ["gaussian() - 0.5*dual(relu, gaussian())"])
def test_compositional_kernels_have_another_bound(text: str) -> None:
    facts = ks.analyze(text, dim=2)
    for call in (lambda: facts.bound(0.1, 0.1, 1), lambda: facts.bound_error(100, 0.1, 1)):
        with pytest.raises(PlanError, match=r"facts\.composition\.samples\(eps, delta\)"):
            call()
    assert facts.composition is not None
    assert facts.composition.samples(0.1, 0.1) > 0


@pytest.mark.slow
@pytest.mark.parametrize("text", ["shift(matern(3/2), by=1)*matern(5/2)", "shift(matern(3/2)*matern(5/2), by=1)"])
def test_shifted_products_of_matern_kernels_have_a_bound_in_seconds(text: str) -> None:
    bound = ks.analyze(text, dim=1).bound(0.1, 0.1, 1.0)
    assert 10 < bound.samples < 10**6


def test_where_every_value_of_the_density_is_an_integral_there_is_a_reason_and_no_bound() -> None:
    with pytest.raises(PlanError, match="every value of it is an integral"):
        ks.analyze("shift(matern(3/2), by=1)*matern(5/2)", dim=2).bound(0.1, 0.1, 1.0)


def failure(samples: int, eps: float, diameter: float, dim: int, moment: float) -> float:
    """2⁸ (σ_p l / ε)² exp(−D ε² / (4(d + 2)))."""
    return 2**8 * moment * (diameter / eps) ** 2 * math.exp(-samples * eps**2 / (4 * (dim + 2)))


@pytest.mark.parametrize(
    ("eps", "delta", "diameter", "dim"), [(0.1, 0.05, 3, 2), (0.5, 1e-6, 100, 8), (0.02, 0.5, 1, 1)]
)
def test_the_least_that_suffices(eps: float, delta: float, diameter: float, dim: int) -> None:
    bound = ks.analyze("gaussian(scale=2)", dim=dim).bound(eps, delta, diameter)
    assert failure(bound.samples, eps, diameter, dim, dim / 4) <= delta * (1 + 1e-9)
    assert failure(bound.samples - 1, eps, diameter, dim, dim / 4) > delta
    assert bound.columns == 2 * bound.samples


def test_eps_is_in_units_of_the_kernel() -> None:
    one = ks.analyze("gaussian()", dim=2).bound(0.1, 0.1, 1)
    assert ks.analyze("5*gaussian()", dim=2).bound(0.5, 0.1, 1) == one


def test_a_tolerance_that_anything_meets() -> None:
    assert uniform_bound(1e6, 0.5, 1, dim=1, k0=1, second_moment=1).samples == 1


@pytest.mark.parametrize("text", ["cosine(0)", "gaussian() - gaussian()"])
def test_constants_need_one_frequency(text: str) -> None:
    facts = ks.analyze(text, dim=2)
    assert (facts.bound(0.1, 0.1, 1).samples, facts.bound(0.1, 0.1, 1).columns) == (1, 2)


@pytest.mark.parametrize(
    ("eps", "delta", "diameter"),
    [
        (0, 0.1, 1),
        (math.inf, 0.1, 1),
        (math.nan, 0.1, 1),
        (0.1, 0, 1),
        (0.1, 1, 1),
        (0.1, 0.1, 0),
        (0.1, 0.1, math.inf),
    ],
)
def test_arguments_out_of_range(eps: float, delta: float, diameter: float) -> None:
    with pytest.raises(PlanError, match="a bound needs"):
        ks.analyze("gaussian()", dim=2).bound(eps, delta, diameter)


def test_the_least_error_is_where_the_samples_are_used_up() -> None:
    assert least_error(lambda eps: 3 / eps**2, 1200, 0.1, 1) == pytest.approx(0.05, rel=1e-12)
