"""Tests of `exchange/to_sklearn.py`."""

from __future__ import annotations

import math
import pickle
import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor
from sklearn.gaussian_process import kernels as sk

import kernelspec as ks
from kernelspec.errors import NoCounterpartError, ParameterError
from kernelspec.exchange.to_sklearn import hyperparameters_of


def test_the_bounds_hold_a_value_of_any_size() -> None:
    """Incomes and distances in metres have scales beyond 1e5."""
    (own,) = hyperparameters_of(ks.parse("param s = 3e6\ngaussian(scale=s)"), {})
    assert own.bounds == (1e-5, 3e9)
    (own,) = hyperparameters_of(ks.parse("param s = 2e-7\ngaussian(scale=s)"), {})
    assert own.bounds == pytest.approx((2e-10, 1e5))


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("rational_quadratic(alpha=a)", (1e-5, 1000)),
        ("rational_quadratic(alpha=2*a)", (1e-5, 500)),
        ("powered_exponential(alpha=a)", (1e-5, 2)),
        ("periodic(period=1, scale=a)", (1e-4, 1e5)),
        ("radial(r -> (1 + r**2)**(-a))", (1e-5, 500)),
        ("exp(a)*gaussian()", (1e-5, 230.2)),
    ],
)
def test_bounds_lie_inside_the_ranges_of_arguments(text: str, ends: tuple[float, float]) -> None:
    """As the catalogue states them; degrees of formulas are at most 1000, and weights at most 1e100."""
    kernel = ks.to_sklearn(f"param a = 1\n{text}")
    np.testing.assert_allclose(np.exp(kernel.bounds), [ends])
    for end in kernel.bounds[0]:
        assert np.isfinite(kernel.clone_with_theta(np.array([end]))(np.array([[0.0], [0.1]]))).all()


def test_the_end_of_a_range_survives_rounding() -> None:
    """exp(log 10) is above 10."""
    kernel = ks.to_sklearn("param a = 2 in [1, 10]\ngaussian(scale=a)")
    assert kernel.clone_with_theta(kernel.bounds[0, 1:]).spec.params["a"] == 10


def test_a_search_stays_inside_the_ranges() -> None:
    """A sine on 0 to 5 is almost Gaussian: alpha grows without end."""
    rows = np.linspace(0, 5, 40)[:, None]
    spec = "param s = 1\nparam a = 900\nrational_quadratic(alpha=a, scale=s)"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a is at its bound
        model = GaussianProcessRegressor(ks.to_sklearn(spec), alpha=1e-8).fit(rows, np.sin(3 * rows[:, 0]))
    assert 900 < model.kernel_.spec.params["a"] <= 1000
    assert ks.tune(spec, rows, np.sin(3 * rows[:, 0]), by="likelihood").spec.params["a"] == 1000


GENERATOR = np.random.default_rng(5)
X = GENERATOR.standard_normal((9, 2))
X[4] = X[1]  # a row that comes twice: derivatives of the distance end there
X[5, 0] = X[2, 0]
Y = GENERATOR.standard_normal((4, 2))

SAME = [
    ("param s = 1.3\ngaussian(scale=s)", sk.RBF(1.3)),
    ("param a = 1.3\nparam b = 0.6\nstretch(gaussian(), [a, b])", sk.RBF([1.3, 0.6])),
    ("param s = 0.8\nexponential(scale=s)", sk.Matern(0.8, nu=0.5)),
    ("param s = 0.8\nmatern(nu=1/2, scale=s)", sk.Matern(0.8, nu=0.5)),
    ("param s = 1.3\nmatern(nu=3/2, scale=s)", sk.Matern(1.3, nu=1.5)),
    ("param a = 1.3\nparam b = 0.4\nstretch(matern(nu=3/2), [a, b])", sk.Matern([1.3, 0.4], nu=1.5)),
    ("param a = 1.3\nparam b = 0.4\nstretch(matern(nu=5/2), [a, b])", sk.Matern([1.3, 0.4], nu=2.5)),
    (
        "param alpha = 0.7\nparam scale = 1.3\nrational_quadratic(alpha=alpha, scale=scale)",
        sk.RationalQuadratic(length_scale=1.3, alpha=0.7),
    ),
    ("param z = 0.7\nlinear() + z**2*constant()", sk.DotProduct(0.7)),
    ("param c = 0.7\nparam s = 1.3\nc*gaussian(scale=s)", sk.ConstantKernel(0.7) * sk.RBF(1.3)),
    (
        "param c = 0.7\nparam s = 1.3\nparam t = 2\nc*gaussian(scale=s) + matern(nu=3/2, scale=t)",
        sk.ConstantKernel(0.7) * sk.RBF(1.3) + sk.Matern(2.0, nu=1.5),
    ),
    ("param s = 1.3\ngaussian(scale=s)**3", sk.RBF(1.3) ** 3),
    (
        "param z = 0.7\nparam s = 2\n(linear() + z**2*constant())**2*gaussian(scale=s)",
        sk.DotProduct(0.7) ** 2 * sk.RBF(2),
    ),
]


