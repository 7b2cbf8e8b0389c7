"""Tests of `testing/laboratory.py`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.stats import norm

import kernelspec as ks
from kernelspec.errors import PlanError, SpecError
from kernelspec.testing import Ledger, assert_measure, assert_sampler, assert_unbiased
from kernelspec.testing.laboratory import assert_mean, granted, note_power, z_threshold
from kernelspec.testing.subjects import ByFit, OfSpec, kernel_matrix, subject_of
from tests.laboratory import assert_characteristic_function, assert_proportions, assert_variance

SEED = 31
N = 100_000
LAGS = np.array([[0.5, 0, 0], [1, 1, 1], [-0.4, 0.9, 0.2]])


def rng():
    return np.random.default_rng(SEED)


def test_threshold_shares_the_budget():
    assert z_threshold(1, 0.05) == pytest.approx(1.959964, rel=1e-6)
    assert z_threshold(100, 1e-6) == pytest.approx(norm.isf(5e-9))
    assert z_threshold(1, 0.05, degrees=4) == pytest.approx(2.776445, rel=1e-6)
    with pytest.raises(ValueError, match="budget in"):
        z_threshold(0, 0.05)


@pytest.mark.slow
@pytest.mark.parametrize("check", [assert_mean, assert_variance])
def test_false_alarms_come_as_often_as_the_budget_says(check):
    """1,000 families of five true numbers at a budget of 0.1: 100 ± 47 alarms are five standard errors."""
    generator, alarms = rng(), 0
    expected = np.zeros(5) if check is assert_mean else np.full(5, 4.0)
    for _ in range(1000):
        try:
            check(2 * generator.standard_normal((200, 5)), expected, budget=0.1)
        except AssertionError:
            alarms += 1
    assert 53 <= alarms <= 147


@pytest.mark.slow
def test_variance_corrects_for_kurtosis():
    for draws in (rng().standard_normal((N, 2)), rng().exponential(1, (N, 2)), rng().choice([-1.0, 1.0], (N, 2))):
        assert_variance(draws, [1, 1])
        for wrong in (0.9, 1.1):
            with pytest.raises(AssertionError, match=r"variance: z = [+-]\d+.*expected"):
                assert_variance(draws, [1, wrong])


def test_message_states_z_the_worst_entry_and_the_threshold():
    samples = rng().standard_normal((1000, 3)) + np.array([0, 0.5, 0])
    message = r"price: z = \+\d+\.\d+ at entry 1 of 3, allowed ±5\.\d+ \(budget 1e-06\)"
    with pytest.raises(AssertionError, match=message):
        assert_mean(samples, np.zeros(3), what="price")


def test_columns_without_variance_must_be_exact():
    samples = np.column_stack([np.full(1000, 0.1), rng().standard_normal(1000)])
    assert_mean(samples, [0.1, 0])
    with pytest.raises(AssertionError, match="entry 0 has no variance"):
        assert_mean(samples, [0.1 + 1e-9, 0])
    assert_variance(np.full((10, 1), 3.0), [0])
    with pytest.raises(AssertionError, match="entry 0 has no variance"):
        assert_variance(np.full((10, 1), 3.0), [1e-3])
    with pytest.raises(AssertionError, match="entry 0 has no variance"):
        assert_variance(rng().standard_normal((10, 1)), [0])


def test_samples_that_are_not_finite_fail():
    with pytest.raises(AssertionError, match="1 of the samples"):
        assert_mean([[1.0], [np.nan], [0.0], [2.0]], [1.0])
    with pytest.raises(ValueError, match=r"\(M, k\)"):
        assert_mean(np.zeros((10, 2)), [0.0])


def test_proportions():
    die = rng().integers(0, 6, N)
    assert_proportions(np.bincount(die), np.full(6, 1 / 6))
    loaded = np.array([0.98, 1, 1, 1, 1, 1.02]) / 6
    with pytest.raises(AssertionError, match=r"χ² = .* worst: cell [05]"):
        assert_proportions(np.bincount(rng().choice(6, 10 * N, p=loaded)), np.full(6, 1 / 6))
    assert_proportions([500, 500, 1, 0], [0.4995, 0.4995, 0.0005, 0.0005])
    with pytest.raises(AssertionError, match="no variance"):
        assert_proportions([500, 499, 1], [0.5, 0.5, 0])
    with pytest.raises(ValueError, match="sum 1"):
        assert_proportions([1, 2], [0.5, 0.6])
    with pytest.raises(ValueError, match="too few"):
        assert_proportions([1, 2], [0.5, 0.5])


def matern_half(lags):
    return np.exp(-np.linalg.norm(lags, axis=1))


def test_multivariate_student_passes_and_student_per_coordinate_fails():
    """A Matérn's frequencies drawn coordinate by coordinate make the product of one-dimensional Matérns."""
    z = rng().standard_normal((N, 3))
    right = z / np.abs(rng().standard_normal((N, 4))[:, 3:])
    assert_characteristic_function(right, LAGS, matern_half(LAGS))
    with pytest.raises(AssertionError, match="real part: z = -"):
        assert_characteristic_function(rng().standard_cauchy((N, 3)), LAGS, matern_half(LAGS))


