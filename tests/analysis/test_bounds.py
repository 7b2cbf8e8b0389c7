"""Tests of `analysis/bounds.py`."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import scipy.optimize
import scipy.stats
from scipy.sparse import csr_array

import kernelspec as ks
from kernelspec.analysis.bounds import Composition, composition_of, guarantee_of
from kernelspec.analysis.variances import complexity, norm_bound
from kernelspec.elaboration.scope import Columns
from kernelspec.errors import DimensionError, NotStationaryError, PlanError
from kernelspec.kernels.kernel import Kernel
from kernelspec.measures.jordan import JordanMoments
from kernelspec.measures.masses import Masses
from tests.thoroughness import sweep


def failure(n: int, eps: float, delta: float, diameter: float, dim: int, moment: float, variance: float) -> float:
    """The failure probability of n frequencies over the choice that the argument has left, k(0) = 1.

    P(mean ‖ω‖ > σ + s) ≤ σ²/(n s²) is δ/10; gradients are up to 2σ + s, so that centres in a net of radius r must be
    within ε − r (2σ + s), by Bernstein or Hoeffding.
    """
    sigma = math.sqrt(moment)
    length = 2 * sigma + sigma / math.sqrt(n * delta / 10)

    def of(share: float) -> float:
        radius, left = share * eps / length, (1 - share) * eps
        exponent = n * left**2 / (2 * min(1, variance + 2 * left / 3))
        return math.log(2) + dim * math.log1p(2 * diameter / radius) - exponent

    found = scipy.optimize.minimize_scalar(of, bounds=(1e-6, 0.9), method="bounded", options={"xatol": 1e-10})
    return math.exp(found.fun) + delta / 10


def of_sutherland_and_schneider(
    eps: float, delta: float, diameter: float, dim: int, moment: float, variance: float
) -> float:
    """Pairs by their Proposition 1; with variance 1 and ‖μ‖ = 1 those of He et al., Proposition 6."""
    h, alpha = dim / 2, min(1, variance + eps / 3)
    beta = (h ** (-dim / (dim + 2)) + h ** (2 / (dim + 2))) * 2 ** ((6 * dim + 2) / (dim + 2))
    logarithm = math.log(beta / delta) + 2 * dim / (dim + 2) * math.log(math.sqrt(moment) * diameter / eps)
    return 4 * (dim + 2) * alpha / eps**2 * logarithm


@pytest.mark.parametrize(
    ("eps", "delta", "diameter", "dim"), [(0.1, 0.05, 3, 2), (0.5, 1e-6, 100, 8), (0.02, 0.5, 1, 1), (0.1, 0.01, 4, 20)]
)
def test_the_least_that_suffices(eps: float, delta: float, diameter: float, dim: int) -> None:
    bound, moment = ks.analyze("gaussian(scale=2)", dim=dim).bound(eps, delta, diameter), dim / 4
    variance = (1 - math.exp(-(diameter**2) / 4)) ** 2 / 2
    assert failure(bound.samples, eps, delta, diameter, dim, moment, variance) <= delta * (1 + 1e-9)
    assert failure(round(0.97 * bound.samples), eps, delta, diameter, dim, moment, variance) > delta
    rahimi_and_recht = 4 * (dim + 2) / eps**2 * math.log(256 * moment * (diameter / eps) ** 2 / delta)
    published = of_sutherland_and_schneider(eps, delta, diameter, dim, moment, variance)
    assert bound.samples < min(published, rahimi_and_recht) / 2
    assert bound.columns == 2 * bound.samples


def test_columns_that_are_not_read_do_not_count() -> None:
    """25,827 and 142,048 samples by the bound of Rahimi and Recht with d = 2 and 20."""
    (found,) = {ks.analyze("gaussian()[0]", dim=dim).bound(0.1, 0.05, math.sqrt(20)) for dim in (1, 2, 20)}
    assert found.samples < 1600


def largest_variance(text: str, dim: int, diameter: float) -> float:
    """Of ½ + ½k(2Δ) − k(Δ)² over lags drawn from the ball, and along the axes."""
    draws = np.random.default_rng(5).standard_normal((20_000, dim))
    radius = diameter * np.random.default_rng(6).uniform(size=20_000)
    lags = radius[:, None] * np.concatenate([np.eye(dim)[np.arange(2000) % dim], draws[2000:]])
    lags[2000:] /= np.linalg.norm(draws[2000:], axis=1)[:, None]
    facts = ks.analyze(text, dim=dim)
    once, twice = facts.characteristic_function(lags), facts.characteristic_function(2 * lags)
    return float((0.5 + twice / 2 - once**2).max())


@pytest.mark.parametrize(
    ("text", "dim", "is_known"),
    [
        ("gaussian()", 3, True),
        ("rational_quadratic(alpha=1/2)", 2, True),
        ("cosine(by=2)", 1, True),
        ("gaussian()[1] * sinc()[1]", 3, True),
        ("stretch(matern(nu=3/2), [3, 1/2])", 2, True),
        ("stretch(gaussian(), [[1, 2], [0, 3], [1, 1]])", 2, True),
        ("dual(relu, gaussian())", 2, True),
        ("cauchy()", 2, False),
    ],
)
def test_the_largest_variance_of_a_pair(text: str, dim: int, is_known: bool) -> None:
    facts = ks.analyze(text, dim=dim)
    guarantee = guarantee_of(lambda: facts._numeric, lambda: facts.masses, positive_definite=True)
    found, expected = guarantee.variance(1.5), largest_variance(text, dim, 1.5)
    assert math.isfinite(found) == is_known
    assert expected <= found
    assert not is_known or found == pytest.approx(expected, abs=5e-3)


def test_the_bound_of_an_asymmetric_kernel() -> None:
    """‖μ‖ and α of Proposition 6, with k(0) = 1.2 − 0.2."""
    masses, moments = Masses(1.2, 0.2, 0.5, 0.5, 1.5), (2.0, 3.0, 4.0)
    size = 1.2 + 0.2 + 2 * 0.5
    alpha = math.sqrt((1.2**2 + 0.2**2 + 2 * 0.5**2) * (2 + 3 + 2 * 4))
    kernel = ks.parse("sinh_gaussian(by=0.5)").kernel(Columns(3))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("kernelspec.analysis.bounds.jordan_moments", lambda kernel, masses: JordanMoments(*moments))
        found = guarantee_of(lambda: kernel, lambda: masses, positive_definite=False)
    assert (found.dim, found.parts, found.size, found.spread) == (3, 3, pytest.approx(size), pytest.approx(alpha))
    bound, moment = found.bound(0.2 * size, 0.01, 5.0), (alpha / size) ** 2
    assert failure(bound.samples, 0.2, 0.01, 5.0, 3, moment, 1.0) <= 0.01 * (1 + 1e-9)
    assert bound.samples < of_sutherland_and_schneider(0.2, 0.01, 5.0, 3, moment, 1.0)
    assert bound.columns == 6 * bound.samples


def test_simulated_suprema_keep_the_bound_and_the_estimate() -> None:
    """Of 60 maps on a fine grid none is beyond the bound (each with probability 5 % at most), and about 20 % are beyond
    the quantile of 20 %: 60 × 0.2 ± 5 standard deviations, the estimate's own included, p < 1e-5."""
    facts, x = ks.analyze("gaussian()[0]", dim=2), np.linspace(0, 3, 80)[:, None] * [1, 0]
    bound = facts.bound(0.2, 0.05, 3.0)
    rng = np.random.default_rng(3)

    def largest(n: int) -> float:
        omega = rng.standard_normal(n)
        return float(np.abs(np.cos(np.outer(x[:, 0], omega)).mean(axis=1) - np.exp(-(x[:, 0] ** 2) / 2)).max())

    assert max(largest(bound.samples) for _ in range(60)) < 0.2
    estimate = facts.simulated_error(x, 200, 0.2)
    beyond = sum(largest(200) > estimate.error for _ in range(60))
    assert (estimate.maps, estimate.rows) == (100, 80)
    assert abs(beyond - 12) < 5 * math.sqrt(60 * 0.16 * (1 + 60 / 100))
    with pytest.raises(PlanError, match=r"0\.002"):
        facts.simulated_error(x, 200, 1e-4)
    with pytest.raises(PlanError, match="drawn with signs"):
        ks.analyze("gaussian() - 0.5*gaussian(2)", dim=1).simulated_error(x[:, :1], 10, 0.2)


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
@pytest.mark.parametrize(
    "text", ["sphere() ** 2", "dual(relu, mean(gaussian(), circle()[0]))", "(gaussian() - 0.5 * match()[0]) ** 2"]
)
def test_columns_of_maps_keep_the_bound(text: str) -> None:
    x = np.random.default_rng(0).standard_normal((50, 4))
    unit = x / np.linalg.norm(x, axis=1, keepdims=True)
    fmap = ks.compile(text, dim=4, n_features=2000, method="complex")
    ((_, n),) = fmap.plan.parts
    largest = np.abs(csr_array(fmap.left(unit)).toarray()).max() * math.sqrt(n)
    assert 0.7 * norm_bound(kernel_of(text)) <= largest <= norm_bound(kernel_of(text)) * (1 + 1e-9)