@pytest.mark.parametrize(("text", "other"), SAME, ids=[text.splitlines()[-1] for text, _ in SAME])
@pytest.mark.parametrize("step", [0.0, -0.9, 1.7])
def test_values_and_gradients_are_those_of_scikit_learn(text: str, other: Any, step: float) -> None:
    kernel = ks.to_sklearn(text)
    np.testing.assert_allclose(np.sort(kernel.theta), np.sort(other.theta), rtol=1e-14)
    order = np.argsort(kernel.theta)[np.argsort(np.argsort(other.theta))]  # place of each θ of theirs in ours
    moved = other.theta + step * np.arange(1, len(order) + 1) / len(order)
    own = np.empty_like(moved)
    own[order] = moved
    kernel, other = kernel.clone_with_theta(own), other.clone_with_theta(moved)
    (found, gradient), (expected, slopes) = kernel(X, eval_gradient=True), other(X, eval_gradient=True)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(gradient[..., order], slopes, rtol=1e-9, atol=1e-13)
    np.testing.assert_allclose(kernel(X, Y), other(X, Y), rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(kernel.diag(X), other.diag(X), rtol=1e-13)
    assert kernel.is_stationary() == other.is_stationary()


def test_a_periodic_kernel_on_one_column() -> None:
    kernel = ks.to_sklearn("param l = 0.7\nparam p = 1.4\nperiodic(period=p, scale=l)")
    other = sk.ExpSineSquared(0.7, 1.4)
    line = X[:, :1]
    for found, expected in zip(kernel(line, eval_gradient=True), other(line, eval_gradient=True), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


DIFFERENTIATED = [
    "param s = 2\nparam w = 1\n(w*laplace(scale=s) + stretch(cauchy(), [1, s]))**2 - 0.3*periodic(period=s, scale=w)",
    "param s = 2\ntriangle(width=5*s)*sinc(bandwidth=s) + cosine(by=[s, 1])*stretch(cosine(by=1), s)",
    "param s = 2\nstretch(gaussian() + constant(), s) + 0.3*noise()",
    "param p = 0.8\nstretch(exponential(), [[p, 1], [2, p**2]])*powered_exponential(alpha=p, scale=p)",
    "param g = 2\nrbf_cosine(gamma=g)[0, 1] + g*minmax()[0]**2*0 + linear()[1]",
    "param s = 1.5\nparam t = 2*s\nlet k = matern(nu=0.7, scale=t)\nk[0]*k[1] + s*cauchy(scale=sqrt(s))",
    "param b\nlaplace() + cosine(by=[b, 1 - b])",
    "param w = 0.5\nstretch(matern(nu=5/2, scale=w)[1] + rational_quadratic(alpha=w + 1)[0], [2, w])",
    "param a = 1.2\npolya(gamma(shape=2))*gaussian(scale=a) + a*dual(relu, gaussian())",
]


@pytest.mark.slow
@pytest.mark.parametrize("text", DIFFERENTIATED, ids=[text.splitlines()[-1] for text in DIFFERENTIATED])
@pytest.mark.parametrize("seed", range(3))
def test_gradients_are_those_of_finite_differences(text: str, seed: int) -> None:
    spec = ks.parse(text)
    kernel = ks.to_sklearn(spec.with_params({"b": -0.4}) if spec.params.get("b", 0) is None else spec)
    theta = kernel.theta + 0.3 * np.random.default_rng(seed).standard_normal(len(kernel.theta))
    kernel = kernel.clone_with_theta(theta)
    rows = np.abs(X) if "minmax" in text else X
    value, gradient = kernel(rows, eval_gradient=True)
    np.testing.assert_allclose(value, kernel.spec.gram(rows), rtol=1e-12, atol=1e-14)
    for i in range(len(theta)):
        step = 1e-5 * np.eye(len(theta))[i]
        at = [kernel.clone_with_theta(theta + m * step)(rows) for m in (-2, -1, 1, 2)]
        slope = (at[0] - 8 * at[1] + 8 * at[2] - at[3]) / 12e-5  # the error is that of the fifth derivative, h⁴
        np.testing.assert_allclose(gradient[..., i], slope, rtol=1e-7, atol=1e-9)


def test_gradients_of_waves_matrices_and_constants() -> None:
    text = "stretch(constant() + laplace(), s) + cosine(by=[s, 1])*stretch(gaussian(), [[s, 1], [0, s]])"
    kernel, step = ks.to_sklearn(f"param s = 1.3\n{text}"), 1e-5
    up, down = (kernel.clone_with_theta(kernel.theta + h)(Y) for h in (step, -step))
    np.testing.assert_allclose(kernel(Y, eval_gradient=True)[1][..., 0], (up - down) / (2 * step), rtol=1e-6, atol=1e-8)


def test_scales() -> None:
    lines = [
        "param s > 0",
        "param b",
        "param w = 2",
        "param t = 2*s",
        "param q < 3",
        "w*gaussian(scale=s*t)*cosine(b*q)",
    ]
    spec = ks.parse("\n".join(lines))
    given = spec.with_params({"s": 0.5, "b": -1, "q": 2})
    kernel = ks.to_sklearn(given)
    np.testing.assert_allclose(kernel.theta, [np.log(0.5), -1, np.log(2), 2])  # t follows s; q may be negative
    below = 2.999  # 3 itself is outside the range of its line
    np.testing.assert_allclose(kernel.bounds, [np.log([1e-5, 1e5]), [-1e5, 1e5], np.log([1e-5, 1e5]), [-1e5, below]])
    assert [each.name for each in kernel.hyperparameters] == ["s", "b", "w", "q"]
    bounded = ks.to_sklearn(given, bounds={"s": (0.1, 10), "b": (-2, 2), "w": "fixed", "q": (-3, 3)})
    np.testing.assert_allclose(bounded.theta, [np.log(0.5), -1, 2])
    np.testing.assert_allclose(bounded.bounds, [np.log([0.1, 10]), [-2, 2], [-3, below]])
    kernel.theta = [np.log(4), 0.5, 0, 0]
    assert kernel.spec.params == {"s": pytest.approx(4), "b": 0.5, "w": 1, "t": None, "q": 0}
    at_the_end = bounded.clone_with_theta(bounded.bounds[:, 0])
    assert at_the_end.spec.params["s"] == pytest.approx(0.1)
    assert bounded.clone_with_theta(bounded.bounds[:, 1]).spec.params["q"] == below
    with pytest.raises(ValueError, match=r"theta has the shape \(1,\), but the kernel has 4"):
        kernel.theta = [1.0]


def test_copies() -> None:
    kernel = ks.to_sklearn("param s = 2\ngaussian(scale=s)", bounds={"s": (0.1, 10)})
    for copy in (clone(kernel), pickle.loads(pickle.dumps(kernel))):
        assert copy == kernel
    assert kernel.clone_with_theta(kernel.theta).theta == kernel.theta
    moved = kernel.clone_with_theta([0.0])
    assert moved != kernel
    assert kernel.spec.params == {"s": 2}
    assert repr(moved) == "SpecKernel('gaussian(scale=s)', {'s': 1.0})"
    both = ks.to_sklearn("param s = 2\ngaussian(scale=s)") + sk.WhiteKernel(0.1)
    np.testing.assert_allclose(both(X), kernel(X) + 0.1 * np.eye(9))
    assert both(X, eval_gradient=True)[1].shape == (9, 9, 2)


@pytest.mark.slow
def test_regression_finds_what_scikit_learn_finds() -> None:
    generator = np.random.default_rng(1)
    rows = generator.uniform(-3, 3, (40, 2))
    target = np.sin(2 * rows[:, 0]) + 0.1 * generator.standard_normal(40)
    text = "param c = 1\nparam a = 1\nparam b = 1\nparam v = 0.1\nc*stretch(gaussian(), [a, b]) + v*noise()"
    theirs = sk.ConstantKernel(1.0) * sk.RBF([1.0, 1.0]) + sk.WhiteKernel(0.1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the second column says nothing: its scale ends at the bound, in both
        own = GaussianProcessRegressor(ks.to_sklearn(text), normalize_y=True).fit(rows, target)
        other = GaussianProcessRegressor(theirs, normalize_y=True).fit(rows, target)
    assert own.log_marginal_likelihood_value_ == pytest.approx(other.log_marginal_likelihood_value_, rel=1e-6)
    new = generator.uniform(-3, 3, (5, 2))
    np.testing.assert_allclose(own.predict(new), other.predict(new), rtol=1e-3, atol=1e-3)
    assert 0 < own.kernel_.spec.params["v"] < 0.1


def test_classification() -> None:
    fitted = GaussianProcessClassifier(ks.to_sklearn("param s = 1\nlaplace(scale=s)")).fit(X, X[:, 0] > 0)
    assert fitted.score(X, X[:, 0] > 0) == 1


def test_names_of_columns() -> None:
    kernel = ks.to_sklearn("param s = 2\ngaussian(scale=s)[age]", columns=["size", "age"])
    other = sk.RBF(2.0)(X[:, 1:], eval_gradient=True)
    for found, expected in zip(kernel(X, eval_gradient=True), other, strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_without_parameters() -> None:
    kernel = ks.to_sklearn("gaussian() + noise()")
    assert kernel.theta.shape == (0,)
    assert kernel.bounds.shape == (0, 2)
    value, gradient = kernel(X, eval_gradient=True)
    assert gradient.shape == (9, 9, 0)
    np.testing.assert_array_equal(value, kernel(X))


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("shift_gaussian(by=1)", NoCounterpartError, "this one is asymmetric"),
        ("param s > 0\ngaussian(scale=s)", ParameterError, "'s' has no initial value"),
    ],
)
def test_what_is_refused(text: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        ks.to_sklearn(text)


def test_change_points_far_from_most_rows_have_derivatives() -> None:
    """Days since 1970, a thousand of them, and a width of half a day: e^z overflows on both sides."""
    days = np.column_stack([np.linspace(18000, 19000, 9), np.arange(9.0)])
    days[4, 0] = 18500.25
    kernel = ks.to_sklearn("param w = 0.5\nchangepoint(gaussian(), 2*gaussian(), on=0, at=18500, width=w)[0, 1]")
    _, gradient = kernel(days, eval_gradient=True)
    assert np.isfinite(gradient).all()
    share = 1 / (1 + math.exp(-0.5))  # k(x, x) is (1 − σ)² + 2σ², σ of z = 1/4w, and ∂z by log w is −z
    expected = (4 * share - 2 * (1 - share)) * share * (1 - share) * -0.5
    assert gradient[4, 4, 0] == pytest.approx(expected, rel=1e-12)
    assert gradient[0, 0, 0] == 0


def test_asymmetry_that_no_rule_knows_is_seen_in_the_matrix() -> None:
    kernel = ks.to_sklearn("param s = 1\ns*tilt(gaussian(), by=1)[0]*hamming()[1]")
    for with_gradient in (False, True):
        with pytest.raises(NoCounterpartError, match="this one is asymmetric"):
            kernel(X, eval_gradient=with_gradient)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "param a = 2\npolya(gamma(shape=a))",
            "'distribution' of polya.* has no derivative by the parameter in it",
        ),
        (
            "param a = 2\ndual(relu, a/2*gaussian())",
            "dual.* has no known derivative by the parameter in it",
        ),
        ("param nu = 2\nmatern(nu=nu)", r"matern\(\) has no derivative by 'nu' in closed form: give it a number"),
    ],
)
def test_derivatives_that_are_not_known(text: str, message: str) -> None:
    kernel = ks.to_sklearn(text)
    np.testing.assert_allclose(kernel(X), ks.parse(text).gram(X))
    with pytest.raises(NoCounterpartError, match=message):
        kernel(X, eval_gradient=True)
    name = next(iter(kernel.spec.params))
    fixed = ks.to_sklearn(text, bounds={name: "fixed"})
    np.testing.assert_allclose(fixed(X, eval_gradient=True)[0], kernel(X), rtol=1e-12)


