"""Tests of `elaboration/forms/formulas.py`."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import kv

import kernelspec as ks
from kernelspec.elaboration.forms.form import FORMS, load_form
from kernelspec.errors import ArgumentError, NoDensityError, NotAvailableYet, RangeError, SpecError, TypeMismatchError


@pytest.mark.parametrize("name", FORMS)
def test_every_form_is_written_as_its_signature_says(name: str) -> None:
    form = load_form(name)
    assert form.signature.startswith(f"{name}(")
    has_defaults = name in ("hamming", "polynomial", "spherical", "wendland")
    given = "1, 2, 3, 4" if has_defaults else ""
    with pytest.raises(ks.KernelspecError, match=rf"{name}\(\) (needs|takes)"):
        ks.parse(f"{name}({given})")


def test_forms_are_listed_by_name() -> None:
    assert list(FORMS) == sorted(FORMS)


X = np.random.default_rng(8).normal(size=(6, 2))
LAGS = np.abs(X[:, None, :] - X[None, :, :])


def test_is_the_product_of_the_formula_over_the_columns() -> None:
    expected = (np.maximum(0, 1 - LAGS) / 2 + np.exp(-LAGS / 3) / 2).prod(axis=-1)
    np.testing.assert_allclose(ks.parse("product(t -> max(0, 1 - t)/2 + exp(-t/3)/2)").gram(X), expected, rtol=1e-13)


@pytest.mark.parametrize(("formula", "kernel"), [("exp(-t/3)", "laplace(3)"), ("max(0, 1 - t/2)", "triangle(2)")])
def test_equals_kernels_of_the_catalogue(formula: str, kernel: str) -> None:
    np.testing.assert_allclose(ks.parse(f"product(t -> {formula})").gram(X), ks.parse(kernel).gram(X), rtol=1e-13)


def test_on_some_columns_with_parameters_and_in_compositions() -> None:
    spec = ks.parse(
        "param s = 2\nlet c = 1/2\n2*stretch(product(t -> exp(-t*c/s)), 3)[0]*gaussian()[1] + match()[1]**2"
    )
    expected = 2 * np.exp(-LAGS[..., 0] / 12) * np.exp(-(LAGS[..., 1] ** 2) / 2) + np.eye(len(X))
    np.testing.assert_allclose(spec.gram(X), expected, rtol=1e-13)
    assert ks.parse(str(spec)) == spec


@pytest.mark.parametrize("dim", [None, 3])
def test_reports_are_complete(dim: int | None) -> None:
    facts = ks.analyze("product(t -> 1/(1 + t/3)**2)", dim=dim)
    assert facts.verdict.positive_definite == "proved"
    assert "[Polya 1949]" in facts.verdict.reasons[0]
    assert "f is convex" in facts.report()
    assert facts.to_dict()["second_moment"] == "infinite"
    assert facts.mean == pytest.approx(6)  # 2 ∫ f
    assert set(facts.variance) >= {"paired", "phase", "binning"}


@pytest.mark.slow
def test_free_parameters_stay_symbols_and_nothing_is_claimed() -> None:
    facts = ks.analyze("param s > 0\nproduct(t -> 1/(1 + t/s))", dim=1)
    assert facts.verdict.positive_definite == "proved"  # 1/(1 + t/s) is completely monotone for every s > 0
    assert str(facts.kernel) == "1/(1 + Abs(x - y)/s)"
    assert facts.to_dict()["second_moment"] == "infinite"
    assert "depends on s" in facts.to_dict()["no_spectral_density"]


def test_a_size_at_zero_is_one_of_every_column() -> None:
    np.testing.assert_allclose(ks.parse("product(t -> 3*exp(-t))").gram(X), 9 * np.exp(-LAGS.sum(axis=-1)), rtol=1e-13)
    expected = (np.exp(-LAGS) + 2).prod(axis=-1)
    np.testing.assert_allclose(ks.parse("product(t -> exp(-t) + 2)").gram(X), expected, rtol=1e-13)


@pytest.mark.slow
def test_sizes_and_rates_may_be_free_parameters() -> None:
    spec = "param s > 0\nparam l > 0\nproduct(t -> s*exp(-t**2/l))"
    assert "gaussian" in ks.analyze(spec, dim=2).verdict.reasons[0]
    assert ks.analyze(spec).k0 == ks.analyze("param s > 0\ns**d*gaussian()").k0
    assert "laplace(scale=l)" in ks.analyze("param l > 0\nproduct(t -> exp(-t/l))", dim=2).verdict.reasons[0]
    assert "triangle(width=l)" in ks.analyze("param l > 0\nproduct(t -> max(0, 1 - t/l))").verdict.reasons[0]


def test_a_limit_at_zero_is_a_value() -> None:
    spec = ks.parse("product(t -> sqrt(pi)/2*erf(t)/t)")
    rows = np.array([[0.0], [0.0], [1.0]])
    wanted = [quad(lambda s, lag=lag: math.exp(-((s * lag) ** 2)), 0, 1)[0] for lag in (0.0, 1.0)]
    np.testing.assert_allclose(spec.gram(rows)[0], [wanted[0], wanted[0], wanted[1]], rtol=1e-12)
    assert ks.analyze(spec, dim=1).verdict.positive_definite == "proved"


@pytest.mark.parametrize("d", [1, 2])
def test_a_matern_kernel_per_column_is_known_by_its_bessel_function(d: int) -> None:
    """t K₁(t) → 1 as t → 0, though no rule for limits says so."""
    rows = np.array([[0.0, 0.0], [1.0, 0.5], [-0.3, 2.0]])[:, :d]
    lags = np.abs(rows[:, None] - rows[None])
    with np.errstate(invalid="ignore"):
        line = np.where(lags == 0, 1.0, lags * kv(1, lags))
    for text, factor in (("t*besselk(1, t)", line), ("2*t*besselk(1, t) + exp(-t)", 2 * line + np.exp(-lags))):
        spec = ks.parse(f"product(t -> {text})")
        np.testing.assert_allclose(spec.gram(rows), factor.prod(axis=2), rtol=1e-12)
        assert ks.analyze(spec, dim=d).verdict.positive_definite == "proved"
    ks.parse("product(t -> besselk(0, 1 + t)/besselk(0, 1))").gram(rows)
    with pytest.raises(ks.DimensionError, match="needs a number of columns below 1001: set dim= or columns="):
        ks.analyze("product(t -> t*besselk(1, t))")


def test_unknown_numbers_pass_while_a_spec_is_checked() -> None:
    for text in (
        "param s\nproduct(t -> s*exp(-t) + log(s))",
        "product(t -> exp(-t)**(1/d))[a, b]",
        "product(t -> t**(-1/d))",
    ):
        ks.parse(text)


@pytest.mark.parametrize(
    ("formula", "message"),
    [
        ("cos(t) - 2", "product() needs f(0) > 0, but f(0) = -1"),
        ("exp(-t) - 1", "product() needs f(0) > 0, but f(0) = 0"),
        ("log(t)", "product() needs f(0) > 0, but f(0) is not a real number"),
        ("1/t", "product() needs f(0) > 0, but f(0) is not a real number"),
        ("erf(t)/t", "product() needs f(0) > 0, but f(0) is not known: multiply f by a number"),
        ("t*besselk(2, t)", "product() needs f(0) > 0, but f(0) is not known, since no rule gives the limit of f at 0"),
        ("t*besselk(1, t) - 3", "product() needs f(0) > 0, but f(0) = -2"),
        ("besselk(0, 1 + t)", "product() needs an exact f(0), or 1, but f(0) = 0.421024 up to rounding: divide f by"),
        ("sqrt(1 - t)", "f(t) is not a real number at t = 1.01"),
        ("1/(1 - t)", "f(t) is not a real number at t = 1"),
        ("exp(-t) + log(2 - t)*0*t", "f(t) is not a real number at t = 2"),
    ],
)
def test_formulas_that_are_no_kernel_at_all_are_refused_at_their_place(formula: str, message: str) -> None:
    with pytest.raises(RangeError) as caught:
        ks.parse(f"product(t -> {formula})")
    assert caught.value.message.startswith(message)
    assert caught.value.span.text == formula


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("product()", ArgumentError, "product() needs a formula: product(t -> f(t))"),
        ("product(g=t -> exp(-t))", ArgumentError, "product() has no argument 'g'"),
        ("product(t -> t, t -> t)", ArgumentError, "product() takes 1 argument"),
        ("product(gaussian())", TypeMismatchError, "kernels with '*'"),
        ("product(exp)", TypeMismatchError, "product() needs a formula"),
        ("gaussian(t -> exp(-t))", SpecError, "a formula must be inside"),
    ],
)
def test_what_is_no_formula_is_refused(text: str, error: type[SpecError], message: str) -> None:
    with pytest.raises(error) as caught:
        ks.parse(text)
    assert message in caught.value.message


@pytest.mark.slow
@pytest.mark.parametrize("formula", ["1 - t", "abs(1 - t)"])
def test_formulas_without_a_transform_have_values_and_no_features(formula: str) -> None:
    text = f"product(t -> {formula})"
    facts = ks.analyze(text, dim=1)
    assert facts.verdict.positive_definite != "proved"
    with pytest.raises(NoDensityError, match="the transform is not resolved"):
        facts.spectral_density_at([[0.5]])
    assert np.isfinite(ks.parse(text).gram(X)).all()
    for composite in (text, f"{text} + gaussian()", f"{text}*gaussian()", f"stretch({text}, 2)[0]"):
        with pytest.raises(NotAvailableYet, match="has no features: the transform is not resolved") as caught:
            ks.compile(composite, 2, 64, seed=0)
        assert caught.value.span.text == text
    with pytest.raises(ks.KernelspecError):
        ks.compile(text, 2, 64, seed=0, method="binning")


X_OF_RADIAL = np.random.default_rng(8).normal(size=(6, 3))
DISTANCE = np.linalg.norm(X_OF_RADIAL[:, None, :] - X_OF_RADIAL[None, :, :], axis=-1)
SPHERICAL = "radial(r -> 1 - 1.5*min(r, 1) + 0.5*min(r, 1)**3)"


def test_is_the_formula_of_the_distance() -> None:
    h = np.minimum(DISTANCE, 1)
    np.testing.assert_allclose(ks.parse(SPHERICAL).gram(X_OF_RADIAL), 1 - 1.5 * h + 0.5 * h**3, rtol=1e-12, atol=1e-15)
    some = np.linalg.norm(X_OF_RADIAL[:, None, [0, 2]] - X_OF_RADIAL[None, :, [0, 2]], axis=-1)
    spec = ks.parse("param s = 2\nlet c = 1/2\n3*stretch(radial(r -> s*exp(-c*r**1.5)*tanh(r)/r), 2)[0, 2]")
    safe = np.where(some == 0, 1, some / 2)
    expected = np.where(some == 0, 6, 6 * np.exp(-(safe**1.5) / 2) * np.tanh(safe) / safe)
    np.testing.assert_allclose(spec.gram(X_OF_RADIAL), expected, rtol=1e-12)
    assert ks.parse(str(spec)) == spec


@pytest.mark.parametrize(("dim", "answer"), [(1, "proved"), (2, "proved"), (3, "proved"), (4, "disproved")])
def test_the_spherical_kernel(dim: int, answer: str) -> None:
    facts = ks.analyze(SPHERICAL, dim=dim)
    assert facts.verdict.positive_definite == answer
    assert "overlap of two balls" in facts.verdict.reasons[0]
    assert facts.k0 == 1


@pytest.mark.slow
@pytest.mark.parametrize("unit", [0.01, 0.018, 500])
@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("spherical({})", lambda r: 1 - 1.5 * np.minimum(r, 1) + 0.5 * np.minimum(r, 1) ** 3),
        ("wendland(order=0, dim=3, scale={})", lambda r: np.maximum(0, 1 - r) ** 2),
    ],
)
def test_features_in_any_unit(text: str, value: Callable[[np.ndarray], np.ndarray], unit: float) -> None:
    """With some ranges the rounding of the spectrum summed to a negative part: P(|t| > 8) < 1e-6 with 15 degrees."""
    rows = np.random.default_rng(0).uniform(0, 0.6, size=(20, 3))
    exact = value(np.sqrt(np.square(rows[:, None] - rows[None]).sum(axis=-1)))
    means = []
    for seed in range(16):
        features = ks.KernelFeatures(text.format(unit), n_features=64, random_state=seed).fit_transform(unit * rows)
        means.append((features @ features.T - exact)[np.triu_indices(20)].mean())
    assert abs(np.mean(means)) <= 8 * np.std(means, ddof=1) / 4 + 1e-9


@pytest.mark.slow
def test_for_which_d() -> None:
    verdict = ks.analyze(SPHERICAL).verdict
    assert "positive definite for d ≤ 3 columns, and not from d = 4 on" in verdict.reasons
    verdict = ks.analyze("param s > 0\nradial(r -> 1/(1 + log(1 + r/s)))").verdict
    assert verdict.positive_definite == "proved"
    assert "completely monotone" in verdict.reasons[0]


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("radial()", ArgumentError, "radial() needs a formula: radial(r -> f(r)), such as radial(r -> exp(-r))"),
        ("radial(gaussian())", TypeMismatchError, "radial() needs a formula"),
        (
            "radial(r -> 1/r)",
            RangeError,
            "radial() needs a formula with f(0) ≠ 0, since k(x, x) = f(0): it is infinite",
        ),
        ("radial(r -> r*exp(-r**1.5))", RangeError, "f(0) ≠ 0, since k(x, x) = f(0): it is 0 here"),
        ("radial(r -> sqrt(1 - r))", RangeError, "f(r) is not a real number at r = 1.01"),
        ("radial(r -> exp(-s))", SpecError, "unknown name 's' in a formula; the variable is 'r'"),
    ],
)
def test_what_is_refused(text: str, error: type[SpecError], message: str) -> None:
    with pytest.raises(error) as caught:
        ks.parse(text)
    assert message in caught.value.message


@pytest.mark.parametrize("formula", ["erf(t)/t", "t*s", "t**s", "s*erf(t)/t", "exp(-t/s)/t", "sin(s)*t"])
def test_a_start_that_no_rule_gives_is_refused(formula: str) -> None:
    with pytest.raises(RangeError, match="f\\(0\\) ≠ 0"):
        ks.analyze(f"param s > 0\nradial(t -> {formula})", dim=2)