def test_the_bound_holds_and_inverts() -> None:
    n = Composition(1, 1.0).samples(0.1, 0.01)
    assert n == math.ceil(2 * math.log(200) / 0.01)
    assert Composition(1, 1.0).samples(0.1, 0.01, phase=True) == math.ceil(8 * math.log(200) / 0.01)
    assert Composition(1, math.sqrt(2)).samples(0.1, 0.01) == math.ceil(8 * math.log(200) / 0.01 - 1e-9)
    assert Composition(1, 1.0).error(n, 0.01) <= 0.1 < Composition(1, 1.0).error(n - 1, 0.01)
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


def test_refusals_feature_size() -> None:
    for call in (
        lambda: Composition(1, math.inf).samples(0.1, 0.1),
        lambda: Composition(1, 1.0).samples(0, 0.1),
        lambda: Composition(1, 1.0).samples(0.1, 1.5),
        lambda: Composition(1, 1.0).error(0, 0.1),
        lambda: Composition(1, 1.0).learning_bound(0, 10, radius=1.0),
    ):
        with pytest.raises(PlanError):
            call()


@pytest.mark.slow
def test_facts() -> None:
    assert ks.analyze("gaussian()", dim=2).composition is None
    assert composition_of(kernel_of("gaussian()")) is None
    facts = ks.analyze("1 * dual(exp(c=1/2), mean(circle()[0], circle()[1]))", dim=2)
    assert "a feature has 0.5 factors on average; its norm is at most C = 1" in facts.report()
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
    assert (found.concentration(), found.concentration(phase=True)) == (512, 2048)