def test_bounds_that_do_not_fit() -> None:
    text = "param s = 2\ngaussian(scale=s)"
    with pytest.raises(ParameterError, match="for 'scale', but the spec has no such parameter"):
        ks.to_sklearn(text, bounds={"scale": (1, 2)})
    with pytest.raises(ParameterError, match="'s' is 2, outside its bounds 3 and 4"):
        ks.to_sklearn(text, bounds={"s": (3, 4)})
    with pytest.raises(ValueError, match="Gradient can only be evaluated when Y is None"):
        ks.to_sklearn(text)(X, Y, eval_gradient=True)


@pytest.mark.parametrize(("start", "low", "high"), [(1, 0.1, math.inf), (1e10, 1, 1e300), (1e-10, 1e-320, 1)])
def test_bounds_may_be_infinite(start: float, low: float, high: float) -> None:
    """Clipped, so that a kernel has values and an optimizer can move; a range of the spec counts as well."""
    bounds = np.exp(ks.to_sklearn(f"param s = {start}\ngaussian(scale=s)", bounds={"s": (low, high)}).bounds)
    np.testing.assert_allclose(bounds, [[max(low, 1e-100), min(high, 1e100)]])
    alpha = ks.to_sklearn("param a = 1\npowered_exponential(alpha=a)", bounds={"a": (-math.inf, math.inf)})
    assert 0 < alpha.bounds[0, 0] < 1e-6
    assert alpha.bounds[0, 1] == 2
    with pytest.raises(ParameterError, match="the bounds of 's' are 5 and 2, not in order"):
        ks.to_sklearn("param s = 3\ngaussian(scale=s)", bounds={"s": (5, 2)})