def test_a_forgotten_root_two_fails():
    """Features cos(ωx + b)/√D instead of √2 cos(ωx + b)/√D have half the kernel."""
    generator = rng()
    omega, offset = generator.standard_normal((N, 3)), generator.uniform(0, 2 * np.pi, (N, 1))
    features = np.cos(omega @ LAGS.T + offset), np.cos(offset)
    exact = np.exp(-np.square(LAGS).sum(axis=1) / 2)
    assert_mean(2 * features[0] * features[1], exact)
    with pytest.raises(AssertionError, match="z = "):
        assert_mean(features[0] * features[1], exact)


def test_a_scale_taken_for_a_rate_fails():
    """Laplace frequencies of scale σ instead of 1/σ, and χ² without its factor for 1/(1 + t²/2)."""
    cauchy = 1 / np.prod(1 + (LAGS / 1.3) ** 2, axis=1)
    assert_characteristic_function(rng().laplace(0, 1 / 1.3, (N, 3)), LAGS, cauchy)
    with pytest.raises(AssertionError, match="z = "):
        assert_characteristic_function(rng().laplace(0, 1.3, (N, 3)), LAGS, cauchy)
    quadratic = 1 / (1 + np.square(LAGS).sum(axis=1) / 2)
    z, tau = rng().standard_normal((N, 3)), np.random.default_rng(SEED + 1).exponential(1, (N, 1))
    assert_characteristic_function(z * np.sqrt(tau), LAGS, quadratic)
    with pytest.raises(AssertionError, match="z = "):
        assert_characteristic_function(z * np.sqrt(2 * tau), LAGS, quadratic)


def test_a_bias_of_three_percent_fails():
    exact = np.exp(-np.square(LAGS).sum(axis=1) / 2)
    with pytest.raises(AssertionError, match="z = "):
        assert_characteristic_function(rng().standard_normal((N, 3)), LAGS, 0.97 * exact)


def test_a_one_sided_law_fails_by_its_imaginary_part():
    with pytest.raises(AssertionError, match="imaginary part"):
        assert_characteristic_function(np.ones((N, 1)), [[1.0]], [np.cos(1.0)])


@pytest.mark.slow
@pytest.mark.parametrize("text", ["gaussian(scale=2)", "matern(nu=0.6)", "exponential()", "powered_exponential(0.3)"])
def test_measures_of_specs(text: str) -> None:
    assert_measure(text, dim=3)


@pytest.mark.slow
def test_measures_of_any_origin() -> None:
    from sklearn.kernel_approximation import RBFSampler

    assert_measure(RBFSampler(gamma=0.5, n_components=20_000), "gaussian()", dim=3)
    assert_measure(lambda n, generator: generator.standard_cauchy((n, 2)), "laplace()", dim=2)
    assert_measure(
        lambda n, generator: generator.standard_normal((n, 2)),
        lambda lags: 3 * np.exp(-np.square(lags).sum(axis=1) / 2),
        dim=2,
    )


def test_wrong_measures_are_found() -> None:
    with pytest.raises(AssertionError, match="real part"):  # a Matérn by coordinates
        assert_measure(lambda n, generator: generator.standard_cauchy((n, 2)), "exponential()", dim=2)
    with pytest.raises(AssertionError, match="imaginary part"):
        assert_measure(lambda n, generator: np.abs(generator.standard_normal((n, 1))), "gaussian()", dim=1)
    with pytest.raises(PlanError, match="shape"):
        assert_measure(lambda n, generator: generator.standard_normal(n), "gaussian()", dim=1)


@pytest.mark.parametrize(
    "law",
    [
        "gamma(shape=0.5)",
        "pareto(shape=0.7)",
        "inverse_gamma(shape=0.5)",
        "lognormal(sigma=2)",
        "shifted_poisson(rate=2)",
        "uniform(1, 2)",
        "uniform(-2, 2)",
        "student_t(dof=1.5)",
        "cauchy(scale=2)",
    ],
)
def test_laws_of_the_catalogue(law: str) -> None:
    assert_sampler(law, law)


def test_laws_of_any_origin() -> None:
    assert_sampler(stats.cauchy(), stats.cauchy())
    assert_sampler(stats.poisson(3), stats.poisson(3))
    assert_sampler(lambda n, generator: generator.standard_cauchy(n), "cauchy()")
    assert_sampler(lambda n, generator: generator.exponential(1, n), lambda x: 1 - np.exp(-x))
    assert_sampler("rayleigh(scale=2)", stats.rayleigh(scale=2))