def test_kernels_without_a_uniform_bound() -> None:
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
    with pytest.raises(DimensionError, match="number of columns"):
        ks.analyze(text).bound(0.1, 0.1, 1)


def test_a_dual_has_the_bound_of_its_second_moment() -> None:
    """E‖ω‖² = E l · d for the dual of an activation with the mean degree E l."""
    dual, wide = ks.analyze("dual(relu, gaussian())", dim=2), ks.analyze("gaussian()", dim=2)
    degree = float(dual.second_moment / wide.second_moment)
    assert degree == pytest.approx(1, rel=1e-12)  # ½(1 + 1) of relu: E σ′² = E σ²
    assert dual.bound(0.1, 0.1, 1e-3) == wide.bound(0.1, 0.1, 1e-3)


@pytest.mark.parametrize("text", ["gaussian() - 0.5*dual(relu, gaussian())"])
def test_compositional_kernels_have_another_bound(text: str) -> None:
    facts = ks.analyze(text, dim=2)
    with pytest.raises(PlanError, match=r"facts\.composition\.samples\(eps, delta\)"):
        facts.bound(0.1, 0.1, 1)
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


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("dual(exp(c=1), gaussian(), max_degree=1)", "is cut at degree 1, so that features may be off by 0.264"),
        ("0.5*dual(activation(x -> max(0, x)), gaussian())", "leaves out .* % of E σ²"),
    ],
)
def test_features_that_are_biased_have_no_bound(text: str, words: str) -> None:
    """1 − 2/e of exp(c=1) is cut, however many samples are drawn."""
    with pytest.raises(PlanError, match=f"no uniform bound holds: dual.*{words}"):
        ks.analyze(text, dim=1).bound(0.01, 0.1, 1)


def test_eps_is_in_units_of_the_kernel() -> None:
    one = ks.analyze("gaussian()", dim=2).bound(0.1, 0.1, 1)
    assert ks.analyze("5*gaussian()", dim=2).bound(0.5, 0.1, 1) == one


def test_a_tolerance_that_anything_meets() -> None:
    assert ks.analyze("gaussian()", dim=1).bound(1e6, 0.5, 1).samples == 1


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