ROWS = np.array([[0.5, 1.0], [0.5, 1.0], [0.5, 2.0], [-1.0, 1.0]])
"""Two equal rows, and two that are equal in one column."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "gaussian(scale=s)",
        "laplace(scale=s)",
        "exponential(scale=s)",
        "matern(nu=1/2, scale=s)",
        "matern(nu=1.3, scale=s)",
        "matern(nu=5/2, scale=s)",
        "cauchy(scale=s)",
        "rational_quadratic(alpha=s, scale=s)",
        "powered_exponential(alpha=s, scale=s)",
        "triangle(width=4*s)",
        "sinc(bandwidth=s)",
        "periodic(period=s, scale=s)",
        "cosine(by=s)",
        "rbf_cosine(gamma=s)",
        "stretch(laplace(), [s, 1])",
        "stretch(exponential(), [s, s**2])",
        "stretch(sinc(), [1, s])",
        "stretch(powered_exponential(alpha=0.5), s)",
        "stretch(radial(r -> 1 - 1.5*min(r, 1) + 0.5*min(r, 1)**3), 3*s)",
        "radial(r -> exp(-s*r)*(1 + s*r + s**2*r**2/3))",
        "radial(r -> 1/(1 + (r/s)**s))",
        "product(t -> exp(-s*t**1.5))*radial(r -> max(0, 1 - r/(2*s))**2)",
        "stretch(product(t -> besselj(0, t)), [s, 1])",
    ],
)
def test_gradients_are_finite_and_zero_where_rows_are_equal(text: str) -> None:
    kernel = ks.to_sklearn(f"param s = 1.3\n{text}")
    value, gradient = kernel(ROWS, eval_gradient=True)
    assert np.isfinite(gradient).all()
    np.testing.assert_array_equal(gradient[[0, 0, 1, 1, 2, 3], [0, 1, 0, 1, 2, 3], 0], 0)
    assert np.abs(gradient).max() > 0
    step = 1e-5
    up, down = (kernel.clone_with_theta(kernel.theta + h)(ROWS) for h in (step, -step))
    np.testing.assert_allclose(gradient[..., 0], (up - down) / (2 * step), rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(value, kernel(ROWS), rtol=1e-13)


@pytest.mark.slow
def test_no_derivative_by_the_order_of_a_bessel_function() -> None:
    with pytest.raises(NoCounterpartError, match=r"besselj\(\) has no derivative with respect to its order"):
        ks.to_sklearn("param s = 1\nproduct(t -> exp(-t)*(1 + besselj(s, t)))")(np.eye(3, 2), eval_gradient=True)


def test_a_spherical_variogram_is_fitted_with_its_derivatives() -> None:
    """Sill and range of geostatistics, from values drawn with a sill of 2 and a range of 3."""
    generator = np.random.default_rng(5)
    places = generator.uniform(0, 10, (150, 2))
    text = "param sill = 1\nparam range = 1\nsill*stretch(radial(r -> 1 - 1.5*min(r, 1) + 0.5*min(r, 1)**3), range)"
    truth = ks.parse(text, params={"sill": 2, "range": 3}).gram(places) + 1e-6 * np.eye(150)
    fitted = GaussianProcessRegressor(ks.to_sklearn(text), alpha=1e-6)
    fitted.fit(places, np.linalg.cholesky(truth) @ generator.standard_normal(150))
    sill, reach = np.exp(fitted.kernel_.theta)
    assert 1 < sill < 4
    assert 1.5 < reach < 6