def test_wrong_laws_are_found() -> None:
    with pytest.raises(AssertionError, match="law of"):
        assert_sampler(lambda n, generator: 1.2 * generator.standard_cauchy(n), "cauchy()")
    with pytest.raises(AssertionError, match="distribution function is off"):
        assert_sampler(stats.poisson(3.2), stats.poisson(3))
    with pytest.raises(AssertionError, match="law of"):
        assert_sampler("gamma(shape=2)", "gamma(shape=2, scale=1.1)")
    with pytest.raises(SpecError):
        assert_sampler("gamma(shape=2)", "gama(shape=2)")


SAMPLES = np.random.default_rng(0).standard_normal((400, 3))


def test_without_a_ledger_an_assertion_gets_what_it_asks_for() -> None:
    assert granted(1e-3) == 1e-3
    note_power("bias", 0.1)


def test_under_a_ledger_nothing_spends_more_than_a_share() -> None:
    with Ledger(budget=1e-6, shares=100).open() as ledger:
        assert granted(1e-3) == 1e-8
        assert granted(1e-9) == 1e-9
        assert_mean(SAMPLES, np.zeros(3))
    assert (ledger.n_assertions, ledger.spent) == (3, pytest.approx(2.1e-8))
    assert not ledger.is_overspent
    assert granted(1e-3) == 1e-3


def test_limits_grow_under_a_ledger() -> None:
    off = SAMPLES + 0.25  # 5.0 standard errors: found alone, not among ten million
    with pytest.raises(AssertionError):
        assert_mean(off, np.zeros(3), budget=1e-3)
    with Ledger(budget=1e-6, shares=10_000_000).open():
        assert_mean(off, np.zeros(3), budget=1e-3)


def test_too_many_assertions_overspend() -> None:
    with Ledger(budget=1e-6, shares=3).open() as ledger:
        for _ in range(4):
            granted(1)
    assert ledger.is_overspent
    assert "OVERSPENT" in ledger.lines()[0]


@pytest.mark.slow
def test_powers_are_entered() -> None:
    with Ledger().open() as ledger:
        assert_unbiased("gaussian()", np.array([[0.0], [0.5]]), n_maps=300)
    assert set(ledger.powers) == {"bias of k by maps", "variance by maps"}
    assert "at worst" in "\n".join(ledger.lines())


def test_another_seed_of_the_run_moves_every_assertion() -> None:
    asked = []

    def features(X, generator):
        asked.append(generator.random())
        return np.ones((len(X), 1))

    for seed in (0, 0, 1):
        with Ledger(seed=seed).open():
            assert_unbiased(features, np.zeros((2, 1)), np.ones((2, 2)), n_maps=40)
    first, again, other = (asked[i : i + 40] for i in (0, 40, 80))
    assert first == again
    assert not set(first) & set(other)


X = np.array([[0.3, 0.0], [0.4, 0.0], [1.1, 1.0]])


def test_a_spec_is_drawn_again_from_one_plan() -> None:
    subject = subject_of("gaussian()", X, n_features=8)
    assert isinstance(subject, OfSpec)
    expected = ks.compile(
        "gaussian()", n_features=8, seed=5, data=X, draws="independent", landmarks="never"
    ).approximate(X)
    np.testing.assert_allclose(subject.estimate(X, 5), expected, rtol=1e-12)
    np.testing.assert_allclose(subject.exact(X), ks.parse("gaussian()").gram(X))
    assert subject.is_symmetric
    assert not subject_of("shift(laplace(), by=1)", X).is_symmetric  # type: ignore[union-attr]
    assert subject.variance(X).shape == subject.fourth_moment(X).shape == (3, 3)


@pytest.mark.slow
def test_estimators_are_fitted_with_a_state_of_their_own() -> None:
    given = ks.KernelFeatures("gaussian()", n_features=8)
    subject = subject_of(given, X)
    assert isinstance(subject, ByFit)
    assert not np.allclose(subject.estimate(X, 0), subject.estimate(X, 1))
    np.testing.assert_array_equal(subject.estimate(X, 1), subject.estimate(X, 1))
    assert given.random_state is None


def test_kernels_are_specs_callables_or_matrices() -> None:
    gram = ks.parse("laplace()").gram(X)
    for given in ("laplace()", ks.parse("laplace()"), lambda a, b: ks.parse("laplace()").gram(a, b), gram):
        np.testing.assert_allclose(kernel_matrix(given, X), gram)
    with pytest.raises(PlanError, match="shape"):
        kernel_matrix(np.eye(2), X)


@pytest.mark.parametrize(
    ("draw", "law"),
    [
        (lambda n, generator: np.abs(generator.standard_normal(n)), "gaussian()"),
        (lambda n, generator: -np.abs(generator.standard_cauchy(n)), "student_t(dof=1)"),
        (lambda n, generator: generator.random(n), "uniform(-1, 1)"),
    ],
)
def test_draws_of_one_sign_do_not_pass_for_a_symmetric_law(draw: Any, law: str) -> None:
    """Their cosines are the same; E sin tX is 0 for the law."""
    with pytest.raises(AssertionError, match="law of"):
        assert_sampler(draw, law)
